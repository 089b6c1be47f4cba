package graph

import (
	"cmp"
	"slices"
	"sync"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/scope"
)

// A function is recorded again for every new size, so that branches on sizes stay right. But the update of an optimizer is the same in all
// of these traces, and half of their nodes. It is recorded once: later traces have one node in its stead, which is matched with that of
// a plan by its address, and which is replaced by what it stands for where a plan is made.

// Part is a piece of a trace that others have too: what a piece of code makes of the values of some tensors.
type Part struct {
	sub  *Subgraph
	outs []partOut
}

// partOut is a tensor that the code assigns.
type partOut struct {
	at     int  // its number among the tensors
	leaf   bool // the value is a leaf, with the slot that the tensor had
	frozen bool // it has the slot of a tensor that required a gradient before
}

var opPart = Register(Op{Name: "part", Version: 1, Kind: Other, Inputs: AtLeast(0),
	Infer:      func(a attr.Attr, _ []*Node) []Spec { return a.(*Part).sub.Out },
	NotInFiles: engineAlone, NoKernel: "plans have what it stands for", NoGrad: "it is recorded where nothing has a gradient",
	NoVMap: "it is recorded outside of VMap"})

// Parts are those of one piece of code.
type Parts struct {
	mu   sync.Mutex
	list []*known
}

// maxParts is how many forms of a piece of code are known at a time.
const maxParts = 8

// known is what was recorded under a key.
type known struct {
	key    partKey
	inputs []partInput
	part   *Part // nil: it can be none
}

// partKey is all that the nodes depend on, next to the inputs.
type partKey struct {
	own       any
	noGrad    bool
	stop      bool
	det, wino bool
	cast      dtype.DType
	dev       any
}

// partInput is what they depend on of an input.
type partInput struct {
	spec   Spec
	dev    any
	leaf   bool
	frozen bool
	first  int // the first input that is the same node
}

func inputOf(in []*Node, i int) partInput {
	n := in[i]
	return partInput{Spec{n.shape, n.dtype}, n.Device(), n.leaf, n.Frozen(), slices.Index(in, n)}
}

func (p partInput) equal(q partInput) bool {
	return (p.spec.Shape == q.spec.Shape || p.spec.Shape.Equal(q.spec.Shape)) && p.spec.DType == q.spec.DType && p.dev == q.dev &&
		p.leaf == q.leaf && p.frozen == q.frozen && p.first == q.first
}

// recording is the trace that can have parts: that of a compiled function; nil if there is none.
func recording(st *scope.State) *Trace {
	t, _ := st.Trace.(*Trace)
	if t == nil || t.kind != TraceCompile || t.Export || st.CheckpointLevel != nil || Labelled() {
		return nil
	}
	return t
}

// Record runs f, which reads and assigns some tensors and no others, or records what it recorded in another trace. about gives those, and
// a key, which must be comparable and have all else that f depends on but scopes; it is asked in traces alone.
func (p *Parts) Record(about func() (key any, tensors []*Array), f func()) {
	st := scope.Current()
	t := recording(st)
	if t == nil {
		f()
		return
	}
	key, tensors := about()
	in := make([]*Node, len(tensors))
	defer func() {
		for _, n := range in {
			if n != nil {
				n.Unref()
			}
		}
	}()
	for i, h := range tensors {
		in[i] = h.acquire(t)
		if in[i].IsConst() || in[i].Level() != nil || h.IsView() {
			f()
			return
		}
	}
	k := partKey{key, st.NoGrad, st.Stop, st.IsDeterministic(), st.Winograd, st.Autocast, st.Device}
	part, ok := p.find(k, in)
	if !ok {
		part = t.recordPart(tensors, in, f)
		p.add(k, in, part)
	}
	switch {
	case part != nil:
		part.apply(tensors, in)
	case ok:
		f()
	}
}

func (p *Parts) find(k partKey, in []*Node) (part *Part, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, x := range p.list {
		if x.key != k || len(x.inputs) != len(in) {
			continue
		}
		same := true
		for i := range in {
			if same = x.inputs[i].equal(inputOf(in, i)); !same {
				break
			}
		}
		if same {
			return x.part, true
		}
	}
	return nil, false
}

func (p *Parts) add(k partKey, in []*Node, part *Part) {
	x := &known{key: k, inputs: make([]partInput, len(in)), part: part}
	for i := range in {
		x.inputs[i] = inputOf(in, i)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.list) == maxParts {
		p.list = slices.Delete(p.list, 0, 1)
	}
	p.list = append(p.list, x)
}

