package cuda

import (
	"math"
	"testing"

	"github.com/lucid-go/lucid"
	F "github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/optim"
)

// residual trains a small residual network, NHWC, and returns its losses and running variances.
func residual(d lucid.Device, half, compiled bool, steps int) (losses []float64, running []float64) {
	lucid.Seed(9)
	var params, stats []*lucid.Tensor
	add := func(scale float64, sizes ...int) *lucid.Tensor {
		p := lucid.Randn(sizes...).Mul(scale).To(d).Eval().Detach().RequiresGrad_(true)
		params = append(params, p)
		return p
	}
	use := func(x *lucid.Tensor) *lucid.Tensor {
		if half {
			return x.To(lucid.BFloat16)
		}
		return x
	}
	unit := func(in, out, kernel, stride int) func(x *lucid.Tensor) *lucid.Tensor {
		w := add(math.Sqrt(2/float64(in*kernel*kernel)), out, kernel, kernel, in)
		scale, shift := add(1, out), add(0.1, out)
		mean, variance := lucid.Zeros(out).To(d).Eval(), lucid.Ones(out).To(d).Eval()
		stats = append(stats, variance)
		return func(x *lucid.Tensor) *lucid.Tensor {
			y := F.Conv2d(x, use(w).Permute(0, 3, 1, 2), F.ConvOptions{Stride: []int{stride}, Padding: kernel / 2, ChannelsLast: true})
			return F.BatchNorm(y, F.BatchNormOptions{RunningMean: mean, RunningVar: variance, Weight: scale, Bias: shift, Training: true,
				ChannelsLast: true})
		}
	}
	stem, a, b, short := unit(3, 32, 5, 1), unit(32, 64, 3, 2), unit(64, 64, 3, 1), unit(32, 64, 1, 2)
	last := add(0.1, 7, 64)
	opt := optim.NewSGD(params, optim.SGDOptions{LR: 0.02, Momentum: 0.9})
	x, y := lucid.Randn(16, 32, 32, 3).To(d).Eval(), lucid.RandInt(0, 7, 16).To(d).Eval()
	step := func(x, y *lucid.Tensor) *lucid.Tensor {
		h := stem(use(x)).ReLU()
		h = F.MaxPool2d(h.Permute(0, 3, 1, 2), []int{3}, F.MaxPoolOptions{Stride: []int{2}, Padding: []int{1}})
		h = h.Permute(0, 2, 3, 1).Contiguous()
		h = b(a(h).ReLU()).Add(short(h)).ReLU()
		loss := F.CrossEntropy(F.Linear(h.Mean(1, 2), use(last)).To(lucid.Float32), y)
		loss.Backward()
		opt.Step()
		opt.ZeroGrad()
		return loss
	}
	if compiled {
		step = lucid.Compile(step)
	}
	for range steps {
		losses = append(losses, step(x, y).Item())
	}
	for _, s := range stats {
		running = append(running, lucid.ToSlice[float64](s.To(lucid.CPU).To(lucid.Float64))...)
	}
	return losses, running
}

// TestResidual trains a residual network on both devices: convolutions, batch normalisation, pooling and their gradients.
func TestResidual(t *testing.T) {
	dev := gpu(t)
	want, stats := residual(lucid.CPU, false, false, 8)
	for _, c := range []struct {
		half, compiled bool
		tol            float64
	}{{false, false, 2e-3}, {false, true, 2e-3}, {true, true, 2e-2}} {
		got, running := residual(dev, c.half, c.compiled, 8)
		for i := range want {
			if !(math.Abs(got[i]-want[i]) <= c.tol*(1+math.Abs(want[i]))) {
				t.Errorf("half %v, compiled %v: loss %d is %v, on the CPU %v", c.half, c.compiled, i, got[i], want[i])
			}
		}
		if e := distance(running, stats); !(e <= c.tol) {
			t.Errorf("half %v, compiled %v: the running variances are off by %.2g", c.half, c.compiled, e)
		}
		t.Logf("half %v, compiled %v: %.4f to %.4f, on the CPU %.4f to %.4f", c.half, c.compiled, got[0], got[7], want[0], want[7])
	}
	if want[7] >= want[0] {
		t.Errorf("the loss goes from %v to %v", want[0], want[7])
	}
}
