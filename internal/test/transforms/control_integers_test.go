package transforms

import (
	"testing"

	"github.com/lucid-go/lucid"
)

// counted is a state with an integer, which has neither a tangent nor a cotangent.
type counted struct {
	N *lucid.Tensor // int64
	V *lucid.Tensor
}

// countedLoops compute v·∏(1+i/10) over three rounds, with a counter in the state or the arguments.
var countedLoops = map[string]func(x *lucid.Tensor) *lucid.Tensor{
	"plain": func(x *lucid.Tensor) *lucid.Tensor {
		for i := range 3 {
			x = countedStep(lucid.Full([]int{}, i), x)
		}
		return x
	},
	"fori": func(x *lucid.Tensor) *lucid.Tensor {
		return lucid.ForI(0, 3, countedStep, x, lucid.WhileOptions{MaxSteps: 3})
	},
	"while": func(x *lucid.Tensor) *lucid.Tensor {
		return lucid.While(func(s counted) *lucid.Tensor { return lucid.Lt(s.N, 3) },
			func(s counted) counted { return counted{s.N.Add(1), countedStep(s.N, s.V)} },
			counted{lucid.Full([]int{}, 0), x}, lucid.WhileOptions{MaxSteps: 5}).V
	},
	"scan": func(x *lucid.Tensor) *lucid.Tensor {
		last, _ := lucid.Scan(func(s counted, w *lucid.Tensor) (counted, counted) {
			s = counted{s.N.Add(1), countedStep(s.N, s.V).Mul(w)}
			return s, s
		}, counted{lucid.Full([]int{}, 0), x}, lucid.Ones(3))
		return last.V
	},
	"cond": func(x *lucid.Tensor) *lucid.Tensor {
		for i := range 3 {
			n := lucid.Full([]int{}, i)
			s := lucid.Cond(lucid.Ge(x.Sum(), -1e9), func(s counted) counted { return counted{s.N.Add(1), countedStep(s.N, s.V)} },
				func(s counted) counted { return s }, counted{n, x})
			x = s.V
		}
		return x
	},
}

func countedStep(i, v *lucid.Tensor) *lucid.Tensor {
	return v.Mul(i.To(lucid.Float32).Mul(0.1).Add(1)).Mul(v)
}

// TestControlIntegers takes derivatives through control flow whose state has integers; Go's own loop says what they are.
func TestControlIntegers(t *testing.T) {
	x, d := lucid.New([]float32{0.5, -1.2}, 2), lucid.New([]float32{1, 2}, 2)
	derivatives := map[string]func(f func(x *lucid.Tensor) *lucid.Tensor) *lucid.Tensor{
		"grad":    func(f func(x *lucid.Tensor) *lucid.Tensor) *lucid.Tensor { return lucid.Grad(summed(f))(x) },
		"hessian": func(f func(x *lucid.Tensor) *lucid.Tensor) *lucid.Tensor { return lucid.Hessian(summed(f))(x) },
		"jvp": func(f func(x *lucid.Tensor) *lucid.Tensor) *lucid.Tensor {
			_, y := lucid.JVP(f, x, d)
			return y
		},
		"jvp of grad": func(f func(x *lucid.Tensor) *lucid.Tensor) *lucid.Tensor {
			_, y := lucid.JVP(lucid.Grad(summed(f)), x, d)
			return y
		},
		"vmap of grad": func(f func(x *lucid.Tensor) *lucid.Tensor) *lucid.Tensor {
			return lucid.VMap(lucid.Grad(summed(f)))(lucid.Stack([]*lucid.Tensor{x, d}, 0))
		},
		"compiled grad": func(f func(x *lucid.Tensor) *lucid.Tensor) *lucid.Tensor {
			return lucid.Compile(lucid.Grad(summed(f)))(x)
		},
		"backward": func(f func(x *lucid.Tensor) *lucid.Tensor) *lucid.Tensor {
			leaf := x.Clone().RequiresGrad_(true)
			f(leaf).Sum().Backward()
			return leaf.Grad()
		},
	}
	for what, of := range derivatives {
		want := of(countedLoops["plain"])
		for name, f := range countedLoops {
			var got *lucid.Tensor
			if err := lucid.Try(func() { got = of(f) }); err != nil {
				t.Errorf("%s of %s: %v", what, name, err)
			} else if !lucid.AllClose(got, want) {
				t.Errorf("%s of %s: %v, want %v", what, name, got, want)
			}
		}
	}
}

func summed(f func(x *lucid.Tensor) *lucid.Tensor) func(x *lucid.Tensor) *lucid.Tensor {
	return func(x *lucid.Tensor) *lucid.Tensor { return f(x).Sum() }
}
