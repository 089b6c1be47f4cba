package compile

import (
	"slices"

	"github.com/lucid-go/lucid/internal/graph"
)

// written is a tensor from outside that the function assigns.
type written struct {
	h        *graph.Array // as it was when the trace was made; nil for an argument and what is in one
	at       int          // its position among those captured; -1: nowhere
	leaf     int          // the tensor of a module among the arguments that it is, from 1; 0: none
	isArg    bool
	arg      int
	slot     *graph.Slot // of a leaf; nil for others
	local    bool        // the leaf was made inside: each call gives it a slot of its own
	retained bool        // it is no leaf any more, and has the slot still
}

// handle returns the tensor among a call's arguments, or the one that was captured.
func (w *written) handle(k *call) *graph.Array {
	switch {
	case w.isArg:
		return k.in[w.arg]
	case w.at >= 0:
		return k.state[w.at]
	case w.leaf > 0:
		return k.leaves[w.leaf-1]
	}
	return w.h
}

// assigned notes that the function leaves a value in a tensor from outside.
func (e *entry) assigned(t *graph.Trace, w written, final *graph.Node) {
	if final.Leaf() {
		w.slot = final.Slot()
		w.local = w.slot.MadeIn(t)
	} else if final.Frozen() {
		w.slot, w.retained = final.Slot(), true
		w.local = w.slot.MadeIn(t)
	} else if final.Tape() {
		e.inline, e.why = true, "an assigned value requires a gradient"
	}
	e.written = append(e.written, w)
}

// aliased reports whether one of the arguments is also another argument or a captured tensor, and the function assigns one of
// them: the trace takes each to be a tensor of its own. It also reports an assigned argument that is a view, which is refused.
func (e *entry) aliased(k *call) bool {
	outside := func(h *graph.Array) bool { // a captured tensor that is in no argument
		return slices.ContainsFunc(e.captured, func(c captured) bool { return c.leaf == 0 && c.now(k.leaves) == h })
	}
	for i := range e.written {
		w := &e.written[i]
		var h *graph.Array
		switch {
		case w.isArg:
			h = k.in[w.arg]
		case w.leaf > 0:
			h = k.leaves[w.leaf-1]
		case w.at >= 0:
			h = e.captured[w.at].now(k.leaves)
		default:
			h = w.h
		}
		for j, x := range k.in {
			if (!w.isArg || j != w.arg) && x == h {
				return true
			}
		}
		if w.leaf == 0 && slices.Contains(k.leaves, h) || w.leaf > 0 && outside(h) {
			return true
		}
		if w.isArg && (h.IsView() || outside(h)) {
			return true
		}
	}
	return slices.ContainsFunc(e.grads, func(g gradOut) bool { return e.aliasedSlot(k, g) })
}

// aliasedSlot reports whether a gradient that is written belongs to a tensor in an argument and to one outside.
func (e *entry) aliasedSlot(k *call, g gradOut) bool {
	if len(k.leaves) == 0 || g.of >= 0 {
		return false
	}
	if g.leaf > 0 {
		s := slotNow(nil, g.leaf, k.leaves)
		return slices.ContainsFunc(e.captured, func(c captured) bool { return c.leaf == 0 && c.slot != nil && c.slot == s })
	}
	return slices.ContainsFunc(k.leaves, func(h *graph.Array) bool {
		n := h.Raw()
		return n != nil && n.OwnSlot() == g.slot
	})
}
