package transforms

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

func TestGradComposes(t *testing.T) {
	f := func(x *lucid.Tensor) *lucid.Tensor { return x.Sin().Mul(x) }
	x := lucid.Scalar(0.7)
	tensortest.Near(t, "first", lucid.Grad(f)(x).Item(), math.Sin(.7)+.7*math.Cos(.7))
	tensortest.Near(t, "second", lucid.Grad(lucid.Grad(f))(x).Item(), 2*math.Cos(.7)-.7*math.Sin(.7))
	tensortest.Near(t, "third", lucid.Grad(lucid.Grad(lucid.Grad(f)))(x).Item(), -3*math.Sin(.7)-.7*math.Cos(.7))
	tensortest.Near(t, "checkpoint", lucid.Grad(lucid.Checkpoint(f))(x).Item(), math.Sin(.7)+.7*math.Cos(.7))
	tensortest.Near(t, "second of checkpoint", lucid.Grad(lucid.Grad(lucid.Checkpoint(f)))(x).Item(), 2*math.Cos(.7)-.7*math.Sin(.7))
	tensortest.Near(t, "checkpoint of grad", lucid.Grad(lucid.Checkpoint(lucid.Grad(f)))(x).Item(), 2*math.Cos(.7)-.7*math.Sin(.7))
	// A value read inside does not cut the graph.
	g := func(x *lucid.Tensor) *lucid.Tensor {
		y := x.Sin()
		if y.Item() > 0 {
			return y.Mul(x)
		}
		return x
	}
	tensortest.Near(t, "control flow", lucid.Grad(g)(x).Item(), math.Sin(.7)+.7*math.Cos(.7))
	tensortest.Near(t, "inside NoGrad", func() (v float64) { lucid.NoGrad(func() { v = lucid.Grad(f)(x).Item() }); return }(),
		math.Sin(.7)+.7*math.Cos(.7))
}

func TestPerExampleGradients(t *testing.T) {
	lin := func(w, b, x *lucid.Tensor) *lucid.Tensor { return x.MatMul(w).Add(b).Square().Mean() }
	lucid.Seed(0)
	w, b, xs := lucid.Randn(3, 2), lucid.Zeros(2), lucid.Randn(5, 3)
	loss, grads := lucid.ValueAndGrad(lin, 0, 1)(w, b, xs)
	if len(grads) != 2 || fmt.Sprint(grads[0].Shape()) != "[3 2]" || loss.NumElement() != 1 {
		t.Fatal("value and grad")
	}
	per := lucid.VMap(lucid.Grad(func(w, b, x *lucid.Tensor) *lucid.Tensor { return lin(w, b, x.Unsqueeze(0)) }),
		lucid.VMapOptions{In: []int{lucid.NoAxis, lucid.NoAxis, 0}})(w, b, xs)
	tensortest.Same(t, "per-example mean", per.Mean(0), grads[0])
	v := lucid.Randn(3, 2)
	_, jv := lucid.JVP(func(w *lucid.Tensor) *lucid.Tensor { return lin(w, b, xs) }, w, v)
	_, vj := lucid.VJP(func(w *lucid.Tensor) *lucid.Tensor { return lin(w, b, xs) }, w, lucid.Scalar(1.0))
	tensortest.Near(t, "jvp = vjp", jv.Item(), vj.Mul(v).Sum().Item())
	// Forward over reverse is the Hessian's product: compare with reverse over reverse.
	f := func(w *lucid.Tensor) *lucid.Tensor { return lin(w, b, xs).Mul(lin(w, b, xs)) }
	_, hv := lucid.JVP(lucid.Grad(f), w, v)
	_, hv2 := lucid.VJP(lucid.Grad(f), w, v)
	tensortest.Same(t, "hessian products", hv, hv2)
}

func TestCustomRule(t *testing.T) {
	clip := lucid.Custom(lucid.CustomFunc{
		Forward: func(in []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{in[0]} },
		VJP:     func(in, out, cot []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{lucid.Minimum(cot[0], 1)} },
	})
	x := lucid.Scalar(0.7)
	if g := lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { return clip(x.Mul(1))[0].Mul(100) })(x).Item(); g != 1 {
		t.Errorf("custom rule: %v", g)
	}
	xs := lucid.New([]float32{1, 2, 3}, 3)
	per := lucid.VMap(lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { return clip(x)[0].Mul(x).Mul(100) }))(xs)
	tensortest.Same(t, "vmap of custom", per, xs.Mul(100).Add(1))
}

func TestDeepChain(t *testing.T) {
	n := 1_000_000
	if testing.Short() {
		n = 100_000
	}
	deep := func(x *lucid.Tensor) *lucid.Tensor {
		for range n {
			x = x.Add(1e-6)
		}
		return x
	}
	if v := deep(lucid.Scalar(0.0)).Item(); math.Abs(v-float64(n)*1e-6) > 2e-2 {
		t.Errorf("deep chain: %v", v)
	}
	if g := lucid.Grad(deep)(lucid.Scalar(0.0)).Item(); g != 1 {
		t.Errorf("deep gradient: %v", g)
	}
	x := lucid.Scalar(0.0).RequiresGrad_(true)
	deep(x).Backward()
	if g := x.Grad().Item(); g != 1 {
		t.Errorf("deep backward: %v", g)
	}
}

