package graph

import (
	"math"
	"slices"
	"sync/atomic"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/scope"
	"github.com/lucid-go/lucid/internal/shape"
)

// traces counts the traces begun, so that a node can tell whether it is older than a trace.
var traces atomic.Uint32

// New records op over in: Infer checks the operands and gives the specs, nothing is computed. An op with several
// outputs gives a tuple node; TupleItem shows its parts.
func New(op *Op, a attr.Attr, in ...*Node) *Node {
	specs := op.Infer(a, in)
	n := Make(op, a, specs[0], in...)
	if len(specs) > 1 {
		n.makeTuple(specs)
	}
	return n
}

// NewTuple is New for ops whose outputs are shown by items even when there is only one.
func NewTuple(op *Op, a attr.Attr, in ...*Node) *Node {
	specs := op.Infer(a, in)
	n := Make(op, a, specs[0], in...)
	n.makeTuple(specs)
	return n
}

// makeTuple gives the node several outputs.
func (n *Node) makeTuple(specs []Spec) {
	if n.more == nil {
		n.more = new(extra)
	}
	n.more.outs = specs
	if !n.dtype.IsInexact() {
		n.tapeTuple()
	}
}

// tapeTuple puts a tuple on the tape whose first output is an integer, by which finish took it off: another output may have a gradient.
func (n *Node) tapeTuple() {
	inexact := slices.ContainsFunc(n.more.outs, func(s Spec) bool { return s.DType.IsInexact() })
	if !inexact || n.op.NoGrad != "" || scope.Current().NoGrad {
		return
	}
	if slices.ContainsFunc(n.Ins(), func(m *Node) bool { return m.flags.Load()&flagTape != 0 }) {
		n.flags.Or(flagTape)
	}
}

// Make records op over in with a known spec. It is New for callers that have checked already.
func Make(op *Op, a attr.Attr, spec Spec, in ...*Node) *Node {
	switch len(in) {
	case 0:
		return finish(op, a, spec, nil, nil, nil)
	case 1:
		return finish(op, a, spec, in[0], nil, nil)
	case 2:
		return finish(op, a, spec, in[0], in[1], nil)
	}
	return finish(op, a, spec, nil, nil, append([]*Node(nil), in...))
}

// Make1 is Make for one input; it does not allocate a slice.
func Make1(op *Op, a attr.Attr, sh *shape.Shape, d dtype.DType, x *Node) *Node {
	return finish(op, a, Spec{sh, d}, x, nil, nil)
}

// Make2 is Make for two inputs.
func Make2(op *Op, a attr.Attr, sh *shape.Shape, d dtype.DType, x, y *Node) *Node {
	return finish(op, a, Spec{sh, d}, x, y, nil)
}

func finish(op *Op, a attr.Attr, spec Spec, x, y *Node, list []*Node) *Node {
	st := scope.Current()
	n := newNode(st)
	n.op, n.attr, n.shape, n.dtype, n.born = op, a, spec.Shape, spec.DType, traces.Load()
	holds := 0 // bytes of stored inputs
	if list != nil {
		n.more = &extra{in: list}
		for _, m := range list {
			holds += n.inherit(op, m)
		}
	} else {
		n.in[0], n.in[1] = x, y
		if x != nil {
			holds += n.inherit(op, x)
		}
		if y != nil {
			holds += n.inherit(op, y)
		}
	}
	if op.Nondeterministic != "" && st.IsDeterministic() {
		fault.Throw(fault.NotImplemented, op.Name,
			"has no deterministic form: %s; want it outside Deterministic and SetDeterministic(true)", op.Nondeterministic)
	}
	if n.flags.Load()&flagTape != 0 && (st.NoGrad || op.NoGrad != "" || !n.dtype.IsInexact()) {
		n.flags.And(^flagTape)
	}
	if n.Device() == nil && (op.Kind == Random || x == nil && list == nil) {
		d, _ := st.Device.(*backend.Device)
		n.setNewDevice(d) // a random key is on no device; its samples go to the scope's device
	}
	if x == nil && list == nil {
		n.trace, _ = st.Trace.(*Trace)
	}
	if st.Stop {
		n.stop()
	}
	if keep, ok := st.CheckpointLevel.(*Level); ok {
		n.level = Deeper(n.level, keep)
		n.flags.Or(flagRecomputable)
	}
	n.depth = satAdd16(n.depth, 1)
	if op.Kind != Elementwise && op.Kind != View {
		holds = n.Bytes() // else it takes no memory while it waits: it holds what it reads
	}
	n.kib = satAdd32(n.kib, uint32(min(holds>>10, math.MaxUint32)))
	if op.Checks || n.Bytes() >= siteBytes || labels.Load() > 0 {
		n.noteSite()
	}
	return n
}

