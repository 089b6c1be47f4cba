package conv

import (
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/bufpool"
	"github.com/lucid-go/lucid/internal/backend/cpu/conv/kernel"
	"github.com/lucid-go/lucid/internal/backend/cpu/gemm"
	"github.com/lucid-go/lucid/internal/par"
)

// The direct way copies a strip of the input, some output rows high, into scratch with its padding, one input channel
// after the other. There the second matrix needs no making: the row of a channel and a tap begins at an offset and runs on
// through all output rows of the strip. Between two output rows are a few columns that mean nothing; they are computed
// and left out (kernel.Direct). Against filling the matrix, each input element is copied once instead of once for each tap.

const (
	directDepth = 640      // most terms of a sum before it is added to the output
	directRows  = 128      // most output channels of a block
	directArea  = 64 << 10 // most sums of a block
	directWork  = 16 << 20 // multiply-adds of a block, about
	directCols  = 64       // but so many columns
	directMin   = 1 << 18  // and as many at least, several strips if need be
	directLeast = 16       // blocks that there should be at least
	leastWork   = 2 << 20  // multiply-adds of a block, if there are more because of the number of threads
)

// routines are the routines of float types.
type routines[T number] struct {
	mul        func(m, n, k int, a []T, ars, acs int, b []T, brs, bcs int, c []T, crs int, add bool, run gemm.Runner)
	product    Product[T, T]
	batched    Batched[T, T]
	packDirect func(dst []T, m, k int, a []T, ars, acs int)
	direct     func(m, n int, a []T, off []int, b, c []T, crs int, add bool)
	directTo   func(m int, a []T, off []int, b, c []T, crs int, s *kernel.Scatter, add bool)
	scatter    func(rows, width, pitch, stride int) *kernel.Scatter
	columns    func(m, n, k int, a []T, ars int, b []T, off []int, brs int, c []T, crs int, add bool)

	positionRowLen, lanes int // longest row of positions, output channels of a vector
	packPositions         func(dst []T, cols int, a []T, n, k, ars int)
	positions             func(h, cols, channels int, t kernel.PositionTaps, x []T, at [2]int, xcs int, w []T, wcs int, c []T,
		to [2]int, add bool)

	nhwcRowLen int             // longest row of positions with NHWC
	nhwcRowsOf func(h int) int // most such rows of h positions computed together
	nhwc       func(rows, cols, channels int, t *kernel.NHWCTaps, x []T, at *[4]int, w, c []T, to *[4]int, ccs int, add bool)

	hasDepthwise func(taps int) bool
	depthwise    func(taps, wide, rows, cols int, x []T, pitch int, w, c []T, crs int)
}

func (d *Device) routines32() *routines[float32] { return routinesOf(gemm.Float32, d.Batched32) }
func (d *Device) routines64() *routines[float64] { return routinesOf(gemm.Float64, d.Batched64) }

func routinesOf[T gemm.Float](mul func(m, n, k int, a []T, ars, acs int, b []T, brs, bcs int, c []T, crs int, mode gemm.Mode,
	ep gemm.Epilogue[T], run gemm.Runner),
	batched Batched[T, T]) *routines[T] {
	return &routines[T]{
		mul: func(m, n, k int, a []T, ars, acs int, b []T, brs, bcs int, c []T, crs int, add bool, run gemm.Runner) {
			mode := gemm.Overwrite
			if add {
				mode = gemm.Accumulate
			}
			mul(m, n, k, a, ars, acs, b, brs, bcs, c, crs, mode, nil, run)
		},
		product: func(m, n, k int, a []T, ars, acs int, b []T, brs, bcs int, c []T, crs int, ep func(c []T, crs, row, col, rows, cols int),
			run gemm.Runner) {
			mul(m, n, k, a, ars, acs, b, brs, bcs, c, crs, gemm.Overwrite, ep, run)
		},
		batched: batched, packDirect: kernel.PackDirect[T], direct: kernel.Direct[T], directTo: kernel.DirectTo[T],
		scatter: kernel.NewScatter[T], columns: kernel.Columns[T],
		positionRowLen: kernel.PositionRowLen[T](), lanes: kernel.PositionLanes[T](),
		packPositions: kernel.PackPositions[T], positions: kernel.Positions[T],
		nhwcRowLen: kernel.NHWCRowLen[T](), nhwcRowsOf: kernel.NHWCRows[T], nhwc: kernel.NHWC[T],
		hasDepthwise: kernel.HasDepthwise[T], depthwise: kernel.Depthwise[T],
	}
}

// directConv is a phase computed the direct way.
type directConv[T number] struct {
	stripPlan[T]
	channels       int   // of a chunk
	off            []int // of the rows of a chunk
	kernels, split int   // output channels of a block, blocks of them
	each           int   // strips of a block of work
	packed         []T
	whole, last    *kernel.Scatter // where the sums of a strip go, and of the last; nil: through scratch
	fused          bool
}

// isDirect reports whether the columns between output rows are few enough.
func (j *job[T]) isDirect() bool {
	p := &j.phase[2]
	if p.outs == 0 || j.phase.taps() == 0 || j.channels == 0 {
		return false
	}
	a := newAxis(p.first, p.stride, p.step, p.taps)
	a.share(p.outs, j.size[2])
	return 4*p.outs >= 3*(p.outs+a.extra-a.shared)
}

