package conv

import (
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/bufpool"
	"github.com/lucid-go/lucid/internal/backend/cpu/conv/kernel"
	"github.com/lucid-go/lucid/internal/par"
)

// The gradient of kernels is a convolution with few outputs and as many taps as an image has positions. Its outputs along a row
// are positions (see kernel.NHWC, with taps where others have channels), its kernels are the lanes, and the taps are summed
// over: the kernels are transposed once, so that at each tap they are next to each other, and the input is copied with its padding,
// some images and rows of taps at a time.

const (
	filterGradTaps   = 448           // taps of a strip, about
	filterGradImages = 32            // most images of a block
	filterGradFew    = 8             // fewest, to have enough blocks
	filterGradParts  = 32            // blocks that there should be at least
	filterGradRows   = 128           // most kernels of a block
	filterGradInput  = 64 << 10      // elements of the scratch of the input, about
	filterGradLeast  = 64            // fewest taps
	filterGradWidth  = 2             // fewest outputs of a row, unless columns would be few too
	filterGradPace   = positionsPace // multiply-adds between two looks at the clock
)

// filterGradConv is a phase computed so.
type filterGradConv[T number] struct {
	j              *job[T]
	high, wide     axis // outputs and taps have changed positions
	rows, strips   int  // rows of taps of a strip, strips of an image
	height, pitch  int  // of a part of the scratch
	images, inputs int  // of a block, blocks of them
	kernels, split int  // of a block, blocks of them
	padded         int  // kernels, in vectors
	parts          int  // of the sums
	runs           []outputRun
	order          []int              // where an output stands among the sums
	taps           []*kernel.NHWCTaps // by strip, row of outputs and run; behind the rows, of all of them
	packed         []T
	partial        []T
}

// outputRun are outputs along a row that read the same part of the input, evenly apart.
type outputRun struct{ part, shift, step, n, to int }

// filterGradGroup are rows of outputs that are computed together: those of a run, in the scratch of the input and among the sums.
type filterGradGroup struct {
	run, row, rows int // row: that of outputs, or behind them if they are several
	at, to, scaled [4]int
}

// isFilterGrad reports whether the taps are the long side, and kernels fill vectors.
func (j *job[T]) isFilterGrad() bool {
	p := &j.phase
	if j.float.nhwcRowLen <= 0 || !p.one() || p.outs() == 0 || j.channels == 0 || p.taps() < filterGradLeast {
		return false
	}
	a := newAxis(p[2].first, p[2].step, p[2].stride, p[2].outs)
	if p[2].outs < a.parts() || p[2].outs < filterGradWidth*a.parts() && j.images >= columnsFew {
		return false // too few sums at a time
	}
	wide := ceil(j.kernels, j.float.lanes) * j.float.lanes
	few := j.groups > 1 || j.images < columnsFew // such columns take longer to lay out than empty lanes do
	full := 4*j.kernels >= 3*wide || few && 4*j.kernels >= wide
	return p[2].taps > p[2].outs && p[1].step > 0 && p[2].step > 0 && full && p[1].tapStep*j.tapStep[1] == p[2].taps &&
		p[2].tapStep*j.tapStep[2] == 1
}

func (j *job[T]) newFilterGrad() *filterGradConv[T] {
	p := &j.phase
	d := &filterGradConv[T]{j: j, high: newAxis(p[1].first, p[1].step, p[1].stride, p[1].outs),
		wide: newAxis(p[2].first, p[2].step, p[2].stride, p[2].outs)}
	d.pitch = p[2].taps + d.wide.extra
	d.strips = ceil(p[1].taps, min(p[1].taps, max(1, filterGradTaps/p[2].taps)))
	d.rows = ceil(p[1].taps, d.strips)
	d.height = d.rows + d.high.extra
	d.inputs = ceil(j.images, max(1, min(filterGradImages, filterGradInput/d.plane(d.high.parts(), 0))))
	d.images = ceil(j.images, d.inputs)
	d.padded = ceil(j.kernels, j.float.lanes) * j.float.lanes
	panel := 2 * j.float.lanes
	d.kernels = min(ceil(j.kernels, panel)*panel, filterGradRows)
	d.split = ceil(j.kernels, d.kernels)
	d.parts = min(j.channels*d.strips, ceil(filterGradParts, j.groups*d.inputs*d.split))
	for d.images > filterGradFew && j.groups*d.inputs*d.split*d.parts < j.leastBlocks() { // the parts, which bits depend on, stay
		d.inputs = ceil(j.images, ceil(d.images, 2))
		d.images = ceil(j.images, d.inputs)
	}
	order, to := make([]int, p[2].outs), 0
	for part := range d.wide.parts() {
		for t := range p[2].outs {
			if d.wide.part[t] != part {
				continue
			}
			d.lengthen(part, d.wide.shift[t], to)
			order[t] = to
			to++
		}
	}
	d.list()
	for t := range p[1].outs {
		for _, o := range order {
			d.order = append(d.order, t*p[2].outs+o)
		}
	}
	return d
}

