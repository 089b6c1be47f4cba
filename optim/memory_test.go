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
			if err := opt.TryStep(); err != nil {
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

// A compiled step takes, in addition to the parameters and the optimizer's state, what is alive at once: a gradient is used up by
// its update before the next ones are made. The first step takes no more than later ones.
func TestCompiledStepMemory(t *testing.T) {
	const layers, width, batch = 12, 256, 8
	lucid.Seed(1)
	m := nn.NewSequential()
	for range layers {
		m.Append(nn.NewLinear(width, width, nn.LinearOptions{NoBias: true}), nn.NewTanh())
	}
	opt := optim.NewAdam(nn.Parameters(m), optim.AdamOptions{LR: 1e-3})
	step := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor {
		loss := m.Forward(x).Square().Mean()
		loss.Backward()
		err := opt.TryStep()
		if err != nil {
			panic(err)
		}
		opt.ZeroGrad()
		return loss
	})
	x := lucid.Randn(batch, width).Eval()
	for _, p := range nn.Parameters(m) {
		p.Eval()
	}
	for range 3 {
		runtime.GC()
	}
	lucid.ClearCache(lucid.CPU)
	before := lucid.MemoryStats(lucid.CPU).Allocated
	lucid.ResetPeakMemory(lucid.CPU)
	const matrix, rows = 4 * width * width, 4 * width * batch
	for i := range 3 {
		step(x).Item()
		// Two moments for each parameter; a gradient or two; the results of the layers, and as much on the way back.
		most := int64(2*layers*matrix + 3*matrix + 4*layers*rows + 1<<16)
		if got := lucid.MemoryStats(lucid.CPU).Peak - before; got > most {
			t.Errorf("step %d: %d KiB, want at most %d", i, got>>10, most>>10)
		}
	}
}
