package cpu

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/cpuid"
	"github.com/lucid-go/lucid/internal/shape"
)

// Moving elements. Every copy is a walk over two layouts of one shape, with as few dimensions as both allow. Rows that
// are contiguous on both sides are copied as such; where source and destination are contiguous along different dimensions, a
// blocked transpose touches both sides a cache line at a time; the rest goes element by element.

const (
	copyBlock     = 256 << 10 // bytes a block moves
	shortBlock    = 32 << 10  // the same of short rows, each of which is a call: some 5 µs
	briefRow      = 512       // bytes
	streamRow     = 2 << 10   // bytes of a row from which on non-temporal stores pay
	transposeTile = 128       // side of a square tile of a transpose
)

// StreamFrom is from how many bytes on a result is written by non-temporal stores: it and an operand of its size would fill a near cache. A
// variable for tests.
var StreamFrom = max(8<<20, cpuid.NearL3/2)

func init() {
	register(backend.Table{"copy": copyKernel, "cat": catKernel, "slice_update": sliceUpdateKernel, "depends": dependsKernel})
}

// strided is an operand of a copy: the address of its first element and its strides.
type strided struct {
	base    unsafe.Pointer
	strides []int
}

func stridedOf(v backend.View) strided {
	return strided{unsafe.Add(v.Base(), v.Offset()*v.DType.Size()), v.Strides()}
}

func copyKernel(c *backend.Ctx, _ attr.Attr, out, in []backend.View) error {
	return move(c, out[0].Shape, out[0].DType.Size(), stridedOf(out[0]), stridedOf(in[0]))
}

func catKernel(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	axis, at := a.(attr.Axis).Axis, 0
	size, z := out[0].DType.Size(), stridedOf(out[0])
	contiguous := volume(out[0].Shape.Dims()[:axis]) == 1 && out[0].Contiguous() // pieces follow each other
	for _, v := range in {
		if v.Numel() == 0 {
			continue // its offset may be behind the end
		}
		part := strided{unsafe.Add(z.base, at*z.strides[axis]*size), z.strides}
		at += v.Shape.Dim(axis)
		if bytes := v.Numel() * size; contiguous && bytes < copyBlock && v.Contiguous() {
			copyBytes(part.base, unsafe.Add(v.Base(), v.Offset()*size), bytes)
			continue
		}
		if err := move(c, v.Shape, size, part, stridedOf(v)); err != nil {
			return err
		}
	}
	return nil
}

// sliceUpdateKernel writes a part over its first input, or over a copy of it where the memory is not its own.
func sliceUpdateKernel(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	if isPadding(a.(attr.Slice), out[0], in) {
		return padded(c, a.(attr.Slice), out[0], in)
	}
	if err := begin(c, out[0], in[0]); err != nil {
		return err
	}
	if in[1].Numel() == 0 {
		return nil // an empty part may begin behind the end, where no pointer may go
	}
	s, z, size := a.(attr.Slice), stridedOf(out[0]), out[0].DType.Size()
	off, st := 0, make([]int, len(z.strides))
	for i, t := range z.strides {
		off += s.Start.At(i) * t
		st[i] = s.Step.At(i) * t
	}
	return move(c, in[1].Shape, size, strided{unsafe.Add(z.base, off*size), st}, stridedOf(in[1]))
}

// dependsKernel gives its first input; the others only had to be computed before.
func dependsKernel(c *backend.Ctx, _ attr.Attr, out, in []backend.View) error {
	return begin(c, out[0], in[0])
}

// begin brings the value that a kernel updates into its output, unless it is there already.
func begin(c *backend.Ctx, out, in backend.View) error {
	if out.Buf == in.Buf {
		return nil
	}
	return move(c, out.Shape, out.DType.Size(), stridedOf(out), stridedOf(in))
}

// mover is a copy over joint dimensions.
type mover struct {
	dims   []int
	zs, xs []int // strides of destination and source
	z, x   unsafe.Pointer
	size   int
}

