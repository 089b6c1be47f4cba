package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/gemm"
	"github.com/lucid-go/lucid/internal/backend/cpu/half"
	"github.com/lucid-go/lucid/internal/dtype"
)

func widenHalf(d dtype.DType, z []float32, x []uint16)  { half.Widen(d, z, x) }
func narrowHalf(d dtype.DType, z []uint16, x []float32) { half.Narrow(d, z, x) }

func narrowRows(d dtype.DType, z []uint16, zrs int, x []float32, xrs, rows, cols int) {
	half.NarrowRows(d, z, zrs, x, xrs, rows, cols)
}

// widenOperand reads n elements of an operand of a half type, from element from on.
func widenOperand(d dtype.DType, z []float32, o *operand, from int) {
	var tile [tileElems]uint16
	for at := 0; at < len(z); at += tileElems {
		n := min(tileElems, len(z)-at)
		gatherTile(unsafe.Pointer(&tile), o, from+at, n)
		widenHalf(d, z[at:at+n], tile[:n])
	}
}

// widenedFlat is a view of a half type as float32.
func widenedFlat(c *backend.Ctx, v backend.View) (flat[float32], error) {
	if v.Numel() == 0 {
		return flat[float32]{strides: v.Strides()}, nil
	}
	l := compactOf(v)
	x, free := borrow[float32](l.count)
	err := l.blocks(c, func(from, n int) { widenOperand(v.DType, x[from:from+n], &l.src, from) })
	return flat[float32]{x, l.fresh, free}, err
}

// widenedStack is a view of a half type as a stack of float32.
func widenedStack(c *backend.Ctx, v backend.View) (stack[float32], error) {
	f, err := widenedFlat(c, v)
	return newStack(f.x, v.Shape, f.strides, f.free), err
}

// endedHalf multiplies half types. Sums are float32, in scratch that stays in the cache; a part is rounded once, when it is finished.
func endedHalf(d dtype.DType) endedProduct[uint16] {
	mul, vector, depth := gemm.BFloat16, vectorBF16, longDepth
	if d == dtype.Float16 {
		mul, vector, depth = gemm.Float16, vectorF16, vectorDepth
	}
	return func(m, n, k int, a []uint16, ars, acs int, b []uint16, brs, bcs int, c []uint16, crs int,
		ep func(c []uint16, crs, row, col, rows, cols int), run gemm.Runner) {
		if byVector(m, n, k, acs, depth) {
			vector.run(m, k, a, ars, acs, b, brs, c, crs, ep, run)
			return
		}
		if n*k <= mostSmall(d) && n > 0 && k > 0 {
			productSmall(d, m, n, k, a, ars, acs, b, brs, bcs, c, crs, ep, run)
			return
		}
		mul(m, n, k, a, ars, acs, b, brs, bcs, nil, n, gemm.Overwrite, func(part []float32, prs, row, col, rows, cols int) {
			if c == nil {
				withScratch((rows*cols+1)/2, func(t []float32) {
					to := unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(t))), rows*cols)
					narrowRows(d, to, cols, part, prs, rows, cols)
					ep(to, cols, row, col, rows, cols)
				})
				return
			}
			to := c[row*crs+col:]
			narrowRows(d, to, crs, part, prs, rows, cols)
			if ep != nil {
				ep(to, crs, row, col, rows, cols)
			}
		}, run)
	}
}

// sumsOfHalf is endedHalf without rounding.
func sumsOfHalf(d dtype.DType) productTo[uint16, float32] {
	mul := gemm.BFloat16
	if d == dtype.Float16 {
		mul = gemm.Float16
	}
	return func(m, n, k int, a []uint16, ars, acs int, b []uint16, brs, bcs int, c []float32, crs int,
		ep func(c []float32, crs, row, col, rows, cols int), run gemm.Runner) {
		if n*k > mostSmall(d) || n == 0 || k == 0 {
			mul(m, n, k, a, ars, acs, b, brs, bcs, c, crs, gemm.Overwrite, ep, run)
			return
		}
		inSmallBlocks(m, n, k, run, func(row, rows int) {
			smallSums(d, rows, n, k, a[row*ars:], ars, acs, b, brs, bcs, 0, func(z, _ []float32) {
				if c == nil {
					ep(z, n, row, 0, rows, n)
					return
				}
				to := c[row*crs:]
				for i := range rows {
					copy(to[i*crs:][:n], z[i*n:])
				}
				if ep != nil {
					ep(to, crs, row, 0, rows, n)
				}
			})
		})
	}
}