// recordPart runs f and makes a part of what it recorded; nil if that depends on more than the tensors, or does more than assign them.
func (t *Trace) recordPart(tensors []*Array, in []*Node, f func()) *Part {
	before := t.sizes(tensors)
	f()
	if t.sizes(tensors) != before {
		return nil
	}
	var outs []*Node
	p := &Part{}
	for _, i := range t.assigned(tensors) {
		n := tensors[i].acquire(t)
		n.Unref()
		if n == in[i] {
			continue
		}
		o := partOut{at: i, frozen: n.Frozen()}
		if n.leaf || o.frozen {
			if n.NumIn() != 1 || n.slot.Load() != in[i].slot.Load() {
				return nil
			}
			o.leaf, n = n.leaf, n.In(0)
		} else if n.slot.Load() != nil {
			return nil
		}
		if n.IsConst() || n.IsTuple() {
			return nil
		}
		outs, p.outs = append(outs, n), append(p.outs, o)
	}
	if len(outs) == 0 {
		return nil
	}
	plain := true
	sub, captured := NewSubgraph(outs, in, func(n *Node) bool {
		_, owns := n.attr.(*Control)
		plain = plain && !owns && n.op.Kind != Random && n.op != opPart && n.level == nil
		return !n.Stored() && !n.IsPlaceholder()
	})
	if len(captured) > 0 || !plain {
		return nil
	}
	p.sub = sub
	return p
}

// assigned numbers tensors as they were assigned: the outputs of the trace are in this order. The others come last.
func (t *Trace) assigned(tensors []*Array) []int {
	t.mu.Lock()
	defer t.mu.Unlock()
	order := make([]int, len(tensors))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		// -1, which is none, is the largest
		return cmp.Compare(uint(slices.Index(t.written, tensors[i])), uint(slices.Index(t.written, tensors[j])))
	})
	return order
}

// sizes counts what a trace knows, but for some tensors that are assigned.
func (t *Trace) sizes(but []*Array) [4]int {
	t.mu.Lock()
	defer t.mu.Unlock()
	others := 0
	for _, h := range t.written {
		if !slices.Contains(but, h) {
			others++
		}
	}
	return [4]int{len(t.captured), len(t.slots), len(t.effects), others}
}

// apply records the part over inputs, and assigns what it makes.
func (p *Part) apply(tensors []*Array, in []*Node) {
	n := NewTuple(opPart, p, in...)
	for k, o := range p.outs {
		v := TupleItem(n, k)
		if o.leaf || o.frozen {
			v.slot.Store(in[o.at].slot.Load())
		}
		if o.leaf {
			v.leaf = true
			v.flags.Or(flagTape)
		}
		tensors[o.at].Rebind(v)
	}
}

// WithoutParts returns the outputs of a trace with parts replaced by what they stand for. nodes are those behind the outputs, inputs
// first; became says what became of each, nil for parts and the items that show them. All is nil if there are no parts.
func WithoutParts(outs []*Node, x *Index) (all, became []*Node) {
	if !slices.ContainsFunc(x.Nodes, func(n *Node) bool { return n.op == opPart }) {
		return nil, nil
	}
	became = make([]*Node, len(x.Nodes))
	shown := map[int]*Node{} // by number of an item
	parts := map[int][]*Node{}
	now := func(n *Node) *Node {
		i := x.Get(n)
		if m := shown[i]; m != nil {
			return m
		}
		return became[i]
	}
	scope.With(func(s *scope.State) { s.NoGrad = true }, func() {
		for i, n := range x.Nodes {
			if n.Stored() || n.IsPlaceholder() {
				became[i] = n
				continue
			}
			if k, ok := n.IsTupleItem(); ok && n.In(0).op == opPart {
				shown[i] = parts[x.Get(n.In(0))][k]
				continue
			}
			in, changed := n.Ins(), false
			for k, m := range in {
				in[k] = now(m)
				changed = changed || in[k] != m
			}
			switch {
			case n.op == opPart:
				parts[i] = n.attr.(*Part).sub.Over(in)
			case changed:
				became[i] = Rerecord(n, in)
			default:
				became[i] = n
			}
		}
	})
	for _, o := range outs {
		all = append(all, now(o))
	}
	return all, became
}

// Bare returns a node that says what n is, and holds nothing.
func (n *Node) Bare() *Node {
	b := &Node{op: n.op, attr: n.attr, shape: n.shape, dtype: n.dtype, trace: n.trace, born: n.born}
	b.flags.Store(n.flags.Load() & (flagConst | flagItem))
	b.setNewDevice(n.Device())
	if n.IsTuple() {
		b.more = &extra{outs: n.more.outs}
	}
	return b
}