func move(c *backend.Ctx, s *shape.Shape, size int, z, x strided) error {
	if s.Numel() == 0 {
		return nil
	}
	dims, st := shape.Collapse(s, z.strides, x.strides)
	w := &mover{dims: dims, z: z.base, x: x.base, size: size}
	if len(dims) == 0 {
		copyBytes(z.base, x.base, size)
		return nil
	}
	w.zs, w.xs = st[0], st[1]
	last := len(dims) - 1
	if w.zs[last] == 1 && w.xs[last] == 1 {
		return w.rows(c)
	}
	if p := w.across(); p >= 0 {
		return w.transpose(c, p)
	}
	return w.elements(c)
}

// at gives the offsets of row i, counted over all dimensions but the last n.
func (w *mover) at(i, n int) (z, x int) {
	for d := len(w.dims) - 1 - n; d >= 0; d-- {
		k := i % w.dims[d]
		i /= w.dims[d]
		z += k * w.zs[d]
		x += k * w.xs[d]
	}
	return z, x
}

// spans calls f for the rows from lo to hi, counted over all dimensions but the last: the offsets of a row, and how many follow it along
// the dimension before the last, itself included. Finding an offset takes as long as moving some elements.
func (w *mover) spans(lo, hi int, f func(z, x, rows int)) {
	next := len(w.dims) - 2
	for lo < hi {
		z, x := w.at(lo, 1)
		n := 1
		if next >= 0 {
			n = min(hi-lo, w.dims[next]-lo%w.dims[next])
		}
		f(z, x, n)
		lo += n
	}
}

// steps gives the strides along the dimension before the last.
func (w *mover) steps() (z, x int) {
	if next := len(w.dims) - 2; next >= 0 {
		return w.zs[next], w.xs[next]
	}
	return 0, 0
}

func volume(d []int) int {
	n := 1
	for _, v := range d {
		n *= v
	}
	return n
}

// rows moves dense rows, a row at a time or long ones in pieces.
func (w *mover) rows(c *backend.Ctx) error {
	last := len(w.dims) - 1
	run, rows := w.dims[last]*w.size, volume(w.dims[:last])
	put := copyBytes
	if run*rows >= StreamFrom && run >= streamRow {
		put = copyStream
	}
	if run >= copyBlock {
		pieces := (run + copyBlock - 1) / copyBlock
		return each(c, rows*pieces, func(b int) {
			z, x := w.at(b/pieces, 1)
			lo := b % pieces * copyBlock
			put(unsafe.Add(w.z, z*w.size+lo), unsafe.Add(w.x, x*w.size+lo), min(copyBlock, run-lo))
		})
	}
	group := max(1, copyBlock/run)
	if run <= briefRow {
		group = shortBlock / run
	}
	dz, dx := w.steps()
	return each(c, (rows+group-1)/group, func(b int) {
		w.spans(b*group, min((b+1)*group, rows), func(z, x, n int) {
			for i := range n {
				put(unsafe.Add(w.z, (z+i*dz)*w.size), unsafe.Add(w.x, (x+i*dx)*w.size), run)
			}
		})
	})
}

// copyStream copies n bytes by non-temporal stores.
func copyStream(z, x unsafe.Pointer, n int) {
	simd.NonTemporalCopy(unsafe.Slice((*byte)(z), n), unsafe.Slice((*byte)(x), n))
}

