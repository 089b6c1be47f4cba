package graph

import (
	"sync/atomic"
	"weak"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/shape"
)

// Node is an immutable value. It is pending (no buffer, inputs held), scheduled (a buffer whose event is open),
// available (a buffer), or failed (a buffer whose event holds an error).
type Node struct {
	op    *Op
	shape *shape.Shape
	dev   atomic.Pointer[backend.Device] // a plan may note it later
	attr  attr.Attr
	in    [2]*Node
	more  *extra
	buf   atomic.Pointer[mem.Buffer]
	lay   *shape.Layout        // written before buf
	slot  atomic.Pointer[Slot] // where Backward leaves a gradient: always on a leaf, on others by wish
	trace *Trace
	level *Level
	refs  atomic.Int32 // handles + edges; below 0: taken by a donation
	kib   uint32       // bytes held while it is pending, own and the largest input's, saturating
	born  uint32       // number of traces begun before it was made
	depth uint16       // pending depth, saturating
	dtype dtype.DType
	leaf  bool
	flags atomic.Uint32
}

// extra holds what few nodes have.
type extra struct {
	in   []*Node       // inputs when there are more than two
	outs []Spec        // of a tuple: its outputs
	bufs []*mem.Buffer // of a tuple: its values
	site *Site         // of an op that checks values: where it was recorded

	holder weak.Pointer[Array] // the handle of a large value that is watched
	held   atomic.Bool         // and still has its reference
}

const (
	flagTape               uint32 = 1 << iota // on the imperative tape
	flagFreed                                 // its part of the tape was released by Backward
	flagItem                                  // output number attr.TupleItem of a tuple
	flagConst                                 // a 0-d immediate
	flagUnstored                              // left unstored by an evaluation; the next consumer stores it
	flagDropped                               // its inputs are dropped, or about to be
	flagInlineHandle                          // part of a nodeWithHandle whose handle is not in use yet
	flagRecomputable                          // made inside Checkpoint: computed again rather than stored for a handle's sake
	flagStopped                               // made inside NoGrad: reverse mode does not see through it
	flagCheckpointBoundary                    // on the edge of a Checkpoint: stored by whatever evaluation computes it
)

// Op returns the node's op.
func (n *Node) Op() *Op { return n.op }

// Attr returns the node's attributes.
func (n *Node) Attr() attr.Attr { return n.attr }

// Shape returns the shape of the value; for a tuple, that of its first output.
func (n *Node) Shape() *shape.Shape { return n.shape }

// Rank returns the number of dimensions.
func (n *Node) Rank() int { return n.shape.Rank() }

// Dim returns a size; negative counts from the end.
func (n *Node) Dim(i int) int { return n.shape.Dim(i) }

// DType returns the element type.
func (n *Node) DType() dtype.DType { return n.dtype }

// Device returns where the value is or will be computed.
func (n *Node) Device() *backend.Device { return n.dev.Load() }

// NumIn returns the number of inputs held.
func (n *Node) NumIn() int {
	switch {
	case n.more != nil && n.more.in != nil:
		return len(n.more.in)
	case n.in[0] == nil:
		return 0
	case n.in[1] == nil:
		return 1
	}
	return 2
}

// In returns input i.
func (n *Node) In(i int) *Node {
	if n.more != nil && n.more.in != nil {
		return n.more.in[i]
	}
	return n.in[i]
}

// Ins returns the inputs in a fresh slice.
func (n *Node) Ins() []*Node {
	s := make([]*Node, n.NumIn())
	for i := range s {
		s[i] = n.In(i)
	}
	return s
}

// NumOut returns the number of outputs: 1, or more for a tuple.
func (n *Node) NumOut() int {
	if n.more != nil && n.more.outs != nil {
		return len(n.more.outs)
	}
	return 1
}

// IsTuple reports whether the node stands for several outputs, shown by item nodes.
func (n *Node) IsTuple() bool { return n.more != nil && n.more.outs != nil }

// Out returns the spec of output i.
func (n *Node) Out(i int) Spec {
	if n.IsTuple() {
		return n.more.outs[i]
	}
	return Spec{n.shape, n.dtype}
}

// IsConst reports whether the node is a 0-d immediate, which elementwise ops take as it is.
func (n *Node) IsConst() bool { return n.flags.Load()&flagConst != 0 }

// Trace returns the trace the node belongs to, nil if none.
func (n *Node) Trace() *Trace { return n.trace }

// Tape reports whether Backward must see the node.
func (n *Node) Tape() bool { return n.flags.Load()&flagTape != 0 }

// OnTape reports whether Backward must see what the node was computed from.
func (n *Node) OnTape() bool { return n.Tape() && !n.leaf }

// TapeFreed reports whether Backward already released the node's part of the tape.
func (n *Node) TapeFreed() bool { return n.flags.Load()&flagFreed != 0 }

// Slot returns where the node's gradient goes, nil if nowhere.
func (n *Node) Slot() *Slot { return n.slot.Load() }

// Leaf reports whether Backward ends here.
func (n *Node) Leaf() bool { return n.leaf }

// Level returns the innermost open functional transform the node depends on.
func (n *Node) Level() *Level { return n.level.effective() }

// PendingDepth returns the length of the longest chain of pending nodes that ends here.
func (n *Node) PendingDepth() int { return int(n.depth) }

// PendingBytes returns an estimate of what evaluating would keep alive.
func (n *Node) PendingBytes() int { return int(n.kib) << 10 }

// Buffer returns the stored value and its layout; nil if pending.
func (n *Node) Buffer() (*mem.Buffer, *shape.Layout) {
	b := n.buf.Load()
	if b == nil {
		return nil, nil
	}
	return b, n.lay
}

// Stored reports whether the node has a buffer.
func (n *Node) Stored() bool { return n.buf.Load() != nil || n.more != nil && n.more.bufs != nil }

// TupleBuffers returns the values of a stored tuple.
func (n *Node) TupleBuffers() []*mem.Buffer {
	if n.more == nil {
		return nil
	}
	return n.more.bufs
}

// View returns the stored value as a kernel operand.
func (n *Node) View() backend.View {
	b, l := n.Buffer()
	return backend.View{Buf: b, DType: n.dtype, Shape: n.shape, Lay: l}
}

// Refs returns the number of references.
func (n *Node) Refs() int { return int(n.refs.Load()) }

// Unstored reports whether an evaluation computed the node without storing it.
func (n *Node) Unstored() bool { return n.flags.Load()&flagUnstored != 0 }

// MarkUnstored notes that an evaluation computed the node without storing it.
func (n *Node) MarkUnstored() { n.flags.Or(flagUnstored) }

// Recomputable reports whether the node was made inside Checkpoint, where a handle is no reason to store a value.
func (n *Node) Recomputable() bool {
	return n.flags.Load()&(flagRecomputable|flagCheckpointBoundary) == flagRecomputable
}

// CheckpointBoundary reports whether the value is one that others are computed again from.
func (n *Node) CheckpointBoundary() bool { return n.flags.Load()&flagCheckpointBoundary != 0 }

// MarkCheckpointBoundary says that others will be computed again from the value.
func (n *Node) MarkCheckpointBoundary() { n.flags.Or(flagCheckpointBoundary) }

// Bytes returns the size of the value.
func (n *Node) Bytes() int { return n.shape.Numel() * n.dtype.Size() }
