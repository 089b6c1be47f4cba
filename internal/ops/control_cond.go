package ops

import (
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
)

// Switch computes one of several functions of the arguments, chosen by a value: branch number index, the first below 0 and the
// last beyond the end. Only that branch runs. Handles that a branch writes show their new value afterwards.
func Switch(op string, index *Node, branches []func(args []*Node) []*Node, args []*Node) []*Node {
	if len(branches) == 0 {
		fault.Throw(fault.Value, op, "has no branches")
	}
	if index.Shape().Numel() != 1 || index.Rank() > 0 || !index.DType().IsInteger() && index.DType() != dtype.Bool {
		fault.Throw(fault.Shape, op, "the index is %v of shape %v; want one integer of 0 dimensions", index.DType(), index.Shape())
	}
	bodies := make([]*body, len(branches))
	for i, f := range branches {
		bodies[i] = traceBody(op, specsOf(args), index, f)
		defer bodies[i].done()
	}
	// A handle that one branch writes is a result of all: the others show what it was.
	var written []*graph.Array
	for _, b := range bodies {
		for _, h := range b.written {
			if !hasHandle(written, h) {
				written = append(written, h)
			}
		}
	}
	in := append([]*Node{Cast(index, dtype.Int32)}, args...)
	c := &graph.Control{}
	for i, b := range bodies {
		if len(b.outs) != len(bodies[0].outs) {
			fault.Throw(fault.Value, op, "branch %d gives %d tensors, branch 0 gives %d", i, len(b.outs), len(bodies[0].outs))
		}
		outs := append([]*Node(nil), b.outs...)
		for k, o := range outs {
			if want := specOf(bodies[0].outs[k]); !sameSpec(want, specOf(o)) {
				fault.Throw(fault.Shape, op, "result %d is %v %v in branch 0 and %v %v in branch %d; make them alike", k, want.DType,
					want.Shape, o.DType(), o.Shape(), i)
			}
		}
		for _, h := range written {
			outs = append(outs, b.shows(h))
		}
		outs = append(outs, b.effects...)
		inputs := append([]*Node(nil), b.args...)
		feeds := make([]int, len(args))
		for k := range feeds {
			feeds[k] = 1 + k
		}
		for _, k := range b.captured {
			inputs = append(inputs, k.Placeholder)
			feeds, in = append(feeds, len(in)), append(in, k.Outer)
		}
		sub, more := b.subgraph(outs, inputs)
		for _, n := range more {
			feeds, in = append(feeds, len(in)), append(in, n)
		}
		c.Branches, c.Feeds = append(c.Branches, sub), append(c.Feeds, feeds)
	}
	c.Result = make([]int, len(bodies[0].outs)+len(written))
	res := graph.TupleItems(graph.NewTuple(opCond, c, in...))
	for i, h := range written {
		show(h, res[len(bodies[0].outs)+i])
	}
	return res[:len(bodies[0].outs)]
}

func hasHandle(list []*graph.Array, h *graph.Array) bool {
	for _, x := range list {
		if x == h {
			return true
		}
	}
	return false
}

// shows is what a handle shows at the end of the body.
func (b *body) shows(h *graph.Array) *Node {
	for i, w := range b.written {
		if w == h {
			return b.finals[i]
		}
	}
	for _, c := range b.captured {
		if c.Handle == h {
			return c.Placeholder
		}
	}
	c := b.trace.Capture(h)
	b.captured = append(b.captured, c)
	return c.Placeholder
}

// again is a conditional with the branches of n, each changed by f, over these arguments.
func again(n *Node, index *Node, args []*Node, f func(branch int, over func([]*Node) []*Node, args []*Node) []*Node) []*Node {
	c := n.Attr().(*graph.Control)
	fns := make([]func([]*Node) []*Node, len(c.Branches))
	for i, b := range c.Branches {
		fns[i] = func(args []*Node) []*Node { return f(i, b.Over, args) }
	}
	return Switch(n.Op().Name, index, fns, args)
}

// feed picks what a branch reads of all inputs of the node but the first.
func feed[T any](c *graph.Control, branch int, all []T) []T {
	out := make([]T, len(c.Feeds[branch]))
	for k, i := range c.Feeds[branch] {
		out[k] = all[i-1]
	}
	return out
}

func condVJP(n *Node, cot []*Node, need []bool) []*Node {
	c := n.Attr().(*graph.Control)
	in := n.Ins()
	ins, needs := in[1:], need[1:]
	var wanted []int
	for i, is := range needs {
		if is {
			wanted = append(wanted, i)
		}
	}
	var given []int // outputs with a cotangent
	args := append([]*Node(nil), ins...)
	for i, g := range cot {
		if g != nil {
			given, args = append(given, i), append(args, g)
		}
	}
	grads := again(n, in[0], args, func(branch int, over func([]*Node) []*Node, args []*Node) []*Node {
		vals := args[:len(ins)]
		cots := make([]*Node, len(c.Branches[branch].Out))
		for k, i := range given {
			cots[i] = args[len(ins)+k]
		}
		g := Pull(over, feed(c, branch, vals), cots, feed(c, branch, needs))
		sums := make([]*Node, len(ins))
		for k, i := range c.Feeds[branch] {
			if g[k] != nil {
				sums[i-1] = addMaybe(sums[i-1], Cast(g[k], ins[i-1].DType()))
			}
		}
		out := make([]*Node, len(wanted))
		for k, i := range wanted {
			if out[k] = sums[i]; out[k] == nil {
				out[k] = zerosLike(vals[i])
			}
		}
		return out
	})
	res := make([]*Node, len(in))
	for k, i := range wanted {
		res[1+i] = grads[k]
	}
	return res
}

func condJVP(n *Node, tan []*Node) []*Node {
	c := n.Attr().(*graph.Control)
	in := n.Ins()
	ins := in[1:]
	args := append(append([]*Node(nil), ins...), differentiable(orZeros(tan[1:], ins))...)
	var like []*Node
	for i := range n.NumOut() {
		like = append(like, graph.TupleItem(n, i))
	}
	outs := again(n, in[0], args, func(branch int, over func([]*Node) []*Node, args []*Node) []*Node {
		tans := spreadDifferentiable(args[len(ins):], ins)
		t := Push(over, feed(c, branch, args[:len(ins)]), feed(c, branch, tans))
		return differentiable(orZeros(t[:len(like)], like))
	})
	return spreadDifferentiable(outs, like)
}

// condVMap runs one branch if the choice is the same for all examples, else all of them, and selects.
func condVMap(n *Node, in []*Node, batched []bool, size int) []*Node {
	c := n.Attr().(*graph.Control)
	outs := len(c.Result)
	run := func(branch int, over func([]*Node) []*Node, args []*Node) []*Node {
		sub := c.Branches[branch]
		res := Vectorise(func(a []*Node) []*Node { return over(a)[:outs] }, feed(c, branch, args), feed(c, branch, batched[1:]), size)
		for i := range res {
			if res[i].Rank() == sub.Out[i].Shape.Rank() {
				res[i] = broadcastTo(res[i], batchShape("cond", res[i].Shape(), size))
			}
		}
		return res
	}
	if !batched[0] {
		return again(n, in[0], in[1:], run)
	}
	res := run(len(c.Branches)-1, c.Branches[len(c.Branches)-1].Over, in[1:])
	for b := len(c.Branches) - 2; b >= 0; b-- {
		res = selectAll(Le(in[0], b), run(b, c.Branches[b].Over, in[1:]), res)
	}
	return res
}
