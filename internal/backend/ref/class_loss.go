package ref

import (
	"math"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
)

func init() { register(backend.Table{"class_loss": classLoss, "class_loss_grad": classLossGrad}) }

// lossTarget is the class of a target and what it weighs; -1 where it is ignored.
func lossTarget(a attr.ClassLoss, t dtype.Scalar, n int, weight []dtype.Scalar) (k int, w float64) {
	switch {
	case t.I == int64(a.Ignore):
		return -1, 0
	case weight != nil:
		k = position(t, n)
		return k, weight[k].F
	}
	return position(t, n), 1
}

func classLoss(_ *backend.Ctx, at attr.Attr, out, in []backend.View) error {
	a, x, target := at.(attr.ClassLoss), load(in[0]), load(in[1])
	var weight []dtype.Scalar
	if len(in) > 2 {
		weight = load(in[2])
	}
	losses, sums := make([]dtype.Scalar, len(target)), make([]dtype.Scalar, len(target))
	total, sum, r := 0.0, 0.0, 0
	rows(in[0].Shape.Dims(), a.Axis, func(at []int) {
		m, s := lse(x, at)
		if math.IsInf(m, 0) {
			s = 0 // the sum is 0 or infinite, and so is its logarithm
		}
		k, w := lossTarget(a, target[r], len(at), weight)
		l := 0.0
		if k >= 0 {
			l = -x[at[k]].F
			if a.Logits {
				l += m + s
			}
			l *= w
		}
		losses[r], sums[r] = float(l), float(m+s)
		total, sum = total+w, sum+l
		r++
	})
	switch a.Fold {
	case attr.LossMean:
		losses = []dtype.Scalar{float(sum / total)}
	case attr.LossSum:
		losses = []dtype.Scalar{float(sum)}
	}
	store(out[0], losses)
	store(out[1], []dtype.Scalar{float(total)})
	if a.Logits {
		store(out[2], sums)
	}
	return nil
}

func classLossGrad(_ *backend.Ctx, at attr.Attr, out, in []backend.View) error {
	a, g, target, x, total, rest := at.(attr.ClassLoss), load(in[0]), load(in[1]), load(in[2]), load(in[3])[0].F, in[4:]
	var sums, weight []dtype.Scalar
	if a.Logits {
		sums, rest = load(rest[0]), rest[1:]
	}
	if len(rest) > 0 {
		weight = load(rest[0])
	}
	r := 0
	rows(in[2].Shape.Dims(), a.Axis, func(at []int) {
		k, w := lossTarget(a, target[r], len(at), weight)
		if a.Fold == attr.LossMean {
			w /= total
		}
		s := 0.0
		if k >= 0 {
			s = w * g[min(r, len(g)-1)].F
		}
		for j, i := range at {
			v := 0.0
			if a.Logits {
				v = math.Exp(x[i].F-sums[r].F) * s
			}
			if j == k {
				v -= s
			}
			x[i] = float(v)
		}
		r++
	})
	store(out[0], x)
	return nil
}
