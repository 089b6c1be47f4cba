package optim_test

import (
	"runtime"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/optim"
	"github.com/lucid-go/lucid/optim/sched"
)

// A long run takes no more memory than a short one: nothing is left pending, the running statistics of norms included.
func TestLongRunKeepsMemory(t *testing.T) {
	lucid.Seed(1)
	m := nn.NewSequential(nn.NewLinear(32, 64), nn.NewBatchNorm1d(64), nn.NewReLU(), nn.NewDropout(0.1), nn.NewLinear(64, 10))
	opt := optim.NewNAdam(nn.Parameters(m), optim.NAdamOptions{LR: 1e-3})
	lr := sched.NewExponentialLR(opt, 0.999)
	run := func(n int) int64 {
		for range n {
			x, y := lucid.Randn(64, 32), lucid.RandInt(0, 10, 64)
			opt.ZeroGrad()
			loss := F.CrossEntropy(m.Forward(x), y)
			loss.Backward()
			if err := opt.Step(); err != nil {
				t.Fatal(err)
			}
			lr.Step()
		}
		for _, b := range nn.Buffers(m) {
			b.Eval()
		}
		for range 3 {
			runtime.GC()
		}
		return lucid.MemoryStats(lucid.CPU).Allocated
	}
	short := run(50)
	if long := run(500); long > short+1<<20 {
		t.Errorf("%d bytes after 50 steps, %d after 550", short, long)
	}
}
