package cuda

import (
	"fmt"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
	"github.com/lucid-go/lucid/internal/dtype"
)

func init() { register(map[string]kernel{"class_nll_grad": classNLLGrad}) }

func classNLLGradSource(t dtype.DType, vector int) string {
	return kernels.Source("prelude", "elementwise", "functions") + typed(t) + fmt.Sprintf("#define V %d\n", vector) + kernels.Source("class_nll_grad")
}

func classNLLGrad(d *call, a attr.Attr, out, in []backend.View) error {
	axis, dims, t := a.(attr.Axis).Axis, in[0].Shape.Dims(), in[0].DType
	x, err := d.denseAll(in)
	if err != nil {
		return err
	}
	defer x.free()
	n, step, vector := dims[axis], product(dims[axis+1:]), 1
	if step == 1 {
		vector = vectorFor(n, t.Size(), address(x.views[0]))
	}
	f, err := d.kernel(fmt.Sprint("class_nll_grad", t, vector), "class_nll_grad", func() string { return classNLLGradSource(t, vector) })
	if err != nil {
		return err
	}
	return d.checked(d.ctx, "cross_entropy", func(word uintptr) error {
		var g args
		g.int(out[0].Numel(), n, step)
		g.ptr(address(out[0]))
		for _, v := range x.views {
			g.ptr(address(v))
		}
		g.ptr(word)
		return d.launch(f, blocks(out[0].Numel(), threads*vector), 1, threads, g)
	})
}
