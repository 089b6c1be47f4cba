package lucid

import (
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
	"github.com/lucid-go/lucid/internal/shape"
)

// Generator makes random numbers; it is safe for concurrent use. The zero value is not ready: see NewGenerator.
type Generator struct{ g *ops.Generator }

// NewGenerator returns a generator of its own.
func NewGenerator(seed uint64) *Generator { return &Generator{ops.NewGenerator(seed)} }

// Seed restarts the generator.
func (g *Generator) Seed(seed uint64) { g.g.Seed(seed) }

// InitialSeed returns what the generator was seeded with last.
func (g *Generator) InitialSeed() uint64 { return g.g.InitialSeed() }

// State returns the generator's state, a key; SetState restores it.
func (g *Generator) State() *Tensor {
	n := g.g.Handle().Acquire()
	defer n.Unref()
	return wrap(ops.Alias(n))
}

// SetState continues where another generator was.
func (g *Generator) SetState(key *Tensor) {
	n := acquire(key)
	defer release(n)
	g.g.Handle().Rebind(ops.AssignValue(g.g.Handle().Peek(), n))
}

// DefaultGenerator is the generator of functions that name none.
func DefaultGenerator() *Generator { return &Generator{ops.Default} }

// Seed restarts the default generator.
func Seed(seed uint64) { ops.Default.Seed(seed) }

func (w With) random(op string, sizes []int, f func(key *graph.Node, s *shape.Shape, d DType) *graph.Node) *Tensor {
	d := w.dtypeOr(ops.DefaultFloat())
	return w.done(f(ops.Default.Next(), shape.Of(op, sizes...), d))
}

// Rand makes numbers uniform in [0, 1).
func Rand(sizes ...int) *Tensor { return With{}.Rand(sizes...) }

// Rand makes numbers uniform in [0, 1).
func (w With) Rand(sizes ...int) *Tensor {
	return w.random("rand", sizes, func(k *graph.Node, s *shape.Shape, d DType) *graph.Node { return ops.RandomUniform(k, s, 0, 1, d) })
}

// Randn makes standard normal numbers.
func Randn(sizes ...int) *Tensor { return With{}.Randn(sizes...) }

// Randn makes standard normal numbers.
func (w With) Randn(sizes ...int) *Tensor {
	return w.random("randn", sizes, func(k *graph.Node, s *shape.Shape, d DType) *graph.Node { return ops.RandomNormal(k, s, 0, 1, d) })
}
