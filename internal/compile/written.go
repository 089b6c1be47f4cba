package compile

import (
	"slices"

	"github.com/lucid-go/lucid/internal/graph"
)

// written is a tensor from outside that the function assigns.
type written struct {
	h        *graph.Array // as it was when the trace was made; nil: an argument
	at       int          // its position among those captured; -1: nowhere
	arg      int
	slot     *graph.Slot // of a leaf; nil for others
	local    bool        // the leaf was made inside: each call gives it a slot of its own
	retained bool        // it is no leaf any more, and has the slot still
}

// handle returns the tensor among a call's arguments, or the one that was captured.
func (w *written) handle(k *call) *graph.Array {
	switch {
	case w.h == nil:
		return k.in[w.arg]
	case w.at >= 0:
		return k.state[w.at]
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
func (e *entry) aliased(in []*graph.Array) bool {
	now := func(h *graph.Array) bool {
		return slices.ContainsFunc(e.captured, func(c captured) bool { return c.now() == h })
	}
	for i := range e.written {
		w := &e.written[i]
		var h *graph.Array
		switch {
		case w.h == nil:
			h = in[w.arg]
		case w.at >= 0:
			h = e.captured[w.at].now()
		default:
			h = w.h
		}
		for k, x := range in {
			if (w.h != nil || k != w.arg) && x == h {
				return true
			}
		}
		if w.h == nil && (h.IsView() || now(h)) {
			return true
		}
	}
	return false
}
