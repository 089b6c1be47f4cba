package cpu

import (
	"sync"

	"github.com/lucid-go/lucid/internal/backend"
)

const (
	convCols  = 128 // columns of a block
	convDepth = 256 // rows of a chunk
	convMin   = 16  // blocks below which channels are split too
	convSplit = 64  // channels of a block then, at least
)

// convTiles is how the output of a phase is cut: into groups, then rows, then columns.
type convTiles struct {
	groups, rows, cols int
	width              int  // columns of a block
	perImage           int  // blocks of columns in one image; 0: a block holds whole images
	depth              int  // rows of a chunk
	byTaps             bool // the second matrix is filled along the taps, not along the outputs
}

func (t *convTiles) count() int { return t.groups * t.rows * t.cols }

// plan fixes the blocks by the sizes alone.
func (j *convJob[T]) plan() convTiles {
	outs := j.phase.outs()
	t := convTiles{groups: j.groups, rows: 1, byTaps: j.phase[2].taps > j.phase[2].outs}
	if outs >= convCols {
		t.width, t.perImage = convCols, (outs+convCols-1)/convCols
		t.cols = t.perImage * j.images
	} else {
		each := max(1, convCols/outs)
		t.width, t.cols = each*outs, (j.images+each-1)/each
	}
	if n := t.groups * t.cols; n < convMin {
		t.rows = max(1, min(j.kernels/convSplit, (convMin+n-1)/n))
	}
	k := j.channels * j.phase.taps()
	chunks := max(1, (k+convDepth-1)/convDepth)
	t.depth = max(16, ((k+chunks-1)/chunks+15)/16*16)
	return t
}

// columns returns the columns of block b.
func (j *convJob[T]) columns(b int) (from, to int) {
	t, outs := &j.tiles, j.phase.outs()
	if t.perImage == 0 {
		return b * t.width, min((b+1)*t.width, j.images*outs)
	}
	image := b / t.perImage * outs
	b %= t.perImage
	return image + b*t.width, image + min((b+1)*t.width, outs)
}

// packKernels lays out the kernels' taps of this phase as rows. Kernels that already lie so are used in place.
func (j *convJob[T]) packKernels(c *backend.Ctx) (free func(), err error) {
	p, taps := &j.phase, j.phase.taps()
	if j.kernelsInPlace() {
		j.panel, j.panelRow, j.panelCol, j.panelLen = j.w, j.kernelStep, j.evenStep(), j.kernels*j.kernelStep
		return nil, nil
	}
	k := j.channels * taps
	j.panel, free = borrow[T](j.groups * j.kernels * k)
	j.panelRow, j.panelCol, j.panelLen = k, 1, j.kernels*k
	if k == 0 {
		return free, nil
	}
	rows := j.groups * j.kernels
	each := max(1, blockElems/k)
	err = c.For((rows+each-1)/each, func(b int) {
		for r := b * each; r < min((b+1)*each, rows); r++ {
			to := j.panel[r*k:][:k]
			for ch := range j.channels {
				from := r*j.kernelStep + ch*j.kernelInStep
				for u0 := range p[0].taps {
					for u1 := range p[1].taps {
						at := from + (p[0].tap+u0*p[0].tapStep)*j.tapStep[0] + (p[1].tap+u1*p[1].tapStep)*j.tapStep[1] + p[2].tap*j.tapStep[2]
						for u2 := range p[2].taps {
							to[u2] = j.w[at+u2*p[2].tapStep*j.tapStep[2]]
						}
						to = to[p[2].taps:]
					}
				}
			}
		}
	})
	return free, err
}

// kernelsInPlace reports whether every tap is used, in order, and the taps of all channels are evenly apart.
func (j *convJob[T]) kernelsInPlace() bool {
	n, step := 1, j.evenStep()
	for d := 2; d >= 0; d-- {
		if p := &j.phase[d]; p.taps != j.kernelSize[d] || p.taps > 1 && (p.tap != 0 || p.tapStep != 1) {
			return false
		}
		if j.kernelSize[d] > 1 && j.tapStep[d] != n*step {
			return false
		}
		n *= j.kernelSize[d]
	}
	return j.channels == 1 || j.kernelInStep == n*step
}

// evenStep is the distance of the innermost taps.
func (j *convJob[T]) evenStep() int {
	for d := 2; d >= 0; d-- {
		if j.kernelSize[d] > 1 {
			return j.tapStep[d]
		}
	}
	return j.kernelInStep
}

// places is scratch for the places a block reads.
type places struct {
	points []point
	runs   []run
}

var placePool = sync.Pool{New: func() any { return new(places) }}

