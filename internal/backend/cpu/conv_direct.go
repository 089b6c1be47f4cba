package cpu

import (
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/gemm"
	"github.com/lucid-go/lucid/internal/par"
)

// The direct way copies a strip of the input, some output rows high, into scratch with its padding, one input channel
// after the other. There the second matrix needs no making: the row of a channel and a tap begins at an offset and runs on
// through all output rows of the strip. Between two output rows lie a few columns that mean nothing; they are computed
// and left out (gemm.Taps). Against filling the matrix, each input element is copied once instead of once for each tap.

const (
	directDepth = 640      // most terms of a sum before it is added to the output
	directRows  = 128      // most output channels of a block
	directArea  = 64 << 10 // most sums of a block
	directWork  = 16 << 20 // multiply-adds of a block, about
	directCols  = 64       // but so many columns
	directMin   = 1 << 18  // and as many at least, several strips if need be
	directLeast = 16       // blocks that there should be at least
)

// floatConv are the routines of float types.
type floatConv[T numbers] struct {
	pack    func(dst []T, m, k int, a []T, ars, acs int)
	taps    func(m, n int, a []T, off []int, b, c []T, crs int, add bool)
	tapsTo  func(m int, a []T, off []int, b, c []T, crs int, s *gemm.Scatter, add bool)
	scatter func(rows, width, pitch, stride int) *gemm.Scatter
	columns func(m, n, k int, a []T, ars int, b []T, off []int, brs int, c []T, crs int, add bool)
}

func floatConvOf[T gemm.Float]() *floatConv[T] {
	return &floatConv[T]{gemm.PackTaps[T], gemm.Taps[T], gemm.TapsTo[T], gemm.NewScatter[T], gemm.Columns[T]}
}

// directConv is a phase computed the direct way.
type directConv[T numbers] struct {
	j              *convJob[T]
	high, wide     convAxis
	rows           int   // output rows of a strip
	height, pitch  int   // of a part of the scratch: rows, and their distance
	channels       int   // of a chunk
	off            []int // of the rows of a chunk
	kernels, split int   // output channels of a block, blocks of them
	strips         int   // of an image plane
	each           int   // strips of a block of work
	packed         []T
	whole, last    *gemm.Scatter // where the sums of a strip go, and of the last; nil: through scratch
}

// isDirect reports whether the columns between output rows are few enough.
func (j *convJob[T]) isDirect() bool {
	p := &j.phase[2]
	if j.float == nil || p.outs == 0 || j.phase.taps() == 0 || j.channels == 0 {
		return false
	}
	a := newConvAxis(p.first, p.stride, p.step, p.taps)
	a.share(p.outs, j.size[2])
	return 4*p.outs >= 3*(p.outs+a.extra-a.shared)
}

func (j *convJob[T]) newDirect() *directConv[T] {
	p := &j.phase
	d := &directConv[T]{j: j, high: newConvAxis(p[1].first, p[1].stride, p[1].step, p[1].taps),
		wide: newConvAxis(p[2].first, p[2].stride, p[2].step, p[2].taps)}
	taps := p.taps()
	chunks := ceil(j.channels, max(1, directDepth/taps))
	d.channels = ceil(j.channels, chunks)
	d.split = ceil(j.kernels, directRows)
	d.kernels = ceil(j.kernels, d.split)
	d.wide.share(p[2].outs, j.size[2])
	d.pitch = p[2].outs + d.wide.extra - d.wide.shared
	cols := min(directArea/d.kernels, max(directCols, directWork/(d.kernels*j.channels*taps)))
	d.rows = min(max(1, cols/d.pitch), p[1].outs)
	for units := j.images * j.groups * d.split * p[0].outs; d.rows > 1 && units*ceil(p[1].outs, d.rows) < directLeast; {
		d.rows = ceil(d.rows, 2)
	}
	d.strips = ceil(p[1].outs, d.rows)
	d.rows = ceil(p[1].outs, d.strips)
	d.height = d.rows + d.high.extra
	d.each = max(1, directMin/(d.kernels*j.channels*taps*d.rows*d.pitch))
	for k := range d.channels * taps {
		u2, u1, u0 := k%p[2].taps, k/p[2].taps%p[1].taps, k/(p[2].taps*p[1].taps)
		d.off = append(d.off, d.plane(u0, d.high.part[u1], d.wide.part[u2])+d.high.shift[u1]*d.pitch+d.wide.shift[u2])
	}
	if p[2].outStep == 1 && j.z != nil {
		stride := p[1].outStep * j.outSize[2]
		d.whole = j.float.scatter(d.rows, p[2].outs, d.pitch, stride)
		d.last = j.float.scatter(p[1].outs-(d.strips-1)*d.rows, p[2].outs, d.pitch, stride)
	}
	return d
}

