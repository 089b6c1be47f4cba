package random

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
	"github.com/lucid-go/lucid/internal/shape"
)

// parameters brings numbers and tensors to one floating dtype and to the sizes given, or to their common shape where sizes is nil.
func (o *operands) parameters(op string, sizes []int, values ...any) []*graph.Node {
	nodes := make([]*graph.Node, len(values))
	d := dtype.Invalid
	s := shape.Of(op)
	for i, v := range values {
		t, ok := v.(*lucid.Tensor)
		if !ok {
			continue
		}
		nodes[i] = o.tensor(op, t)
		if t.DType().IsFloat() {
			if d == dtype.Invalid {
				d = t.DType()
			}
			d = lucid.PromoteTypes(d, t.DType())
		}
		s = shape.Broadcast(op, s, nodes[i].Shape())
	}
	d = floatOr(d)
	for i, v := range values {
		if nodes[i] == nil {
			x, ok := dtype.ScalarOf(v)
			if !ok || x.Kind == dtype.KindComplex {
				fault.Throw(fault.Value, op, "a parameter is a %T; want a tensor or a real number", v)
			}
			nodes[i] = ops.Number(d, x.Float())
		}
	}
	if sizes != nil {
		to := shape.Of(op, sizes...)
		if !shape.BroadcastsTo(s, to) {
			fault.Throw(fault.Shape, op, "parameters of shape %v do not broadcast to the sizes %v", s, to)
		}
		s = to
	}
	for i, n := range nodes {
		nodes[i] = ops.BroadcastTo(ops.Cast(n, d), s.Clone()...)
	}
	return nodes
}

// Gamma makes numbers of the gamma distribution of rate 1 with the concentrations given, a number or a tensor that broadcasts to
// sizes; sizes nil: its shape. A concentration that is negative or NaN gives NaN. Gradients pass to the concentrations.
func Gamma(key *lucid.Tensor, concentration any, sizes []int) *lucid.Tensor {
	var o operands
	defer o.release()
	return wrap(ops.RandomGamma(o.tensor("gamma", key), o.parameters("gamma", sizes, concentration)[0]))
}

// Dirichlet makes vectors that sum to 1 with the concentrations given along the last dimension, which broadcast to sizes; sizes nil:
// their shape. Gradients pass to the concentrations.
func Dirichlet(key, concentration *lucid.Tensor, sizes []int) *lucid.Tensor {
	var o operands
	defer o.release()
	return wrap(ops.RandomDirichlet(o.tensor("dirichlet", key), o.parameters("dirichlet", sizes, concentration)[0]))
}

// Beta makes numbers of the beta distribution with two concentrations, numbers or tensors that broadcast to sizes; sizes nil: their
// common shape. Gradients pass to the concentrations.
func Beta(key *lucid.Tensor, concentration1, concentration0 any, sizes []int) *lucid.Tensor {
	var o operands
	defer o.release()
	p := o.parameters("beta", sizes, concentration1, concentration0)
	pair := ops.RandomDirichlet(o.tensor("beta", key), ops.Stack(p, -1))
	return wrap(ops.Select(pair, -1, 0))
}

// VonMises makes angles in [-π, π) around 0 with the concentrations given, a number or a tensor that broadcasts to sizes; sizes nil:
// its shape. Gradients pass to the concentrations.
func VonMises(key *lucid.Tensor, concentration any, sizes []int) *lucid.Tensor {
	var o operands
	defer o.release()
	return wrap(ops.RandomVonMises(o.tensor("von_mises", key), o.parameters("von_mises", sizes, concentration)[0]))
}

// Poisson makes numbers of events of the rates given, a number or a tensor that broadcasts to sizes; sizes nil: its shape.
func Poisson(key *lucid.Tensor, rate any, sizes []int) *lucid.Tensor {
	var o operands
	defer o.release()
	return wrap(ops.RandomPoisson(o.tensor("poisson", key), o.parameters("poisson", sizes, rate)[0]))
}

// Binomial makes numbers of successes in count trials of probability prob, numbers or tensors that broadcast to sizes; sizes nil:
// their common shape.
func Binomial(key *lucid.Tensor, count, prob any, sizes []int) *lucid.Tensor {
	var o operands
	defer o.release()
	p := o.parameters("binomial", sizes, count, prob)
	return wrap(ops.RandomBinomial(o.tensor("binomial", key), p[0], p[1]))
}
