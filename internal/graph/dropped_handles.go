package graph

import (
	"sync/atomic"
	"weak"
)

// A handle that the program dropped without Free is a reference until the collector finds it. Handles of nodes that hold large values
// are watched: after a collection the engine can tell that such a handle is unreachable, and need not store the value for it.

// WatchedBytes is the size from which a value is watched: less is not worth what it costs, near a microsecond.
var WatchedBytes atomic.Int64

func init() { WatchedBytes.Store(1 << 20) }

// Watch notes that h is the only reference to the node so far, if the node's value is large or the node holds a large one.
func (n *Node) Watch(h *Array) {
	if n.trace != nil || n.Stored() || n.refs.Load() != 1 || int64(n.weight()) < WatchedBytes.Load() {
		return
	}
	if n.more == nil {
		n.more = new(extra)
	}
	n.more.holder = weak.Make(h)
	n.more.held.Store(true)
}

// weight is the size of the largest value that is there while the node is referenced.
func (n *Node) weight() int {
	w := n.Bytes()
	if n.op.Kind == View || n.op.Kind == Elementwise {
		for i := range n.NumIn() {
			w = max(w, n.In(i).Bytes())
		}
	}
	return w
}

// unwatch notes that a handle drops its reference itself.
func (n *Node) unwatch() {
	if n.more != nil {
		n.more.held.Store(false)
	}
}

// ReleaseDroppedHandle drops the reference of a handle that the collector found unreachable. The caller knows of another reference.
func (n *Node) ReleaseDroppedHandle() {
	if n.more != nil && n.more.held.Load() && n.more.holder.Value() == nil && n.more.held.CompareAndSwap(true, false) {
		n.refs.Add(-1)
	}
}
