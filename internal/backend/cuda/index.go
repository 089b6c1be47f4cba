package cuda

import (
	"fmt"
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/shape"
)

func init() {
	register(map[string]kernel{"take_slices": takeSlices, "put_slices": putSlices, "gather": gather, "scatter": scatter})
}

// combine is how a written value is combined with the one that is there.
var combine = map[attr.Reduction]string{attr.ReduceSet: "second", attr.ReduceAdd: "op_add", attr.ReduceMul: "op_mul",
	attr.ReduceMax: "op_maximum", attr.ReduceMin: "op_minimum"}

func indexSource(form string, t, s dtype.DType, r attr.Reduction) string {
	return kernels.Source("prelude", "elementwise") + "template <class T> DEV T second(T, T y) { return y; }\n" +
		fmt.Sprintf("#define %s\n#define T %s\n#define S %s\n#define COMBINE %s\n", form, ctype[t], ctype[s], combine[r]) +
		kernels.Source("index")
}

// putSource is indexSource of put_slices, with the type that counts columns and positions.
func putSource(index string, t, s dtype.DType, r attr.Reduction) string {
	return "#define INDEX " + index + "\n" + indexSource("PUT", t, s, r)
}

// denseViews holds contiguous forms of operands and the buffers made for them.
type denseViews struct {
	views []backend.View
	bufs  []*mem.Buffer
}

func (v *denseViews) free() {
	for _, b := range v.bufs {
		b.Free()
	}
}

// denseAll makes operands contiguous.
func (d *Device) denseAll(in []backend.View) (*denseViews, error) {
	all := &denseViews{}
	for _, v := range in {
		to, b, err := d.dense(v)
		if err != nil {
			all.free()
			return nil, err
		}
		all.views = append(all.views, to)
		if b != nil {
			all.bufs = append(all.bufs, b)
		}
	}
	return all, nil
}

func product(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}

// indexFor is the type that counts n elements: 32-bit division is faster.
func indexFor(n int) string {
	if n >= 1<<31 {
		return "u64"
	}
	return "u32"
}

// longSlice is the number of units from which a block takes a segment of one slice.
const longSlice = 512

func takeSource(unit string, total int, long bool) string {
	form := "#define TAKE\n"
	if long {
		form += "#define SEGMENTS\n"
	}
	return kernels.Source("prelude") + form + "#define UNIT " + unit + "\n#define INDEX " + indexFor(total) + "\n" + kernels.Source("index")
}

func takeSlices(d *call, a attr.Attr, out, in []backend.View) error {
	x, err := d.denseAll(in)
	if err != nil {
		return err
	}
	defer x.free()
	dims, axis := in[0].Shape.Dims(), a.(attr.Axis).Axis
	inner, size, count := product(dims[axis+1:]), in[0].DType.Size(), in[1].Numel()
	for size < 16 && inner%2 == 0 && address(x.views[0])%uintptr(2*size) == 0 {
		size, inner = 2*size, inner/2
	}
	rows := product(dims[:axis]) * count
	unit, total, long, n := unitOf[size], rows*inner, inner >= longSlice, 0
	if n = blocks(total, 4*threads); long {
		n = rows * blocks(inner, 4*threads)
	}
	f, err := d.kernel(fmt.Sprint("take ", unit, indexFor(total), long), "take_slices",
		func() string { return takeSource(unit, total, long) })
	if err != nil {
		return err
	}
	return d.checked(d.ctx, "index", func(record uintptr) error {
		var g args
		g.int(total, dims[axis], count, inner)
		g.ptr(address(out[0]), address(x.views[0]), address(x.views[1]), record)
		return d.launch(f, n, 1, threads, g)
	})
}

// sums reports whether half-precision values must be accumulated in float32: many updates may have the same index.
func sums(d dtype.DType, r attr.Reduction) bool {
	return d.IsHalf() && (r == attr.ReduceAdd || r == attr.ReduceMul)
}

