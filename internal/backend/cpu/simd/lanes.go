package simd

// Depthwise convolution in blocked NHWC: a vector holds LaneWidth neighbouring channels of one pixel, so filters of any size,
// dilation and stride need no shuffles and no edge cases. Distances are in elements.

// LaneWidth is the number of channels of a vector; 0: this machine has no kernels for it.
func LaneWidth() int { return laneWidth() }

// laneTap is the offset that a tap reads at, relative to its output's pixel, and the offset of its weights; in bytes.
type laneTap struct{ x, w int }

// LaneTaps lists taps.
type LaneTaps struct {
	list []laneTap
	far  int // the largest offset they read at
	top  int // the largest offset of weights
}

// Add adds a tap that reads x elements behind its output's first pixel, and whose weights begin at w.
func (t *LaneTaps) Add(x, w int) {
	if x < 0 || w < 0 {
		panic("simd: a tap before its slice")
	}
	t.list = append(t.list, laneTap{4 * x, 4 * w})
	t.far, t.top = max(t.far, x), max(t.top, w)
}

// LaneSums sets n vectors of z, zstep apart, to the sums over taps of what they read times their weights, each by FMA in the order of
// the taps. The taps of the first output are relative to x[0], those of the next to x[xstep].
func LaneSums(z, x, w []float32, t *LaneTaps, n, zstep, xstep int) {
	l := max(1, laneWidth())
	if n <= 0 {
		return
	}
	if len(t.list) == 0 {
		for i := range n {
			clear(z[i*zstep:][:l])
		}
		return
	}
	if zstep < 0 || xstep < 0 || (n-1)*xstep+t.far+l > len(x) || (n-1)*zstep+l > len(z) || t.top+l > len(w) {
		panic("simd: lanes outside their slices")
	}
	if !laneSums(z, x, w, t, n, zstep, xstep) {
		laneSumsGeneric(z, x, w, t, n, zstep, xstep, l)
	}
}

func laneSumsGeneric(z, x, w []float32, t *LaneTaps, n, zstep, xstep, l int) {
	for i := range n {
		for k := range l {
			s := float32(0)
			for _, tap := range t.list {
				s = fma(x[i*xstep+tap.x/4+k], w[tap.w/4+k], s)
			}
			z[i*zstep+k] = s
		}
	}
}

// LaneGrad describes a part of the weight gradient: N cotangents, GStep apart, times what each of Rows by Taps taps reads.
type LaneGrad struct {
	Rows, Taps       int // of taps; at most LaneTapsMost in a row
	N                int
	GStep, XStep     int // from one cotangent to the next, and of what a tap reads
	TapStep, RowStep int // from a tap to the next, in x
	SumStep          int // from a row of sums to the next; sums of a row follow each other
}

// LaneTapsMost is how many taps a row may have.
const LaneTapsMost = 7

// LaneGrads adds to sums, for each tap, the products of cotangents and what the tap reads, by FMA in the order of cotangents.
func LaneGrads(sums, g, x []float32, d *LaneGrad) {
	l := max(1, laneWidth())
	if d.N <= 0 || d.Rows <= 0 || d.Taps <= 0 {
		return
	}
	if min(d.GStep, d.XStep, d.TapStep, d.RowStep, d.SumStep) < 0 || d.Taps > LaneTapsMost || (d.N-1)*d.GStep+l > len(g) ||
		(d.N-1)*d.XStep+(d.Taps-1)*d.TapStep+(d.Rows-1)*d.RowStep+l > len(x) || (d.Rows-1)*d.SumStep+d.Taps*l > len(sums) {
		panic("simd: lanes outside their slices")
	}
	if !laneGrads(sums, g, x, d) {
		laneGradsGeneric(sums, g, x, d, l)
	}
}

func laneGradsGeneric(sums, g, x []float32, d *LaneGrad, l int) {
	for r := range d.Rows {
		for t := range d.Taps {
			for k := range l {
				s := &sums[r*d.SumStep+t*l+k]
				for i := range d.N {
					*s = fma(x[i*d.XStep+t*d.TapStep+r*d.RowStep+k], g[i*d.GStep+k], *s)
				}
			}
		}
	}
}
