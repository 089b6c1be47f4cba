package distributions

import "github.com/lucid-go/lucid"

// Divergences of distributions of one family.

func init() {
	RegisterKL(func(p, q *Normal) *lucid.Tensor {
		ratio := p.Scale.Div(q.Scale).Square()
		shift := p.Loc.Sub(q.Loc).Div(q.Scale).Square()
		return ratio.Add(shift).Sub(1.0).Sub(ratio.Log()).Mul(0.5)
	})
}
