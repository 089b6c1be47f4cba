package lucid

import (
	"errors"
	"testing"
)

// TestCompileWritesArguments: an argument that the function assigns is assigned for the caller, as without Compile.
func TestCompileWritesArguments(t *testing.T) {
	Seed(1)
	start := Randn(8, 4).Eval()
	w0 := Randn(8, 4).Eval()
	type state struct{ M, V *Tensor }
	for name, f := range map[string]func(x, w *Tensor, s state) *Tensor{
		"in place": func(x, w *Tensor, s state) *Tensor { x.Add_(w); return x.Sum() },
		"returned": func(x, w *Tensor, s state) *Tensor { return x.Mul_(w) },
		"twice": func(x, w *Tensor, s state) *Tensor {
			old := x.Clone()
			x.Mul_(w)
			x.Sub_(old)
			return old.Add(x)
		},
		"swapped": func(x, w *Tensor, s state) *Tensor {
			a, b := x.Clone(), s.M.Clone()
			x.Assign(b)
			s.M.Assign(a)
			return x.Sub(s.M)
		},
		"in a tree": func(x, w *Tensor, s state) *Tensor {
			s.M.Mul_(0.9).Add_(x)
			s.V.Mul_(0.99).Add_(x.Square())
			return w.Sub(s.M.Div(s.V.Sqrt().Add(1)))
		},
	} {
		g := Compile(f)
		x, y := start.Clone().Contiguous().Eval(), start.Clone().Contiguous().Eval()
		a, b := state{Zeros(8, 4), Zeros(8, 4)}, state{Zeros(8, 4), Zeros(8, 4)}
		for range 4 {
			same(t, name, g(x, w0, a), f(y, w0, b))
			same(t, name+": argument", x, y)
			same(t, name+": M", a.M, b.M)
			same(t, name+": V", a.V, b.V)
		}
		if e := Explain(g); e.Traces > 2 {
			t.Errorf("%s: %v", name, e)
		}
	}
	// Memory that nobody else looks at is written over.
	step := Compile(func(x *Tensor) *Tensor { return x.Add_(1).Sum() })
	x := start.Clone().Contiguous().Eval()
	step(x)
	before := MemoryStats(DefaultDevice()).Donated
	for range 5 {
		step(x)
	}
	if d := MemoryStats(DefaultDevice()).Donated - before; d != 5 {
		t.Errorf("%d of 5 updates were in place", d)
	}
	held := x.Clone()
	want := ToSlice[float32](held)
	step(x)
	for i, v := range ToSlice[float32](held) {
		if v != want[i] {
			t.Fatal("a clone changed")
		}
	}
}

// TestCompileOneTensorTwice: one tensor may come as two arguments, or as an argument and as one that the function captures.
func TestCompileOneTensorTwice(t *testing.T) {
	f := func(x, y *Tensor) *Tensor { x.Add_(1); return x.Mul(10).Add(y) }
	g := Compile(f)
	g(Zeros(3), Ones(3))
	a, b := Ones(3).Eval(), Ones(3).Eval()
	for range 3 {
		same(t, "two arguments", g(a, a), f(b, b))
		same(t, "two arguments, after", a, b)
	}
	w, v := Ones(3).Eval(), Ones(3).Eval()
	of := func(w *Tensor) func(x *Tensor) *Tensor {
		return func(x *Tensor) *Tensor { w.Mul_(3); return x.Add(w) }
	}
	h, plain := Compile(of(w)), of(v)
	same(t, "another one", h(Ones(3)), plain(Ones(3)))
	same(t, "captured", h(w), plain(v))
	same(t, "captured, after", w, v)
	into := func(w *Tensor) func(x *Tensor) *Tensor {
		return func(x *Tensor) *Tensor { x.Mul_(3); return x.Add(w) }
	}
	k, plain := Compile(into(w)), into(v)
	same(t, "another one", k(Ones(3)), plain(Ones(3)))
	same(t, "read as captured", k(w), plain(v))
	same(t, "read as captured, after", w, v)
	// A view refuses to be written in place, compiled or not.
	m := Ones(3, 3).Eval()
	if err := Try(func() { g(m.At(0), Ones(3)) }); err == nil || err.Error() != Try(func() { f(m.At(0), Ones(3)) }).Error() {
		t.Errorf("a view: %v", err)
	}
}

