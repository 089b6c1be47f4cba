package exec

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"sync/atomic"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// A plan is made for the sizes of one trace. Fusion groups, launches and their order, liveness, donation and prepared programs follow
// from the ops of the trace and hold for other sizes too, as long as every decision that was taken by a size would be taken again.
// SharedPlan is what is needed to find that out and to make the program for other sizes: one walk over the new trace, in which shapes,
// strides, attributes, buffer sizes and offsets are bound. Nothing is simplified, grouped or prepared a second time.

// SharedPlan is a plan to which traces of the same structure are bound.
type SharedPlan struct {
	replay  *Replay // the program for the first sizes
	dev     *backend.Device
	becomes []int
	share   float64
	strided []bool // by argument: it is not in row-major order
	// stridedNodes are those arguments, and the planned nodes they are.
	stridedNodes [][2]int32
	raw          []rawNode     // the nodes of the trace; behind them those that its parts stand for
	fixed        []*graph.Node // the latter, which are the same in every trace
	checked      []int32       // those whose simplification is to be looked at again
	rawIn        []int32       // inputs of raw nodes, one behind the other
	rawOuts      []int32       // the trace's outputs
	rawArgs      []int32       // its arguments, -1: not read
	nodes        []plannedNode
	outs         []int32 // planned nodes
	consts       []constUse
	edges        []shapeEdge
	orders       []arenaOrder
	mayFuse      bool // there may be row-fusion groups
	again        bool // some values are computed twice
	recordings   *recordings
	spare        atomic.Pointer[Replay] // space for a program that runs once
	decisions
}

// rawNode is a node of the trace before it was simplified.
type rawNode struct {
	op       *graph.Op
	attr     attr.Attr
	dtype    dtype.DType
	dev      *backend.Device
	shape    *shape.Shape
	firstIn  int32
	numIn    int32
	rep      int32 // the first node with the same value
	how      Rewrite
	stored   bool
	constant bool
	inOrder  bool        // of a stored node: it is in row-major order
	folded   *attr.Const // its value, if it was folded
	outs     []graph.Spec
}

// plannedNode is a node of the simplified trace.
type plannedNode struct {
	raw     int32 // where its shape and attributes come from
	in      int32 // its first input, a planned node; -1: none
	buf     int32 // where its value is, -1: nowhere
	class   class
	hasLay  bool
	copied  bool // of a view: the elements were brought in order first
	item    bool // of a tuple
	tuple   []location
	fixed   attr.Attr // instead of the raw node's, if rewritten
	rewrite bool
	lay     *shape.Layout // in the plan
}

// constUse is an immediate in a buffer.
type constUse struct{ node, buf int32 }

// shapeEdge is an elementwise node and one of its inputs, and whether they have the same shape.
type shapeEdge struct {
	node, in int32
	same     bool
}

// WhyElided says why a plan is not shared whose kernels write straight into concatenations: strides of its own would depend on sizes.
const WhyElided = "results are written straight into a concatenation"

// NewSharedPlan plans a trace from its simplified outputs, as newReplay does. The plan is nil where it cannot be shared; why says so.
func NewSharedPlan(t *Traced, simple []*graph.Node, w Rewritten) (r *Replay, plan *SharedPlan, why string, err error) {
	p, r, err := newReplay(simple, t.Args, t.Lays, t.Becomes, t.Recompute, t.NoElision)
	if err != nil {
		return nil, nil, "", err
	}
	t.number()
	plan = &SharedPlan{replay: r, dev: p.dev, becomes: t.Becomes, share: t.Recompute, decisions: p.decisions}
	if why = plan.describe(p, t, w); why != "" {
		return r, nil, why, nil
	}
	if r.capture != nil {
		plan.recordings = new(recordings)
		r.capture.recordings = plan.recordings
	}
	return r, plan, "", nil
}