// lengthen adds an output to the last run, or begins another.
func (d *filterGradConv[T]) lengthen(part, shift, to int) {
	if last := len(d.runs) - 1; last >= 0 {
		r := &d.runs[last]
		if step := shift - r.shift - (r.n-1)*r.step; r.part == part && r.n < d.j.float.nhwcRowLen &&
			(r.n == 1 && step > 0 || step == r.step) {
			r.step, r.n = step, r.n+1
			return
		}
	}
	d.runs = append(d.runs, outputRun{part: part, shift: shift, n: 1, to: to})
}

// list finds the rows of taps of each strip that a row of outputs sees inside the input.
func (d *filterGradConv[T]) list() {
	p := &d.j.phase[1]
	for s := range d.strips {
		for t := range p.outs + 1 {
			var taps []kernel.NHWCTap
			for r := range min(d.rows, p.taps-s*d.rows) {
				if i := p.first + t*p.stride + (s*d.rows+r)*p.step; t == p.outs || i >= 0 && i < d.j.size[1] {
					taps = append(taps, kernel.NHWCTap{X: r * d.pitch, W: r})
				}
			}
			for _, r := range d.runs {
				d.taps = append(d.taps, kernel.NewNHWCTaps(r.n, r.step, taps))
			}
		}
	}
}

// plane is where a part is in the scratch of an image.
func (d *filterGradConv[T]) plane(high, wide int) int {
	return (high*d.wide.parts() + wide) * d.height * d.pitch
}

// byFilterGrad computes a phase.
func (j *job[T]) byFilterGrad(c *backend.Ctx) error {
	d := j.newFilterGrad()
	var freePartial func()
	if n := j.phase.taps(); d.inputs > 1 { // several blocks read each panel
		var free func()
		d.packed, free = bufpool.Borrow[T](j.groups * j.channels * n * d.padded)
		defer free()
		panel := 2 * j.float.lanes
		panels := ceil(j.kernels, panel)
		if err := c.For(j.groups*j.channels*panels, func(b int) {
			row, o := b/panels, b%panels*panel
			d.pack(d.packed[(row*d.padded+o)*n:], row/j.channels, row%j.channels, o, 0, j.phase[1].taps)
		}); err != nil {
			return err
		}
	}
	blocks := j.groups * d.inputs * d.split
	d.partial, freePartial = bufpool.Borrow[T](blocks * d.parts * d.area())
	defer freePartial()
	if err := c.For(blocks*d.parts, d.block); err != nil {
		return err
	}
	return c.For(j.groups*j.images, func(b int) { d.write(b/j.images, b%j.images) })
}

// pack lays out some rows of taps of the panel of kernels of a group that begins at o.
func (d *filterGradConv[T]) pack(to []T, group, ch, o, t1, rows int) {
	j, n := d.j, rows*d.j.phase[2].taps
	cols, kernels := min(2*j.float.lanes, d.padded-o), min(2*j.float.lanes, j.kernels-o)
	to = to[:n*cols]
	if kernels < cols {
		clear(to)
	}
	j.float.packPositions(to, cols, j.w[(group*j.kernels+o)*j.kernelStep+ch*j.kernelInStep+j.tapRow(0, t1):], kernels, n, j.kernelStep)
}

// area is the number of sums of a block.
func (d *filterGradConv[T]) area() int { return d.images * d.j.phase.outs() * d.kernels }

