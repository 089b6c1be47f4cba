package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/gemm"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/dtype"
)

func widenHalf(d dtype.DType, z []float32, x []uint16) {
	if d == dtype.BFloat16 {
		simd.BF16ToF32(z, x)
		return
	}
	simd.F16ToF32(z, x)
}

func narrowHalf(d dtype.DType, z []uint16, x []float32) {
	if d == dtype.BFloat16 {
		simd.F32ToBF16(z, x)
		return
	}
	simd.F32ToF16(z, x)
}

// widenOperand reads n elements of an operand of a half type, from place from on.
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

// endedHalf multiplies halves. Sums are float32, in scratch that stays in the cache; a part is rounded once, when it is finished.
func endedHalf(d dtype.DType) endedProduct[uint16] {
	mul, vector := gemm.BFloat16, vectorBF16
	if d == dtype.Float16 {
		mul, vector = gemm.Float16, vectorF16
	}
	return func(m, n, k int, a []uint16, ars, acs int, b []uint16, brs, bcs int, c []uint16, crs int, ep func(c []uint16, crs, row, col, rows, cols int), run gemm.Runner) {
		if byVector(m, n, k, acs, longDepth) {
			vector.run(m, k, a, ars, acs, b, brs, c, crs, ep, run)
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

func narrowRows(d dtype.DType, z []uint16, zrs int, x []float32, xrs, rows, cols int) {
	for i := range rows {
		narrowHalf(d, z[i*zrs:][:cols], x[i*xrs:][:cols])
	}
}

// widenStrided reads elements a step apart.
func widenStrided(d dtype.DType, z []float32, x []uint16, step int) {
	if step == 1 {
		widenHalf(d, z, x[:len(z)])
		return
	}
	var tile [128]uint16
	for at := 0; at < len(z); at += len(tile) {
		n := min(len(tile), len(z)-at)
		for i := range tile[:n] {
			tile[i] = x[(at+i)*step]
		}
		widenHalf(d, z[at:at+n], tile[:n])
	}
}
