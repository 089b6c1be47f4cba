package graph

import (
	"sync/atomic"

	"github.com/lucid-go/lucid/internal/scope"
)

// The nodes of a trace that is compiled end together, soon after the function returned. They and their handles are allocated a block at a
// time: a function is recorded again for every new size, and half of that was allocation.

// traceBlock is room for some nodes of a trace.
type traceBlock struct {
	used  atomic.Int32
	nodes [traceBlockNodes]nodeWithHandle
}

const traceBlockNodes = 28 // with their handles 4 KiB

// newNode allocates a node of the state's trace, or one of none.
func newNode(st *scope.State) *Node {
	t, _ := st.Trace.(*Trace)
	if t == nil || t.kind != TraceCompile {
		return new(Node)
	}
	b := t.block.Load()
	for {
		if b != nil {
			if i := b.used.Add(1); i <= traceBlockNodes {
				n := &b.nodes[i-1].node
				n.flags.Store(flagInlineHandle)
				return n
			}
		}
		next := new(traceBlock)
		if !t.block.CompareAndSwap(b, next) { // another goroutine of the function made one
			b = t.block.Load()
			continue
		}
		b = next
	}
}
