package cuda

import (
	"fmt"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
	"github.com/lucid-go/lucid/internal/dtype"
)

func init() { register(map[string]kernel{"mix": mix}) }

func mixSource(t dtype.DType) string {
	return kernels.Source("prelude") + typed(t) + kernels.Source("mix")
}

// mix multiplies a dimension by a sparse matrix.
func mix(d *call, a attr.Attr, out, in []backend.View) error {
	x, err := d.denseAll(in[:4])
	if err != nil {
		return err
	}
	defer x.free()
	t := in[0].DType
	f, err := d.kernel(fmt.Sprint("mix", t), "mix", func() string { return mixSource(t) })
	if err != nil {
		return err
	}
	dims := out[0].Shape.Dims()
	at, inner := len(dims)-1-a.(attr.Mix).Behind, 1
	for _, s := range dims[at+1:] {
		inner *= s
	}
	var g args
	g.int(out[0].Numel())
	g.ptr(address(out[0]), address(x.views[0]), address(x.views[1]), address(x.views[2]), address(x.views[3]))
	g.int(in[0].Shape.Dims()[at], dims[at], inner, in[2].Numel())
	return d.launch(f, blocks(out[0].Numel(), threads), 1, threads, g)
}
