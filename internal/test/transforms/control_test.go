package transforms

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
)

func newton(a *lucid.Tensor) *lucid.Tensor {
	type state struct{ X, Err *lucid.Tensor }
	end := lucid.While(
		func(s state) *lucid.Tensor { return s.Err.Gt(1e-12) },
		func(s state) state {
			next := s.X.Add(a.Div(s.X)).Mul(0.5)
			return state{next, next.Sub(s.X).Abs()}
		}, state{a, lucid.Scalar(1.0).To(lucid.Float64)})
	return end.X
}

func TestCond(t *testing.T) {
	f := func(x *lucid.Tensor) *lucid.Tensor {
		return lucid.Cond(x.Sum().Gt(0), func(x *lucid.Tensor) *lucid.Tensor { return x.Mul(x) },
			func(x *lucid.Tensor) *lucid.Tensor { return x.Neg() }, x)
	}
	pos, neg := lucid.New([]float64{1, 2}, 2), lucid.New([]float64{-1, -2}, 2)
	c := lucid.Compile(f)
	for _, g := range []func(*lucid.Tensor) *lucid.Tensor{f, c} {
		if g(pos).Sum().Item() != 5 || g(neg).Sum().Item() != 3 {
			t.Fatalf("%v %v", g(pos), g(neg))
		}
	}
	if n := lucid.Explain(c).Traces; n != 1 {
		t.Errorf("%d traces", n)
	}
	grad := lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { return f(x).Sum() })
	if g := grad(pos); g.At(1).Item() != 4 {
		t.Errorf("gradient %v", g)
	}
	if g := lucid.Compile(grad)(neg); g.At(0).Item() != -1 {
		t.Errorf("gradient %v", g)
	}
	second := lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { return grad(x).Sum() })
	if g := second(pos); g.At(0).Item() != 2 {
		t.Errorf("second derivative %v", g)
	}
	both := lucid.Stack([]*lucid.Tensor{pos, neg}, 0)
	if y := lucid.VMap(f)(both); y.At(0, 1).Item() != 4 || y.At(1, 1).Item() != 2 {
		t.Errorf("vmap %v", y)
	}
	_, tan := lucid.JVP(f, pos, lucid.New([]float64{1, 1}, 2))
	if tan.At(1).Item() != 4 {
		t.Errorf("jvp %v", tan)
	}
}

func TestCondWrites(t *testing.T) {
	count := lucid.Zeros()
	f := func(x *lucid.Tensor) *lucid.Tensor {
		return lucid.Cond(x.Gt(0), func(x *lucid.Tensor) *lucid.Tensor { count.Add_(1); return x },
			func(x *lucid.Tensor) *lucid.Tensor { return x.Neg() }, x)
	}
	c := lucid.Compile(f)
	for _, v := range []float32{1, -1, 2, 3, -5} {
		c(lucid.Scalar(v))
		f(lucid.Scalar(v))
	}
	if count.Item() != 6 {
		t.Errorf("count %v", count)
	}
}

func TestSwitch(t *testing.T) {
	fs := []func(*lucid.Tensor) *lucid.Tensor{
		func(x *lucid.Tensor) *lucid.Tensor { return x.Add(1) }, func(x *lucid.Tensor) *lucid.Tensor { return x.Mul(10) },
		func(x *lucid.Tensor) *lucid.Tensor { return x.Neg() }}
	for i, want := range map[int]float64{-3: 3, 0: 3, 1: 20, 2: -2, 9: -2} {
		if got := lucid.Switch(lucid.Scalar(i), fs, lucid.Scalar(2.0)).Item(); got != want {
			t.Errorf("branch %d gives %v, want %v", i, got, want)
		}
	}
	at := func(i, x *lucid.Tensor) *lucid.Tensor { return lucid.Switch(i, fs, x) }
	if y := lucid.VMap(at)(lucid.New([]int64{0, 1, 2, 5}, 4), lucid.New([]float64{1, 2, 3, 4}, 4)); y.String() != lucid.New([]float64{2, 20,
		-3, -4}, 4).String() {
		t.Errorf("vmap %v", y)
	}
}

