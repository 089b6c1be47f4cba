package ops

import (
	"math"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/shape"
)

// The recipes of this file are MLX's, so that equal keys give equal numbers there and here: bits and uniform numbers
// bit for bit, the others to the rounding of erfinv and log. float64, which MLX does not draw, takes 64 bits a number.

var opRandomBits *graph.Op

var uintOfWidth = map[int]dtype.DType{1: dtype.Uint8, 2: dtype.Uint16, 4: dtype.Uint32, 8: dtype.Uint64}

func init() {
	opRandomBits = graph.Register(graph.Op{Name: "random_bits", Version: 1, Kind: graph.Random,
		Inputs: graph.Exactly(1), Validate: rule(validateRandomBits),
		NoGrad: "its result does not vary with the key",
		// The key is (batch…, 2) uint32; the result (batch…, dims…).
		Infer: func(a attr.Attr, in []*Node) []graph.Spec {
			b := a.(attr.Bits)
			batch := keyBatch("random_bits", in[0])
			return []graph.Spec{{Shape: shape.Of("random_bits", append(batch, b.Dims.Slice()...)...), DType: uintOfWidth[b.Width]}}
		},
		VMap: func(n *Node, in []*Node, _ []bool, _ int) []*Node {
			return []*Node{graph.New(opRandomBits, n.Attr(), in[0])}
		}})
}

// keyBatch checks a key and returns the sizes in front of its two words.
func keyBatch(op string, key *Node) []int {
	k := key.Shape()
	if key.DType() != dtype.Uint32 || k.Rank() == 0 || k.Dim(-1) != 2 {
		fault.Throw(fault.Shape, op, "a key is uint32 of shape [2], not %v of shape %v; make one with random.Key", key.DType(), k)
	}
	return k.Clone()[:k.Rank()-1]
}

// Key makes a key from a seed: its high and its low word.
func Key(seed uint64) *Node { return keyOf(uint32(seed>>32), uint32(seed)) }

func keyOf(hi, lo uint32) *Node {
	return graph.NewStored(mem.FromGo(dtype.Bytes([]uint32{hi, lo})), graph.Spec{Shape: keyShape, DType: dtype.Uint32}, nil)
}

var keyShape = shape.Of("key", 2)

// RandomBits returns random words of width bytes.
func RandomBits(key *Node, s *shape.Shape, width int) *Node {
	if _, ok := uintOfWidth[width]; !ok {
		fault.Throw(fault.Value, "random_bits", "width %d; want 1, 2, 4 or 8 bytes", width)
	}
	return graph.New(opRandomBits, attr.Bits{Width: width, Dims: attr.MakeInts(s.Dims()...)}, key)
}

// Split returns n fresh keys from one, as the rows of an (n, 2) value.
func Split(key *Node, n int) *Node { return RandomBits(key, shape.Of("split", n, 2), 4) }

// KeyAt is row i of the keys Split gives.
func KeyAt(keys *Node, i int) *Node { return Reshape(SliceDim(keys, 0, i, 1, 1), 2) }

func requireFloat(op string, d dtype.DType) {
	if !d.IsFloat() {
		fault.Throw(fault.DType, op, "dtype %v; want a floating dtype", d)
	}
}

