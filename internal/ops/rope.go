package ops

import (
	"math"

	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

// RoPEOptions say how Rope rotates: Traditional rotates neighbouring elements together, otherwise each element of the first
// half of the dims rotates with one of the second. Base, the ratio of the longest wave to the shortest, is nil for 10000;
// positions are multiplied by Scale, nil for 1; the first position is Offset.
type RoPEOptions struct {
	Traditional bool     // neighbours rotate together; otherwise an element of the first half with one of the second
	Base        *float64 // ratio of the longest wave to the shortest; nil: 10000
	Scale       *float64 // factor of the positions; nil: 1
	Offset      int      // the first position
}

// Rope rotates the first dims elements of the vectors of x, (…, L, D), by angles that grow with their positions, and
// leaves the others (Su et al.). freqs, if given, is (dims/2): the lengths of the waves over 2π, instead of Base. starts,
// if given, are integers of (N) or of no dimension: the first positions of the examples (dim 0), added to Offset.
//
//lucid:pkg nn/functional RoPE
//lucid:optional freqs starts
//lucid:amp float32
func Rope(x, freqs, starts *Node, dims int, o RoPEOptions) *Node {
	const op = "rope"
	switch {
	case x.Rank() < 2:
		fault.Throw(fault.Shape, op, "the tensor has shape %v; want (…, L, D)", x.Shape())
	case dims <= 0 || dims%2 != 0 || dims > x.Dim(-1):
		fault.Throw(fault.Value, op, "dims is %d for vectors of %d; want an even number, at most that", dims, x.Dim(-1))
	case freqs != nil && o.Base != nil:
		fault.Throw(fault.Value, op, "both freqs and base are given; want one of them")
	case freqs != nil && (freqs.Rank() != 1 || freqs.Dim(0) != dims/2):
		fault.Throw(fault.Shape, op, "freqs has shape %v; want [%d]", freqs.Shape(), dims/2)
	case starts != nil && (!starts.DType().IsInteger() || starts.Rank() > 1 || starts.Rank() == 1 &&
		(x.Rank() < 3 || starts.Dim(0) != x.Dim(0))):
		fault.Throw(fault.Shape, op, "starts are %v of shape %v for %v; want one integer, or one for each example", starts.DType(),
			starts.Shape(), x.Shape())
	}
	ampFloat32(&x)
	return inFloat32(realFloat(op, x), func(x *Node) *Node {
		cos, sin := ropeWaves(x, freqs, starts, dims, o)
		y := rotatePairs(Narrow(x, -1, 0, dims), cos, sin, o.Traditional)
		if dims < x.Dim(-1) {
			y = Cat([]*Node{y, Narrow(x, -1, dims, x.Dim(-1)-dims)}, -1)
		}
		return y
	})
}

// ropeWaves returns cosines and sines of (L, dims), with dimensions in front where examples start at positions of their
// own: every angle stands for both elements of its pair.
func ropeWaves(x, freqs, starts *Node, dims int, o RoPEOptions) (cos, sin *Node) {
	length, half, scale := x.Dim(-2), dims/2, orElse(o.Scale, 1)
	pair := func(i int) int {
		if o.Traditional {
			return i / 2
		}
		return i % half
	}
	if freqs == nil && starts == nil { // angles in double precision: a float32 position times a frequency is far off for late positions
		base := orElse(o.Base, 10000)
		n := tableSize("rope", length, dims)
		c, s := make([]float64, n), make([]float64, n)
		for p := range length {
			for i := range dims {
				a := float64(p+o.Offset) * scale * math.Pow(base, -float64(pair(i))/float64(half))
				s[p*dims+i], c[p*dims+i] = math.Sincos(a)
			}
		}
		return tableFloats(x, c, length, dims), tableFloats(x, s, length, dims)
	}
	waves := make([]float64, half)
	for k := range waves {
		waves[k] = math.Pow(orElse(o.Base, 10000), float64(k)/float64(half))
	}
	lengths := tableFloats(x, waves, half)
	if freqs != nil {
		lengths = Cast(freqs, x.DType())
	}
	at := make([]int, dims)
	for i := range at {
		at[i] = pair(i)
	}
	rows := make([]float64, tableSize("rope", length))
	for p := range rows {
		rows[p] = float64(p + o.Offset)
	}
	positions := tableFloats(x, rows, length, 1)
	if starts != nil {
		first := Cast(starts, x.DType())
		if starts.Rank() == 1 {
			d := ones(x.Rank())
			d[0] = x.Dim(0)
			first = Reshape(first, d...)
		}
		positions = Add(positions, first)
	}
	angles := Div(Mul(positions, scale), take(lengths, tableInts(x, at), 0))
	return Cos(angles), Sin(angles)
}

// rotatePairs rotates pairs of elements by angles whose cosines and sines broadcast to x.
func rotatePairs(x, cos, sin *Node, neighbours bool) *Node {
	half := x.Dim(-1) / 2
	var other *Node
	if neighbours {
		dims := x.Shape().Clone()
		p := Unbind(Reshape(x, append(dims[:len(dims)-1:len(dims)-1], half, 2)...), -1)
		other = Reshape(Stack([]*Node{Neg(p[1]), p[0]}, -1), dims...)
	} else {
		other = Cat([]*Node{Neg(Narrow(x, -1, half, half)), Narrow(x, -1, 0, half)}, -1)
	}
	return Add(Mul(x, cos), Mul(other, sin))
}

// RotaryPosEmbeddingOptions: Interleaved rotates neighbouring elements together; otherwise each element of the first half
// rotates with one of the second.
type RotaryPosEmbeddingOptions struct {
	Interleaved bool // neighbours rotate together; otherwise an element of the first half with one of the second
}

// RotaryPosEmbedding rotates the vectors of x, (…, L, D) with D even, by the angles whose cosine and sine are
// (positions, D) (Su et al.). positionIDs, integers of (L) or (B, L), say which rows of the angles are taken; nil means
// the first L.
//
//lucid:pkg nn/functional ApplyRotaryEmb
//lucid:options ApplyRotaryEmbOptions
//lucid:name rotary_pos_embedding
//lucid:optional positionIDs
//lucid:amp float32
func RotaryPosEmbedding(x, cos, sin, positionIDs *Node, o RotaryPosEmbeddingOptions) *Node {
	const op = "rotary_pos_embedding"
	if x.Rank() < 2 || x.Dim(-1)%2 != 0 {
		fault.Throw(fault.Shape, op, "the tensor has shape %v; want (…, L, D) with an even D", x.Shape())
	}
	if l := x.Dim(-2); positionIDs == nil && cos.Rank() == 2 && cos.Dim(0) < l && cos.Dim(0) != 1 {
		fault.Throw(fault.Shape, op, "a sequence of %d; there are %d positions", l, cos.Dim(0))
	}
	ampFloat32(&x, &cos, &sin)
	rows := func(t *Node) *Node {
		switch {
		case positionIDs == nil && t.Rank() == 2 && t.Dim(0) > x.Dim(-2):
			return Narrow(t, 0, 0, x.Dim(-2))
		case positionIDs == nil:
			return t
		case positionIDs.Rank() == 2 && x.Rank() == 4: // (B, L, D), the same for all heads
			return Unsqueeze(Embedding(positionIDs, t, EmbeddingOptions{}), 1)
		}
		return Embedding(positionIDs, t, EmbeddingOptions{})
	}
	return rotatePairs(x, rows(cos), rows(sin), o.Interleaved)
}

// BaseOptions: Base, the ratio of the longest wave to the shortest, is nil for 10000; DType zero is the default float.
type BaseOptions struct {
	Base  *float64
	DType dtype.DType // zero: the default float
}

// SinusoidalPosEmbedding returns (positions, size) numbers that tell positions apart: sines and cosines of falling
// frequency, next to each other (Vaswani et al.).
//
//lucid:pkg nn/functional sinusoidalPosEmbedding
//lucid:options -
func SinusoidalPosEmbedding(positions, size int, o BaseOptions) *Node {
	const op = "sinusoidal_pos_embedding"
	if positions < 0 || size < 0 {
		fault.Throw(fault.Value, op, "%d positions of size %d; want no negative number", positions, size)
	}
	base, d := orElse(o.Base, 10000), floatOr(o.DType)
	if !d.IsFloat() {
		fault.Throw(fault.DType, op, "dtype %v; want a floating dtype", d)
	}
	v := make([]float64, tableSize(op, positions, size))
	for i := range v {
		p, k := i/size, i%size
		sin, cos := math.Sincos(float64(p) * math.Pow(base, -float64(k/2*2)/float64(size)))
		v[i] = sin
		if k%2 == 1 {
			v[i] = cos
		}
	}
	return tableFloats(scalar(d, dtype.Scalar{Kind: dtype.KindFloat}), v, positions, size)
}
