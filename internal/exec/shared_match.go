package exec

import (
	"fmt"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// Immediate makes a 0-d immediate; the compiler provides it.
var Immediate func(d dtype.DType, v dtype.Scalar) *graph.Node

// binder binds a trace to a shared plan.
type binder struct {
	s        *SharedPlan
	t        *Traced
	changed  bool                 // some attribute is not the plan's
	folded   map[int32]attr.Const // by raw node: immediates with another value than the plan's
	lays     []*shape.Layout      // by planned node
	why      string
	compared int    // arguments and nodes that are as in the plan
	lowered  []step // as the plan has them before they were put together
	operands []operand
	programs []backend.Fused
	to       *Replay // space of one that ran once, to be used again; nil: there is none

	ends, change []int // of temporaries, see offsets
}

// fail notes why the trace cannot be bound.
func (b *binder) fail(format string, args ...any) bool {
	b.why = fmt.Sprintf(format, args...)
	return false
}

// raw is the node of the new trace that a planned node stands for.
func (b *binder) raw(node int32) *graph.Node { return b.node(b.s.nodes[node].raw) }

// node is a node of the new trace, or one that its parts stand for.
func (b *binder) node(raw int32) *graph.Node {
	nodes := b.t.idx.Nodes
	if k := int(raw) - len(nodes); k >= 0 {
		return b.s.fixed[k]
	}
	return nodes[raw]
}

// attr is the attribute of a planned node in the new trace.
func (b *binder) attr(node int32) attr.Attr {
	if n := &b.s.nodes[node]; n.rewrite {
		return n.fixed
	}
	return b.raw(node).Attr()
}

// match reports whether the trace has the structure of the plan's.
func (b *binder) match() bool {
	s, t := b.s, b.t
	t.number()
	switch {
	case len(t.idx.Nodes) != len(s.raw)-len(s.fixed):
		return b.fail("the trace has %d nodes, not %d", len(t.idx.Nodes), len(s.raw)-len(s.fixed))
	case len(t.Outs) != len(s.rawOuts) || len(t.Args) != len(s.rawArgs):
		return b.fail("the trace reads or writes other tensors")
	case s.dev != DefaultDevice() || s.share != t.Recompute:
		return b.fail("the default device changed")
	}
	if d := s.replay.ChangedDevice(); d != nil {
		return b.fail("a setting of device %v changed", d)
	}
	for i, o := range t.Outs {
		if int32(t.idx.Get(o)) != s.rawOuts[i] || t.Becomes[i] != s.becomes[i] {
			return b.fail("the trace returns or writes other values")
		}
	}
	for i, a := range t.Args {
		if k := s.rawArgs[i]; k >= 0 && !b.likeShape(&s.raw[k], a.Shape()) {
			return false
		}
		b.compared++
		if int32(t.idx.Get(a)) != s.rawArgs[i] || s.strided[i] != (t.Lays != nil && t.Lays[i] != nil) {
			return b.fail("argument or captured tensor %d is read otherwise, or has other strides", i)
		}
	}
	for i, n := range t.idx.Nodes {
		if b.compared++; !b.matchNode(i, n) {
			return false
		}
	}
	return b.matchRewrites()
}

// matchNode compares a node with the plan's.
func (b *binder) matchNode(i int, n *graph.Node) bool {
	s := b.s
	r := &s.raw[i]
	if n.Op() != r.op {
		return b.fail("node %d is %s, not %s", i, n.Op().Name, r.op.Name)
	}
	if n.DType() != r.dtype || n.Device() != r.dev || n.Stored() != r.stored || n.IsConst() != r.constant {
		return b.fail("%s has another dtype or device", r.op.Name)
	}
	if a := n.Attr(); a != nil || r.attr != nil {
		if !attr.Same(a, r.attr) {
			_, owns := a.(*graph.Control) // its subgraphs have plans of their own
			if b.changed = true; !owns && !attr.SameButSizes(a, r.attr) {
				return b.fail("%s has other attributes", r.op.Name)
			}
		}
	}
	if !b.likeShape(r, n.Shape()) {
		return false
	}
	if r.outs != nil || n.IsTuple() {
		if !n.IsTuple() || n.NumOut() != len(r.outs) {
			return b.fail("%s has other results", r.op.Name)
		}
		for k, o := range r.outs {
			if m := n.Out(k); m.DType != o.DType || !samePattern(m.Shape, o.Shape) {
				return b.fail("%s has a result of shape %v, not like %v", r.op.Name, m.Shape, o.Shape)
			}
		}
	}
	if r.stored {
		_, lay := n.Buffer()
		return lay.IsContiguous(n.Shape()) == r.inOrder || b.fail("a constant has other strides")
	}
	if n.IsPlaceholder() {
		return true
	}
	if n.NumIn() != int(r.numIn) {
		return b.fail("%s has %d operands, not %d", r.op.Name, n.NumIn(), r.numIn)
	}
	for k := range n.NumIn() {
		if int32(b.t.idx.Get(n.In(k))) != s.rawIn[int(r.firstIn)+k] {
			return b.fail("%s reads another value", r.op.Name)
		}
	}
	return true
}

// likeShape reports whether a node may have a shape.
func (b *binder) likeShape(r *rawNode, sh *shape.Shape) bool {
	if sh == r.shape || samePattern(sh, r.shape) {
		return true
	}
	what := r.op.Name
	if what == "placeholder" {
		what = "an argument or a captured tensor"
	}
	return b.fail("%s has shape %v, and the plan is for shapes like %v: sizes of 0 and 1 and other ranks have their own",
		what, sh, r.shape)
}

// samePattern reports whether shapes have the same rank and sizes of 0 and 1 in the same dimensions: these decide about broadcasting
// and strides.
func samePattern(a, b *shape.Shape) bool {
	if a.Rank() != b.Rank() {
		return false
	}
	for i, d := range a.Dims() {
		if e := b.Dim(i); d != e && (d < 2 || e < 2) {
			return false
		}
	}
	return true
}

// matchRewrites reports whether what was done to simplify the plan's trace may be done to this one.
func (b *binder) matchRewrites() bool {
	s := b.s
	for _, i := range s.checked {
		r := &s.raw[i]
		if r.how == Folded && !b.fold(i) {
			return false
		}
		if r.how == Neutral {
			for k := range r.numIn {
				if in := s.raw[s.rawIn[r.firstIn+k]].rep; b.constChanged(in) {
					return b.fail("%s has an operand that was a neutral number", r.op.Name)
				}
			}
		}
		if r.rep == i {
			continue
		}
		n, m := b.node(i), b.node(r.rep)
		if n.Shape() != m.Shape() && !n.Shape().Equal(m.Shape()) {
			return b.fail("%s of shape %v is not a value of shape %v any more", r.op.Name, n.Shape(), m.Shape())
		}
		if r.how != Merged {
			continue
		}
		c, isConst := n.Attr().(attr.Const)
		if d, too := m.Attr().(attr.Const); isConst && too {
			if constBits(c) != constBits(d) {
				return b.fail("numbers that were equal are not any more")
			}
		} else if !attr.Same(n.Attr(), m.Attr()) {
			return b.fail("results of %s that were equal are not any more", r.op.Name)
		}
	}
	return true
}

// constant is the value of an immediate of the new trace, by raw node.
func (b *binder) constant(raw int32) attr.Const {
	r := &b.s.raw[raw]
	if c, ok := b.folded[raw]; ok {
		return c
	}
	if r.folded != nil {
		return *r.folded
	}
	return b.node(raw).Attr().(attr.Const)
}

// planned is the value of an immediate of the plan's trace.
func (s *SharedPlan) planned(raw int32) (attr.Const, bool) {
	r := &s.raw[raw]
	if r.folded != nil {
		return *r.folded, true
	}
	c, ok := r.attr.(attr.Const)
	return c, ok && r.constant
}

// constChanged reports whether a raw node is an immediate with another value than in the plan.
func (b *binder) constChanged(raw int32) bool {
	was, ok := b.s.planned(raw)
	return ok && b.changed && constBits(was) != constBits(b.constant(raw))
}

// fold computes an immediate again if its operands have other values.
func (b *binder) fold(i int32) bool {
	s := b.s
	r := &s.raw[i]
	again := false
	for k := range r.numIn {
		again = again || b.constChanged(s.raw[s.rawIn[r.firstIn+k]].rep)
	}
	if !again {
		return true
	}
	in := make([]*graph.Node, r.numIn)
	for k := range in {
		c := b.constant(s.raw[int(s.rawIn[int(r.firstIn)+k])].rep)
		in[k] = Immediate(c.DType, c.Value)
	}
	v, err := HostNumber(graph.Rerecord(b.node(i), in))
	if err != nil {
		return b.fail("a number cannot be computed: %v", err)
	}
	if b.folded == nil {
		b.folded = map[int32]attr.Const{}
	}
	b.folded[i] = attr.Const{DType: r.folded.DType, Value: v}
	return true
}

// matchNodes finds the layouts of all values, and reports whether the decisions of the planner hold.
func (b *binder) matchNodes() bool {
	s := b.s
	for _, e := range s.edges {
		x, y := b.raw(e.node).Shape(), b.raw(e.in).Shape()
		if (x == y || x.Equal(y)) != e.same {
			return b.fail("%s has shape %v and an operand of shape %v: they fuse otherwise than in the plan", b.raw(e.node).Op().Name, x, y)
		}
	}
	b.lays = resize(b.lays, len(s.nodes))
	for i := range s.stridedNodes {
		b.lays[s.stridedNodes[i][1]] = b.t.layout(int(s.stridedNodes[i][0]))
	}
	for i := range s.nodes {
		if !b.layOut(i) {
			return false
		}
	}
	for _, q := range s.sameInputs {
		if !sameLayout(b.lays[q[0]], b.lays[q[1]]) {
			return b.fail("two operands of a fused program that showed the same elements do not any more")
		}
	}
	for _, q := range s.reductions {
		n := b.raw(q.node)
		m := b.raw(s.nodes[q.node].in)
		if q.dev.CanFuseReduction(n.Op().Name, b.attr(q.node), m.DType(), m.Shape()) != q.fuses {
			return b.fail("%s of shape %v is fused otherwise than in the plan", n.Op().Name, m.Shape())
		}
	}
	return true
}

// layOut finds the layout of a planned node.
func (b *binder) layOut(i int) bool {
	s := b.s
	f := &s.nodes[i]
	if f.class == classInput {
		if n := b.raw(int32(i)); !n.IsPlaceholder() && !n.IsTuple() {
			_, b.lays[i] = n.Buffer()
		}
		return (b.lays[i] != nil) == f.hasLay || b.fail("a constant is laid out otherwise")
	}
	if f.class != classAlias && f.class != classProducerView || f.item {
		return true
	}
	n, in := b.raw(int32(i)), b.raw(f.in).Shape()
	lay := b.lays[f.in]
	if r := &s.raw[f.raw]; n.Shape() == r.shape && in == s.raw[s.nodes[f.in].raw].shape && lay == s.nodes[f.in].lay &&
		(f.rewrite || attr.Same(n.Attr(), r.attr)) {
		if f.class == classAlias {
			b.lays[i] = f.lay
		}
		return true
	}
	if lay == nil {
		lay = shape.Contiguous(in)
	}
	to := n.Op().Layout(b.attr(int32(i)), in, lay, n.Shape())
	if f.class == classProducerView {
		if in.Numel() != n.Shape().Numel() || to == nil || to.Offset != 0 || !to.IsContiguous(n.Shape()) {
			return b.fail("%s does not show the whole result of a product any more", n.Op().Name)
		}
		return true
	}
	if (to == nil) != f.copied {
		return b.fail("%s to shape %v copies its operand, or does not any more", n.Op().Name, n.Shape())
	}
	if f.copied {
		to = n.Op().Layout(b.attr(int32(i)), in, shape.Contiguous(in), n.Shape())
	}
	if to.Offset == 0 && to.IsContiguous(n.Shape()) {
		to = nil
	}
	if (to != nil) != f.hasLay {
		return b.fail("%s to shape %v is laid out otherwise", n.Op().Name, n.Shape())
	}
	b.lays[i] = to
	return true
}
