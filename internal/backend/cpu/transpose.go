package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
)

// across returns the dimension along which the source is contiguous, if that is not the last and both are long enough
// for tiles to pay; else -1.
func (w *mover) across() int {
	last := len(w.dims) - 1
	if w.zs[last] != 1 || w.xs[last] <= 1 || w.dims[last] < 4 {
		return -1
	}
	for d := range last {
		if w.xs[d] == 1 && w.dims[d] >= 4 && w.zs[d] > 0 {
			return d
		}
	}
	return -1
}

// transpose is a blocked transpose of dimension p, contiguous in the source, and the last, contiguous in the destination. The
// other dimensions are the outer loop.
func (w *mover) transpose(c *backend.Ctx, p int) error {
	last := len(w.dims) - 1
	rows, cols := w.dims[last], w.dims[p] // of the source
	outer := *w
	outer.dims, outer.zs, outer.xs = drop(w.dims, p), drop(w.zs, p), drop(w.xs, p)
	stream := w.size == 4 && 4*volume(w.dims) >= StreamFrom
	// A block is a strip of tiles down the source, so that writes are contiguous.
	kernel, wide, tall, strip := transposer(w.size), transposeTile, transposeTile, 8*transposeTile
	if stream {
		kernel, wide, tall, strip = transposeStream, streamTileCols, streamTileRows, streamTileRows*max(1, streamTileCols/cols)
	}
	tiles, strips := (cols+wide-1)/wide, (rows+strip-1)/strip
	zs, xs, size := w.zs[p], w.xs[last], w.size
	return each(c, volume(outer.dims[:len(outer.dims)-1])*tiles*strips, func(b int) {
		z, x := outer.at(b/(tiles*strips), 1)
		j := b / strips % tiles * wide
		n := min(wide, cols-j)
		from := b % strips * strip
		for i := from; i < min(from+strip, rows); i += tall {
			m := min(tall, rows-i, from+strip-i)
			kernel(unsafe.Add(w.z, (z+j*zs+i)*size), zs, unsafe.Add(w.x, (x+i*xs+j)*size), xs, m, n)
		}
		if stream {
			simd.Fence()
		}
	})
}

// transposeStream transposes floats with non-temporal stores, a cache line of each row at a time. Later lines are prefetched: rows
// are too far apart for the hardware prefetcher.
func transposeStream(z unsafe.Pointer, zs int, x unsafe.Pointer, xs, m, n int) {
	for j := 0; j < n; j += lineFloats {
		w := min(lineFloats, n-j)
		if later := j + prefetchFloats; later < n {
			simd.PrefetchRows(unsafe.Add(x, 4*later), 4*xs, m, 4*min(lineFloats, n-later))
		}
		simd.TransposeStreamF32(elems[float32](unsafe.Add(z, 4*j*zs), (w-1)*zs+m), zs,
			elems[float32](unsafe.Add(x, 4*j), (m-1)*xs+w), xs, m, w)
	}
}

// The shape of a tile with non-temporal stores: few rows, because rows a power of two apart conflict in few sets of L2, and
// long ones, so that DRAM pages stay open. Squares of 512 took a fifth longer.
const (
	streamTileRows = 32
	streamTileCols = 4096
	lineFloats     = 16             // floats of a line
	prefetchFloats = 4 * lineFloats // floats from the current line to the prefetched one
)

func drop(d []int, i int) []int { return append(append([]int(nil), d[:i]...), d[i+1:]...) }

// transposer gives the kernel z[j·zs+i] = x[i·xs+j] for i < m and j < n.
func transposer(size int) func(z unsafe.Pointer, zs int, x unsafe.Pointer, xs, m, n int) {
	switch size {
	case 1:
		return transposeT[uint8]
	case 2:
		return transposeT[uint16]
	case 4:
		return func(z unsafe.Pointer, zs int, x unsafe.Pointer, xs, m, n int) {
			simd.TransposeBlockF32(elems[float32](z, (n-1)*zs+m), zs, elems[float32](x, (m-1)*xs+n), xs, m, n)
		}
	case 8:
		return transposeT[uint64]
	}
	return transposeT[pair]
}

func transposeT[T any](z unsafe.Pointer, zs int, x unsafe.Pointer, xs, m, n int) {
	out, in := elems[T](z, (n-1)*zs+m), elems[T](x, (m-1)*xs+n)
	row := func(i int) []T { return in[i*xs:][:n] }
	i := 0
	for ; i+8 <= m; i += 8 { // eight rows of the source at a time: a run of eight in each row of the destination
		r0, r1, r2, r3, r4, r5, r6, r7 := row(i), row(i+1), row(i+2), row(i+3), row(i+4), row(i+5), row(i+6), row(i+7)
		for j := range n {
			o := (*[8]T)(out[j*zs+i:])
			o[0], o[1], o[2], o[3] = r0[j], r1[j], r2[j], r3[j]
			o[4], o[5], o[6], o[7] = r4[j], r5[j], r6[j], r7[j]
		}
	}
	for ; i < m; i++ {
		for j, v := range row(i) {
			out[j*zs+i] = v
		}
	}
}
