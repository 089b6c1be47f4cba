// Package autograd has what goes beyond gradients of one number: pullbacks and linear functions of a function that ran once, Jacobians and
// Hessians of several inputs, gradients with other results.
package autograd

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
	"github.com/lucid-go/lucid/internal/scope"
	"github.com/lucid-go/lucid/internal/tree"
)

// tensor is a lucid.Tensor.
type tensor = lucid.Tensor

// wrapAll makes handles of nodes.
func wrapAll(nodes []*graph.Node) []*tensor {
	list := make([]*tensor, len(nodes))
	for i, n := range nodes {
		list[i] = (*tensor)(door.Wrap(n))
	}
	return list
}

// acquireAll references what handles show; release drops the references.
func acquireAll(list []*tensor) (nodes []*graph.Node, release func()) {
	nodes = make([]*graph.Node, len(list))
	for i, t := range list {
		nodes[i] = (*graph.Array)(t).Acquire()
	}
	return nodes, func() {
		for _, n := range nodes {
			n.Unref()
		}
	}
}

// IsAnomalyEnabled reports whether this goroutine is inside lucid.DetectAnomaly.
func IsAnomalyEnabled() bool { return scope.Current().Anomaly }

// recorded is a function as it was recorded once: it can be differentiated again and again without running its Go code.
type recorded struct {
	xs, captured []*lucid.Tensor
	sub          *graph.Subgraph
}

// record runs f and returns its outputs, and what it recorded. What f read from outside, random numbers too, stays as it was.
func record(op string, f func([]*lucid.Tensor) []*lucid.Tensor, xs []*lucid.Tensor) (ys []*lucid.Tensor, r *recorded) {
	tree.FunctionOf(op, f)
	epoch := graph.BeginEpoch()
	args, nodes := make([]*lucid.Tensor, len(xs)), make([]*graph.Node, len(xs))
	for i, x := range xs {
		n := (*graph.Array)(x).Acquire()
		nodes[i] = ops.Alias(n)
		n.Unref()
		args[i] = (*tensor)(door.Wrap(nodes[i]))
	}
	if ys = f(args); len(ys) == 0 {
		fault.Throw(fault.Gradient, op, "the function returned no tensor")
	}
	outs, release := acquireAll(ys)
	defer release()
	sub, captured := graph.NewSubgraph(outs, nodes, func(n *graph.Node) bool { return n.Since(epoch) && n.NumIn() > 0 })
	return ys, &recorded{xs: xs, captured: wrapAll(captured), sub: sub}
}

// over records the function again over other inputs.
func (r *recorded) over(in []*lucid.Tensor) []*lucid.Tensor {
	nodes, release := acquireAll(append(append([]*lucid.Tensor(nil), in...), r.captured...))
	defer release()
	return wrapAll(r.sub.Over(nodes))
}

// VJPFunc computes f(xs) and returns, with it, the function that takes cotangents of the outputs to those of the inputs. f runs once,
// however often that function is called; its values are computed again for each.
func VJPFunc(f func([]*lucid.Tensor) []*lucid.Tensor, xs ...*lucid.Tensor) (ys []*lucid.Tensor,
	pullback func(cotangents ...*lucid.Tensor) []*lucid.Tensor) {
	ys, r := record("vjp", f, xs)
	return ys, func(cotangents ...*lucid.Tensor) []*lucid.Tensor {
		_, grads := lucid.VJPN(r.over, r.xs, cotangents)
		return grads
	}
}

// Linearize computes f(xs) and returns, with it, the linear function that f is near xs: it takes tangents of the inputs to those of the
// outputs. f runs once, however often that function is called.
func Linearize(f func([]*lucid.Tensor) []*lucid.Tensor, xs ...*lucid.Tensor) (ys []*lucid.Tensor,
	linear func(tangents ...*lucid.Tensor) []*lucid.Tensor) {
	ys, r := record("linearize", f, xs)
	return ys, func(tangents ...*lucid.Tensor) []*lucid.Tensor {
		_, dys := lucid.JVPN(r.over, r.xs, tangents)
		return dys
	}
}

// ValueAndGradAux is lucid.ValueAndGradTree for a function that returns something else in addition to the number: its second result comes
// back as it is, and has no part in the gradient.
func ValueAndGradAux[P, A any](f func(p P) (*lucid.Tensor, A)) func(p P) (value *lucid.Tensor, aux A, grad P) {
	return func(p P) (value *lucid.Tensor, aux A, grad P) {
		value, grad = lucid.ValueAndGradTree(func(p P) *lucid.Tensor {
			y, other := f(p)
			aux = other
			return y
		})(p)
		return value, aux, grad
	}
}

// VJPFuncAux is VJPFunc for a function that returns something else in addition to its outputs, which comes back as it is.
func VJPFuncAux[A any](f func([]*lucid.Tensor) ([]*lucid.Tensor, A), xs ...*lucid.Tensor) (ys []*lucid.Tensor,
	pullback func(cotangents ...*lucid.Tensor) []*lucid.Tensor, aux A) {
	ys, pullback = VJPFunc(func(xs []*lucid.Tensor) (ys []*lucid.Tensor) {
		ys, aux = f(xs)
		return ys
	}, xs...)
	return ys, pullback, aux
}

