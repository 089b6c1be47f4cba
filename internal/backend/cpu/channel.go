package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/dtype"
)

// Statistics of channels, dimension 1: what lies before them and behind them is folded. Runs behind a channel are folded
// one by one, and where channels themselves lie side by side, rows of them are. Blocks are cut by sizes alone and joined in order.

func init() { register(backend.Table{"channel_moments": channelMoments, "channel_dots": channelDots}) }

// stride2 is a pair of sums of one channel.
type channelSums struct{ sum, dot float64 }

// channelGrid cuts (before, channels, behind) into blocks: one for some rows before and some channels.
type channelGrid struct {
	before, channels, behind int
	rows, wide               int // of a block
	across                   int // blocks beside each other
	blocks                   int
}

func newChannelGrid(v backend.View) channelGrid {
	s := v.Shape.Dims()
	g := channelGrid{before: s[0], channels: s[1], behind: product2(s[2:])}
	if g.behind == 1 {
		g.wide = min(max(1, g.channels), 256)
	} else {
		g.wide = max(1, min(g.channels, 32768/max(1, g.behind)))
	}
	g.rows = max(1, 32768/max(1, g.wide*g.behind))
	g.across = (g.channels + g.wide - 1) / max(1, g.wide)
	g.blocks = g.across * ((g.before + g.rows - 1) / g.rows)
	return g
}

func product2(d []int) int {
	n := 1
	for _, k := range d {
		n *= k
	}
	return n
}

// run runs a block over its rows and channels, and joins what blocks found, in order.
func runChannels[A any](c *backend.Ctx, g channelGrid, block func(acc []A, row0, row1, ch0, ch1 int), join func(a, b A) A) ([]A, error) {
	parts := make([][]A, g.blocks)
	err := c.For(g.blocks, func(b int) {
		r, ch := b/g.across*g.rows, b%g.across*g.wide
		parts[b] = make([]A, min(ch+g.wide, g.channels)-ch)
		block(parts[b], r, min(r+g.rows, g.before), ch, min(ch+g.wide, g.channels))
	})
	all := make([]A, g.channels)
	for b, p := range parts {
		for i, v := range p {
			at := b%g.across*g.wide + i
			if b < g.across {
				all[at] = v
			} else {
				all[at] = join(all[at], v)
			}
		}
	}
	return all, err
}

func channelMoments(c *backend.Ctx, _ attr.Attr, out, in []backend.View) error {
	if in[0].DType == dtype.Float64 {
		base, err := dense(c, in[0])
		if err != nil {
			return err
		}
		return momentsByChannel(c, out, newChannelGrid(in[0]), elems[float64](base, in[0].Numel()), momentsF64)
	}
	x, err := denseF32(c, in[0])
	if err != nil {
		return err
	}
	return momentsByChannel(c, out, newChannelGrid(in[0]), x, momentsF32)
}

func momentsByChannel[T floats](c *backend.Ctx, out []backend.View, g channelGrid, x []T, of func([]T) moments) error {
	cols := varOf(of, nil).cols
	all, err := runChannels(c, g, func(acc []moments, row0, row1, ch0, ch1 int) {
		if g.behind == 1 {
			if row1 > row0 {
				cols(acc, unsafe.Pointer(&x[row0*g.channels+ch0]), g.channels, row1-row0)
			}
			return
		}
		for r := row0; r < row1; r++ {
			for ch := ch0; ch < ch1; ch++ {
				at := (r*g.channels + ch) * g.behind
				for p := x[at : at+g.behind]; len(p) > 0; {
					n := min(len(p), 4096)
					acc[ch-ch0] = joinMoments(acc[ch-ch0], of(p[:n]))
					p = p[n:]
				}
			}
		}
	}, joinMoments)
	means, vars := outOf[T](out[0]), outOf[T](out[1])
	for i, m := range all {
		n := float64(g.before * g.behind)
		means[i], vars[i] = T(m.mean+(n-n)/n), T(m.m2/n) // of nothing, NaN
	}
	return err
}

func channelDots(c *backend.Ctx, _ attr.Attr, out, in []backend.View) error {
	if in[1].DType == dtype.Float64 {
		var x [3][]float64
		for i, v := range in {
			base, err := dense(c, v)
			if err != nil {
				return err
			}
			x[i] = elems[float64](base, v.Numel())
		}
		return dotsByChannel(c, out, newChannelGrid(in[1]), x[0], x[1], x[2], func(g, x []float64, m float64) (s channelSums) {
			for i, v := range g {
				s.sum += v
				s.dot += v * (x[i] - m)
			}
			return s
		})
	}
	var x [3][]float32
	for i, v := range in {
		var err error
		if x[i], err = denseF32(c, v); err != nil {
			return err
		}
	}
	return dotsByChannel(c, out, newChannelGrid(in[1]), x[0], x[1], x[2], func(g, x []float32, m float32) (s channelSums) {
		var t [tileElems]float32
		for len(g) > 0 {
			n := min(len(g), tileElems)
			simd.AddScalarF32(t[:n], x[:n], -m)
			s.sum += float64(simd.SumF32(g[:n]))
			s.dot += float64(simd.DotF32(g[:n], t[:n]))
			g, x = g[n:], x[n:]
		}
		return s
	})
}

func dotsByChannel[T floats](c *backend.Ctx, out []backend.View, g channelGrid, by, x, mean []T, run func(g, x []T, m T) channelSums) error {
	join := func(a, b channelSums) channelSums { return channelSums{a.sum + b.sum, a.dot + b.dot} }
	all, err := runChannels(c, g, func(acc []channelSums, row0, row1, ch0, ch1 int) {
		for r := row0; r < row1; r++ {
			if g.behind == 1 {
				row, other := by[r*g.channels+ch0:r*g.channels+ch1], x[r*g.channels+ch0:r*g.channels+ch1]
				for i, v := range row {
					acc[i].sum += float64(v)
					acc[i].dot += float64(v) * float64(other[i]-mean[ch0+i])
				}
				continue
			}
			for ch := ch0; ch < ch1; ch++ {
				at := (r*g.channels + ch) * g.behind
				acc[ch-ch0] = join(acc[ch-ch0], run(by[at:at+g.behind], x[at:at+g.behind], mean[ch]))
			}
		}
	}, join)
	sums, dots := outOf[T](out[0]), outOf[T](out[1])
	for i, s := range all {
		sums[i], dots[i] = T(s.sum), T(s.dot)
	}
	return err
}
