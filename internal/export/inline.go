package export

import (
	"math"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
)

// Check records the graph over placeholders and refuses it unless every op takes its operands and gives what the graph
// says. tensors are the specs of the stored tensors.
func (g *Graph) Check(tensors []graph.Spec) error {
	t := graph.NewTrace(graph.TraceCompile, importOp, nil)
	defer t.Close()
	val := make([]*graph.Node, 0, len(g.Inputs)+len(g.steps))
	for i, s := range g.Inputs {
		val = append(val, graph.NewPlaceholder(t, i, s, nil))
	}
	for i, s := range g.steps {
		for _, k := range s.in {
			if k < 0 || k >= len(val) {
				return g.fault(i, "reads value %d, before it is there", k)
			}
		}
		var n *graph.Node
		err := safely(func() { n = g.checkStep(i, s, val, tensors, t) })
		if err != nil {
			return fault.Wrap(kindOf(err), importOp, err, "node %d of %q", len(g.Inputs)+i, g.Name)
		}
		val = append(val, n)
	}
	g.Outputs = nil
	for _, o := range g.outs {
		if o < 0 || o >= len(val) || val[o].IsTuple() {
			return g.fault(len(g.steps), "the result is value %d, which cannot be one", o)
		}
		g.Outputs = append(g.Outputs, graph.Spec{Shape: val[o].Shape(), DType: val[o].DType()})
	}
	err := g.checkWrites("tensor", g.Writes, val, tensors)
	if err == nil {
		err = g.checkWrites("input", g.Changes, val, g.Inputs)
	}
	if err != nil || g.Open == nil {
		return err
	}
	return g.Open.check(g, tensors)
}

// checkWrites refuses writes unless each tensor or input is there, is written once, and keeps its dtype and shape.
func (g *Graph) checkWrites(what string, list []Write, val []*graph.Node, specs []graph.Spec) error {
	seen := map[int]bool{}
	for _, w := range list {
		switch {
		case w.Tensor < 0 || w.Tensor >= len(specs):
			return g.fault(len(g.steps), what+" %d of %d is written", w.Tensor, len(specs))
		case w.value < 0 || w.value >= len(val) || val[w.value].IsTuple():
			return g.fault(len(g.steps), what+" %d is to show value %d, which cannot be", w.Tensor, w.value)
		case seen[w.Tensor]:
			return g.fault(len(g.steps), what+" %d is written twice", w.Tensor)
		}
		seen[w.Tensor] = true
		if s, n := specs[w.Tensor], val[w.value]; n.DType() != s.DType || !n.Shape().Equal(s.Shape) {
			return g.fault(len(g.steps), what+" %d is %v %v and is to show %v %v", w.Tensor, s.DType, s.Shape, n.DType(), n.Shape())
		}
	}
	return nil
}

func kindOf(err error) fault.Kind {
	if k, ok := fault.KindOf(err); ok {
		return k
	}
	return fault.Format
}

func (g *Graph) fault(step int, format string, args ...any) error {
	e := fault.New(fault.Format, importOp, format, args...)
	return fault.Wrap(fault.Format, importOp, e, "node %d of %q", len(g.Inputs)+step, g.Name)
}

// checkStep records one step; it panics if it cannot be.
func (g *Graph) checkStep(i int, s graphStep, val []*graph.Node, tensors []graph.Spec, t *graph.Trace) *graph.Node {
	refuse := func(format string, args ...any) { panic(fault.New(fault.Format, "", format, args...)) }
	switch {
	case s.tensor >= 0:
		if s.tensor >= len(tensors) {
			refuse("tensor %d of %d", s.tensor, len(tensors))
		}
		return graph.NewPlaceholder(t, len(g.Inputs)+i, tensors[s.tensor], nil)
	case s.item >= 0:
		if len(s.in) != 1 || !val[s.in[0]].IsTuple() || s.item >= val[s.in[0]].NumOut() {
			refuse("output %d of a value that has no such", s.item)
		}
		return graph.TupleItem(val[s.in[0]], s.item)
	}
	in := pickAll(val, s.in)
	if s.control != nil {
		s.control.check(s)
	} else {
		ops.Validate(s.op, s.attr, in)
	}
	n := s.record(in)
	if n.NumOut() != len(s.specs) || n.IsTuple() != s.tuple {
		refuse("%s gives %d values, the file says %d", s.op.Name, n.NumOut(), len(s.specs))
	}
	for k, want := range s.specs {
		got := n.Out(k)
		if got.DType != want.DType || !got.Shape.Equal(want.Shape) {
			refuse("%s gives %v %v, the file says %v %v", s.op.Name, got.DType, got.Shape, want.DType, want.Shape)
		}
	}
	return n
}

func pickAll(val []*graph.Node, which []int) []*graph.Node {
	in := make([]*graph.Node, len(which))
	for k, i := range which {
		in[k] = val[i]
	}
	return in
}

// record makes the node of an op.
func (s graphStep) record(in []*graph.Node) *graph.Node {
	if c, ok := s.attr.(attr.Const); ok {
		return ops.Immediate(c.DType, c.Value)
	}
	if s.control != nil {
		return ops.NewControl(s.op, s.control.spec, in)
	}
	if s.tuple {
		return graph.NewTuple(s.op, s.attr, in...)
	}
	return graph.New(s.op, s.attr, in...)
}

// Bytes returns the size of all values that the ops of the function give, at most math.MaxInt.
func (g *Graph) Bytes() int {
	sum := 0
	for _, s := range g.steps {
		for _, v := range s.specs {
			sum += v.Shape.Numel() * v.DType.Size() // each at most maxValueBytes
			if sum > math.MaxInt-maxValueBytes {
				return math.MaxInt
			}
		}
	}
	return sum
}

// Inline records a checked graph over inputs and stored tensors and returns its results, and what it leaves in tensors and in inputs.
func (g *Graph) Inline(inputs []*graph.Node, tensor func(i int) *graph.Node) (outs []*graph.Node, state, changes []State) {
	val := append(make([]*graph.Node, 0, len(inputs)+len(g.steps)), inputs...)
	for _, s := range g.steps {
		switch {
		case s.tensor >= 0:
			val = append(val, tensor(s.tensor))
		case s.item >= 0:
			val = append(val, graph.TupleItem(val[s.in[0]], s.item))
		default:
			val = append(val, s.record(pickAll(val, s.in)))
		}
	}
	for _, w := range g.Writes {
		state = append(state, State{w.Tensor, val[w.value]})
	}
	for _, w := range g.Changes {
		changes = append(changes, State{w.Tensor, val[w.value]})
	}
	return pickAll(val, g.outs), state, changes
}
