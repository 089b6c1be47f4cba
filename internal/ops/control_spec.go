package ops

import (
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// ControlSpec is a node that owns subgraphs as a file holds it.
type ControlSpec struct {
	Subs    []*graph.Subgraph // branches; condition and body of while; body of scan
	Feeds   [][]int           // of a conditional: by branch, the inputs of the node that it reads
	Numbers []int             // cond: results; while: state, bound; scan: carry, sequences, results, length, reverse, saves
}

// ControlSpecOf describes a node; ok is false if it owns no subgraphs.
func ControlSpecOf(n *Node) (s ControlSpec, ok bool) {
	c, ok := n.Attr().(*graph.Control)
	if !ok {
		return s, false
	}
	switch l := c.Loop.(type) {
	case *whileLoop:
		return ControlSpec{Subs: []*graph.Subgraph{l.cond, l.body}, Numbers: []int{l.state, l.bound}}, true
	case *scanLoop:
		return ControlSpec{Subs: []*graph.Subgraph{l.body}, Numbers: []int{l.carry, l.xs, l.ys, l.length, asInt(l.reverse),
			asInt(l.saves)}}, true
	}
	return ControlSpec{Subs: c.Branches, Feeds: c.Feeds, Numbers: []int{len(c.Result)}}, true
}

func asInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// OwnsSubgraphs reports whether nodes of the op are made by NewControl.
func OwnsSubgraphs(op *graph.Op) bool { return op == opCond || op == opWhile || op == opScan }

// NewControl records a node that a file describes. It panics with a typed error unless everything fits.
func NewControl(op *graph.Op, s ControlSpec, in []*Node) *Node {
	c := check{op: op.Name, in: in}
	for _, n := range s.Numbers {
		c.must(n >= 0 && n < 1<<40, "the number %d makes no sense", n)
	}
	for _, x := range in {
		c.must(!x.IsTuple(), "an operand has several values")
	}
	switch op {
	case opCond:
		return c.newCond(s)
	case opWhile:
		return c.newWhile(s)
	}
	return c.newScan(s)
}

// fits refuses a subgraph unless its inputs have these specs.
func (c check) fits(sub *graph.Subgraph, specs []graph.Spec) {
	c.must(len(sub.In) == len(specs), "a subgraph has %d inputs, not %d", len(sub.In), len(specs))
	for i := range specs {
		c.must(sameSpec(sub.In[i], specs[i]), "input %d of a subgraph is %v %v, not %v %v", i, sub.In[i].DType, sub.In[i].Shape,
			specs[i].DType, specs[i].Shape)
	}
}

// gives refuses a subgraph unless its first results have these specs.
func (c check) gives(sub *graph.Subgraph, specs []graph.Spec) {
	c.must(len(sub.Out) >= len(specs), "a subgraph has %d results, not %d", len(sub.Out), len(specs))
	for i := range specs {
		c.must(sameSpec(sub.Out[i], specs[i]), "result %d of a subgraph is %v %v, not %v %v", i, sub.Out[i].DType, sub.Out[i].Shape,
			specs[i].DType, specs[i].Shape)
	}
}

func (c check) newCond(s ControlSpec) *Node {
	c.must(len(s.Subs) > 0 && len(s.Feeds) == len(s.Subs) && len(s.Numbers) == 1, "has %d branches, %d lists of inputs",
		len(s.Subs), len(s.Feeds))
	c.must(len(c.in) > 0 && sameSpec(specOf(c.in[0]), graph.Spec{Shape: shape.Scalar, DType: dtype.Int32}),
		"the first input selects a branch: want one int32")
	results := s.Numbers[0]
	c.must(results >= 1 && results <= len(s.Subs[0].Out), "has %d results, its first branch %d", results, len(s.Subs[0].Out))
	for i, sub := range s.Subs {
		var specs []graph.Spec
		for _, k := range s.Feeds[i] {
			c.must(k >= 1 && k < len(c.in), "branch %d reads input %d of %d", i, k, len(c.in))
			specs = append(specs, specOf(c.in[k]))
		}
		c.fits(sub, specs)
		c.gives(sub, s.Subs[0].Out[:results])
	}
	return graph.NewTuple(opCond, &graph.Control{Branches: s.Subs, Feeds: s.Feeds, Result: make([]int, results)}, c.in...)
}

func (c check) newWhile(s ControlSpec) *Node {
	c.must(len(s.Subs) == 2 && len(s.Numbers) == 2 && s.Feeds == nil, "has %d subgraphs and %d numbers", len(s.Subs), len(s.Numbers))
	l := &whileLoop{cond: s.Subs[0], body: s.Subs[1], state: s.Numbers[0], bound: s.Numbers[1]}
	c.must(l.state >= 1 && l.state <= len(c.in), "has a state of %d of %d inputs", l.state, len(c.in))
	all := specsOf(c.in)
	c.fits(l.cond, all)
	c.fits(l.body, all)
	c.gives(l.cond, []graph.Spec{{Shape: shape.Scalar, DType: dtype.Bool}})
	c.gives(l.body, all[:l.state])
	return whileNode(l, c.in)
}

func (c check) newScan(s ControlSpec) *Node {
	c.must(len(s.Subs) == 1 && len(s.Numbers) == 6 && s.Feeds == nil, "has %d subgraphs and %d numbers", len(s.Subs), len(s.Numbers))
	n := s.Numbers
	l := &scanLoop{body: s.Subs[0], carry: n[0], xs: n[1], ys: n[2], length: n[3], reverse: n[4] == 1, saves: n[5] == 1}
	c.must(n[4] <= 1 && n[5] <= 1, "a mark is neither 0 nor 1")
	c.must(l.carry+l.xs <= len(c.in) && l.carry+l.ys <= len(l.body.Out) && l.carry+l.ys >= 1,
		"has %d inputs for a carry of %d and %d sequences", len(c.in), l.carry, l.xs)
	specs := specsOf(c.in)
	for i := l.carry; i < l.carry+l.xs; i++ {
		x := c.in[i]
		c.must(x.Rank() > 0 && x.Dim(0) == l.length, "a sequence has shape %v, not %d elements", x.Shape(), l.length)
		specs[i].Shape = shape.Of(c.op, x.Shape().Dims()[1:]...)
	}
	c.fits(l.body, specs)
	c.gives(l.body, specs[:l.carry])
	return graph.NewTuple(opScan, scanControl(l, c.in), c.in...)
}
