package compile

import (
	"sync"
	"sync/atomic"

	"github.com/lucid-go/lucid/internal/scope"
)

// GuardCell is Go state that traces depend on, such as a module's training mode: a trace that read it is made anew when
// it changed.
type GuardCell struct {
	What string // why a trace is made anew
	v    atomic.Int64
}

// Load reads the cell; inside a trace the value becomes part of the trace's key.
func (c *GuardCell) Load() int64 {
	v := c.v.Load()
	if w, ok := scope.Current().GuardCells.(*cellWatch); ok {
		w.add(c, v)
	}
	return v
}

// Store changes the cell.
func (c *GuardCell) Store(v int64) { c.v.Store(v) }

type guardCell struct {
	cell  *GuardCell
	value int64
}

// cellWatch collects the cells and the modules a trace reads.
type cellWatch struct {
	mu   sync.Mutex
	seen map[*GuardCell]int64
	*moduleWatch
}

// WatchCells makes what scope.State.GuardCells holds while a function is traced that no guard is made for.
func WatchCells() any { return watchCells(nil) }

func watchCells(m *moduleWatch) *cellWatch {
	return &cellWatch{seen: map[*GuardCell]int64{}, moduleWatch: m}
}

func (w *cellWatch) add(c *GuardCell, v int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, ok := w.seen[c]; !ok {
		w.seen[c] = v
	}
}

// read lists the cells; it is not nil.
func (w *cellWatch) read() []guardCell {
	cells := make([]guardCell, 0, len(w.seen))
	for c, v := range w.seen {
		cells = append(cells, guardCell{c, v})
	}
	return cells
}
