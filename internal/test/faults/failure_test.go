package faults

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu"
	"github.com/lucid-go/lucid/internal/backend/fake"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
	F "github.com/lucid-go/lucid/nn/functional"
)

// everywhere runs a test on the CPU and on a device that computes late.
func everywhere(t *testing.T, f func(t *testing.T, w *tensortest.Target, faults *fake.Faults)) {
	late, faults := fake.New(cpu.Device)
	for name, dev := range map[string]*backend.Device{"cpu": cpu.Device, "late": late} {
		t.Run(name, func(t *testing.T) { f(t, &tensortest.Target{Dev: dev}, faults) })
	}
}

// TestFailureIsReadWhileItRuns: who waits for a value that fails in the meantime is told so.
func TestFailureIsReadWhileItRuns(t *testing.T) {
	everywhere(t, func(t *testing.T, w *tensortest.Target, faults *fake.Faults) {
		faults.SetDelay(5 * time.Millisecond)
		defer faults.SetDelay(0)
		x := w.Put(lucid.Ones(1 << 16)).Eval()
		for range 5 {
			good := x.Sin().CumSum(0)
			bad := x.CumSum(0).At(w.Put(lucid.New([]int64{0, 1 << 20}, 2)))
			if err := lucid.EvalAsync(bad, good); err != nil {
				t.Fatal(err)
			}
			double := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return x.Mul(2).Sum() })
			for _, read := range []func(){func() { lucid.ToSlice[float32](bad) }, func() { double(bad).Item() },
				func() { bad.Add(1).Sum().Item() }} {
				if err := lucid.Try(read); !errors.Is(err, lucid.ErrIndex) {
					t.Fatalf("a reader of what fails: %v", err)
				}
			}
			if err := lucid.Eval(bad.Add(1), good.Add(1)); !errors.Is(err, lucid.ErrIndex) {
				t.Errorf("with what failed before: %v", err)
			}
			if got, want := good.At(0).Item(), x.Sin().At(0).Item(); got != want {
				t.Errorf("next to what fails: %v, want %v", got, want)
			}
		}
	})
}

// TestFailureSparesWhatItWouldHaveOverwritten: an input that a launch was to write over is as it was if the launch never ran,
// and what shared the launch can be asked for again.
func TestFailureSparesWhatItWouldHaveOverwritten(t *testing.T) {
	everywhere(t, func(t *testing.T, w *tensortest.Target, _ *fake.Faults) {
		for _, n := range []int{1536, 1 << 17} {
			for k := range 5 {
				x := w.Put(lucid.Arange(n).To(lucid.Float32)).Add(0).Eval()
				bad := w.Put(lucid.Ones(n)).At(w.Put(lucid.New([]int64{int64(n)}, 1)))
				var spoilt *lucid.Tensor
				switch k {
				case 0: // one launch for both
					x.Add_(1)
					spoilt = x.Mul(2).Add(bad)
				case 1: // a launch of its own behind the failure
					spoilt = bad.Sum().Add(1)
					x.Add_(1)
				case 2: // two writes, one over the other
					x.Add_(0.5)
					spoilt = x.Mul(2).Add(bad)
					x.Add_(0.5)
				case 4: // a launch that reads it fails before it is written over
					spoilt = x.Mul(2).Add(bad)
					x.Add_(1)
				case 3: // by way of a value that is not stored
					y := x.Reshape(2, n/2).Flip(0).Flip(0).Contiguous().Reshape(n)
					spoilt = y.Mul(3).Add(bad)
					x.Add_(y.Sub(y)).Add_(1)
				}
				if err := lucid.Eval(spoilt, x); !errors.Is(err, lucid.ErrIndex) {
					t.Fatalf("%d: %v", k, err)
				}
				got := lucid.ToSlice[float32](x)
				for i := range got {
					if got[i] != float32(i)+1 {
						t.Fatalf("%d of %d: element %d is %v", k, n, i, got[i])
					}
				}
				if err := lucid.Try(func() { spoilt.Sum().Item() }); !errors.Is(err, lucid.ErrIndex) {
					t.Errorf("%d: asked again: %v", k, err)
				}
			}
		}
	})
}

// TestCancelGivesBackWhatItTook: an evaluation that is cancelled before it writes over an input it had taken leaves that input.
func TestCancelGivesBackWhatItTook(t *testing.T) {
	late, _ := fake.New(cpu.Device)
	w := &tensortest.Target{Dev: late}
	const n = 1 << 16
	for k := range 6 {
		x := w.Put(lucid.Ones(n)).Add(1).Eval()
		if k%2 == 0 {
			x.Add_(1)
		} else {
			x.Add_(w.Put(lucid.Ones(n)).Flip(0).Contiguous())
		}
		// it is asked when it is planned, and before the first launch
		err := lucid.EvalContext(&tensortest.Countdown{Context: context.Background(), Left: 1}, x)
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("cancelled: %v", err)
		}
		done := make(chan float64, 1)
		go func() { done <- x.Sum().Item() }()
		select {
		case got := <-done:
			if got != 3*n {
				t.Errorf("after a cancel: %v", got)
			}
		case <-time.After(time.Minute):
			t.Fatal("after a cancel the value never comes")
		}
	}
}

