package lucid

import (
	"errors"
	"math"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
)

func leaf(v ...float32) *Tensor { return New(v, len(v)).RequiresGrad_(true) }

func grad(t *testing.T, x *Tensor, want ...float32) {
	t.Helper()
	if x.Grad() == nil {
		t.Fatalf("no gradient, want %v", want)
	}
	same(t, "gradient", x.Grad(), New(want, len(want)))
}

func TestBackwardTwice(t *testing.T) {
	x := leaf(1, 2)
	loss := x.Square().Sum()
	loss.Backward(BackwardOptions{RetainGraph: true})
	loss.Backward()
	grad(t, x, 4, 8)
	if err := Try(func() { loss.Backward() }); !errors.Is(err, ErrGradient) || !strings.Contains(err.Error(), "RetainGraph") {
		t.Errorf("a freed graph: %v", err)
	}
	// Another loss on a freed part is refused too, never a wrong gradient.
	y := x.Mul(3)
	y.Sum().Backward()
	if err := Try(func() { y.Square().Sum().Backward() }); !errors.Is(err, ErrGradient) {
		t.Errorf("a loss behind a freed part: %v", err)
	}
}

func TestBackwardRefuses(t *testing.T) {
	z := New([]complex128{1 + 2i}, 1).RequiresGrad_(true)
	x := leaf(1, 2)
	for name, f := range map[string]func(){
		"no scalar":                   func() { x.Mul(2).Backward() },
		"no gradient needed":          func() { Ones(2).Sum().Backward() },
		"wrong cotangent":             func() { x.Mul(2).Backward(BackwardOptions{Gradient: Ones(3)}) },
		"leaf in place":               func() { x.Add_(1) },
		"integer leaf":                func() { Arange(3).RequiresGrad_(true) },
		"view in place":               func() { Ones(4).Reshape(2, 2).Add_(1) },
		"no inputs":                   func() { x.Sum().Backward(BackwardOptions{Inputs: []*Tensor{}}) },
		"a complex loss":              func() { z.Mul(2).Backward() },
		"Grad of a complex loss":      func() { Grad(func(a *Tensor) *Tensor { return a.Mul(2) })(z.Detach()) },
		"accumulating in no leaf":     func() { x.Mul(2).RegisterPostAccumulateGradHook(func(*Tensor) {}) },
		"a gradient of another dtype": func() { x.SetGrad(Ones(2).To(Float16)) },
	} {
		var e *Error
		if err := Try(f); !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
	}
	x.Mul(2).Backward(BackwardOptions{Gradient: New([]float32{1, 10}, 2)})
	grad(t, x, 2, 20)
}

// A value that a tape needs may be rebound: the tape keeps the value it saw.
func TestRebindingKeepsTheTapesValues(t *testing.T) {
	x := leaf(1, 2, 3)
	h := x.Mul(2)
	y := h.Square().Sum()
	h.Add_(100) // the handle shows another value; y's does not change
	y.Backward()
	grad(t, x, 8, 16, 24)

	// Backward after a step of the parameter reaches the same gradient slot, at the values it was computed with.
	w := leaf(3)
	loss := w.Square().Sum()
	NoGrad(func() { w.Sub_(1) })
	loss.Backward()
	grad(t, w, 6)
	if w.Item() != 2 || !w.RequiresGrad() || !w.IsLeaf() {
		t.Errorf("after the step: %v", w)
	}
	w.ZeroGrad()
	w.Square().Sum().Backward()
	grad(t, w, 4)
}

// Two losses over shared parts, two sets of parameters: only the inputs asked for are filled.
func TestTwoOptimizers(t *testing.T) {
	g, d := leaf(2), leaf(3)
	fake := g.Mul(5)
	lossD := fake.Detach().Mul(d).Sum()
	lossD.Backward()
	grad(t, d, 10)
	if g.Grad() != nil {
		t.Error("the generator got a gradient through Detach")
	}
	NoGrad(func() { d.Sub_(d.Grad().Mul(0.1)) })
	lossG := fake.Mul(d).Sum()
	d.ZeroGrad()
	lossG.Backward(BackwardOptions{Inputs: []*Tensor{g}})
	grad(t, g, 10)
	if d.Grad() != nil {
		t.Error("the discriminator got a gradient it was not asked for")
	}
}

func TestHooks(t *testing.T) {
	x := leaf(1, 2)
	var seen, after int
	h := x.RegisterHook(func(g *Tensor) *Tensor { seen++; return g.Mul(10) })
	x.RegisterPostAccumulateGradHook(func(p *Tensor) {
		after++
		if p.Grad() == nil {
			t.Error("post hook without a gradient")
		}
	})
	mid := x.Mul(3)
	mid.RetainGrad()
	mid.RegisterHook(func(g *Tensor) *Tensor { return g.Add(1) })
	mid.Sum().Backward()
	grad(t, x, 60, 60)
	grad(t, mid, 2, 2)
	h.Remove()
	x.ZeroGrad()
	x.Sum().Backward()
	grad(t, x, 1, 1)
	if seen != 1 || after != 2 {
		t.Errorf("hook ran %d times, post hook %d", seen, after)
	}
}

