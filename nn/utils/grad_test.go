package utils_test

import (
	"errors"
	"math"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	"github.com/lucid-go/lucid/nn/utils"
)

func params() []*lucid.Tensor {
	p := []*lucid.Tensor{lucid.Zeros(2).RequiresGrad_(true), lucid.Zeros(1, 2).RequiresGrad_(true), lucid.Zeros(3).RequiresGrad_(true)}
	p[0].SetGrad(lucid.New([]float32{3, 0}, 2))
	p[1].SetGrad(lucid.New([]float32{0, -4}, 1, 2))
	return p
}

func TestClip(t *testing.T) {
	p := params()
	if n := utils.ClipGradNorm(p, 1).Item(); n != 5 {
		t.Errorf("norm %v", n)
	}
	if g := p[1].Grad().Min().Item(); math.Abs(g+0.8) > 1e-5 || p[2].Grad() != nil {
		t.Errorf("clipped to %v", g)
	}
	p = params()
	if n := utils.ClipGradNorm(p, 100, utils.NormOptions{NormType: new(math.Inf(1))}).Item(); n != 4 || p[0].Grad().Max().Item() != 3 {
		t.Errorf("largest %v", n)
	}
	utils.ClipGradValue(p, 2)
	if p[1].Grad().Min().Item() != -2 {
		t.Error("value")
	}
	p[0].SetGrad(lucid.New([]float32{float32(math.NaN()), 0}, 2))
	if err := lucid.Try(func() { utils.ClipGradNorm(p, 1, utils.NormOptions{ErrorIfNonfinite: true}) }); !errors.Is(err, lucid.ErrValue) {
		t.Errorf("NaN: %v", err)
	}
	// Inside a compiled step too.
	w := lucid.Ones(4).RequiresGrad_(true)
	step := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor {
		w.ZeroGrad()
		w.Mul(x).Sum().Backward()
		return utils.ClipGradNorm([]*lucid.Tensor{w}, 1)
	})
	if n := step(lucid.Full([]int{4}, float32(2))).Item(); n != 4 || math.Abs(w.Grad().Sum().Item()-2) > 1e-5 {
		t.Errorf("compiled: %v, %v", n, w.Grad())
	}
}

func TestVectors(t *testing.T) {
	p := params()
	v := lucid.Arange(7).To(lucid.Float32)
	utils.VectorToParameters(v, p)
	if !lucid.Equal(utils.ParametersToVector(p).Detach(), v) || !p[2].RequiresGrad() {
		t.Error("round trip")
	}
	if lucid.Try(func() { utils.VectorToParameters(lucid.Zeros(3), p) }) == nil {
		t.Error("a vector too short was accepted")
	}
}

func TestFuse(t *testing.T) {
	lucid.Seed(1)
	l, bn := nn.NewLinear(3, 4), nn.NewBatchNorm1d(4)
	m := nn.NewSequential(l, bn)
	for range 5 {
		m.Forward(lucid.Randn(16, 3).Mul(2).Add(1))
	}
	nn.Eval(m)
	x := lucid.Randn(5, 3)
	if !lucid.AllClose(utils.FuseLinearBNEval(l, bn).Forward(x).Detach(), m.Forward(x).Detach(), lucid.CloseOptions{ATol: new(1e-5)}) {
		t.Error("linear")
	}
	c, b2 := nn.NewConv2d(2, 3, []int{3}, nn.ConvOptions{NoBias: true}), nn.NewBatchNorm2d(3)
	m = nn.NewSequential(c, b2)
	img := lucid.Randn(2, 2, 6, 6)
	m.Forward(img)
	nn.Eval(m)
	want := m.Forward(img).Detach()
	utils.FuseConvBNEval(c, b2)
	if !lucid.AllClose(c.Forward(img).Detach(), want, lucid.CloseOptions{ATol: new(1e-5)}) {
		t.Error("convolution")
	}
}
