package ref

import (
	"math"
	"math/cmplx"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
)

func init() {
	register(backend.Table{
		"cumsum": scan(sumOf), "cumprod": scan(prodOf), "logcumsumexp": scan(logAddExpRunning), "linear_scan": linearScan,
		"argcummax": argScan(func(x, best dtype.Scalar) bool { return !less(x, best) }),
		"argcummin": argScan(func(x, best dtype.Scalar) bool { return !less(best, x) }),
	})
}

// rows calls f with the indices of every row along an axis.
func rows(dims []int, axis int, f func(at []int)) {
	inner := 1
	for _, d := range dims[axis+1:] {
		inner *= d
	}
	outer := 1
	for _, d := range dims[:axis] {
		outer *= d
	}
	at := make([]int, dims[axis])
	for o := range outer {
		for i := range inner {
			for k := range at {
				at[k] = (o*dims[axis]+k)*inner + i
			}
			f(at)
		}
	}
}

// directed calls rows with the indices in the order of the scan.
func directed(dims []int, s attr.Scan, f func(at []int)) {
	rows(dims, s.Axis, func(at []int) {
		if s.Reverse {
			back := make([]int, len(at))
			for i, p := range at {
				back[len(at)-1-i] = p
			}
			at = back
		}
		f(at)
	})
}

func scan(combine func(dtype.DType, []dtype.Scalar) dtype.Scalar) backend.Kernel {
	return func(_ *backend.Ctx, a attr.Attr, out, in []backend.View) error {
		x := load(in[0])
		directed(in[0].Shape.Dims(), a.(attr.Scan), func(at []int) {
			for k := 1; k < len(at); k++ {
				x[at[k]] = combine(in[0].DType, []dtype.Scalar{x[at[k-1]], x[at[k]]})
			}
		})
		store(out[0], x)
		return nil
	}
}

func linearScan(_ *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	f, x, d := load(in[0]), load(in[1]), in[1].DType
	directed(in[1].Shape.Dims(), a.(attr.Scan), func(at []int) {
		for k := 1; k < len(at); k++ {
			i := at[k]
			x[i] = sumOf(d, []dtype.Scalar{prodOf(d, []dtype.Scalar{f[i], x[at[k-1]]}), x[i]})
		}
	})
	store(out[0], x)
	return nil
}

// argScan gives the index of the best element so far; takes says whether a new one replaces it. NaN stays.
func argScan(takes func(x, best dtype.Scalar) bool) backend.Kernel {
	return func(_ *backend.Ctx, a attr.Attr, out, in []backend.View) error {
		s, x := a.(attr.Scan), load(in[0])
		res := make([]dtype.Scalar, len(x))
		directed(in[0].Shape.Dims(), s, func(at []int) {
			best := 0
			for k, p := range at {
				if isNaN(x[p]) || !isNaN(x[at[best]]) && takes(x[p], x[at[best]]) {
					best = k
				}
				index := best
				if s.Reverse {
					index = len(at) - 1 - best
				}
				res[p] = integer(int64(index))
			}
		})
		store(out[0], res)
		return nil
	}
}

// logAddExp is log(Σ exp(x)) without overflow.
func logAddExp(d dtype.DType, x []dtype.Scalar) dtype.Scalar {
	top := math.Inf(-1)
	for _, v := range x {
		if v.F != v.F {
			top = v.F
			break
		}
		top = max(top, v.F)
	}
	shift := top
	if math.IsInf(shift, 0) {
		shift = 0
	}
	if d.IsComplex() {
		s := complex(0, 0)
		for _, v := range x {
			s += cmplx.Exp(v.Complex() - complex(shift, 0))
		}
		return cmplx128(cmplx.Log(s) + complex(shift, 0))
	}
	s := 0.0
	for _, v := range x {
		s += math.Exp(v.F - shift)
	}
	return float(math.Log(s) + shift)
}

// logAddExpRunning is logAddExp of two, with complex angles that go on where the larger one's is, as in PyTorch.
func logAddExpRunning(d dtype.DType, x []dtype.Scalar) dtype.Scalar {
	if !d.IsComplex() || isNaN(x[0]) || isNaN(x[1]) || math.IsInf(x[0].F, 0) || math.IsInf(x[1].F, 0) {
		return logAddExp(d, x)
	}
	lo, hi := x[0].Complex(), x[1].Complex()
	if real(lo) > real(hi) {
		lo, hi = hi, lo
	}
	return cmplx128(hi + cmplx.Log(1+cmplx.Exp(lo-hi)))
}
