package cuda

import (
	"fmt"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
	"github.com/lucid-go/lucid/internal/dtype"
)

func init() { register(map[string]kernel{"gather_mm": gatherMM}) }

// typed names the element type of a source.
func typed(t dtype.DType) string { return "#define T " + ctype[t] + "\n" }

func gatherSource(t dtype.DType) string {
	return kernels.Source("prelude") + typed(t) + kernels.Source("tile", "gather_mm")
}

// maxGridY is the largest grid in y.
const maxGridY = 65535

func gatherMM(d *call, _ attr.Attr, out, in []backend.View) error {
	x, err := d.denseAll(in)
	if err != nil {
		return err
	}
	defer x.free()
	t := out[0].DType
	f, err := d.kernel(fmt.Sprint("gather_mm", t), "gather_mm", func() string { return gatherSource(t) })
	if err != nil {
		return err
	}
	outs, m, n := out[0].Shape.Dim(0), out[0].Shape.Dim(1), out[0].Shape.Dim(2)
	return d.checked(d.ctx, "index", func(record uintptr) error {
		var g args
		g.int(outs, m, n, in[0].Shape.Dim(2), in[2].Numel(), in[0].Shape.Dim(0), in[1].Shape.Dim(0))
		g.ptr(address(out[0]))
		for _, v := range x.views {
			g.ptr(address(v))
		}
		g.ptr(record)
		return d.launch(f, blocks(m, 64)*blocks(n, 64), min(outs, maxGridY), threads, g)
	})
}