func TestWhile(t *testing.T) {
	c := lucid.Compile(newton)
	for _, v := range []float64{2, 9, 1e6} {
		x := lucid.New([]float64{v}).Reshape()
		for _, f := range []func(*lucid.Tensor) *lucid.Tensor{newton, c} {
			if got := f(x).Item(); math.Abs(got*got-v) > 1e-6*v {
				t.Errorf("root of %v is %v", v, got)
			}
		}
	}
	if n := lucid.Explain(c).Traces; n != 1 {
		t.Errorf("%d traces", n)
	}
	_, tan := lucid.JVP(newton, lucid.New([]float64{9}).Reshape(), lucid.New([]float64{1}).Reshape())
	if got := tan.Item(); math.Abs(got-1.0/6) > 1e-9 {
		t.Errorf("derivative of the root at 9 is %v", got)
	}
	roots := lucid.VMap(newton)(lucid.New([]float64{4, 9, 16}, 3))
	if roots.At(2).Item() != 4 || roots.At(0).Item() != 2 {
		t.Errorf("vmap %v", roots)
	}
	err := lucid.Try(func() { lucid.Grad(newton)(lucid.New([]float64{9}).Reshape()).Item() })
	if !errors.Is(err, lucid.ErrGradient) {
		t.Errorf("reverse mode without a bound: %v", err)
	}
	bounded := func(a *lucid.Tensor) *lucid.Tensor {
		return lucid.While(func(x *lucid.Tensor) *lucid.Tensor { return x.Mul(x).Sub(a).Abs().Gt(1e-9) },
			func(x *lucid.Tensor) *lucid.Tensor { return x.Add(a.Div(x)).Mul(0.5) }, a, lucid.WhileOptions{MaxSteps: 20})
	}
	if got := lucid.Grad(bounded)(lucid.New([]float64{9}).Reshape()).Item(); math.Abs(got-1.0/6) > 1e-9 {
		t.Errorf("gradient of the bounded root %v", got)
	}
	// A loop that needs more rounds than it was given has neither a value nor a gradient there.
	short := func(a *lucid.Tensor) *lucid.Tensor {
		return lucid.While(func(x *lucid.Tensor) *lucid.Tensor { return x.Mul(x).Sub(a).Abs().Gt(1e-9) },
			func(x *lucid.Tensor) *lucid.Tensor { return x.Add(a.Div(x)).Mul(0.5) }, a, lucid.WhileOptions{MaxSteps: 2})
	}
	value, grad := lucid.ValueAndGrad(short)(lucid.New([]float64{9}).Reshape())
	for name, x := range map[string]*lucid.Tensor{"value": value, "gradient": grad[0]} {
		if err := lucid.Try(func() { x.Item() }); !errors.Is(err, lucid.ErrValue) || !strings.Contains(err.Error(), "MaxSteps") {
			t.Errorf("%s of a loop cut short: %v", name, err)
		}
	}
	if got := short(lucid.New([]float64{9}).Reshape()).Item(); math.Abs(got-3) > 1e-9 {
		t.Errorf("without a gradient the bound does not matter: %v", got)
	}
}

func TestWhileLong(t *testing.T) {
	n := 100_000
	if os.Getenv("LUCID_LONG") != "" {
		n = 1_000_000
	}
	before := lucid.MemoryStats(lucid.CPU).Allocated
	end := lucid.While(func(i *lucid.Tensor) *lucid.Tensor { return i.Lt(n) }, func(i *lucid.Tensor) *lucid.Tensor { return i.Add(1) },
		lucid.Scalar(int64(0)))
	if end.Item() != float64(n) {
		t.Error(end)
	}
	if grown := lucid.MemoryStats(lucid.CPU).Allocated - before; grown > 1<<20 {
		t.Errorf("the loop left %d bytes", grown)
	}
}

