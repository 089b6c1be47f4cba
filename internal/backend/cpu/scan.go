package cpu

import (
	"math"
	"math/cmplx"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/par"
)

// scanTile is how many neighbouring rows run side by side, so that memory is read in order.
const scanTile = 64

// scanPace is after how many steps a scan looks at the clock: neighbouring rows may be long.
const scanPace = 64

// scanRows runs a scan over all rows: step takes the accumulator, an element of each input (twice the same if there is
// one) and its index, and returns the next accumulator and the result.
func scanRows[T, A, R any](c *backend.Ctx, s attr.Scan, out backend.View, in []backend.View, zero A,
	step func(acc A, x, y T, k int) (A, R)) error {
	x, err := rowsAlong(c, in[0], s.Axis)
	if err != nil {
		return err
	}
	y := x
	if len(in) > 1 {
		if y, err = rowsAlong(c, in[1], s.Axis); err != nil {
			return err
		}
	}
	if x.n == 0 || x.count() == 0 {
		return nil
	}
	xs, ys := elems[T](x.base, x.count()*x.n), elems[T](y.base, x.count()*x.n)
	z := backend.Slice[R](out)
	tiles := (x.inner + scanTile - 1) / scanTile
	group := 1
	if x.inner == 1 {
		group = max(1, foldChunk/x.n)
	}
	blocks := (x.outer + group - 1) / group
	return each(c, blocks*tiles, func(b int) {
		t := b % tiles * scanTile
		w := min(scanTile, x.inner-t)
		var buf [scanTile]A
		pace := par.NewPace()
		for o := b / tiles * group; o < min((b/tiles+1)*group, x.outer); o++ {
			acc := buf[:w]
			for j := range acc {
				acc[j] = zero
			}
			for k := range x.n {
				i := k
				if s.Reverse {
					i = x.n - 1 - k
				}
				at := (o*x.n+i)*x.inner + t
				for j := range acc {
					acc[j], z[at+j] = step(acc[j], xs[at+j], ys[at+j], i)
				}
				if k%scanPace == scanPace-1 {
					pace.Step()
				}
			}
		}
	})
}

// scanner computes one scan for one dtype.
type scanner func(c *backend.Ctx, a attr.Attr, out, in backend.View) error

// scanTable holds a scan's kernels by the input's dtype.
type scanTable [dtype.N]scanner

func (t *scanTable) kernel() backend.Kernel {
	return func(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
		return t[in[0].DType](c, a, out[0], in[0])
	}
}

func floatScan[T floats](f func(acc, x float64) float64, zero float64) scanner {
	return func(c *backend.Ctx, a attr.Attr, out, in backend.View) error {
		return scanRows(c, a.(attr.Scan), out, []backend.View{in}, zero, func(acc float64, x, _ T, _ int) (float64, T) {
			acc = f(acc, float64(x))
			return acc, T(acc)
		})
	}
}

// cumsum adds, cumprod multiplies, floats in float64.
func cumsum[T, A reals](c *backend.Ctx, a attr.Attr, out, in backend.View) error {
	return cumulate[T, A](c, a.(attr.Scan), out, in, false)
}

func cumprod[T, A reals](c *backend.Ctx, a attr.Attr, out, in backend.View) error {
	return cumulate[T, A](c, a.(attr.Scan), out, in, true)
}

// cumulate is written out because it has the scans that people run.
func cumulate[T, A reals](c *backend.Ctx, s attr.Scan, out, in backend.View, product bool) error {
	x, err := rowsAlong(c, in, s.Axis)
	if err != nil || x.n == 0 || x.count() == 0 {
		return err
	}
	return cumulateRows[T, A](c, s, backend.Slice[T](out), x, product)
}

