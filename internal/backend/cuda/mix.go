package cuda

import (
	"fmt"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
	"github.com/lucid-go/lucid/internal/dtype"
)

func init() { register(map[string]kernel{"mix": mix, "bag": bag}) }

// mixSource writes the kernel of that name, for a result of so many elements.
func mixSource(op string, t dtype.DType, total int) string {
	return kernels.Source("prelude") + typed(t) + "#define INDEX " + indexFor(total) + "\n" + kernels.Source(op)
}

// mix multiplies a dimension by a sparse matrix.
func mix(d *call, a attr.Attr, out, in []backend.View) error {
	x, err := d.denseAll(in[:4])
	if err != nil {
		return err
	}
	defer x.free()
	t, total := in[0].DType, out[0].Numel()
	f, err := d.kernel(fmt.Sprint("mix", t, indexFor(total)), "mix", func() string { return mixSource("mix", t, total) })
	if err != nil {
		return err
	}
	dims := out[0].Shape.Dims()
	at, inner := len(dims)-1-a.(attr.Mix).Behind, 1
	for _, s := range dims[at+1:] {
		inner *= s
	}
	var g args
	g.int(total)
	g.ptr(address(out[0]), address(x.views[0]), address(x.views[1]), address(x.views[2]), address(x.views[3]))
	g.int(in[0].Shape.Dims()[at], dims[at], inner, in[2].Numel())
	return d.launch(f, blocks(total, threads), 1, threads, g)
}

// bag sums rows of a table times weights.
func bag(d *call, _ attr.Attr, out, in []backend.View) error {
	x, err := d.denseAll(in)
	if err != nil {
		return err
	}
	defer x.free()
	t, total := in[0].DType, out[0].Numel()
	f, err := d.kernel(fmt.Sprint("bag", t, indexFor(total)), "bag", func() string { return mixSource("bag", t, total) })
	if err != nil {
		return err
	}
	var g args
	g.int(total)
	g.ptr(address(out[0]), address(x.views[0]), address(x.views[1]), address(x.views[2]))
	g.int(in[0].Shape.Dim(0), in[0].Shape.Dim(1), in[1].Shape.Dim(0), in[1].Shape.Dim(1))
	return d.launch(f, blocks(total, threads), 1, threads, g)
}
