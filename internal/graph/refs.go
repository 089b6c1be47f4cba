package graph

import (
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/shape"
)

// Ref adds a reference. The caller must hold one already, or know of one.
func (n *Node) Ref() { n.refs.Add(1) }

// TryRef adds a reference unless the node has died or was taken by a donation.
func (n *Node) TryRef() bool {
	for {
		r := n.refs.Load()
		if r <= 0 {
			return false
		}
		if n.refs.CompareAndSwap(r, r+1) {
			return true
		}
	}
}

// Take ends the node for a donation if it has exactly want references; it cannot be referenced afterwards.
func (n *Node) Take(want int) bool { return n.refs.CompareAndSwap(int32(want), -taken) }

const taken = 1 << 30

// Untake gives back a node that was taken with Take(want). Claims may have been dropped, or made by who took it, in between.
func (n *Node) Untake(want int) {
	n.refs.Add(int32(taken + want + 1))
	n.Unref()
}

// Unref drops a reference. At the last one the node gives back its buffer and drops its inputs; what dies with it
// is found by a loop, since graphs are deep.
func (n *Node) Unref() {
	if n.refs.Add(-1) != 0 {
		return
	}
	stack := []*Node{n}
	for len(stack) > 0 {
		d := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		d.dropBuffers()
		if !d.takeInputs() {
			continue
		}
		for i := range d.NumIn() {
			if m := d.In(i); m.refs.Add(-1) == 0 {
				stack = append(stack, m)
			}
		}
		d.in = [2]*Node{}
		if d.more != nil {
			d.more.in = nil
		}
	}
}

// UnrefNoFree drops a reference of a caller that still uses the node: the node does not end with the last one.
func (n *Node) UnrefNoFree() { n.refs.Add(-1) }

// Discard ends nodes without references, except those of keep and what they depend on: otherwise evaluations would retain their inputs
// until the collector finds them. Nodes of a trace are left to the collector.
func Discard(nodes, keep []*Node) {
	for _, n := range keep {
		if n != nil {
			n.Ref()
		}
	}
	for _, n := range nodes {
		if n.trace == nil {
			n.Ref()
			n.Unref()
		}
	}
	for _, n := range keep {
		if n != nil {
			n.UnrefNoFree()
		}
	}
}

func (n *Node) dropBuffers() {
	if b := n.buf.Swap(nil); b != nil {
		b.Unref()
	}
	if n.more != nil {
		for _, b := range n.more.bufs {
			b.Unref()
		}
		n.more.bufs = nil
	}
}

// DropBuffer forgets the value of a node taken by a donation; the buffer lives on in the node that took it.
func (n *Node) DropBuffer() { n.buf.Store(nil) }

// Restore returns its value, in the same layout, to a node that was taken.
func (n *Node) Restore(b *mem.Buffer) {
	b.Ref()
	n.buf.Store(b)
}

// Store gives the node its value. The engine calls it once, while it holds the plan lock.
func (n *Node) Store(b *mem.Buffer, l *shape.Layout) {
	n.lay = l
	b.Ref()
	n.buf.Store(b)
}

// StoreTuple gives a tuple its values.
func (n *Node) StoreTuple(bufs []*mem.Buffer) {
	for _, b := range bufs {
		b.Ref()
	}
	n.more.bufs = bufs
}

// Unstore takes a value back after its evaluation was cancelled: the node is pending again.
func (n *Node) Unstore() { n.dropBuffers() }

// RetainsInputs reports whether a stored node must go on holding its inputs: a tape or an open transform reads them.
func (n *Node) RetainsInputs() bool {
	return n.Level() != nil || n.Tape() && !n.leaf || n.trace != nil && !n.trace.closed.Load()
}

// takeInputs reports whether the caller is the one to drop the inputs: the end of an evaluation and the death of the
// last reference may come at the same time.
func (n *Node) takeInputs() bool { return n.flags.Or(flagDropped)&flagDropped == 0 }

// DropInputs forgets the inputs of a stored node. The caller holds the plan lock.
func (n *Node) DropInputs() {
	if !n.takeInputs() {
		return
	}
	ins := n.in
	n.in = [2]*Node{}
	var list []*Node
	if n.more != nil {
		list, n.more.in = n.more.in, nil
	}
	for _, m := range ins {
		if m != nil {
			m.Unref()
		}
	}
	for _, m := range list {
		m.Unref()
	}
}

// ReleaseTape takes the node off the tape; a stored node drops its inputs. The caller holds the plan lock.
func (n *Node) ReleaseTape() {
	if n.leaf {
		return
	}
	n.flags.And(^flagTape)
	n.flags.Or(flagFreed)
	if n.ready() && !n.RetainsInputs() {
		n.DropInputs()
	}
}

// ready reports whether the value is there: while it is only on its way, the evaluation may be given up, and drops the inputs
// itself if not.
func (n *Node) ready() bool {
	if b := n.buf.Load(); b != nil {
		return b.Ready()
	}
	for _, b := range n.TupleBuffers() {
		if !b.Ready() {
			return false
		}
	}
	return n.Stored()
}

// Adopt makes a fresh alias of a stored node show its buffer at once, and lets the input go.
func (n *Node) Adopt(x *Node) {
	b, lay := x.Buffer()
	n.Store(b, lay)
	n.DropInputs()
}
