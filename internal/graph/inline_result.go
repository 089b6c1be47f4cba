package graph

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/shape"
)

// InlineResult is a small value that is about to be computed: its buffer, its node and the node's first handle as one object. A compiled
// function allocates them at every call, and one object costs a third of three.
type InlineResult struct {
	nodeWithHandle // comes first: a node that is part of one leads back to it
	buf            mem.Buffer
}

// nodeWithHandle is a node and its first handle.
type nodeWithHandle struct {
	node   Node
	handle Array
}

// NewInlineResult returns a value of n bytes; nil if the pool has no memory on the Go heap for so many.
func NewInlineResult(p *mem.Pool, n int) *InlineResult {
	switch {
	case !p.OnHeap(n):
		return nil
	case n <= mem.Inline:
		r := new(struct {
			InlineResult
			data [mem.Inline / 8]uint64
		})
		r.buf.SetGoMemory(r.data[:], n)
		return &r.InlineResult
	}
	r := new(InlineResult)
	p.AllocSmall(&r.buf, n)
	return r
}

// Buffer returns the memory of the value.
func (f *InlineResult) Buffer() *mem.Buffer { return &f.buf }

// MakeNode makes the node, once the value is there.
func (f *InlineResult) MakeNode(spec Spec, dev *backend.Device, lay *shape.Layout) *Node {
	n := &f.node
	n.op, n.shape, n.dtype, n.born, n.lay = opData, spec.Shape, spec.DType, traces.Load(), lay
	n.setNewDevice(dev)
	n.buf.Store(&f.buf)
	f.buf.Ref()
	n.flags.Store(flagInlineHandle)
	return n
}

// firstHandle returns the handle that was allocated with the node to the first caller; nil to all others.
func (n *Node) firstHandle() *Array {
	if n.flags.Load()&flagInlineHandle == 0 || n.flags.And(^flagInlineHandle)&flagInlineHandle == 0 {
		return nil
	}
	return &(*nodeWithHandle)(unsafe.Pointer(n)).handle
}
