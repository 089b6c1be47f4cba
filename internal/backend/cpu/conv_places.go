package cpu

import (
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/par"
)

// The way by places multiplies a scalar of the input by a vector of kernels (gemm.Places): output channels are lanes, and
// rows of places, two at a time, are what is computed together. So there is nothing between output rows, strides and
// short rows cost nothing, and rows of taps that see only padding are left out. Sums stand by places in scratch until
// they are complete, and are turned on their way out. It needs as many output channels as make up vectors.

const (
	placesDepth  = 640     // most terms of a sum before it is added to the others, or one channel
	placesRows   = 128     // most output channels of a block
	placesArea   = 448     // places of a block, about
	placesFewest = 112     // places below which output channels are cut, rather than places, to have enough blocks
	placesWidth  = 3       // shortest rows
	placesPace   = 4 << 20 // multiply-adds between two looks at the clock
)

// placesConv is a phase computed by places.
type placesConv[T numbers] struct {
	convStrips[T]
	images         int   // of a block
	channels       int   // of a chunk
	kernels, split int   // output channels of a block, blocks of them
	off            []int // of the taps of a channel
	ends           []int // of the parts an output row is cut into
	packed         []T   // kernels: panel by panel, in it channel by channel, tap by tap
	padded         int   // output channels of a group in it
}

// isPlaces reports whether output channels fill vectors and rows are not too short.
func (j *convJob[T]) isPlaces() bool {
	if j.float == nil || j.float.row <= 0 || j.phase[2].outs < placesWidth || j.phase.taps() == 0 || j.channels == 0 {
		return false
	}
	p := &j.phase[2]
	a := newConvAxis(p.first, p.stride, p.step, p.taps)
	wide := ceil(j.kernels, j.float.lanes) * j.float.lanes
	return 4*j.kernels >= 3*wide && 2*p.outs >= a.extra
}

func (j *convJob[T]) newPlaces() *placesConv[T] {
	p := &j.phase
	d := &placesConv[T]{convStrips: j.newStrips()}
	taps := p.taps()
	chunks := ceil(j.channels, max(1, placesDepth/taps))
	d.channels = ceil(j.channels, chunks)
	panel := 2 * j.float.lanes
	d.kernels = min(ceil(j.kernels, panel)*panel, placesRows)
	d.images = max(1, min(j.images, placesArea/(p[1].outs*p[2].outs)))
	d.cut(placesArea/p[2].outs, directLeast) // rows first: blocks are counted below
	units := func() int {
		return ceil(j.images, d.images) * j.groups * ceil(j.kernels, d.kernels) * p[0].outs * ceil(p[1].outs, d.rows)
	}
	for units() < directLeast && d.kernels > panel && d.images*d.rows*p[2].outs <= 2*placesFewest {
		d.kernels = ceil(d.kernels/2, panel) * panel
	}
	for units() < directLeast && d.images > 1 {
		d.images = ceil(d.images, 2)
	}
	d.cut(d.rows, ceil(j.images, d.images)*j.groups*ceil(j.kernels, d.kernels)*p[0].outs)
	for units() < directLeast && d.kernels > panel {
		d.kernels = ceil(d.kernels/2, panel) * panel
	}
	d.split = ceil(j.kernels, d.kernels)
	d.padded = ceil(j.kernels, j.float.lanes) * j.float.lanes
	d.off = d.offsets()
	n := ceil(p[2].outs, j.float.row)
	for q := range n + 1 {
		d.ends = append(d.ends, q*p[2].outs/n)
	}
	return d
}

// byPlaces computes a phase.
func (j *convJob[T]) byPlaces(c *backend.Ctx) error {
	d := j.newPlaces()
	var free func()
	d.packed, free = borrow[T](j.groups * d.padded * j.channels * len(d.off))
	defer free()
	if err := d.pack(c); err != nil {
		return err
	}
	return c.For(ceil(j.images, d.images)*j.groups*d.split*j.phase[0].outs*d.strips, d.block)
}

// panelCols is the width of the panel that begins at output channel o: two vectors, or one for the last.
func (d *placesConv[T]) panelCols(o int) int { return min(2*d.j.float.lanes, d.padded-o) }

