package conv

import (
	"github.com/lucid-go/lucid/internal/backend/cpu/bufpool"
	"github.com/lucid-go/lucid/internal/backend/cpu/layout"
	"slices"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/conv/kernel"
)

// An input whose channels are in NHWC order, with a result that has them last too, is read and written in place
// (kernel.NHWC): the scalars of a position follow each other, and so do the sums of one. Rows of positions are computed two at a
// time; a row leaves out the taps that are outside the input for all of it, and a tap the positions it is outside for. So there is
// no copy, no padding, and nothing to transpose.

const (
	nhwcChannels  = 4        // fewest channels: the loop over them is the inner one
	nhwcDepth     = 640      // most terms of a sum before it is added to the others, or one channel
	nhwcPositions = 896      // most positions of a block
	nhwcShort     = 224      // if the kernels stay in the second cache: threads wait for each other's last block
	nhwcKernels   = 64 << 10 // elements of kernels that do
	nhwcInput     = 64 << 10 // elements of the input that the rows of a block begin with, about
	nhwcRows      = 256      // most output channels of a block
)

// nhwcConv is a phase computed so.
type nhwcConv[T number] struct {
	j              *job[T]
	parts          []int // the ends of those an output row is cut into
	rows           int   // output rows of a block
	channels       int   // of a chunk
	kernels, split int   // output channels of a block, blocks of them
	deep, high     []int // by output index: the set of taps inside
	sets           [2][]tapSet
	kind           []int // of a part: those of a kind have the same length and leave out the same positions
	kinds          int
	taps           []*kernel.NHWCTaps // by sets and kind
	packed         []T                // kernels: panel by panel, chunk by chunk, in it tap by tap, channel by channel
	padded         int                // output channels of a group in it
}

// tapSet are the taps from lo on, below hi.
type tapSet struct{ lo, hi int }

// isNHWC reports whether channels are so, and output channels fill vectors.
func (j *job[T]) isNHWC() bool {
	if !j.last || j.float.nhwcRowLen <= 0 || j.x == nil || j.z == nil || j.channelStep != 1 || j.channels < nhwcChannels ||
		j.phase.taps() == 0 || j.phase[2].stride*j.step[2] < 0 {
		return false
	}
	return 4*j.kernels >= 3*ceil(j.kernels, j.float.lanes)*j.float.lanes
}

// newNHWC cuts the work into blocks, the more the more threads there are. The chunks, which bits depend on, depend on the sizes alone, and
// not on the number of images.
func (j *job[T]) newNHWC() *nhwcConv[T] {
	p := &j.phase
	d := &nhwcConv[T]{j: j, channels: ceil(j.channels, ceil(j.channels, max(1, nhwcDepth/p.taps())))}
	panel := 2 * j.float.lanes
	d.padded = ceil(j.kernels, j.float.lanes) * j.float.lanes
	d.kernels = min(ceil(j.kernels, panel)*panel, nhwcRows)
	all := j.images * p[0].outs * p[1].outs
	positions := nhwcPositions
	if j.kernels*j.channels*p.taps() <= nhwcKernels {
		positions = nhwcShort
	}
	d.rows = min(all, max(2, min(positions/p[2].outs, nhwcInput/(p[2].outs*p[2].stride*d.channels))))
	blocks := func() int { return j.groups * ceil(all, d.rows) * ceil(j.kernels, d.kernels) }
	most := j.leastBlocks()
	for least := 128; blocks() < most && least >= panel; least /= 2 { // fewer kernels read the input more often, fewer rows the kernels
		for blocks() < most && d.kernels > least {
			d.kernels = ceil(d.kernels/2, panel) * panel
		}
		for blocks() < most && d.rows > 2 && d.rows*p[2].outs > positionsFew {
			d.rows = ceil(d.rows, 2)
		}
	}
	d.rows = ceil(all, ceil(all, d.rows))
	d.split = ceil(j.kernels, d.kernels)
	d.deep, d.sets[0] = setsOf(&p[0], j.size[0])
	d.high, d.sets[1] = setsOf(&p[1], j.size[1])
	d.cut()
	return d
}

// setsOf finds the taps inside an input of so many elements, for each output of a dimension: the number of the set, and the sets.
func setsOf(p *phase, size int) (of []int, sets []tapSet) {
	known := map[tapSet]int{}
	for t := range p.outs {
		s := tapSet{p.taps, p.taps}
		for u := range p.taps {
			if i := p.first + t*p.stride + u*p.step; i >= 0 && i < size {
				s = tapSet{min(s.lo, u), u + 1}
			}
		}
		if _, ok := known[s]; !ok {
			known[s] = len(sets)
			sets = append(sets, s)
		}
		of = append(of, known[s])
	}
	return of, sets
}

// cut cuts rows into parts, such that no tap leaves out positions at both ends of one, and finds the taps of each.
func (d *nhwcConv[T]) cut() {
	j, p := d.j, &d.j.phase[2]
	for n := ceil(p.outs, j.float.nhwcRowLen); ; n++ {
		d.parts = d.parts[:0]
		for q := range n + 1 {
			d.parts = append(d.parts, q*p.outs/n)
		}
		if d.list() {
			return
		}
	}
}

