package conv

import (
	"github.com/lucid-go/lucid/internal/backend/cpu/bufpool"
	"github.com/lucid-go/lucid/internal/backend/cpu/layout"
	"sync/atomic"
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/conv/kernel"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
)

// The gradient of kernels is a convolution with taps as many as an image has positions, and a few outputs: what is summed
// is long and the result small. Here the input is laid out with its images side by side, as columns: for output u the
// rows of the second matrix, one for each tap, are evenly spaced, from an offset that u decides, and run on from one row of
// taps to the next. The kernels get zeros for the positions between two rows of taps. With few images, columns are all
// pairs of an image and an output instead, copied together.

const (
	columnsDepth = 512       // terms of a sum before it is added to the others, about
	columnsRows  = 256       // most kernels of a block
	columnsLeast = 32        // most of them even if the sums of a block are many
	columnsMost  = 128       // most images of a block
	columnsArea  = 150 << 10 // most sums of a block, about: they stay in the second cache
	columnsFew   = 12        // images below which outputs become columns too

	columnsTaps    = 64 // fewest taps
	columnsTapsFew = 64 // the same if outputs are columns too
	columnsOuts    = 64 // most outputs then
)

// columnsConv is a phase computed by columns.
type columnsConv[T number] struct {
	j          *job[T]
	high, wide axis   // outputs and taps have changed positions
	few        bool   // outputs are columns too
	pitch      int    // positions of a row of taps
	rows       int    // rows of taps in a strip
	strips     int    // of an image plane
	height     int    // rows of a part of the scratch
	split      [2]int // blocks of kernels, of images
	kernels    int    // of a block, at most
	images     int
	cols       int   // columns of a block, rounded up
	off        []int // of the outputs, in positions
	parts      int   // of the sums
	partial    []T
	nan        atomic.Bool // the result has one
}

// isColumns reports whether the taps are the long side, and which kind of columns: a sum of too few terms at a time would
// spend its time on adding to the others, and so would one with many positions between its rows of taps.
func (j *job[T]) isColumns() (ok, few bool) {
	p := &j.phase
	if p[2].taps <= p[2].outs || p.outs() == 0 || j.channels*p.taps() == 0 || p[1].step <= 0 || p[2].step <= 0 {
		return false, false
	}
	a := newAxis(p[2].first, p[2].step, p[2].stride, p[2].outs)
	a.share(p[2].taps, j.size[2])
	if j.images >= columnsFew && 4*p[2].taps >= 3*(p[2].taps+a.extra-a.shared) {
		return p.taps() >= columnsTaps, false
	}
	return p.taps() >= columnsTapsFew && p.outs() <= columnsOuts, true
}

func (j *job[T]) newColumns(few bool) *columnsConv[T] {
	p := &j.phase
	d := &columnsConv[T]{j: j, few: few,
		high: newAxis(p[1].first, p[1].step, p[1].stride, p[1].outs), wide: newAxis(p[2].first, p[2].step, p[2].stride, p[2].outs)}
	d.wide.share(p[2].taps, j.size[2])
	d.pitch = p[2].taps + d.wide.extra - d.wide.shared
	if d.few {
		d.pitch = p[2].taps
	}
	d.rows = min(p[1].taps, max(1, columnsDepth/d.pitch))
	d.strips = ceil(p[1].taps, d.rows)
	d.rows = ceil(p[1].taps, d.strips)
	d.height = d.rows + d.high.extra
	d.split[1] = ceil(j.images, columnsMost)
	d.images = ceil(j.images, d.split[1])
	d.split[0] = ceil(j.kernels, min(columnsRows, max(columnsLeast, columnsArea/(p.outs()*d.images))))
	d.kernels = ceil(j.kernels, d.split[0])
	d.cols = ceil(d.images, kernel.DirectColumns) * kernel.DirectColumns
	d.off = []int{0}
	if d.few {
		d.cols = ceil(d.images*p.outs(), kernel.DirectColumns) * kernel.DirectColumns
	} else {
		d.off = d.off[:0]
		for u := range p.outs() {
			u2, u1, u0 := u%p[2].outs, u/p[2].outs%p[1].outs, u/(p[2].outs*p[1].outs)
			at := d.plane(u0, d.high.part[u1], d.wide.part[u2]) + d.high.shift[u1]*d.pitch + d.wide.shift[u2]
			d.off = append(d.off, at*d.cols)
		}
	}
	d.parts = min(d.units(), ceil(filterGradParts, j.groups*d.split[0]*d.split[1]))
	return d
}