// block computes one block of the output: chunk by chunk of rows, fill and multiply.
//
//go:noinline
func (j *convJob[T]) block(b int) {
	t, p := &j.tiles, &j.phase
	colBlock, b := b%t.cols, b/t.cols
	rowBlock, group := b%t.rows, b/t.rows
	o0, o1 := rowBlock*j.kernels/t.rows, (rowBlock+1)*j.kernels/t.rows
	c0, c1 := j.columns(colBlock)
	m, n, k := o1-o0, c1-c0, j.channels*p.taps()
	buf, free := borrow[T](t.depth*n + m*n)
	defer free()
	col, z, zrs := buf[:t.depth*n], buf[t.depth*n:], n
	outs := p.outs()
	direct := t.perImage > 0 && j.z != nil && outs == j.outPlaces
	if direct {
		z, zrs = j.z[((c0/outs)*j.groups*j.kernels+group*j.kernels+o0)*outs+c0%outs:], outs
	}
	pl := placePool.Get().(*places)
	defer placePool.Put(pl)
	input := group * j.channels * j.channelStep
	for k0 := 0; k0 < k || k0 == 0; k0 += t.depth {
		kc := min(t.depth, k-k0)
		brs, bcs := n, 1
		if t.byTaps {
			brs, bcs = 1, kc
			pl.points = points(pl.points, c0, c1, j.imageStep, p.column)
			pl.runs = runs(pl.runs, k0, k0+kc, j.channelStep, p[2].taps, p.row)
			j.fill(col, kc, input, pl, p[2].step)
		} else {
			pl.points = points(pl.points, k0, k0+kc, j.channelStep, p.row)
			pl.runs = runs(pl.runs, c0, c1, j.imageStep, p[2].outs, p.column)
			j.fill(col, n, input, pl, p[2].stride)
		}
		w := tail(j.panel, group*j.panelLen+o0*j.panelRow+k0*j.panelCol)
		j.mul(m, n, kc, w, j.panelRow, j.panelCol, col, brs, bcs, z, zrs, k0 > 0, nil)
	}
	if !direct {
		j.spread(group*j.kernels+o0, m, c0, c1, z)
	}
}

// fill writes, for every point, the runs seen from there; zero where that is outside the input.
func (j *convJob[T]) fill(dst []T, width, base int, pl *places, step int) {
	in, last := j.size, j.step[2]
	for i := range pl.points {
		p, row := &pl.points[i], dst[i*width:][:width]
		for q := range pl.runs {
			r := &pl.runs[q]
			to := row[r.dst:][:r.n]
			i0, i1, first := p.at[0]+r.at[0], p.at[1]+r.at[1], p.at[2]+r.at[2]
			if uint(i0) >= uint(in[0]) || uint(i1) >= uint(in[1]) {
				clear(to)
				continue
			}
			if first < 0 {
				lo := min((-first+step-1)/step, len(to))
				clear(to[:lo])
				to, first = to[lo:], first+lo*step
			}
			if end := first + (len(to)-1)*step; end >= in[2] {
				hi := max(0, (in[2]-first+step-1)/step)
				clear(to[hi:])
				to = to[:hi]
			}
			if len(to) == 0 {
				continue
			}
			at, by := base+p.base+r.base+i0*j.step[0]+i1*j.step[1]+first*last, step*last
			switch {
			case j.x == nil:
				j.load(to, at, by)
			case by == 1:
				copy(to, j.x[at:at+len(to)])
			default:
				from := j.x[at:]
				for e := range to {
					to[e] = from[e*by]
				}
			}
		}
	}
}

// spread writes rows of finished columns to their places in the output.
func (j *convJob[T]) spread(channel, rows, c0, c1 int, z []T) {
	p, all, n := &j.phase, j.groups*j.kernels, c1-c0
	outs := p.outs()
	for c := c0; c < c1; {
		image, at := c/outs, c%outs
		t2 := at % p[2].outs
		run := min(p[2].outs-t2, c1-c)
		t1, t0 := at/p[2].outs%p[1].outs, at/p[2].outs/p[1].outs
		place := ((p[0].out+t0*p[0].outStep)*j.outSize[1]+p[1].out+t1*p[1].outStep)*j.outSize[2] + p[2].out + t2*p[2].outStep
		for r := range rows {
			j.write((image*all+channel+r)*j.outPlaces+place, p[2].outStep, z[r*n+c-c0:][:run])
		}
		c += run
	}
}

func (j *convJob[T]) write(at, step int, x []T) {
	switch {
	case j.z == nil:
		j.save(at, step, x)
	case step == 1:
		copy(j.z[at:], x)
	default:
		for i, v := range x {
			j.z[at+i*step] = v
		}
	}
}
