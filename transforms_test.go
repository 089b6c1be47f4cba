package lucid

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/lucid-go/lucid/internal/testutil"
)

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-5*(1+math.Abs(want)) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func same(t *testing.T, what string, got, want *Tensor) {
	t.Helper()
	if d := differ(got, want, testutil.Tol(want.DType(), false)); d != "" {
		t.Errorf("%s: %s", what, d)
	}
}

func TestGradComposes(t *testing.T) {
	f := func(x *Tensor) *Tensor { return x.Sin().Mul(x) }
	x := Scalar(0.7)
	near(t, "first", Grad(f)(x).Item(), math.Sin(.7)+.7*math.Cos(.7))
	near(t, "second", Grad(Grad(f))(x).Item(), 2*math.Cos(.7)-.7*math.Sin(.7))
	near(t, "third", Grad(Grad(Grad(f)))(x).Item(), -3*math.Sin(.7)-.7*math.Cos(.7))
	near(t, "checkpoint", Grad(Checkpoint(f))(x).Item(), math.Sin(.7)+.7*math.Cos(.7))
	near(t, "second of checkpoint", Grad(Grad(Checkpoint(f)))(x).Item(), 2*math.Cos(.7)-.7*math.Sin(.7))
	near(t, "checkpoint of grad", Grad(Checkpoint(Grad(f)))(x).Item(), 2*math.Cos(.7)-.7*math.Sin(.7))
	// A value read inside does not cut the graph.
	g := func(x *Tensor) *Tensor {
		y := x.Sin()
		if y.Item() > 0 {
			return y.Mul(x)
		}
		return x
	}
	near(t, "control flow", Grad(g)(x).Item(), math.Sin(.7)+.7*math.Cos(.7))
	near(t, "inside NoGrad", func() (v float64) { NoGrad(func() { v = Grad(f)(x).Item() }); return }(), math.Sin(.7)+.7*math.Cos(.7))
}

func TestPerExampleGradients(t *testing.T) {
	lin := func(w, b, x *Tensor) *Tensor { return x.MatMul(w).Add(b).Square().Mean() }
	Seed(0)
	w, b, xs := Randn(3, 2), Zeros(2), Randn(5, 3)
	loss, grads := ValueAndGrad(lin, 0, 1)(w, b, xs)
	if len(grads) != 2 || fmt.Sprint(grads[0].Shape()) != "[3 2]" || loss.NumElement() != 1 {
		t.Fatal("value and grad")
	}
	per := VMap(Grad(func(w, b, x *Tensor) *Tensor { return lin(w, b, x.Unsqueeze(0)) }), VMapOptions{In: []int{NoAxis, NoAxis, 0}})(w, b, xs)
	same(t, "per-example mean", per.Mean(0), grads[0])
	v := Randn(3, 2)
	_, jv := JVP(func(w *Tensor) *Tensor { return lin(w, b, xs) }, w, v)
	_, vj := VJP(func(w *Tensor) *Tensor { return lin(w, b, xs) }, w, Scalar(1.0))
	near(t, "jvp = vjp", jv.Item(), vj.Mul(v).Sum().Item())
	// Forward over reverse is the Hessian's product: compare with reverse over reverse.
	f := func(w *Tensor) *Tensor { return lin(w, b, xs).Mul(lin(w, b, xs)) }
	_, hv := JVP(Grad(f), w, v)
	_, hv2 := VJP(Grad(f), w, v)
	same(t, "hessian products", hv, hv2)
}

func TestCustomRule(t *testing.T) {
	clip := Custom(CustomFunc{
		Forward: func(in []*Tensor) []*Tensor { return []*Tensor{in[0]} },
		VJP:     func(in, out, cot []*Tensor) []*Tensor { return []*Tensor{Minimum(cot[0], 1)} },
	})
	x := Scalar(0.7)
	if g := Grad(func(x *Tensor) *Tensor { return clip(x.Mul(1))[0].Mul(100) })(x).Item(); g != 1 {
		t.Errorf("custom rule: %v", g)
	}
	xs := New([]float32{1, 2, 3}, 3)
	per := VMap(Grad(func(x *Tensor) *Tensor { return clip(x)[0].Mul(x).Mul(100) }))(xs)
	same(t, "vmap of custom", per, xs.Mul(100).Add(1))
}

