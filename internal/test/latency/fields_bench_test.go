package latency

import (
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/tree"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/optim"
)

// BenchmarkModuleFields is a compiled call of a small model and a training step of it, whose modules' fields are compared each time, and
// that comparison alone, also of a large model.
func BenchmarkModuleFields(b *testing.B) {
	lucid.Seed(1)
	m := nn.NewSequential(nn.NewLinear(16, 32), nn.NewReLU(), nn.NewDropout(0), nn.NewLinear(32, 8))
	x, y := lucid.Randn(8, 16).Eval(), lucid.Randn(8, 8).Eval()
	b.Run("forward", func(b *testing.B) {
		nn.Eval(m)
		f := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return m.Forward(x) })
		lucid.NoGrad(func() {
			f(x)
			for b.Loop() {
				f(x).Free()
			}
		})
	})
	b.Run("train", func(b *testing.B) {
		nn.Train(m)
		opt := optim.NewSGD(nn.Parameters(m), optim.SGDOptions{LR: 1e-3})
		step := lucid.Compile(func(x, y *lucid.Tensor) *lucid.Tensor {
			opt.ZeroGrad()
			l := F.MSELoss(m.Forward(x), y)
			l.Backward()
			opt.Step()
			return l.Detach()
		})
		step(x, y)
		for b.Loop() {
			step(x, y).Free()
		}
	})
	compare := func(m nn.Module) func(b *testing.B) {
		return func(b *testing.B) {
			nn.NumParameters(m)
			f := tree.FieldsOf(m, nil)
			for b.Loop() {
				if !f.Same() {
					b.Fatal("they changed")
				}
			}
		}
	}
	b.Run("compare-4-modules", compare(m))
	layers := nn.NewModuleList()
	for range 24 {
		layers.Append(nn.NewTransformerEncoderLayer(8, 2))
	}
	b.Run("compare-24-layers", compare(layers))
}
