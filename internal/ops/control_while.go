package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
)

// whileLoop is what the rules of while know of a node: its inputs are the state, then what stays the same.
type whileLoop struct {
	cond, body *graph.Subgraph // both read state and fixed inputs; effects are behind the body's state
	state      int
	bound      int // the most rounds that a gradient may need; 0: unknown
}

// While runs f over the state as long as cond gives true for it. Handles that f writes are part of the state. bound is the most
// rounds it may take where a gradient is wanted; 0 gives none.
func While(op string, state []*Node, bound int, cond func(state []*Node) *Node, f func(state []*Node) []*Node) []*Node {
	like := specsOf(state)
	test := traceBody(op, like, deviceOf(state), func(args []*Node) []*Node { return []*Node{Predicate(op, cond(args))} })
	defer test.done()
	if len(test.written) > 0 {
		fault.Throw(fault.Trace, op, "the condition writes a tensor; write in the body")
	}
	b := traceBody(op, like, deviceOf(state), f)
	defer b.done()
	if len(b.outs) != len(state) {
		fault.Throw(fault.Value, op, "the body gives %d tensors; its state has %d", len(b.outs), len(state))
	}
	for i := range state {
		mustKeep(op, "state", i, like[i], specOf(b.outs[i]))
	}
	args, outs, in := append([]*Node(nil), b.args...), append([]*Node(nil), b.outs...), append([]*Node(nil), state...)
	args, outs, in = b.writtenState(op, args, outs, in)
	l := &whileLoop{state: len(in), bound: bound}
	args, in = b.fixed(args, in)
	body, more := b.subgraph(append(outs, b.effects...), args)
	in = append(in, more...)
	bodyFixed := len(in) - l.state

	// The condition reads the state, also handles that the body writes, and inputs of its own behind the body's.
	testArgs := append([]*Node(nil), test.args...)
	var from []int // for each captured input of the condition: the input of the node
	for _, c := range test.captured {
		testArgs = append(testArgs, c.Placeholder)
		at := -1
		for i, h := range b.written {
			if h == c.Handle {
				at = len(state) + i
			}
		}
		if at < 0 {
			at, in = len(in), append(in, c.Outer)
		}
		from = append(from, at)
	}
	testSub, testMore := test.subgraph(test.outs, testArgs)
	for _, n := range testMore {
		from, in = append(from, len(in)), append(in, n)
	}
	specs := specsOf(in)
	l.cond = rewire(op, specs, in, func(all []*Node) []*Node {
		vals := append([]*Node(nil), all[:len(state)]...)
		for _, i := range from {
			vals = append(vals, all[i])
		}
		return testSub.Over(vals)
	})
	l.body = rewire(op, specs, in, func(all []*Node) []*Node { return body.Over(all[:l.state+bodyFixed]) })
	res := newWhile(l, in)
	b.rebind(res[len(state):])
	return res[:len(state)]
}

// rewire records f over inputs of the given specs.
func rewire(op string, specs []graph.Spec, like []*Node, f func(all []*Node) []*Node) *graph.Subgraph {
	b := traceBody(op, specs, deviceOf(like), f)
	defer b.done()
	sub, _ := b.subgraph(append(b.outs, b.effects...), b.args)
	return sub
}

// newWhile records the node. One whose gradient may be asked for, and that has a bound, is a scan of that many steps.
func newWhile(l *whileLoop, in []*Node) []*Node {
	if l.bound > 0 && differentiated(in) {
		return l.bounded(in)
	}
	return graph.TupleItems(whileNode(l, in))
}

func whileNode(l *whileLoop, in []*Node) *Node {
	c := &graph.Control{Cond: l.cond, Step: l.body, Loop: l}
	for i := range in {
		if i < l.state {
			c.Init = append(c.Init, graph.StateInit{Input: i, Output: -1})
			c.Result = append(c.Result, i)
		} else {
			c.Fixed = append(c.Fixed, i)
		}
	}
	return graph.NewTuple(opWhile, c, in...)
}

// bounded is the loop as a scan, whose steps do nothing once the condition fails. Results of a loop that needs more rounds fail when they
// are computed.
func (l *whileLoop) bounded(in []*Node) []*Node {
	fixed := in[l.state:]
	more := func(state []*Node) *Node { return l.cond.Over(append(append([]*Node(nil), state...), fixed...))[0] }
	last, _ := Scan("while", in[:l.state], nil, l.bound, false, func(state, _ []*Node) (next, ys []*Node) {
		run := func(args []*Node) []*Node {
			return l.body.Over(append(append([]*Node(nil), args...), fixed...))[:l.state]
		}
		skip := func(args []*Node) []*Node { return args }
		return Switch("while", Cast(more(state), dtype.Int32), []func([]*Node) []*Node{skip, run}, state), nil
	})
	left := Cast(more(last), dtype.Float32)
	for i, n := range last {
		if n.DType().IsFloat() { // what a gradient may be asked of
			last[i] = require("while", attr.Finished, n, left)
		}
	}
	return last
}

func whileVJP(n *Node, cot []*Node, need []bool) []*Node {
	if l := n.Attr().(*graph.Control).Loop.(*whileLoop); l.bound > 0 { // recorded where no gradient was to be seen
		return Pull(l.bounded, n.Ins(), cot, need)
	}
	fault.Throw(fault.Gradient, "while",
		"the gradient of a loop needs the most rounds it can take: give WhileOptions.MaxSteps, or use Scan")
	return nil
}

// whileJVP carries values and tangents together; the condition looks at the values.
func whileJVP(n *Node, tan []*Node) []*Node {
	l := n.Attr().(*graph.Control).Loop.(*whileLoop)
	in := n.Ins()
	all := orZeros(tan, in)
	fixed, tFixed := in[l.state:], all[l.state:]
	state := append(append([]*Node(nil), in[:l.state]...), present(all[:l.state])...)
	with := func(state []*Node) []*Node { return append(append([]*Node(nil), state[:l.state]...), fixed...) }
	last := While("while", state, 0,
		func(state []*Node) *Node { return l.cond.Over(with(state))[0] },
		func(state []*Node) []*Node {
			vals := with(state)
			tans := append(append([]*Node(nil), spreadDifferentiable(state[l.state:], in[:l.state])...), tFixed...)
			outs := l.body.Over(vals)[:l.state]
			t := orZeros(Push(l.body.Over, vals, tans)[:l.state], outs)
			return append(append([]*Node(nil), outs...), present(t)...)
		})
	return spreadDifferentiable(last[l.state:], in[:l.state])
}

// whileVMap goes on as long as one example does; those that are done keep their state.
func whileVMap(n *Node, in []*Node, batched []bool, size int) []*Node {
	l := n.Attr().(*graph.Control).Loop.(*whileLoop)
	fixed := in[l.state:]
	flags := append([]bool(nil), batched...)
	for i := range l.state {
		flags[i] = true
	}
	with := func(state []*Node) []*Node { return append(append([]*Node(nil), state...), fixed...) }
	test := func(state []*Node) *Node { return Vectorise(l.cond.Over, with(state), flags, size)[0] }
	return While("while", batchAll(in[:l.state], batched[:l.state], size), 0,
		func(state []*Node) *Node { return Any(test(state), ReduceOptions{}) },
		func(state []*Node) []*Node {
			next := Vectorise(func(a []*Node) []*Node { return l.body.Over(a)[:l.state] }, with(state), flags, size)
			return selectAll(test(state), next, state)
		})
}