// The gradient of a long checkpointed scan takes at most three times the bytes of its sequence.
func TestScanLongMemory(t *testing.T) {
	steps, width := 1000, 256
	if os.Getenv("LUCID_LONG") != "" {
		steps = 10_000
	}
	xs := lucid.Randn(steps, width).Eval()
	grad := lucid.Compile(lucid.Grad(func(xs *lucid.Tensor) *lucid.Tensor {
		last, _ := lucid.Scan(func(h, x *lucid.Tensor) (*lucid.Tensor, []*lucid.Tensor) { return h.Mul(0.9).Add(x).Tanh(), nil },
			lucid.Zeros(width), xs, lucid.ScanOptions{Checkpoint: 50})
		return last.Sum()
	}))
	lucid.ResetPeakMemory(lucid.CPU)
	before := lucid.MemoryStats(lucid.CPU).Allocated
	g := grad(xs).Eval()
	if v := g.At(steps - 1).Abs().Max().Item(); !(v > 0) {
		t.Errorf("the last gradient is %v", v)
	}
	used, bytes := lucid.MemoryStats(lucid.CPU).Peak-before, steps*width*4
	if int(used) > 3*bytes {
		t.Errorf("the gradient took %d bytes at its peak; the sequence has %d", used, bytes)
	}
}

func TestWhileCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := lucid.EvalContext(ctx, lucid.While(func(i *lucid.Tensor) *lucid.Tensor { return i.Ge(0) },
		func(i *lucid.Tensor) *lucid.Tensor { return i }, lucid.Scalar(int64(0))))
	if err == nil {
		t.Error("an endless loop ended")
	}
}

func scanStep(h, x *lucid.Tensor) (*lucid.Tensor, *lucid.Tensor) {
	h = h.Mul(0.9).Add(x).Tanh()
	return h, h.Square()
}

func TestScan(t *testing.T) {
	lucid.Seed(3)
	w := lucid.With{DType: lucid.Float64}.Randn(4)
	step := func(h, x *lucid.Tensor) (*lucid.Tensor, *lucid.Tensor) {
		h = h.Mul(w).Add(x).Tanh()
		return h, h.Square()
	}
	for _, o := range []lucid.ScanOptions{{}, {Reverse: true}, {Checkpoint: 3}, {Checkpoint: 3, Reverse: true}, {Checkpoint: 5}} {
		scanned := func(xs *lucid.Tensor) *lucid.Tensor {
			h, ys := lucid.Scan(step, lucid.With{DType: lucid.Float64}.Zeros(4), xs, o)
			return ys.Mul(lucid.With{DType: lucid.Float64}.Arange(1, 11).Reshape(10, 1)).Sum().Add(h.Sum())
		}
		written := func(xs *lucid.Tensor) *lucid.Tensor {
			h, sum := lucid.With{DType: lucid.Float64}.Zeros(4), lucid.With{DType: lucid.Float64}.Zeros()
			for k := range xs.Size(0) {
				i := k
				if o.Reverse {
					i = xs.Size(0) - 1 - k
				}
				var y *lucid.Tensor
				h, y = step(h, xs.At(i))
				sum = sum.Add(y.Sum().Mul(float64(i + 1)))
			}
			return sum.Add(h.Sum())
		}
		close := lucid.CloseOptions{RTol: new(1e-12), ATol: new(1e-12)}
		xs := lucid.With{DType: lucid.Float64}.Randn(10, 4)
		if !lucid.AllClose(scanned(xs), written(xs), close) {
			t.Errorf("%+v: %v, want %v", o, scanned(xs), written(xs))
		}
		want := lucid.Grad(written)(xs)
		if got := lucid.Grad(scanned)(xs); !lucid.AllClose(got, want, close) {
			t.Errorf("%+v gradient\n%v, want\n%v", o, got, want)
		}
		if got := lucid.Compile(lucid.Grad(scanned))(xs); !lucid.AllClose(got, want, close) {
			t.Errorf("%+v compiled gradient\n%v, want\n%v", o, got, want)
		}
		hvp := func(f func(*lucid.Tensor) *lucid.Tensor) func(*lucid.Tensor) *lucid.Tensor {
			return lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { return lucid.Grad(f)(x).Square().Sum() })
		}
		if got, want := hvp(scanned)(xs), hvp(written)(xs); !lucid.AllClose(got, want, close) {
			t.Errorf("%+v second order\n%v, want\n%v", o, got, want)
		}
		_, got := lucid.JVP(scanned, xs, xs)
		_, wantTan := lucid.JVP(written, xs, xs)
		if !lucid.AllClose(got, wantTan, close) {
			t.Errorf("%+v jvp %v, want %v", o, got, wantTan)
		}
		batch := lucid.With{DType: lucid.Float64}.Randn(3, 10, 4)
		if got, want := lucid.VMap(lucid.Grad(scanned))(batch).At(1), lucid.Grad(written)(batch.At(1)); !lucid.AllClose(got, want, close) {
			t.Errorf("%+v vmap of the gradient\n%v, want\n%v", o, got, want)
		}
	}
}

