package cuda

import (
	"fmt"
	"strconv"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
	"github.com/lucid-go/lucid/internal/shape"
)

func init() {
	register(map[string]kernel{"copy": copyKernel, "cat": cat, "slice_update": sliceUpdate, "depends": dependsKernel, "table": tableKernel,
		"const": constKernel})
}

var unitOf = map[int]string{1: "u8", 2: "u16", 4: "u32", 8: "u64", 16: "w16"}

// move copies elements from one layout to another; the shapes are equal, and the two do not overlap.
func (d *Device) move(to, from backend.View) error {
	m, done, err := d.moving(to, from)
	if done || err != nil {
		return err
	}
	return d.moveAll(m)
}

// moving is a copy that a kernel of move.cu makes.
type moving struct {
	form              moveForm
	n, segments, grid int
	to, from          uintptr
	dims              []int
	st                [][]int
}

// moving finds the kernel of a copy; done: it was made already, or there is nothing to do.
func (d *Device) moving(to, from backend.View) (m moving, done bool, err error) {
	if to.Numel() == 0 {
		return m, true, nil
	}
	size := to.DType.Size()
	if to.Contiguous() && from.Contiguous() {
		return m, true, d.Copy(address(to), address(from), to.Numel()*size)
	}
	dims, st := shape.Collapse(to.Shape, to.Strides(), from.Strides())
	if len(dims) == 0 {
		dims, st = []int{1}, [][]int{{1}, {1}}
	}
	if ok, err := d.transposed(size, dims, st, address(to), address(from)); ok {
		return m, true, err
	}
	n := to.Numel()
	// Runs that are contiguous on both sides are copied in the widest units that divide and align them.
	last := len(dims) - 1
	for size < 16 && st[0][last] == 1 && st[1][last] == 1 && dims[last]%2 == 0 && even(st[0][:last]) && even(st[1][:last]) &&
		address(to)%uintptr(2*size) == 0 && address(from)%uintptr(2*size) == 0 {
		size, n, dims[last] = 2*size, n/2, dims[last]/2
		for k := range last {
			st[0][k], st[1][k] = st[0][k]/2, st[1][k]/2
		}
	}
	form := moveForm{unitOf[size], indexFor(n), len(dims), 0, 1, 1}
	m = moving{form: form, n: n, to: address(to), from: address(from), dims: dims, st: st}
	// Long rows are split into segments, one a block.
	each := min(4, dims[last]/threads)
	m.segments = blocks(dims[last], threads*max(1, each))
	if grid := n / dims[last] * m.segments; each > 0 && grid < longest {
		m.form.each, m.grid = each, grid
		return m, false, nil
	}
	if run := min(4, 16/size); n >= manyElements && to.Contiguous() && m.to%uintptr(run*size) == 0 {
		m.form.run = run
	}
	m.grid = blocks(n, m.form.run*threads)
	return m, false, nil
}

// moveAll makes copies of one form, as many as its parts, by one launch.
func (d *Device) moveAll(list ...moving) error {
	form, grid := list[0].form, 0
	form.parts = len(list)
	f, err := d.kernel(form.key(), form.kernel(), form.source)
	if err != nil {
		return err
	}
	var space [64]uint64
	a := args(space[:0])
	for _, m := range list {
		grid = max(grid, m.grid)
		a.int(m.n, m.segments, m.grid)
		a.ptr(m.to, m.from)
		a.int(m.dims...)
		a.int(m.st[0]...)
		a.int(m.st[1]...)
	}
	return d.launch(f, grid, len(list), threads, a)
}

// mostParts is how many copies a launch makes.
const mostParts = 4

// oneLaunch takes copies that one launch can make with the first: those of its form, as long as at most half of the blocks have no work.
func oneLaunch(list []moving) (one, rest []moving) {
	one = list[:1:1]
	most, sum := list[0].grid, list[0].grid
	for _, m := range list[1:] {
		if high := max(most, m.grid); len(one) < mostParts && m.form == list[0].form && 2*(sum+m.grid) >= (len(one)+1)*high {
			one, most, sum = append(one, m), high, sum+m.grid
		} else {
			rest = append(rest, m)
		}
	}
	return one, rest
}

// manyElements is the size from which a thread copies several elements.
const manyElements = 1 << 17

// moveForm is what a kernel of move.cu depends on. each: elements of a long row a thread copies; 0: rows are short, and it
// copies `run` elements of a contiguous destination, 1: of any. parts: copies of a launch.
type moveForm struct {
	unit, index            string
	dims, each, run, parts int
}

