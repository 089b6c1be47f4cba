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
		"class_nll": func(d *call, a attr.Attr, out, in []backend.View) error {
			return d.alongRows("class_nll", a, out, in)
		},
		"layer_norm": func(d *call, a attr.Attr, out, in []backend.View) error { return d.rowNorm(true, a, out, in) },
		"rms_norm":   func(d *call, a attr.Attr, out, in []backend.View) error { return d.rowNorm(false, a, out, in) },
	})
}

func rowsSource(op string, t dtype.DType, lanes, vector int) string {
	if op == "softmax_grad" {
		return kernels.Source("prelude", "block") + fmt.Sprintf("#define T %s\n#define LANES %d\n", ctype[t], lanes) + kernels.Source("softmax_grad")
	}
	return reduceOps("logsumexp", t) + kernels.Source("block") + fmt.Sprintf("#define T %s\n#define LANES %d\n#define V %d\n", ctype[t], lanes, vector) + kernels.Source("rows")
}

// vectorFor is how many neighbours a thread takes from rows of n elements: 16 bytes, if rows begin at multiples of them.
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

// lanesFor shares a row of n pieces among a warp or a block.
func lanesFor(n int) int {
	if n <= 256 {
		return 32
	}
	return 256
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
	for _, s := range dims[axis+1:] {
		step *= s
	}
	vector := 1
	if step == 1 {
		vector = vectorFor(n, in[0].DType.Size(), address(x.views[0]))
	}
	rows, lanes := product(dims[:axis])*step, lanesFor(n/vector)
	f, err := d.kernel(fmt.Sprint(op, in[0].DType, lanes, vector), op, func() string { return rowsSource(op, in[0].DType, lanes, vector) })
	if err != nil {
		return err
	}
	run := func(word uintptr) error {
		var g args
		g.int(rows, n, step)
		switch op {
		case "softmax_grad":
			g.ptr(address(out[0]), address(x.views[0]), address(x.views[1]))
		case "class_nll":
			g.ptr(address(out[0]), address(out[1]), address(x.views[0]), address(x.views[1]), word)
		default:
			g.ptr(address(out[0]), 0, address(x.views[0]), 0, 0)
		}
		return d.launch(f, blocks(rows, 256/lanes), 1, threads, g)
	}
	if op == "class_nll" {
		return d.checked(d.ctx, "cross_entropy", run)
	}
	return run(0)
}

// normSource writes a kernel of norm.cu, FORWARD or BACKWARD.
func normSource(part string, t, stat, weight dtype.DType, lanes, vector int, centred bool) string {
	return kernels.Source("prelude", "elementwise", "functions", "block") + "#define " + part + "\n" +
		fmt.Sprintf("#define T %s\n#define STAT %s\n#define W %s\n#define LANES %d\n#define V %d\n#define CENTRED %v\n", ctype[t], ctype[stat], ctype[weight], lanes, vector, centred) + kernels.Source("norm")
}

// rowNorm normalises over the last dimensions.
func (d *Device) rowNorm(centred bool, a attr.Attr, out, in []backend.View) error {
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
	stat := out[len(out)-1]
	rows, lanes := stat.Numel(), lanesFor(n/vector)
	f, err := d.kernel(fmt.Sprint("norm", in[0].DType, stat.DType, weight, lanes, vector, centred), "row_norm", func() string {
		return normSource("FORWARD", in[0].DType, stat.DType, weight, lanes, vector, centred)
	})
	if err != nil {
		return err
	}
	var g args
	g.int(rows, n, int(math.Float64bits(p.Eps)))
	g.ptr(address(out[0]), address(out[1]), address(stat), ptr[0], ptr[1], ptr[2])
	return d.launch(f, blocks(rows, 256/lanes), 1, threads, g)
}

// rowNormGrad gives the cotangent of what was normalised.
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
	rows, lanes := in[1].Numel()/n, lanesFor(n)
	f, err := d.kernel(fmt.Sprint("norm grad", t, rstd, weight, lanes, centred), "row_norm_grad", func() string {
		return normSource("BACKWARD", t, rstd, weight, lanes, 1, centred)
	})
	if err != nil {
		return err
	}
	var g args
	g.int(rows, n)
	g.ptr(address(out[0]), address(x.views[0]), address(x.views[1]), address(x.views[2]), address(x.views[stat]))
	if len(in) > stat+1 {
		g.ptr(address(x.views[stat+1]))
	} else {
		g.ptr(0)
	}
	return d.launch(f, blocks(rows, 256/lanes), 1, threads, g)
}