// describe notes the structure of the trace and of its plan; it returns why the plan cannot be shared.
func (s *SharedPlan) describe(p *planner, t *Traced, w Rewritten) string {
	switch {
	case len(p.elisions) > 0:
		return WhyElided
	case len(w.Values) != len(t.planned().Nodes):
		return "the trace was rewritten as a whole"
	}
	of := rawNumbers{p: p, planned: make([]int32, len(p.idx.Nodes))}
	if why := s.describeTrace(t, w, &of); why != "" {
		return why
	}
	for copied, node := range w.Copies {
		of.set(copied, of.get(node))
	}
	if why := s.describeNodes(p, &of, t); why != "" {
		return why
	}
	for k := range p.lowered {
		st := &p.lowered[k]
		for _, o := range st.out {
			if o.lay != nil || o.item == math.MaxUint8 {
				return fmt.Sprintf("%s writes its result with strides of its own", st.op)
			}
		}
		op := graph.Lookup(st.op)
		_, axis := st.attr.(attr.Axis)
		reduces := st.fused != nil && st.fused.Reduction != nil || op != nil && op.Kind == graph.Reduce
		s.mayFuse = s.mayFuse || st.dev.RowFuser != nil && (axis || reduces)
	}
	s.orders, s.again = arenaOrders(p.prog), p.rematerialised
	return ""
}

// rawNumbers finds the first raw node of a value: by its number where it was planned, in a map where it was simplified away.
type rawNumbers struct {
	p       *planner
	planned []int32 // +1
	others  map[*graph.Node]int32
}

// get returns -1 if there is none.
func (r *rawNumbers) get(n *graph.Node) int32 {
	if k := r.p.idx.Get(n); k >= 0 {
		return r.planned[k] - 1
	}
	return r.others[n] - 1
}

func (r *rawNumbers) set(n *graph.Node, raw int32) {
	if k := r.p.idx.Get(n); k >= 0 {
		r.planned[k] = raw + 1
		return
	}
	if r.others == nil {
		r.others = map[*graph.Node]int32{}
	}
	r.others[n] = raw + 1
}

// rawOrder lists the nodes of the trace and behind them those that its parts stand for. number says by planned node which it is.
func (t *Traced) rawOrder() (nodes []*graph.Node, number []int32) {
	planned := t.planned()
	nodes, number = slices.Clone(t.idx.Nodes), make([]int32, len(planned.Nodes))
	for i, n := range t.idx.Nodes {
		if t.whole.became != nil {
			n = t.whole.became[i]
		}
		if n == nil {
			continue // a part, or an item of one
		}
		if k := planned.Get(n); k >= 0 {
			number[k] = int32(i) + 1
		}
	}
	for k := range number {
		if number[k]--; number[k] < 0 {
			number[k] = int32(len(nodes))
			nodes = append(nodes, planned.Nodes[k])
		}
	}
	return nodes, number
}

