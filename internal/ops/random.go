package ops

import (
	"math"
	"sync"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/scope"
	"github.com/lucid-go/lucid/internal/shape"
)

var opRandomBits *graph.Op

var uintOfWidth = map[int]dtype.DType{1: dtype.Uint8, 2: dtype.Uint16, 4: dtype.Uint32, 8: dtype.Uint64}

func init() {
	opRandomBits = graph.Register(graph.Op{Name: "random_bits", Version: 1, Kind: graph.Random, NoGrad: "its result does not vary with the key",
		// The key is (batch…, 2) uint32; the result (batch…, dims…).
		Infer: func(a attr.Attr, in []*Node) []graph.Spec {
			b := a.(attr.Bits)
			k := in[0].Shape()
			if in[0].DType() != dtype.Uint32 || k.Rank() == 0 || k.Dim(-1) != 2 {
				fault.Throw(fault.Shape, "random_bits", "a key is uint32 of shape [2], not %v of shape %v; make one with random.Key", in[0].DType(), k)
			}
			return []graph.Spec{{Shape: shape.Of("random_bits", append(k.Clone()[:k.Rank()-1], b.Dims.Slice()...)...), DType: uintOfWidth[b.Width]}}
		},
		VMap: func(n *Node, in []*Node, _ []bool, _ int) []*Node {
			return []*Node{graph.New(opRandomBits, n.Attr(), in[0])}
		}})
}

// Key makes a key from a seed: its high and its low word.
func Key(seed uint64) *Node {
	b := dtype.Bytes([]uint32{uint32(seed >> 32), uint32(seed)})
	return graph.NewStored(mem.FromGo(b), graph.Spec{Shape: shape.Of("key", 2), DType: dtype.Uint32}, nil)
}

// RandomBits returns random words of width bytes.
func RandomBits(key *Node, s *shape.Shape, width int) *Node {
	if _, ok := uintOfWidth[width]; !ok {
		fault.Throw(fault.Value, "random_bits", "width %d; want 1, 2, 4 or 8 bytes", width)
	}
	return graph.New(opRandomBits, attr.Bits{Width: width, Dims: attr.MakeInts(s.Dims()...)}, key)
}

// Split returns n fresh keys from one, as the rows of an (n, 2) value.
func Split(key *Node, n int) *Node { return RandomBits(key, shape.Of("split", n, 2), 4) }

// RandomUniform returns numbers in [low, high) of a floating dtype: a 32-bit word over its largest value, kept below 1.
func RandomUniform(key *Node, s *shape.Shape, low, high Operand, d dtype.DType) *Node {
	if !d.IsFloat() {
		fault.Throw(fault.DType, "uniform", "dtype %v; want a floating dtype", d)
	}
	work := d
	if d.IsHalf() {
		work = dtype.Float32
	}
	bits := Cast(RandomBits(key, s, 4), work)
	u := Minimum(Div(bits, float64(math.MaxUint32)), Number(work, belowOne(d)))
	lo, hi := as("uniform", low, work), as("uniform", high, work)
	return Cast(Add(Mul(u, Sub(hi, lo)), lo), d)
}

// belowOne is the largest value below 1.
func belowOne(d dtype.DType) float64 {
	switch d {
	case dtype.Float16:
		return 1 - 1.0/2048
	case dtype.BFloat16:
		return 1 - 1.0/256
	case dtype.Float64:
		return math.Nextafter(1, 0)
	}
	return float64(math.Nextafter32(1, 0))
}

// RandomNormal returns standard normal numbers, scaled and shifted: √2·erfinv of a uniform in (-1, 1).
func RandomNormal(key *Node, s *shape.Shape, loc, scale Operand, d dtype.DType) *Node {
	if d.IsComplex() {
		// Two halves of variance 1/2 each.
		keys := Split(key, 2)
		part := func(i int) *Node {
			return Mul(RandomNormal(Reshape(SliceDim(keys, 0, i, 1, 1), 2), s, 0, 1, d.Real()), math.Sqrt(0.5))
		}
		return Add(Mul(Complex(part(0), part(1)), scale), loc)
	}
	low := -float64(math.Nextafter32(1, 0))
	work := d
	if d.IsHalf() {
		work = dtype.Float32
	} else if d == dtype.Float64 {
		low = -math.Nextafter(1, 0)
	}
	z := Mul(Erfinv(RandomUniform(key, s, low, 1, work)), math.Sqrt2)
	return Cast(Add(Mul(z, scale), loc), d)
}

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

// drawInside is how a key is drawn inside VMap: next gives one key, split gives many of it.
type drawInside = func(next func() *Node, split func(n int) *Node) *Node

// Next returns a fresh key and moves the generator on. Inside VMap the transform decides whether examples share it.
func (g *Generator) Next() *Node {
	if draw, ok := scope.Current().Random.(drawInside); ok {
		return draw(g.next, func(n int) *Node { return Split(g.next(), n) })
	}
	return g.next()
}

func (g *Generator) next() *Node {
	g.mu.Lock()
	defer g.mu.Unlock()
	old := g.key.Acquire()
	both := Split(old, 2)
	g.key.Rebind(Reshape(SliceDim(both, 0, 0, 1, 1), 2))
	next := Reshape(SliceDim(both, 0, 1, 1, 1), 2)
	old.Unref()
	return next
}

// Handle returns the handle that shows the generator's key, for saving and restoring.
func (g *Generator) Handle() *graph.Array { return g.key }
