package transforms

import (
	"errors"
	"math"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

func leaf(v ...float32) *lucid.Tensor { return lucid.New(v, len(v)).RequiresGrad_(true) }

func grad(t *testing.T, x *lucid.Tensor, want ...float32) {
	t.Helper()
	if x.Grad() == nil {
		t.Fatalf("no gradient, want %v", want)
	}
	tensortest.Same(t, "gradient", x.Grad(), lucid.New(want, len(want)))
}

func TestBackwardTwice(t *testing.T) {
	x := leaf(1, 2)
	loss := x.Square().Sum()
	loss.Backward(lucid.BackwardOptions{RetainGraph: true})
	loss.Backward()
	grad(t, x, 4, 8)
	if err := lucid.Try(func() { loss.Backward() }); !errors.Is(err, lucid.ErrGradient) || !strings.Contains(err.Error(), "RetainGraph") {
		t.Errorf("a freed graph: %v", err)
	}
	// Another loss on a freed part is refused too, never a wrong gradient.
	y := x.Mul(3)
	y.Sum().Backward()
	if err := lucid.Try(func() { y.Square().Sum().Backward() }); !errors.Is(err, lucid.ErrGradient) {
		t.Errorf("a loss behind a freed part: %v", err)
	}
}

func TestBackwardRefuses(t *testing.T) {
	z := lucid.New([]complex128{1 + 2i}, 1).RequiresGrad_(true)
	x := leaf(1, 2)
	for name, f := range map[string]func(){
		"no scalar":                   func() { x.Mul(2).Backward() },
		"no gradient needed":          func() { lucid.Ones(2).Sum().Backward() },
		"wrong cotangent":             func() { x.Mul(2).Backward(lucid.BackwardOptions{Gradient: lucid.Ones(3)}) },
		"leaf in place":               func() { x.Add_(1) },
		"integer leaf":                func() { lucid.Arange(3).RequiresGrad_(true) },
		"view in place":               func() { lucid.Ones(4).Reshape(2, 2).Add_(1) },
		"no inputs":                   func() { x.Sum().Backward(lucid.BackwardOptions{Inputs: []*lucid.Tensor{}}) },
		"a complex loss":              func() { z.Mul(2).Backward() },
		"Grad of a complex loss":      func() { lucid.Grad(func(a *lucid.Tensor) *lucid.Tensor { return a.Mul(2) })(z.Detach()) },
		"accumulating in no leaf":     func() { x.Mul(2).RegisterPostAccumulateGradHook(func(*lucid.Tensor) {}) },
		"a gradient of another dtype": func() { x.SetGrad(lucid.Ones(2).To(lucid.Float16)) },
	} {
		var e *lucid.Error
		if err := lucid.Try(f); !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
	}
	x.Mul(2).Backward(lucid.BackwardOptions{Gradient: lucid.New([]float32{1, 10}, 2)})
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
	lucid.NoGrad(func() { w.Sub_(1) })
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
	lucid.NoGrad(func() { d.Sub_(d.Grad().Mul(0.1)) })
	lossG := fake.Mul(d).Sum()
	d.ZeroGrad()
	lossG.Backward(lucid.BackwardOptions{Inputs: []*lucid.Tensor{g}})
	grad(t, g, 10)
	if d.Grad() != nil {
		t.Error("the discriminator got a gradient it was not asked for")
	}
}

func TestHooks(t *testing.T) {
	x := leaf(1, 2)
	var seen, after int
	h := x.RegisterHook(func(g *lucid.Tensor) *lucid.Tensor { seen++; return g.Mul(10) })
	x.RegisterPostAccumulateGradHook(func(p *lucid.Tensor) {
		after++
		if p.Grad() == nil {
			t.Error("post hook without a gradient")
		}
	})
	mid := x.Mul(3)
	mid.RetainGrad()
	mid.RegisterHook(func(g *lucid.Tensor) *lucid.Tensor { return g.Add(1) })
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
	lucid.Where(x.Gt(0), x.Log(), x).Sum().Backward()
	grad(t, x, 1, 0.25)
	x.ZeroGrad()
	lucid.Where(x.Gt(0), lucid.Scalar(1.0).Div(x), x).Sum().Backward()
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
	if err := lucid.Try(func() { lucid.DetectAnomaly(func() { x.Log().Sum().Backward() }) }); err == nil ||
		!strings.Contains(err.Error(), "lucid: log: its value") || !strings.Contains(err.Error(), "NaN") {
		t.Errorf("log(-1) is NaN: %v", err)
	}
	err := lucid.Try(func() {
		lucid.DetectAnomaly(func() { x.Mul(math.Inf(1)).Mul(0).Sum().Backward() })
	})
	if !errors.Is(err, lucid.ErrGradient) || !strings.Contains(err.Error(), "an infinity") {
		t.Errorf("got %v", err)
	}
	err = lucid.Try(func() { lucid.DetectAnomaly(func() { x.Sqrt().Mul(2).Sum().Backward() }) })
	if !errors.Is(err, lucid.ErrGradient) || !strings.Contains(err.Error(), "lucid: sqrt:") {
		t.Errorf("the root gives the first NaN; got %v", err)
	}
	y := leaf(0, 4) // the values are finite, the gradient at 0 is 0 over 0
	err = lucid.Try(func() { lucid.DetectAnomaly(func() { lucid.Hypot(y, y).Sum().Backward() }) })
	if !errors.Is(err, lucid.ErrGradient) || !strings.Contains(err.Error(), "the gradient it gives its input") {
		t.Errorf("got %v", err)
	}
}

// Two losses share a part of the graph, and the first Backward frees it: the second must not go on without it.
func TestBackwardThroughFreedPart(t *testing.T) {
	for _, evaluated := range []bool{false, true} {
		x, w := leaf(1, 2), leaf(3, 4)
		h := x.Exp()
		a, b := h.Sum(), h.Mul(w).Sum()
		if evaluated {
			if err := lucid.Eval(a, b, h); err != nil {
				t.Fatal(err)
			}
		}
		a.Backward()
		if err := lucid.Try(func() { b.Backward() }); !errors.Is(err, lucid.ErrGradient) {
			t.Errorf("built before: %v", err)
		}
		if err := lucid.Try(func() { h.Mul(w).Sum().Backward() }); !errors.Is(err, lucid.ErrGradient) {
			t.Errorf("built after: %v", err)
		}
		h.Detach().Mul(w).Sum().Backward()
		if g := lucid.ToSlice[float64](w.Grad()); math.Abs(g[0]-math.E) > 1e-6 {
			t.Errorf("detached: %v", g)
		}
	}
}

// Gradients may be left in a tensor in the middle, as in PyTorch.
func TestBackwardInputsInTheMiddle(t *testing.T) {
	x := leaf(1, 2)
	h := x.Square()
	h.Mul(3).Sum().Backward(lucid.BackwardOptions{Inputs: []*lucid.Tensor{h}})
	if x.Grad() != nil || h.Grad() == nil || h.Grad().At(1).Item() != 3 {
		t.Errorf("x %v, h %v", x.Grad(), h.Grad())
	}
}

func TestGradScopesAreByGoroutine(t *testing.T) {
	x := leaf(1)
	var wg sync.WaitGroup
	lucid.NoGrad(func() {
		if x.Mul(2).RequiresGrad() {
			t.Error("recorded inside NoGrad")
		}
		lucid.EnableGrad(func() {
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
		go lucid.Inherit(func() {
			defer wg.Done()
			if x.Mul(2).RequiresGrad() {
				t.Error("Inherit did not carry the scope")
			}
		})()
		wg.Wait()
	})
}

func TestHigherOrderBackward(t *testing.T) {
	y := lucid.Scalar(2.0).RequiresGrad_(true)
	g := lucid.Gradients(y.Pow(3), []*lucid.Tensor{y}, lucid.GradientsOptions{CreateGraph: true})[0]
	gg := lucid.Gradients(g, []*lucid.Tensor{y}, lucid.GradientsOptions{CreateGraph: true})[0]
	ggg := lucid.Gradients(gg, []*lucid.Tensor{y})[0]
	tensortest.Near(t, "third derivative", ggg.Item(), 6)
	if err := lucid.Try(func() {
		lucid.Gradients(y.Mul(2), []*lucid.Tensor{lucid.Ones(1)}, lucid.GradientsOptions{AllowUnused: true})
	}); !errors.Is(err, lucid.ErrGradient) {
		t.Errorf("an input that requires no gradient: %v", err)
	}
	z := lucid.Ones(1).RequiresGrad_(true)
	if err := lucid.Try(func() { lucid.Gradients(y.Mul(2), []*lucid.Tensor{z}) }); !errors.Is(err, lucid.ErrGradient) {
		t.Errorf("unused input: %v", err)
	}
	if got := lucid.Gradients(y.Mul(2), []*lucid.Tensor{z}, lucid.GradientsOptions{AllowUnused: true}); got[0] != nil {
		t.Errorf("unused input: %v", got)
	}
}

// TestGradientsAreTensorsOfTheirOwn: a gradient may be changed in place whatever op it was made by, and inside a hook too.
func TestGradientsAreTensorsOfTheirOwn(t *testing.T) {
	x := lucid.New([]float64{1, 2}, 2).RequiresGrad_(true)
	x.Sum().Backward() // shows one number twice
	x.Grad().Mul_(10)
	if !lucid.Equal(x.Grad(), lucid.New([]float64{10, 10}, 2)) {
		t.Errorf("changed in place: %v", x.Grad())
	}
	x.ZeroGrad()
	x.RegisterHook(func(g *lucid.Tensor) *lucid.Tensor { g.Add_(4); return nil })
	x.Sum().Backward()
	if !lucid.Equal(x.Grad(), lucid.New([]float64{5, 5}, 2)) {
		t.Errorf("changed in place by a hook: %v", x.Grad())
	}
}

// TestRetainGradFollowsTheHandle: after a change in place the gradient is that of the value the handle shows, while hooks
// stay with the value they were registered on.
func TestRetainGradFollowsTheHandle(t *testing.T) {
	x := lucid.New([]float64{1, 2}, 2).RequiresGrad_(true)
	h := x.Mul(1)
	h.RetainGrad()
	var seen *lucid.Tensor
	h.RegisterHook(func(g *lucid.Tensor) *lucid.Tensor { seen = g.Clone(); return nil })
	h.Mul_(3)
	h.Square().Sum().Backward()
	if !lucid.Equal(h.Grad(), lucid.New([]float64{6, 12}, 2)) || !lucid.Equal(seen, lucid.New([]float64{18, 36}, 2)) {
		t.Errorf("retained %v, hook saw %v", h.Grad(), seen)
	}
	if !h.RequiresGrad() || h.IsLeaf() {
		t.Error("Backward made a leaf of what was computed")
	}
}

// TestZeroDerivativesGiveZeros: a leaf that the loss was computed from has a gradient, also where every rule on the way
// has none to give.
func TestZeroDerivativesGiveZeros(t *testing.T) {
	x := lucid.New([]float64{1.5, 2}, 2).RequiresGrad_(true)
	hooked := 0
	x.RegisterHook(func(*lucid.Tensor) *lucid.Tensor { hooked++; return nil })
	zeros := lucid.New([]float64{0, 0}, 2)
	x.Floor().Add(x.Pow(0)).Sum().Backward()
	if x.Grad() == nil || !lucid.Equal(x.Grad(), zeros) || hooked != 1 {
		t.Errorf("got %v, hooks ran %d times", x.Grad(), hooked)
	}
	h := x.Mul(2)
	if g := lucid.Gradients(h.Sign().Sum(), []*lucid.Tensor{h, x}); !lucid.Equal(g[0], zeros) || !lucid.Equal(g[1], zeros) {
		t.Errorf("got %v", g)
	}
}

// TestGradientClearedInHook clears gradients as they come, as a step inside Backward does: those of others, made from the same
// cotangent, are right.
func TestGradientClearedInHook(t *testing.T) {
	w, r := lucid.Ones(2, 2).RequiresGrad_(true), lucid.Ones(3, 2).RequiresGrad_(true)
	b := lucid.Zeros(2).RequiresGrad_(true)
	cleared := 0
	for _, p := range []*lucid.Tensor{r, b} {
		p.RegisterPostAccumulateGradHook(func(p *lucid.Tensor) { p.ZeroGrad(); cleared++ })
	}
	x := lucid.Ones(3, 2)
	x.MatMul(w).Add(r).Add(b).Square().Sum().Backward() // 2·3 for each of three rows
	tensortest.WantValues(t, "the gradient behind", w.Grad(), lucid.Float32, float32(18), 18, 18, 18)
	if cleared != 2 || r.Grad() != nil || b.Grad() != nil {
		t.Errorf("%d hooks ran, %v and %v stayed", cleared, r.Grad(), b.Grad())
	}
}

// TestPanicInHook leaves nothing behind: what Backward held when a hook panicked is given back.
func TestPanicInHook(t *testing.T) {
	w := lucid.Ones(64, 64).RequiresGrad_(true)
	bad := lucid.Ones(256, 64).RequiresGrad_(true)
	x := lucid.Ones(256, 64).Eval()
	bad.RegisterHook(func(g *lucid.Tensor) *lucid.Tensor {
		g.Eval() // the cotangents have memory now
		panic(lucid.Errorf(lucid.ErrValue, "hook", "no"))
	})
	panics := func() {
		lucid.Scope(func() []*lucid.Tensor {
			loss := x.MatMul(w).Add(bad).Square().Sum()
			if err := lucid.Try(func() { loss.Backward() }); !errors.Is(err, lucid.ErrValue) {
				t.Fatal(err)
			}
			return nil
		})
		bad.ZeroGrad()
		w.ZeroGrad()
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // which would find what is lost
	panics()
	before := lucid.MemoryStats(lucid.CPU).Allocated
	for range 20 {
		panics()
	}
	if after := lucid.MemoryStats(lucid.CPU).Allocated; after > before+256*64*4 {
		t.Errorf("%d bytes are in use, %d before", after, before)
	}
}
