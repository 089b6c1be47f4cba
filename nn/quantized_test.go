package nn_test

import (
	"errors"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	"github.com/lucid-go/lucid/quant"
)

// block is a module with layers in all ways in which a module can hold them.
type quantizeBlock struct {
	nn.Base
	In    nn.Layer
	Inner *nn.Sequential
	Heads map[string]nn.Layer
	Dict  *nn.ModuleDict
	Table nn.Module
}

func newQuantizeBlock() *quantizeBlock {
	return &quantizeBlock{In: nn.NewLinear(64, 32), Inner: nn.NewSequential(nn.NewLinear(64, 64), nn.NewReLU(), nn.NewLinear(64, 3)),
		Heads: map[string]nn.Layer{"a": nn.NewLinear(64, 5)}, Dict: nn.NewModuleDict().Set("b", nn.NewLinear(128, 4)),
		Table: nn.NewEmbedding(10, 64)}
}

// TestQuantize asserts that layers are replaced where the predicate says so, and that quantized ones are near the others.
func TestQuantize(t *testing.T) {
	m := newQuantizeBlock()
	x := lucid.Rand(2, 64)
	want := m.Inner.Forward(x)
	var names []string
	n := nn.Quantize(m, quant.Options{Bits: 8}, func(name string, _ nn.Module) bool {
		names = append(names, name)
		return name != "in"
	})
	if n != 5 || len(names) != 6 {
		t.Errorf("%d of %v replaced; want 5 of 6", n, names)
	}
	if _, ok := m.In.(*nn.Linear); !ok {
		t.Errorf("in is %T", m.In)
	}
	for name, l := range map[string]any{"inner.0": m.Inner.Layers[0], "heads.a": m.Heads["a"], "dict.b": m.Dict.Get("b")} {
		if _, ok := l.(*nn.QuantizedLinear); !ok {
			t.Errorf("%s is %T", name, l)
		}
	}
	if d := m.Inner.Forward(x).Sub(want).Abs().Max().Item(); d == 0 || d > 0.05 {
		t.Errorf("results are off by %v", d)
	}
	table, ok := m.Table.(*nn.QuantizedEmbedding)
	if !ok {
		t.Fatalf("table is %T", m.Table)
	}
	ids := lucid.New([]int64{3, 1, 3, 9}, 2, 2)
	all := quant.DequantizeGroups(table.Weight, table.Scales, table.Biases, quant.DequantizeOptions{Options: quant.Options{Bits: 8}})
	if y := table.Forward(ids); !lucid.Equal(y.Reshape(4, 64), all.IndexSelect(0, ids.Reshape(-1))) {
		t.Error("the embedding's rows are others")
	}
	if y, want := table.AsLinear(x), x.MatMul(all.Transpose(0, 1)); y.Sub(want).Abs().Max().Item() > 1e-4 {
		t.Error("the embedding as a head is another product")
	}
	if n := len(nn.Parameters(m.Inner)); n != 2 { // the biases of layers
		t.Errorf("%d parameters; want 2", n)
	}
}

// TestQuantizeRefused asserts that a field that cannot hold a quantized layer is named.
func TestQuantizeRefused(t *testing.T) {
	type fixed struct {
		nn.Base
		Out *nn.Linear
	}
	m := &fixed{Out: nn.NewLinear(64, 2)}
	if err := lucid.Try(func() { nn.Quantize(m, quant.Options{}, nil) }); !errors.Is(err, lucid.ErrNotImplemented) {
		t.Errorf("a field of type *nn.Linear: %v", err)
	}
	if n := nn.Quantize(m, quant.Options{}, func(string, nn.Module) bool { return false }); n != 0 {
		t.Errorf("%d replaced", n)
	}
	odd := nn.NewSequential(nn.NewLinear(40, 2))
	if err := lucid.Try(func() { nn.Quantize(odd, quant.Options{}, nil) }); !errors.Is(err, lucid.ErrShapeMismatch) {
		t.Errorf("rows of 40: %v", err)
	}
}

// TestQuantizedLinearTrains asserts that gradients pass through a quantized layer to its input and its bias.
func TestQuantizedLinearTrains(t *testing.T) {
	l := nn.NewQuantizedLinear(nn.NewLinear(64, 3))
	x := lucid.Rand(2, 64).RequiresGrad_(true)
	l.Forward(x).Sum().Backward()
	w := quant.DequantizeGroups(l.Weight, l.Scales, l.Biases)
	if d := x.Grad().Sub(w.Sum(0)).Abs().Max().Item(); d > 1e-5 {
		t.Errorf("the gradient of x is off by %v", d)
	}
	if l.Bias.Grad() == nil {
		t.Error("the bias has no gradient")
	}
	e := nn.NewQuantizedEmbedding(nn.NewEmbedding(4, 32), quant.Options{Mode: "mxfp8"})
	if e.Biases != nil || e.Forward(lucid.New([]int64{1}, 1)).DType() != lucid.Float32 {
		t.Error("an embedding of mxfp8 has biases, or another dtype")
	}
}
