package cuda

import (
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
)

// integerMatmul multiplies matrices of types that cuBLAS does not support.
func (d *Device) integerMatmul(out, x, y backend.View) error {
	a, ab, err := d.dense(x)
	if err != nil {
		return err
	}
	if ab != nil {
		defer ab.Free()
	}
	b, bb, err := d.dense(y)
	if err != nil {
		return err
	}
	if bb != nil {
		defer bb.Free()
	}
	t := ctype[out.DType]
	f, err := d.kernel("integer_matmul "+t, "integer_matmul", func() string {
		return kernels.Source("prelude", "elementwise") + "#define T " + t + "\n" + kernels.Source("integer_matmul")
	})
	if err != nil {
		return err
	}
	r := out.Shape.Rank()
	var g args
	g.int(out.Numel(), out.Shape.Dim(r-2), out.Shape.Dim(r-1), x.Shape.Dim(r-1))
	g.ptr(address(out), address(a), address(b))
	return d.launch(f, blocks(out.Numel(), threads), 1, threads, g)
}