// plane is where a part is in the scratch, in positions.
func (d *columnsConv[T]) plane(u0, high, wide int) int {
	return ((u0*d.high.parts()+high)*d.wide.parts() + wide) * (d.height*d.pitch + d.wide.shared)
}

// units is the number of strips that are summed.
func (d *columnsConv[T]) units() int { return d.j.channels * d.j.phase[0].taps * d.strips }

// area is the number of sums of a block.
func (d *columnsConv[T]) area() int { return len(d.off) * d.kernels * d.cols }

// byColumns computes a phase. It reports whether the zeros between rows of taps met an
// infinity or a NaN that no output should see: the result is then to be computed in another way.
func (j *job[T]) byColumns(c *backend.Ctx, few bool) (again bool, err error) {
	d := j.newColumns(few)
	blocks := j.groups * d.split[0] * d.split[1]
	var free func()
	d.partial, free = bufpool.Borrow[T](blocks * d.parts * d.area())
	defer free()
	if err := c.For(blocks*d.parts, d.sum); err != nil {
		return false, err
	}
	err = c.For(blocks, d.join)
	return d.nan.Load() && !d.few, err
}

// columnBlock is a part of the output: kernels o0 to o1 of a group, images i0 to i1.
type columnBlock struct{ group, o0, o1, i0, i1 int }

func (d *columnsConv[T]) blockOf(b int) columnBlock {
	j := d.j
	images, b := b%d.split[1], b/d.split[1]
	rows, group := b%d.split[0], b/d.split[0]
	return columnBlock{group, rows * j.kernels / d.split[0], (rows + 1) * j.kernels / d.split[0],
		images * j.images / d.split[1], (images + 1) * j.images / d.split[1]}
}

// sum computes one part of the sums of a block, strip by strip.
func (d *columnsConv[T]) sum(b int) {
	j, p := d.j, &d.j.phase
	u, part := d.blockOf(b/d.parts), b%d.parts
	m, ars := u.o1-u.o0, j.kernelStep
	var a []T
	if !d.inPlace() {
		var freeA func()
		ars = d.rows*d.pitch + 16 // not a power of two, which would conflict in a few cache sets
		a, freeA = bufpool.Borrow[T](m * ars)
		defer freeA()
	}
	positions := d.rows * d.pitch
	if !d.few {
		positions = d.plane(p[0].outs, 0, 0)
	}
	x, freeX := bufpool.Borrow[T](positions * d.cols)
	defer freeX()
	tmp, freeTmp := bufpool.Borrow[T](d.scratch(u.i1 - u.i0))
	defer freeTmp()
	z := d.partial[b*d.area():][:d.area()]
	from, to := part*d.units()/d.parts, (part+1)*d.units()/d.parts
	for s := from; s < to; s++ {
		t1, rest := s%d.strips*d.rows, s/d.strips
		t0, channel := rest%p[0].taps, rest/p[0].taps
		rows := min(d.rows, p[1].taps-t1)
		k := (rows-1)*d.pitch + p[2].taps
		at := (u.group*j.kernels+u.o0)*j.kernelStep + channel*j.kernelInStep + j.tapRow(t0, t1)
		if d.inPlace() {
			a = j.w[at:]
		} else {
			d.copyKernels(a, ars, m, at, rows)
		}
		base := u.i0*j.imageStep + (u.group*j.channels+channel)*j.channelStep
		if d.few {
			d.packImageOutputs(x, tmp, base, u.i1-u.i0, t0, t1, rows)
		} else {
			d.packImages(x, tmp, base, u.i1-u.i0, t0, t1, rows)
		}
		n := u.i1 - u.i0
		if d.few {
			n *= p.outs()
		}
		j.float.columns(m, n, k, a, ars, x, d.off, d.cols, z, d.cols, s > from)
	}
}

