package lucid

import (
	"errors"
	"fmt"
	"testing"

	"github.com/lucid-go/lucid/internal/backend/cpu"
	"github.com/lucid-go/lucid/internal/backend/fake"
)

// TestCompiledAccumulation: a step that adds to gradients adds to those that are there at the call, whoever cleared and filled the
// slots meanwhile.
func TestCompiledAccumulation(t *testing.T) {
	p := Ones(2).RequiresGrad_(true)
	ten := Full([]int{2}, 10.0)
	micro := Compile(func(x *Tensor) *Tensor { l := p.Mul(x).Sum(); l.Backward(); return l })
	clip := Compile(func() *Tensor { g := p.Grad(); g.Clamp_(-1, 1); return g.Sum() })
	is := func(what string, want float64) {
		t.Helper()
		same(t, what, p.Grad(), Full([]int{2}, want))
	}
	for range 3 {
		p.ZeroGrad()
		for k := range 4 {
			micro(ten)
			is("step by step", 10*float64(k+1))
		}
		p.SetGrad(nil)
		p.Mul(2.0).Sum().Backward()
		micro(ten)
		is("after a plain one", 12)
		p.Grad().Mul_(2)
		micro(ten)
		is("after a change in place", 34)
		held := p.Grad()
		clip()
		is("clipped", 1)
		same(t, "held", held, p.Grad())
		p.ZeroGrad()
		micro(ten)
		clip()
		is("clipped anew", 1)
		same(t, "a gradient of before", held, Ones(2))
	}
}

// TestCompiledHooks: hooks on captured tensors are part of a trace.
func TestCompiledHooks(t *testing.T) {
	p := Ones(2).RequiresGrad_(true)
	step := Compile(func(x *Tensor) *Tensor { p.ZeroGrad(); l := p.Mul(x).Sum(); l.Backward(); return l })
	is := func(what string, want float64) {
		t.Helper()
		step(Ones(2))
		same(t, what, p.Grad(), Full([]int{2}, want))
	}
	is("no hook", 1)
	h := p.RegisterHook(func(g *Tensor) *Tensor { return g.Mul(5) })
	is("a hook", 5)
	k := p.RegisterPostAccumulateGradHook(func(p *Tensor) { p.SetGrad(p.Grad().Add(1)) })
	is("two hooks", 6)
	h.Remove()
	is("the second alone", 2)
	k.Remove()
	is("none again", 1)
	if n := Explain(step).Traces; n != 5 {
		t.Errorf("%d traces", n)
	}
}

// TestCompiledUnfreezing: a tensor that stopped requiring a gradient and requires one again gets it.
func TestCompiledUnfreezing(t *testing.T) {
	p, q := New([]float32{1, 1}, 2).RequiresGrad_(true), New([]float32{1, 1}, 2).RequiresGrad_(true)
	step := Compile(func(x *Tensor) *Tensor { p.ZeroGrad(); l := p.Mul(x).Mul(q).Sum(); l.Backward(); return l })
	step(Ones(2))
	for _, between := range []func(){func() {}, func() { step(Ones(2)) }} {
		p.RequiresGrad_(false)
		between()
		p.RequiresGrad_(true)
		step(Ones(2))
		if p.Grad() == nil {
			t.Fatal("no gradient")
		}
		same(t, "gradient", p.Grad(), Ones(2))
	}
}

// TestCompileCapturesTape: what was computed from leaves outside keeps its gradient; inside NoGrad nobody asks for it.
func TestCompileCapturesTape(t *testing.T) {
	w, v := Ones(2).RequiresGrad_(true), Ones(2).RequiresGrad_(true)
	h := w.Mul(2)
	f := Compile(func(x *Tensor) *Tensor { return x.Mul(h).Sum() })
	f(Ones(2)).Backward()
	same(t, "result", w.Grad(), Full([]int{2}, 2.0))

	w.ZeroGrad()
	k := Ones(2)
	g := Compile(func(x *Tensor) *Tensor { return x.Mul(k).Sum() })
	g(Ones(2))
	k.Assign(w.Mul(3))
	g(Ones(2)).Backward()
	same(t, "assigned later", w.Grad(), Full([]int{2}, 3.0))

	w.ZeroGrad()
	h = w.Mul(2)
	Compile(func(x *Tensor) *Tensor { l := x.Mul(h).Mul(v).Sum(); l.Backward(); return l.Detach() })(Ones(2))
	same(t, "inside", w.Grad(), Full([]int{2}, 2.0))

	h = w.Mul(2)
	still := Compile(func(x *Tensor) (y *Tensor) { NoGrad(func() { y = x.Mul(h).Sum() }); return y })
	still(Ones(2))
	still(Ones(2))
	if e := Explain(still); e.Traces != 1 || len(e.Steps) != 1 {
		t.Error(e)
	}
}

