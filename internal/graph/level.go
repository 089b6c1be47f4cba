package graph

import "sync/atomic"

// Level is one running functional transform (Grad, VJP, JVP). A node that depends on its inputs carries it, and
// keeps its own inputs while the level is open, so that a value read inside the function does not cut the graph.
type Level struct {
	parent *Level
	depth  int
	closed atomic.Bool
	// Forward says that tangents are carried, which NoGrad does not stop.
	Forward bool
}

// NewLevel opens a level inside parent, which may be nil.
func NewLevel(parent *Level) *Level {
	parent = parent.effective()
	d := 1
	if parent != nil {
		d = parent.depth + 1
	}
	return &Level{parent: parent, depth: d}
}

// Close ends the level: nodes that carry it count as carrying its parent.
func (l *Level) Close() { l.closed.Store(true) }

func (l *Level) effective() *Level {
	for l != nil && l.closed.Load() {
		l = l.parent
	}
	return l
}

// Deeper returns the more deeply nested of two levels.
func Deeper(a, b *Level) *Level {
	if a == b {
		return a
	}
	a, b = a.effective(), b.effective()
	if a == nil {
		return b
	}
	if b == nil || a.depth >= b.depth {
		return a
	}
	return b
}

// stop takes a node off the level whose function recorded it inside NoGrad.
func (n *Node) stop() {
	if n.level = n.level.effective(); n.level != nil && !n.level.Forward {
		n.level = nil
	}
	n.flags.Or(flagStopped)
}

// Stopped reports whether the node was recorded inside NoGrad.
func (n *Node) Stopped() bool { return n.flags.Load()&flagStopped != 0 }