// TestFailedStepLeavesState: a compiled step that gets a position out of range, is cancelled or has no memory leaves all its
// state as it was, and the next step goes on from there.
func TestFailedStepLeavesState(t *testing.T) {
	everywhere(t, func(t *testing.T, w *tensortest.Target, faults *fake.Faults) {
		lucid.Seed(7)
		const vocab, dim, classes = 64, 64, 48
		table0, head0 := lucid.Randn(vocab, dim).Eval(), lucid.Randn(dim, classes).Mul(0.1).Eval()
		train := func(p, m []*lucid.Tensor, in, target *lucid.Tensor) *lucid.Tensor {
			loss := F.CrossEntropy(p[0].At(in).Tanh().MatMul(p[1]), target)
			loss.Backward()
			lucid.NoGrad(func() {
				for i, q := range p {
					m[i].Mul_(0.9).Add_(q.Grad())
					q.Sub_(m[i].Mul(0.1))
					q.ZeroGrad()
				}
				m[2].Add_(1) // counts steps, and depends on nothing that can fail
			})
			return loss
		}
		model := func() (p, m []*lucid.Tensor) {
			p = []*lucid.Tensor{w.Put(table0.Clone()).RequiresGrad_(true), w.Put(head0.Clone()).RequiresGrad_(true)}
			return p, []*lucid.Tensor{w.Put(lucid.Zeros(vocab, dim)), w.Put(lucid.Zeros(dim, classes)), w.Put(lucid.Zeros(1))}
		}
		p, m := model()
		pp, mm := model()
		step := lucid.Compile(func(in, target *lucid.Tensor) *lucid.Tensor { return train(p, m, in, target) })
		index := func(v ...int64) *lucid.Tensor { return w.Put(lucid.New(v, len(v))).Eval() }
		good := []*lucid.Tensor{index(1, 5, 7, 31), index(3, 2, 1, 15)}
		check := func(when string) {
			t.Helper()
			for i := range p {
				tensortest.Same(t, when+": parameter", p[i].Detach().To(lucid.CPU), pp[i].Detach().To(lucid.CPU))
			}
			for i := range m {
				tensortest.Same(t, when+": state", m[i].To(lucid.CPU), mm[i].To(lucid.CPU))
			}
		}
		for round := range 4 {
			for range 2 {
				step(good[0], good[1])
				train(pp, mm, good[0], good[1])
				check("after a step")
			}
			if w.Dev != cpu.Device && round > 0 { // recorded runs are known to have failed when they are over
				break
			}
			for what, bad := range map[string][]*lucid.Tensor{"input": {index(1, 5, vocab, 31), good[1]},
				"target": {good[0], index(3, classes, 1, 15)}} {
				if err := lucid.Try(func() { step(bad[0], bad[1]).Item() }); !errors.Is(err, lucid.ErrIndex) {
					t.Fatalf("%s out of range: %v", what, err)
				}
				check(what + " out of range")
			}
			w.Dev.Pool.SetLimit(1)
			err := lucid.Try(func() { step(good[0], good[1]).Item() })
			w.Dev.Pool.SetLimit(0)
			if !errors.Is(err, lucid.ErrOutOfMemory) {
				t.Fatalf("no memory: %v", err)
			}
			check("no memory")
			for k := range 3 {
				lucid.WithContext(&tensortest.Countdown{Context: context.Background(), Left: 3 * k},
					func() { err = lucid.Try(func() { step(good[0], good[1]).Item() }) })
				if !errors.Is(err, context.Canceled) {
					t.Fatalf("cancelled at look %d: %v", 3*k, err)
				}
				check("cancelled")
			}
		}
	})
}

// TestFailureOfADroppedOperand: what is made of a value that failed fails, also if nothing else holds that value, so that its memory could
// be used again.
func TestFailureOfADroppedOperand(t *testing.T) {
	everywhere(t, func(t *testing.T, w *tensortest.Target, _ *fake.Faults) {
		for _, n := range []int{1, 1 << 17} {
			bad := w.Put(lucid.Arange(n).To(lucid.Float32)).At(w.Put(lucid.Full([]int{n}, int64(n)))).CumSum(0)
			if err := lucid.Eval(bad); w.Dev == cpu.Device && !errors.Is(err, lucid.ErrIndex) {
				t.Fatal(err)
			}
			lucid.Synchronize()
			z := bad.Mul(3)
			bad.Free()
			if err := lucid.Try(func() { lucid.ToSlice[float32](z) }); !errors.Is(err, lucid.ErrIndex) {
				t.Errorf("%d elements: %v of a value that failed", n, err)
			}
		}
	})
}