func (f moveForm) kernel() string {
	if f.each > 0 {
		return "move_rows"
	}
	return "move_strided"
}

// key is built by hand: copies are as frequent as they are short.
func (f moveForm) key() string {
	key := append(make([]byte, 0, 32), "move "+f.unit+" "+f.index...)
	for _, n := range [...]int{f.dims, f.each, f.run, f.parts} {
		key = strconv.AppendInt(append(key, ' '), int64(n), 10)
	}
	return string(key)
}

func (f moveForm) source() string {
	return fmt.Sprintf("%s#define UNIT %s\n#define ND %d\n#define INDEX %s\n#define EACH %d\n#define RUN %d\n#define PARTS %d\n%s",
		kernels.Source("prelude"), f.unit, f.dims, f.index, f.each, f.run, f.parts, kernels.Source("move"))
}

func even(strides []int) bool {
	for _, s := range strides {
		if s%2 != 0 {
			return false
		}
	}
	return true
}

// transposed copies by tiles where the last two dimensions are swapped; done reports whether it did.
func (d *Device) transposed(size int, dims []int, st [][]int, to, from uintptr) (done bool, err error) {
	last := len(dims) - 1
	if last < 1 || last > 2 || st[0][last] != 1 || st[1][last-1] != 1 || dims[last] < 16 || dims[last-1] < 16 || st[1][last] <= 0 {
		return false, nil
	}
	batch, outBatch, inBatch := 1, 0, 0
	if last == 2 {
		batch, outBatch, inBatch = dims[0], st[0][0], st[1][0]
	}
	cols, rows := dims[last-1], dims[last] // of the source, whose rows are contiguous
	if batch > 65535 || blocks(rows, 32)*blocks(cols, 32) >= 1<<31 {
		return false, nil
	}
	unit := unitOf[size]
	f, err := d.kernel("transpose "+unit, "transpose", func() string {
		return fmt.Sprintf("%s#define UNIT %s\n%s", kernels.Source("prelude"), unit, kernels.Source("transpose"))
	})
	if err != nil {
		return true, err
	}
	var a args
	a.int(rows, cols)
	a.ptr(to, from)
	a.int(outBatch, inBatch, st[0][last-1], st[1][last])
	return true, d.launch(f, blocks(rows, 32)*blocks(cols, 32), batch, threads, a)
}

func copyKernel(d *call, _ attr.Attr, out, in []backend.View) error { return d.move(out[0], in[0]) }

// part is a region of a contiguous view: sizes, strides and offset in its elements.
func part(v backend.View, s *shape.Shape, strides []int, offset int) backend.View {
	v.Shape, v.Lay = s, &shape.Layout{Strides: strides, Offset: v.Offset() + offset}
	return v
}

func cat(d *call, a attr.Attr, out, in []backend.View) error {
	axis, at := a.(attr.Axis).Axis, 0
	st := out[0].Strides()
	var list []moving
	for _, v := range in {
		m, done, err := d.moving(part(out[0], v.Shape, st, at*st[axis]), v)
		if err != nil {
			return err
		}
		if !done {
			list = append(list, m)
		}
		at += v.Shape.Dim(axis)
	}
	for len(list) > 0 {
		one, rest := oneLaunch(list)
		if err := d.moveAll(one...); err != nil {
			return err
		}
		list = rest
	}
	return nil
}

// base copies the first operand of an update to the output, unless it is there already.
func (d *Device) base(out, in backend.View) error {
	if out.Buf == in.Buf {
		return nil
	}
	return d.move(out, in)
}

func sliceUpdate(d *call, a attr.Attr, out, in []backend.View) error {
	if err := d.base(out[0], in[0]); err != nil {
		return err
	}
	s, st := a.(attr.Slice), out[0].Strides()
	to, at := make([]int, len(st)), 0
	for i := range st {
		to[i] = st[i] * s.Step.At(i)
		at += st[i] * s.Start.At(i)
	}
	return d.move(part(out[0], in[1].Shape, to, at), in[1])
}

// dependsKernel returns its first input; the others only order it.
func dependsKernel(d *call, _ attr.Attr, out, in []backend.View) error { return d.base(out[0], in[0]) }

func tableKernel(d *call, a attr.Attr, out, _ []backend.View) error {
	return d.Upload(address(out[0]), []byte(a.(attr.Table).Data))
}

func constKernel(d *call, a attr.Attr, out, _ []backend.View) error {
	b := make([]byte, 16)
	out[0].DType.Put(b, 0, a.(attr.Const).Value)
	return d.Upload(address(out[0]), b[:out[0].DType.Size()])
}
