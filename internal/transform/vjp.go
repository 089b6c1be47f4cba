package transform

import (
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
)

// Node is a value of the graph.
type Node = graph.Node

// tape is the part of a graph between inputs and outputs.
type tape struct {
	idx *graph.Index
	dep []bool // depends on an input
}

// record walks back from the outputs through nodes that see says belong to the tape.
func record(outputs, inputs []*Node, see func(*Node) bool) *tape {
	t := &tape{idx: graph.NewIndex()}
	t.idx.PostOrder(outputs, see)
	t.dep = make([]bool, len(t.idx.Nodes))
	for _, x := range inputs {
		if i := t.idx.Get(x); i >= 0 {
			t.dep[i] = true
		}
	}
	for i, n := range t.idx.Nodes {
		if t.dep[i] || !see(n) {
			continue
		}
		for k := range n.NumIn() {
			if j := t.idx.Get(n.In(k)); j >= 0 && t.dep[j] {
				t.dep[i] = true
				break
			}
		}
	}
	return t
}

// Pullback carries cotangents from outputs back to inputs.
type Pullback struct {
	// See says which nodes belong to the tape.
	See func(*Node) bool
	// At is called with the final cotangent of every node on the way, and may replace it; nil: not called.
	At func(n, cot *Node) *Node
	// Zeros gives inputs that are on the way, but that no rule gives a cotangent, one of zeros.
	Zeros bool
	// Gave is called with what a node's rule gives its input k; nil: not called.
	Gave func(n *Node, k int, cot *Node)
}

// Run returns the cotangent of every input, nil where none arrived. Hooks may evaluate what is made on the way, and others what
// hooks show them; so the walk references what it still needs, since an evaluation frees values without references.
func (p *Pullback) Run(outputs, cots, inputs []*Node) []*Node {
	t := record(outputs, inputs, p.See)
	defer t.idx.Release()
	acc := make([]cotangent, len(t.idx.Nodes))
	var held references
	out := make([]*Node, len(inputs))
	defer func() { held.release(out, cots) }()
	for i, o := range outputs {
		if cots[i] == nil {
			continue
		}
		j := t.idx.Get(o)
		acc[j].add(held.hold(cots[i]))
	}
	asked := make([]bool, len(t.idx.Nodes))
	for _, x := range inputs {
		if j := t.idx.Get(x); j >= 0 && x.DType().IsInexact() {
			asked[j] = true
		}
	}
	for i := len(t.idx.Nodes) - 1; i >= 0; i-- {
		n := t.idx.Nodes[i]
		if p.Zeros && asked[i] && acc[i].sum == nil {
			acc[i].add(held.hold(ops.ZerosLike(n)))
		}
		if !t.dep[i] || acc[i].sum == nil && acc[i].parts == nil {
			continue
		}
		if len(acc[i].more) > 0 {
			acc[i].total()
			held.hold(acc[i].sum)
		}
		if asked[i] && acc[i].sum != nil && acc[i].sum.Device() == nil && n.Device() != nil {
			acc[i].sum = held.hold(placed(acc[i].sum, n))
		}
		if p.At != nil && acc[i].sum != nil {
			acc[i].sum = held.hold(p.At(n, acc[i].sum))
		}
		if !p.See(n) || n.NumIn() == 0 {
			continue
		}
		p.step(t, n, i, acc, &held)
	}
	for i, x := range inputs {
		if j := t.idx.Get(x); j >= 0 {
			out[i] = acc[j].sum
		}
	}
	return out
}

