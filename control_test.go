package lucid

import (
	"context"
	"errors"
	"math"
	"testing"
)

func newton(a *Tensor) *Tensor {
	type state struct{ X, Err *Tensor }
	end := While(
		func(s state) *Tensor { return s.Err.Gt(1e-12) },
		func(s state) state {
			next := s.X.Add(a.Div(s.X)).Mul(0.5)
			return state{next, next.Sub(s.X).Abs()}
		}, state{a, Scalar(1.0).To(Float64)})
	return end.X
}

func TestCond(t *testing.T) {
	f := func(x *Tensor) *Tensor {
		return Cond(x.Sum().Gt(0), func(x *Tensor) *Tensor { return x.Mul(x) }, func(x *Tensor) *Tensor { return x.Neg() }, x)
	}
	pos, neg := New([]float64{1, 2}, 2), New([]float64{-1, -2}, 2)
	c := Compile(f)
	for _, g := range []func(*Tensor) *Tensor{f, c} {
		if g(pos).Sum().Item() != 5 || g(neg).Sum().Item() != 3 {
			t.Fatalf("%v %v", g(pos), g(neg))
		}
	}
	if n := Explain(c).Traces; n != 1 {
		t.Errorf("%d traces", n)
	}
	grad := Grad(func(x *Tensor) *Tensor { return f(x).Sum() })
	if g := grad(pos); g.At(1).Item() != 4 {
		t.Errorf("gradient %v", g)
	}
	if g := Compile(grad)(neg); g.At(0).Item() != -1 {
		t.Errorf("gradient %v", g)
	}
	second := Grad(func(x *Tensor) *Tensor { return grad(x).Sum() })
	if g := second(pos); g.At(0).Item() != 2 {
		t.Errorf("second derivative %v", g)
	}
	both := Stack([]*Tensor{pos, neg}, 0)
	if y := VMap(f)(both); y.At(0, 1).Item() != 4 || y.At(1, 1).Item() != 2 {
		t.Errorf("vmap %v", y)
	}
	_, tan := JVP(f, pos, New([]float64{1, 1}, 2))
	if tan.At(1).Item() != 4 {
		t.Errorf("jvp %v", tan)
	}
}

func TestCondWrites(t *testing.T) {
	count := Zeros()
	f := func(x *Tensor) *Tensor {
		return Cond(x.Gt(0), func(x *Tensor) *Tensor { count.Add_(1); return x }, func(x *Tensor) *Tensor { return x.Neg() }, x)
	}
	c := Compile(f)
	for _, v := range []float32{1, -1, 2, 3, -5} {
		c(Scalar(v))
		f(Scalar(v))
	}
	if count.Item() != 6 {
		t.Errorf("count %v", count)
	}
}

func TestSwitch(t *testing.T) {
	fs := []func(*Tensor) *Tensor{
		func(x *Tensor) *Tensor { return x.Add(1) }, func(x *Tensor) *Tensor { return x.Mul(10) }, func(x *Tensor) *Tensor { return x.Neg() }}
	for i, want := range map[int]float64{-3: 3, 0: 3, 1: 20, 2: -2, 9: -2} {
		if got := Switch(Scalar(i), fs, Scalar(2.0)).Item(); got != want {
			t.Errorf("branch %d gives %v, want %v", i, got, want)
		}
	}
	at := func(i, x *Tensor) *Tensor { return Switch(i, fs, x) }
	if y := VMap(at)(New([]int64{0, 1, 2, 5}, 4), New([]float64{1, 2, 3, 4}, 4)); y.String() != New([]float64{2, 20, -3, -4}, 4).String() {
		t.Errorf("vmap %v", y)
	}
}