// list finds the taps of each kind of parts and reports whether it could.
func (d *nhwcConv[T]) list() bool {
	j, p := d.j, &d.j.phase
	var kinds [][]kernel.NHWCTap // along a row
	var lengths []int
	d.kind = d.kind[:0]
	for q, from := range d.parts[:len(d.parts)-1] {
		n := d.parts[q+1] - from
		var taps []kernel.NHWCTap
		for u := range p[2].taps {
			lo, hi := layout.Inside(p[2].first+u*p[2].step+from*p[2].stride, p[2].stride, n, j.size[2])
			if lo > 0 && lo < hi && hi < n {
				return false
			}
			if lo < hi {
				taps = append(taps, kernel.NHWCTap{X: u * p[2].step * j.step[2], W: u, First: lo, Last: n - hi})
			}
		}
		k := 0
		for k < len(kinds) && (lengths[k] != n || !slices.Equal(kinds[k], taps)) {
			k++
		}
		if k == len(kinds) {
			kinds, lengths = append(kinds, taps), append(lengths, n)
		}
		d.kind = append(d.kind, k)
	}
	d.kinds = len(kinds)
	for _, deep := range d.sets[0] {
		for _, high := range d.sets[1] {
			for k, row := range kinds {
				var taps []kernel.NHWCTap
				for u0 := deep.lo; u0 < deep.hi; u0++ {
					for u1 := high.lo; u1 < high.hi; u1++ {
						for _, t := range row {
							t.X += u0*p[0].step*j.step[0] + u1*p[1].step*j.step[1]
							t.W += (u0*p[1].taps + u1) * p[2].taps
							taps = append(taps, t)
						}
					}
				}
				d.taps = append(d.taps, kernel.NewNHWCTaps(lengths[k], p[2].stride*j.step[2], taps))
			}
		}
	}
	return true
}

// byNHWC computes a phase.
func (j *job[T]) byNHWC(c *backend.Ctx) error {
	d := j.newNHWC()
	var free func()
	d.packed, free = bufpool.Borrow[T](j.groups * d.padded * j.channels * j.phase.taps())
	defer free()
	if err := d.pack(c); err != nil {
		return err
	}
	rows := j.images * j.phase[0].outs * j.phase[1].outs
	return c.For(j.groups*ceil(rows, d.rows)*d.split, d.block)
}

// panelCols is the width of the panel that begins at output channel o: two vectors, or one for the last.
func (d *nhwcConv[T]) panelCols(o int) int { return min(2*d.j.float.lanes, d.padded-o) }

// panelAt is where the kernels of the panel that begins at output channel o of a group, and of the chunk that begins at
// channel c, begin.
func (d *nhwcConv[T]) panelAt(group, o, c int) int {
	return ((group*d.padded+o)*d.j.channels + c*d.panelCols(o)) * d.j.phase.taps()
}

// pack lays out the kernels.
func (d *nhwcConv[T]) pack(c *backend.Ctx) error {
	j, taps, panel := d.j, d.j.phase.taps(), 2*d.j.float.lanes
	offs, even := j.tapOffsets()
	panels, chunks := ceil(j.kernels, panel), ceil(j.channels, d.channels)
	return c.For(j.groups*panels*chunks, func(b int) {
		c0, b := b%chunks*d.channels, b/chunks
		count, o := min(d.channels, j.channels-c0), b%panels*panel
		cols, rows := d.panelCols(o), min(panel, j.kernels-o)
		to := d.packed[d.panelAt(b/panels, o, c0):][:count*taps*cols]
		from := j.w[(b/panels*j.kernels+o)*j.kernelStep+c0*j.kernelInStep:]
		if rows < cols {
			clear(to)
		}
		if j.kernelInStep == 1 { // the channels of a tap follow each other
			for t, at := range offs {
				j.float.packPositions(to[t*count*cols:], cols, from[at:], rows, count, j.kernelStep)
			}
			return
		}
		if even && j.kernelInStep >= taps { // the taps of a channel do
			tmp, free := bufpool.Borrow[T](count * taps * cols)
			defer free()
			if j.kernelInStep == taps { // and the channels of a kernel
				j.float.packPositions(tmp, cols, from[offs[0]:], rows, count*taps, j.kernelStep)
			} else {
				for ch := range count {
					j.float.packPositions(tmp[ch*taps*cols:], cols, from[ch*j.kernelInStep+offs[0]:], rows, taps, j.kernelStep)
				}
			}
			for t := range taps {
				layout.CopyRows(to[t*count*cols:], cols, tmp, t*cols, taps*cols, 1, count, rows)
			}
			return
		}
		for t, at := range offs {
			for ch := range count {
				row := to[(t*count+ch)*cols:][:rows]
				for i := range row {
					row[i] = from[i*j.kernelStep+ch*j.kernelInStep+at]
				}
			}
		}
	})
}
