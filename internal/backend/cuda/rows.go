package cuda

import (
	"fmt"
	"math"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
	"github.com/lucid-go/lucid/internal/dtype"
)

func init() {
	register(map[string]kernel{
		"softmax": func(d *call, a attr.Attr, out, in []backend.View) error {
			return d.alongRows("softmax", a, out, in)
		},
		"log_softmax": func(d *call, a attr.Attr, out, in []backend.View) error {
			return d.alongRows("log_softmax", a, out, in)
		},
		"softmax_grad": func(d *call, a attr.Attr, out, in []backend.View) error {
			return d.alongRows("softmax_grad", a, out, in)
		},
		"layer_norm_grad": func(d *call, a attr.Attr, out, in []backend.View) error { return d.rowNormGrad(true, a, out, in) },
		"rms_norm_grad":   func(d *call, a attr.Attr, out, in []backend.View) error { return d.rowNormGrad(false, a, out, in) },
		"layer_norm":      func(d *call, a attr.Attr, out, in []backend.View) error { return d.rowNorm(true, a, out, in) },
		"rms_norm":        func(d *call, a attr.Attr, out, in []backend.View) error { return d.rowNorm(false, a, out, in) },
	})
}

// share is how threads share rows: `lanes` threads a row, which load vectors of so many elements. held is how many vectors
// a thread holds in registers, all of its part of the row; 0: the row is too long.
type share struct{ lanes, vector, held int }

func (s share) defines() string {
	return fmt.Sprintf("#define LANES %d\n#define V %d\n#define HELD %d\n", s.lanes, s.vector, s.held)
}

// threads is the block size, perBlock how many rows a block takes.
func (s share) threads() int  { return max(256, s.lanes) }
func (s share) perBlock() int { return s.threads() / s.lanes }

// sharing chooses for rows of n elements. operands is how many rows are held in registers at once.
func sharing(n, vector, operands int) share {
	for _, c := range []struct{ lanes, most int }{{32, 8}, {256, 8}, {512, 8}} {
		for held := 1; held <= c.most/operands; held *= 2 {
			if n <= c.lanes*held*vector {
				return share{c.lanes, vector, held}
			}
		}
	}
	return share{256, vector, 0}
}

func rowsSource(op string, t dtype.DType, s share) string {
	if op == "softmax_grad" {
		return kernels.Source("prelude", "block") + typed(t) + s.defines() + kernels.Source("softmax_grad")
	}
	return reduceOps("logsumexp", t) + kernels.Source("block") + typed(t) + s.defines() + kernels.Source("rows")
}

// vectorFor is how many adjacent elements a thread loads from rows of n elements: 16 bytes, if rows are so aligned.
func vectorFor(n, size int, at ...uintptr) int {
	v := 16 / size
	for _, p := range at {
		if p%16 != 0 {
			return 1
		}
	}
	if n%v != 0 {
		return 1
	}
	return v
}

// alongRows runs a kernel of rows.cu along one dimension.
func (d *call) alongRows(op string, a attr.Attr, out, in []backend.View) error {
	axis, dims := a.(attr.Axis).Axis, in[0].Shape.Dims()
	if !in[0].DType.IsFloat() {
		return backend.ErrNoKernel
	}
	x, err := d.denseAll(in)
	if err != nil {
		return err
	}
	defer x.free()
	n, step := dims[axis], 1
	for _, k := range dims[axis+1:] {
		step *= k
	}
	vector, operands := 1, 1
	if step == 1 {
		vector = vectorFor(n, in[0].DType.Size(), address(x.views[0]))
	}
	if op == "softmax_grad" {
		operands = 2
		vector = min(vector, vectorFor(n, in[0].DType.Size(), address(x.views[1])))
	}
	rows, s := product(dims[:axis])*step, sharing(n, vector, operands)
	f, err := d.kernel(fmt.Sprint(op, in[0].DType, s), op, func() string { return rowsSource(op, in[0].DType, s) })
	if err != nil {
		return err
	}
	var g args
	g.int(rows, n, step)
	g.ptr(address(out[0]))
	for _, v := range x.views {
		g.ptr(address(v))
	}
	return d.launch(f, blocks(rows, s.perBlock()), 1, s.threads(), g)
}

