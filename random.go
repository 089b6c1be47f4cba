package lucid

import (
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
	"github.com/lucid-go/lucid/internal/shape"
)

// Generator makes random numbers; it is safe for concurrent use. The zero value is not ready: see NewGenerator.
// With{Generator: g} draws from it, everything else from the default one; package random draws by explicit keys.
type Generator struct{ g *ops.Generator }

// NewGenerator returns a generator of its own.
func NewGenerator(seed uint64) *Generator { return &Generator{ops.NewGenerator(seed)} }

// Seed restarts the generator.
func (g *Generator) Seed(seed uint64) { g.g.Seed(seed) }

// InitialSeed returns what the generator was seeded with last.
func (g *Generator) InitialSeed() uint64 { return g.g.InitialSeed() }

// State returns the generator's state, a key; SetState restores it.
func (g *Generator) State() *Tensor { return wrap(g.g.State()) }

// SetState continues where another generator was.
func (g *Generator) SetState(key *Tensor) {
	n := acquire(key)
	defer release(n)
	g.g.SetState(n)
}

// Key returns a fresh key for the functions of package random, and moves the generator on.
func (g *Generator) Key() *Tensor { return wrap(g.g.Next()) }

// DefaultGenerator is the generator of functions that name none.
func DefaultGenerator() *Generator { return &Generator{ops.Default} }

// Seed restarts the default generator.
func Seed(seed uint64) { ops.Default.Seed(seed) }

// InitialSeed returns what the default generator was seeded with last.
func InitialSeed() uint64 { return ops.Default.InitialSeed() }

// GetRNGState returns the state of the default generator.
func GetRNGState() *Tensor { return DefaultGenerator().State() }

// SetRNGState restores the state of the default generator.
func SetRNGState(key *Tensor) { DefaultGenerator().SetState(key) }

// nextKey draws a key from the generator w names.
func (w With) nextKey() *graph.Node {
	if w.Generator != nil {
		return w.Generator.g.Next()
	}
	return ops.Default.Next()
}

func (w With) random(op string, sizes []int, f func(key *graph.Node, s *shape.Shape, d DType) *graph.Node) *Tensor {
	return w.made(func() *graph.Node { return f(w.nextKey(), shape.Of(op, sizes...), w.dtypeOr(ops.DefaultFloat())) })
}

// likeX is w with x's dtype and device where it names none.
func (w With) likeX(x *Tensor) With {
	w.DType = w.dtypeOr(x.DType())
	if w.Device.Type == "" {
		w.Device = x.Device()
	}
	return w
}

// Rand makes numbers uniform in [0, 1).
func Rand(sizes ...int) *Tensor { return With{}.Rand(sizes...) }

// Rand makes numbers uniform in [0, 1).
func (w With) Rand(sizes ...int) *Tensor { return w.uniform("rand", 0, 1, sizes) }

// RandLike makes numbers uniform in [0, 1) with x's shape, dtype and device.
func RandLike(x *Tensor) *Tensor { return With{}.RandLike(x) }

// RandLike makes numbers uniform in [0, 1) with x's shape, and its dtype and device where w names none.
func (w With) RandLike(x *Tensor) *Tensor { return w.likeX(x).uniform("rand_like", 0, 1, x.Shape()) }

// Uniform makes numbers uniform in [low, high).
func (w With) Uniform(low, high float64, sizes ...int) *Tensor {
	return w.uniform("uniform", low, high, sizes)
}

// uniform is Uniform for the function op.
func (w With) uniform(op string, low, high float64, sizes []int) *Tensor {
	return w.random(op, sizes, func(k *graph.Node, s *shape.Shape, d DType) *graph.Node {
		if !d.IsFloat() {
			fault.Throw(fault.DType, op, "dtype %v; want a floating dtype", d)
		}
		return ops.RandomUniform(k, s, low, high, d)
	})
}

// Randn makes standard normal numbers.
func Randn(sizes ...int) *Tensor { return With{}.Randn(sizes...) }

// Randn makes standard normal numbers.
func (w With) Randn(sizes ...int) *Tensor { return w.normal("randn", sizes) }

// normal makes standard normal numbers for the function op.
func (w With) normal(op string, sizes []int) *Tensor {
	return w.random(op, sizes, func(k *graph.Node, s *shape.Shape, d DType) *graph.Node {
		if !d.IsInexact() {
			fault.Throw(fault.DType, op, "dtype %v; want a floating or complex dtype", d)
		}
		return ops.RandomNormal(k, s, 0, 1, d)
	})
}

// RandnLike makes standard normal numbers with x's shape, dtype and device.
func RandnLike(x *Tensor) *Tensor { return With{}.RandnLike(x) }

// RandnLike makes standard normal numbers with x's shape, and its dtype and device where w names none.
func (w With) RandnLike(x *Tensor) *Tensor { return w.likeX(x).normal("randn_like", x.Shape()) }

// RandInt makes integers in [low, high), int64, each equally likely.
func RandInt(low, high any, sizes ...int) *Tensor { return With{}.RandInt(low, high, sizes...) }

// RandInt makes integers in [low, high), each equally likely, over all 64 bits: bounds are Go integers, int64 unless w
// names a dtype. A floating dtype holds integers.
func (w With) RandInt(low, high any, sizes ...int) *Tensor {
	return w.integers("randint", low, high, sizes)
}

// integers is RandInt for the function op.
func (w With) integers(op string, low, high any, sizes []int) *Tensor {
	d := w.dtypeOr(Int64)
	return w.random(op, sizes, func(k *graph.Node, s *shape.Shape, _ DType) *graph.Node {
		if d.IsInexact() {
			return ops.Cast(ops.RandomInt(k, s, low, high, Int64), d)
		}
		return ops.RandomInt(k, s, low, high, d)
	})
}

// RandIntLike makes integers in [low, high) with x's shape, dtype and device.
func RandIntLike(x *Tensor, low, high any) *Tensor { return With{}.RandIntLike(x, low, high) }

// RandIntLike makes integers in [low, high) with x's shape, and its dtype and device where w names none.
func (w With) RandIntLike(x *Tensor, low, high any) *Tensor {
	return w.likeX(x).integers("randint_like", low, high, x.Shape())
}

// RandPerm makes 0 … n-1 in random order, int64.
func RandPerm(n int) *Tensor { return With{}.RandPerm(n) }

// RandPerm makes 0 … n-1 in random order, int64 unless w names a dtype.
func (w With) RandPerm(n int) *Tensor {
	return w.made(func() *graph.Node { return ops.Cast(ops.RandomPermutation(w.nextKey(), n, 8), w.dtypeOr(Int64)) })
}
