package compile

import (
	"errors"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

// TestCompileWritesArguments: an argument that the function assigns is assigned for the caller, as without Compile.
func TestCompileWritesArguments(t *testing.T) {
	lucid.Seed(1)
	start := lucid.Randn(8, 4).Eval()
	w0 := lucid.Randn(8, 4).Eval()
	type state struct{ M, V *lucid.Tensor }
	for name, f := range map[string]func(x, w *lucid.Tensor, s state) *lucid.Tensor{
		"in place": func(x, w *lucid.Tensor, s state) *lucid.Tensor { x.Add_(w); return x.Sum() },
		"returned": func(x, w *lucid.Tensor, s state) *lucid.Tensor { return x.Mul_(w) },
		"twice": func(x, w *lucid.Tensor, s state) *lucid.Tensor {
			old := x.Clone()
			x.Mul_(w)
			x.Sub_(old)
			return old.Add(x)
		},
		"swapped": func(x, w *lucid.Tensor, s state) *lucid.Tensor {
			a, b := x.Clone(), s.M.Clone()
			x.Assign(b)
			s.M.Assign(a)
			return x.Sub(s.M)
		},
		"in a tree": func(x, w *lucid.Tensor, s state) *lucid.Tensor {
			s.M.Mul_(0.9).Add_(x)
			s.V.Mul_(0.99).Add_(x.Square())
			return w.Sub(s.M.Div(s.V.Sqrt().Add(1)))
		},
	} {
		g := lucid.Compile(f)
		x, y := start.Clone().Contiguous().Eval(), start.Clone().Contiguous().Eval()
		a, b := state{lucid.Zeros(8, 4), lucid.Zeros(8, 4)}, state{lucid.Zeros(8, 4), lucid.Zeros(8, 4)}
		for range 4 {
			tensortest.Same(t, name, g(x, w0, a), f(y, w0, b))
			tensortest.Same(t, name+": argument", x, y)
			tensortest.Same(t, name+": M", a.M, b.M)
			tensortest.Same(t, name+": V", a.V, b.V)
		}
		if e := lucid.Explain(g); e.Traces > 2 {
			t.Errorf("%s: %v", name, e)
		}
	}
	// Memory that no one else reads is written over.
	step := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return x.Add_(1).Sum() })
	x := start.Clone().Contiguous().Eval()
	step(x)
	before := lucid.MemoryStats(lucid.DefaultDevice()).Donated
	for range 5 {
		step(x)
	}
	if d := lucid.MemoryStats(lucid.DefaultDevice()).Donated - before; d != 5 {
		t.Errorf("%d of 5 updates were in place", d)
	}
	held := x.Clone()
	want := lucid.ToSlice[float32](held)
	step(x)
	for i, v := range lucid.ToSlice[float32](held) {
		if v != want[i] {
			t.Fatal("a clone changed")
		}
	}
}

// TestCompileOneTensorTwice: one tensor may come as two arguments, or as an argument and as one that the function captures.
func TestCompileOneTensorTwice(t *testing.T) {
	f := func(x, y *lucid.Tensor) *lucid.Tensor { x.Add_(1); return x.Mul(10).Add(y) }
	g := lucid.Compile(f)
	g(lucid.Zeros(3), lucid.Ones(3))
	a, b := lucid.Ones(3).Eval(), lucid.Ones(3).Eval()
	for range 3 {
		tensortest.Same(t, "two arguments", g(a, a), f(b, b))
		tensortest.Same(t, "two arguments, after", a, b)
	}
	w, v := lucid.Ones(3).Eval(), lucid.Ones(3).Eval()
	of := func(w *lucid.Tensor) func(x *lucid.Tensor) *lucid.Tensor {
		return func(x *lucid.Tensor) *lucid.Tensor { w.Mul_(3); return x.Add(w) }
	}
	h, plain := lucid.Compile(of(w)), of(v)
	tensortest.Same(t, "another one", h(lucid.Ones(3)), plain(lucid.Ones(3)))
	tensortest.Same(t, "captured", h(w), plain(v))
	tensortest.Same(t, "captured, after", w, v)
	into := func(w *lucid.Tensor) func(x *lucid.Tensor) *lucid.Tensor {
		return func(x *lucid.Tensor) *lucid.Tensor { x.Mul_(3); return x.Add(w) }
	}
	k, plain := lucid.Compile(into(w)), into(v)
	tensortest.Same(t, "another one", k(lucid.Ones(3)), plain(lucid.Ones(3)))
	tensortest.Same(t, "read as captured", k(w), plain(v))
	tensortest.Same(t, "read as captured, after", w, v)
	// A view refuses to be written in place, compiled or not.
	m := lucid.Ones(3, 3).Eval()
	if err := lucid.Try(func() { g(m.At(0), lucid.Ones(3)) }); err == nil ||
		err.Error() != lucid.Try(func() { f(m.At(0), lucid.Ones(3)) }).Error() {
		t.Errorf("a view: %v", err)
	}
}

