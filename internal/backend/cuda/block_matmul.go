package cuda

import (
	"fmt"
	"strings"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/cublas"
	"github.com/lucid-go/lucid/internal/backend/cuda/driver"
	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/ggml"
	"github.com/lucid-go/lucid/internal/shape"
)

func init() {
	register(map[string]kernel{"block_dequantize": blockDequantize, "block_matmul": blockMatmul,
		"gather_block_matmul": gatherBlock})
}

// streamedRows is up to how many rows of x a launch reads every weight once.
const streamedRows = 8

// fastRows is up to how many rows of x weights are read once for every streamedRows of them; more are worth dequantising to bfloat16,
// for tensor cores.
const fastRows = 32

// dequantizedBytes is how much memory dequantised weights may take at once.
const dequantizedBytes = 256 << 20

// alignments are how blocks of the formats of block_fast.cu begin, in bytes.
var alignments = map[ggml.Type]int{ggml.Q4_0: 2, ggml.Q4_1: 2, ggml.Q5_0: 2, ggml.Q5_1: 2, ggml.Q8_0: 2, ggml.Q4_K: 16, ggml.Q5_K: 16,
	ggml.Q6_K: 2}

// formatDefines are the definitions of a format.
func formatDefines(t ggml.Type) string {
	return fmt.Sprintf("#define FORMAT_%v\n#define BLOCK %d\n#define BYTES %d\n", t, t.BlockSize(), t.BlockBytes())
}

// blockSource is the source for a format; more are its other definitions.
func blockSource(t ggml.Type, more string) string {
	s := kernels.Source("prelude") + formatDefines(t) + more
	if grid := ggml.PackedGrid(t); grid != nil {
		s += "#define GRID " + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(grid)), ", "), "[]") + "\n"
	}
	return s + kernels.Source("block_values", "block_matmul")
}

func (d *Device) blockKernel(name string, t ggml.Type, more string) (*driver.Function, error) {
	return d.kernel(fmt.Sprint(name, " ", t, " ", strings.Fields(more)), name, func() string { return blockSource(t, more) })
}

func rowsOfX(n int) string { return fmt.Sprintf("#define ROWS %d\n", n) }

// dequantizeTo says the type of dequantised elements.
func dequantizeTo(t dtype.DType) string { return "#define OUT " + ctype[t] + "\n" }

func blockDequantize(d *call, a attr.Attr, out, in []backend.View) error {
	w, b, err := d.dense(in[0])
	if err != nil {
		return err
	}
	if b != nil {
		defer b.Free()
	}
	return d.dequantizeBlocks(ggml.Type(a.(attr.Block).Type), out[0], w, 0)
}

// dequantizeBlocks writes rows of blocks from one on as a contiguous matrix.
func (d *call) dequantizeBlocks(t ggml.Type, out, w backend.View, from int) error {
	f, err := d.blockKernel("block_dequantize", t, dequantizeTo(out.DType))
	if err != nil {
		return err
	}
	n, k := out.Shape.Dim(0), out.Shape.Dim(1)
	var g args
	bytes := w.Shape.Dim(1)
	g.int(0, n, k, bytes)
	g.ptr(0, address(w)+uintptr(from*bytes), address(out))
	return d.launch(f, blocks(n*blocks(k, 8), threads), 1, threads, g)
}