// block computes a part of the sums of some images and kernels.
func (d *filterGradConv[T]) block(b int) {
	j, p := d.j, &d.j.phase
	sums, part := d.partial[b*d.area():][:d.area()], b%d.parts
	at, image, group := b/d.parts%d.split*d.kernels, b/d.parts/d.split%d.inputs*d.images, b/d.parts/d.split/d.inputs
	o1, images := min(at+d.kernels, j.kernels), min(d.images, j.images-image)
	each := d.plane(d.high.parts(), 0)
	x, free := bufpool.Borrow[T](images * each)
	defer free()
	var own []T // the kernels of a strip, if they are not packed yet
	if d.packed == nil {
		var freeOwn func()
		own, freeOwn = bufpool.Borrow[T](ceil(o1-at, j.float.lanes) * j.float.lanes * d.rows * p[2].taps)
		defer freeOwn()
	}
	groups := d.groups(images, each)
	pace, work, n := par.NewPace(), 0, p.taps()
	units := j.channels * d.strips
	first := part * units / d.parts
	for u := first; u < (part+1)*units/d.parts; u++ {
		ch, t1 := u/d.strips, u%d.strips*d.rows
		rows := min(d.rows, p[1].taps-t1)
		for h := range d.high.parts() {
			for w := range d.wide.parts() {
				j.copyWindows(x[d.plane(h, w):], each, image, images, group*j.channels+ch, &inputWindow{
					high: d.high.at(h, t1), highStep: d.high.stride, rows: rows + d.high.extra,
					wide: d.wide.at(w, 0), wideStep: d.wide.stride, pitch: d.pitch})
			}
		}
		for o := at; o < o1; o += 2 * j.float.lanes {
			cols := min(2*j.float.lanes, d.padded-o)
			var w []T
			if own == nil {
				w = d.packed[((group*j.channels+ch)*d.padded+o)*n+t1*p[2].taps*cols:]
			} else {
				w = own[(o-at)*rows*p[2].taps:]
				d.pack(w, group, ch, o, t1, rows)
			}
			z := sums[(o-at)*images*p.outs():]
			for i := range groups {
				q := &groups[i]
				q.scale(cols)
				j.float.nhwc(q.rows, cols, p[2].taps, d.taps[(u%d.strips*(p[1].outs+1)+q.row)*len(d.runs)+q.run], x, &q.at, w, z, &q.scaled,
					cols, u > first)
				if work += q.rows * d.runs[q.run].n * cols * rows * p[2].taps; work > filterGradPace {
					work = 0
					pace.Step()
				}
			}
		}
	}
}

// groups are the rows of outputs of some images, as many of a run together as can be: the same row of several images,
// and what is left of any.
func (d *filterGradConv[T]) groups(images, each int) (groups []filterGradGroup) {
	p := &d.j.phase
	for run, r := range d.runs {
		most := d.j.float.nhwcRowsOf(r.n)
		rest := filterGradGroup{run: run, row: p[1].outs}
		for t := range p[1].outs {
			g := filterGradGroup{run: run, row: t}
			for i := range images {
				to := &g
				if i >= images/most*most {
					to = &rest
				}
				to.at[to.rows] = i*each + d.plane(d.high.part[t], r.part) + d.high.shift[t]*d.pitch + r.shift
				to.to[to.rows] = (i*p[1].outs+t)*p[2].outs + r.to
				if to.rows++; to.rows == most {
					groups = append(groups, *to)
					to.rows = 0
				}
			}
		}
		if two := rest; rest.rows > 1 {
			two.rows = 2
			groups = append(groups, two)
		}
		if rest.rows%2 == 1 {
			rest.at[0], rest.to[0], rest.rows = rest.at[rest.rows-1], rest.to[rest.rows-1], 1
			groups = append(groups, rest)
		}
	}
	return groups
}

// scale finds where the rows stand among sums cols apart.
func (g *filterGradGroup) scale(cols int) {
	for r, to := range g.to {
		g.scaled[r] = to * cols
	}
}

// write adds the parts of the sums of a group of an image, first to last, and writes them to the output.
func (d *filterGradConv[T]) write(group, i int) {
	j, p := d.j, &d.j.phase
	outs, area := p.outs(), d.area()
	images := min(d.images, j.images-i/d.images*d.images)
	row, free := bufpool.Borrow[T](2 * j.float.lanes * outs)
	defer free()
	line, freeLine := bufpool.Borrow[T](outs)
	defer freeLine()
	whole := p[1].outStep == 1 && p[2].outs == j.outSize[2]
	for o := 0; o < j.kernels; o += 2 * j.float.lanes {
		cols := min(2*j.float.lanes, d.padded-o)
		block := ((group*d.inputs+i/d.images)*d.split + o/d.kernels) * d.parts
		at := (o%d.kernels)*images*outs + i%d.images*outs*cols
		sums := row[:outs*cols]
		copy(sums, d.partial[block*area+at:])
		for s := 1; s < d.parts; s++ {
			addTo(sums, d.partial[(block+s)*area+at:])
		}
		for k := range min(2*j.float.lanes, j.kernels-o) {
			for e, at := range d.order {
				line[e] = sums[at*cols+k]
			}
			plane := ((i*j.groups+group)*j.kernels+o+k)*j.outPositions + p[1].out*j.outSize[2] + p[2].out
			if whole {
				j.write(plane, 1, line)
				continue
			}
			for t := range p[1].outs {
				j.write(plane+t*p[1].outStep*j.outSize[2], p[2].outStep, line[t*p[2].outs:][:p[2].outs])
			}
		}
	}
}
