package cpu

import (
	"github.com/lucid-go/lucid/internal/backend/cpu/gemm"
	"github.com/lucid-go/lucid/internal/backend/cpu/half"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/par"
)

// A product of contiguous rows with a vector is a dot product for each row. Summed in the order of a matrix product, each
// addition would wait for the one before. So these sums run in lanes: parts of dotPart elements in the order of simd, then
// the parts in order. The inner size and the layout decide, not the number of rows, so that a row has the same bits whatever
// rows come with it.

const (
	vectorDepth = 128      // inner size from which that is done
	longDepth   = 8 << 10  // the same for float64 and bfloat16, of which matrix kernels take more in a cycle
	dotPart     = 2048     // elements
	dotRun      = 8        // parts that are one block of work: a few microseconds
	dotSerial   = 64 << 10 // elements up to which a parallel loop does not pay
)

// byVector reports whether the product is done so. A single row may have any layout: copying it is cheap.
func byVector(m, n, k, acs, depth int) bool { return n == 1 && k >= depth && (acs == 1 || m == 1) }

// vectorProduct is a product with n 1 in elements T with sums in S: dot sums the products of a part, vector shows k elements
// a step apart as a slice of S, put rounds sums.
type vectorProduct[T numbers, S float32 | float64] struct {
	dot    func(x []T, y []S) S
	vector func(x []T, step, k int) (y []S, free func())
	put    func(z []T, x []S)
	// direct is dot for a contiguous vector of T, a part at a time; nil if vector does not copy a contiguous one anyway.
	direct func(x, y []T) S
}

func (v *vectorProduct[T, S]) run(m, k int, a []T, ars, acs int, b []T, brs int, c []T, crs int,
	ep func(c []T, crs, row, col, rows, cols int), run gemm.Runner) {
	parts := (k + dotPart - 1) / dotPart
	dot := v.dotDirect(b, brs, parts)
	var y []S
	if dot == nil {
		whole, freeY := v.vector(b, brs, k)
		defer freeY()
		y = whole
	}
	if acs != 1 {
		x, freeX := vectorOf(a, acs, k)
		defer freeX()
		a = x
	}
	if m == 1 && k <= dotPart {
		var sum [1]S
		sum[0] = v.dot(a[:k], y)
		v.finish(sum[:], 0, c, crs, ep)
		return
	}
	if run == nil || m*k <= dotSerial {
		run = func(blocks int, f func(int)) {
			pace := par.NewPace()
			for i := range blocks {
				f(i)
				pace.Step()
			}
		}
	}
	if parts > dotRun { // rows so long that each is several blocks
		if dot == nil {
			dot = func(x []T, at int) S { return v.dot(x, y[at:at+len(x)]) }
		}
		v.long(m, k, parts, a, ars, dot, c, crs, ep, run)
		return
	}
	each := max(1, dotRun*dotPart/k)
	run((m+each-1)/each, func(block int) {
		from := block * each
		rows := min(each, m-from)
		sums, free := borrow[S](rows)
		defer free()
		for i := range rows {
			sums[i] = v.row(a[(from+i)*ars:][:k], y)
		}
		v.finish(sums, from, c, crs, ep)
	})
}

// row sums the products of a row, part by part.
func (v *vectorProduct[T, S]) row(x []T, y []S) (sum S) {
	for at := 0; at < len(x); at += dotPart {
		to := min(at+dotPart, len(x))
		sum += v.dot(x[at:to], y[at:to])
	}
	return sum
}

// dotDirect returns the sum of products of a part of a row, from an element on, with a long vector in its own memory; nil if there
// is no such kernel. A widened copy of the vector would go through memory.
func (v *vectorProduct[T, S]) dotDirect(b []T, brs, parts int) func(x []T, at int) S {
	if v.direct == nil || brs != 1 || parts <= dotRun {
		return nil
	}
	return func(x []T, at int) S { return v.direct(x, b[at:at+len(x)]) }
}

// long cuts rows into blocks of parts.
func (v *vectorProduct[T, S]) long(m, k, parts int, a []T, ars int, dot func(x []T, at int) S, c []T, crs int,
	ep func(c []T, crs, row, col, rows, cols int), run gemm.Runner) {
	partial, free := borrow[S](m * parts)
	defer free()
	runs := (parts + dotRun - 1) / dotRun
	run(m*runs, func(block int) {
		row := a[block/runs*ars:][:k]
		for p := block % runs * dotRun; p < min((block%runs+1)*dotRun, parts); p++ {
			to := min((p+1)*dotPart, k)
			partial[block/runs*parts+p] = dot(row[p*dotPart:to], p*dotPart)
		}
	})
	sums := partial[:m]
	for i := range m { // sums of rows overwrite parts that are used up
		var sum S
		for _, s := range partial[i*parts:][:parts] {
			sum += s
		}
		sums[i] = sum
	}
	v.finish(sums, 0, c, crs, ep)
}

// finish writes the sums of rows, and hands them on.
func (v *vectorProduct[T, S]) finish(sums []S, row int, c []T, crs int, ep func(c []T, crs, row, col, rows, cols int)) {
	if c == nil || crs != 1 { // not needed, or not contiguous
		z, free := borrow[T](len(sums))
		defer free()
		v.put(z, sums)
		if c == nil {
			ep(z, 1, row, 0, len(sums), 1)
			return
		}
		for i, x := range z {
			c[(row+i)*crs] = x
		}
	} else {
		v.put(c[row:][:len(sums)], sums)
	}
	if ep != nil {
		ep(c[row*crs:], crs, row, 0, len(sums), 1)
	}
}

// vectorOf is k elements a step apart as a slice.
func vectorOf[T numbers](x []T, step, k int) ([]T, func()) {
	if step == 1 {
		return x[:k], func() {}
	}
	y, free := borrow[T](k)
	for i := range y {
		y[i] = x[i*step]
	}
	return y, free
}

var (
	vector32 = &vectorProduct[float32, float32]{dot: simd.DotF32, vector: vectorOf[float32], put: func(z, x []float32) { copy(z, x) }}
	vector64 = &vectorProduct[float64, float64]{dot: simd.DotF64, vector: vectorOf[float64], put: func(z, x []float64) { copy(z, x) }}

	vectorBF16, vectorF16 = vectorHalf(dtype.BFloat16, simd.DotBF16), vectorHalf(dtype.Float16, simd.DotF16)
)

// vectorHalf has the vector in float32.
func vectorHalf(d dtype.DType, dot func(x []uint16, y []float32) float32) *vectorProduct[uint16, float32] {
	return &vectorProduct[uint16, float32]{
		dot: dot,
		vector: func(x []uint16, step, k int) ([]float32, func()) {
			y, free := borrow[float32](k)
			half.WidenStrided(d, y, x, step)
			return y, free
		},
		put: func(z []uint16, x []float32) { narrowHalf(d, z, x) },
		direct: func(x, y []uint16) float32 {
			part, free := borrow[float32](len(y))
			defer free()
			widenHalf(d, part, y)
			return dot(x, part)
		},
	}
}
