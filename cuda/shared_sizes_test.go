package cuda

import (
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/optim"
)

// TestAttentionSizes trains a layer of attention on sequences of several lengths. The first plan writes the gradients of queries, keys
// and values straight into that of their product; other lengths share one without that, and learn the same.
func TestAttentionSizes(t *testing.T) {
	dev := gpu(t)
	train := func(d lucid.Device, compiled bool) (losses []float64, plans int) {
		lucid.WithDevice(d, func() {
			lucid.Seed(1)
			m := nn.NewTransformerEncoderLayer(64, 4, nn.TransformerOptions{DimFeedforward: 64, BatchFirst: true, Dropout: new(0.0)})
			opt := optim.NewSGD(nn.Parameters(m), optim.SGDOptions{LR: 0.1})
			step := func(x *lucid.Tensor) *lucid.Tensor {
				opt.ZeroGrad()
				loss := F.MSELoss(m.Forward(x), x.Flip(1))
				loss.Backward()
				opt.Step()
				return loss
			}
			if compiled {
				step = lucid.Compile(step)
			}
			for i, n := range []int{32, 40, 56, 72, 33, 64, 32, 40} {
				lucid.Seed(uint64(i))
				losses = append(losses, step(lucid.Randn(4, n, 64)).Item())
			}
			if compiled {
				plans = lucid.Explain(step).Plans
			}
		})
		return losses, plans
	}
	want, _ := train(dev, false)
	got, plans := train(dev, true)
	for i := range want {
		if d := got[i] - want[i]; d > 1e-4 || d < -1e-4 {
			t.Errorf("step %d: loss %v compiled, %v eager", i, got[i], want[i])
		}
	}
	if plans > 3 {
		t.Errorf("%d plans for 6 lengths", plans)
	}
}
