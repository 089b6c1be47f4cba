package ref

import (
	"math"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
)

// some is a function of x and numbers behind it.
func some(f func(x []float64) float64) backend.Kernel {
	return elementwise(func(_ attr.Attr, x []dtype.Scalar) dtype.Scalar {
		v := make([]float64, len(x))
		for i := range x {
			v[i] = x[i].F
		}
		return float(f(v))
	})
}

func init() {
	const alpha, scale = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946
	clamp := elementwise(func(_ attr.Attr, x []dtype.Scalar) dtype.Scalar {
		low := pick(x[0], x[1], less(x[0], x[1]))
		return pick(low, x[2], less(x[2], low))
	})
	register(backend.Table{
		"clamp": clamp, "hardtanh": clamp,
		"leaky_relu": some(func(x []float64) float64 {
			if x[0] > 0 {
				return x[0]
			}
			return x[0] * x[1]
		}),
		"softshrink": some(func(x []float64) float64 {
			if math.Abs(x[0]) <= x[1] {
				return math.Copysign(0, x[0])
			}
			return x[0] - math.Copysign(x[1], x[0])
		}),
		"hardshrink": some(func(x []float64) float64 {
			if math.Abs(x[0]) <= x[1] {
				return 0
			}
			return x[0]
		}),
		"elu": some(func(x []float64) float64 {
			if x[0] < 0 {
				return x[1] * math.Expm1(x[0]*x[2])
			}
			return x[0]
		}),
		"selu": some(func(x []float64) float64 {
			if x[0] < 0 {
				return alpha * scale * math.Expm1(x[0])
			}
			return scale * x[0]
		}),
		"mish": some(func(x []float64) float64 {
			return x[0] * math.Tanh(math.Max(x[0], 0)+math.Log1p(math.Exp(-math.Abs(x[0]))))
		}),
		"sinc": some(func(x []float64) float64 {
			if x[0] == 0 {
				return 1
			}
			whole := math.RoundToEven(x[0])
			s := math.Sin(math.Pi * (x[0] - whole))
			if math.Mod(whole, 2) != 0 {
				s = -s
			}
			return s / (math.Pi * x[0])
		}),
		"nan_to_num": func(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
			most := math.MaxFloat64
			if out[0].DType == dtype.Float32 {
				most = math.MaxFloat32
			}
			return some(func(x []float64) float64 {
				if math.IsNaN(x[0]) {
					return x[1]
				}
				return min(max(x[0], -most), most)
			})(c, a, out, in)
		},
	})
}