// step applies one node's rule.
func (p *Pullback) step(t *tape, n *Node, i int, acc []cotangent, held *references) {
	if k, ok := n.IsTupleItem(); ok {
		j := t.idx.Get(n.In(0))
		if acc[j].parts == nil {
			acc[j].parts = make([]*Node, n.In(0).NumOut())
		}
		acc[j].parts[k] = held.hold(addTo(acc[j].parts[k], acc[i].sum))
		return
	}
	if n.Op().VJP == nil {
		return // not differentiable, and said so
	}
	need := make([]bool, n.NumIn())
	some := false
	for k := range need {
		j := t.idx.Get(n.In(k))
		need[k] = j >= 0 && t.dep[j] && n.In(k).DType().IsInexact() || j >= 0 && t.dep[j] && n.In(k).IsTuple()
		some = some || need[k]
	}
	if !some {
		return
	}
	cot := acc[i].parts
	if cot == nil {
		cot = []*Node{acc[i].sum}
	}
	in := n.Op().VJP(n, cot, need)
	var rest []*Node
	for k, g := range in {
		if g == nil {
			continue
		}
		if !need[k] {
			rest = append(rest, g)
			continue
		}
		j := t.idx.Get(n.In(k))
		g = held.hold(fit(n, k, g))
		if p.Gave != nil {
			p.Gave(n, k, g)
		}
		acc[j].add(g)
	}
	graph.Discard(rest, nil) // they would hold what they are made of
	acc[i].parts = nil
}

// fit brings a cotangent to its input's dtype, and checks that a rule gave the right shape.
func fit(n *Node, k int, g *Node) *Node {
	x := n.In(k)
	if !g.Shape().Equal(x.Shape()) {
		if !g.IsConst() {
			fault.Throw(fault.Internal, n.Op().Name, "the gradient of input %d has shape %v; the input has %v", k, g.Shape(), x.Shape())
		}
		g = ops.BroadcastTo(g, x.Shape().Dims()...)
	}
	if g.DType().IsComplex() && !x.DType().IsComplex() {
		g = ops.Real(g)
	}
	return ops.Cast(g, x.DType())
}

// placed says of a cotangent made of constants alone that it is where its value is.
func placed(g, x *Node) *Node {
	d := x.Device()
	switch {
	case g.Stored() && !d.Host:
		return ops.ToDevice(g, d)
	case g.Stored():
		return g // in memory that the device reads
	case g.IsConst():
		g = ops.Alias(g)
	}
	g.SetDevice(d)
	return g
}

// cotangent is what has arrived at a node: the first of it in sum, and what came later in more, until they are added.
type cotangent struct {
	sum   *Node
	more  []*Node
	parts []*Node // of a tuple: those of its outputs
}

func (c *cotangent) add(g *Node) {
	if c.sum == nil {
		c.sum = g
		return
	}
	c.more = append(c.more, g)
}

// total sums what has arrived.
func (c *cotangent) total() {
	terms := ops.JoinSlices(append([]*Node{c.sum}, c.more...))
	c.more = nil
	if len(terms) == 1 {
		c.sum = terms[0]
		return
	}
	if c.sum = ops.SumOntoIndices(terms, sumOf); c.sum == nil {
		c.sum = sumOf(terms)
	}
}

// sumOf adds up terms. Products of the same sizes, such as the gradients of a weight that every step of a sequence uses,
// become one product.
func sumOf(terms []*Node) *Node {
	if one := ops.SumOfProducts(terms); one != nil {
		return one
	}
	sum := terms[0]
	for _, g := range terms[1:] {
		sum = ops.Add(sum, g)
	}
	return sum
}

// references are nodes that a walk goes on with.
type references []*Node

func (c *references) hold(n *Node) *Node {
	if n.Trace() == nil { // values of a trace have no other references
		n.Ref()
		*c = append(*c, n)
	}
	return n
}

// release drops the references. What the caller gave or gets stays; other nodes without references end: they would hold what they are made
// of.
func (c *references) release(stay ...[]*Node) {
	for _, list := range stay {
		for _, n := range list {
			if n != nil {
				n.Ref()
			}
		}
	}
	for _, n := range *c {
		n.Unref()
	}
	for _, list := range stay {
		for _, n := range list {
			if n != nil {
				n.UnrefNoFree()
			}
		}
	}
}

func addTo(a, b *Node) *Node {
	if a == nil {
		return b
	}
	return ops.Add(a, b)
}

// OnLevel reports whether a node depends on the inputs of some open functional transform.
func OnLevel(n *Node) bool { return n.Level() != nil }

// OnTape reports whether Backward must see a node.
// What a leaf was made from is none of its business, and may be dropped while it looks.
func OnTape(n *Node) bool { return n.Tape() && !n.Leaf() }
