package compile

import (
	"errors"
	"fmt"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/backend/cpu"
	"github.com/lucid-go/lucid/internal/backend/fake"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

// TestCompiledAccumulation: a step that adds to gradients adds to those that are there at the call, no matter who cleared and filled the
// slots meanwhile.
func TestCompiledAccumulation(t *testing.T) {
	p := lucid.Ones(2).RequiresGrad_(true)
	ten := lucid.Full([]int{2}, 10.0)
	micro := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { l := p.Mul(x).Sum(); l.Backward(); return l })
	clip := lucid.Compile(func() *lucid.Tensor { g := p.Grad(); g.Clamp_(-1, 1); return g.Sum() })
	is := func(what string, want float64) {
		t.Helper()
		tensortest.Same(t, what, p.Grad(), lucid.Full([]int{2}, want))
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
		tensortest.Same(t, "held", held, p.Grad())
		p.ZeroGrad()
		micro(ten)
		clip()
		is("clipped anew", 1)
		tensortest.Same(t, "a gradient of before", held, lucid.Ones(2))
	}
}

// TestCompiledHooks: hooks on captured tensors are part of a trace.
func TestCompiledHooks(t *testing.T) {
	p := lucid.Ones(2).RequiresGrad_(true)
	step := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { p.ZeroGrad(); l := p.Mul(x).Sum(); l.Backward(); return l })
	is := func(what string, want float64) {
		t.Helper()
		step(lucid.Ones(2))
		tensortest.Same(t, what, p.Grad(), lucid.Full([]int{2}, want))
	}
	is("no hook", 1)
	h := p.RegisterHook(func(g *lucid.Tensor) *lucid.Tensor { return g.Mul(5) })
	is("a hook", 5)
	k := p.RegisterPostAccumulateGradHook(func(p *lucid.Tensor) { p.SetGrad(p.Grad().Add(1)) })
	is("two hooks", 6)
	h.Remove()
	is("the second alone", 2)
	k.Remove()
	is("none again", 1)
	if n := lucid.Explain(step).Traces; n != 5 {
		t.Errorf("%d traces", n)
	}
}

// TestCompiledUnfreezing: a tensor that stopped requiring a gradient and requires one again gets it.
func TestCompiledUnfreezing(t *testing.T) {
	p, q := lucid.New([]float32{1, 1}, 2).RequiresGrad_(true), lucid.New([]float32{1, 1}, 2).RequiresGrad_(true)
	step := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { p.ZeroGrad(); l := p.Mul(x).Mul(q).Sum(); l.Backward(); return l })
	step(lucid.Ones(2))
	for _, between := range []func(){func() {}, func() { step(lucid.Ones(2)) }} {
		p.RequiresGrad_(false)
		between()
		p.RequiresGrad_(true)
		step(lucid.Ones(2))
		if p.Grad() == nil {
			t.Fatal("no gradient")
		}
		tensortest.Same(t, "gradient", p.Grad(), lucid.Ones(2))
	}
}

// TestCompileCapturesTape: what was computed from leaves outside keeps its gradient; inside NoGrad no one asks for it.
func TestCompileCapturesTape(t *testing.T) {
	w, v := lucid.Ones(2).RequiresGrad_(true), lucid.Ones(2).RequiresGrad_(true)
	h := w.Mul(2)
	f := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return x.Mul(h).Sum() })
	f(lucid.Ones(2)).Backward()
	tensortest.Same(t, "result", w.Grad(), lucid.Full([]int{2}, 2.0))

	w.ZeroGrad()
	k := lucid.Ones(2)
	g := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return x.Mul(k).Sum() })
	g(lucid.Ones(2))
	k.Assign(w.Mul(3))
	g(lucid.Ones(2)).Backward()
	tensortest.Same(t, "assigned later", w.Grad(), lucid.Full([]int{2}, 3.0))

	w.ZeroGrad()
	h = w.Mul(2)
	lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { l := x.Mul(h).Mul(v).Sum(); l.Backward(); return l.Detach() })(lucid.Ones(2))
	tensortest.Same(t, "inside", w.Grad(), lucid.Full([]int{2}, 2.0))

	h = w.Mul(2)
	still := lucid.Compile(func(x *lucid.Tensor) (y *lucid.Tensor) { lucid.NoGrad(func() { y = x.Mul(h).Sum() }); return y })
	still(lucid.Ones(2))
	still(lucid.Ones(2))
	if e := lucid.Explain(still); e.Traces != 1 || len(e.Steps) != 1 {
		t.Error(e)
	}
}