func TestVMapRefusesValues(t *testing.T) {
	err := lucid.Try(func() {
		lucid.VMap(func(x *lucid.Tensor) *lucid.Tensor { x.Item(); return x })(lucid.Ones(3))
	})
	if !errors.Is(err, lucid.ErrTrace) {
		t.Errorf("got %v", err)
	}
}

func TestRandomUnderTransforms(t *testing.T) {
	drop := func(x *lucid.Tensor) *lucid.Tensor { return x.Mul(lucid.Rand(4)) }
	if err := lucid.Try(func() { lucid.VMap(drop)(lucid.Ones(3, 4)) }); !errors.Is(err, lucid.ErrValue) {
		t.Errorf("want an error that asks for Randomness, got %v", err)
	}
	lucid.Seed(3)
	y := lucid.ToSlice[float32](lucid.VMap(drop, lucid.VMapOptions{Randomness: lucid.RandomSame})(lucid.Ones(3, 4)))
	if y[0] != y[4] || y[3] != y[11] {
		t.Error("same: rows differ")
	}
	y = lucid.ToSlice[float32](lucid.VMap(drop, lucid.VMapOptions{Randomness: lucid.RandomDifferent})(lucid.Ones(3, 4)))
	if y[0] == y[4] {
		t.Error("different: rows are the same")
	}
	// A checkpoint replays the same numbers.
	x := lucid.Ones(4)
	lucid.Seed(5)
	a := lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { return drop(x.Square()).Sum() })(x)
	lucid.Seed(5)
	b := lucid.Grad(lucid.Checkpoint(func(x *lucid.Tensor) *lucid.Tensor { return drop(x.Square()).Sum() }))(x)
	tensortest.Same(t, "checkpoint", a, b)
}

func TestValueAndGradTree(t *testing.T) {
	type layer struct {
		W, B *lucid.Tensor
		Name string
	}
	f := func(p map[string]layer) *lucid.Tensor {
		return p["a"].W.Square().Sum().Add(p["b"].W.Mul(p["b"].B).Sum())
	}
	p := map[string]layer{
		"a": {W: lucid.New([]float32{1, 2}, 2), Name: "first"},
		"b": {W: lucid.New([]float32{3}, 1), B: lucid.New([]float32{5}, 1), Name: "second"},
	}
	for _, h := range []func(map[string]layer) (*lucid.Tensor, map[string]layer){lucid.ValueAndGradTree(f),
		lucid.Compile(lucid.ValueAndGradTree(f))} {
		v, g := h(p)
		if v.Item() != 20 || g["a"].B != nil || g["b"].Name != "second" {
			t.Errorf("value %v, gradient %v", v, g)
		}
		tensortest.WantValues(t, "a.W", g["a"].W, lucid.Float32, 2, 4)
		tensortest.WantValues(t, "b.W", g["b"].W, lucid.Float32, 5)
		tensortest.WantValues(t, "b.B", g["b"].B, lucid.Float32, 3)
	}
	// Under an outer transform: the derivative of |gradient|² of a cube.
	second := lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor {
		_, g := lucid.ValueAndGradTree(func(q []*lucid.Tensor) *lucid.Tensor { return q[0].Pow(3).Sum() })([]*lucid.Tensor{x})
		return g[0].Square().Sum()
	})
	tensortest.WantValues(t, "second", second(lucid.New([]float32{2}, 1)), lucid.Float32, 9*4*8)
	if err := lucid.Try(func() {
		lucid.ValueAndGradTree(func(p []*lucid.Tensor) *lucid.Tensor { return p[0] })([]*lucid.Tensor{lucid.Zeros(2)})
	}); err == nil {
		t.Error("a function of several numbers was taken")
	}
}

func TestVMapInByArgument(t *testing.T) {
	f := func(p []*lucid.Tensor, x *lucid.Tensor) *lucid.Tensor { return p[0].Mul(x).Add(p[1]).Sum() }
	p, x := []*lucid.Tensor{lucid.New([]float32{2, 3}, 2), lucid.New([]float32{1, 1}, 2)}, lucid.New([]float32{1, 2, 3, 4, 5, 6}, 3, 2)
	want := lucid.VMap(f, lucid.VMapOptions{In: []int{lucid.NoAxis, lucid.NoAxis, 0}})(p, x)
	tensortest.WantValues(t, "by tensor", want, lucid.Float32, 10, 20, 30)
	tensortest.WantValues(t, "by argument", lucid.VMap(f, lucid.VMapOptions{In: []int{lucid.NoAxis, 0}})(p, x), lucid.Float32, 10, 20, 30)
	if err := lucid.Try(func() { lucid.VMap(f, lucid.VMapOptions{In: []int{0}})(p, x) }); !errors.Is(err, lucid.ErrValue) {
		t.Errorf("one entry for two arguments: %v", err)
	}
}