func TestWhile(t *testing.T) {
	c := Compile(newton)
	for _, v := range []float64{2, 9, 1e6} {
		x := New([]float64{v}).Reshape()
		for _, f := range []func(*Tensor) *Tensor{newton, c} {
			if got := f(x).Item(); math.Abs(got*got-v) > 1e-6*v {
				t.Errorf("root of %v is %v", v, got)
			}
		}
	}
	if n := Explain(c).Traces; n != 1 {
		t.Errorf("%d traces", n)
	}
	_, tan := JVP(newton, New([]float64{9}).Reshape(), New([]float64{1}).Reshape())
	if got := tan.Item(); math.Abs(got-1.0/6) > 1e-9 {
		t.Errorf("derivative of the root at 9 is %v", got)
	}
	roots := VMap(newton)(New([]float64{4, 9, 16}, 3))
	if roots.At(2).Item() != 4 || roots.At(0).Item() != 2 {
		t.Errorf("vmap %v", roots)
	}
	err := Try(func() { Grad(newton)(New([]float64{9}).Reshape()).Item() })
	if !errors.Is(err, ErrGradient) {
		t.Errorf("reverse mode without a bound: %v", err)
	}
	bounded := func(a *Tensor) *Tensor {
		return While(func(x *Tensor) *Tensor { return x.Mul(x).Sub(a).Abs().Gt(1e-9) },
			func(x *Tensor) *Tensor { return x.Add(a.Div(x)).Mul(0.5) }, a, WhileOptions{MaxSteps: 20})
	}
	if got := Grad(bounded)(New([]float64{9}).Reshape()).Item(); math.Abs(got-1.0/6) > 1e-9 {
		t.Errorf("gradient of the bounded root %v", got)
	}
}

func TestWhileLong(t *testing.T) {
	n := 100_000
	before := MemoryStats(CPU).Allocated
	end := While(func(i *Tensor) *Tensor { return i.Lt(n) }, func(i *Tensor) *Tensor { return i.Add(1) }, Scalar(int64(0)))
	if end.Item() != float64(n) {
		t.Error(end)
	}
	if grown := MemoryStats(CPU).Allocated - before; grown > 1<<20 {
		t.Errorf("the loop left %d bytes", grown)
	}
}

func TestWhileCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := EvalContext(ctx, While(func(i *Tensor) *Tensor { return i.Ge(0) }, func(i *Tensor) *Tensor { return i }, Scalar(int64(0))))
	if err == nil {
		t.Error("an endless loop ended")
	}
}

func scanStep(h, x *Tensor) (*Tensor, *Tensor) {
	h = h.Mul(0.9).Add(x).Tanh()
	return h, h.Square()
}

func TestScan(t *testing.T) {
	Seed(3)
	w := With{DType: Float64}.Randn(4)
	step := func(h, x *Tensor) (*Tensor, *Tensor) {
		h = h.Mul(w).Add(x).Tanh()
		return h, h.Square()
	}
	for _, o := range []ScanOptions{{}, {Reverse: true}, {Checkpoint: 3}, {Checkpoint: 3, Reverse: true}, {Checkpoint: 5}} {
		scanned := func(xs *Tensor) *Tensor {
			h, ys := Scan(step, With{DType: Float64}.Zeros(4), xs, o)
			return ys.Mul(With{DType: Float64}.Arange(1, 11).Reshape(10, 1)).Sum().Add(h.Sum())
		}
		written := func(xs *Tensor) *Tensor {
			h, sum := With{DType: Float64}.Zeros(4), With{DType: Float64}.Zeros()
			for k := range xs.Size(0) {
				i := k
				if o.Reverse {
					i = xs.Size(0) - 1 - k
				}
				var y *Tensor
				h, y = step(h, xs.At(i))
				sum = sum.Add(y.Sum().Mul(float64(i + 1)))
			}
			return sum.Add(h.Sum())
		}
		close := CloseOptions{RTol: new(1e-12), ATol: new(1e-12)}
		xs := With{DType: Float64}.Randn(10, 4)
		if !AllClose(scanned(xs), written(xs), close) {
			t.Errorf("%+v: %v, want %v", o, scanned(xs), written(xs))
		}
		want := Grad(written)(xs)
		if got := Grad(scanned)(xs); !AllClose(got, want, close) {
			t.Errorf("%+v gradient\n%v, want\n%v", o, got, want)
		}
		if got := Compile(Grad(scanned))(xs); !AllClose(got, want, close) {
			t.Errorf("%+v compiled gradient\n%v, want\n%v", o, got, want)
		}
		hvp := func(f func(*Tensor) *Tensor) func(*Tensor) *Tensor {
			return Grad(func(x *Tensor) *Tensor { return Grad(f)(x).Square().Sum() })
		}
		if got, want := hvp(scanned)(xs), hvp(written)(xs); !AllClose(got, want, close) {
			t.Errorf("%+v second order\n%v, want\n%v", o, got, want)
		}
		_, got := JVP(scanned, xs, xs)
		_, wantTan := JVP(written, xs, xs)
		if !AllClose(got, wantTan, close) {
			t.Errorf("%+v jvp %v, want %v", o, got, wantTan)
		}
		batch := With{DType: Float64}.Randn(3, 10, 4)
		if got, want := VMap(Grad(scanned))(batch).At(1), Grad(written)(batch.At(1)); !AllClose(got, want, close) {
			t.Errorf("%+v vmap of the gradient\n%v, want\n%v", o, got, want)
		}
	}
}