// cumsumComplex adds parts, as floats that have one dimension more.
func cumsumComplex[T complex64 | complex128, P floats](c *backend.Ctx, a attr.Attr, out, in backend.View) error {
	s := a.(attr.Scan)
	x, err := rowsAlong(c, in, s.Axis)
	if err != nil || x.n == 0 || x.count() == 0 {
		return err
	}
	z := elems[P](unsafe.Pointer(unsafe.SliceData(backend.Slice[T](out))), 2*out.Numel())
	if x.inner > 1 {
		x.inner *= 2
		return cumulateRows[P, float64](c, s, z, x, false)
	}
	xs := elems[P](x.base, len(z))
	return x.groups(c, foldChunk, func(lo, hi int) {
		pace := par.NewPace()
		for i := lo; i < hi; i++ {
			at, step := 2*i*x.n, 2
			if s.Reverse {
				at, step = at+2*(x.n-1), -2
			}
			re, im := 0.0, 0.0
			for k := 0; k < x.n; {
				end := min(k+foldChunk, x.n)
				pace.StepElems(end - k)
				for ; k < end; k, at = k+1, at+step {
					re, im = re+float64(xs[at]), im+float64(xs[at+1])
					z[at], z[at+1] = P(re), P(im)
				}
			}
		}
	})
}

// cumulateRows writes the running sums or products of x to z.
func cumulateRows[T, A reals](c *backend.Ctx, s attr.Scan, z []T, x rowSet, product bool) error {
	zero := A(0)
	if product {
		zero = 1
	}
	xs := elems[T](x.base, x.count()*x.n)
	first, step := 0, x.inner
	if s.Reverse {
		first, step = (x.n-1)*x.inner, -x.inner
	}
	if x.inner == 1 {
		return x.groups(c, foldChunk, func(lo, hi int) {
			pace := par.NewPace()
			for i := lo; i < hi; i++ {
				acc := zero
				for k, at := 0, i*x.n+first; k < x.n; {
					end := min(k+foldChunk, x.n)
					pace.StepElems(end - k)
					if product {
						for ; k < end; k, at = k+1, at+step {
							acc *= A(xs[at])
							z[at] = T(acc)
						}
					}
					for ; k < end; k, at = k+1, at+step {
						acc += A(xs[at])
						z[at] = T(acc)
					}
				}
			}
		})
	}
	const tile = 256
	tiles := (x.inner + tile - 1) / tile
	return each(c, x.outer*tiles, func(b int) {
		t := b % tiles * tile
		var buf [tile]A
		pace := par.NewPace()
		acc := buf[:min(tile, x.inner-t)]
		for j := range acc {
			acc[j] = zero
		}
		for k, at := 0, b/tiles*x.n*x.inner+first+t; k < x.n; k, at = k+1, at+step {
			p, q := xs[at:][:len(acc)], z[at:][:len(acc)]
			if product {
				for j, v := range p {
					acc[j] *= A(v)
					q[j] = T(acc[j])
				}
			} else {
				for j, v := range p {
					acc[j] += A(v)
					q[j] = T(acc[j])
				}
			}
			if k%scanPace == scanPace-1 {
				pace.Step()
			}
		}
	})
}

func complexScan[T complex64 | complex128](f func(acc, x complex128) complex128, zero complex128) scanner {
	return func(c *backend.Ctx, a attr.Attr, out, in backend.View) error {
		return scanRows(c, a.(attr.Scan), out, []backend.View{in}, zero, func(acc complex128, x, _ T, _ int) (complex128, T) {
			acc = f(acc, complex128(x))
			return acc, T(acc)
		})
	}
}

func intScan[T integers](f func(acc, x T) T, zero T) scanner {
	return func(c *backend.Ctx, a attr.Attr, out, in backend.View) error {
		return scanRows(c, a.(attr.Scan), out, []backend.View{in}, zero, func(acc T, x, _ T, _ int) (T, T) {
			acc = f(acc, x)
			return acc, acc
		})
	}
}

// halfScan runs a scan of float32 over a half type, rounding what is stored.
func halfScan(f scanner) scanner {
	return func(c *backend.Ctx, a attr.Attr, out, in backend.View) error {
		x, err := denseF32(c, in)
		if err != nil {
			return err
		}
		z := newScratch[float32](len(x))
		if err := f(c, a, hostView(z, out.Shape), hostView(x, in.Shape)); err != nil {
			return err
		}
		return storeHalf(c, out, z)
	}
}

