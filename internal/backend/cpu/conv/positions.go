package conv

import (
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/bufpool"
	"github.com/lucid-go/lucid/internal/backend/cpu/conv/kernel"
	"github.com/lucid-go/lucid/internal/backend/cpu/layout"
	"github.com/lucid-go/lucid/internal/par"
)

// The output-position algorithm multiplies a scalar of the input by a vector of filters (kernel.Positions): output channels are lanes,
// and rows of positions, two at a time, are computed together. So there is nothing between output rows, strides and
// short rows cost nothing, and rows of taps that see only padding are left out. Sums stand by output positions in scratch until
// they are complete, and are transposed when they are written. It needs as many output channels as make up vectors.

const (
	positionsDepth = 640      // most terms of a sum before it is added to the others, or one channel
	positionsWidth = 3        // shortest rows
	positionsLeast = 192      // terms of a sum below which transposing costs more than the direct way's columns between rows
	positionsLong  = 896      // longest rows, and most positions of a block
	positionsInput = 64 << 10 // elements of the scratch of the input, about: with sums and kernels they stay in the second cache
	positionsSums  = 64 << 10 // most sums of a block that wait for the next chunk of channels
	positionsRows  = 256      // most output channels of a block then
	positionsMost  = 512      // and if there is one chunk
	positionsFew   = 96       // positions below which output channels are cut, rather than images, to have enough blocks
	positionsPace  = 2 << 20  // multiply-adds between two looks at the clock
	positionsPack  = 4 << 10  // elements of the kernels that are packed at a time
)

// positionsConv is a phase computed by output positions.
type positionsConv[T number] struct {
	stripPlan[T]
	images         int // of a block
	channels       int // of a chunk
	kernels, split int // output channels of a block, blocks of them
	taps           kernel.PositionTaps
	tapCount       int
	ends           []int // of the parts an output row is cut into
	packed         []T   // kernels: panel by panel, in it channel by channel, tap by tap
	padded         int   // output channels of a group in it
	fused          bool
}

// isPositions reports whether output channels fill vectors and rows are not too short.
func (j *job[T]) isPositions() bool {
	if j.float.positionRowLen <= 0 || j.phase[2].outs < positionsWidth || j.phase.taps() == 0 || j.channels == 0 {
		return false
	}
	p := &j.phase[2]
	a := newAxis(p.first, p.stride, p.step, p.taps)
	wide := ceil(j.kernels, j.float.lanes) * j.float.lanes
	return 4*j.kernels >= 3*wide && 2*p.outs >= a.extra && (j.channels*j.phase.taps() >= positionsLeast || j.last || !j.isDirect())
}

// newPositions cuts the work into blocks, the more the more threads there are. The chunks, which bits depend on, depend on the sizes
// alone, and not on the number of images.
func (j *job[T]) newPositions() *positionsConv[T] {
	p := &j.phase
	d := &positionsConv[T]{tapCount: p.taps()}
	chunks := ceil(j.channels, max(1, positionsDepth/d.tapCount))
	d.channels = ceil(j.channels, chunks)
	d.stripPlan = j.newStrips(max(positionsWidth*j.float.positionRowLen, min(positionsLong, positionsInput/d.channels)))
	panel := 2 * j.float.lanes
	d.padded = ceil(j.kernels, j.float.lanes) * j.float.lanes
	d.kernels = min(ceil(j.kernels, panel)*panel, positionsMost)
	area := positionsLong
	if chunks > 1 {
		d.kernels = min(d.kernels, positionsRows)
		area = min(area, positionsSums/d.kernels)
	}
	d.cut(area/d.cols, j.leastBlocks())
	for d.rows > 1 && d.channels*d.plane(p[0].taps, 0, 0) > positionsInput {
		d.cut(d.rows-1, j.leastBlocks())
	}
	d.images = 1
	if d.strips*d.across == 1 {
		d.images = max(1, min(j.images, area/(p[1].outs*d.cols), positionsInput/(d.channels*d.plane(p[0].taps, 0, 0))))
	}
	d.enough(panel)
	d.split = ceil(j.kernels, d.kernels)
	d.taps = kernel.NewPositionTaps(d.offsets())
	n := ceil(d.cols, j.float.positionRowLen)
	for q := range n + 1 {
		d.ends = append(d.ends, q*d.cols/n)
	}
	return d
}

