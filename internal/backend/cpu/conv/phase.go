package conv

import "github.com/lucid-go/lucid/internal/attr"

// phase is a part of one spatial dimension in which zeros between the input's elements play no role: output number
// t of it, for tap number u, reads input first + t·stride + u·step, or zero where that is outside. Without zeros between
// the elements there is one phase; with them, a tap reads an element only for one output in several.
type phase struct {
	outs, taps          int // how many
	first, stride, step int
	out, outStep        int // output t is at out + t·outStep
	tap, tapStep        int // tap u is at tap + u·tapStep of the kernel
}

// newPhases cuts dimension d with these sizes into phases.
func newPhases(c attr.Conv, d, in, kernel, outs int) []phase {
	stride, between, dilation, low := c.Stride.At(d), c.InputDilation.At(d), c.KernelDilation.At(d), c.Low.At(d)
	g := commonDivisor(stride, between)
	period := between / g
	var all []phase
	for r := range min(period, outs) {
		p := phase{outs: (outs - r + period - 1) / period, stride: stride / g, out: r, outStep: period,
			step: dilation / commonDivisor(dilation, between), tapStep: between / commonDivisor(dilation, between)}
		for k := 0; k < kernel; k++ {
			at := r*stride + k*dilation - low
			if at%between != 0 {
				continue
			}
			at /= between
			if at+(p.outs-1)*p.stride < 0 || at >= in {
				continue // it reads zeros only
			}
			if p.taps == 0 {
				p.first, p.tap = at, k
			}
			p.taps++
		}
		if c.Flip {
			p.tap, p.tapStep = kernel-1-p.tap, -p.tapStep
			p.reverse()
		}
		all = append(all, p)
	}
	return all
}

// reverse counts the taps from the other end, so that the kernel is read forward. Rows along the taps stay as they are:
// they are im2col in the order of the input.
func (p *phase) reverse() {
	if p.taps > 0 && p.taps <= p.outs {
		p.first, p.step = p.first+(p.taps-1)*p.step, -p.step
		p.tap, p.tapStep = p.tap+(p.taps-1)*p.tapStep, -p.tapStep
	}
}

// commonDivisor is the greatest one of two positive numbers.
func commonDivisor(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// point is a position in the input: an offset and, in each spatial dimension, an index that may be outside.
type point struct {
	base int
	at   [3]int
}

// run is a row of positions: n of them, the last index growing by a step, to be written from position dst on.
type run struct {
	point
	dst, n int
}

// phases3 is a phase of all three dimensions.
type phases3 [3]phase

func (p *phases3) outs() int { return p[0].outs * p[1].outs * p[2].outs }
func (p *phases3) taps() int { return p[0].taps * p[1].taps * p[2].taps }

// column is output column j: image j / outs, and a position in it. What the first taps read is at first.
func (p *phases3) column(j, imageStep int) point {
	n := p.outs()
	q := point{base: j / n * imageStep}
	j %= n
	for d := 2; d >= 0; d-- {
		q.at[d] = p[d].first + j%p[d].outs*p[d].stride
		j /= p[d].outs
	}
	return q
}

// row is row k of what a column holds: channel k / taps, and a tap.
func (p *phases3) row(k, channelStep int) point {
	n := p.taps()
	q := point{base: k / n * channelStep}
	k %= n
	for d := 2; d >= 0; d-- {
		q.at[d] = k % p[d].taps * p[d].step
		k /= p[d].taps
	}
	return q
}

// points lists at(from) … at(to-1).
func points(dst []point, from, to, step int, at func(i, step int) point) []point {
	dst = dst[:0]
	for i := from; i < to; i++ {
		dst = append(dst, at(i, step))
	}
	return dst
}

// runs lists the same positions as points, as rows of at most width.
func runs(dst []run, from, to, step, width int, at func(i, step int) point) []run {
	dst = dst[:0]
	for i := from; i < to; {
		n := min(width-i%width, to-i)
		dst = append(dst, run{at(i, step), i - from, n})
		i += n
	}
	return dst
}
