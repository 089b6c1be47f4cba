package ops

import (
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// scanLoop is what the rules of scan know of a node. Its inputs are the carry, the sequences and what stays the same; its outputs
// the last carry, the results of all steps and, with saves, the carry before each step.
type scanLoop struct {
	body          *graph.Subgraph // carry, elements, fixed → carry, results, effects
	carry, xs, ys int
	length        int
	reverse       bool
	saves         bool
}

// Scan runs f over the elements of xs along their first dimension, from the last one on with reverse, and hands the carry from
// step to step. It returns the last carry and the results of all steps, stacked. Handles that f writes are part of the carry.
func Scan(op string, carry, xs []*Node, length int, reverse bool, f func(carry, x []*Node) (next, ys []*Node)) (last, ys []*Node) {
	for i, x := range xs {
		if x.Rank() == 0 || x.Dim(0) != length {
			fault.Throw(fault.Shape, op, "sequence %d has shape %v; want %d elements along dim 0", i, x.Shape(), length)
		}
	}
	like := specsOf(carry)
	for _, x := range xs {
		like = append(like, graph.Spec{Shape: shape.Of(op, x.Shape().Dims()[1:]...), DType: x.DType()})
	}
	numY := 0
	b := traceBody(op, like, deviceOf(carry, xs), func(args []*Node) []*Node {
		next, ys := f(args[:len(carry)], args[len(carry):])
		if len(next) != len(carry) {
			fault.Throw(fault.Value, op, "the function gives a carry of %d tensors; it got %d", len(next), len(carry))
		}
		numY = len(ys)
		return append(append([]*Node(nil), next...), ys...)
	})
	defer b.done()
	for i := range carry {
		mustKeep(op, "carry", i, specOf(carry[i]), specOf(b.outs[i]))
	}
	l := &scanLoop{carry: len(carry) + len(b.written), xs: len(xs), ys: numY, length: length, reverse: reverse}
	args := append([]*Node(nil), b.args[:len(carry)]...)
	outs := append([]*Node(nil), b.outs[:len(carry)]...)
	in := append([]*Node(nil), carry...)
	args, outs, in = b.writtenState(op, args, outs, in)
	args, in = append(args, b.args[len(carry):]...), append(in, xs...)
	args, in = b.fixed(args, in)
	outs = append(append(outs, b.outs[len(carry):]...), b.effects...)
	var more []*Node
	l.body, more = b.subgraph(outs, args)
	res := newScan(l, append(in, more...))
	b.rebind(res[len(carry):])
	return res[:len(carry)], res[l.carry : l.carry+l.ys]
}

// deviceOf picks a value that says where a body runs.
func deviceOf(lists ...[]*Node) *Node {
	var last *Node
	for _, list := range lists {
		for _, n := range list {
			if last = n; n.Device() != nil {
				return n
			}
		}
	}
	if last == nil {
		last = scalar(dtype.Int32, dtype.Scalar{})
	}
	return last
}

// writtenState makes the handles that the body writes part of its state.
func (b *body) writtenState(op string, args, outs, in []*Node) (_, _, _ []*Node) {
	for i, h := range b.written {
		c := b.handle(h)
		mustKeep(op, "written tensor", i, specOf(c.Outer), specOf(b.finals[i]))
		args, outs, in = append(args, c.Placeholder), append(outs, b.finals[i]), append(in, c.Outer)
	}
	return args, outs, in
}

// fixed adds the handles that the body only reads.
func (b *body) fixed(args, in []*Node) (_, _ []*Node) {
	for _, c := range b.captured {
		if !hasHandle(b.written, c.Handle) {
			args, in = append(args, c.Placeholder), append(in, c.Outer)
		}
	}
	return args, in
}

// rebind makes the handles that the body writes show their new values.
func (b *body) rebind(values []*Node) {
	for i, h := range b.written {
		show(h, values[i])
	}
}

// newScan records the node, and returns its outputs.
func newScan(l *scanLoop, in []*Node) []*Node {
	if differentiated(in) && !l.saves {
		s := *l
		s.saves, l = true, &s
	}
	return graph.TupleItems(graph.NewTuple(opScan, scanControl(l, in), in...))
}

// scanControl writes the loop with a counter: elements are read at it, results and saved carries are written at it.
func scanControl(l *scanLoop, in []*Node) *graph.Control {
	body := l.body
	ySpecs := append([]graph.Spec(nil), body.Out[l.carry:l.carry+l.ys]...)
	if l.saves {
		ySpecs = append(ySpecs, body.In[:l.carry]...)
	}
	like := []graph.Spec{{Shape: shape.Scalar, DType: dtype.Int64}}
	like = append(like, body.In[:l.carry]...)
	c := &graph.Control{Rounds: l.length, Loop: l, Init: []graph.StateInit{{Input: -1, Output: -1}}}
	for i := range l.carry {
		c.Init = append(c.Init, graph.StateInit{Input: i, Output: -1})
		c.Result = append(c.Result, 1+i)
	}
	for i, s := range ySpecs {
		like = append(like, graph.Spec{Shape: shape.Of("scan", append([]int{l.length}, s.Shape.Dims()...)...), DType: s.DType})
		c.Init = append(c.Init, graph.StateInit{Input: -1, Output: l.carry + i})
		c.Result = append(c.Result, 1+l.carry+i)
	}
	state := len(like)
	for i := l.carry; i < len(in); i++ {
		like = append(like, specOf(in[i]))
		c.Fixed = append(c.Fixed, i)
	}
	b := traceBody("scan", like, deviceOf(in), func(args []*Node) []*Node {
		at := args[0]
		if l.reverse {
			at = Sub(l.length-1, at)
		}
		at = reshapeTo(at, shape.Of("scan", 1))
		carry, rows, fixed := args[1:1+l.carry], args[1+l.carry:state], args[state:]
		vals := append([]*Node(nil), carry...)
		for _, x := range fixed[:l.xs] {
			vals = append(vals, rowAt(x, at))
		}
		outs := body.Over(append(vals, fixed[l.xs:]...))
		next := append([]*Node{Add(args[0], 1)}, outs[:l.carry]...)
		for i := range ySpecs {
			if i < l.ys {
				next = append(next, withRow(rows[i], at, outs[l.carry+i]))
			} else {
				next = append(next, withRow(rows[i], at, carry[i-l.ys]))
			}
		}
		return append(next, outs[l.carry+l.ys:]...)
	})
	defer b.done()
	c.Step, _ = b.subgraph(b.outs, b.args)
	return c
}

// parts cuts the inputs of a scan into carry, sequences and fixed ones.
func (l *scanLoop) parts(in []*Node) (carry, xs, fixed []*Node) {
	return in[:l.carry], in[l.carry : l.carry+l.xs], in[l.carry+l.xs:]
}

// saved returns the carry before each step; a node that did not save it runs again.
func (l *scanLoop) saved(n *Node) []*Node {
	if l.saves {
		return graph.TupleItems(n)[l.carry+l.ys:]
	}
	s := *l
	s.saves = true
	in := n.Ins()
	return graph.TupleItems(graph.NewTuple(opScan, scanControl(&s, in), in...))[l.carry+l.ys:]
}

// scanVJP runs the loop backwards: each step's inside is computed again from the carry that was saved before it.
func scanVJP(n *Node, cot []*Node, need []bool) []*Node {
	l := n.Attr().(*graph.Control).Loop.(*scanLoop)
	in := n.Ins()
	carry, xs, fixed := l.parts(in)
	saved := l.saved(n)
	items := graph.TupleItems(n)
	carryCot := differentiable(orZeros(cot[:l.carry], carry))
	var yCots, savedCots []*Node
	for i, y := range items[l.carry : l.carry+l.ys] {
		if g := cot[l.carry+i]; g != nil && y.DType().IsInexact() {
			yCots = append(yCots, g)
		}
	}
	if l.saves {
		savedCots = cot[l.carry+l.ys:]
	}
	var sums []*Node // of the gradients of what stays the same
	for i, x := range fixed {
		if need[l.carry+l.xs+i] {
			sums = append(sums, zerosLike(x))
		}
	}
	seqs := append(append(append([]*Node(nil), saved...), xs...), yCots...)
	for _, g := range savedCots {
		if g != nil {
			seqs = append(seqs, g)
		}
	}
	state := append(append([]*Node(nil), carryCot...), sums...)
	needs := append([]bool(nil), need...)
	for i, c := range carry {
		needs[i] = c.DType().IsInexact()
	}
	dState, dXs := Scan("scan", state, seqs, l.length, !l.reverse, func(state, x []*Node) (next, ys []*Node) {
		vals := append(append([]*Node(nil), x[:l.carry+l.xs]...), fixed...)
		rest := x[l.carry+l.xs:]
		cots := spreadDifferentiable(state[:len(carryCot)], carry)
		for i := range l.ys {
			var g *Node
			if cot[l.carry+i] != nil && items[l.carry+i].DType().IsInexact() {
				g, rest = rest[0], rest[1:]
			}
			cots = append(cots, g)
		}
		cots = append(cots, make([]*Node, len(l.body.Out)-len(cots))...)
		g := Pull(l.body.Over, vals, cots, needs)
		for i, c := range carry {
			if !c.DType().IsInexact() {
				continue
			}
			d := g[i]
			if l.saves && savedCots[i] != nil {
				d, rest = addMaybe(d, rest[0]), rest[1:]
			}
			next = append(next, castOrZeros(d, vals[i]))
		}
		acc := state[len(carryCot):]
		for i := range fixed {
			if k := l.carry + l.xs + i; needs[k] {
				sum := acc[0]
				if g[k] != nil {
					sum = Cast(Add(sum, g[k]), sum.DType())
				}
				next, acc = append(next, sum), acc[1:]
			}
		}
		for i := range xs {
			if k := l.carry + i; needs[k] {
				ys = append(ys, castOrZeros(g[k], vals[k]))
			}
		}
		return next, ys
	})
	res := make([]*Node, len(in))
	dCarry := spreadDifferentiable(dState[:len(carryCot)], carry)
	dState = dState[len(carryCot):]
	for i := range in {
		switch {
		case i < l.carry:
			res[i] = dCarry[i]
		case !need[i]:
		case i < l.carry+l.xs:
			res[i], dXs = dXs[0], dXs[1:]
		default:
			res[i], dState = dState[0], dState[1:]
		}
	}
	return res
}

// castOrZeros brings a gradient to its value's dtype; none is zero.
func castOrZeros(g, x *Node) *Node {
	if g == nil {
		return zerosLike(x)
	}
	if !g.Shape().Equal(x.Shape()) {
		g = broadcastTo(g, x.Shape())
	}
	return Cast(g, x.DType())
}

// scanJVP carries values and tangents together.
func scanJVP(n *Node, tan []*Node) []*Node {
	l := n.Attr().(*graph.Control).Loop.(*scanLoop)
	in := n.Ins()
	carry, xs, fixed := l.parts(in)
	all := orZeros(tan, in)
	tCarry, tXs, tFixed := l.parts(all)
	state := append(append([]*Node(nil), carry...), differentiable(tCarry)...)
	seqs := append(append([]*Node(nil), xs...), present(tXs)...)
	last, ys := Scan("scan", state, seqs, l.length, l.reverse, func(state, x []*Node) (next, ys []*Node) {
		vals := append(append(append([]*Node(nil), state[:l.carry]...), x[:l.xs]...), fixed...)
		tans := append(append(append([]*Node(nil), spreadDifferentiable(state[l.carry:], carry)...), spreadDifferentiable(x[l.xs:], xs)...),
			tFixed...)
		outs := l.body.Over(vals)
		outs = outs[:l.carry+l.ys]
		t := orZeros(Push(l.body.Over, vals, tans)[:l.carry+l.ys], outs)
		next = append(append(next, outs[:l.carry]...), present(t[:l.carry])...)
		ys = present(t[l.carry:])
		if l.saves {
			ys = append(ys, differentiable(spreadDifferentiable(state[l.carry:], carry))...)
		}
		return next, ys
	})
	items := graph.TupleItems(n)
	out := spreadDifferentiable(last[l.carry:], items[:l.carry])
	numY := len(differentiable(items[l.carry : l.carry+l.ys]))
	out = append(out, spreadDifferentiable(ys[:numY], items[l.carry:l.carry+l.ys])...)
	if l.saves {
		out = append(out, spreadDifferentiable(ys[numY:], items[l.carry+l.ys:])...)
	}
	return out
}

// present drops what is nil.
func present(list []*Node) (some []*Node) {
	for _, x := range list {
		if x != nil {
			some = append(some, x)
		}
	}
	return some
}

// scanVMap runs the body over an extra axis, which the sequences have behind the steps.
func scanVMap(n *Node, in []*Node, batched []bool, size int) []*Node {
	l := n.Attr().(*graph.Control).Loop.(*scanLoop)
	carry, xs, fixed := l.parts(in)
	flags := append([]bool(nil), batched...)
	state := batchAll(carry, batched[:l.carry], size)
	seqs := append([]*Node(nil), xs...)
	for i := range seqs {
		if batched[l.carry+i] {
			seqs[i] = moveAxis(seqs[i], 0, 1)
		}
	}
	for i := range l.carry {
		flags[i] = true
	}
	last, ys := Scan("scan", state, seqs, l.length, l.reverse, func(state, x []*Node) (next, ys []*Node) {
		vals := append(append(append([]*Node(nil), state...), x...), fixed...)
		outs := Vectorise(func(a []*Node) []*Node { return l.body.Over(a)[:l.carry+l.ys] }, vals, flags, size)
		ys = outs[l.carry:]
		if l.saves {
			ys = append(ys, state...)
		}
		return outs[:l.carry], ys
	})
	for i := range ys {
		ys[i] = moveAxis(ys[i], 0, 1)
	}
	return append(last, ys...)
}

// ScanCheckpointed is Scan by segments of every steps: a gradient stores the carry at the start of each, and runs a segment again.
func ScanCheckpointed(op string, carry, xs []*Node, length, every int, reverse bool,
	f func(carry, x []*Node) (next, ys []*Node)) (last, ys []*Node) {
	if every == 0 || every >= length {
		return Scan(op, carry, xs, length, reverse, f)
	}
	segments, rest := length/every, length%every
	cut := func(from, to int) (part []*Node) {
		for _, x := range xs {
			part = append(part, SliceDim(x, 0, from, to-from, 1))
		}
		return part
	}
	whole := func(carry []*Node) ([]*Node, []*Node) {
		var folded []*Node
		from := 0
		if reverse {
			from = rest
		}
		for _, x := range cut(from, from+segments*every) {
			folded = append(folded, Reshape(x, append([]int{segments, every}, x.Shape().Dims()[1:]...)...))
		}
		last, ys := Scan(op, carry, folded, segments, reverse, func(carry, x []*Node) (next, ys []*Node) {
			return Scan(op, carry, x, every, reverse, f)
		})
		for i, y := range ys {
			ys[i] = Reshape(y, append([]int{segments * every}, y.Shape().Dims()[2:]...)...)
		}
		return last, ys
	}
	if rest == 0 {
		return whole(carry)
	}
	join := func(first, second []*Node) (all []*Node) {
		for i := range first {
			all = append(all, Cat([]*Node{first[i], second[i]}, 0))
		}
		return all
	}
	if reverse {
		last, end := whole(carry)
		last, begin := Scan(op, last, cut(0, rest), rest, reverse, f)
		return last, join(begin, end)
	}
	last, begin := whole(carry)
	last, end := Scan(op, last, cut(segments*every, length), rest, reverse, f)
	return last, join(begin, end)
}
