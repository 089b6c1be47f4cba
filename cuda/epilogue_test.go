package cuda

import (
	"fmt"
	"testing"

	"github.com/lucid-go/lucid"
	F "github.com/lucid-go/lucid/nn/functional"
)

// TestEpilogues: what follows a half-precision matmul is done by its epilogue, or by a launch behind it where the library
// cannot; both agree with float32. Every function runs eagerly and compiled, often enough to be captured.
func TestEpilogues(t *testing.T) {
	dev := gpu(t)
	tanh := F.GELUOptions{Approximate: "tanh"}
	for _, size := range [][3]int{{256, 512, 768}, {64, 40, 24}, {33, 17, 9}, {1, 64, 64}} {
		m, k, n := size[0], size[1], size[2]
		lucid.Seed(7)
		var in []*lucid.Tensor
		lucid.WithDevice(dev, func() {
			in = []*lucid.Tensor{lucid.Randn(m, k), lucid.Randn(k, n).Mul(0.2), lucid.Randn(n), lucid.Randn(m, n), lucid.Randn(m, k)}
		})
		for name, f := range map[string]func(x, w, b, r, x2 *lucid.Tensor) []*lucid.Tensor{
			"bias":     func(x, w, b, r, x2 *lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{x.MatMul(w).Add(b)} },
			"residual": func(x, w, b, r, x2 *lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{r.Add(x.MatMul(w))} },
			"both":     func(x, w, b, r, x2 *lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{r.Add(x.MatMul(w).Add(b))} },
			"two products": func(x, w, b, r, x2 *lucid.Tensor) []*lucid.Tensor {
				return []*lucid.Tensor{x.MatMul(w).Add(x2.MatMul(w))}
			},
			"gelu": func(x, w, b, r, x2 *lucid.Tensor) []*lucid.Tensor {
				return []*lucid.Tensor{F.GELU(x.MatMul(w).Add(b), tanh)}
			},
			"gelu, no bias": func(x, w, b, r, x2 *lucid.Tensor) []*lucid.Tensor {
				return []*lucid.Tensor{F.GELU(x.MatMul(w), tanh)}
			},
			"gelu of all": func(x, w, b, r, x2 *lucid.Tensor) []*lucid.Tensor {
				return []*lucid.Tensor{F.GELU(x.MatMul(w).Add(b).Add(r), tanh)}
			},
			"gelu and more": func(x, w, b, r, x2 *lucid.Tensor) []*lucid.Tensor {
				h := x.MatMul(w).Add(b)
				return []*lucid.Tensor{h, F.GELU(h, tanh)}
			},
			"in shape": func(x, w, b, r, x2 *lucid.Tensor) []*lucid.Tensor {
				return []*lucid.Tensor{x.MatMul(w).Reshape(1, m, n).Add(b).Add(r)}
			},
			"another": func(x, w, b, r, x2 *lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{x.MatMul(w).Add(b).Mul(r)} },
		} {
			t.Run(fmt.Sprint(name, size), func(t *testing.T) {
				var half, full [5]*lucid.Tensor
				for i, x := range in {
					half[i] = x.To(lucid.BFloat16).Eval()
					full[i] = half[i].To(lucid.Float32).Eval()
				}
				want := f(full[0], full[1], full[2], full[3], full[4])
				check := func(got []*lucid.Tensor) {
					for i := range want {
						if e := got[i].To(lucid.Float32).Sub(want[i]).Norm().Div(want[i].Norm()).Item(); !(e < 8e-3) {
							t.Errorf("result %d is off by %.2g", i, e)
						}
					}
				}
				check(f(half[0], half[1], half[2], half[3], half[4]))
				c := lucid.Compile(f)
				for range 4 {
					check(c(half[0], half[1], half[2], half[3], half[4]))
				}
			})
		}
	}
}

// TestGeluGradient: the product behind gelu is multiplied by gelu's derivative, and its columns are summed, by the epilogue
// or by a launch behind it; both agree with float32.
func TestGeluGradient(t *testing.T) {
	dev := gpu(t)
	for _, size := range [][3]int{{512, 64, 1024}, {4096, 768, 3072}, {300, 24, 1000}, {1024, 9, 257}} {
		for _, biased := range []bool{true, false} {
			m, k, n := size[0], size[1], size[2]
			lucid.Seed(11)
			var in []*lucid.Tensor
			lucid.WithDevice(dev, func() {
				in = []*lucid.Tensor{lucid.Randn(m, k), lucid.Randn(n, k).Mul(0.3), lucid.Randn(k, n).Mul(0.1), lucid.Randn(n).Mul(0.5)}
			})
			step := func(in []*lucid.Tensor) []*lucid.Tensor {
				_, grads := lucid.VJPN(func(in []*lucid.Tensor) []*lucid.Tensor {
					b := in[3]
					if !biased {
						b = nil
					}
					y := F.Linear(F.GELU(F.Linear(in[0], in[1], F.LinearOptions{Bias: b}), F.GELUOptions{Approximate: "tanh"}), in[2])
					return []*lucid.Tensor{y.To(lucid.Float32).Square().Mean()}
				}, in, []*lucid.Tensor{lucid.Ones().To(dev)})
				return grads
			}
			half, full := make([]*lucid.Tensor, 4), make([]*lucid.Tensor, 4)
			for i, x := range in {
				half[i] = x.To(lucid.BFloat16).Eval()
				full[i] = half[i].To(lucid.Float32).Eval()
			}
			want := step(full)
			check := func(how string, got []*lucid.Tensor) {
				for i := range want {
					if i == 3 && !biased {
						continue
					}
					if e := got[i].To(lucid.Float32).Sub(want[i]).Norm().Div(want[i].Norm()).Item(); !(e < 1e-2) {
						t.Errorf("%v, bias %v, %s: gradient %d is off by %.2g", size, biased, how, i, e)
					} else if how == "call 3" {
						t.Logf("%v, bias %v: gradient %d is off by %.2g", size, biased, i, e)
					}
				}
			}
			check("eagerly", step(half))
			c := lucid.Compile(step)
			for k := range 4 {
				check(fmt.Sprint("call ", k), c(half))
			}
		}
	}
}

// TestHalfLoss: a language model's loss and gradients with a vocabulary of an odd size, compiled, against float32.
func TestHalfLoss(t *testing.T) {
	dev := gpu(t)
	const rows, width, words = 2048, 64, 5003
	lucid.Seed(9)
	var h, w, y *lucid.Tensor
	lucid.WithDevice(dev, func() {
		h, w, y = lucid.Randn(rows, width).To(lucid.BFloat16), lucid.Randn(words, width).Mul(0.1).To(lucid.BFloat16),
			lucid.RandInt(0, words, rows)
	})
	loss := func(h, w *lucid.Tensor) *lucid.Tensor {
		return F.CrossEntropy(F.Linear(h, w).Reshape(-1, words).To(lucid.Float32), y)
	}
	step := func(h, w *lucid.Tensor) []*lucid.Tensor {
		value, grads := lucid.ValueAndGrad(loss, 0, 1)(h, w)
		return append(grads, value)
	}
	compiled := lucid.Compile(step)
	want := step(h.To(lucid.Float32), w.To(lucid.Float32))
	for range 4 {
		for i, got := range compiled(h, w) {
			if e := got.To(lucid.Float32).Sub(want[i]).Norm().Div(want[i].Norm()).Item(); !(e < 1e-2) {
				t.Errorf("result %d is off by %.2g", i, e)
			}
		}
	}
}
