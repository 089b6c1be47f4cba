package optim_test

import (
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/optim"
)

// BenchmarkAdamWStep is a whole training step of a net of 2.4 million parameters.
func BenchmarkAdamWStep(b *testing.B) {
	for _, compiled := range []bool{false, true} {
		name := "eager"
		if compiled {
			name = "compiled"
		}
		b.Run(name, func(b *testing.B) {
			lucid.Seed(1)
			m := nn.NewSequential(nn.NewLinear(256, 1024), nn.NewReLU(), nn.NewLinear(1024, 1024), nn.NewReLU(), nn.NewLinear(1024, 1024),
				nn.NewReLU(), nn.NewLinear(1024, 10))
			opt := optim.NewAdamW(nn.Parameters(m), optim.AdamWOptions{LR: 1e-3})
			step := func(x, y *lucid.Tensor) *lucid.Tensor {
				opt.ZeroGrad()
				loss := F.CrossEntropy(m.Forward(x), y)
				loss.Backward()
				opt.Step()
				return loss
			}
			if compiled {
				step = lucid.Compile(step)
			}
			x, y := lucid.Randn(64, 256), lucid.RandInt(0, 10, 64)
			step(x, y).Item()
			before := lucid.MemoryStats(lucid.CPU)
			for b.Loop() {
				step(x, y).Item()
			}
			after := lucid.MemoryStats(lucid.CPU)
			b.ReportMetric(float64(after.Donated-before.Donated)/float64(b.N), "donated/op")
			b.ReportMetric(float64(after.Peak)/(1<<20), "peak-MiB")
		})
	}
}