func TestScanCapturedGradient(t *testing.T) {
	lucid.Seed(1)
	w := lucid.With{DType: lucid.Float64}.Randn(4, 4).RequiresGrad_(true)
	xs := lucid.With{DType: lucid.Float64}.Randn(6, 2, 4)
	run := func(scan bool) *lucid.Tensor {
		w.ZeroGrad()
		h := lucid.With{DType: lucid.Float64}.Zeros(2, 4)
		step := func(h, x *lucid.Tensor) (*lucid.Tensor, *lucid.Tensor) { h = h.MatMul(w).Add(x).Tanh(); return h, h }
		if scan {
			h, _ = lucid.Scan(step, h, xs)
		} else {
			for i := range 6 {
				h, _ = step(h, xs.At(i))
			}
		}
		h.Square().Sum().Backward()
		return w.Grad().Clone()
	}
	if a, b := run(true), run(false); !lucid.AllClose(a, b, lucid.CloseOptions{RTol: new(1e-12)}) {
		t.Errorf("%v\n%v", a, b)
	}
}

// TestScanInsideVMap: what a step computes of mapped values alone, and of constants, belongs to the loop; it was taken for the VMap's.
func TestScanInsideVMap(t *testing.T) {
	xs := lucid.With{DType: lucid.Float64}.Linspace(-1, 1, 24).Reshape(2, 3, 4)
	f := lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor {
		return lucid.Map(func(row *lucid.Tensor) *lucid.Tensor { return row.Mul(x.Sigmoid().Mean()) }, x).Sum()
	})
	want := lucid.Stack([]*lucid.Tensor{f(xs.At(0)), f(xs.At(1))}, 0)
	if got := lucid.VMap(f)(xs); !lucid.AllClose(got, want, lucid.CloseOptions{RTol: new(1e-12)}) {
		t.Errorf("%v\nwant %v", got, want)
	}
}

func TestScanRandom(t *testing.T) {
	lucid.Seed(5)
	_, ys := lucid.Scan(func(c []*lucid.Tensor, x *lucid.Tensor) ([]*lucid.Tensor, *lucid.Tensor) {
		return c, lucid.Rand(3).Add(x)
	}, nil, lucid.Zeros(4))
	lucid.Seed(5)
	for i := range 4 {
		if want := lucid.Rand(3); !lucid.AllClose(ys.At(i), want) {
			t.Errorf("step %d: %v, want %v", i, ys.At(i), want)
		}
	}
}

func TestScanEmpty(t *testing.T) {
	h, ys := lucid.Scan(scanStep, lucid.Ones(4), lucid.Zeros(0, 4))
	if h.Sum().Item() != 4 || ys.Size(0) != 0 {
		t.Errorf("%v %v", h, ys)
	}
}

func TestControlRefuses(t *testing.T) {
	x := lucid.Ones(3)
	for name, f := range map[string]func(){
		"shape of branches": func() {
			lucid.Cond(x.Sum(), func(x *lucid.Tensor) *lucid.Tensor { return x }, func(x *lucid.Tensor) *lucid.Tensor { return x.Sum() }, x)
		},
		"condition": func() {
			lucid.Cond(x, func(x *lucid.Tensor) *lucid.Tensor { return x }, func(x *lucid.Tensor) *lucid.Tensor { return x }, x)
		},
		"dtype of state": func() {
			lucid.While(func(x *lucid.Tensor) *lucid.Tensor { return x.Sum() },
				func(x *lucid.Tensor) *lucid.Tensor { return x.To(lucid.Float64) }, x)
		},
		"reading inside": func() {
			lucid.Scan(func(c, x *lucid.Tensor) (*lucid.Tensor, *lucid.Tensor) { x.Item(); return c, x }, x.Sum(), x)
		},
		"lengths": func() {
			lucid.Scan(func(c *lucid.Tensor, x []*lucid.Tensor) (*lucid.Tensor, *lucid.Tensor) { return c, c }, x.Sum(),
				[]*lucid.Tensor{lucid.Ones(3), lucid.Ones(4)})
		},
	} {
		var e *lucid.Error
		if err := lucid.Try(f); !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		} else {
			t.Log(err)
		}
	}
}

