package door

import (
	"github.com/lucid-go/lucid/internal/exec"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/scope"
)

// Update is a change of several handles that happens to all of them or to none.
type Update struct {
	handles []*graph.Array
	old     []*graph.Node // what they showed, not referenced: the evaluation may write over it
}

// BeginUpdate notes what the handles show. Their values must be stored: a pending one has nothing to fall back to.
func BeginUpdate(handles []*graph.Array) *Update {
	u := &Update{handles: handles, old: make([]*graph.Node, len(handles))}
	for i, h := range handles {
		u.old[i] = h.Peek()
	}
	return u
}

// Start evaluates what the handles show now, and others, without waiting. If that fails, the handles have their old values, and report
// is called with the reason; else with nil. It is called by the goroutine that evaluates, and must not block.
func (u *Update) Start(others []*graph.Array, report func(error)) error {
	roots := make([]*graph.Node, 0, len(others)+len(u.handles))
	for _, h := range others {
		roots = append(roots, h.Acquire())
	}
	var pairs []exec.Fallback
	for i, h := range u.handles {
		n := h.Acquire()
		roots = append(roots, n)
		if n != u.old[i] {
			pairs = append(pairs, exec.Fallback{New: n, Old: u.old[i]})
		}
	}
	defer func() {
		for _, n := range roots {
			n.Unref()
		}
	}()
	return exec.UpdateAsync(scope.Current().Context(), roots, pairs, report)
}