// TestCompileWritesLeafArguments: parameters that are arguments stay leaves, on their slots.
func TestCompileWritesLeafArguments(t *testing.T) {
	w, g := lucid.Ones(3).RequiresGrad_(true), lucid.Ones(3)
	w.Square().Sum().Backward()
	step := lucid.Compile(func(w, g *lucid.Tensor) *lucid.Tensor { w.Sub_(g.Mul(0.5)); return w.Sum() })
	lucid.NoGrad(func() { step(w, g); step(w, g) })
	if !w.IsLeaf() || !w.RequiresGrad() || w.Detach().Sum().Item() != 0 || w.Grad().Sum().Item() != 6 {
		t.Errorf("%v with gradient %v", w, w.Grad())
	}
}

// TestCompileLeavesInside: a leaf made inside has a gradient of its own at every call, and one trace serves all of them.
func TestCompileLeavesInside(t *testing.T) {
	lucid.Seed(3)
	x, y := lucid.Randn(4).Eval(), lucid.Randn(4).Eval()
	inside := func(x *lucid.Tensor) *lucid.Tensor {
		l := x.Mul(2).Detach().RequiresGrad_(true)
		h := l.Square().RetainGrad()
		h.Mul(x).Sum().Backward()
		return l.Grad().Add(h.Grad())
	}
	for _, check := range []bool{false, true} {
		f := lucid.Compile(inside, lucid.CompileOptions{Check: check})
		for _, v := range []*lucid.Tensor{x, y, x} {
			tensortest.Same(t, "gradient", f(v), inside(v))
		}
		if e := lucid.Explain(f); e.Traces != 1 {
			t.Errorf("%v", e)
		}
	}
	// A tensor from outside that becomes a leaf has the gradient afterwards, and keeps it while it is none.
	w, v := lucid.Randn(4).Eval(), (*lucid.Tensor)(nil)
	v = w.Clone().Contiguous().Eval()
	for _, check := range []bool{false, true} {
		leaf := func(w *lucid.Tensor) func(x *lucid.Tensor) *lucid.Tensor {
			return func(x *lucid.Tensor) *lucid.Tensor {
				w.RequiresGrad_(false).RequiresGrad_(true)
				loss := w.Mul(x).Square().Sum()
				loss.Backward()
				return loss.Detach()
			}
		}
		f, plain := lucid.Compile(leaf(w), lucid.CompileOptions{Check: check}), leaf(v)
		for _, a := range []*lucid.Tensor{x, y, x, y} {
			tensortest.Same(t, "loss", f(a), plain(a))
			tensortest.Same(t, "gradient outside", w.Grad(), v.Grad())
		}
		if e := lucid.Explain(f); e.Traces > 2 { // at the first call it was no leaf
			t.Errorf("%v", e)
		}
	}
	// Asked for after the call, it is gone.
	var escaped *lucid.Tensor
	f := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor {
		escaped = x.Detach().RequiresGrad_(true)
		escaped.Mul(x).Sum().Backward()
		return x.Add(1)
	})
	f(x)
	if err := lucid.Try(func() { escaped.Grad() }); !errors.Is(err, lucid.ErrTrace) {
		t.Errorf("a gradient that was escaped: %v", err)
	}
}

// TestCompileStateIsExchanged: tensors that exchange their values, or hand them on, while others are computed from them.
func TestCompileStateIsExchanged(t *testing.T) {
	lucid.Seed(4)
	for name, exchange := range map[string]func(s []*lucid.Tensor, x *lucid.Tensor) *lucid.Tensor{
		"two": func(s []*lucid.Tensor, x *lucid.Tensor) *lucid.Tensor {
			a, b := s[0].Clone(), s[1].Clone()
			s[0].Assign(b)
			s[1].Assign(a)
			return s[0].Sub(s[1])
		},
		"three": func(s []*lucid.Tensor, x *lucid.Tensor) *lucid.Tensor {
			a := s[0].Clone()
			s[0].Assign(s[1])
			s[1].Assign(s[2])
			s[2].Assign(a.Mul(x))
			return s[0].Add(s[1]).Mul(s[2])
		},
		"handed on": func(s []*lucid.Tensor, x *lucid.Tensor) *lucid.Tensor {
			s[2].Assign(s[1])
			s[1].Assign(s[0])
			s[0].Add_(x)
			return s[0].Mul(s[1]).Mul(s[2])
		},
		"a view": func(s []*lucid.Tensor, x *lucid.Tensor) *lucid.Tensor {
			a := s[0].Clone()
			s[0].Assign(s[1].Transpose(0, 1).Reshape(6, 6))
			s[1].Assign(a.Add(s[1]))
			return s[0].Sub(s[1])
		},
	} {
		var ours, plain []*lucid.Tensor
		for range 3 {
			v := lucid.Randn(6, 6).Eval()
			ours, plain = append(ours, v.Clone().Contiguous().Eval()), append(plain, v.Clone().Contiguous().Eval())
		}
		x := lucid.Randn(6, 6).Eval()
		captured := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return exchange(ours, x) })
		given := lucid.Compile(exchange)
		for i := range 8 {
			var got *lucid.Tensor
			if i%4 < 2 {
				got = captured(x)
			} else {
				got = given(ours, x)
			}
			tensortest.Same(t, name, got, exchange(plain, x))
			for k := range ours {
				tensortest.Same(t, name+", state", ours[k], plain[k])
			}
		}
	}
}
