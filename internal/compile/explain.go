package compile

import (
	"runtime"
	"slices"
	"sync"

	"github.com/lucid-go/lucid/internal/exec"
	"github.com/lucid-go/lucid/internal/tree"
)

// registry has the compiled functions: functions cannot be compared, their code and data pointer can.
var registry sync.Map // uintptr → *Function

// Remember makes Find give c for f.
func Remember(f any, c *Function) {
	p := tree.Pointer(f)
	key := uintptr(p)
	registry.Store(key, c)
	// When no one holds the function any more, its traces go. By then another function may have the same address.
	runtime.AddCleanup((*byte)(p), func(c *Function) { registry.CompareAndDelete(key, c) }, c)
}

// Find returns what Remember noted for a function, nil if nothing.
func Find(f any) *Function {
	c, _ := registry.Load(uintptr(tree.Pointer(f)))
	found, _ := c.(*Function)
	return found
}

// Remembered counts the functions that Find knows.
func Remembered() (n int) {
	registry.Range(func(_, _ any) bool { n++; return true })
	return n
}

// Report is what a function did so far.
type Report struct {
	Name     string
	Traces   int      // made so far
	Plans    int      // made so far: traces of the same structure share one
	Unshared []string // why each plan but the first was made
	Reasons  []string // why each was made
	Address  []string // why modules among the arguments are known by their address
	Bytes    int      // of the traces that are stored
	Stored   []Stored // traces that are stored, the most recently used first
}

// Stored is a trace that is stored for later calls.
type Stored struct {
	Inlined string // why it cannot be replayed; what follows is then not set
	Steps   int
	Graph   string
	Memory  []exec.Memory
}

// Report tells what the function did.
func (c *Function) Report() Report {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := Report{Name: c.o.Name, Traces: c.traces, Plans: c.planned, Unshared: slices.Clone(c.unshared), Reasons: slices.Clone(c.reasons)}
	r.Bytes, r.Address = c.cache.bytes, slices.Clone(c.addressed)
	for e := range c.cache.all() {
		if e.inline {
			r.Stored = append(r.Stored, Stored{Inlined: e.why})
			continue
		}
		r.Stored = append(r.Stored, Stored{Steps: e.prog.Steps(), Graph: e.prog.Graph(), Memory: e.prog.Memory()})
	}
	return r
}
