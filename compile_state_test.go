package lucid

import (
	"context"
	"errors"
	"testing"

	"github.com/lucid-go/lucid/internal/backend/cpu"
	"github.com/lucid-go/lucid/internal/backend/fake"
)

// TestFirstCallWritesInPlace: state that starts as zeros, pending or not, is written in place by the first call, and one
// trace serves all calls.
func TestFirstCallWritesInPlace(t *testing.T) {
	Seed(1)
	x, y := Randn(64, 96).Eval(), Randn(64, 1).Eval()
	for _, evaluated := range []bool{false, true} {
		w, m := Randn(96, 1).Eval().RequiresGrad_(true), Zeros(96, 1)
		if evaluated {
			m.Eval()
		}
		ww, mm := w.Detach().Clone().Contiguous().Eval().RequiresGrad_(true), Zeros(96, 1)
		step := Compile(func(x, y *Tensor) *Tensor { return trainStep(w, m, x, y) })
		for i := range 3 {
			before := MemoryStats(CPU).Donated
			got := step(x, y).Item()
			if d := MemoryStats(CPU).Donated - before; d < 1 || i > 0 && d < 2 {
				t.Errorf("call %d: %d values were written in place", i, d)
			}
			if want := trainStep(ww, mm, x, y).Item(); got != want {
				t.Errorf("call %d: loss %v, plainly %v", i, got, want)
			}
		}
		same(t, "parameters", w.Detach(), ww.Detach())
		same(t, "momentum", m, mm)
		if e := Explain(step); e.Traces != 1 {
			t.Errorf("%v", e)
		}
	}
	// A parameter of zeros stays a leaf, and its gradient reaches the same slot.
	b := Zeros(4).RequiresGrad_(true)
	step := Compile(func(x *Tensor) *Tensor {
		loss := x.Add(b).Square().Sum()
		loss.Backward()
		NoGrad(func() { b.Sub_(b.Grad().Mul(0.5)) })
		return loss
	})
	step(Ones(4))
	if !b.IsLeaf() || !b.RequiresGrad() || b.Grad() == nil || b.Grad().Sum().Item() != 8 || b.Detach().Sum().Item() != -4 {
		t.Errorf("parameter %v with gradient %v", b, b.Grad())
	}
}

// TestStrangeStateIsTracedAsItLies: state whose elements share memory and are no zeros, or lie in another order, is not
// written out: sums go by the order in memory.
func TestStrangeStateIsTracedAsItLies(t *testing.T) {
	Seed(2)
	for name, make := range map[string]func() *Tensor{
		"ones": func() *Tensor { return Full([]int{33, 7}, 0.1) },
		"turned": func() *Tensor {
			Seed(5)
			return Randn(7, 33).Eval().Transpose(0, 1)
		},
	} {
		f := func(w, x *Tensor) *Tensor {
			s := w.Sum(0)
			w.Assign(w.Add(x))
			return s
		}
		a, b := make(), make()
		x := Randn(33, 7).Eval()
		step := Compile(func(x *Tensor) *Tensor { return f(a, x) })
		for range 3 {
			same(t, name, step(x), f(b, x))
			same(t, name+", state", a, b)
		}
	}
}

// countdown is a context that is cancelled when it has been asked a number of times.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Done() <-chan struct{} { return make(chan struct{}) }

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestCancelBetweenLaunches: a step cancelled before its first write into state leaves all state as it was and keeps no
// memory; cancelled later it goes on to its end.
func TestCancelBetweenLaunches(t *testing.T) {
	Seed(3)
	var w, m, ww, mm []*Tensor
	for range 4 {
		p := Randn(64, 64).Mul(0.1).Eval()
		w, m = append(w, p.Clone().RequiresGrad_(true)), append(m, Zeros(64, 64))
		ww, mm = append(ww, p.Clone().RequiresGrad_(true)), append(mm, Zeros(64, 64))
	}
	train := func(w, m []*Tensor, x *Tensor) *Tensor {
		h := x
		for _, p := range w {
			h = h.MatMul(p).Tanh()
		}
		loss := h.Square().Mean()
		loss.Backward()
		NoGrad(func() {
			for i, p := range w {
				m[i].Mul_(0.9).Add_(p.Grad())
				p.Sub_(m[i].Mul(0.1))
				p.ZeroGrad()
			}
		})
		return loss
	}
	x := Randn(32, 64).Eval()
	step := Compile(func(x *Tensor) *Tensor { return train(w, m, x) })
	step(x)
	train(ww, mm, x)
	gaveUp, wentOn := 0, 0
	for k := range 60 {
		before := MemoryStats(CPU).Allocated
		var err error
		WithContext(&countdown{context.Background(), k}, func() { err = Try(func() { step(x) }) })
		if err != nil {
			if !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			if got := MemoryStats(CPU).Allocated; got > before { // a collection may come between
				t.Errorf("cancelled at look %d: %d bytes are in use, %d were before", k, got, before)
			}
			gaveUp++
		} else {
			train(ww, mm, x)
			wentOn++
		}
		for i := range w {
			same(t, "parameter", w[i].Detach(), ww[i].Detach())
			same(t, "momentum", m[i], mm[i])
		}
	}
	if gaveUp < 3 || wentOn < 3 {
		t.Errorf("%d steps were given up, %d went on", gaveUp, wentOn)
	}
}

// TestNoMemoryForAStep: whichever allocation of a step fails, all state is as it was, and the step can be made again.
func TestNoMemoryForAStep(t *testing.T) {
	late, faults := fake.New(cpu.Device)
	world := &world{dev: late}
	Seed(4)
	w0, x0 := Randn(64, 64).Eval(), Randn(32, 64).Eval()
	w, m := world.put(w0), world.put(Zeros(64, 64))
	ww, mm := w0.Clone(), Zeros(64, 64)
	x := world.put(x0).Eval()
	f := func(w, m, x *Tensor) *Tensor {
		h := x.MatMul(w)
		g := x.Transpose(0, 1).MatMul(h.Sin())
		m.Assign(m.Mul(0.9).Add(g))
		w.Sub_(m.Mul(0.01))
		return h.CumSum(0).Sum()
	}
	step := Compile(func(x *Tensor) *Tensor { return f(w, m, x) })
	failed := 0
	for n := 1; n < 12; n++ {
		late.Pool.Trim()
		faults.FailAlloc(n)
		err := Try(func() { step(x).Item() })
		faults.FailAlloc(0)
		if err != nil {
			if !errors.Is(err, ErrOutOfMemory) {
				t.Fatal(err)
			}
			failed++
		} else {
			f(ww, mm, x0)
		}
		same(t, "parameters", w.To(CPU), ww)
		same(t, "momentum", m.To(CPU), mm)
	}
	if failed == 0 || failed == 11 {
		t.Errorf("%d of 11 steps failed", failed)
	}
}
