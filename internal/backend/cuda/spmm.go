package cuda

import (
	"fmt"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
	"github.com/lucid-go/lucid/internal/dtype"
)

func init() {
	register(map[string]kernel{"mix": spmm, "bag": bag,
		"ragged_bag": func(d *call, _ attr.Attr, out, in []backend.View) error { return spmm(d, attr.Mix{Behind: 1}, out, in) }})
}

// spmmSource is the source of a kernel: each thread computes a vector of elements of `leads` rows; total is the number of
// threads.
func spmmSource(op string, t dtype.DType, total, vector, leads int) string {
	return kernels.Source("prelude") + typed(t) + fmt.Sprintf("#define INDEX %s\n#define V %d\n#define LEADS %d\n", indexFor(total), vector,
		leads) + kernels.Source(op)
}

// vectorOf is the longest vector, of 16 bytes at most, that rows of n elements of both views divide into.
func vectorOf(n int, x, y backend.View) int {
	v := 16 / x.DType.Size()
	for n%v != 0 || (address(x)|address(y))%uintptr(v*x.DType.Size()) != 0 {
		v /= 2
	}
	return v
}

// mix multiplies a dimension by a sparse matrix in CSR form.
func spmm(d *call, a attr.Attr, out, in []backend.View) error {
	x, err := d.denseAll(in[:4])
	if err != nil {
		return err
	}
	defer x.free()
	dims := out[0].Shape.Dims()
	at := len(dims) - 1 - a.(attr.Mix).Behind
	lead, inner, t := product(dims[:at]), product(dims[at+1:]), in[0].DType
	vector, leads := vectorOf(inner, x.views[0], out[0]), 1
	if vector == 1 { // a thread reuses the matrix entries it loads for several rows
		leads = 4
	}
	total := blocks(lead, leads) * dims[at] * inner / vector
	f, err := d.kernel(fmt.Sprint("spmm", t, indexFor(total), vector, leads), "spmm",
		func() string { return spmmSource("spmm", t, total, vector, leads) })
	if err != nil {
		return err
	}
	var g args
	g.int(total, lead)
	g.ptr(address(out[0]), address(x.views[0]), address(x.views[1]), address(x.views[2]), address(x.views[3]))
	g.int(in[0].Shape.Dims()[at], dims[at], inner, in[2].Numel())
	return d.launch(f, blocks(total, threads), 1, threads, g)
}

// bag sums weighted rows of a table.
func bag(d *call, _ attr.Attr, out, in []backend.View) error {
	x, err := d.denseAll(in)
	if err != nil {
		return err
	}
	defer x.free()
	t, vector := in[0].DType, vectorOf(in[0].Shape.Dim(1), x.views[0], out[0])
	total := out[0].Numel() / vector
	f, err := d.kernel(fmt.Sprint("bag", t, indexFor(total), vector), "bag",
		func() string { return spmmSource("bag", t, total, vector, 1) })
	if err != nil {
		return err
	}
	var g args
	g.int(total)
	g.ptr(address(out[0]), address(x.views[0]), address(x.views[1]), address(x.views[2]))
	g.int(in[0].Shape.Dim(0), in[0].Shape.Dim(1), in[1].Shape.Dim(0), in[1].Shape.Dim(1))
	return d.launch(f, blocks(total, threads), 1, threads, g)
}
