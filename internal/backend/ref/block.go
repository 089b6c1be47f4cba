package ref

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/ggml"
)

func init() {
	register(backend.Table{"block_dequantize": blockDequantize, "block_matmul": blockMatmul, "gather_block_matmul": gatherBlock})
}

// dequantized returns rows of blocks as numbers.
func dequantized(a attr.Attr, w backend.View) []float32 {
	kind := 0
	switch a := a.(type) {
	case attr.Block:
		kind = a.Type
	case attr.GatherBlock:
		kind = a.Type
	}
	t := ggml.Type(kind)
	src := make([]byte, w.Numel())
	for i, v := range load(w) {
		src[i] = byte(v.I)
	}
	dst := make([]float32, len(src)/t.BlockBytes()*t.BlockSize())
	ggml.Dequantize(t, dst, src)
	return dst
}

func blockDequantize(_ *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	list := dequantized(a, in[0])
	res := make([]dtype.Scalar, len(list))
	for i, v := range list {
		res[i] = dtype.Scalar{Kind: dtype.KindFloat, F: float64(v)}
	}
	store(out[0], res)
	return nil
}

// blockMatmul sums in float64.
func blockMatmul(_ *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	x, w := load(in[0]), dequantized(a, in[1])
	m, k, n := in[0].Shape.Dim(0), in[0].Shape.Dim(1), in[1].Shape.Dim(0)
	res := make([]dtype.Scalar, m*n)
	for i := range m {
		for j := range n {
			sum := 0.0
			for p := range k {
				sum += x[i*k+p].F * float64(w[j*k+p])
			}
			res[i*n+j] = dtype.Scalar{Kind: dtype.KindFloat, F: sum}
		}
	}
	store(out[0], res)
	return nil
}

// gatherBlock sums in float64.
func gatherBlock(_ *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	x, w, l, r := load(in[0]), dequantized(a, in[1]), load(in[2]), load(in[3])
	stack := a.(attr.GatherBlock).Stack
	k, n := in[0].Shape.Dim(1), in[1].Shape.Dim(0)/stack
	res := make([]dtype.Scalar, len(l)*n)
	for t := range l {
		i, e := int(l[t].I), int(r[t].I)
		switch {
		case i < 0 || i >= in[0].Shape.Dim(0):
			return fault.IndexError("gather_block_matmul", int64(i), int64(in[0].Shape.Dim(0)))
		case e < 0 || e >= stack:
			return fault.IndexError("gather_block_matmul", int64(e), int64(stack))
		}
		for j := range n {
			sum := 0.0
			for p := range k {
				sum += x[i*k+p].F * float64(w[(e*n+j)*k+p])
			}
			res[t*n+j] = dtype.Scalar{Kind: dtype.KindFloat, F: sum}
		}
	}
	store(out[0], res)
	return nil
}
