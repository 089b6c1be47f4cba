package fusion

import (
	"runtime"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
	F "github.com/lucid-go/lucid/nn/functional"
)

// TestSameBitsForAnyThreadsHeavy: kernels that split large work give the same bits, values and gradients, for any
// GOMAXPROCS.
func TestSameBitsForAnyThreadsHeavy(t *testing.T) {
	lucid.Seed(5)
	rand := func(size ...int) *lucid.Tensor {
		return lucid.With{DType: lucid.Float32}.Uniform(-1, 1, size...).Eval()
	}
	x, w, b := rand(300, 700), rand(700, 520), rand(520)
	image, kernel, deep := rand(3, 16, 40, 40), rand(24, 16, 3, 3), rand(16, 1, 3, 3)
	q, k, v := rand(2, 4, 300, 48), rand(2, 4, 300, 48), rand(2, 4, 300, 48)
	positions := lucid.With{DType: lucid.Float32}.Uniform(0, 300, 90000).To(lucid.Int64).Eval()
	groups := 16
	state, weights := rand(800, 48).Mul(0.1).Eval(), rand(800, 200).Mul(0.1).Eval()
	classes := lucid.With{DType: lucid.Float32}.Uniform(0, 700, 300).To(lucid.Int64).Eval()
	works := map[string]func(x *lucid.Tensor) *lucid.Tensor{
		"product, bias, gelu":   func(x *lucid.Tensor) *lucid.Tensor { return F.GELU(x.MatMul(w).Add(b)) },
		"bfloat16 product":      func(x *lucid.Tensor) *lucid.Tensor { return x.To(lucid.BFloat16).MatMul(w.To(lucid.BFloat16)) },
		"float16 product":       func(x *lucid.Tensor) *lucid.Tensor { return x.To(lucid.Float16).MatMul(w.To(lucid.Float16)) },
		"float64 product":       func(x *lucid.Tensor) *lucid.Tensor { return x.To(lucid.Float64).MatMul(w.To(lucid.Float64)) },
		"softmax":               func(x *lucid.Tensor) *lucid.Tensor { return x.Softmax(1) },
		"softmax down":          func(x *lucid.Tensor) *lucid.Tensor { return x.Softmax(0) },
		"layer norm":            func(x *lucid.Tensor) *lucid.Tensor { return F.LayerNorm(x, []int{700}) },
		"rms norm":              func(x *lucid.Tensor) *lucid.Tensor { return F.RMSNorm(x, []int{700}) },
		"variance":              func(x *lucid.Tensor) *lucid.Tensor { return x.Var(0) },
		"sum while computed":    func(x *lucid.Tensor) *lucid.Tensor { return x.Mul(x).Exp().Sum(0) },
		"log sum exp":           func(x *lucid.Tensor) *lucid.Tensor { return x.LogSumExp(1) },
		"cumulative sum":        func(x *lucid.Tensor) *lucid.Tensor { return x.CumSum(0) },
		"cross entropy":         func(x *lucid.Tensor) *lucid.Tensor { return F.CrossEntropy(x, classes) },
		"gather and its adding": func(x *lucid.Tensor) *lucid.Tensor { return x.At(positions).Sum(1) },
		"convolution": func(x *lucid.Tensor) *lucid.Tensor {
			return F.Conv2d(image.Mul(x.At(0, 0)), kernel, F.ConvOptions{Padding: []int{1}})
		},
		"kernel gradient": func(x *lucid.Tensor) *lucid.Tensor {
			return F.Conv2d(image, kernel.Mul(x.At(0, 0)), F.ConvOptions{Stride: []int{2}})
		},
		"depthwise": func(x *lucid.Tensor) *lucid.Tensor {
			return F.Conv2d(image, deep.Mul(x.At(0, 0)), F.ConvOptions{Groups: groups})
		},
		"attention": func(x *lucid.Tensor) *lucid.Tensor {
			return F.ScaledDotProductAttention(q.Mul(x.At(0, 0)), k, v, F.ScaledDotProductAttentionOptions{IsCausal: true})
		},
		"recurrent": func(x *lucid.Tensor) *lucid.Tensor {
			y, _, _ := F.LSTMForward(q.At(0).Mul(x.At(0, 0)).Permute(1, 0, 2), state, weights)
			return y
		},
		"pooling": func(x *lucid.Tensor) *lucid.Tensor {
			y := F.MaxPool2d(image.Mul(x.At(0, 0)), []int{2})
			return y
		},
	}
	old := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(old)
	for name, f := range works {
		t.Run(name, func(t *testing.T) {
			run := func() (*lucid.Tensor, *lucid.Tensor) {
				y := f(x).Eval()
				g := lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { return f(x).To(lucid.Float32).Square().Sum() })(x).Eval()
				return y, g
			}
			runtime.GOMAXPROCS(1)
			y, g := run()
			for _, n := range testutil.ThreadCounts() {
				runtime.GOMAXPROCS(n)
				z, h := run()
				if !tensortest.SameBits(y, z) || !tensortest.SameBits(g, h) {
					t.Errorf("GOMAXPROCS %d changes bits: value %v, gradient %v the same", n, tensortest.SameBits(y, z),
						tensortest.SameBits(g, h))
				}
			}
		})
	}
}
