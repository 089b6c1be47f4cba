package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/dtype"
)

// Statistics of channels, dimension 1: the dimensions before and behind it are reduced. A plane behind a channel is reduced as one
// run; where channels are innermost, rows of them are accumulated. Blocks are cut by sizes alone and joined in order (Welford's
// update for moments).

func init() { register(backend.Table{"channel_moments": channelMoments, "channel_dots": channelDots}) }

// channelSums is a pair of sums of one channel.
type channelSums struct{ sum, dot float64 }

const (
	channelElems = 32768 // of a block
	channelRows  = 32    // of a block of short planes, at most
	shortPlane   = 512   // planes below this are summed over the rows first: a sum of few elements is mostly its end
)

// channelGrid cuts (before, channels, behind) into blocks: one for some rows before and some channels, or for a piece of
// a plane that is large.
type channelGrid struct {
	before, channels, behind int
	rows, wide, piece        int // of a block
	across, pieces           int // blocks along the channels, and of a plane
	blocks                   int
	short                    bool // planes are short, and there are rows to sum over
}

func newChannelGrid(v backend.View) channelGrid {
	s := v.Shape.Dims()
	g := channelGrid{before: s[0], channels: s[1], behind: product2(s[2:])}
	g.short = g.behind > 1 && g.behind < shortPlane && g.before >= 4
	switch {
	case g.behind == 1:
		g.wide = min(max(1, g.channels), 256)
	case g.short:
		g.wide = max(1, min(g.channels, channelElems/(min(g.before, channelRows)*g.behind)))
	default:
		g.wide = max(1, min(g.channels, channelElems/max(1, g.behind)))
	}
	g.piece = max(1, min(g.behind, channelElems))
	g.pieces = max(1, ceil(g.behind, g.piece))
	g.rows = max(1, channelElems/max(1, g.wide*g.behind))
	g.across = ceil(g.channels, max(1, g.wide))
	g.blocks = g.across * ceil(g.before, g.rows) * g.pieces
	return g
}

func product2(d []int) int {
	n := 1
	for _, k := range d {
		n *= k
	}
	return n
}

// channelBlock is a block: rows and channels from the first to before the second, and a part of the planes.
type channelBlock struct{ row0, row1, ch0, ch1, from, to int }

// runChannels runs a block over its rows and channels, and joins what blocks found, in order.
func runChannels[A any](c *backend.Ctx, g channelGrid, block func(acc []A, b channelBlock), join func(a, b A) A) ([]A, error) {
	parts := make([][]A, g.blocks)
	err := c.For(g.blocks, func(b int) {
		ch, p, r := b%g.across*g.wide, b/g.across%g.pieces*g.piece, b/g.across/g.pieces*g.rows
		parts[b] = make([]A, min(ch+g.wide, g.channels)-ch)
		block(parts[b], channelBlock{r, min(r+g.rows, g.before), ch, min(ch+g.wide, g.channels), p, min(p+g.piece, g.behind)})
	})
	all := newScratch[A](g.channels)
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
		return momentsByChannel(c, out, newChannelGrid(in[0]), elems[float64](base, in[0].Numel()), momentsF64, nil)
	}
	x, err := denseF32(c, in[0])
	if err != nil {
		return err
	}
	return momentsByChannel(c, out, newChannelGrid(in[0]), x, momentsF32, shortMoments)
}

// momentsByChannel folds runs by of, and short planes by down, if that is not nil.
func momentsByChannel[T floats](c *backend.Ctx, out []backend.View, g channelGrid, x []T, of func([]T) moments,
	down func(acc []moments, x []T, g *channelGrid, b channelBlock)) error {
	cols := varOf(of, nil).cols
	all, err := runChannels(c, g, func(acc []moments, b channelBlock) {
		if g.behind == 1 {
			if b.row1 > b.row0 {
				cols(acc, unsafe.Pointer(&x[b.row0*g.channels+b.ch0]), g.channels, b.row1-b.row0)
			}
			return
		}
		if g.short && down != nil {
			down(acc, x, &g, b)
			return
		}
		for r := b.row0; r < b.row1; r++ {
			for ch := b.ch0; ch < b.ch1; ch++ {
				at := (r*g.channels + ch) * g.behind
				for p := x[at+b.from : at+b.to]; len(p) > 0; {
					n := min(len(p), 4096)
					acc[ch-b.ch0] = joinMoments(acc[ch-b.ch0], of(p[:n]))
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
		}, nil)
	}
	var x [3][]float32
	for i, v := range in {
		var err error
		if x[i], err = denseF32(c, v); err != nil {
			return err
		}
	}
	return dotsByChannel(c, out, newChannelGrid(in[1]), x[0], x[1], x[2], func(g, x []float32, m float32) (s channelSums) {
		for len(g) > 0 {
			n := min(len(g), 4096)
			s.sum += float64(simd.SumF32(g[:n]))
			s.dot += float64(simd.DotNormF32(x[:n], g[:n], nil, m, 1))
			g, x = g[n:], x[n:]
		}
		return s
	}, shortDots)
}

// dotsByChannel folds runs by run, and short planes by down, if that is not nil.
func dotsByChannel[T floats](c *backend.Ctx, out []backend.View, g channelGrid, by, x, mean []T, run func(g, x []T, m T) channelSums,
	down func(acc []channelSums, by, x, mean []T, g *channelGrid, b channelBlock)) error {
	join := func(a, b channelSums) channelSums { return channelSums{a.sum + b.sum, a.dot + b.dot} }
	all, err := runChannels(c, g, func(acc []channelSums, b channelBlock) {
		if g.short && down != nil {
			down(acc, by, x, mean, &g, b)
			return
		}
		for r := b.row0; r < b.row1; r++ {
			if g.behind == 1 {
				row, other := by[r*g.channels+b.ch0:r*g.channels+b.ch1], x[r*g.channels+b.ch0:r*g.channels+b.ch1]
				for i, v := range row {
					acc[i].sum += float64(v)
					acc[i].dot += float64(v) * float64(other[i]-mean[b.ch0+i])
				}
				continue
			}
			for ch := b.ch0; ch < b.ch1; ch++ {
				at := (r*g.channels + ch) * g.behind
				acc[ch-b.ch0] = join(acc[ch-b.ch0], run(by[at+b.from:at+b.to], x[at+b.from:at+b.to], mean[ch]))
			}
		}
	}, join)
	sums, dots := outOf[T](out[0]), outOf[T](out[1])
	for i, s := range all {
		sums[i], dots[i] = T(s.sum), T(s.dot)
	}
	return err
}
