package nn_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
)

// TestLoadStateDictHooks: a hook before loading may change what is loaded, one behind it sees the new values; removed ones are silent.
func TestLoadStateDictHooks(t *testing.T) {
	inner := nn.NewLinear(2, 1)
	m := nn.NewSequential(inner, nn.NewReLU())
	var calls []string
	before := nn.RegisterLoadStateDictPreHook(inner, func(m nn.Module, d *lucid.StateDict) {
		calls = append(calls, "before")
		if old := d.Get("shift"); old != nil { // a file with another name for the bias
			d.Delete("shift")
			d.Set("bias", old)
		}
	})
	behind := nn.RegisterLoadStateDictPostHook(inner, func(m nn.Module, d *lucid.StateDict) {
		calls = append(calls, "behind")
		if got := lucid.ToSlice[float32](inner.Weight); m != nn.Module(inner) || d.Len() != 2 || !slices.Equal(got, []float32{1, 2}) {
			t.Errorf("behind loading %v the weight is %v; the state is %v", m, got, d)
		}
	})
	d := lucid.NewStateDict()
	d.Set("0.weight", lucid.New([]float32{1, 2}, 1, 2))
	d.Set("0.shift", lucid.New([]float32{3}, 1))
	if err := nn.LoadStateDict(m, d); err != nil || !slices.Equal(calls, []string{"before", "behind"}) || inner.Bias.Item() != 3 {
		t.Fatalf("%v, %v, bias %v", err, calls, inner.Bias)
	}
	if !d.Has("0.shift") || d.Has("0.bias") {
		t.Errorf("the state that was given is changed: %v", d.Names())
	}
	behind.Remove()
	before.Remove()
	if err := nn.LoadStateDict(m, d); err == nil || len(calls) != 2 {
		t.Errorf("hooks that were removed: %v, %v", err, calls)
	}
}

// TestApply: inner modules come before those around them, as PyTorch has it.
func TestApply(t *testing.T) {
	a, b := nn.NewLinear(1, 1), nn.NewReLU()
	inside := nn.NewSequential(a)
	m := nn.NewSequential(inside, b)
	var seen []nn.Module
	nn.Apply(m, func(m nn.Module) { seen = append(seen, m) })
	if want := []nn.Module{a, inside, b, m}; !slices.Equal(seen, want) {
		t.Errorf("order %v; want %v", seen, want)
	}
}

// TestRequiresGrad switches all parameters of a model.
func TestRequiresGrad(t *testing.T) {
	m := nn.NewSequential(nn.NewLinear(2, 2), nn.NewBatchNorm1d(2))
	for _, on := range []bool{false, true} {
		nn.RequiresGrad(m, on)
		for name, p := range nn.NamedParameters(m) {
			if p.RequiresGrad() != on {
				t.Errorf("%s after RequiresGrad(%v)", name, on)
			}
		}
	}
}

// TestHalfTypes: floating tensors change, a counter does not, and the model goes on.
func TestHalfTypes(t *testing.T) {
	for want, to := range map[lucid.DType]func(nn.Module){lucid.Float16: nn.Half, lucid.BFloat16: nn.BFloat16, lucid.Float64: nn.Double,
		lucid.Float32: nn.Float} {
		m := nn.NewSequential(nn.NewLinear(2, 2), nn.NewBatchNorm1d(2))
		to(m)
		norm := m.Layers[1].(*nn.BatchNorm1d)
		if d := norm.RunningMean.DType(); d != want || norm.NumBatchesTracked.DType() != lucid.Int64 {
			t.Errorf("%v: the mean is %v, the counter %v", want, d, norm.NumBatchesTracked.DType())
		}
		if y := m.Forward(lucid.Ones(3, 2).To(want)); y.DType() != want {
			t.Errorf("%v: the result is %v", want, y.DType())
		}
	}
}

// TestEmbeddingFrom: the rows are those of the tensor; frozen ones have no gradient.
func TestEmbeddingFrom(t *testing.T) {
	w := lucid.New([]float32{1, 2, 3, 4, 5, 6}, 3, 2)
	x := lucid.New([]int64{2, 0}, 2)
	for _, freeze := range []bool{true, false} {
		e := nn.EmbeddingFrom(w, freeze)
		y := e.Forward(x)
		if got := lucid.ToSlice[float32](y); !slices.Equal(got, []float32{5, 6, 1, 2}) || y.RequiresGrad() == freeze {
			t.Errorf("freeze %v: %v, requires grad %v", freeze, got, y.RequiresGrad())
		}
	}
	e := nn.EmbeddingFrom(w, false, nn.EmbeddingOptions{PaddingIdx: new(-1)})
	e.Forward(lucid.New([]int64{2, 1}, 2)).Sum().Backward()
	if got := lucid.ToSlice[float32](e.Weight.Grad()); !slices.Equal(got, []float32{0, 0, 1, 1, 0, 0}) {
		t.Errorf("the row of padding gets a gradient: %v", got)
	}
	for want, f := range map[string]func(){
		"weight has shape [3]; want (rows, size)": func() { nn.EmbeddingFrom(lucid.Ones(3), false) },
		"padding index 3 of 3 rows":               func() { nn.EmbeddingFrom(w, false, nn.EmbeddingOptions{PaddingIdx: new(3)}) },
		"DType and Device are for NewEmbedding":   func() { nn.EmbeddingFrom(w, false, nn.EmbeddingOptions{DType: lucid.Float64}) },
	} {
		if err := lucid.Try(f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
}