// JacobianNAux is JacobianN for a function that returns something else in addition to its outputs, which comes back as it is. The
// function runs once.
func JacobianNAux[A any](f func([]*lucid.Tensor) ([]*lucid.Tensor, A), opts ...JacobianOptions) func(xs ...*lucid.Tensor) (
	[][]*lucid.Tensor, A) {
	return func(xs ...*lucid.Tensor) (j [][]*lucid.Tensor, aux A) {
		j = JacobianN(func(xs []*lucid.Tensor) (ys []*lucid.Tensor) {
			ys, aux = f(xs)
			return ys
		}, opts...)(xs...)
		return j, aux
	}
}

// JacobianOptions say how JacobianN works; the zero value is reverse mode, all rows at once.
type JacobianOptions struct {
	Forward bool // forward mode: a pass per element of the inputs, better where they are smaller than the outputs
	Chunk   int  // passes that run at once; 0: all of them, which takes the most memory
}

// JacobianN is lucid.Jacobian for several inputs and outputs: entry i, j of the result is the derivative of output i by input j, of the
// shape of the one, then of the other.
func JacobianN(f func([]*lucid.Tensor) []*lucid.Tensor, opts ...JacobianOptions) func(xs ...*lucid.Tensor) [][]*lucid.Tensor {
	o := door.Option("jacobian", opts)
	tree.FunctionOf("jacobian", f)
	if o.Chunk < 0 {
		fault.Throw(fault.Value, "jacobian", "Chunk is %d; want 0, which is all, or more", o.Chunk)
	}
	return func(xs ...*lucid.Tensor) [][]*lucid.Tensor {
		ys, r := record("jacobian", f, xs)
		j := make([][]*lucid.Tensor, len(ys))
		for i := range j {
			j[i] = make([]*lucid.Tensor, len(xs))
		}
		if o.Forward {
			for k := range xs {
				for i, d := range r.sweep(xs, k, o.Chunk, func(ts []*lucid.Tensor) []*lucid.Tensor {
					_, dys := lucid.JVPN(r.over, r.xs, ts)
					return dys
				}) { // (elements of x, shape of y)
					d = d.Reshape(append([]int{xs[k].NumElement()}, ys[i].Shape()...)...).MoveDim(0, -1)
					j[i][k] = d.Reshape(append(ys[i].Shape(), xs[k].Shape()...)...)
				}
			}
			return j
		}
		for i := range ys {
			for k, g := range r.sweep(ys, i, o.Chunk, func(cots []*lucid.Tensor) []*lucid.Tensor {
				_, grads := lucid.VJPN(r.over, r.xs, cots)
				return grads
			}) {
				j[i][k] = g.Reshape(append(ys[i].Shape(), xs[k].Shape()...)...)
			}
		}
		return j
	}
}

// sweep runs a linear function for every element of one of some tensors that is 1 where all others are 0, a chunk of them at once, and puts
// the results together along a dimension in front.
func (r *recorded) sweep(of []*lucid.Tensor, which, chunk int, f func(unit []*lucid.Tensor) []*lucid.Tensor) []*lucid.Tensor {
	x := of[which]
	n := x.NumElement()
	if chunk == 0 || chunk > n {
		chunk = max(n, 1)
	}
	one := lucid.VMap(func(u *lucid.Tensor) []*lucid.Tensor {
		unit := make([]*lucid.Tensor, len(of))
		for i, y := range of {
			unit[i] = lucid.ZerosLike(y.Detach())
		}
		unit[which] = u
		return f(unit)
	})
	basis := lucid.With{DType: x.DType(), Device: x.Device()}.Eye(n).Reshape(append([]int{n}, x.Shape()...)...)
	var parts [][]*lucid.Tensor
	for at := 0; at < n || at == 0; at += chunk {
		for i, t := range one(basis.Narrow(0, at, min(chunk, n-at))) {
			if i >= len(parts) {
				parts = append(parts, nil)
			}
			parts[i] = append(parts[i], t)
		}
	}
	out := make([]*lucid.Tensor, len(parts))
	for i, p := range parts {
		out[i] = lucid.Cat(p, 0)
	}
	return out
}

// HessianN is lucid.Hessian for several inputs: entry i, j of the result is the derivative by input i and by input j, of the shape of
// the one, then of the other.
func HessianN(f func([]*lucid.Tensor) *lucid.Tensor, opts ...JacobianOptions) func(xs ...*lucid.Tensor) [][]*lucid.Tensor {
	o := door.Option("hessian", opts)
	o.Forward = true // forward over reverse
	return JacobianN(func(xs []*lucid.Tensor) []*lucid.Tensor {
		_, grads := lucid.ValueAndGradTree(f)(xs)
		return grads
	}, o)
}