// writing prepares the output of a scatter: the base is copied, in float32 for half-precision sums; end canFoldCast it back.
func (d *Device) writing(out, base backend.View, r attr.Reduction) (to backend.View, end func() error, err error) {
	if !sums(out.DType, r) {
		return out, func() error { return nil }, d.base(out, base)
	}
	b, err := d.pool.Get("scatter", 4*out.Numel())
	if err != nil {
		return out, nil, err
	}
	to = backend.View{Buf: b, DType: dtype.Float32, Shape: out.Shape}
	if err := d.cast(to, base); err != nil {
		b.Free()
		return out, nil, err
	}
	return to, func() error {
		defer b.Free()
		return d.cast(out, to)
	}, nil
}

// cast canFoldCast a view.
func (d *Device) cast(to, from backend.View) error {
	p := &backend.Fused{Shape: to.Shape, DTypes: []dtype.DType{from.DType, to.DType}, In: 1, Out: []int{1},
		Instrs: []backend.Instr{{Op: "cast", Attr: attr.Cast{To: to.DType}, Dst: 1, Src: [3]int{0, -1, -1}}}}
	prepare(p)
	return d.runFused(nil, p, nil, []backend.View{to}, []backend.View{from})
}

// partitions is the number of blocks that share the indices of a scatter.
const partitions = 64

func putSlices(d *call, a attr.Attr, out, in []backend.View) error {
	s := a.(attr.Scatter)
	if out[0].DType.IsComplex() && s.Reduce > attr.ReduceMul {
		return backend.ErrNoKernel
	}
	dims := in[0].Shape.Dims()
	inner, count := product(dims[s.Axis+1:]), in[1].Numel()
	columns := product(dims[:s.Axis]) * inner
	if count == 0 {
		return d.base(out[0], in[0])
	}
	if columns == 1 && count >= manyPositions && in[2].Shape.Rank() == 1 && in[2].Strides()[0] == 0 &&
		d.allowsAtomics(out[0].DType, in[2].DType, s.Reduce) {
		return d.scatterScalar(out[0], in)
	}
	if s.Reduce == attr.ReduceSet && count <= mostSet {
		if done, err := d.setSlices(s.Axis, out[:1], in); done || err != nil {
			return err
		}
	}
	x, err := d.denseAll(in[1:])
	if err != nil {
		return err
	}
	defer x.free()
	if count >= manyPositions && count <= longest && dims[s.Axis] < longest {
		if err := d.base(out[0], in[0]); err != nil {
			return err
		}
		if columns == 1 && d.allowsAtomics(out[0].DType, in[2].DType, s.Reduce) {
			return d.scatterAtomic(flat(x.views[0]), flat(out[0]), flat(x.views[1]), 0)
		}
		sorted, err := d.sortedPositions(flat(x.views[0]), 0, dims[s.Axis])
		if err != nil {
			return err
		}
		defer sorted.free()
		from, each := address(x.views[1]), 16/max(4, out[0].DType.Size(), in[2].DType.Size())
		if in[2].DType.IsHalf() && out[0].DType.IsHalf() {
			each = 8
		}
		for inner%each != 0 || (from|address(out[0]))%16 != 0 && each > 1 {
			each /= 2
		}
		return d.segmentedScatter(sorted, true, out[0], in[2], from, s.Reduce, dims[s.Axis], columns, each, args{uint64(inner)})
	}
	to, end, err := d.writing(out[0], in[0], s.Reduce)
	if err != nil {
		return err
	}
	index := indexFor(max(columns, dims[s.Axis]))
	f, err := d.kernel(fmt.Sprint("put ", to.DType, in[2].DType, s.Reduce, index), "put_slices",
		func() string { return putSource(index, to.DType, in[2].DType, s.Reduce) })
	if err != nil {
		return err
	}
	if err := d.checked(d.ctx, "index", func(record uintptr) error {
		var g args
		g.int(columns, dims[s.Axis], count, inner)
		g.ptr(address(to), address(x.views[1]), address(x.views[0]), record)
		return d.launch(f, blocks(columns, threads), min(partitions, dims[s.Axis], count), threads, g)
	}); err != nil {
		return err
	}
	return end()
}

// along fills the arguments that gather and scatter share.
func along(at, x, src backend.View, axis, total, step, count int, out, from, positions, record uintptr) args {
	var g args
	dims := at.Shape.Dims()
	g.int(total, x.Shape.Dim(axis), len(dims), axis, step, count)
	g.ptr(out, from, positions, record)
	return append(g, layouts(dims, x.Strides(), src.Strides())...)
}

