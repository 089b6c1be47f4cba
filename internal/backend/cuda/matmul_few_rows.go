package cuda

import (
	"fmt"

	"github.com/lucid-go/lucid/internal/backend/cuda/cublas"
	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
	"github.com/lucid-go/lucid/internal/dtype"
)

// mostFewRows is up to how many rows a product is bound by reading its matrix, and is not the library's.
const mostFewRows = 4

// fewRows is the shape of the kernel of few_rows.cu.
type fewRows struct {
	t, out      dtype.DType
	rows, warps int
}

// fewRowsFor reports whether the kernel takes a product: few rows, a matrix whose columns are whole contiguous vectors, an epilogue that
// only adds.
func fewRowsFor(p cublas.Product, o cublas.Operands) (c fewRows, ok bool) {
	e := p.Epilogue
	e.Bias, e.Residual = false, false
	size := uintptr(p.DType.Size())
	aligned := (o.X|o.Y|uintptr(p.X.Row)*size|uintptr(p.Y.Column)*size)%16 == 0
	if p.Batch != 1 || p.M > mostFewRows || p.M == 0 || p.K == 0 || p.K%8 != 0 || p.N < 64 || e != (cublas.Epilogue{}) || !aligned ||
		p.X.Column != 1 || p.Y.Row != 1 || !(p.DType.IsHalf() || p.DType == dtype.Float32) {
		return c, false
	}
	c = fewRows{t: p.DType, out: p.DType, rows: p.M, warps: 1}
	if p.Wide {
		c.out = dtype.Float32
	}
	switch {
	case p.N < 4096:
		c.warps = 4
	case p.N < 8192:
		c.warps = 2
	}
	return c, true
}

func (c fewRows) source() string {
	return kernels.Source("prelude") + fmt.Sprintf("#define T %s\n#define OUT %s\n#define ROWS %d\n#define WARPS %d\n",
		ctype[c.t], ctype[c.out], c.rows, c.warps) + kernels.Source("few_rows")
}

func (d *Device) fewRowsProduct(c fewRows, p cublas.Product, o cublas.Operands) error {
	f, err := d.kernel(fmt.Sprint("few_rows", c), "few_rows", c.source)
	if err != nil {
		return err
	}
	pitch := p.Pitch
	if pitch == 0 {
		pitch = p.N
	}
	var g args
	g.int(p.N, p.K, p.X.Row, p.Y.Column, pitch)
	g.ptr(o.X, o.Y, o.Z)
	if p.Epilogue.Bias {
		g.ptr(o.Bias)
	} else {
		g.ptr(0)
	}
	if p.Epilogue.Residual {
		g.ptr(o.Residual)
	} else {
		g.ptr(0)
	}
	return d.launch(f, blocks(p.N, 4/c.warps), 1, 128, g)
}
