package ref

import (
	"math"
	"math/cmplx"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/special"
	"github.com/lucid-go/lucid/internal/dtype"
)

func init() {
	register(backend.Table{
		"var": spread(func(v float64) float64 { return v }), "std": spread(math.Sqrt),
		"vector_norm": vectorNorm, "logsumexp": reduceWith(logAddExp),
		"median": reduceWith(medianOf(false)), "nanmedian": reduceWith(medianOf(true)),
		"argmode": reduceWith(func(_ dtype.DType, x []dtype.Scalar) dtype.Scalar { return integer(int64(mode(x))) }),
		"count_nonzero": reduceWith(func(_ dtype.DType, x []dtype.Scalar) dtype.Scalar {
			n := int64(0)
			for _, v := range x {
				if truth(v) || isNaN(v) {
					n++
				}
			}
			return integer(n)
		}),
	})
}

func meanOf(d dtype.DType, x []dtype.Scalar) dtype.Scalar {
	s := sumOf(d, x)
	n := float64(len(x))
	return dtype.Scalar{Kind: s.Kind, F: s.F / n, G: s.G / n}
}

func magnitude(s dtype.Scalar) float64 {
	if s.Kind == dtype.KindComplex {
		return cmplx.Abs(s.Complex())
	}
	return math.Abs(s.F)
}

// spread is a function of the variance.
func spread(of func(float64) float64) backend.Kernel {
	return func(_ *backend.Ctx, a attr.Attr, out, in []backend.View) error {
		v := a.(attr.Var)
		return reduceWith(func(d dtype.DType, x []dtype.Scalar) dtype.Scalar {
			m, s := meanOf(d, x), 0.0
			for _, e := range x {
				s += (e.F-m.F)*(e.F-m.F) + (e.G-m.G)*(e.G-m.G)
			}
			return float(of(s / max(0, float64(len(x))-v.Correction)))
		})(nil, a, out, in)
	}
}

func vectorNorm(_ *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	p := a.(attr.Norm).P
	return reduceWith(func(_ dtype.DType, x []dtype.Scalar) dtype.Scalar {
		s := 0.0
		if p == math.Inf(-1) {
			s = math.Inf(1)
		}
		for _, e := range x {
			switch m := magnitude(e); {
			case p == math.Inf(1):
				s = max(s, m)
			case p == math.Inf(-1):
				s = min(s, m)
			case p == 0:
				if m != 0 {
					s++
				}
			default:
				s += special.Pow(m, p)
			}
		}
		if p != 0 && !math.IsInf(p, 0) {
			s = special.Pow(s, 1/p)
		}
		return float(s)
	})(nil, a, out, in)
}

// medianOf gives the lower middle of the elements in order. A NaN wins, or is left out with skip.
func medianOf(skip bool) func(dtype.DType, []dtype.Scalar) dtype.Scalar {
	return func(_ dtype.DType, x []dtype.Scalar) dtype.Scalar {
		var numbers []dtype.Scalar
		for _, v := range x {
			switch {
			case !isNaN(v):
				numbers = append(numbers, v)
			case !skip:
				return v
			}
		}
		if len(numbers) == 0 {
			return float(math.NaN())
		}
		at := make([]int, len(numbers))
		for i := range at {
			at[i] = i
		}
		return numbers[order(numbers, at, false)[(len(numbers)-1)/2]]
	}
}

// mode returns the last index of the most frequent element, the smallest of those that tie.
func mode(x []dtype.Scalar) int {
	best, most := 0, 0
	for i, v := range x {
		n := 0
		for _, w := range x {
			if equal(v, w) || isNaN(v) && isNaN(w) {
				n++
			}
		}
		if n > most || n == most && !before(x[best], v) {
			best, most = i, n
		}
	}
	return best
}
