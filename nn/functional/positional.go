package functional

import (
	"math"

	"github.com/lucid-go/lucid"
)

// SinusoidalEmbedding returns (positions, size) numbers that tell positions apart: sines and cosines of falling
// frequency, next to each other (Vaswani et al.). base is usually 10000.
func SinusoidalEmbedding(positions, size int, base float64) *lucid.Tensor {
	return lucid.SinusoidalPosEmbedding(positions, size, lucid.BaseOptions{Base: &base, DType: lucid.Float32})
}

// waves fills a row with sines and cosines of a position.
func waves(row []float32, position int, base float64) {
	for i := range row {
		a := float64(position) * math.Pow(base, -float64(i/2*2)/float64(len(row)))
		if i%2 == 0 {
			row[i] = float32(math.Sin(a))
		} else {
			row[i] = float32(math.Cos(a))
		}
	}
}

// SinusoidalEmbedding2d returns (height·width, size) numbers for the places of a grid, row by row: the first half of
// each vector tells the row, the second the column. size is a multiple of 4, base usually 10000.
func SinusoidalEmbedding2d(height, width, size int, base float64) *lucid.Tensor {
	if size <= 0 || size%4 != 0 {
		refuse(lucid.ErrValue, "sinusoidal_embedding_2d", "size is %d; want a multiple of 4", size)
	}
	data := make([]float32, height*width*size)
	for y := range height {
		for x := range width {
			row := data[(y*width+x)*size:][:size]
			waves(row[:size/2], y, base)
			waves(row[size/2:], x, base)
		}
	}
	return lucid.New(data, height*width, size)
}

// ALiBiSlopes returns the slopes of the heads' linear biases: 2^(-8/n), 2^(-16/n) and so on for n heads, a power of
// two; other numbers take every second slope of twice the power below for the rest (Press et al.).
func ALiBiSlopes(heads int) []float64 {
	if heads <= 0 {
		refuse(lucid.ErrValue, "alibi", "%d heads; want at least one", heads)
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
