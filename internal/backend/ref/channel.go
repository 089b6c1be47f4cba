package ref

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
)

func init() { register(backend.Table{"channel_moments": channelMoments, "channel_dots": channelDots}) }

// byChannel returns the elements of every channel, dimension 1.
func byChannel(v backend.View) [][]float64 {
	out := make([][]float64, v.Shape.Dim(1))
	x, i := load(v), 0
	indices(v.Shape.Dims(), func(at []int) {
		out[at[1]] = append(out[at[1]], x[i].F)
		i++
	})
	return out
}

func total(x []float64) (s float64) {
	for _, v := range x {
		s += v
	}
	return s
}

func floats(x []float64) []dtype.Scalar {
	out := make([]dtype.Scalar, len(x))
	for i, v := range x {
		out[i] = dtype.Scalar{Kind: dtype.KindFloat, F: v}
	}
	return out
}

func channelMoments(_ *backend.Ctx, _ attr.Attr, out, in []backend.View) error {
	var means, vars []float64
	for _, x := range byChannel(in[0]) {
		n := float64(len(x))
		m, q := total(x)/n, 0.0
		for _, v := range x {
			q += (v - m) * (v - m)
		}
		means, vars = append(means, m), append(vars, q/n)
	}
	store(out[0], floats(means))
	store(out[1], floats(vars))
	return nil
}

func channelDots(_ *backend.Ctx, _ attr.Attr, out, in []backend.View) error {
	var sums, dots []float64
	g, x, m := byChannel(in[0]), byChannel(in[1]), load(in[2])
	for c := range g {
		d := 0.0
		for i, v := range g[c] {
			d += v * (x[c][i] - m[c].F)
		}
		sums, dots = append(sums, total(g[c])), append(dots, d)
	}
	store(out[0], floats(sums))
	store(out[1], floats(dots))
	return nil
}
