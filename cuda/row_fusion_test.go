package cuda

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid"
)

// TestRowFusion runs row-fusion groups, eagerly and compiled, against the CPU: softmax with elementwise ops around it,
// norms and softmax written out, reductions of rows of many lengths.
func TestRowFusion(t *testing.T) {
	dev := gpu(t)
	r := rand.New(rand.NewPCG(9, 10))
	last := lucid.ReduceOptions{Dim: []int{-1}, KeepDim: true}
	programs := map[string]func(x, w, v *lucid.Tensor) *lucid.Tensor{
		"softmax in turn": func(x, w, _ *lucid.Tensor) *lucid.Tensor {
			for range 20 {
				x = x.Softmax(-1).Sub(w)
			}
			return x
		},
		"softmax": func(x, _, v *lucid.Tensor) *lucid.Tensor {
			e := x.Sub(lucid.Amax(x, last)).Exp()
			return e.Div(lucid.Sum(e, last)).Mul(v)
		},
		"norm": func(x, w, v *lucid.Tensor) *lucid.Tensor {
			c := x.Sub(lucid.Mean(x, last))
			return c.Mul(lucid.Mean(c.Mul(c), last).Add(1e-5).Rsqrt()).Mul(v).Add(w)
		},
		"variance": func(x, _, _ *lucid.Tensor) *lucid.Tensor {
			return x.Sub(lucid.Var(x, lucid.VarOptions{Dim: []int{-1}, KeepDim: true})).ReLU()
		},
		"log_softmax": func(x, w, _ *lucid.Tensor) *lucid.Tensor { return x.LogSoftmax(-1).Mul(w).Add(1.5) },
		"logsumexp":   func(x, _, _ *lucid.Tensor) *lucid.Tensor { return x.Sub(lucid.LogSumExp(x, last)).Exp().Add(x) },
		"gradient": func(x, w, v *lucid.Tensor) *lucid.Tensor {
			return lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { return x.Mul(v).Softmax(-1).Mul(w).Sum() })(x)
		},
	}
	for _, d := range []lucid.DType{lucid.Float32, lucid.BFloat16} {
		for _, sizes := range [][]int{{16, 16}, {3, 5, 33}, {300, 1000}} {
			t.Run(fmt.Sprint(d, sizes), func(t *testing.T) {
				make := func(sizes ...int) *lucid.Tensor {
					x := lucid.Zeros(sizes...)
					v := lucid.ToSlice[float32](x)
					for i := range v {
						v[i] = float32(r.NormFloat64())
					}
					return lucid.New(v, sizes...).To(d).Eval()
				}
				x, w, v := make(sizes...), make(sizes...), make(sizes[len(sizes)-1])
				for name, f := range programs {
					want := f(x, w, v).To(lucid.Float64)
					a, b, c := x.To(dev).Eval(), w.To(dev).Eval(), v.To(dev).Eval()
					tol := 1e-4
					if d == lucid.BFloat16 {
						tol = 0.05
					}
					g := lucid.Compile(f)
					for i := range 3 { // eagerly, compiled, captured
						got := f
						if i > 0 {
							got = g
						}
						if y := got(a, b, c).To(lucid.CPU).To(lucid.Float64); !lucid.AllClose(y, want,
							lucid.CloseOptions{RTol: &tol, ATol: &tol}) {
							t.Errorf("%s, run %d: %v, want %v", name, i, y, want)
						}
					}
				}
			})
		}
	}
}
