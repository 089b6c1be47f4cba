package compile

import (
	"context"
	"errors"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/backend/cpu"
	"github.com/lucid-go/lucid/internal/backend/fake"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

// TestFirstCallWritesInPlace: state that starts as zeros, pending or not, is written in place by the first call, and one
// trace serves all calls.
func TestFirstCallWritesInPlace(t *testing.T) {
	lucid.Seed(1)
	x, y := lucid.Randn(64, 96).Eval(), lucid.Randn(64, 1).Eval()
	for _, evaluated := range []bool{false, true} {
		w, m := lucid.Randn(96, 1).Eval().RequiresGrad_(true), lucid.Zeros(96, 1)
		if evaluated {
			m.Eval()
		}
		ww, mm := w.Detach().Clone().Contiguous().Eval().RequiresGrad_(true), lucid.Zeros(96, 1)
		step := lucid.Compile(func(x, y *lucid.Tensor) *lucid.Tensor { return trainStep(w, m, x, y) })
		for i := range 3 {
			before := lucid.MemoryStats(lucid.CPU).Donated
			got := step(x, y).Item()
			if d := lucid.MemoryStats(lucid.CPU).Donated - before; d < 1 || i > 0 && d < 2 {
				t.Errorf("call %d: %d values were written in place", i, d)
			}
			if want := trainStep(ww, mm, x, y).Item(); got != want {
				t.Errorf("call %d: loss %v, plainly %v", i, got, want)
			}
		}
		tensortest.Same(t, "parameters", w.Detach(), ww.Detach())
		tensortest.Same(t, "momentum", m, mm)
		if e := lucid.Explain(step); e.Traces != 1 {
			t.Errorf("%v", e)
		}
	}
	// A parameter of zeros stays a leaf, and its gradient reaches the same slot.
	b := lucid.Zeros(4).RequiresGrad_(true)
	step := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor {
		loss := x.Add(b).Square().Sum()
		loss.Backward()
		lucid.NoGrad(func() { b.Sub_(b.Grad().Mul(0.5)) })
		return loss
	})
	step(lucid.Ones(4))
	if !b.IsLeaf() || !b.RequiresGrad() || b.Grad() == nil || b.Grad().Sum().Item() != 8 || b.Detach().Sum().Item() != -4 {
		t.Errorf("parameter %v with gradient %v", b, b.Grad())
	}
}

// TestStrangeStateIsTracedAsItIs: state whose elements share memory and are no zeros, or are in another order, is not
// written out: sums go by the order in memory.
func TestStrangeStateIsTracedAsItIs(t *testing.T) {
	lucid.Seed(2)
	for name, make := range map[string]func() *lucid.Tensor{
		"ones": func() *lucid.Tensor { return lucid.Full([]int{33, 7}, 0.1) },
		"transposed": func() *lucid.Tensor {
			lucid.Seed(5)
			return lucid.Randn(7, 33).Eval().Transpose(0, 1)
		},
	} {
		f := func(w, x *lucid.Tensor) *lucid.Tensor {
			s := w.Sum(0)
			w.Assign(w.Add(x))
			return s
		}
		a, b := make(), make()
		x := lucid.Randn(33, 7).Eval()
		step := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return f(a, x) })
		for range 3 {
			tensortest.Same(t, name, step(x), f(b, x))
			tensortest.Same(t, name+", state", a, b)
		}
	}
}

// TestCancelBetweenLaunches: a step cancelled before its first write into state leaves all state as it was and keeps no
// memory; cancelled later it goes on to its end.
func TestCancelBetweenLaunches(t *testing.T) {
	lucid.Seed(3)
	var w, m, ww, mm []*lucid.Tensor
	for range 4 {
		p := lucid.Randn(64, 64).Mul(0.1).Eval()
		w, m = append(w, p.Clone().RequiresGrad_(true)), append(m, lucid.Zeros(64, 64))
		ww, mm = append(ww, p.Clone().RequiresGrad_(true)), append(mm, lucid.Zeros(64, 64))
	}
	train := func(w, m []*lucid.Tensor, x *lucid.Tensor) *lucid.Tensor {
		h := x
		for _, p := range w {
			h = h.MatMul(p).Tanh()
		}
		loss := h.Square().Mean()
		loss.Backward()
		lucid.NoGrad(func() {
			for i, p := range w {
				m[i].Mul_(0.9).Add_(p.Grad())
				p.Sub_(m[i].Mul(0.1))
				p.ZeroGrad()
			}
		})
		return loss
	}
	x := lucid.Randn(32, 64).Eval()
	step := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return train(w, m, x) })
	step(x)
	train(ww, mm, x)
	gaveUp, wentOn := 0, 0
	for k := range 60 {
		before := lucid.MemoryStats(lucid.CPU).Allocated
		var err error
		lucid.WithContext(&tensortest.Countdown{Context: context.Background(), Left: k}, func() { err = lucid.Try(func() { step(x) }) })
		if err != nil {
			if !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			if got := lucid.MemoryStats(lucid.CPU).Allocated; got > before { // a collection may come between
				t.Errorf("cancelled at look %d: %d bytes are in use, %d were before", k, got, before)
			}
			gaveUp++
		} else {
			train(ww, mm, x)
			wentOn++
		}
		for i := range w {
			tensortest.Same(t, "parameter", w[i].Detach(), ww[i].Detach())
			tensortest.Same(t, "momentum", m[i], mm[i])
		}
	}
	if gaveUp < 3 || wentOn < 3 {
		t.Errorf("%d steps were given up, %d went on", gaveUp, wentOn)
	}
}

// TestNoMemoryForAStep: whichever allocation of a step fails, all state is as it was, and the step can be made again.
func TestNoMemoryForAStep(t *testing.T) {
	late, faults := fake.New(cpu.Device)
	world := &tensortest.Target{Dev: late}
	lucid.Seed(4)
	w0, x0 := lucid.Randn(64, 64).Eval(), lucid.Randn(32, 64).Eval()
	w, m := world.Put(w0), world.Put(lucid.Zeros(64, 64))
	ww, mm := w0.Clone(), lucid.Zeros(64, 64)
	x := world.Put(x0).Eval()
	f := func(w, m, x *lucid.Tensor) *lucid.Tensor {
		h := x.MatMul(w)
		g := x.Transpose(0, 1).MatMul(h.Sin())
		m.Assign(m.Mul(0.9).Add(g))
		w.Sub_(m.Mul(0.01))
		return h.CumSum(0).Sum()
	}
	step := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return f(w, m, x) })
	failed := 0
	for n := 1; n < 12; n++ {
		late.Pool.Trim()
		faults.FailAlloc(n)
		err := lucid.Try(func() { step(x).Item() })
		faults.FailAlloc(0)
		if err != nil {
			if !errors.Is(err, lucid.ErrOutOfMemory) {
				t.Fatal(err)
			}
			failed++
		} else {
			f(ww, mm, x0)
		}
		tensortest.Same(t, "parameters", w.To(lucid.CPU), ww)
		tensortest.Same(t, "momentum", m.To(lucid.CPU), mm)
	}
	if failed == 0 || failed == 11 {
		t.Errorf("%d of 11 steps failed", failed)
	}
}