// layouts lists sizes and strides, each padded to 16.
func layouts(lists ...[]int) (g args) {
	for _, list := range lists {
		g.int(list...)
		g = append(g, make(args, 16-len(list))...)
	}
	return g
}

func gather(d *call, a attr.Attr, out, in []backend.View) error {
	axis := a.(attr.Axis).Axis
	at, b, err := d.dense(in[1])
	if err != nil {
		return err
	}
	if b != nil {
		defer b.Free()
	}
	// The axis of the indices does not move the base offset.
	st := slices.Clone(in[0].Strides())
	by := st[axis]
	st[axis] = 0
	dims, strides := shape.Collapse(at.Shape, at.Shape.Strides(), st)
	if len(dims) == 0 {
		dims, strides = []int{1}, [][]int{{1}, {0}}
	}
	t, n := in[0].DType, out[0].Numel()
	f, err := d.kernel(fmt.Sprint("gather ", t, indexFor(n), len(dims)), "gather",
		func() string { return gatherAlongSource(t, n, len(dims)) })
	if err != nil {
		return err
	}
	return d.checked(d.ctx, "index", func(record uintptr) error {
		var g args
		g.int(n, in[0].Shape.Dim(axis), by)
		g.ptr(address(out[0]), address(in[0]), address(at), record)
		g.int(dims...)
		g.int(strides[1]...)
		return d.launch(f, blocks(n, 4*threads), 1, threads, g)
	})
}

func gatherAlongSource(t dtype.DType, n, rank int) string {
	return kernels.Source("prelude") + fmt.Sprintf("#define GATHER\n#define T %s\n#define INDEX %s\n#define RANK %d\n", ctype[t],
		indexFor(n), rank) + kernels.Source("index")
}

func scatter(d *call, a attr.Attr, out, in []backend.View) error {
	s := a.(attr.Scatter)
	if out[0].DType.IsComplex() && s.Reduce > attr.ReduceMul {
		return backend.ErrNoKernel
	}
	at, b, err := d.dense(in[1])
	if err != nil {
		return err
	}
	if b != nil {
		defer b.Free()
	}
	if at.Numel() == 0 {
		return d.base(out[0], in[0])
	}
	dims := at.Shape.Dims()
	count := dims[s.Axis]
	lines, step := at.Numel()/count, product(dims[s.Axis+1:])
	if count >= manyPositions && d.allowsAtomics(out[0].DType, in[2].DType, s.Reduce) {
		if err := d.base(out[0], in[0]); err != nil {
			return err
		}
		return d.scatterAtomic(at, out[0], in[2], s.Axis)
	}
	if count >= manyPositions && count <= longest && lines < 1<<14 && out[0].Shape.Dim(s.Axis) < longest {
		if err := d.base(out[0], in[0]); err != nil {
			return err
		}
		sorted, err := d.sortedPositions(at, s.Axis, out[0].Shape.Dim(s.Axis))
		if err != nil {
			return err
		}
		defer sorted.free()
		var g args
		g.int(len(dims), s.Axis, step)
		g = append(g, layouts(dims, out[0].Strides(), in[2].Strides())...)
		return d.segmentedScatter(sorted, false, out[0], in[2], address(in[2]), s.Reduce, out[0].Shape.Dim(s.Axis), 1, 1, g)
	}
	to, end, err := d.writing(out[0], in[0], s.Reduce)
	if err != nil {
		return err
	}
	f, err := d.kernel(fmt.Sprint("scatter ", to.DType, in[2].DType, s.Reduce), "scatter",
		func() string { return indexSource("SCATTER", to.DType, in[2].DType, s.Reduce) })
	if err != nil {
		return err
	}
	if err := d.checked(d.ctx, "index", func(record uintptr) error {
		return d.launch(f, blocks(lines, threads), 1, threads, along(at, to, in[2], s.Axis, lines, step, count, address(to), address(in[2]),
			address(at), record))
	}); err != nil {
		return err
	}
	return end()
}
