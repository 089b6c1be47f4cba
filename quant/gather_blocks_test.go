package quant

import (
	"errors"
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
)

// TestGatherBlocks compares products with chosen matrices, their derivatives and their batches, with those of the matrices' values.
func TestGatherBlocks(t *testing.T) {
	const experts, out, in = 5, 40, 64
	x := lucid.Rand(6, in)
	blocks := QuantizeBlocks(lucid.Rand(experts*out, in).Sub(0.5), "q8_0")
	values := DequantizeBlocks(blocks, "q8_0").Reshape(experts, out, in).Transpose(1, 2)
	w := blocks.Reshape(experts, out, -1)
	rows, which := lucid.Arange(6).To(lucid.Int64).Reshape(6, 1), lucid.New([]int64{4, 0, 1, 4, 4, 4, 0, 2, 1, 0, 2, 2}, 6, 2)
	product := func(x *lucid.Tensor) *lucid.Tensor { return GatherMatMulBlocks(x, w, rows, which, "q8_0") }
	plain := func(x *lucid.Tensor) *lucid.Tensor {
		o := lucid.GatherMmOptions{LHSIndices: rows, RHSIndices: which}
		return lucid.GatherMm(x.Reshape(-1, 1, in), values, o).Squeeze(2)
	}
	same := func(name string, got, want *lucid.Tensor) {
		t.Helper()
		if !slices.Equal(got.Shape(), want.Shape()) {
			t.Fatalf("%s: shape %v, want %v", name, got.Shape(), want.Shape())
		}
		if d := got.Sub(want).Abs().Max().Item(); d > 2e-5 {
			t.Errorf("%s is off by %g", name, d)
		}
	}
	same("the product", product(x), plain(x))
	same("compiled", lucid.Compile(product)(x), plain(x))
	sum := func(f func(*lucid.Tensor) *lucid.Tensor) func(*lucid.Tensor) *lucid.Tensor {
		return func(x *lucid.Tensor) *lucid.Tensor { return f(x).Square().Sum() }
	}
	same("the gradient", lucid.Grad(sum(product))(x), lucid.Grad(sum(plain))(x))
	tangent := lucid.Rand(6, in)
	_, got := lucid.JVP(product, x, tangent)
	same("the tangent", got, plain(tangent))
	batch := lucid.Rand(3, 6, in)
	same("VMap", lucid.VMap(product)(batch), lucid.Stack([]*lucid.Tensor{plain(batch.Select(0, 0)), plain(batch.Select(0, 1)),
		plain(batch.Select(0, 2))}, 0))
	over := lucid.VMap(func(w, which *lucid.Tensor) *lucid.Tensor { return GatherMatMulBlocks(x, w, rows, which, "q8_0") })
	flipped := which.Flip(0)
	matrices, choices := lucid.Stack([]*lucid.Tensor{w, w.Flip(0)}, 0), lucid.Stack([]*lucid.Tensor{which, flipped}, 0)
	same("VMap over matrices and choices", over(matrices, choices),
		lucid.Stack([]*lucid.Tensor{product(x), GatherMatMulBlocks(x, w.Flip(0), rows, flipped, "q8_0")}, 0))

	// The fast way gives a row the same bits alone and with others.
	all := GatherMatMulBlocks(x, w, rows, which, "q8_0", BlockOptions{Fast: true})
	one := GatherMatMulBlocks(x, w, rows.Narrow(0, 3, 1), which.Narrow(0, 3, 1), "q8_0", BlockOptions{Fast: true})
	if a, b := lucid.ToSlice[float32](all.Select(0, 3)), lucid.ToSlice[float32](one); !slices.Equal(a, b) {
		t.Error("a row has other bits alone")
	}

	index := func(v int64) *lucid.Tensor { return lucid.New([]int64{v}, 1) }
	for name, c := range map[string]struct {
		kind error
		f    func()
	}{
		"a row outside":    {lucid.ErrIndex, func() { GatherMatMulBlocks(x, w, index(6), index(0), "q8_0").Eval() }},
		"a matrix outside": {lucid.ErrIndex, func() { GatherMatMulBlocks(x, w, index(0), index(5), "q8_0").Eval() }},
		"a matrix":         {lucid.ErrShapeMismatch, func() { GatherMatMulBlocks(x, blocks, index(0), index(0), "q8_0") }},
		"the width":        {lucid.ErrShapeMismatch, func() { GatherMatMulBlocks(lucid.Rand(2, 32), w, index(0), index(0), "q8_0") }},
		"bytes":            {lucid.ErrShapeMismatch, func() { GatherMatMulBlocks(x, w, index(0), index(0), "q5_0") }},
	} {
		if err := lucid.Try(c.f); !errors.Is(err, c.kind) {
			t.Errorf("%s: %v; want %v", name, err, c.kind)
		}
	}
}
