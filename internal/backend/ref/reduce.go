package ref

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
)

// folds calls f once for every output element with the elements folded into it, in row-major order.
func folds(in backend.View, axes attr.Ints, f func(i int, x []dtype.Scalar)) {
	all, strides := load(in), rowMajor(in.Shape)
	var outer, inner, os, is []int
	for i, d := range in.Shape.Dims() {
		if axes.Contains(i) {
			inner, is = append(inner, d), append(is, strides[i])
		} else {
			outer, os = append(outer, d), append(os, strides[i])
		}
	}
	k := 0
	indices(outer, func(o []int) {
		var x []dtype.Scalar
		base := offset(o, os)
		indices(inner, func(at []int) { x = append(x, all[base+offset(at, is)]) })
		f(k, x)
		k++
	})
}

// folded gives the dimensions a reduction folds.
func folded(a attr.Attr) attr.Ints {
	switch a := a.(type) {
	case attr.Var:
		return a.Axes
	case attr.Norm:
		return a.Axes
	}
	return a.(attr.Axes).Axes
}

func reduceWith(f func(d dtype.DType, x []dtype.Scalar) dtype.Scalar) backend.Kernel {
	return func(_ *backend.Ctx, a attr.Attr, out, in []backend.View) error {
		res := make([]dtype.Scalar, out[0].Numel())
		folds(in[0], folded(a), func(i int, x []dtype.Scalar) { res[i] = f(in[0].DType, x) })
		store(out[0], res)
		return nil
	}
}

// fold accumulates with integers, float64 or complex128 by the dtype's kind.
func fold(d dtype.DType, x []dtype.Scalar, start float64, i func(x, y int64) int64, f func(x, y float64) float64,
	c func(x, y complex128) complex128) dtype.Scalar {
	switch d.Kind() {
	case dtype.KindFloat:
		s := start
		for _, v := range x {
			s = f(s, v.F)
		}
		return float(s)
	case dtype.KindComplex:
		s := complex(start, 0)
		for _, v := range x {
			s = c(s, v.Complex())
		}
		return cmplx128(s)
	}
	s := int64(start)
	for _, v := range x {
		s = i(s, v.I)
	}
	return dtype.Scalar{Kind: d.Kind(), I: s}
}

func sumOf(d dtype.DType, x []dtype.Scalar) dtype.Scalar {
	return fold(d, x, 0, func(x, y int64) int64 { return x + y }, func(x, y float64) float64 { return x + y },
		func(x, y complex128) complex128 { return x + y })
}

func prodOf(d dtype.DType, x []dtype.Scalar) dtype.Scalar {
	return fold(d, x, 1, func(x, y int64) int64 { return x * y }, func(x, y float64) float64 { return x * y },
		func(x, y complex128) complex128 { return x * y })
}

// best returns the position of the first extremum, or of the first NaN.
func best(x []dtype.Scalar, better func(x, y dtype.Scalar) bool) int {
	k := 0
	for i, v := range x {
		if isNaN(x[k]) {
			break
		}
		if isNaN(v) || better(v, x[k]) {
			k = i
		}
	}
	return k
}

func init() {
	greater := func(x, y dtype.Scalar) bool { return less(y, x) }
	extremum := func(better func(x, y dtype.Scalar) bool) backend.Kernel {
		return reduceWith(func(_ dtype.DType, x []dtype.Scalar) dtype.Scalar { return x[best(x, better)] })
	}
	position := func(better func(x, y dtype.Scalar) bool) backend.Kernel {
		return reduceWith(func(_ dtype.DType, x []dtype.Scalar) dtype.Scalar { return integer(int64(best(x, better))) })
	}
	register(backend.Table{
		"sum": reduceWith(sumOf), "mean": reduceWith(meanOf), "prod": reduceWith(prodOf),
		"amax": extremum(greater), "amin": extremum(less),
		"argmax": position(greater), "argmin": position(less),
		"any": reduceWith(func(_ dtype.DType, x []dtype.Scalar) dtype.Scalar {
			for _, v := range x {
				if truth(v) {
					return boolean(true)
				}
			}
			return boolean(false)
		}),
		"all": reduceWith(func(_ dtype.DType, x []dtype.Scalar) dtype.Scalar {
			for _, v := range x {
				if !truth(v) {
					return boolean(false)
				}
			}
			return boolean(true)
		}),
	})
}
