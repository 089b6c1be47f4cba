package autograd_test

import (
	"fmt"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/autograd"
)

func numbersOf(t *lucid.Tensor) string { return fmt.Sprint(lucid.ToSlice[float64](t)) }

// TestVJPFunc asks that a function runs once, whatever its pullback is called with, and that random numbers in it stay.
func TestVJPFunc(t *testing.T) {
	runs := 0
	f := func(in []*lucid.Tensor) []*lucid.Tensor {
		runs++
		return []*lucid.Tensor{in[0].Mul(in[1]), in[0].Square()}
	}
	x, y := lucid.New([]float64{1, 2}, 2), lucid.New([]float64{3, 4}, 2)
	ys, pull := autograd.VJPFunc(f, x, y)
	zero := lucid.ZerosLike(x)
	a, b := pull(lucid.OnesLike(x), zero), pull(zero, lucid.New([]float64{1, 10}, 2))
	if runs != 1 || numbersOf(ys[0]) != "[3 8]" || numbersOf(a[0]) != "[3 4]" || numbersOf(a[1]) != "[1 2]" || numbersOf(b[0]) != "[2 40]" {
		t.Errorf("%d runs, %v, %v, %v", runs, ys, a, b)
	}
	ys, linear := autograd.Linearize(f, x, y)
	if d := linear(lucid.OnesLike(x), zero); runs != 2 || numbersOf(d[0]) != "[3 4]" ||
		numbersOf(d[1]) != "[2 4]" || numbersOf(ys[1]) != "[1 4]" {
		t.Errorf("%d runs, %v, %v", runs, ys, d)
	}
	noise, pull := autograd.VJPFunc(func(in []*lucid.Tensor) []*lucid.Tensor {
		return []*lucid.Tensor{in[0].Mul(lucid.With{DType: lucid.Float64}.Randn(2))}
	}, lucid.With{DType: lucid.Float64}.Ones(2))
	if g := pull(lucid.With{DType: lucid.Float64}.Ones(2)); !lucid.Equal(g[0], noise[0]) {
		t.Errorf("%v, then %v", noise, g)
	}
	second := lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor {
		_, pull := autograd.VJPFunc(func(in []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{in[0].Pow(3)} }, x)
		return pull(lucid.Scalar(1.0).To(x.DType()))[0]
	})
	if got := second(lucid.Scalar(2.0)).Item(); got != 12 {
		t.Errorf("the derivative of a pullback is %v", got)
	}
}

func TestValueAndGradAux(t *testing.T) {
	type params struct{ W, B *lucid.Tensor }
	f := autograd.ValueAndGradAux(func(p params) (*lucid.Tensor, map[string]*lucid.Tensor) {
		y := p.W.Mul(3).Add(p.B)
		return y.Square(), map[string]*lucid.Tensor{"y": y}
	})
	value, aux, grad := f(params{lucid.Scalar(2.0), lucid.Scalar(1.0)})
	if value.Item() != 49 || aux["y"].Item() != 7 || grad.W.Item() != 42 || grad.B.Item() != 14 {
		t.Errorf("%v, %v, %v", value, aux, grad)
	}
	aux["y"].Add(1).Item() // it is an ordinary value now
}

// TestJacobianN asks for derivatives of every output by every input, in both modes and in chunks of any size.
func TestJacobianN(t *testing.T) {
	f := func(in []*lucid.Tensor) []*lucid.Tensor {
		return []*lucid.Tensor{in[0].MatMul(in[1]), in[1].Square().Sum()}
	}
	x, y := lucid.New([]float64{1, 2, 3, 4}, 2, 2), lucid.New([]float64{5, 6}, 2)
	for _, o := range []autograd.JacobianOptions{{}, {Chunk: 1}, {Chunk: 3}, {Forward: true}, {Forward: true, Chunk: 3}} {
		j := autograd.JacobianN(f, o)(x, y)
		for _, c := range []struct {
			i, k        int
			shape, want string
		}{
			{0, 0, "[2 2 2]", "[5 6 0 0 0 0 5 6]"}, {0, 1, "[2 2]", "[1 2 3 4]"}, {1, 0, "[2 2]", "[0 0 0 0]"}, {1, 1, "[2]", "[10 12]"},
		} {
			if got := j[c.i][c.k]; fmt.Sprint(got.Shape()) != c.shape || numbersOf(got) != c.want {
				t.Errorf("%+v: entry %d, %d is %v; want %s", o, c.i, c.k, got, c.want)
			}
		}
		h := autograd.HessianN(func(in []*lucid.Tensor) *lucid.Tensor { return in[0].MatMul(in[1]).Square().Sum() }, o)(x, y)
		whole := lucid.Hessian(func(y *lucid.Tensor) *lucid.Tensor { return x.MatMul(y).Square().Sum() })(y)
		if fmt.Sprint(h[0][1].Shape()) != "[2 2 2]" || !lucid.AllClose(h[1][1], whole) ||
			!lucid.AllClose(h[0][1], h[1][0].Permute(1, 2, 0)) {
			t.Errorf("%+v: %v", o, h)
		}
	}
	if err := lucid.Try(func() { autograd.JacobianN(f, autograd.JacobianOptions{Chunk: -1}) }); err == nil {
		t.Error("a negative chunk was taken")
	}
}

// TestIsAnomalyEnabled: inside DetectAnomaly, on this goroutine.
func TestIsAnomalyEnabled(t *testing.T) {
	other := make(chan bool)
	lucid.DetectAnomaly(func() {
		go func() { other <- autograd.IsAnomalyEnabled() }()
		if elsewhere := <-other; !autograd.IsAnomalyEnabled() || elsewhere {
			t.Errorf("inside %v, on another goroutine %v", autograd.IsAnomalyEnabled(), elsewhere)
		}
	})
	if autograd.IsAnomalyEnabled() {
		t.Error("still on outside")
	}
}