func TestSingularPointsGiveZero(t *testing.T) {
	x := leaf(0, 4)
	Where(x.Gt(0), x.Log(), x).Sum().Backward()
	grad(t, x, 1, 0.25)
	x.ZeroGrad()
	Where(x.Gt(0), Scalar(1.0).Div(x), x).Sum().Backward()
	grad(t, x, 1, -1.0/16)
	z := leaf(0, 0)
	z.Norm().Backward()
	grad(t, z, 0, 0)
	s := leaf(0)
	s.Sqrt().Sum().Backward()
	if !math.IsInf(s.Grad().Item(), 1) {
		t.Errorf("sqrt at 0 with a cotangent: %v", s.Grad())
	}
}

func TestAnomalyNamesTheOp(t *testing.T) {
	x := leaf(-1)
	if err := Try(func() { DetectAnomaly(func() { x.Log().Sum().Backward() }) }); err != nil {
		t.Errorf("log(-1) is NaN, its gradient is not: %v", err)
	}
	err := Try(func() {
		DetectAnomaly(func() { x.Mul(math.Inf(1)).Mul(0).Sum().Backward() })
	})
	if !errors.Is(err, ErrGradient) || !strings.Contains(err.Error(), "NaN") {
		t.Errorf("got %v", err)
	}
	err = Try(func() { DetectAnomaly(func() { x.Sqrt().Mul(2).Sum().Backward() }) })
	if !errors.Is(err, ErrGradient) || !strings.Contains(err.Error(), "lucid: sqrt:") {
		t.Errorf("the root's rule gives the first NaN; got %v", err)
	}
}

// Two losses share a part of the graph, and the first Backward frees it: the second must not go on without it.
func TestBackwardThroughFreedPart(t *testing.T) {
	for _, evaluated := range []bool{false, true} {
		x, w := leaf(1, 2), leaf(3, 4)
		h := x.Exp()
		a, b := h.Sum(), h.Mul(w).Sum()
		if evaluated {
			if err := Eval(a, b, h); err != nil {
				t.Fatal(err)
			}
		}
		a.Backward()
		if err := Try(func() { b.Backward() }); !errors.Is(err, ErrGradient) {
			t.Errorf("built before: %v", err)
		}
		if err := Try(func() { h.Mul(w).Sum().Backward() }); !errors.Is(err, ErrGradient) {
			t.Errorf("built after: %v", err)
		}
		h.Detach().Mul(w).Sum().Backward()
		if g := ToSlice[float64](w.Grad()); math.Abs(g[0]-math.E) > 1e-6 {
			t.Errorf("detached: %v", g)
		}
	}
}

// Gradients may be left in a tensor in the middle, as in PyTorch.
func TestBackwardInputsInTheMiddle(t *testing.T) {
	x := leaf(1, 2)
	h := x.Square()
	h.Mul(3).Sum().Backward(BackwardOptions{Inputs: []*Tensor{h}})
	if x.Grad() != nil || h.Grad() == nil || h.Grad().At(1).Item() != 3 {
		t.Errorf("x %v, h %v", x.Grad(), h.Grad())
	}
}

func TestGradScopesAreByGoroutine(t *testing.T) {
	x := leaf(1)
	var wg sync.WaitGroup
	NoGrad(func() {
		if x.Mul(2).RequiresGrad() {
			t.Error("recorded inside NoGrad")
		}
		EnableGrad(func() {
			if !x.Mul(2).RequiresGrad() {
				t.Error("not recorded inside EnableGrad")
			}
		})
		wg.Add(2)
		go func() {
			defer wg.Done()
			if !x.Mul(2).RequiresGrad() {
				t.Error("another goroutine was touched")
			}
		}()
		go Inherit(func() {
			defer wg.Done()
			if x.Mul(2).RequiresGrad() {
				t.Error("Inherit did not carry the scope")
			}
		})()
		wg.Wait()
	})
}

func TestHigherOrderBackward(t *testing.T) {
	y := Scalar(2.0).RequiresGrad_(true)
	g := Gradients(y.Pow(3), []*Tensor{y}, GradientsOptions{CreateGraph: true})[0]
	gg := Gradients(g, []*Tensor{y}, GradientsOptions{CreateGraph: true})[0]
	ggg := Gradients(gg, []*Tensor{y})[0]
	near(t, "third derivative", ggg.Item(), 6)
	if err := Try(func() { Gradients(y.Mul(2), []*Tensor{Ones(1)}, GradientsOptions{AllowUnused: true}) }); !errors.Is(err, ErrGradient) {
		t.Errorf("an input that requires no gradient: %v", err)
	}
	z := Ones(1).RequiresGrad_(true)
	if err := Try(func() { Gradients(y.Mul(2), []*Tensor{z}) }); !errors.Is(err, ErrGradient) {
		t.Errorf("unused input: %v", err)
	}
	if got := Gradients(y.Mul(2), []*Tensor{z}, GradientsOptions{AllowUnused: true}); got[0] != nil {
		t.Errorf("unused input: %v", got)
	}
}