func scanFloats(f func(acc, x float64) float64, zero float64) *scanTable {
	t := new(scanTable)
	t[dtype.Float32], t[dtype.Float64] = floatScan[float32](f, zero), floatScan[float64](f, zero)
	t[dtype.BFloat16], t[dtype.Float16] = halfScan(t[dtype.Float32]), halfScan(t[dtype.Float32])
	return t
}

func (t *scanTable) scanComplexes(f func(acc, x complex128) complex128, zero complex128) *scanTable {
	t[dtype.Complex64], t[dtype.Complex128] = complexScan[complex64](f, zero), complexScan[complex128](f, zero)
	return t
}

func times[T numbers](a, b T) T { return a * b }

// logAddExp is log(exp(a) + exp(b)) without overflow.
func logAddExp(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if math.IsInf(a, 0) {
		return a + nanOf(b)
	}
	return a + math.Log1p(math.Exp(b-a))
}

// nanOf is 0, or NaN for NaN.
func nanOf(x float64) float64 {
	if x != x {
		return x
	}
	return 0
}

func logAddExpComplex(a, b complex128) complex128 {
	if real(a) < real(b) {
		a, b = b, a
	}
	if math.IsInf(real(b), -1) {
		return a
	}
	return a + cmplx.Log(1+cmplx.Exp(b-a))
}

// linearScan is y[t] = a[t]·y[t-1] + b[t].
func linearScan(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	s := a.(attr.Scan)
	first := firstOf(s, in[0])
	switch in[0].DType {
	case dtype.Float32:
		return linear[float32](c, s, out, in)
	case dtype.Float64:
		return linear[float64](c, s, out, in)
	case dtype.Complex64:
		return linear[complex64](c, s, out, in)
	case dtype.Complex128:
		return linear[complex128](c, s, out, in)
	case dtype.BFloat16:
		return scanRows(c, s, out[0], in, float32(0), func(acc float32, x, y dtype.BF16, k int) (float32, dtype.BF16) {
			if k == first {
				return y.Float32(), y
			}
			acc = x.Float32()*acc + y.Float32()
			return acc, dtype.ToBF16(acc)
		})
	case dtype.Float16:
		return scanRows(c, s, out[0], in, float32(0), func(acc float32, x, y dtype.F16, k int) (float32, dtype.F16) {
			if k == first {
				return y.Float32(), y
			}
			acc = x.Float32()*acc + y.Float32()
			return acc, dtype.ToF16(acc)
		})
	}
	return fault.New(fault.DType, "linear_scan", "has no meaning for %v; want a floating or complex dtype", in[0].DType)
}

// firstOf is where a scan begins.
func firstOf(s attr.Scan, x backend.View) int {
	if s.Reverse {
		return x.Shape.Dim(s.Axis) - 1
	}
	return 0
}

func linear[T numbers](c *backend.Ctx, s attr.Scan, out, in []backend.View) error {
	first := firstOf(s, in[0])
	x, err := rowsAlong(c, in[0], s.Axis)
	if err != nil {
		return err
	}
	if x.n == 0 || x.count() == 0 {
		return nil
	}
	if x.inner == 1 {
		y, err := rowsAlong(c, in[1], s.Axis)
		if err != nil {
			return err
		}
		return linearRows(c, backend.Slice[T](out[0]), elems[T](x.base, x.count()*x.n), elems[T](y.base, x.count()*x.n), x.n, s.Reverse)
	}
	return scanRows(c, s, out[0], in, T(0), func(acc T, x, y T, k int) (T, T) {
		if k == first { // what stands before the first is nothing, whatever its factor
			return y, y
		}
		acc = x*acc + y
		return acc, acc
	})
}

