package cuda

import (
	"fmt"

	"github.com/lucid-go/lucid/internal/backend/cuda/cublas"
	"github.com/lucid-go/lucid/internal/backend/cuda/driver"
	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
	"github.com/lucid-go/lucid/internal/dtype"
)

// Up to so many rows a product is bound by reading its matrix, and is not the library's: with tensor cores, and without.
const (
	mostRowsMMA = 16
	mostFewRows = 4
)

// fewRows is the shape of the kernels of few_rows.cu, and of few_rows_mma.cu if tiles is not 0.
type fewRows struct {
	t, out             dtype.DType
	rows, warps, tiles int
}

// fewRowsFor reports whether a kernel takes a product: few rows, a matrix whose columns are whole contiguous vectors, an epilogue that
// only adds.
func fewRowsFor(d *driver.Device, p cublas.Product, o cublas.Operands) (c fewRows, ok bool) {
	e := p.Epilogue
	e.Bias, e.Residual = false, false
	size, most, mma := uintptr(p.DType.Size()), mostFewRows, p.DType.IsHalf() && d.Major >= 8
	if mma {
		most = mostRowsMMA
	}
	aligned := (o.X|o.Y|uintptr(p.X.Row)*size|uintptr(p.Y.Column)*size)%16 == 0
	if p.Batch != 1 || p.M > most || p.M == 0 || p.K == 0 || p.K%8 != 0 || p.N < 64 || e != (cublas.Epilogue{}) || !aligned ||
		p.X.Column != 1 || p.Y.Row != 1 || !(p.DType.IsHalf() || p.DType == dtype.Float32) {
		return c, false
	}
	c = fewRows{t: p.DType, out: p.DType, rows: p.M, warps: 1}
	if p.Wide {
		c.out = dtype.Float32
	}
	if mma {
		// Enough warps to fill a device, whichever it is: bits must not differ.
		c.rows, c.tiles, c.warps = 0, blocks(p.M, 8), 2
		for c.warps < 16 && blocks(p.N, 16)*c.warps < 2048 && 128*c.warps < p.K {
			c.warps *= 2
		}
		return c, true
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
	s := kernels.Source("prelude") + fmt.Sprintf("#define T %s\n#define OUT %s\n#define WARPS %d\n", ctype[c.t], ctype[c.out], c.warps)
	if c.tiles > 0 {
		return s + fmt.Sprintf("#define TILES %d\n#define MMA \"%s\"\n", c.tiles, ctype[c.t]) + kernels.Source("few_rows_mma")
	}
	return s + fmt.Sprintf("#define ROWS %d\n", c.rows) + kernels.Source("few_rows")
}

// fewRowsProduct runs it. early says that nothing in a captured graph writes the matrix.
func (d *Device) fewRowsProduct(c fewRows, p cublas.Product, o cublas.Operands, early bool) error {
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
	if c.tiles > 0 {
		g.int(p.M, number(early))
	}
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
	if c.tiles > 0 {
		return d.launch(f, blocks(p.N, 16), 1, 32*c.warps, g)
	}
	return d.launch(f, blocks(p.N, 2*4/c.warps), 1, 128, g)
}