const (
	smallPairs = 200     // elements of a right factor for which a float32 product is faster than packing bf16 pairs
	smallHalf  = 4 << 10 // the same for a half type that is widened in any case
	smallRows  = 8 << 10 // elements of the left factor and the product in one block
)

// mostSmall is up to how many elements of a right factor the half type is widened first.
func mostSmall(d dtype.DType) int {
	if d == dtype.BFloat16 && gemm.HasBF16() {
		return smallPairs
	}
	return smallHalf
}

// productSmall widens the factors first. The size of the right one alone decides, so that a row has the same bits whatever rows come
// with it.
func productSmall(d dtype.DType, m, n, k int, a []uint16, ars, acs int, b []uint16, brs, bcs int, c []uint16, crs int,
	ep func(c []uint16, crs, row, col, rows, cols int), run gemm.Runner) {
	inSmallBlocks(m, n, k, run, func(row, rows int) { smallBlock(d, row, rows, n, k, a, ars, acs, b, brs, bcs, c, crs, ep) })
}

// inSmallBlocks calls f for a few rows at a time.
func inSmallBlocks(m, n, k int, run gemm.Runner, f func(row, rows int)) {
	each := max(1, smallRows/(n+k))
	if run == nil || m <= each {
		for row := 0; row < m; row += each {
			f(row, min(each, m-row))
		}
		return
	}
	run((m+each-1)/each, func(block int) { f(block*each, min(each, m-block*each)) })
}

// smallBlock is a few rows of productSmall.
func smallBlock(d dtype.DType, row, rows, n, k int, a []uint16, ars, acs int, b []uint16, brs, bcs int, c []uint16, crs int,
	ep func(c []uint16, crs, row, col, rows, cols int)) {
	smallSums(d, rows, n, k, a[row*ars:], ars, acs, b, brs, bcs, rows*n/2+1, func(z, rest []float32) {
		to, rs := tail(c, row*crs), crs
		if c == nil {
			to, rs = unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(rest))), rows*n), n
		}
		if rs == n {
			narrowHalf(d, to[:rows*n], z)
		} else {
			narrowRows(d, to, rs, z, n, rows, n)
		}
		if ep != nil {
			ep(to, rs, row, 0, rows, n)
		}
	})
}

// smallSums widens a few rows and the right factor, multiplies them and hands on the sums, and more elements of scratch.
func smallSums(d dtype.DType, rows, n, k int, a []uint16, ars, acs int, b []uint16, brs, bcs, more int, f func(z, rest []float32)) {
	withScratch(k*n+rows*(k+n)+more, func(buf []float32) {
		y, x, z := buf[:k*n], buf[k*n:][:rows*k], buf[k*n+rows*k:][:rows*n]
		yrs, ycs := n, 1
		if brs == 1 && bcs != 1 {
			widenMatrix(d, y, b, n, k, bcs, 1)
			yrs, ycs = 1, k
		} else {
			widenMatrix(d, y, b, k, n, brs, bcs)
		}
		widenMatrix(d, x, a, rows, k, ars, acs)
		gemm.Float32(rows, n, k, x, k, 1, y, yrs, ycs, z, n, gemm.Overwrite, nil, nil)
		f(z, buf[k*n+rows*(k+n):])
	})
}

// widenMatrix copies a matrix row by row.
func widenMatrix(d dtype.DType, z []float32, x []uint16, rows, cols, rs, cs int) {
	if cs == 1 && rs == cols {
		widenHalf(d, z, x[:rows*cols])
		return
	}
	for i := range rows {
		half.WidenStrided(d, z[i*cols:][:cols], x[i*rs:], cs)
	}
}