// unit returns numbers in [0, 1): a word over its largest value, in float32 for half types and below d's 1.
func unit(key *Node, s *shape.Shape, d dtype.DType) *Node {
	if d == dtype.Float64 {
		return Minimum(Mul(Cast(RandomBits(key, s, 8), d), math.Ldexp(1, -64)), math.Nextafter(1, 0))
	}
	bits := Cast(RandomBits(key, s, 4), dtype.Float32)
	return Cast(Minimum(Mul(bits, math.Ldexp(1, -32)), belowOne(d)), d)
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

// RandomUniform returns numbers in [low, high) of a floating dtype; by rounding high itself may be met.
func RandomUniform(key *Node, s *shape.Shape, low, high Operand, d dtype.DType) *Node {
	requireFloat("uniform", d)
	u := unit(key, s, d)
	if isNumber(low, 0) && isNumber(high, 1) {
		return u
	}
	lo, hi := as("uniform", low, d), as("uniform", high, d)
	var span *Node
	if lo.IsConst() && hi.IsConst() { // a launch for one number would take as long as any other
		span = Number(d, roundedTo(d, hi)-roundedTo(d, lo))
	} else {
		span = Sub(hi, lo)
	}
	return ofShape("uniform", s, Add(Mul(u, span), lo))
}

// roundedTo is the value of a constant in a floating dtype.
func roundedTo(d dtype.DType, n *Node) float64 {
	var m [16]byte
	d.Put(m[:], 0, n.Attr().(attr.Const).Value)
	return d.Get(m[:], 0).Float()
}

// isNumber reports whether an operand is the Go number v.
func isNumber(x Operand, v float64) bool {
	if _, ok := x.(*Node); ok {
		return false
	}
	s, ok := dtype.ScalarOf(x)
	return ok && s.Kind != dtype.KindComplex && s.Float() == v
}

// ofShape refuses parameters that made the result larger than asked for.
func ofShape(op string, s *shape.Shape, n *Node) *Node {
	if !n.Shape().Equal(s) {
		fault.Throw(fault.Shape, op, "the parameters broadcast to %v; want what fits the shape %v", n.Shape(), s)
	}
	return n
}

// symmetric returns numbers in (-1, 1), in float32 but for float64.
func symmetric(key *Node, s *shape.Shape, d dtype.DType) *Node {
	if d == dtype.Float64 {
		return RandomUniform(key, s, -math.Nextafter(1, 0), 1.0, d)
	}
	return RandomUniform(key, s, -float64(math.Nextafter32(1, 0)), 1.0, dtype.Float32)
}

// RandomNormal returns normal numbers: √2·erfinv of a uniform in (-1, 1), scaled and shifted. A complex one has two
// parts of variance 1/2.
func RandomNormal(key *Node, s *shape.Shape, loc, scale Operand, d dtype.DType) *Node {
	if d.IsComplex() {
		pair := shape.Of("normal", append(s.Clone(), 2)...)
		z := Erfinv(symmetric(key, pair, d.Real()))
		part := func(i int) *Node { return reshapeTo(SliceDim(z, s.Rank(), i, 1, 1), s) }
		return located("normal", s, Complex(part(0), part(1)), loc, scale, d)
	}
	requireFloat("normal", d)
	z := Cast(Erfinv(symmetric(key, s, d)), d)
	by := as("normal", math.Sqrt2, d)
	if !isNumber(scale, 1) {
		by = Mul(by, as("normal", scale, d))
	}
	return located("normal", s, Mul(by, z), loc, 1, d)
}

// located is loc + scale·z.
func located(op string, s *shape.Shape, z *Node, loc, scale Operand, d dtype.DType) *Node {
	if !isNumber(scale, 1) {
		z = Mul(as(op, scale, d), z)
	}
	if !isNumber(loc, 0) {
		z = Add(as(op, loc, d), z)
	}
	return ofShape(op, s, z)
}

// RandomTruncatedNormal returns standard normal numbers between lower and upper.
func RandomTruncatedNormal(key *Node, s *shape.Shape, lower, upper Operand, d dtype.DType) *Node {
	requireFloat("truncated_normal", d)
	lo, hi, root := as("truncated_normal", lower, d), as("truncated_normal", upper, d), Number(d, math.Sqrt2)
	u := RandomUniform(key, s, Erf(Div(lo, root)), Erf(Div(hi, root)), d)
	return Maximum(Minimum(hi, Mul(root, Erfinv(u))), lo)
}

// RandomGumbel returns numbers of the Gumbel distribution: -log(-log(u)).
func RandomGumbel(key *Node, s *shape.Shape, d dtype.DType) *Node {
	return Neg(Log(Neg(Log(RandomUniform(key, s, 0, 1, d)))))
}

// RandomLaplace returns numbers of the Laplace distribution by the inverse of its distribution function.
func RandomLaplace(key *Node, s *shape.Shape, loc, scale Operand, d dtype.DType) *Node {
	requireFloat("laplace", d)
	u := symmetric(key, s, d)
	return located("laplace", s, Cast(Mul(Sign(u), Log1p(Neg(Abs(u)))), d), loc, scale, d)
}

// RandomBernoulli returns true with probability p: where a 32-bit word is less than p on its scale.
func RandomBernoulli(key *Node, s *shape.Shape, p Operand) *Node {
	d := dtype.Float32
	if n, ok := p.(*Node); ok {
		if requireFloat("bernoulli", n.DType()); n.DType() == dtype.Float64 {
			d = n.DType()
		}
	}
	top := math.Ldexp(1, 32)
	if d == dtype.Float32 {
		top += 512 // the next float32, so that a word rounded up to 2³² is below p = 1
	}
	chance := as("bernoulli", p, d)
	if v, ok := dtype.ScalarOf(p); ok && !attr.Probability.Allows(v.Float()) {
		fault.Throw(fault.Value, "bernoulli", "p is %v; want 0 to 1", v.Float())
	} else if !ok {
		chance = require("bernoulli", attr.Probability, chance, chance)
	}
	return ofShape("bernoulli", s, Lt(Cast(RandomBits(key, s, 4), d), Mul(chance, top)))
}