// normSource is a kernel of norm.cu, FORWARD or BACKWARD.
func normSource(part string, t, stat, weight dtype.DType, s share, centred bool) string {
	return kernels.Source("prelude", "elementwise", "functions", "block") + "#define " + part + "\n" +
		typed(t) + s.defines() + fmt.Sprintf("#define STAT %s\n#define W %s\n#define CENTRED %v\n", ctype[stat], ctype[weight], centred) +
		kernels.Source("norm")
}

// rowNorm normalises over the last dimensions.
func (d *call) rowNorm(centred bool, a attr.Attr, out, in []backend.View) error {
	p, dims := a.(attr.RowNorm), in[0].Shape.Dims()
	weight := in[0].DType
	if len(in) > 1 {
		weight = in[1].DType
	}
	if !in[0].DType.IsFloat() || len(in) > 2 && in[2].DType != weight {
		return backend.ErrNoKernel
	}
	x, err := d.denseAll(in)
	if err != nil {
		return err
	}
	defer x.free()
	n := 1
	for _, s := range dims[len(dims)-p.Dims:] {
		n *= s
	}
	var ptr [3]uintptr
	for i, v := range x.views {
		ptr[i] = address(v)
	}
	vector := vectorFor(n, in[0].DType.Size(), ptr[:]...)
	stat, s := out[len(out)-1], sharing(n, vector, 1)
	if rows := out[0].Numel() / max(1, n); rows < 64 && s.lanes == 32 && s.held > 1 && !d.ctx.Deterministic {
		s = share{256, vector, 1} // a warp a row would leave most of the device idle
	}
	rows := stat.Numel()
	f, err := d.kernel(fmt.Sprint("norm", in[0].DType, stat.DType, weight, s, centred), "row_norm", func() string {
		return normSource("FORWARD", in[0].DType, stat.DType, weight, s, centred)
	})
	if err != nil {
		return err
	}
	var g args
	g.int(rows, n, int(math.Float64bits(p.Eps)))
	g.ptr(address(out[0]), address(out[1]), address(stat), ptr[0], ptr[1], ptr[2])
	return d.launch(f, blocks(rows, s.perBlock()), 1, s.threads(), g)
}

// rowNormGrad computes the cotangent of the normalised input.
func (d *Device) rowNormGrad(centred bool, a attr.Attr, out, in []backend.View) error {
	p, dims, stat := a.(attr.RowNorm), in[1].Shape.Dims(), 2
	if centred {
		stat = 3
	}
	weight, rstd := in[0].DType, in[stat].DType
	if len(in) > stat+1 {
		weight = in[stat+1].DType
	}
	t := out[0].DType
	if in[1].Numel() == 0 || !t.IsFloat() || in[0].DType != t || in[1].DType != t || in[2].DType != rstd {
		return backend.ErrNoKernel
	}
	x, err := d.denseAll(in)
	if err != nil {
		return err
	}
	defer x.free()
	n := product(dims[len(dims)-p.Dims:])
	ptr := []uintptr{address(x.views[0]), address(x.views[1]), 0}
	if len(in) > stat+1 {
		ptr[2] = address(x.views[stat+1])
	}
	s := sharing(n, vectorFor(n, t.Size(), ptr...), 2)
	rows := in[1].Numel() / n
	f, err := d.kernel(fmt.Sprint("norm grad", t, rstd, weight, s, centred), "row_norm_grad", func() string {
		return normSource("BACKWARD", t, rstd, weight, s, centred)
	})
	if err != nil {
		return err
	}
	var g args
	g.int(rows, n)
	g.ptr(address(out[0]), ptr[0], ptr[1], address(x.views[2]), address(x.views[stat]), ptr[2])
	return d.launch(f, blocks(rows, s.perBlock()), 1, s.threads(), g)
}