// blockMatmul is x·wᵀ for float32 x and rows of blocks w. Sums are in float32, in an order that sizes alone decide.
func blockMatmul(d *call, a attr.Attr, out, in []backend.View) error {
	x, err := d.denseAll(in)
	if err != nil {
		return err
	}
	defer x.free()
	p := a.(attr.Block)
	t, m := ggml.Type(p.Type), out[0].Shape.Dim(0)
	align := alignments[t]
	fast := p.Fast && align > 0 && address(x.views[1])%uintptr(align) == 0 && address(x.views[0])%16 == 0
	dequantize := func(to backend.View, from int) error { return d.dequantizeBlocks(t, to, x.views[1], from) }
	switch {
	case fast && m <= fastRows:
		return d.multiplyBlocks(blockProducts{format: t, m: m, k: in[0].Shape.Dim(1), x: address(x.views[0]), w: x.views[1:2],
			z: []uintptr{address(out[0])}})
	case m <= streamedRows && (t.BlockSize() == 1 || address(x.views[0])%16 == 0):
		return d.streamBlocks(t, out[0], x.views)
	case p.Fast && m > fastRows:
		return d.dequantizedProduct(dtype.BFloat16, out[0], x.views[0], dequantize)
	}
	return d.dequantizedProduct(dtype.Float32, out[0], x.views[0], dequantize)
}

// streamBlocks reads weights once for every streamedRows rows of x.
func (d *call) streamBlocks(t ggml.Type, out backend.View, in []backend.View) error {
	m, n, k := out.Shape.Dim(0), out.Shape.Dim(1), in[0].Shape.Dim(1)
	for from := 0; from < m; from += streamedRows {
		rows := min(streamedRows, m-from)
		f, err := d.blockKernel("block_stream", t, rowsOfX(rows))
		if err != nil {
			return err
		}
		var g args
		g.int(rows, n, k, in[1].Shape.Dim(1))
		g.ptr(address(in[0])+uintptr(4*from*k), address(in[1]), address(out)+uintptr(4*from*n))
		if err := d.launch(f, blocks(n, 8), 1, threads, g); err != nil {
			return err
		}
	}
	return nil
}

// dequantizedProduct is x·wᵀ by the library for weights that dequantize writes in a dtype, some rows of them at a time. x is rounded to
// that dtype too: bfloat16 keeps more of it than int8 would.
func (d *call) dequantizedProduct(as dtype.DType, out, x backend.View, dequantize func(to backend.View, from int) error) error {
	const op = "dequantized_product"
	m, n, k := out.Shape.Dim(0), out.Shape.Dim(1), x.Shape.Dim(1)
	if as != x.DType {
		b, err := d.pool.Get(op, max(1, m*k)*as.Size())
		if err != nil {
			return err
		}
		defer b.Free()
		to := backend.View{Buf: b, DType: as, Shape: x.Shape}
		if err := d.cast(to, x); err != nil {
			return err
		}
		x = to
	}
	rows := min(n, max(64, dequantizedBytes/(max(1, k)*as.Size())/64*64))
	b, err := d.pool.Get(op, max(1, rows*k)*as.Size())
	if err != nil {
		return err
	}
	defer b.Free()
	for from := 0; from < n; from += rows {
		part := min(rows, n-from)
		w := backend.View{Buf: b, DType: as, Shape: shape.Of(op, part, k)}
		if k > 0 {
			if err := dequantize(w, from); err != nil {
				return err
			}
		}
		w.Shape, w.Lay = shape.Of(op, k, part), &shape.Layout{Strides: []int{1, k}}
		z := out
		z.Shape, z.Lay = shape.Of(op, m, part), &shape.Layout{Strides: []int{n, 1}, Offset: offsetOf(out) + from}
		if err := d.matmulEpilogue(z, []backend.View{x, w}, cublas.Epilogue{}, cublas.Operands{Z: address(z)}); err != nil {
			return err
		}
	}
	return nil
}

// offsetOf is where a view begins in its buffer, in elements.
func offsetOf(v backend.View) int {
	if v.Lay == nil {
		return 0
	}
	return v.Lay.Offset
}

// gatherBlock multiplies chosen rows of x with chosen matrices of a stack.
func gatherBlock(d *call, a attr.Attr, out, in []backend.View) error {
	x, err := d.denseAll(in)
	if err != nil {
		return err
	}
	defer x.free()
	b := a.(attr.GatherBlock)
	f, err := d.blockKernel("block_gather", ggml.Type(b.Type), "")
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
