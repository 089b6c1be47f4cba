package ops

import (
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/shape"
)

// RandomMultivariateNormal returns vectors of normal distributions with means of (…, n) and covariances of (…, n, n): mean + L·z,
// where L is Cholesky's factor of the covariance. size is that of the batch of vectors; nil: that of means and covariances.
func RandomMultivariateNormal(key, mean, cov *Node, size []int, d dtype.DType) *Node {
	const op = "multivariate_normal"
	requireFloat(op, d)
	acc := d
	if d.IsHalf() {
		acc = dtype.Float32
	}
	cov, mean = squares(op, Cast(cov, acc)), Cast(mean, acc)
	n := cov.Dim(-1)
	if mean.Rank() == 0 || mean.Dim(-1) != n {
		fault.Throw(fault.Shape, op, "means of shape %v for covariances of shape %v; want vectors of %d", mean.Shape(), cov.Shape(), n)
	}
	batch := shape.Broadcast(op, shape.Of(op, mean.Shape().Clone()[:mean.Rank()-1]...), shape.Of(op, cov.Shape().Clone()[:cov.Rank()-2]...))
	if size != nil {
		s := shape.Of(op, size...)
		if !shape.BroadcastsTo(batch, s) {
			fault.Throw(fault.Shape, op, "%v vectors of means and covariances for %v distributions; want a shape they broadcast to",
				s, batch)
		}
		batch = s
	}
	z := RandomNormal(key, shape.Of(op, append(batch.Clone(), n)...), 0, 1, acc)
	l := Cholesky(cov, CholeskyOptions{})
	var y *Node
	if l.Rank() == 2 {
		y = Matmul(z, Transpose(l, 0, 1))
	} else {
		y = Squeeze(Matmul(l, Unsqueeze(z, -1)), -1)
	}
	return Cast(Add(mean, y), d)
}

// MultivariateNormalOptions say how many vectors are sampled, and of which dtype.
type MultivariateNormalOptions struct {
	Size  []int       // of the batch of vectors; nil: that of the means and covariances
	DType dtype.DType // zero: the default float
}

// MultivariateNormal returns vectors of normal distributions with these means and covariances, which are positive definite.
//
//lucid:name multivariate_normal
//lucid:amp float32
//lucid:nondeterministic draws from the default generator
func MultivariateNormal(mean, cov *Node, o MultivariateNormalOptions) *Node {
	return RandomMultivariateNormal(Default.Next(), mean, cov, o.Size, floatOr(o.DType))
}