// pack lays out the kernels.
func (d *placesConv[T]) pack(c *backend.Ctx) error {
	j, taps := d.j, len(d.off)
	offs, even := j.tapOffsets()
	whole := even && j.kernelInStep == taps // all channels of a kernel follow each other
	panel := 2 * j.float.lanes
	panels, chunks := ceil(j.kernels, panel), ceil(j.channels, d.channels)
	return c.For(j.groups*panels*chunks, func(b int) {
		c0, b := b%chunks*d.channels, b/chunks
		c1, o := min(c0+d.channels, j.channels), b%panels*panel
		cols, rows, k := d.panelCols(o), min(panel, j.kernels-o), j.channels*taps
		to := d.packed[b/panels*d.padded*k+o*k+c0*taps*cols:][:(c1-c0)*taps*cols]
		if rows < cols {
			clear(to)
		}
		from := j.w[(b/panels*j.kernels+o)*j.kernelStep+c0*j.kernelInStep:]
		if whole {
			j.float.packPlaces(to, cols, from[offs[0]:], rows, (c1-c0)*taps, j.kernelStep)
			return
		}
		for ch := range c1 - c0 {
			to, from := to[ch*taps*cols:], from[ch*j.kernelInStep:]
			if even {
				j.float.packPlaces(to, cols, from[offs[0]:], rows, taps, j.kernelStep)
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

// placesBlock is scratch of a block: x what it reads of a chunk of channels, sums what it computes.
type placesBlock[T numbers] struct {
	strip
	images  int
	x, sums []T
	pairs   []placePair
	pace    par.Pace
	work    int // since the last look at the clock
}

// block computes a strip of some images and output channels.
func (d *placesConv[T]) block(b int) {
	j, p := d.j, &d.j.phase
	var u placesBlock[T]
	t1, b := b%d.strips*d.rows, b/d.strips
	t0, b := b%p[0].outs, b/p[0].outs
	part, b := b%d.split, b/d.split
	group, image := b%j.groups, b/j.groups*d.images
	u.strip = strip{image: image, group: group, o0: part * d.kernels, o1: min((part+1)*d.kernels, j.kernels), t0: t0, t1: t1, rows: min(d.rows, p[1].outs-t1)}
	u.images = min(d.images, j.images-image)
	each := d.channels * d.plane(p[0].taps, 0, 0) // of an image
	n := u.images * u.rows * p[2].outs            // places
	var freeX, freeSums func()
	u.x, freeX = borrow[T](u.images*each + j.float.row)
	defer freeX()
	u.sums, freeSums = borrow[T](n * (ceil(u.o1, j.float.lanes)*j.float.lanes - u.o0))
	defer freeSums()
	u.pace = par.NewPace()
	d.pair(&u, each)
	for c := 0; c < j.channels; c += d.channels {
		count := min(d.channels, j.channels-c)
		for i := range u.images {
			d.fill(u.x[i*each:], (image+i)*j.imageStep+(group*j.channels+c)*j.channelStep, count, &u.strip)
		}
		for o := u.o0; o < u.o1; o += 2 * j.float.lanes {
			d.panel(&u, n, o, c, count)
			if c+count == j.channels {
				d.turn(&u, n, o)
			}
		}
	}
}

// panel adds what a chunk of channels gives to a panel of output channels.
func (d *placesConv[T]) panel(u *placesBlock[T], n, o, c, count int) {
	j, taps := d.j, len(d.off)
	cols, k := d.panelCols(o), j.channels*taps
	w := d.packed[u.group*d.padded*k+o*k+c*taps*cols:]
	sums, next := u.sums[n*(o-u.o0):], d.plane(j.phase[0].taps, 0, 0)
	for i := range u.pairs {
		p := &u.pairs[i]
		to := [2]int{p.to[0] * cols, p.to[1] * cols}
		j.float.places(p.n, cols, count, d.off[p.lo:p.hi], u.x, p.at, next, w[p.lo*cols:], taps*cols, sums, to, c > 0)
		if u.work += p.n * cols * count * taps; u.work > placesPace/2 {
			u.work = 0
			u.pace.Step()
		}
	}
}

// turn writes the finished sums of a panel to the output.
func (d *placesConv[T]) turn(u *placesBlock[T], n, o int) {
	j, p := d.j, &d.j.phase
	cols, rows, width := d.panelCols(o), min(u.o1-o, 2*j.float.lanes), p[2].outs
	sums := u.sums[n*(o-u.o0):]
	whole := p[2].outStep == 1 && p[1].outStep == 1 && width == j.outSize[2] // rows follow each other
	for i := range u.images {
		plane := (((u.image+i)*j.groups+u.group)*j.kernels + o) * j.outPlaces
		if whole && j.z != nil {
			transposeOf(j.z[plane+d.place(u.t0, u.t1):], j.outPlaces, sums[i*u.rows*width*cols:], cols, u.rows*width, rows)
			continue
		}
		row, free := borrow[T](rows * width)
		for r := range u.rows {
			transposeOf(row, width, sums[(i*u.rows+r)*width*cols:], cols, width, rows)
			for q := range rows {
				j.write(plane+q*j.outPlaces+d.place(u.t0, u.t1+r), p[2].outStep, row[q*width:][:width])
			}
		}
		free()
	}
}