// TestCompileWritesLeafArguments: parameters that are arguments stay leaves, on their slots.
func TestCompileWritesLeafArguments(t *testing.T) {
	w, g := Ones(3).RequiresGrad_(true), Ones(3)
	w.Square().Sum().Backward()
	step := Compile(func(w, g *Tensor) *Tensor { w.Sub_(g.Mul(0.5)); return w.Sum() })
	NoGrad(func() { step(w, g); step(w, g) })
	if !w.IsLeaf() || !w.RequiresGrad() || w.Detach().Sum().Item() != 0 || w.Grad().Sum().Item() != 6 {
		t.Errorf("%v with gradient %v", w, w.Grad())
	}
}

// TestCompileLeavesInside: a leaf made inside has a gradient of its own at every call, and one trace serves all of them.
func TestCompileLeavesInside(t *testing.T) {
	Seed(3)
	x, y := Randn(4).Eval(), Randn(4).Eval()
	inside := func(x *Tensor) *Tensor {
		l := x.Mul(2).Detach().RequiresGrad_(true)
		h := l.Square().RetainGrad()
		h.Mul(x).Sum().Backward()
		return l.Grad().Add(h.Grad())
	}
	for _, check := range []bool{false, true} {
		f := Compile(inside, CompileOptions{Check: check})
		for _, v := range []*Tensor{x, y, x} {
			same(t, "gradient", f(v), inside(v))
		}
		if e := Explain(f); e.Traces != 1 {
			t.Errorf("%v", e)
		}
	}
	// A tensor from outside that becomes a leaf has the gradient afterwards, and keeps it while it is none.
	w, v := Randn(4).Eval(), (*Tensor)(nil)
	v = w.Clone().Contiguous().Eval()
	for _, check := range []bool{false, true} {
		leaf := func(w *Tensor) func(x *Tensor) *Tensor {
			return func(x *Tensor) *Tensor {
				w.RequiresGrad_(false).RequiresGrad_(true)
				loss := w.Mul(x).Square().Sum()
				loss.Backward()
				return loss.Detach()
			}
		}
		f, plain := Compile(leaf(w), CompileOptions{Check: check}), leaf(v)
		for _, a := range []*Tensor{x, y, x, y} {
			same(t, "loss", f(a), plain(a))
			same(t, "gradient outside", w.Grad(), v.Grad())
		}
		if e := Explain(f); e.Traces > 2 { // at the first call it was no leaf
			t.Errorf("%v", e)
		}
	}
	// Asked for after the call, it is gone.
	var kept *Tensor
	f := Compile(func(x *Tensor) *Tensor {
		kept = x.Detach().RequiresGrad_(true)
		kept.Mul(x).Sum().Backward()
		return x.Add(1)
	})
	f(x)
	if err := Try(func() { kept.Grad() }); !errors.Is(err, ErrTrace) {
		t.Errorf("a gradient that was kept: %v", err)
	}
}

// TestCompileStateChangesPlaces: tensors that exchange their values, or hand them on, while others are computed from them.
func TestCompileStateChangesPlaces(t *testing.T) {
	Seed(4)
	for name, turn := range map[string]func(s []*Tensor, x *Tensor) *Tensor{
		"two": func(s []*Tensor, x *Tensor) *Tensor {
			a, b := s[0].Clone(), s[1].Clone()
			s[0].Assign(b)
			s[1].Assign(a)
			return s[0].Sub(s[1])
		},
		"three": func(s []*Tensor, x *Tensor) *Tensor {
			a := s[0].Clone()
			s[0].Assign(s[1])
			s[1].Assign(s[2])
			s[2].Assign(a.Mul(x))
			return s[0].Add(s[1]).Mul(s[2])
		},
		"handed on": func(s []*Tensor, x *Tensor) *Tensor {
			s[2].Assign(s[1])
			s[1].Assign(s[0])
			s[0].Add_(x)
			return s[0].Mul(s[1]).Mul(s[2])
		},
		"a view": func(s []*Tensor, x *Tensor) *Tensor {
			a := s[0].Clone()
			s[0].Assign(s[1].Transpose(0, 1).Reshape(6, 6))
			s[1].Assign(a.Add(s[1]))
			return s[0].Sub(s[1])
		},
	} {
		var ours, plain []*Tensor
		for range 3 {
			v := Randn(6, 6).Eval()
			ours, plain = append(ours, v.Clone().Contiguous().Eval()), append(plain, v.Clone().Contiguous().Eval())
		}
		x := Randn(6, 6).Eval()
		captured := Compile(func(x *Tensor) *Tensor { return turn(ours, x) })
		given := Compile(turn)
		for i := range 8 {
			var got *Tensor
			if i%4 < 2 {
				got = captured(x)
			} else {
				got = given(ours, x)
			}
			same(t, name, got, turn(plain, x))
			for k := range ours {
				same(t, name+", state", ours[k], plain[k])
			}
		}
	}
}
