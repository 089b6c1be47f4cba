package functional

import (
	"math"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/ops"
)

// SinusoidalEmbedding returns (positions, size) numbers that tell positions apart: sines and cosines of falling
// frequency, next to each other (Vaswani et al.). base is usually 10000.
func SinusoidalEmbedding(positions, size int, base float64) *lucid.Tensor {
	return sinusoidalPosEmbedding(positions, size, ops.BaseOptions{Base: &base, DType: lucid.Float32})
}

// SinusoidalEmbedding2d returns (height·width, size) numbers for the positions of a grid, row by row: the first half of
// each vector tells the row, the second the column. size is a multiple of 4, base usually 10000.
func SinusoidalEmbedding2d(height, width, size int, base float64) *lucid.Tensor {
	if size <= 0 || size%4 != 0 {
		refuse(lucid.ErrValue, "sinusoidal_embedding_2d", "size is %d; want a multiple of 4", size)
	}
	rows, columns := SinusoidalEmbedding(height, size/2, base).Unsqueeze(1), SinusoidalEmbedding(width, size/2, base).Unsqueeze(0)
	both := lucid.Cat([]*lucid.Tensor{rows.Expand(height, width, size/2), columns.Expand(height, width, size/2)}, -1)
	return own(both.Reshape(height*width, size))
}

// ALiBiSlopes returns the slopes of the heads' linear biases: 2^(-8/n), 2^(-16/n) and so on for n heads, a power of
// two; other numbers take every second slope of twice the power below for the rest (Press et al.).
func ALiBiSlopes(heads int) []float64 {
	if heads <= 0 || heads > 1<<20 {
		refuse(lucid.ErrValue, "alibi", "%d heads; want 1 to %d", heads, 1<<20)
	}
	power := 1
	for power*2 <= heads {
		power *= 2
	}
	out := make([]float64, 0, heads)
	for i := range power {
		out = append(out, math.Exp2(-8*float64(i+1)/float64(power)))
	}
	for i := 0; len(out) < heads; i += 2 {
		out = append(out, math.Exp2(-4*float64(i+1)/float64(power)))
	}
	return out
}

// ALiBiMask returns (heads, L, S) numbers to be added to scores: minus the slope of a head times the distance between
// query and key; the first query is at position offset.
func ALiBiMask(heads, l, s, offset int, d lucid.DType) *lucid.Tensor {
	w := lucid.With{DType: d}
	q, k := w.Arange(offset, offset+l).Reshape(l, 1), w.Arange(s).Reshape(1, s)
	return q.Sub(k).Abs().Neg().Mul(w.New(ALiBiSlopes(heads), heads, 1, 1))
}