// TestGradientsAreTensorsOfTheirOwn: a gradient may be changed in place whatever op it was made by, and inside a hook too.
func TestGradientsAreTensorsOfTheirOwn(t *testing.T) {
	x := New([]float64{1, 2}, 2).RequiresGrad_(true)
	x.Sum().Backward() // shows one number twice
	x.Grad().Mul_(10)
	if !Equal(x.Grad(), New([]float64{10, 10}, 2)) {
		t.Errorf("changed in place: %v", x.Grad())
	}
	x.ZeroGrad()
	x.RegisterHook(func(g *Tensor) *Tensor { g.Add_(4); return nil })
	x.Sum().Backward()
	if !Equal(x.Grad(), New([]float64{5, 5}, 2)) {
		t.Errorf("changed in place by a hook: %v", x.Grad())
	}
}

// TestRetainGradFollowsTheHandle: after a change in place the gradient is that of the value the handle shows, while hooks
// stay with the value they were registered on.
func TestRetainGradFollowsTheHandle(t *testing.T) {
	x := New([]float64{1, 2}, 2).RequiresGrad_(true)
	h := x.Mul(1)
	h.RetainGrad()
	var seen *Tensor
	h.RegisterHook(func(g *Tensor) *Tensor { seen = g.Clone(); return nil })
	h.Mul_(3)
	h.Square().Sum().Backward()
	if !Equal(h.Grad(), New([]float64{6, 12}, 2)) || !Equal(seen, New([]float64{18, 36}, 2)) {
		t.Errorf("retained %v, hook saw %v", h.Grad(), seen)
	}
	if !h.RequiresGrad() || h.IsLeaf() {
		t.Error("Backward made a leaf of what was computed")
	}
}

// TestZeroDerivativesGiveZeros: a leaf that the loss was computed from has a gradient, also where every rule on the way
// has none to give.
func TestZeroDerivativesGiveZeros(t *testing.T) {
	x := New([]float64{1.5, 2}, 2).RequiresGrad_(true)
	hooked := 0
	x.RegisterHook(func(*Tensor) *Tensor { hooked++; return nil })
	zeros := New([]float64{0, 0}, 2)
	x.Floor().Add(x.Pow(0)).Sum().Backward()
	if x.Grad() == nil || !Equal(x.Grad(), zeros) || hooked != 1 {
		t.Errorf("got %v, hooks ran %d times", x.Grad(), hooked)
	}
	h := x.Mul(2)
	if g := Gradients(h.Sign().Sum(), []*Tensor{h, x}); !Equal(g[0], zeros) || !Equal(g[1], zeros) {
		t.Errorf("got %v", g)
	}
}

// TestGradientClearedInHook clears gradients as they come, as a step inside Backward does: those of others, made from the same
// cotangent, are right.
func TestGradientClearedInHook(t *testing.T) {
	w, r := Ones(2, 2).RequiresGrad_(true), Ones(3, 2).RequiresGrad_(true)
	b := Zeros(2).RequiresGrad_(true)
	cleared := 0
	for _, p := range []*Tensor{r, b} {
		p.RegisterPostAccumulateGradHook(func(p *Tensor) { p.ZeroGrad(); cleared++ })
	}
	x := Ones(3, 2)
	x.MatMul(w).Add(r).Add(b).Square().Sum().Backward() // 2·3 for each of three rows
	wantValues(t, "the gradient behind", w.Grad(), Float32, float32(18), 18, 18, 18)
	if cleared != 2 || r.Grad() != nil || b.Grad() != nil {
		t.Errorf("%d hooks ran, %v and %v stayed", cleared, r.Grad(), b.Grad())
	}
}

// TestPanicInHook leaves nothing behind: what Backward held when a hook panicked is given back.
func TestPanicInHook(t *testing.T) {
	w := Ones(64, 64).RequiresGrad_(true)
	bad := Ones(256, 64).RequiresGrad_(true)
	x := Ones(256, 64).Eval()
	bad.RegisterHook(func(g *Tensor) *Tensor {
		g.Eval() // the cotangents have memory now
		panic(Errorf(ErrValue, "hook", "no"))
	})
	panics := func() {
		Scope(func() []*Tensor {
			loss := x.MatMul(w).Add(bad).Square().Sum()
			if err := Try(func() { loss.Backward() }); !errors.Is(err, ErrValue) {
				t.Fatal(err)
			}
			return nil
		})
		bad.ZeroGrad()
		w.ZeroGrad()
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // which would find what is lost
	panics()
	before := MemoryStats(CPU).Allocated
	for range 20 {
		panics()
	}
	if after := MemoryStats(CPU).Allocated; after > before+256*64*4 {
		t.Errorf("%d bytes are in use, %d before", after, before)
	}
}