// TestEscapedValues: a value of a trace that is over is refused by everything that takes one.
func TestEscapedValues(t *testing.T) {
	var escaped *lucid.Tensor
	lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { escaped = x.Add(1); return escaped.Mul(2) },
		lucid.CompileOptions{Name: "mine"})(lucid.Ones(2))
	for what, f := range map[string]func(){
		"assign": func() { lucid.Ones(2).Assign(escaped) }, "vmap": func() {
			lucid.VMap(func(x *lucid.Tensor) *lucid.Tensor { return x })(escaped)
		}, "backward": func() { escaped.Sum().Backward() },
		"read": func() { lucid.ToSlice[float32](escaped) }, "eval": func() { escaped.Eval() }, "in place": func() { escaped.Add_(1) },
		"captured": func() { lucid.Compile(func() *lucid.Tensor { return escaped.Neg() })() },
	} {
		var e *lucid.Error
		if err := lucid.Try(f); !errors.Is(err, lucid.ErrTrace) || !errors.As(err, &e) || e.Msg == "" {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestConstantGradientsAreWhereTheirTensorsAre: a gradient that is made of constants alone is on the device of its tensor, so that what a
// compiled function makes of it does too.
func TestConstantGradientsAreWhereTheirTensorsAre(t *testing.T) {
	late, _ := fake.New(cpu.Device)
	p := (&tensortest.Target{Dev: late}).Put(lucid.Ones(2)).RequiresGrad_(true)
	f := func(x *lucid.Tensor) *lucid.Tensor { return x.Mul(7).Sum() }
	_, vjp := lucid.VJP(f, p.Detach(), (&tensortest.Target{Dev: late}).Put(lucid.Scalar(1.0).To(lucid.Float32)))
	for what, g := range map[string]*lucid.Tensor{"grad": lucid.Grad(f)(p.Detach()), "vjp": vjp,
		"compiled": lucid.Compile(lucid.Grad(f))(p.Detach())} {
		if g.Eval().Device() != p.Device() {
			t.Errorf("%s is on %v", what, g.Device())
		}
	}
	clip := lucid.Compile(func() *lucid.Tensor { g := p.Grad(); g.Clamp_(-1, 1); return g.Sum() })
	for range 2 {
		p.ZeroGrad()
		f(p).Backward()
		if clip().Item() != 2 || p.Grad().Device() != p.Device() {
			t.Errorf("the clipped gradient is %v", p.Grad())
		}
		lucid.NoGrad(func() { p.Sub_(p.Grad()) })
	}
}

// TestFrozen: a tensor that does not require a gradient for a while keeps the one it has, and its hooks; also where compiled functions are
// called in between, some of which change it.
func TestFrozen(t *testing.T) {
	run := func(compile func(func(x *lucid.Tensor) *lucid.Tensor) func(x *lucid.Tensor) *lucid.Tensor) (log []*lucid.Tensor) {
		p, q := lucid.Ones(2).RequiresGrad_(true), lucid.Ones(2).RequiresGrad_(true)
		step := compile(func(x *lucid.Tensor) *lucid.Tensor { l := p.Mul(x).Add(q).Sum(); l.Backward(); return l })
		move := compile(func(x *lucid.Tensor) *lucid.Tensor {
			lucid.NoGrad(func() {
				if g := p.Grad(); g != nil {
					p.Sub_(g.Mul(x))
				}
			})
			return p.Detach()
		})
		p.RegisterHook(func(g *lucid.Tensor) *lucid.Tensor { return g.Mul(3) })
		for i := range 3 {
			log = append(log, step(lucid.Ones(2)))
			p.RequiresGrad_(false)
			log = append(log, step(lucid.Ones(2)), move(lucid.Ones(2)), p.Grad().Detach())
			p.Assign(p.Add(float64(i)))
			log = append(log, move(lucid.Ones(2)), p.Grad().Detach())
			p.ZeroGrad()
			log = append(log, move(lucid.Ones(2)))
			p.SetGrad(lucid.Full([]int{2}, 5.0))
			p.RequiresGrad_(true)
			log = append(log, step(lucid.Ones(2)), p.Grad().Detach())
		}
		return log
	}
	want := run(func(f func(x *lucid.Tensor) *lucid.Tensor) func(x *lucid.Tensor) *lucid.Tensor { return f })
	got := run(func(f func(x *lucid.Tensor) *lucid.Tensor) func(x *lucid.Tensor) *lucid.Tensor {
		return lucid.Compile(f)
	})
	for i := range want {
		tensortest.Same(t, fmt.Sprint("position ", i), got[i], want[i])
	}
	tensortest.Same(t, "gradients", lucid.Stack([]*lucid.Tensor{want[3], want[5], want[8]}, 0),
		lucid.New([]float32{3, 3, 3, 3, 8, 8}, 3, 2))
}

// TestCompiledElsewhere: a trace holds while a captured tensor has its gradient where it had it.
func TestCompiledElsewhere(t *testing.T) {
	p, v := lucid.Ones(2).RequiresGrad_(true), lucid.Ones(2)
	step := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { l := p.Mul(x).Add(v).Sum(); l.Backward(); return l })
	grad := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor {
		if v.Grad() != nil {
			return x.Add(1)
		}
		return x.Add(0)
	})
	step(lucid.Ones(2))
	tensortest.Same(t, "none", grad(lucid.Ones(2)), lucid.Ones(2))
	v.RequiresGrad_(true)
	step(lucid.Ones(2))
	tensortest.Same(t, "one", grad(lucid.Ones(2)), lucid.Full([]int{2}, 2.0))
	v.RequiresGrad_(false)
	tensortest.Same(t, "still", grad(lucid.Ones(2)), lucid.Full([]int{2}, 2.0))
	tensortest.Same(t, "the other", p.Grad(), lucid.Full([]int{2}, 2.0))
}
