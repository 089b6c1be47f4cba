package nn

import (
	"math"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	F "github.com/lucid-go/lucid/nn/functional"
)

// PositionOptions: Base, the ratio of the longest wave to the shortest, is 0 for 10000.
type PositionOptions struct {
	Base float64 // ratio of the longest wave to the shortest; 0: 10000
}

// RotaryEmbedding rotates queries and keys by angles that grow with their positions (Su et al.).
type RotaryEmbedding struct {
	Base
	Cos, Sin *lucid.Tensor `nn:",buffer,transient"` // (positions, D)
}

// NewRotaryEmbedding returns it for heads of an even size and a number of positions.
func NewRotaryEmbedding(headDim, positions int, opts ...PositionOptions) *RotaryEmbedding {
	const op = "rotary_embedding"
	if headDim <= 0 || headDim%2 != 0 {
		refuse(lucid.ErrValue, op, "heads of size %d; want an even one", headDim)
	}
	base := door.Count(door.Option(op, opts).Base, 10000)
	cos, sin := make([]float32, positions*headDim), make([]float32, positions*headDim)
	for p := range positions {
		for i := range headDim {
			a := float64(p) * math.Pow(base, -2*float64(i%(headDim/2))/float64(headDim))
			cos[p*headDim+i], sin[p*headDim+i] = float32(math.Cos(a)), float32(math.Sin(a))
		}
	}
	return &RotaryEmbedding{Cos: lucid.New(cos, positions, headDim), Sin: lucid.New(sin, positions, headDim)}
}

// Forward rotates q and k of (..., L, D), whose first element is at position 0.
func (m *RotaryEmbedding) Forward(q, k *lucid.Tensor) (q2, k2 *lucid.Tensor) {
	in := EnterN(m, q, k)
	rotate := func(x *lucid.Tensor) *lucid.Tensor {
		if L := x.Size(-2); L > m.Cos.Size(0) {
			refuse(lucid.ErrShapeMismatch, "rotary_embedding", "a sequence of %d; there are %d positions", L, m.Cos.Size(0))
		}
		return F.ApplyRotaryEmb(x, m.Cos, m.Sin)
	}
	out := LeaveN(m, in, rotate(in[0]), rotate(in[1]))
	return out[0], out[1]
}

// RoPEOptions say how RoPE rotates: Traditional rotates pairs of neighbouring elements, otherwise each element of the
// first half of Dims is paired with one of the second; Base is 0 for 10000; positions are multiplied by Scale, 0 for 1.
type RoPEOptions struct {
	Traditional bool    // neighbours rotate together; otherwise an element of the first half with one of the second
	Base        float64 // ratio of the longest wave to the shortest; 0: 10000
	Scale       float64 // factor of the positions; 0: 1
}

// RoPE is MLX's rotary embedding: it rotates the first dims elements of vectors and leaves the others.
type RoPE struct {
	Base
	dims int
	o    RoPEOptions
}

// NewRoPE returns it for an even number of elements.
func NewRoPE(dims int, opts ...RoPEOptions) *RoPE {
	if dims <= 0 || dims%2 != 0 {
		refuse(lucid.ErrValue, "rope", "%d elements; want an even number", dims)
	}
	return &RoPE{dims: dims, o: door.Option("rope", opts)}
}

// Forward rotates the vectors of x, (..., L, D), whose first is at position 0.
func (m *RoPE) Forward(x *lucid.Tensor) *lucid.Tensor { return m.ForwardAt(x, 0) }

// ForwardAt is Forward for a sequence whose first element is at a position.
func (m *RoPE) ForwardAt(x *lucid.Tensor, offset int) *lucid.Tensor {
	x = Enter(m, x)
	y := F.RoPE(x, m.dims, F.RoPEOptions{Traditional: m.o.Traditional, Base: m.o.Base, Scale: m.o.Scale, Offset: offset})
	return Leave(m, x, y)
}

// ForwardFrom is ForwardAt for positions that are a tensor of integers: one, or one for each example (the first dimension of x). A
// compiled function is not traced anew when they change.
func (m *RoPE) ForwardFrom(x, starts *lucid.Tensor) *lucid.Tensor {
	in := EnterN(m, x, starts)
	o := F.RoPEOptions{Traditional: m.o.Traditional, Base: m.o.Base, Scale: m.o.Scale, Starts: in[1]}
	return LeaveN(m, in, F.RoPE(in[0], m.dims, o))[0]
}

// ALiBi adds to scores of attention a penalty that grows with the distance, at another rate for each head (Press et
// al.).
type ALiBi struct{ Base }

// NewALiBi returns it.
func NewALiBi() *ALiBi { return &ALiBi{} }

// Forward returns the scores of (B, heads, L, S) with the penalty, and a mask to be added, which may be nil.
func (m *ALiBi) Forward(scores, mask *lucid.Tensor) *lucid.Tensor {
	return m.ForwardAt(scores, mask, 0)
}

// ForwardAt is Forward for queries whose first is at a position.
func (m *ALiBi) ForwardAt(scores, mask *lucid.Tensor, offset int) *lucid.Tensor {
	in := EnterN(m, scores, mask)
	x := in[0]
	if x.Dim() < 3 {
		refuse(lucid.ErrShapeMismatch, "alibi", "scores have shape %v; want (..., heads, L, S)", x.Shape())
	}
	y := x.Add(F.ALiBiMask(x.Size(-3), x.Size(-2), x.Size(-1), offset, x.DType()).To(x.Device()))
	if in[1] != nil {
		y = y.Add(in[1])
	}
	return LeaveN(m, in, y)[0]
}

// SinusoidalEmbedding is a fixed table of sines and cosines that tells positions apart.
type SinusoidalEmbedding struct {
	Base
	Table *lucid.Tensor `nn:",buffer,transient"`
}

// NewSinusoidalEmbedding returns it for a number of positions.
func NewSinusoidalEmbedding(positions, size int, opts ...PositionOptions) *SinusoidalEmbedding {
	return &SinusoidalEmbedding{Table: F.SinusoidalEmbedding(positions, size,
		door.Count(door.Option("sinusoidal_embedding", opts).Base, 10000))}
}

// Forward takes positions of any shape to vectors.
func (m *SinusoidalEmbedding) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.Embedding(x, m.Table))
}

// SinusoidalEmbedding2d is a fixed table of sines and cosines that encodes the positions of a grid.
type SinusoidalEmbedding2d struct {
	Base
	Table *lucid.Tensor `nn:",buffer,transient"` // (height·width, size)
}

// NewSinusoidalEmbedding2d returns it for a grid; size is a multiple of 4.
func NewSinusoidalEmbedding2d(height, width, size int, opts ...PositionOptions) *SinusoidalEmbedding2d {
	return &SinusoidalEmbedding2d{Table: F.SinusoidalEmbedding2d(height, width, size,
		door.Count(door.Option("sinusoidal_embedding_2d", opts).Base, 10000))}
}

// Forward adds the vectors of all positions to x, (..., height·width, size).
func (m *SinusoidalEmbedding2d) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	if x.Dim() < 2 || x.Size(-2) != m.Table.Size(0) || x.Size(-1) != m.Table.Size(1) {
		refuse(lucid.ErrShapeMismatch, "sinusoidal_embedding_2d", "x has shape %v; want (..., %d, %d)", x.Shape(),
			m.Table.Size(0), m.Table.Size(1))
	}
	return Leave(m, x, x.Add(m.Table.To(x.DType())))
}
