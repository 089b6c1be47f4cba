package nn

import (
	"math"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
)

// SinusoidalPositionalEncodingOptions: frequencies fall from MaxFreq (0: 1) to MinFreq (0: 1e-4) in equal ratios;
// vectors are multiplied by Scale (nil: √(2/dims)); CosFirst puts cosines before sines; FullTurns counts frequencies in
// cycles, not radians.
type SinusoidalPositionalEncodingOptions struct {
	MinFreq   float64  // lowest frequency; 0: 1e-4
	MaxFreq   float64  // highest frequency; 0: 1
	Scale     *float64 // factor of the vectors; nil: √(2/dims)
	CosFirst  bool     // cosines before sines
	FullTurns bool     // frequencies count cycles, not radians
}

// SinusoidalPositionalEncoding is MLX's: it takes numbers, whole or not, to sines and cosines.
type SinusoidalPositionalEncoding struct {
	Base
	dims int
	o    SinusoidalPositionalEncodingOptions
}

// NewSinusoidalPositionalEncoding returns it for vectors of an even size.
func NewSinusoidalPositionalEncoding(dims int, opts ...SinusoidalPositionalEncodingOptions) *SinusoidalPositionalEncoding {
	if dims <= 0 || dims%2 != 0 {
		refuse(lucid.ErrValue, "sinusoidal_positional_encoding", "size %d; want an even one", dims)
	}
	return &SinusoidalPositionalEncoding{dims: dims, o: door.Option("sinusoidal_positional_encoding", opts)}
}

// Forward takes numbers of any shape to vectors.
func (m *SinusoidalPositionalEncoding) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	half := m.dims / 2
	low, high := math.Log(door.Count(m.o.MinFreq, 1e-4)), math.Log(door.Count(m.o.MaxFreq, 1))
	freq := make([]float64, half)
	for i := range freq {
		t := 1.0
		if half > 1 {
			t = 1 - float64(i)/float64(half-1)
		}
		freq[i] = math.Exp(t*(high-low) + low)
		if m.o.FullTurns {
			freq[i] *= 2 * math.Pi
		}
	}
	d := x.DType()
	if !d.IsFloat() {
		d = lucid.Float32
	}
	a := x.To(d).Unsqueeze(-1).Mul(lucid.With{DType: d, Device: x.Device()}.New(freq, half))
	parts := []*lucid.Tensor{a.Sin(), a.Cos()}
	if m.o.CosFirst {
		parts[0], parts[1] = parts[1], parts[0]
	}
	return Leave(m, x, lucid.Cat(parts, -1).Mul(door.Or(m.o.Scale, math.Sqrt(2/float64(m.dims)))))
}

// TimestepEmbeddingOptions: Base is 0 for 10000; SinFirst puts sines before cosines, which is Lucid's
// flip_sin_to_cos=False.
type TimestepEmbeddingOptions struct {
	Base     float64 // ratio of the longest wave to the shortest; 0: 10000
	SinFirst bool    // sines before cosines
}

// TimestepEmbedding takes points in time to vectors: cosines and sines of falling frequency, and two linear layers.
type TimestepEmbedding struct {
	Base
	Linear1, Linear2 *Linear
	in               int
	o                TimestepEmbeddingOptions
}

// NewTimestepEmbedding returns it; in, the number of frequencies and phases, is even.
func NewTimestepEmbedding(in, out int, opts ...TimestepEmbeddingOptions) *TimestepEmbedding {
	if in <= 0 || in%2 != 0 {
		refuse(lucid.ErrValue, "timestep_embedding", "size %d; want an even one", in)
	}
	return &TimestepEmbedding{Linear1: NewLinear(in, out), Linear2: NewLinear(out, out), in: in, o: door.Option("timestep_embedding", opts)}
}

// Forward takes times of (B) to (B, out).
func (m *TimestepEmbedding) Forward(t *lucid.Tensor) *lucid.Tensor {
	t = Enter(m, t)
	half := m.in / 2
	freq := make([]float64, half)
	for i := range freq {
		freq[i] = math.Pow(door.Count(m.o.Base, 10000), -float64(i)/float64(half))
	}
	d := m.Linear1.Weight.DType()
	a := t.To(d).Unsqueeze(-1).Mul(lucid.With{DType: d, Device: t.Device()}.New(freq, half))
	parts := []*lucid.Tensor{a.Cos(), a.Sin()}
	if m.o.SinFirst {
		parts[0], parts[1] = parts[1], parts[0]
	}
	return Leave(m, t, m.Linear2.Forward(m.Linear1.Forward(lucid.Cat(parts, -1)).SiLU()))
}