// TestEscapedValues: a value of a trace that is over is refused by everything that takes one.
func TestEscapedValues(t *testing.T) {
	var kept *Tensor
	Compile(func(x *Tensor) *Tensor { kept = x.Add(1); return kept.Mul(2) }, CompileOptions{Name: "mine"})(Ones(2))
	for what, f := range map[string]func(){
		"assign": func() { Ones(2).Assign(kept) }, "vmap": func() { VMap(func(x *Tensor) *Tensor { return x })(kept) }, "backward": func() { kept.Sum().Backward() },
		"read": func() { ToSlice[float32](kept) }, "eval": func() { kept.Eval() }, "in place": func() { kept.Add_(1) }, "captured": func() { Compile(func() *Tensor { return kept.Neg() })() },
	} {
		var e *Error
		if err := Try(f); !errors.Is(err, ErrTrace) || !errors.As(err, &e) || e.Msg == "" {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestConstantGradientsAreWhereTheirTensorsAre: a gradient that is made of constants alone lies on the device of its tensor, so that what a
// compiled function makes of it does too.
func TestConstantGradientsAreWhereTheirTensorsAre(t *testing.T) {
	late, _ := fake.New(cpu.Device)
	p := (&world{dev: late}).put(Ones(2)).RequiresGrad_(true)
	f := func(x *Tensor) *Tensor { return x.Mul(7).Sum() }
	_, vjp := VJP(f, p.Detach(), (&world{dev: late}).put(Scalar(1.0).To(Float32)))
	for what, g := range map[string]*Tensor{"grad": Grad(f)(p.Detach()), "vjp": vjp, "compiled": Compile(Grad(f))(p.Detach())} {
		if g.Eval().Device() != p.Device() {
			t.Errorf("%s is on %v", what, g.Device())
		}
	}
	clip := Compile(func() *Tensor { g := p.Grad(); g.Clamp_(-1, 1); return g.Sum() })
	for range 2 {
		p.ZeroGrad()
		f(p).Backward()
		if clip().Item() != 2 || p.Grad().Device() != p.Device() {
			t.Errorf("the clipped gradient is %v", p.Grad())
		}
		NoGrad(func() { p.Sub_(p.Grad()) })
	}
}

// TestFrozen: a tensor that does not require a gradient for a while keeps the one it has, and its hooks; also where compiled functions are called in
// between, some of which change it.
func TestFrozen(t *testing.T) {
	run := func(compile func(func(x *Tensor) *Tensor) func(x *Tensor) *Tensor) (log []*Tensor) {
		p, q := Ones(2).RequiresGrad_(true), Ones(2).RequiresGrad_(true)
		step := compile(func(x *Tensor) *Tensor { l := p.Mul(x).Add(q).Sum(); l.Backward(); return l })
		move := compile(func(x *Tensor) *Tensor {
			NoGrad(func() {
				if g := p.Grad(); g != nil {
					p.Sub_(g.Mul(x))
				}
			})
			return p.Detach()
		})
		p.RegisterHook(func(g *Tensor) *Tensor { return g.Mul(3) })
		for i := range 3 {
			log = append(log, step(Ones(2)))
			p.RequiresGrad_(false)
			log = append(log, step(Ones(2)), move(Ones(2)), p.Grad().Detach())
			p.Assign(p.Add(float64(i)))
			log = append(log, move(Ones(2)), p.Grad().Detach())
			p.ZeroGrad()
			log = append(log, move(Ones(2)))
			p.SetGrad(Full([]int{2}, 5.0))
			p.RequiresGrad_(true)
			log = append(log, step(Ones(2)), p.Grad().Detach())
		}
		return log
	}
	want := run(func(f func(x *Tensor) *Tensor) func(x *Tensor) *Tensor { return f })
	got := run(func(f func(x *Tensor) *Tensor) func(x *Tensor) *Tensor { return Compile(f) })
	for i := range want {
		same(t, fmt.Sprint("place ", i), got[i], want[i])
	}
	same(t, "gradients", Stack([]*Tensor{want[3], want[5], want[8]}, 0), New([]float32{3, 3, 3, 3, 8, 8}, 3, 2))
}

// TestCompiledElsewhere: a trace holds while a captured tensor has its gradient where it had it.
func TestCompiledElsewhere(t *testing.T) {
	p, v := Ones(2).RequiresGrad_(true), Ones(2)
	step := Compile(func(x *Tensor) *Tensor { l := p.Mul(x).Add(v).Sum(); l.Backward(); return l })
	grad := Compile(func(x *Tensor) *Tensor {
		if v.Grad() != nil {
			return x.Add(1)
		}
		return x.Add(0)
	})
	step(Ones(2))
	same(t, "none", grad(Ones(2)), Ones(2))
	v.RequiresGrad_(true)
	step(Ones(2))
	same(t, "one", grad(Ones(2)), Full([]int{2}, 2.0))
	v.RequiresGrad_(false)
	same(t, "still", grad(Ones(2)), Full([]int{2}, 2.0))
	same(t, "the other", p.Grad(), Full([]int{2}, 2.0))
}
