package ref

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
)

func init() {
	ints := func(f func(x, y int64) int64) backend.Kernel { return elementwise(arith(f, nil, nil)) }
	register(backend.Table{
		"gcd": elementwise(func(_ attr.Attr, x []dtype.Scalar) dtype.Scalar {
			return dtype.Scalar{Kind: x[0].Kind, I: int64(gcdOf(x[0], x[1]))}
		}),
		"lcm":                lcm,
		"bitwise_and":        ints(func(x, y int64) int64 { return x & y }),
		"bitwise_or":         ints(func(x, y int64) int64 { return x | y }),
		"bitwise_xor":        ints(func(x, y int64) int64 { return x ^ y }),
		"bitwise_left_shift": shift(func(_ dtype.Kind, x int64, by uint) int64 { return x << by }),
		"bitwise_right_shift": shift(func(k dtype.Kind, x int64, by uint) int64 {
			if k == dtype.KindUint {
				return int64(uint64(x) >> by)
			}
			return x >> by
		}),
		"bitwise_not": elementwise(func(_ attr.Attr, x []dtype.Scalar) dtype.Scalar {
			if x[0].Kind == dtype.KindBool {
				return boolean(x[0].I == 0)
			}
			return dtype.Scalar{Kind: x[0].Kind, I: ^x[0].I}
		}),
		"isin": func(_ *backend.Ctx, _ attr.Attr, out, in []backend.View) error {
			x, set := load(in[0]), load(in[1])
			for i, v := range x {
				x[i] = boolean(false)
				for _, m := range set {
					if equal(v, m) {
						x[i] = boolean(true)
					}
				}
			}
			store(out[0], x)
			return nil
		},
	})
}

// shift makes a kernel of a shift by a count below 64; other counts shift everything out.
func shift(f func(k dtype.Kind, x int64, by uint) int64) backend.Kernel {
	return func(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
		bits := uint64(8 * in[0].DType.Size())
		return elementwise(func(_ attr.Attr, x []dtype.Scalar) dtype.Scalar {
			by := uint(64)
			if n := uint64(x[1].I); n < bits {
				by = uint(n)
			}
			return dtype.Scalar{Kind: x[0].Kind, I: f(x[0].Kind, x[0].I, by)}
		})(c, a, out, in)
	}
}

func intMagnitude(s dtype.Scalar) uint64 {
	if s.Kind == dtype.KindInt && s.I < 0 {
		return -uint64(s.I)
	}
	return uint64(s.I)
}

// gcdOf is Euclid's algorithm on magnitudes.
func gcdOf(x, y dtype.Scalar) uint64 {
	a, b := intMagnitude(x), intMagnitude(y)
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// lcm is |x|/gcd·|y|. What does not fit wraps; in 32 and 64 bits the magnitude of that is taken, as PyTorch's kernel does.
func lcm(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	return elementwise(func(_ attr.Attr, x []dtype.Scalar) dtype.Scalar {
		g := gcdOf(x[0], x[1])
		if g == 0 {
			return dtype.Scalar{Kind: x[0].Kind}
		}
		v := int64(intMagnitude(x[0]) / g * intMagnitude(x[1]))
		switch out[0].DType {
		case dtype.Int32:
			v = max(int64(int32(v)), int64(-int32(v)))
		case dtype.Int64:
			v = max(v, -v)
		}
		return dtype.Scalar{Kind: x[0].Kind, I: v}
	})(c, a, out, in)
}