func TestDeepChain(t *testing.T) {
	n := 1_000_000
	if testing.Short() {
		n = 100_000
	}
	deep := func(x *Tensor) *Tensor {
		for range n {
			x = x.Add(1e-6)
		}
		return x
	}
	if v := deep(Scalar(0.0)).Item(); math.Abs(v-float64(n)*1e-6) > 2e-2 {
		t.Errorf("deep chain: %v", v)
	}
	if g := Grad(deep)(Scalar(0.0)).Item(); g != 1 {
		t.Errorf("deep gradient: %v", g)
	}
	x := Scalar(0.0).RequiresGrad_(true)
	deep(x).Backward()
	if g := x.Grad().Item(); g != 1 {
		t.Errorf("deep backward: %v", g)
	}
}

func TestVMapRefusesValues(t *testing.T) {
	err := Try(func() {
		VMap(func(x *Tensor) *Tensor { x.Item(); return x })(Ones(3))
	})
	if !errors.Is(err, ErrTrace) {
		t.Errorf("got %v", err)
	}
}

func TestRandomUnderTransforms(t *testing.T) {
	drop := func(x *Tensor) *Tensor { return x.Mul(Rand(4)) }
	if err := Try(func() { VMap(drop)(Ones(3, 4)) }); !errors.Is(err, ErrValue) {
		t.Errorf("want an error that asks for Randomness, got %v", err)
	}
	Seed(3)
	y := ToSlice[float32](VMap(drop, VMapOptions{Randomness: RandomSame})(Ones(3, 4)))
	if y[0] != y[4] || y[3] != y[11] {
		t.Error("same: rows differ")
	}
	y = ToSlice[float32](VMap(drop, VMapOptions{Randomness: RandomDifferent})(Ones(3, 4)))
	if y[0] == y[4] {
		t.Error("different: rows are the same")
	}
	// A checkpoint replays the same numbers.
	x := Ones(4)
	Seed(5)
	a := Grad(func(x *Tensor) *Tensor { return drop(x.Square()).Sum() })(x)
	Seed(5)
	b := Grad(Checkpoint(func(x *Tensor) *Tensor { return drop(x.Square()).Sum() }))(x)
	same(t, "checkpoint", a, b)
}

func TestValueAndGradTree(t *testing.T) {
	type layer struct {
		W, B *Tensor
		Name string
	}
	f := func(p map[string]layer) *Tensor {
		return p["a"].W.Square().Sum().Add(p["b"].W.Mul(p["b"].B).Sum())
	}
	p := map[string]layer{
		"a": {W: New([]float32{1, 2}, 2), Name: "first"},
		"b": {W: New([]float32{3}, 1), B: New([]float32{5}, 1), Name: "second"},
	}
	for _, h := range []func(map[string]layer) (*Tensor, map[string]layer){ValueAndGradTree(f), Compile(ValueAndGradTree(f))} {
		v, g := h(p)
		if v.Item() != 20 || g["a"].B != nil || g["b"].Name != "second" {
			t.Errorf("value %v, gradient %v", v, g)
		}
		wantValues(t, "a.W", g["a"].W, Float32, 2, 4)
		wantValues(t, "b.W", g["b"].W, Float32, 5)
		wantValues(t, "b.B", g["b"].B, Float32, 3)
	}
	// Under an outer transform: the derivative of |gradient|² of a cube.
	second := Grad(func(x *Tensor) *Tensor {
		_, g := ValueAndGradTree(func(q []*Tensor) *Tensor { return q[0].Pow(3).Sum() })([]*Tensor{x})
		return g[0].Square().Sum()
	})
	wantValues(t, "second", second(New([]float32{2}, 1)), Float32, 9*4*8)
	if err := Try(func() { ValueAndGradTree(func(p []*Tensor) *Tensor { return p[0] })([]*Tensor{Zeros(2)}) }); err == nil {
		t.Error("a function of several numbers was taken")
	}
}

func TestVMapInByArgument(t *testing.T) {
	f := func(p []*Tensor, x *Tensor) *Tensor { return p[0].Mul(x).Add(p[1]).Sum() }
	p, x := []*Tensor{New([]float32{2, 3}, 2), New([]float32{1, 1}, 2)}, New([]float32{1, 2, 3, 4, 5, 6}, 3, 2)
	want := VMap(f, VMapOptions{In: []int{NoAxis, NoAxis, 0}})(p, x)
	wantValues(t, "by tensor", want, Float32, 10, 20, 30)
	wantValues(t, "by argument", VMap(f, VMapOptions{In: []int{NoAxis, 0}})(p, x), Float32, 10, 20, 30)
	if err := Try(func() { VMap(f, VMapOptions{In: []int{0}})(p, x) }); !errors.Is(err, ErrValue) {
		t.Errorf("one entry for two arguments: %v", err)
	}
}
