package ref

import (
	"math"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/special"
	"github.com/lucid-go/lucid/internal/dtype"
)

func init() {
	mul := arith(func(x, y int64) int64 { return x * y }, func(x, y float64) float64 { return x * y },
		func(x, y complex128) complex128 { return x * y })
	register(backend.Table{
		"add": elementwise(func(a attr.Attr, x []dtype.Scalar) dtype.Scalar {
			if x[0].Kind == dtype.KindBool {
				return boolean(truth(x[0]) || truth(x[1]))
			}
			return arith(func(x, y int64) int64 { return x + y }, func(x, y float64) float64 { return x + y },
				func(x, y complex128) complex128 { return x + y })(a, x)
		}),
		"sub": elementwise(arith(func(x, y int64) int64 { return x - y }, func(x, y float64) float64 { return x - y },
			func(x, y complex128) complex128 { return x - y })),
		"mul": elementwise(mul),
		"grad_mul": elementwise(func(a attr.Attr, x []dtype.Scalar) dtype.Scalar {
			if !truth(x[0]) {
				return dtype.Scalar{Kind: x[0].Kind}
			}
			return mul(a, x)
		}),
		"div":       elementwise(arith(nil, func(x, y float64) float64 { return x / y }, special.DivC)),
		"pow":       elementwise(arith(powInt, special.Pow, special.PowC)),
		"maximum":   elementwise(func(_ attr.Attr, x []dtype.Scalar) dtype.Scalar { return pick(x[0], x[1], less(x[0], x[1])) }),
		"minimum":   elementwise(func(_ attr.Attr, x []dtype.Scalar) dtype.Scalar { return pick(x[0], x[1], less(x[1], x[0])) }),
		"clamp_min": elementwise(func(_ attr.Attr, x []dtype.Scalar) dtype.Scalar { return pick(x[0], x[1], less(x[0], x[1])) }),
		"clamp_max": elementwise(func(_ attr.Attr, x []dtype.Scalar) dtype.Scalar { return pick(x[0], x[1], less(x[1], x[0])) }),
		"fmax":      elementwise(func(_ attr.Attr, x []dtype.Scalar) dtype.Scalar { return pickNumber(x[0], x[1], less(x[0], x[1])) }),
		"fmin":      elementwise(func(_ attr.Attr, x []dtype.Scalar) dtype.Scalar { return pickNumber(x[0], x[1], less(x[1], x[0])) }),
		"where": elementwise(func(_ attr.Attr, x []dtype.Scalar) dtype.Scalar {
			if truth(x[0]) {
				return x[1]
			}
			return x[2]
		}),
		"cast":    elementwise(func(_ attr.Attr, x []dtype.Scalar) dtype.Scalar { return x[0] }),
		"real":    elementwise(func(_ attr.Attr, x []dtype.Scalar) dtype.Scalar { return float(x[0].F) }),
		"imag":    elementwise(func(_ attr.Attr, x []dtype.Scalar) dtype.Scalar { return float(x[0].G) }),
		"complex": elementwise(func(_ attr.Attr, x []dtype.Scalar) dtype.Scalar { return cmplx128(complex(x[0].F, x[1].F)) }),
		"wrap_index": elementwise(func(a attr.Attr, x []dtype.Scalar) dtype.Scalar {
			b := a.(attr.Bound)
			n, i := int64(b.Size), x[0].I
			if i < backend.LeastIndex(b) || i >= n {
				backend.RefuseIndex(b, i)
			}
			if i < 0 {
				i += n
			}
			return integer(i)
		}),
		"require": elementwise(func(a attr.Attr, x []dtype.Scalar) dtype.Scalar {
			backend.Require(a.(attr.Domain), x[1].F)
			return x[0]
		}),
	})
	compare := func(f func(x, y dtype.Scalar) bool) backend.Kernel {
		return elementwise(func(_ attr.Attr, x []dtype.Scalar) dtype.Scalar { return boolean(f(x[0], x[1])) })
	}
	test := func(f func(x dtype.Scalar) bool) backend.Kernel {
		return elementwise(func(_ attr.Attr, x []dtype.Scalar) dtype.Scalar { return boolean(f(x[0])) })
	}
	isInf := func(x dtype.Scalar) bool { return math.IsInf(x.F, 0) || math.IsInf(x.G, 0) }
	register(backend.Table{
		"eq": compare(equal), "ne": compare(func(x, y dtype.Scalar) bool { return !equal(x, y) }),
		"lt": compare(less), "gt": compare(func(x, y dtype.Scalar) bool { return less(y, x) }),
		"le":    compare(func(x, y dtype.Scalar) bool { return less(x, y) || equal(x, y) }),
		"ge":    compare(func(x, y dtype.Scalar) bool { return less(y, x) || equal(x, y) }),
		"isnan": test(isNaN), "isinf": test(isInf),
		"isfinite":    test(func(x dtype.Scalar) bool { return !isNaN(x) && !isInf(x) }),
		"logical_not": test(func(x dtype.Scalar) bool { return !truth(x) }),
		"logical_and": compare(func(x, y dtype.Scalar) bool { return truth(x) && truth(y) }),
		"logical_or":  compare(func(x, y dtype.Scalar) bool { return truth(x) || truth(y) }),
		"logical_xor": compare(func(x, y dtype.Scalar) bool { return truth(x) != truth(y) }),
	})
}

// pick returns y if better, else x; NaN of either wins.
func pick(x, y dtype.Scalar, better bool) dtype.Scalar {
	if isNaN(y) || better && !isNaN(x) {
		return y
	}
	return x
}

// pickNumber returns y if better, else x; a NaN loses.
func pickNumber(x, y dtype.Scalar, better bool) dtype.Scalar {
	if better || isNaN(x) {
		return y
	}
	return x
}

// powInt multiplies modulo 2^64; a negative power is 0 but for ±1, as in PyTorch.
func powInt(x, y int64) int64 {
	if y < 0 {
		switch x {
		case 1:
			return 1
		case -1:
			return 1 - 2*(y&1)
		}
		return 0
	}
	r := int64(1)
	for ; y > 0; y >>= 1 {
		if y&1 == 1 {
			r *= x
		}
		x *= x
	}
	return r
}