func (j *job[T]) newDirect() *directConv[T] {
	p := &j.phase
	d := &directConv[T]{stripPlan: j.newStrips(p[2].outs)}
	taps := p.taps()
	chunks := ceil(j.channels, max(1, directDepth/taps))
	d.channels = ceil(j.channels, chunks)
	d.split = ceil(j.kernels, directRows)
	d.kernels = ceil(j.kernels, d.split)
	cols := min(directArea/d.kernels, max(directCols, directWork/(d.kernels*j.channels*taps)))
	d.cut(cols/d.pitch, j.images*j.groups*d.split*p[0].outs)
	d.each = max(1, directMin/(d.kernels*j.channels*taps*d.rows*d.pitch))
	for ch := range d.channels {
		for _, o := range d.offsets() {
			d.off = append(d.off, d.plane(ch*p[0].taps, 0, 0)+o)
		}
	}
	if p[2].outStep == 1 && j.z != nil {
		stride := p[1].outStep * j.outSize[2]
		d.whole = j.float.scatter(d.rows, p[2].outs, d.pitch, stride)
		d.last = j.float.scatter(p[1].outs-(d.strips-1)*d.rows, p[2].outs, d.pitch, stride)
	}
	return d
}

// direct computes a phase; the kernels are packed already.
func (j *job[T]) direct(c *backend.Ctx) error {
	d := j.newDirect()
	k := j.channels * j.phase.taps()
	var free func()
	d.packed, free = bufpool.Borrow[T](j.groups * j.kernels * k)
	defer free()
	if err := c.For(j.groups*d.split, d.pack); err != nil {
		return err
	}
	d.fused = j.fusesEpilogue()
	strips := j.images * j.groups * d.split * j.phase[0].outs * d.strips
	blocks := ceil(strips, d.each)
	if blocks == 1 {
		d.block(0, strips)
		return nil
	}
	return c.For(blocks, func(b int) { d.block(b*d.each, min((b+1)*d.each, strips)) })
}

// pack lays out the kernels of one block of output channels, chunk by chunk.
func (d *directConv[T]) pack(b int) {
	j, taps := d.j, d.j.phase.taps()
	group, o0, o1 := d.rowsOf(b)
	at, k := (group*j.kernels+o0)*j.channels*taps, d.channels*taps
	for from := 0; from < j.channels*taps; from += k {
		kc := min(k, j.channels*taps-from)
		j.float.packDirect(d.packed[at:][:(o1-o0)*kc], o1-o0, kc, j.panel[group*j.panelLen+o0*j.panelRow+from*j.panelCol:],
			j.panelRow, j.panelCol)
		at += (o1 - o0) * kc
	}
}

// rowsOf is the group and the output channels of block b of them.
func (d *directConv[T]) rowsOf(b int) (group, o0, o1 int) {
	group, b = b/d.split, b%d.split
	return group, b * d.j.kernels / d.split, (b + 1) * d.j.kernels / d.split
}

// block computes some strips.
func (d *directConv[T]) block(from, to int) {
	j, p := d.j, &d.j.phase
	x, freeX := bufpool.Borrow[T](d.plane(d.channels*p[0].taps, 0, 0) + kernel.DirectColumns)
	defer freeX()
	pace, work, each := par.NewPace(), 0, d.kernels*j.channels*p.taps()*d.rows*d.pitch
	for s := from; s < to; s++ {
		at, rest := s%d.strips*d.rows, s/d.strips
		u := strip{t0: rest % p[0].outs, t1: at, rows: min(d.rows, p[1].outs-at), cols: p[2].outs}
		rest /= p[0].outs
		u.image = rest / (j.groups * d.split)
		u.group, u.o0, u.o1 = d.rowsOf(rest % (j.groups * d.split))
		d.strip(x, &u)
		if d.fused {
			j.then((u.image*j.groups+u.group)*j.kernels+u.o0, d.offset(&u, 0), u.o1-u.o0, u.rows*u.cols)
		}
		if work += each; work > positionsPace {
			work = 0
			pace.Step()
		}
	}
}

// strip computes a strip, in place if it can.
func (d *directConv[T]) strip(x []T, u *strip) {
	j, p := d.j, &d.j.phase
	m, n := u.o1-u.o0, (u.rows-1)*d.pitch+p[2].outs
	to := d.whole
	if u.rows < d.rows {
		to = d.last
	}
	if to != nil {
		z := j.z[((u.image*j.groups+u.group)*j.kernels+u.o0)*j.outPositions+d.offset(u, 0):]
		d.sums(x, u, func(a []T, off []int, add bool) { j.float.directTo(m, a, off, x, z, j.outPositions, to, add) })
		return
	}
	cols := ceil(n, kernel.DirectColumns) * kernel.DirectColumns
	z, free := bufpool.Borrow[T](m * cols)
	defer free()
	d.sums(x, u, func(a []T, off []int, add bool) { j.float.direct(m, n, a, off, x, z, cols, add) })
	d.spread(z, cols, u)
}

// sums gives f the kernels and the offsets of a strip chunk by chunk of input channels, having im2col x.
func (d *directConv[T]) sums(x []T, u *strip, f func(a []T, off []int, add bool)) {
	j, taps := d.j, d.j.phase.taps()
	at := (u.group*j.kernels + u.o0) * j.channels * taps
	for c := 0; c < j.channels; c += d.channels {
		count := min(d.channels, j.channels-c)
		d.fill(x, u.image*j.imageStep+(u.group*j.channels+c)*j.channelStep, count, u)
		f(d.packed[at:], d.off[:count*taps], c > 0)
		at += (u.o1 - u.o0) * count * taps
	}
}

// spread writes a finished strip to its positions in the output.
func (d *directConv[T]) spread(z []T, cols int, u *strip) {
	j, p := d.j, &d.j.phase
	for i := range u.o1 - u.o0 {
		plane := ((u.image*j.groups+u.group)*j.kernels + u.o0 + i) * j.outPositions
		for r := range u.rows {
			j.write(plane+d.offset(u, r), p[2].outStep, z[i*cols+r*d.pitch:][:p[2].outs])
		}
	}
}
