package cabi

import (
	"sync"
	"sync/atomic"

	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
)

// Handle is the number of a tensor, or of a function. 0 is none.
type Handle uint64

const (
	chunkBits = 10
	chunkSize = 1 << chunkBits
	maxChunks = 1 << 14 // 16 million tensors
)

// slot is a position of the table. Its generation is odd while it is in use.
type slot struct {
	node atomic.Pointer[graph.Node]
	gen  atomic.Uint32
	next atomic.Uint32 // in the list of free slots: position + 1
}

// table finds nodes by handle, without a lock.
type table struct {
	chunks [maxChunks]atomic.Pointer[[chunkSize]slot]
	free   atomic.Uint64 // position + 1 of the first free slot; above it a count, so that an old head is not mistaken for a new one
	grow   sync.Mutex
	used   uint32 // slots in all chunks
	live   atomic.Int64
}

var tensors table

func (t *table) at(i uint32) *slot { return &t.chunks[i>>chunkBits].Load()[i&(chunkSize-1)] }

// put gives a node a handle, which takes over the caller's reference.
func (t *table) put(n *graph.Node) Handle {
	i := t.pop()
	s := t.at(i)
	s.node.Store(n)
	t.live.Add(1)
	return Handle(s.gen.Add(1))<<32 | Handle(i+1)
}

// pop takes a free slot.
func (t *table) pop() uint32 {
	for {
		head := t.free.Load()
		i := uint32(head)
		if i == 0 {
			t.more()
			continue
		}
		next := t.at(i - 1).next.Load()
		if t.free.CompareAndSwap(head, (head>>32+1)<<32|uint64(next)) {
			return i - 1
		}
	}
}

func (t *table) push(i uint32) {
	s := t.at(i)
	for {
		head := t.free.Load()
		s.next.Store(uint32(head))
		if t.free.CompareAndSwap(head, (head>>32+1)<<32|uint64(i+1)) {
			return
		}
	}
}

// more adds a chunk of free slots.
func (t *table) more() {
	t.grow.Lock()
	defer t.grow.Unlock()
	if uint32(t.free.Load()) != 0 {
		return
	}
	c := t.used >> chunkBits
	if c >= maxChunks {
		fault.Throw(fault.OutOfMemory, "handle", "there are %d tensors; free some", t.used)
	}
	t.chunks[c].Store(new([chunkSize]slot))
	first := t.used
	t.used += chunkSize
	for i := first + chunkSize; i > first; i-- {
		t.push(i - 1)
	}
}

// slot finds the slot of a handle; nil if the handle is none.
func (t *table) slot(h Handle) *slot {
	i := uint32(h)
	if i == 0 || (i-1)>>chunkBits >= maxChunks {
		return nil
	}
	c := t.chunks[(i-1)>>chunkBits].Load()
	if c == nil {
		return nil
	}
	s := &c[(i-1)&(chunkSize-1)]
	if g := uint32(h >> 32); g&1 == 0 || s.gen.Load() != g {
		return nil
	}
	return s
}

// get returns the node of a handle, with a reference for the caller.
func (t *table) get(op string, h Handle) *graph.Node {
	for spin := 0; ; spin++ {
		s := t.slot(h)
		if s == nil {
			fault.Throw(fault.Freed, op, "%#x is no tensor, or one that was freed", uint64(h))
		}
		n := s.node.Load()
		if n == nil || !n.TryRef() {
			graph.Pause(spin) // it is being freed or replaced
			continue
		}
		if s.gen.Load() == uint32(h>>32) {
			return n
		}
		n.Unref()
	}
}

// replace makes a handle show another node of the same value, whose reference it takes over.
func (t *table) replace(op string, h Handle, old, n *graph.Node) {
	s := t.slot(h)
	if s == nil || !s.node.CompareAndSwap(old, n) {
		n.Unref()
		return
	}
	old.Unref()
}

// drop frees a handle; it reports whether there was one.
func (t *table) drop(h Handle) bool {
	s := t.slot(h)
	if s == nil || !s.gen.CompareAndSwap(uint32(h>>32), uint32(h>>32)+1) {
		return false
	}
	n := s.node.Swap(nil)
	t.push(uint32(h) - 1)
	t.live.Add(-1)
	n.Unref()
	return true
}

// Live returns how many tensors have a handle.
func Live() int { return int(tensors.live.Load()) }