// enough makes blocks smaller until there are enough of them: fewer output channels cost more copies of the input, fewer
// positions more passes over the kernels.
func (d *positionsConv[T]) enough(panel int) {
	j, p := d.j, &d.j.phase
	units := func() int {
		return ceil(j.images, d.images) * j.groups * ceil(j.kernels, d.kernels) * p[0].outs * d.strips * d.across
	}
	most := j.leastBlocks()
	fewer := func(least int) {
		for units() < most && d.kernels > least {
			d.kernels = ceil(d.kernels/2, panel) * panel
		}
	}
	fewer(128)
	for units() < most && d.images > 1 && d.images*d.rows*d.cols > positionsFew {
		d.images = ceil(d.images, 2)
	}
	fewer(64)
	for units() < most && d.images > 1 {
		d.images = ceil(d.images, 2)
	}
	d.images = ceil(j.images, ceil(j.images, d.images))
	d.cut(d.rows, units()/d.strips)
	fewer(panel)
}

// byPositions computes a phase.
func (j *job[T]) byPositions(c *backend.Ctx) error {
	d := j.newPositions()
	d.fused = d.across == 1 && j.fusesEpilogue()
	var free func()
	d.packed, free = bufpool.Borrow[T](j.groups * d.padded * j.channels * d.tapCount)
	defer free()
	if err := d.pack(c); err != nil {
		return err
	}
	return c.For(ceil(j.images, d.images)*j.groups*d.split*j.phase[0].outs*d.strips*d.across, d.block)
}

// panelCols is the width of the panel that begins at output channel o: two vectors, or one for the last.
func (d *positionsConv[T]) panelCols(o int) int { return min(2*d.j.float.lanes, d.padded-o) }

// pack lays out the kernels.
func (d *positionsConv[T]) pack(c *backend.Ctx) error {
	j, taps := d.j, d.tapCount
	offs, even := j.tapOffsets()
	whole := even && j.kernelInStep == taps // all channels of a kernel follow each other
	panel := 2 * j.float.lanes
	each := max(1, positionsPack/(taps*panel)) // channels of a block
	panels, chunks := ceil(j.kernels, panel), ceil(j.channels, each)
	return c.For(j.groups*panels*chunks, func(b int) {
		c0, b := b%chunks*each, b/chunks
		c1, o := min(c0+each, j.channels), b%panels*panel
		cols, rows, k := d.panelCols(o), min(panel, j.kernels-o), j.channels*taps
		to := d.packed[b/panels*d.padded*k+o*k+c0*taps*cols:][:(c1-c0)*taps*cols]
		if rows < cols {
			clear(to)
		}
		from := j.w[(b/panels*j.kernels+o)*j.kernelStep+c0*j.kernelInStep:]
		if whole {
			j.float.packPositions(to, cols, from[offs[0]:], rows, (c1-c0)*taps, j.kernelStep)
			return
		}
		for ch := range c1 - c0 {
			to, from := to[ch*taps*cols:], from[ch*j.kernelInStep:]
			if even {
				j.float.packPositions(to, cols, from[offs[0]:], rows, taps, j.kernelStep)
				continue
			}
			for t, o := range offs {
				for i := range rows {
					to[t*cols+i] = from[i*j.kernelStep+o]
				}
			}
		}
	})
}

// positionsBlock is scratch of a block: x what it reads of a chunk of channels, sums what it computes.
type positionsBlock[T number] struct {
	strip
	images  int
	x, sums []T
	pairs   []positionPair
	pace    par.Pace
	work    int // since the last look at the clock
}