// tapRow is where the first tap of row (t0, t1) of taps is in a kernel.
func (j *job[T]) tapRow(t0, t1 int) int {
	p := &j.phase
	return (p[0].tap+t0*p[0].tapStep)*j.tapStep[0] + (p[1].tap+t1*p[1].tapStep)*j.tapStep[1] + p[2].tap*j.tapStep[2]
}

// tapSteps are the distances of rows of taps, and of taps in a row.
func (j *job[T]) tapSteps() (row, tap int) {
	return j.phase[1].tapStep * j.tapStep[1], j.phase[2].tapStep * j.tapStep[2]
}

// inPlace reports whether the kernels can be read in place: there is nothing between rows of taps, and the
// rows of several kernels do not conflict in few cache sets, which repeat each page.
func (d *columnsConv[T]) inPlace() bool {
	const page, near = 4096, 128
	var zero T
	at, taps := d.j.kernelStep*int(unsafe.Sizeof(zero))%page, d.j.phase[2].taps
	row, tap := d.j.tapSteps()
	return d.pitch == taps && tap == 1 && (row == taps || d.rows == 1) && at >= near && at <= page-near
}

// copyKernels copies rows of taps of m kernels, from position at on, with zeros between.
func (d *columnsConv[T]) copyKernels(a []T, ars, m, at, rows int) {
	j, taps := d.j, d.j.phase[2].taps
	step, tap := j.tapSteps()
	for o := range m {
		for r := range rows {
			row, from := a[o*ars+r*d.pitch:][:d.pitch], at+o*j.kernelStep+r*step
			if clear(row[taps:]); tap == 1 {
				copy(row[:taps], j.w[from:])
				continue
			}
			for i := range taps {
				row[i] = j.w[from+i*tap]
			}
		}
	}
}

// joinImages is how many images join writes together.
const joinImages = 16

// join adds the parts of a block, first to last, and writes them to the output.
func (d *columnsConv[T]) join(b int) {
	j, p := d.j, &d.j.phase
	u, area, outs := d.blockOf(b), d.area(), p.outs()
	z := d.partial[b*d.parts*area:][:area]
	for s := 1; s < d.parts; s++ {
		addTo(z, d.partial[(b*d.parts+s)*area:])
	}
	m, nan := u.o1-u.o0, false
	buf, free := bufpool.Borrow[T](joinImages * outs)
	defer free()
	for o := range m {
		for i := 0; i < u.i1-u.i0; i += joinImages {
			n := min(joinImages, u.i1-u.i0-i)
			if d.few {
				copy(buf, z[o*d.cols+i*outs:][:n*outs])
			} else {
				layout.TransposeBlock(buf, outs, z[o*d.cols+i:], m*d.cols, outs, n)
				nan = nan || hasNaN(buf[:n*outs])
			}
			for l := range n {
				d.put((u.i0+i+l)*j.groups*j.kernels+u.group*j.kernels+u.o0+o, buf[l*outs:][:outs])
			}
		}
	}
	if nan {
		d.nan.Store(true)
	}
}

// put writes the outputs of one image and kernel.
func (d *columnsConv[T]) put(plane int, x []T) {
	j, p := d.j, &d.j.phase
	if len(x) == j.outPositions && j.z != nil {
		copy(j.z[plane*len(x):], x)
		return
	}
	for at := 0; at < len(x); at += p[2].outs {
		t1, t0 := at/p[2].outs%p[1].outs, at/p[2].outs/p[1].outs
		pos := ((p[0].out+t0*p[0].outStep)*j.outSize[1]+p[1].out+t1*p[1].outStep)*j.outSize[2] + p[2].out
		j.write(plane*j.outPositions+pos, p[2].outStep, x[at:][:p[2].outs])
	}
}

// hasNaN reports whether one of x is no number; infinities of both signs may be taken for one.
func hasNaN[T number](x []T) bool {
	if f, ok := any(x).([]float32); ok {
		s := simd.SumF32(f)
		return s != s
	}
	for _, v := range x {
		if v != v {
			return true
		}
	}
	return false
}