// elements moves what has no dense rows, each along the last dimension, or the one before it if that one has few elements.
func (w *mover) elements(c *backend.Ctx) error {
	last := len(w.dims) - 1
	const few = 8
	if last > 0 && w.dims[last] < few && w.dims[last-1] > w.dims[last] {
		for _, d := range [][]int{w.dims, w.zs, w.xs} {
			d[last], d[last-1] = d[last-1], d[last]
		}
	}
	n, rows := w.dims[last], volume(w.dims[:last])
	zs, xs := w.zs[last], w.xs[last]
	const unit = 1 << 14
	line := lineCopy(w.size)
	if xs == 0 && zs == 1 && n*w.size >= streamRow && n*rows*w.size >= StreamFrom {
		line = fillStream(w.size)
	}
	if n >= unit {
		pieces := (n + unit - 1) / unit
		return each(c, rows*pieces, func(b int) {
			z, x := w.at(b/pieces, 1)
			lo := b % pieces * unit
			line(unsafe.Add(w.z, (z+lo*zs)*w.size), unsafe.Add(w.x, (x+lo*xs)*w.size), min(unit, n-lo), zs, xs)
		})
	}
	group := max(1, unit/n)
	dz, dx := w.steps()
	return each(c, (rows+group-1)/group, func(b int) {
		w.spans(b*group, min((b+1)*group, rows), func(z, x, m int) {
			for i := range m {
				line(unsafe.Add(w.z, (z+i*dz)*w.size), unsafe.Add(w.x, (x+i*dx)*w.size), n, zs, xs)
			}
		})
	})
}

// fillStream repeats an element by non-temporal stores, from a piece that was filled with it.
func fillStream(size int) func(z, x unsafe.Pointer, n, zs, xs int) {
	fill := lineCopy(size)
	return func(z, x unsafe.Pointer, n, _, _ int) {
		end := n * size
		piece := min(16<<10, end) // bytes: half a first-level cache, and few fences
		withScratch(4<<10, func(t []float32) {
			p := unsafe.Pointer(unsafe.SliceData(t))
			fill(p, x, piece/size, 1, 0)
			for at := 0; at < end; at += piece {
				copyStream(unsafe.Add(z, at), p, min(piece, end-at))
			}
		})
	}
}

func lineCopy(size int) func(z, x unsafe.Pointer, n, zs, xs int) {
	switch size {
	case 1:
		return copyLine[uint8]
	case 2:
		return copyLine[uint16]
	case 4:
		return copyLine[uint32]
	case 8:
		return copyLine[uint64]
	}
	return copyLine[pair]
}

func copyLine[T any](z, x unsafe.Pointer, n, zs, xs int) {
	var t T
	size := int(unsafe.Sizeof(t))
	if xs == 0 && zs == 1 {
		fillT[T](z, x, n)
		return
	}
	if zs == 1 && xs == -1 && size < 8 {
		reverseLine(z, x, n, size)
		return
	}
	if zs == 1 {
		for i, out := 0, unsafe.Slice((*T)(z), n); i < n; i++ {
			out[i] = *(*T)(unsafe.Add(x, i*xs*size))
		}
		return
	}
	for i := range n {
		*(*T)(unsafe.Add(z, i*zs*size)) = *(*T)(unsafe.Add(x, i*xs*size))
	}
}

// reverseLine copies n elements of at most 4 bytes that end at x, the last one first: eight bytes at a time.
func reverseLine(z, x unsafe.Pointer, n, size int) {
	if n == 0 {
		return
	}
	in, out := unsafe.Slice((*byte)(unsafe.Add(x, (1-n)*size)), n*size), unsafe.Slice((*byte)(z), n*size)
	for len(out) >= 8 {
		v := binary.NativeEndian.Uint64(in[len(in)-8:])
		switch size {
		case 1:
			v = bits.ReverseBytes64(v)
		case 2:
			const even = 0x00ff00ff00ff00ff
			v = bits.ReverseBytes64(v)
			v = v&even<<8 | v>>8&even
		case 4:
			v = bits.RotateLeft64(v, 32)
		}
		binary.NativeEndian.PutUint64(out, v)
		in, out = in[:len(in)-8], out[8:]
	}
	for ; len(out) > 0; in, out = in[:len(in)-size], out[size:] {
		copy(out[:size], in[len(in)-size:])
	}
}