// block computes a strip of some images and output channels.
func (d *positionsConv[T]) block(b int) {
	j, p := d.j, &d.j.phase
	var u positionsBlock[T]
	t2, b := b%d.across*d.cols, b/d.across
	t1, b := b%d.strips*d.rows, b/d.strips
	t0, b := b%p[0].outs, b/p[0].outs
	part, b := b%d.split, b/d.split
	group, image := b%j.groups, b/j.groups*d.images
	u.strip = strip{image: image, group: group, o0: part * d.kernels, o1: min((part+1)*d.kernels, j.kernels), t0: t0, t1: t1, t2: t2,
		rows: min(d.rows, p[1].outs-t1), cols: min(d.cols, p[2].outs-t2)}
	u.images = min(d.images, j.images-image)
	each := d.channels * d.plane(p[0].taps, 0, 0) // of an image
	n := u.images * u.rows * u.cols               // positions
	var freeX, freeSums func()
	u.x, freeX = bufpool.Borrow[T](u.images*each + j.float.positionRowLen)
	defer freeX()
	wide := ceil(u.o1, j.float.lanes)*j.float.lanes - u.o0
	if d.channels == j.channels { // each panel is Epilogue before the next
		wide = min(wide, 2*j.float.lanes)
	}
	u.sums, freeSums = bufpool.Borrow[T](n * wide)
	defer freeSums()
	u.pace = par.NewPace()
	d.pair(&u, each)
	for c := 0; c < j.channels; c += d.channels {
		count := min(d.channels, j.channels-c)
		for i := range u.images {
			d.fill(u.x[i*each:], (image+i)*j.imageStep+(group*j.channels+c)*j.channelStep, count, &u.strip)
		}
		for o := u.o0; o < u.o1; o += 2 * j.float.lanes {
			sums := u.sums
			if d.channels < j.channels {
				sums = sums[n*(o-u.o0):]
			}
			d.panel(&u, sums, o, c, count)
			if c+count == j.channels {
				d.write(&u, sums, o)
			}
		}
	}
}

// panel adds what a chunk of channels gives to a panel of output channels.
func (d *positionsConv[T]) panel(u *positionsBlock[T], sums []T, o, c, count int) {
	j, taps := d.j, d.tapCount
	cols, k := d.panelCols(o), j.channels*taps
	w := d.packed[u.group*d.padded*k+o*k+c*taps*cols:]
	next := d.plane(j.phase[0].taps, 0, 0)
	for i := range u.pairs {
		p := &u.pairs[i]
		to := [2]int{p.to[0] * cols, p.to[1] * cols}
		j.float.positions(p.n, cols, count, d.taps.Part(p.lo, p.hi), u.x, p.at, next, w[p.lo*cols:], taps*cols, sums, to, c > 0)
		if u.work += p.n * cols * count * taps; u.work > positionsPace {
			u.work = 0
			u.pace.Step()
		}
	}
}

// write writes the finished sums of a panel to the output.
func (d *positionsConv[T]) write(u *positionsBlock[T], sums []T, o int) {
	j, p := d.j, &d.j.phase
	cols, rows, width := d.panelCols(o), min(u.o1-o, 2*j.float.lanes), u.cols
	whole := p[2].outStep == 1 && p[1].outStep == 1 && width == j.outSize[2] // rows follow each other
	for i := range u.images {
		if j.last {
			d.putNHWC(u, sums[i*u.rows*width*cols:], cols, u.image+i, o, rows)
			continue
		}
		row := ((u.image+i)*j.groups+u.group)*j.kernels + o
		if whole && j.z != nil {
			layout.TransposeBlock(j.z[row*j.outPositions+d.offset(&u.strip, 0):], j.outPositions, sums[i*u.rows*width*cols:], cols,
				u.rows*width, rows)
		} else {
			d.transposeRows(u, sums[i*u.rows*width*cols:], cols, row, rows)
		}
		if d.fused {
			j.then(row, d.offset(&u.strip, 0), rows, u.rows*width)
		}
	}
}

// transposeRows writes the sums of one image, cols apart, to the planes of so many channels, row by row.
func (d *positionsConv[T]) transposeRows(u *positionsBlock[T], sums []T, cols, plane, channels int) {
	j, width := d.j, u.cols
	if j.phase[2].outStep == 1 && j.z != nil {
		for r := range u.rows {
			layout.TransposeBlock(j.z[plane*j.outPositions+d.offset(&u.strip, r):], j.outPositions, sums[r*width*cols:], cols,
				width, channels)
		}
		return
	}
	row, free := bufpool.Borrow[T](channels * width)
	defer free()
	for r := range u.rows {
		layout.TransposeBlock(row, width, sums[r*width*cols:], cols, width, channels)
		for q := range channels {
			j.write((plane+q)*j.outPositions+d.offset(&u.strip, r), j.phase[2].outStep, row[q*width:][:width])
		}
	}
}
