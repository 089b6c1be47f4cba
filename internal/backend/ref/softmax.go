package ref

import (
	"math"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
)

// lse returns the largest element of a row and log Σ exp(x - largest).
func lse(x []dtype.Scalar, at []int) (m, s float64) {
	m = math.Inf(-1)
	for _, i := range at {
		if x[i].F > m || isNaN(x[i]) {
			m = x[i].F
		}
	}
	for _, i := range at {
		s += math.Exp(x[i].F - m)
	}
	return m, math.Log(s)
}

func init() {
	along := func(f func(v, m, s float64) float64) backend.Kernel {
		return func(_ *backend.Ctx, a attr.Attr, out, in []backend.View) error {
			x := load(in[0])
			rows(in[0].Shape.Dims(), a.(attr.Axis).Axis, func(at []int) {
				m, s := lse(x, at)
				for _, i := range at {
					x[i] = float(f(x[i].F, m, s))
				}
			})
			store(out[0], x)
			return nil
		}
	}
	register(backend.Table{
		"softmax":     along(func(v, m, s float64) float64 { return math.Exp(v - m - s) }),
		"log_softmax": along(func(v, m, s float64) float64 { return v - m - s }),
		"class_nll":   classNLL,
		"class_nll_grad": func(_ *backend.Ctx, a attr.Attr, out, in []backend.View) error {
			x, lse, target, s, g := load(in[0]), load(in[1]), load(in[2]), load(in[3]), load(in[4])
			r := 0
			rows(in[0].Shape.Dims(), a.(attr.Axis).Axis, func(at []int) {
				hit := position(target[r], len(at))
				for k, i := range at {
					v := math.Exp(x[i].F-lse[r].F) * s[r].F
					if k == hit {
						v -= g[r].F
					}
					x[i] = float(v)
				}
				r++
			})
			store(out[0], x)
			return nil
		},
		"softmax_grad": func(_ *backend.Ctx, a attr.Attr, out, in []backend.View) error {
			g, y := load(in[0]), load(in[1])
			rows(in[0].Shape.Dims(), a.(attr.Axis).Axis, func(at []int) {
				s := 0.0
				for _, i := range at {
					s += g[i].F * y[i].F
				}
				for _, i := range at {
					g[i] = float(y[i].F * (g[i].F - s))
				}
			})
			store(out[0], g)
			return nil
		},
	})
}

// classNLL is log Σ exp(x) - x[target] by row, and log Σ exp(x).
func classNLL(_ *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	x, target := load(in[0]), load(in[1])
	axis := a.(attr.Axis).Axis
	loss, sums := make([]dtype.Scalar, len(target)), make([]dtype.Scalar, len(target))
	r := 0
	rows(in[0].Shape.Dims(), axis, func(at []int) {
		m, s := lse(x, at)
		if math.IsInf(m, 0) {
			s = 0 // the sum is 0 or infinite, and so is its logarithm
		}
		loss[r], sums[r] = float(m+s-x[at[position(target[r], len(at))]].F), float(m+s)
		r++
	})
	store(out[0], loss)
	store(out[1], sums)
	return nil
}