// inherit takes over from an input what a node inherits: device, trace, level, tape, pending depth. It returns the bytes of an input
// that is stored.
func (n *Node) inherit(op *Op, m *Node) int {
	m.refs.Add(1)
	if d, was := m.Device(), n.Device(); d != nil && d != was {
		if was != nil {
			fault.Throw(fault.DeviceMismatch, op.Name, "operands are on %v and %v; move one with To", was, d)
		}
		n.dev.Store(d)
	}
	if m.trace != nil && m.trace != n.trace {
		n.trace = deeperTrace(n.trace, m.trace)
	}
	if m.level != nil && m.level != n.level {
		n.level = Deeper(n.level, m.level)
	}
	if m.flags.Load()&flagTape != 0 {
		n.flags.Or(flagTape)
	}
	if m.buf.Load() != nil {
		return m.Bytes()
	}
	n.depth = max(n.depth, m.depth)
	n.kib = max(n.kib, m.kib)
	return 0
}

func satAdd16(a, b uint16) uint16 {
	if a > math.MaxUint16-b {
		return math.MaxUint16
	}
	return a + b
}

func satAdd32(a, b uint32) uint32 {
	if a > math.MaxUint32-b {
		return math.MaxUint32
	}
	return a + b
}

// NewStored returns a node that already has its value.
func NewStored(b *mem.Buffer, spec Spec, dev *backend.Device) *Node {
	return NewStoredView(b, spec, dev, nil)
}

// NewStoredView is NewStored for a value with a layout.
func NewStoredView(b *mem.Buffer, spec Spec, dev *backend.Device, lay *shape.Layout) *Node {
	n := &Node{op: opData, shape: spec.Shape, dtype: spec.DType, born: traces.Load()}
	n.setNewDevice(dev)
	n.Store(b, lay)
	return n
}

var noInfer = func(attr.Attr, []*Node) []Spec { panic("lucid: internal: this node is made by the engine alone") }

const engineAlone = "it is made by the engine alone"

// The three ops that the graph itself knows: a value given by the user, an output of a tuple node, and a placeholder without a value.
var (
	opData = Register(Op{Name: "data", Version: 1, Kind: Source, Inputs: Exactly(0), Infer: noInfer,
		NotInFiles: engineAlone, NoKernel: "holds the user's own values", NoGrad: "has no inputs", NoVMap: "has no inputs"})
	opItem = Register(Op{Name: "item", Version: 1, Kind: Other, Inputs: Exactly(1), Infer: noInfer,
		NotInFiles: engineAlone, NoKernel: "is one output of a node with several",
		NoGrad: "its tuple node has the rule", NoVMap: "its tuple node has the rule"})
	opPlaceholder = Register(Op{Name: "placeholder", Version: 1, Kind: Source, Inputs: Exactly(0), Infer: noInfer,
		NotInFiles: engineAlone, NoKernel: "stands for an argument of a trace", NoGrad: "has no inputs", NoVMap: "has no inputs"})
)

// TupleItem shows output i of a tuple.
func TupleItem(tuple *Node, i int) *Node {
	n := finish(opItem, attr.TupleItem{Index: i}, tuple.more.outs[i], tuple, nil, nil)
	n.flags.Or(flagItem)
	// NoGrad on opItem took the tape off; the tuple has it.
	if tuple.Tape() && n.dtype.IsInexact() {
		n.flags.Or(flagTape)
	}
	return n
}

// TupleItems shows all outputs of a tuple, or the node itself.
func TupleItems(n *Node) []*Node {
	if !n.IsTuple() {
		return []*Node{n}
	}
	out := make([]*Node, n.NumOut())
	for i := range out {
		out[i] = TupleItem(n, i)
	}
	return out
}

// IsTupleItem reports whether the node shows an output of a tuple, and which.
func (n *Node) IsTupleItem() (int, bool) {
	if n.flags.Load()&flagItem == 0 {
		return 0, false
	}
	return n.attr.(attr.TupleItem).Index, true
}

// IsPlaceholder reports whether the node is a placeholder.
func (n *Node) IsPlaceholder() bool { return n.op == opPlaceholder }

// NewPlaceholder returns a value-less node for argument number i of a trace.
func NewPlaceholder(t *Trace, i int, spec Spec, dev *backend.Device) *Node {
	n := &Node{op: opPlaceholder, attr: attr.TupleItem{Index: i}, shape: spec.Shape, dtype: spec.DType, trace: t,
		born: traces.Load(), depth: 1}
	n.setNewDevice(dev)
	return n
}

// MarkConst makes n an immediate: 0-d, taken by elementwise ops as it is.
func (n *Node) MarkConst() *Node {
	n.flags.Or(flagConst)
	n.dev.Store(nil)
	return n
}

// SetLevel makes n an input of a functional transform.
func (n *Node) SetLevel(l *Level) { n.level = l }

// SetDevice sets where a source node is computed.
func (n *Node) SetDevice(d *backend.Device) { n.dev.Store(d) }

// setNewDevice is SetDevice for a new node, which has none yet.
func (n *Node) setNewDevice(d *backend.Device) {
	if d != nil {
		n.dev.Store(d)
	}
}

// MakeDetached records op over x as a value that no tape and no transform sees through.
func MakeDetached(op *Op, x *Node) *Node {
	n := finish(op, nil, Spec{x.shape, x.dtype}, x, nil, nil)
	n.flags.And(^flagTape)
	n.level = nil
	return n
}

// BeginEpoch returns a mark: nodes made from now on are Since it.
func BeginEpoch() uint32 { return traces.Add(1) }

// Since reports whether the node was made after the mark was taken.
func (n *Node) Since(epoch uint32) bool { return n.born >= epoch }