// describeTrace notes the nodes of the trace.
func (s *SharedPlan) describeTrace(t *Traced, w Rewritten, of *rawNumbers) (why string) {
	nodes, number := t.rawOrder()
	s.raw, s.rawIn = make([]rawNode, len(nodes)), make([]int32, 0, 2*len(nodes))
	for _, n := range nodes[len(t.idx.Nodes):] {
		s.fixed = append(s.fixed, n.Bare())
	}
	for i, n := range nodes {
		r, fixed := &s.raw[i], i >= len(t.idx.Nodes)
		*r = rawNode{op: n.Op(), attr: n.Attr(), dtype: n.DType(), dev: n.Device(), shape: n.Shape(), firstIn: int32(len(s.rawIn)),
			rep: int32(i), stored: n.Stored(), constant: n.IsConst()}
		if r.attr != nil && !reflect.TypeOf(r.attr).Comparable() {
			return fmt.Sprintf("%s has an attribute that cannot be compared", n.Op().Name)
		}
		if r.stored {
			_, lay := n.Buffer()
			r.inOrder = lay.IsContiguous(n.Shape())
		}
		if n.IsTuple() {
			for k := range n.NumOut() {
				r.outs = append(r.outs, n.Out(k))
			}
		}
		if !r.stored && !n.IsPlaceholder() {
			r.numIn = int32(n.NumIn())
			for k := range n.NumIn() {
				if fixed {
					s.rawIn = append(s.rawIn, number[t.planned().Get(n.In(k))])
				} else {
					s.rawIn = append(s.rawIn, int32(t.idx.Get(n.In(k))))
				}
			}
		}
	}
	for k, i := range number {
		r, v := &s.raw[i], w.Values[k]
		r.how = w.How[k]
		if rep := of.get(v); rep >= 0 {
			r.rep = rep
		} else {
			of.set(v, i)
		}
		if r.how == Folded || r.how == Neutral || r.rep != i && min(r.rep, i) < int32(len(t.idx.Nodes)) {
			s.checked = append(s.checked, i)
		}
		if r.how == Folded {
			c, ok := v.Attr().(attr.Const)
			if !ok {
				return "a number was computed while it was simplified"
			}
			r.folded = &c
		}
	}
	for _, o := range t.Outs {
		s.rawOuts = append(s.rawOuts, int32(t.idx.Get(o)))
	}
	for i, a := range t.Args {
		s.rawArgs = append(s.rawArgs, int32(t.idx.Get(a)))
		s.strided = append(s.strided, t.layout(i) != nil)
	}
	return ""
}

// describeNodes notes the nodes that were planned.
func (s *SharedPlan) describeNodes(p *planner, of *rawNumbers, t *Traced) string {
	s.nodes = make([]plannedNode, len(p.idx.Nodes))
	for i, n := range p.idx.Nodes {
		f, to := &p.info[i], &s.nodes[i]
		raw := of.get(n)
		if raw < 0 || n.Op().Transparent {
			return fmt.Sprintf("%s was made while the trace was simplified", n.Op().Name)
		}
		*to = plannedNode{raw: raw, in: -1, buf: f.at.buf, class: f.class, hasLay: f.at.lay != nil, tuple: f.tuple, lay: f.at.lay}
		r := &s.raw[raw]
		if f.class == classConst {
			if f.at.buf >= 0 {
				s.consts = append(s.consts, constUse{int32(i), f.at.buf})
			}
			continue
		}
		if !attr.Same(n.Attr(), r.attr) {
			if n.Op().Role != graph.RolePermute {
				return fmt.Sprintf("%s was rewritten", n.Op().Name)
			}
			to.fixed, to.rewrite = n.Attr(), true
		}
		if f.class == classInput {
			continue
		}
		if n.NumIn() > 0 {
			to.in = int32(p.idx.Get(n.In(0)))
		}
		switch f.class {
		case classAlias, classProducerView:
			_, to.item = n.IsTupleItem()
			to.copied = !to.item && to.in >= 0 && f.at.buf >= 0 && f.at.buf != p.info[to.in].at.buf
		case classElementwise:
			for k := range n.NumIn() {
				m := int32(p.idx.Get(n.In(k)))
				if min(raw, s.nodes[m].raw) >= int32(len(t.idx.Nodes)) {
					continue // of a part: it is the same in every trace
				}
				s.edges = append(s.edges, shapeEdge{int32(i), m, n.In(k).Shape().Equal(n.Shape())})
			}
		}
	}
	for i, a := range t.Args {
		if k := p.idx.Get(a); k >= 0 && s.strided[i] {
			s.stridedNodes = append(s.stridedNodes, [2]int32{int32(i), int32(k)})
		}
	}
	for _, o := range p.roots {
		s.outs = append(s.outs, int32(p.idx.Get(o)))
	}
	return ""
}

// constBits tells immediates apart by their bits.
func constBits(c attr.Const) constKey {
	return constKey{c.DType, c.Value.I, math.Float64bits(c.Value.F), math.Float64bits(c.Value.G)}
}
