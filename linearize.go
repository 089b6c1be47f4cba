package lucid

import (
	"reflect"

	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
	"github.com/lucid-go/lucid/internal/tree"
)

// recorded is a function as it was recorded once: it can be differentiated again and again without running its Go code.
type recorded struct {
	xs, captured []*Tensor
	sub          *graph.Subgraph
}

// record runs f and returns its outputs, and what it recorded. What f read from outside, random numbers too, stays as it was.
func record(op string, f func([]*Tensor) []*Tensor, xs []*Tensor) (ys []*Tensor, r *recorded) {
	tree.FunctionOf(op, f)
	epoch := graph.BeginEpoch()
	args, nodes := make([]*Tensor, len(xs)), make([]*graph.Node, len(xs))
	for i, x := range xs {
		n := acquire(x)
		nodes[i] = ops.Alias(n)
		release(n)
		args[i] = wrap(nodes[i])
	}
	if ys = f(args); len(ys) == 0 {
		fault.Throw(fault.Gradient, op, "the function returned no tensor")
	}
	outs := acquireAll(ys)
	defer releaseAll(outs)
	sub, captured := graph.NewSubgraph(outs, nodes, func(n *graph.Node) bool { return n.Since(epoch) && n.NumIn() > 0 })
	return ys, &recorded{xs: xs, captured: wrapAll(captured), sub: sub}
}

// over records the function again over other inputs.
func (r *recorded) over(in []*Tensor) []*Tensor {
	nodes := acquireAll(append(append([]*Tensor(nil), in...), r.captured...))
	defer releaseAll(nodes)
	return wrapAll(r.sub.Over(nodes))
}

// VJPFunc computes f(xs) and returns, with it, the function that takes cotangents of the outputs to those of the inputs. f runs once,
// however often that function is called; its values are computed again for each.
func VJPFunc(f func([]*Tensor) []*Tensor, xs ...*Tensor) (ys []*Tensor, pullback func(cotangents ...*Tensor) []*Tensor) {
	ys, r := record("vjp", f, xs)
	return ys, func(cotangents ...*Tensor) []*Tensor {
		_, grads := VJPN(r.over, r.xs, cotangents)
		return grads
	}
}

// Linearize computes f(xs) and returns, with it, the linear function that f is near xs: it takes tangents of the inputs to those of the
// outputs. f runs once, however often that function is called.
func Linearize(f func([]*Tensor) []*Tensor, xs ...*Tensor) (ys []*Tensor, linear func(tangents ...*Tensor) []*Tensor) {
	ys, r := record("linearize", f, xs)
	return ys, func(tangents ...*Tensor) []*Tensor {
		_, dys := JVPN(r.over, r.xs, tangents)
		return dys
	}
}

// ValueAndGradAux is ValueAndGradTree for a function that returns something else in addition to the number: its second result comes back
// as it is, and has no part in the gradient.
func ValueAndGradAux[P, A any](f func(p P) (*Tensor, A)) func(p P) (value *Tensor, aux A, grad P) {
	fn := tree.FunctionOf("value_and_grad", f)
	fn.MustVary("value_and_grad", 0)
	return func(p P) (*Tensor, A, P) {
		args := []reflect.Value{reflect.ValueOf(&p).Elem()}
		res, grads, err := gradOf("value_and_grad", fn, args, []int{0})
		if err != nil {
			throw("value_and_grad", err)
		}
		aux, _ := res[1].Interface().(A)
		return flatten(res[0])[0], aux, unflatten(args[:1], grads)[0].Interface().(P)
	}
}

// JacobianOptions say how JacobianN works; the zero value is reverse mode, all rows at once.
type JacobianOptions struct {
	Forward bool // forward mode: a pass per element of the inputs, better where they are smaller than the outputs
	Chunk   int  // passes that run at once; 0: all of them, which takes the most memory
}

// JacobianN is Jacobian for several inputs and outputs: entry i, j of the result is the derivative of output i by input j, of the shape of
// the one, then of the other.
func JacobianN(f func([]*Tensor) []*Tensor, opts ...JacobianOptions) func(xs ...*Tensor) [][]*Tensor {
	o := option("jacobian", opts)
	tree.FunctionOf("jacobian", f)
	if o.Chunk < 0 {
		fault.Throw(fault.Value, "jacobian", "Chunk is %d; want 0, which is all, or more", o.Chunk)
	}
	return func(xs ...*Tensor) [][]*Tensor {
		ys, r := record("jacobian", f, xs)
		j := make([][]*Tensor, len(ys))
		for i := range j {
			j[i] = make([]*Tensor, len(xs))
		}
		if o.Forward {
			for k := range xs {
				for i, d := range r.sweep(xs, k, o.Chunk, func(ts []*Tensor) []*Tensor {
					_, dys := JVPN(r.over, r.xs, ts)
					return dys
				}) { // (elements of x, shape of y)
					d = d.Reshape(append([]int{xs[k].NumElement()}, ys[i].Shape()...)...).MoveDim(0, -1)
					j[i][k] = d.Reshape(append(ys[i].Shape(), xs[k].Shape()...)...)
				}
			}
			return j
		}
		for i := range ys {
			for k, g := range r.sweep(ys, i, o.Chunk, func(cots []*Tensor) []*Tensor {
				_, grads := VJPN(r.over, r.xs, cots)
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
func (r *recorded) sweep(of []*Tensor, which, chunk int, f func(unit []*Tensor) []*Tensor) []*Tensor {
	x := of[which]
	n := x.NumElement()
	if chunk == 0 || chunk > n {
		chunk = max(n, 1)
	}
	one := VMap(func(u *Tensor) []*Tensor {
		unit := make([]*Tensor, len(of))
		for i, y := range of {
			unit[i] = ZerosLike(y.Detach())
		}
		unit[which] = u
		return f(unit)
	})
	basis := With{DType: x.DType(), Device: x.Device()}.Eye(n).Reshape(append([]int{n}, x.Shape()...)...)
	var parts [][]*Tensor
	for at := 0; at < n || at == 0; at += chunk {
		for i, t := range one(basis.Narrow(0, at, min(chunk, n-at))) {
			if i >= len(parts) {
				parts = append(parts, nil)
			}
			parts[i] = append(parts[i], t)
		}
	}
	out := make([]*Tensor, len(parts))
	for i, p := range parts {
		out[i] = Cat(p, 0)
	}
	return out
}

// HessianN is Hessian for several inputs: entry i, j of the result is the derivative by input i and by input j, of the shape of the one,
// then of the other.
func HessianN(f func([]*Tensor) *Tensor, opts ...JacobianOptions) func(xs ...*Tensor) [][]*Tensor {
	o := option("hessian", opts)
	o.Forward = true // forward over reverse
	return JacobianN(func(xs []*Tensor) []*Tensor {
		_, grads := ValueAndGradTree(f)(xs)
		return grads
	}, o)
}