// linearRows runs along rows of n elements, four side by side: each step of one waits for the last.
func linearRows[T numbers](c *backend.Ctx, z, x, y []T, n int, reverse bool) error {
	const side = 4
	first, step := 0, 1
	if reverse {
		first, step = n-1, -1
	}
	rows := len(z) / n
	group := max(side, foldChunk/n/side*side)
	return each(c, ceil(rows, group), func(b int) {
		pace := par.NewPace()
		r, end := b*group, min((b+1)*group, rows)
		for ; r+side <= end; r += side {
			x, y, z := x[r*n:(r+side)*n], y[r*n:(r+side)*n], z[r*n:(r+side)*n]
			x1, x2, x3, y1, y2, y3 := x[n:], x[2*n:], x[3*n:], y[n:], y[2*n:], y[3*n:]
			z1, z2, z3 := z[n:], z[2*n:], z[3*n:]
			a0, a1, a2, a3 := y[first], y1[first], y2[first], y3[first] // what stands before the first is nothing, whatever its factor
			z[first], z1[first], z2[first], z3[first] = a0, a1, a2, a3
			for k, i := 1, first+step; k < n; {
				last := min(k+foldChunk/side, n)
				pace.StepElems(side * (last - k))
				for ; k < last; k, i = k+1, i+step {
					a0, a1, a2, a3 = x[i]*a0+y[i], x1[i]*a1+y1[i], x2[i]*a2+y2[i], x3[i]*a3+y3[i]
					z[i], z1[i], z2[i], z3[i] = a0, a1, a2, a3
				}
			}
		}
		for ; r < end; r++ {
			x, y, z := x[r*n:(r+1)*n], y[r*n:(r+1)*n], z[r*n:(r+1)*n]
			acc := y[first]
			z[first] = acc
			for k, i := 1, first+step; k < n; {
				last := min(k+foldChunk, n)
				pace.StepElems(last - k)
				for ; k < last; k, i = k+1, i+step {
					acc = x[i]*acc + y[i]
					z[i] = acc
				}
			}
		}
	})
}

func init() {
	sum := new(scanTable)
	prod := scanFloats(times[float64], 1).scanComplexes(times[complex128], 1)
	sum[dtype.Complex64], sum[dtype.Complex128] = cumsumComplex[complex64, float32], cumsumComplex[complex128, float64]
	sum[dtype.Float32], sum[dtype.Float64] = cumsum[float32, float64], cumsum[float64, float64]
	prod[dtype.Float32], prod[dtype.Float64] = cumprod[float32, float64], cumprod[float64, float64]
	for _, t := range []*scanTable{sum, prod} {
		t[dtype.BFloat16], t[dtype.Float16] = halfScan(t[dtype.Float32]), halfScan(t[dtype.Float32])
	}
	sum[dtype.Bool], prod[dtype.Bool] = intScan(func(a, b uint8) uint8 { return a | b }, 0), intScan(times[uint8], 1)
	scanInts[uint8](sum, prod, dtype.Uint8)
	scanInts[uint16](sum, prod, dtype.Uint16)
	scanInts[uint32](sum, prod, dtype.Uint32)
	scanInts[uint64](sum, prod, dtype.Uint64)
	scanInts[int8](sum, prod, dtype.Int8)
	scanInts[int16](sum, prod, dtype.Int16)
	scanInts[int32](sum, prod, dtype.Int32)
	scanInts[int64](sum, prod, dtype.Int64)
	lse := scanFloats(logAddExp, math.Inf(-1)).scanComplexes(logAddExpComplex, complex(math.Inf(-1), 0))
	lse[dtype.Float32] = logCumSumExp(lse[dtype.Float32])
	lse[dtype.BFloat16], lse[dtype.Float16] = halfScan(lse[dtype.Float32]), halfScan(lse[dtype.Float32])
	register(backend.Table{"cumsum": sum.kernel(), "cumprod": prod.kernel(), "logcumsumexp": lse.kernel(), "linear_scan": linearScan})
}

func scanInts[T integers](sum, prod *scanTable, d dtype.DType) {
	sum[d], prod[d] = cumsum[T, T], cumprod[T, T]
}
