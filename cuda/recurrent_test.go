package cuda

import (
	"math"
	"testing"

	"github.com/lucid-go/lucid"
	F "github.com/lucid-go/lucid/nn/functional"
)

// TestCaptureRecurrent trains an LSTM on the CPU, launch by launch on the GPU, and captured there.
func TestCaptureRecurrent(t *testing.T) {
	dev := gpu(t)
	const steps, batch, in, hidden = 12, 8, 10, 16
	run := func(d lucid.Device, compiled bool) (losses []float64) {
		lucid.Seed(11)
		x := lucid.Randn(steps, batch, in).To(d)
		y := x.Sum(2).Cos().CumSum(0).Eval()
		var params []*lucid.Tensor
		for _, s := range [][]int{{4 * hidden, in}, {4 * hidden, hidden}, {4 * hidden}, {4 * hidden}, {hidden, 1}} {
			p := lucid.Randn(s...).Mul(0.3).To(d)
			lucid.Eval(p)
			params = append(params, p.Detach().RequiresGrad_(true))
		}
		step := func(x, y *lucid.Tensor) *lucid.Tensor {
			h, _, _ := F.LSTMForward(x, params[0], params[1], F.LSTMForwardOptions{BiasIH: params[2], BiasHH: params[3]})
			loss := h.MatMul(params[4]).Squeeze(2).Sub(y).Square().Mean()
			loss.Backward()
			lucid.NoGrad(func() {
				for _, p := range params {
					p.Sub_(p.Grad().Mul(0.05))
					p.ZeroGrad()
				}
			})
			return loss
		}
		if compiled {
			step = lucid.Compile(step)
		}
		for range 30 {
			losses = append(losses, step(x, y).Item())
		}
		if compiled {
			captured(t, step)
		}
		return losses
	}
	want := run(lucid.CPU, false)
	if !(want[29] < 0.9*want[0]) {
		t.Fatalf("it does not learn: %v", want)
	}
	for _, compiled := range []bool{false, true} {
		for i, got := range run(dev, compiled) {
			if !(math.Abs(got-want[i]) <= 2e-3*math.Abs(want[i])+1e-4) {
				t.Fatalf("compiled %v, step %d: loss %v, on the CPU %v", compiled, i, got, want[i])
			}
		}
	}
}
