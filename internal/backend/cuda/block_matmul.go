package cuda

import (
	"fmt"
	"strings"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/driver"
	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
	"github.com/lucid-go/lucid/internal/ggml"
)

func init() {
	register(map[string]kernel{"block_dequantize": blockDequantize, "block_matmul": blockMatmul,
		"gather_block_matmul": gatherBlock})
}

// streamedRows is up to how many rows of x a product reads every weight once.
const streamedRows = 8

// blockSource is the source for a format; rows is how many rows of x block_stream has.
func blockSource(t ggml.Type, rows int) string {
	s := kernels.Source("prelude")
	s += fmt.Sprintf("#define FORMAT_%v\n#define BLOCK %d\n#define BYTES %d\n", t, t.BlockSize(), t.BlockBytes())
	if rows > 0 {
		s += fmt.Sprintf("#define ROWS %d\n", rows)
	}
	if grid := ggml.PackedGrid(t); grid != nil {
		s += "#define GRID " + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(grid)), ", "), "[]") + "\n"
	}
	return s + kernels.Source("block_values", "block_matmul")
}

func (d *Device) blockKernel(name string, t ggml.Type, rows int) (*driver.Function, error) {
	return d.kernel(fmt.Sprint(name, " ", t, " ", rows), name, func() string { return blockSource(t, rows) })
}

func blockDequantize(d *call, a attr.Attr, out, in []backend.View) error {
	w, b, err := d.dense(in[0])
	if err != nil {
		return err
	}
	if b != nil {
		defer b.Free()
	}
	f, err := d.blockKernel("block_dequantize", ggml.Type(a.(attr.Block).Type), 0)
	if err != nil {
		return err
	}
	n, k := out[0].Shape.Dim(0), out[0].Shape.Dim(1)
	var g args
	g.int(0, n, k, in[0].Shape.Dim(1))
	g.ptr(0, address(w), address(out[0]))
	return d.launch(f, blocks(n*blocks(k, 8), threads), 1, threads, g)
}

// blockMatmul is x·wᵀ for float32 x and rows of blocks w. Sums are in float32, in an order that sizes alone decide.
func blockMatmul(d *call, a attr.Attr, out, in []backend.View) error {
	x, err := d.denseAll(in)
	if err != nil {
		return err
	}
	defer x.free()
	t := ggml.Type(a.(attr.Block).Type)
	m, n, k, bytes := out[0].Shape.Dim(0), out[0].Shape.Dim(1), in[0].Shape.Dim(1), in[1].Shape.Dim(1)
	at := address(x.views[0])
	if m <= streamedRows && (t.BlockSize() == 1 || at%16 == 0) {
		f, err := d.blockKernel("block_stream", t, m)
		if err != nil {
			return err
		}
		var g args
		g.int(m, n, k, bytes)
		g.ptr(at, address(x.views[1]), address(out[0]))
		return d.launch(f, blocks(n, 8), 1, threads, g)
	}
	f, err := d.blockKernel("block_tiles", t, 0)
	if err != nil {
		return err
	}
	const rows = 64 * maxGridY
	for from := 0; from < m; from += rows {
		part := min(rows, m-from)
		var g args
		g.int(part, n, k, bytes)
		g.ptr(at+uintptr(4*from*k), address(x.views[1]), address(out[0])+uintptr(4*from*n))
		if err := d.launch(f, blocks(n, 64), blocks(part, 64), threads, g); err != nil {
			return err
		}
	}
	return nil
}

// gatherBlock multiplies chosen rows of x with chosen matrices of a stack.
func gatherBlock(d *call, a attr.Attr, out, in []backend.View) error {
	x, err := d.denseAll(in)
	if err != nil {
		return err
	}
	defer x.free()
	b := a.(attr.GatherBlock)
	f, err := d.blockKernel("block_gather", ggml.Type(b.Type), 0)
	if err != nil {
		return err
	}
	count, n := out[0].Shape.Dim(0), out[0].Shape.Dim(1)
	return d.checked(d.ctx, "index", func(record uintptr) error {
		var g args
		g.int(count, n, in[0].Shape.Dim(1), in[1].Shape.Dim(1), in[0].Shape.Dim(0), b.Stack)
		for _, v := range x.views {
			g.ptr(address(v))
		}
		g.ptr(address(out[0]), record)
		return d.launch(f, blocks(n, 8), min(count, maxGridY), threads, g)
	})
}