// Control flow goes to a file and comes back, with its gradient.
func TestControlExport(t *testing.T) {
	f := func(x *lucid.Tensor) *lucid.Tensor {
		doubled := lucid.Cond(x.Sum().Gt(0), func(x *lucid.Tensor) *lucid.Tensor { return x.Mul(2) },
			func(x *lucid.Tensor) *lucid.Tensor { return x.Neg() }, x)
		grown := lucid.While(func(s *lucid.Tensor) *lucid.Tensor { return s.Sum().Lt(100) },
			func(s *lucid.Tensor) *lucid.Tensor { return s.Mul(3).Add(x.Abs()) }, doubled, lucid.WhileOptions{MaxSteps: 12})
		h, ys := lucid.Scan(func(h, x *lucid.Tensor) (*lucid.Tensor, *lucid.Tensor) {
			h = lucid.Cond(h.Gt(0.5), func(h *lucid.Tensor) *lucid.Tensor { return h.Mul(0.5) },
				func(h *lucid.Tensor) *lucid.Tensor { return h.Add(x) }, h)
			return h, lucid.Checkpoint(func(h *lucid.Tensor) *lucid.Tensor { return h.Mul(x) })(h) // left out of the file
		}, lucid.Scalar(0.25), grown, lucid.ScanOptions{Reverse: true})
		return ys.Sum().Add(h)
	}
	path := t.TempDir() + "/control.lucid"
	pos, neg := lucid.New([]float32{1, 2, 3}, 3), lucid.New([]float32{-1, -2, -4}, 3)
	if err := lucid.Export(path, f, pos); err != nil {
		t.Fatal(err)
	}
	g, err := lucid.Import(path)
	if err != nil {
		t.Fatal(err)
	}
	call := func(x *lucid.Tensor) *lucid.Tensor {
		out, err := g.Call(x)
		if err != nil {
			t.Fatal(err)
		}
		return out[0]
	}
	for _, x := range []*lucid.Tensor{pos, neg} {
		if got, want := call(x).Item(), f(x).Item(); got != want {
			t.Errorf("%v from the file, want %v", got, want)
		}
		if got, want := lucid.Grad(call)(x), lucid.Grad(f)(x); !lucid.AllClose(got, want) {
			t.Errorf("gradient %v from the file, want %v", got, want)
		}
	}
}

// TestMap: f of each element, stacked, as VMap has it, for trees, gradients and no elements.
func TestMap(t *testing.T) {
	type pair struct{ A, B *lucid.Tensor }
	x := pair{lucid.New([]float64{1, 2, 3, 4, 5, 6}, 3, 2), lucid.New([]float64{2, 3, 4}, 3)}
	f := func(p pair) pair { return pair{p.A.Mul(p.B), p.A.Sum().Exp()} }
	got, want := lucid.Map(f, x), lucid.VMap(f)(x)
	if !lucid.Equal(got.A, want.A) || !lucid.AllClose(got.B, want.B) {
		t.Errorf("%v; want %v", got, want)
	}
	loss := func(over func(f func(pair) pair, x pair) pair) func(x pair) *lucid.Tensor {
		return func(x pair) *lucid.Tensor { y := over(f, x); return y.A.Square().Sum().Add(y.B.Sum()) }
	}
	_, a := lucid.ValueAndGradTree(loss(lucid.Map[pair, pair]))(x)
	_, b := lucid.ValueAndGradTree(loss(func(f func(pair) pair, x pair) pair { return lucid.VMap(f)(x) }))(x)
	if !lucid.AllClose(a.A, b.A) || !lucid.AllClose(a.B, b.B) {
		t.Errorf("gradients %v; want %v", a, b)
	}
	square := func(x *lucid.Tensor) *lucid.Tensor { return x.Square() }
	if y := lucid.Map(square, lucid.Zeros(0, 3)); fmt.Sprint(y.Shape()) != "[0 3]" {
		t.Errorf("of no elements: %v", y.Shape())
	}
	if err := lucid.Try(func() { lucid.Map(square, lucid.Scalar(1.0)) }); !errors.Is(err, lucid.ErrShapeMismatch) {
		t.Errorf("of a scalar: %v", err)
	}
}
