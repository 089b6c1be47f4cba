package compile

import (
	"math"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/exec"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
	"github.com/lucid-go/lucid/internal/scope"
)

// A trace assumes how captured tensors are laid out, so those that have no value yet are computed before it is used.
// State that starts as zeros shows one number in a buffer for all; the first run would have to write its next value
// elsewhere, and the second would find another layout. It is written out instead: zeros add up to the same bits in
// any order.

// ready computes captured tensors that the program reads; first is the position of the first of them behind the arguments.
// It reports whether some are laid out otherwise than the trace assumed.
func (e *entry) ready(first int, k *call) (moved bool, err error) {
	var roots, held []*graph.Node
	defer func() {
		for _, n := range held {
			n.Unref()
		}
	}()
	type change struct {
		h       *graph.Array
		old, to *graph.Node
	}
	var changes []change
	shown := make([]*graph.Array, len(e.captured))
	for i := range e.captured {
		h := e.captured[i].now(k.leaves)
		if shown[i] = h; h == nil {
			return false, errMoved
		}
		n := h.Raw()
		if !e.prog.Reads(first+i) || n == nil || !n.TryRef() {
			continue
		}
		held = append(held, n)
		zeros := false
		if e.donate[first+i] {
			exec.Locked(func() { zeros = isZeros(n) })
		}
		switch {
		case zeros:
			to := ops.Contiguous(ops.StopGradient(n))
			to.Ref()
			held, roots, changes = append(held, to), append(roots, to), append(changes, change{h, n, to})
		case !n.Stored():
			roots = append(roots, n)
		}
	}
	if err := exec.Eval(scope.Current().Context(), roots...); err != nil {
		return false, err
	}
	for _, c := range changes {
		if s := c.old.OwnSlot(); s != nil {
			c.to = ops.NewStored(c.to, s, !c.old.Leaf())
		}
		c.h.Replace(c.old, c.to)
	}
	for i, h := range shown {
		if n := h.Raw(); n != nil && e.prog.Reads(first+i) {
			s := specOf(n)
			moved = moved || e.specs[i].differs(s) != ""
			e.specs[i] = s
		}
	}
	return moved, nil
}

// isZeros reports whether all elements of n are shown by one number in memory, which is 0. No plan is being made meanwhile.
func isZeros(n *graph.Node) bool {
	for !n.Stored() && !n.IsConst() {
		if n.Op().Kind != graph.View || n.NumIn() != 1 {
			return false
		}
		n = n.In(0)
	}
	if n.IsConst() {
		v := n.Attr().(attr.Const).Value
		return v.I == 0 && math.Float64bits(v.F) == 0 && math.Float64bits(v.G) == 0
	}
	b, lay := n.Buffer()
	if b == nil || b.Mem == nil || lay == nil || !b.Ready() {
		return false
	}
	for i, s := range lay.Strides {
		if s != 0 && n.Dim(i) > 1 {
			return false
		}
	}
	size := n.DType().Size()
	for _, x := range b.Mem[lay.Offset*size : (lay.Offset+1)*size] {
		if x != 0 {
			return false
		}
	}
	return n.Shape().Numel() > 0
}
