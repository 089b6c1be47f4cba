package nn_test

import (
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
)

// TestEmptyBatch: a batch of no examples goes through, leaves gradients of zeros and moves no statistics.
func TestEmptyBatch(t *testing.T) {
	image := lucid.Zeros(0, 4, 8, 8)
	norm := nn.NewBatchNorm2d(4)
	for name, m := range map[string]nn.Layer{
		"conv":           nn.NewConv2d(4, 6, []int{3}, nn.ConvOptions{Groups: 2, Stride: []int{2}}),
		"conv_transpose": nn.NewConvTranspose2d(4, 6, []int{3}),
		"batch_norm":     norm, "group_norm": nn.NewGroupNorm(2, 4), "layer_norm": nn.NewLayerNorm([]int{8}), "linear": nn.NewLinear(8, 3),
		"max_pool": nn.NewMaxPool2d([]int{2}), "avg_pool": nn.NewAvgPool2d([]int{2}),
	} {
		for how, f := range map[string]func(*lucid.Tensor) *lucid.Tensor{"plain": m.Forward, "compiled": lucid.Compile(m.Forward)} {
			x := image.Clone().RequiresGrad_(true)
			y := f(x)
			y.Sum().Backward()
			if y.Shape()[0] != 0 || x.Grad() == nil {
				t.Errorf("%s, %s: result of shape %v, gradient %v", name, how, y.Shape(), x.Grad())
			}
			for i, p := range nn.Parameters(m) {
				if p.Grad() == nil || p.Grad().Abs().Sum().Item() != 0 {
					t.Errorf("%s, %s: the gradient of parameter %d is %v", name, how, i, p.Grad())
				}
				p.ZeroGrad()
			}
		}
	}
	if !lucid.Equal(norm.RunningMean, lucid.Zeros(4)) || !lucid.Equal(norm.RunningVar, lucid.Ones(4)) {
		t.Errorf("statistics moved: %v, %v", norm.RunningMean, norm.RunningVar)
	}
}
