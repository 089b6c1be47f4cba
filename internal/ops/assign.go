package ops

import (
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/shape"
)

// AssignValue brings a value to the dtype and shape of what a handle shows.
func AssignValue(old *Node, v Operand) *Node {
	n := stored("assign", v, old.DType())
	if !shape.BroadcastsTo(n.Shape(), old.Shape()) {
		fault.Throw(fault.Shape, "assign", "a value of shape %v does not fit a tensor of shape %v", n.Shape(), old.Shape())
	}
	if n.IsConst() && n.Shape().Equal(old.Shape()) {
		n = Alias(n)
	}
	return broadcastTo(n, old.Shape())
}
