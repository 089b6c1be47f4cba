package ops

import (
	"sync"

	"github.com/lucid-go/lucid/internal/backend/threefry"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/scope"
	"github.com/lucid-go/lucid/internal/shape"
)

// Generator is a source of keys: a handle on a key that every draw splits in two, safe for concurrent use.
// Inside a compiled function the handle is captured like any other state.
type Generator struct {
	mu   sync.Mutex
	seed uint64
	key  *graph.Array
}

// NewGenerator returns a generator seeded with seed.
func NewGenerator(seed uint64) *Generator {
	return &Generator{seed: seed, key: graph.Wrap(Key(seed))}
}

// Default is the generator of functions that name none.
var Default = NewGenerator(0)

// Seed restarts the generator.
func (g *Generator) Seed(seed uint64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.seed = seed
	g.key.Rebind(Key(seed))
}

// InitialSeed returns what the generator was seeded with last.
func (g *Generator) InitialSeed() uint64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.seed
}

// drawInside is how a key is made inside VMap: next gives one key, split gives many of it.
type drawInside = func(next func() *Node, split func(n int) *Node) *Node

// Next returns a fresh key and moves the generator on. Inside VMap the transform decides whether examples share it.
func (g *Generator) Next() *Node {
	if draw, ok := scope.Current().Random.(drawInside); ok {
		return draw(g.next, func(n int) *Node { return Split(g.next(), n) })
	}
	return g.next()
}

// next splits the key: the first half stays, the second goes out. A key whose words are at hand is split at once, so
// that a long run of draws grows no graph.
func (g *Generator) next() *Node {
	g.mu.Lock()
	defer g.mu.Unlock()
	old := g.key.Acquire()
	defer old.Unref()
	if k0, k1, ok := keyWords(old); ok {
		var w [4]uint32
		threefry.Fill(k0, k1, dtype.Bytes(w[:]))
		g.key.Rebind(keyOf(w[0], w[1]))
		return keyOf(w[2], w[3])
	}
	both := Split(old, 2)
	out := KeyAt(both, 1) // a reference to both: the caller who evaluates the generator's key lets go of it
	g.key.Rebind(KeyAt(both, 0))
	return out
}

// keyWords reads a key that is in host memory and is no placeholder.
func keyWords(n *Node) (k0, k1 uint32, ok bool) {
	if n.Trace() != nil || !n.Stored() || n.Device() != nil && !n.Device().Host {
		return 0, 0, false
	}
	buf, _ := n.Buffer()
	if buf == nil || buf.Mem == nil || !buf.Ready() {
		return 0, 0, false
	}
	v := n.View()
	st := v.Strides()[0]
	w := dtype.Slice[uint32](buf.Mem)
	return w[v.Offset()], w[v.Offset()+st], true
}

// State returns the generator's key.
func (g *Generator) State() *Node {
	n := g.key.Acquire()
	defer n.Unref()
	return Alias(n)
}

// SetState continues from a key that State gave.
func (g *Generator) SetState(key *Node) {
	if key.DType() != dtype.Uint32 || !key.Shape().Equal(shape.Of("set_state", 2)) {
		fault.Throw(fault.Value, "set_state", "a state is uint32 of shape [2], not %v of shape %v; take one with State",
			key.DType(), key.Shape())
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.key.Rebind(key)
}

// Handle returns the handle that shows the generator's key, for saving and restoring.
func (g *Generator) Handle() *graph.Array { return g.key }
