package cuda

import (
	"fmt"
	"math"

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

// fewRows is the shape of the kernel of few_rows.cu, or of few_rows_mma.cu if tiles is not 0.
type fewRows struct {
	t, out      dtype.DType
	rows, warps int
	tiles       int
	held        bool // x is held in shared memory
	stages      int  // of the ring
	joinedRows
}

// joinedRows is what few_rows_mma.cu does beyond one product.
type joinedRows struct {
	matrices int
	gated    string // the function that makes one value of two; "": none
	files    string // the sources it needs
	normed   int    // x is normalised first: vectors of a row that a thread has; 0: it is not
	weight   dtype.DType
}

// takesFewRows reports whether a kernel takes a product: few rows, a matrix whose columns are whole contiguous vectors, an epilogue that
// only adds. mma says that it is the one with tensor cores.
func takesFewRows(d *driver.Device, p cublas.Product, o cublas.Operands) (mma, ok bool) {
	e := p.Epilogue
	e.Bias, e.Residual = false, false
	size, most := uintptr(p.DType.Size()), mostFewRows
	if mma = p.DType.IsHalf() && d.Major >= 8; mma {
		most = mostRowsMMA
	}
	aligned := (o.X|o.Y|uintptr(p.X.Row)*size|uintptr(p.Y.Column)*size)%16 == 0
	return mma, p.Batch == 1 && p.M <= most && p.M > 0 && p.K > 0 && p.K%8 == 0 && p.N >= 64 && e == (cublas.Epilogue{}) && aligned &&
		p.X.Column == 1 && p.Y.Row == 1 && (p.DType.IsHalf() || p.DType == dtype.Float32)
}

// fewRowsFor is the kernel for products of the same rows.
func fewRowsFor(p cublas.Product, mma bool) fewRows {
	c := fewRows{t: p.DType, out: p.DType, rows: p.M, warps: 1, joinedRows: joinedRows{weight: p.DType}}
	if p.Wide {
		c.out = dtype.Float32
	}
	switch {
	case mma:
		c.rows, c.tiles, c.warps, c.matrices = 0, blocks(p.M, 8), 8, 1
	case p.N < 4096:
		c.warps = 4
	case p.N < 8192:
		c.warps = 2
	}
	return c
}

// key tells kernels apart.
func (c fewRows) key() string {
	c.files = ""
	return fmt.Sprint("few_rows", c)
}

func (c fewRows) source() string {
	s := kernels.Source("prelude")
	types := fmt.Sprintf("#define T %s\n#define OUT %s\n#define WARPS %d\n", ctype[c.t], ctype[c.out], c.warps)
	if c.tiles == 0 {
		return s + types + fmt.Sprintf("#define ROWS %d\n", c.rows) + kernels.Source("few_rows")
	}
	if c.gated != "" {
		s = c.files
	}
	types += fmt.Sprintf("#define TILES %d\n#define MMA \"%s\"\n#define MATRICES %d\n#define GATED %d\n", c.tiles, ctype[c.t], c.matrices,
		number(c.gated != ""))
	types += fmt.Sprintf("#define NORMED %d\n#define W %s\n", c.normed, ctype[c.weight])
	types += fmt.Sprintf("#define HELD %d\n#define STAGES %d\n", number(c.held), c.stages)
	return s + types + c.gated + kernels.Source("few_rows_mma")
}

// fewRowsCall is a launch of such a kernel.
type fewRowsCall struct {
	fewRows
	products []cublas.Product // of the same rows
	at       []cublas.Operands
	early    bool // nothing in a captured graph writes a matrix, or the weights of a norm
	// normWeight and eps are of the norm that x goes through first.
	normWeight uintptr
	eps        float64
}

// The rows of a product are held in shared memory if they are few, in one of two sizes: the ring has room for what they leave.
const (
	heldBytes     = 16 << 10
	mostHeldBytes = 2 * heldBytes
)

// streamCarveout is the part of a multiprocessor's memory, in percent, that is shared memory while a graph streams matrices, whatever its
// kernels need: dividing it anew takes an idle multiprocessor, and meanwhile blocks that stream go where others do already. One such block
// fits, and the small kernels between two of them.
const streamCarveout = 75

// streamShared is what such a block takes of it.
const streamShared = 114 << 10

// stageBytes is what a part of the ring takes.
func (c fewRows) stageBytes() int {
	vectors := 2
	if !c.held {
		vectors += c.tiles
	}
	return vectors * 32 * c.warps * 16
}

// fit decides what is in shared memory.
func (c *fewRows) fit(d *driver.Device, xBytes int) {
	const own = 1 << 10 // of the driver
	c.held = xBytes <= mostHeldBytes
	free := min(d.Shared+own, streamShared) - own - 2*c.warps*c.tiles*8*16*4 - 128
	switch {
	case c.held && xBytes > heldBytes:
		free -= mostHeldBytes
	case c.held:
		free -= heldBytes
	}
	c.stages = max(3, free/c.stageBytes())
}

// columns is how many a tile has, of each matrix.
func (c fewRows) columns() int {
	if c.gated != "" {
		return 8
	}
	return 16
}

func (d *Device) launchFewRows(c fewRowsCall) error {
	x := c.products[0].M * c.products[0].K * c.t.Size()
	if c.tiles > 0 {
		c.fit(d.Device, x)
	}
	if !c.held {
		x = 0
	}
	f, err := d.kernel(c.key(), "few_rows", c.source)
	if err != nil {
		return err
	}
	var g args
	p, o := c.products[0], c.at[0]
	if c.tiles == 0 {
		g.int(p.N, p.K, p.X.Row, p.Y.Column, pitchOf(p))
		g.ptr(o.X, o.Y, o.Z)
		addends(&g, p, o)
		return d.launch(f, blocks(p.N, 2*4/c.warps), 1, 128, g)
	}
	tiles := 0
	var list args
	for i, p := range c.products {
		if c.gated != "" {
			tiles = 0
		}
		list.int(tiles, p.N, p.Y.Column, pitchOf(p))
		list.ptr(c.at[i].Y, c.at[i].Z)
		addends(&list, p, c.at[i])
		tiles += blocks(p.N, c.columns())
	}
	if d.mode == capturing {
		d.Device.Carveout = streamCarveout
	}
	g.int(p.K, p.X.Row, p.M, x/c.t.Size(), number(c.early), tiles, int(math.Float64bits(c.eps)))
	g.ptr(o.X, c.normWeight)
	return d.launchShared(f, min(tiles, d.SMs), 1, 32*c.warps, x+c.stages*c.stageBytes(), append(g, list...))
}

// pitchOf is the distance between rows of the result.
func pitchOf(p cublas.Product) int {
	if p.Pitch == 0 {
		return p.N
	}
	return p.Pitch
}

// addends passes what a product adds, nulls for what it does not.
func addends(g *args, p cublas.Product, o cublas.Operands) {
	if !p.Epilogue.Bias {
		o.Bias = 0
	}
	if !p.Epilogue.Residual {
		o.Residual = 0
	}
	g.ptr(o.Bias, o.Residual)
}