func TestScanCapturedGradient(t *testing.T) {
	Seed(1)
	w := With{DType: Float64}.Randn(4, 4).RequiresGrad_(true)
	xs := With{DType: Float64}.Randn(6, 2, 4)
	run := func(scan bool) *Tensor {
		w.ZeroGrad()
		h := With{DType: Float64}.Zeros(2, 4)
		step := func(h, x *Tensor) (*Tensor, *Tensor) { h = h.MatMul(w).Add(x).Tanh(); return h, h }
		if scan {
			h, _ = Scan(step, h, xs)
		} else {
			for i := range 6 {
				h, _ = step(h, xs.At(i))
			}
		}
		h.Square().Sum().Backward()
		return w.Grad().Clone()
	}
	if a, b := run(true), run(false); !AllClose(a, b, CloseOptions{RTol: new(1e-12)}) {
		t.Errorf("%v\n%v", a, b)
	}
}

func TestScanRandom(t *testing.T) {
	Seed(5)
	_, ys := Scan(func(c []*Tensor, x *Tensor) ([]*Tensor, *Tensor) { return c, Rand(3).Add(x) }, nil, Zeros(4))
	Seed(5)
	for i := range 4 {
		if want := Rand(3); !AllClose(ys.At(i), want) {
			t.Errorf("step %d: %v, want %v", i, ys.At(i), want)
		}
	}
}

func TestScanEmpty(t *testing.T) {
	h, ys := Scan(scanStep, Ones(4), Zeros(0, 4))
	if h.Sum().Item() != 4 || ys.Size(0) != 0 {
		t.Errorf("%v %v", h, ys)
	}
}

func TestControlRefuses(t *testing.T) {
	x := Ones(3)
	for name, f := range map[string]func(){
		"shape of branches": func() { Cond(x.Sum(), func(x *Tensor) *Tensor { return x }, func(x *Tensor) *Tensor { return x.Sum() }, x) },
		"condition":         func() { Cond(x, func(x *Tensor) *Tensor { return x }, func(x *Tensor) *Tensor { return x }, x) },
		"dtype of state":    func() { While(func(x *Tensor) *Tensor { return x.Sum() }, func(x *Tensor) *Tensor { return x.To(Float64) }, x) },
		"reading inside":    func() { Scan(func(c, x *Tensor) (*Tensor, *Tensor) { x.Item(); return c, x }, x.Sum(), x) },
		"lengths":           func() { Scan(func(c *Tensor, x []*Tensor) (*Tensor, *Tensor) { return c, c }, x.Sum(), []*Tensor{Ones(3), Ones(4)}) },
	} {
		var e *Error
		if err := Try(f); !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		} else {
			t.Log(err)
		}
	}
}