func ceil(a, b int) int { return (a + b - 1) / b }

// plane is where a part lies in the scratch; u0 counts channels and the taps of the first dimension together.
func (d *directConv[T]) plane(u0, high, wide int) int {
	return ((u0*d.high.parts()+high)*d.wide.parts() + wide) * (d.height*d.pitch + d.wide.shared)
}

// direct computes a phase; the kernels are packed already.
func (j *convJob[T]) direct(c *backend.Ctx) error {
	d := j.newDirect()
	k := j.channels * j.phase.taps()
	var free func()
	d.packed, free = borrow[T](j.groups * j.kernels * k)
	defer free()
	if err := c.For(j.groups*d.split, d.pack); err != nil {
		return err
	}
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
		j.float.pack(d.packed[at:][:(o1-o0)*kc], o1-o0, kc, j.panel[group*j.panelLen+o0*j.panelRow+from*j.panelCol:], j.panelRow, j.panelCol)
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
	x, freeX := borrow[T](d.plane(d.channels*p[0].taps, 0, 0) + gemm.TapColumns)
	defer freeX()
	pace := par.NewPace()
	for s := from; s < to; s++ {
		at, rest := s%d.strips*d.rows, s/d.strips
		u := strip{t0: rest % p[0].outs, t1: at, rows: min(d.rows, p[1].outs-at)}
		rest /= p[0].outs
		u.image = rest / (j.groups * d.split)
		u.group, u.o0, u.o1 = d.rowsOf(rest % (j.groups * d.split))
		d.strip(x, &u)
		pace.Step()
	}
}

// strip is a part of the output: channels o0 to o1 of a group, and rows from t1 on.
type strip struct{ image, group, o0, o1, t0, t1, rows int }

// strip computes a strip, in place if it can.
func (d *directConv[T]) strip(x []T, u *strip) {
	j, p := d.j, &d.j.phase
	m, n := u.o1-u.o0, (u.rows-1)*d.pitch+p[2].outs
	to := d.whole
	if u.rows < d.rows {
		to = d.last
	}
	if to != nil {
		z := j.z[((u.image*j.groups+u.group)*j.kernels+u.o0)*j.outPlaces+d.place(u.t0, u.t1):]
		d.sums(x, u, func(a []T, off []int, add bool) { j.float.tapsTo(m, a, off, x, z, j.outPlaces, to, add) })
		return
	}
	cols := ceil(n, gemm.TapColumns) * gemm.TapColumns
	z, free := borrow[T](m * cols)
	defer free()
	d.sums(x, u, func(a []T, off []int, add bool) { j.float.taps(m, n, a, off, x, z, cols, add) })
	d.spread(z, cols, u)
}

// sums gives f the kernels and the offsets of a strip chunk by chunk of input channels, having filled x.
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

// place is where output row t1 of t0 lies in its channel.
func (d *directConv[T]) place(t0, t1 int) int {
	p := &d.j.phase
	return ((p[0].out+t0*p[0].outStep)*d.j.outSize[1]+p[1].out+t1*p[1].outStep)*d.j.outSize[2] + p[2].out
}

// fill copies what a strip reads of some channels, with zeros for what is outside.
func (d *directConv[T]) fill(x []T, base, channels int, u *strip) {
	j, p := d.j, &d.j.phase
	next := d.plane(p[0].taps, 0, 0) // of the next channel
	for u0 := range p[0].taps {
		i0 := p[0].first + u.t0*p[0].stride + u0*p[0].step
		for h := range d.high.parts() {
			for w := range d.wide.parts() {
				j.copyWindow(x[d.plane(u0, h, w):], next, base, channels, &convWindow{
					i0:   i0,
					high: d.high.at(h, u.t1), highStep: d.high.stride, rows: u.rows + d.high.extra,
					wide: d.wide.at(w, 0), wideStep: d.wide.stride, pitch: d.pitch, tail: d.wide.shared})
			}
		}
	}
}

// spread writes a finished strip to its places in the output.
func (d *directConv[T]) spread(z []T, cols int, u *strip) {
	j, p := d.j, &d.j.phase
	for i := range u.o1 - u.o0 {
		plane := ((u.image*j.groups+u.group)*j.kernels + u.o0 + i) * j.outPlaces
		for r := range u.rows {
			j.write(plane+d.place(u.t0, u.t1+r), p[2].outStep, z[i*cols+r*d.pitch:][:p[2].outs])
		}
	}
}
