package cuda

import (
	"fmt"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/mem"
)

func init() { register(map[string]kernel{"class_nll": classNLL, "class_nll_grad": classNLLGrad}) }

// classNLLTypes are the element types of a kernel of class_nll.cu: of x, of its cotangent, and of the per-row values, in
// which it computes. x and the cotangent may be half types: the casts around a loss are folded into it.
type classNLLTypes struct{ x, z, t dtype.DType }

// canFoldCast reports which casts next to a kernel are folded into it.
func canFoldCast(op string, in int, of, as dtype.DType) bool {
	switch op {
	case "class_nll":
		return in == 0 && of == dtype.Float32 && as.IsHalf()
	case "class_nll_grad":
		return in <= 0 && of == dtype.Float32 && as.IsHalf()
	}
	return false
}

func classNLLSource(part string, ts classNLLTypes, lanes, vector int) string {
	return reduceOps("logsumexp", ts.t) + "#define " + part + "\n" +
		fmt.Sprintf("#define X %s\n#define Z %s\n#define T %s\n#define LANES %d\n#define V %d\n", ctype[ts.x], ctype[ts.z], ctype[ts.t],
			lanes, vector) + kernels.Source("class_nll")
}

// classRows is how the elements of a view are laid out along one dimension: `step` apart; outer positions are `pitch`
// elements apart.
type classRows struct{ rows, n, step, pitch int }

// alongAxis describes a view so; ok is false if its layout is another.
func alongAxis(v backend.View, axis int) (r classRows, ok bool) {
	dims, st := v.Shape.Dims(), v.Strides()
	r = classRows{n: dims[axis], step: product(dims[axis+1:])}
	r.rows, r.pitch = product(dims[:axis])*r.step, r.n*r.step
	// Contiguous within an outer position; a constant stride between outer positions.
	want := 1
	for i := len(dims) - 1; i >= axis; i-- {
		if dims[i] != 1 && st[i] != want {
			return r, false
		}
		want *= dims[i]
	}
	first := true
	for i := axis - 1; i >= 0; i-- {
		if dims[i] == 1 {
			continue
		}
		if first {
			r.pitch, want, first = st[i], st[i], false
		}
		if st[i] != want {
			return r, false
		}
		want *= dims[i]
	}
	return r, r.pitch >= r.n*r.step
}

// orderedRows is alongAxis of a view, or of a contiguous copy that the caller frees.
func (d *Device) orderedRows(v backend.View, axis int) (backend.View, classRows, *mem.Buffer, error) {
	if r, ok := alongAxis(v, axis); ok {
		return v, r, nil, nil
	}
	to, b, err := d.dense(v)
	r, _ := alongAxis(to, axis)
	return to, r, b, err
}

// vector is how many adjacent elements a thread loads at once; a row may end within a vector.
func (r classRows) vector(size int, at ...uintptr) int {
	if r.step > 1 || r.pitch%(16/size) != 0 {
		return 1
	}
	for _, p := range at {
		if p%16 != 0 {
			return 1
		}
	}
	return 16 / size
}

// lanes is how many threads share a row.
func (r classRows) lanes() int {
	if r.n <= 1024 {
		return 32
	}
	return 256
}

func classNLL(d *call, a attr.Attr, out, in []backend.View) error {
	x, r, b, err := d.orderedRows(in[0], a.(attr.Axis).Axis)
	if err != nil {
		return err
	}
	if b != nil {
		defer b.Free()
	}
	target, tb, err := d.dense(in[1])
	if err != nil {
		return err
	}
	if tb != nil {
		defer tb.Free()
	}
	ts, lanes, vector := classNLLTypes{x.DType, x.DType, out[0].DType}, r.lanes(), r.vector(x.DType.Size(), address(x))
	f, err := d.kernel(fmt.Sprint("class_nll", ts, lanes, vector), "class_nll",
		func() string { return classNLLSource("FORWARD", ts, lanes, vector) })
	if err != nil {
		return err
	}
	return d.checked(d.ctx, "cross_entropy", func(record uintptr) error {
		var g args
		g.int(r.rows, r.n, r.step, r.pitch)
		g.ptr(address(out[0]), address(out[1]), address(x), address(target), record)
		return d.launch(f, blocks(r.rows, threads/lanes), 1, threads, g)
	})
}

func classNLLGrad(d *call, a attr.Attr, out, in []backend.View) error {
	axis := a.(attr.Axis).Axis
	x, r, b, err := d.orderedRows(in[0], axis)
	if err != nil {
		return err
	}
	if b != nil {
		defer b.Free()
	}
	rest, err := d.denseAll(in[1:])
	if err != nil {
		return err
	}
	defer rest.free()
	z, _ := alongAxis(out[0], axis)
	ts := classNLLTypes{x.DType, out[0].DType, in[1].DType}
	vector := min(r.vector(x.DType.Size(), address(x)), z.vector(out[0].DType.Size(), address(out[0])))
	lanes, chunks := 1, blocks(r.n*r.step, threads) // of an outer position
	grid := r.rows / r.step * chunks
	if r.step == 1 {
		lanes = r.lanes()
		grid = blocks(r.rows, threads/lanes)
	}
	f, err := d.kernel(fmt.Sprint("class_nll_grad", ts, lanes, vector), "class_nll_grad",
		func() string { return classNLLSource("BACKWARD", ts, lanes, vector) })
	if err != nil {
		return err
	}
	return d.checked(d.ctx, "cross_entropy", func(record uintptr) error {
		var g args
		g.int(r.rows, r.n, r.step, r.pitch, z.pitch, chunks)
		g.ptr(address(out[0]), address(x))
		for _, v := range rest.views {
			g.ptr(address(v))
		}
		g.ptr(record)
		return d.launch(f, grid, 1, threads, g)
	})
}
