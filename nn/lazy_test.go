package nn_test

import (
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
)

// TestLazyLayers compares every lazy layer with the one whose sizes are given, made from the same seed.
func TestLazyLayers(t *testing.T) {
	k := []int{2}
	for name, c := range map[string]struct {
		shape       []int
		lazy, eager func() nn.Layer
	}{
		"Conv1d": {[]int{2, 3, 5}, func() nn.Layer { return nn.NewLazyConv1d(4, k) }, func() nn.Layer { return nn.NewConv1d(3, 4, k) }},
		"Conv3d": {[]int{1, 2, 4, 4, 4}, func() nn.Layer { return nn.NewLazyConv3d(3, k) },
			func() nn.Layer { return nn.NewConv3d(2, 3, k) }},
		"ConvTranspose1d": {[]int{2, 3, 5}, func() nn.Layer { return nn.NewLazyConvTranspose1d(4, k) },
			func() nn.Layer { return nn.NewConvTranspose1d(3, 4, k) }},
		"ConvTranspose3d": {[]int{1, 2, 3, 3, 3}, func() nn.Layer { return nn.NewLazyConvTranspose3d(3, k) },
			func() nn.Layer { return nn.NewConvTranspose3d(2, 3, k) }},
		"BatchNorm1d": {[]int{4, 3, 5}, func() nn.Layer { return nn.NewLazyBatchNorm1d() },
			func() nn.Layer { return nn.NewBatchNorm1d(3) }},
		"BatchNorm3d": {[]int{2, 3, 2, 2, 2}, func() nn.Layer { return nn.NewLazyBatchNorm3d() },
			func() nn.Layer { return nn.NewBatchNorm3d(3) }},
		"InstanceNorm1d": {[]int{2, 3, 5}, func() nn.Layer { return nn.NewLazyInstanceNorm1d() },
			func() nn.Layer { return nn.NewInstanceNorm1d(3) }},
		"InstanceNorm3d": {[]int{2, 3, 2, 2, 2}, func() nn.Layer { return nn.NewLazyInstanceNorm3d() },
			func() nn.Layer { return nn.NewInstanceNorm3d(3) }},
		"any": {[]int{2, 6}, func() nn.Layer {
			return nn.NewLazy(func(x *lucid.Tensor) *nn.Linear { return nn.NewLinear(x.Size(-1), 3) })
		}, func() nn.Layer { return nn.NewLinear(6, 3) }},
	} {
		lucid.Seed(7)
		x := lucid.Randn(c.shape...)
		run := func(make func() nn.Layer) []float64 {
			lucid.Seed(11)
			return lucid.ToSlice[float64](make().Forward(x).To(lucid.Float64))
		}
		if got, want := run(c.lazy), run(c.eager); !slices.Equal(got, want) || len(want) == 0 {
			t.Errorf("%s: the lazy layer gives %v, want %v", name, got, want)
		}
	}
}

// TestFusedLinear compares with a Linear and the activation behind it.
func TestFusedLinear(t *testing.T) {
	lucid.Seed(3)
	x := lucid.Randn(4, 5)
	for name, f := range map[string]func(*lucid.Tensor) *lucid.Tensor{
		"relu": func(y *lucid.Tensor) *lucid.Tensor { return y.ReLU() },
		"gelu": func(y *lucid.Tensor) *lucid.Tensor { return F.GELU(y, F.GELUOptions{Approximate: "tanh"}) },
	} {
		m := nn.NewFusedLinear(5, 3, name)
		want := nn.NewSequential(m.Linear, nn.NewFunc(f)).Forward(x)
		if !lucid.Equal(m.Forward(x), want) {
			t.Errorf("%s: %v, want %v", name, m.Forward(x), want)
		}
	}
	if err := lucid.Try(func() { nn.NewFusedLinear(5, 3, "sine") }); err == nil {
		t.Error("an unknown activation was taken")
	}
}

// TestMultiQueryAttention is grouped attention with one head of keys and values.
func TestMultiQueryAttention(t *testing.T) {
	lucid.Seed(5)
	x := lucid.Randn(3, 2, 8)
	lucid.Seed(6)
	a, _ := nn.NewMultiQueryAttention(8, 4).Forward(x, x, x)
	lucid.Seed(6)
	b, _ := nn.NewGroupedQueryAttention(8, 4, 1).Forward(x, x, x)
	if !lucid.Equal(a, b) || !slices.Equal(a.Shape(), []int{3, 2, 8}) {
		t.Errorf("%v, want %v", a, b)
	}
}
