package fusion

import (
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
	F "github.com/lucid-go/lucid/nn/functional"
)

// TestRowDoesNotDependOnItsBatch: under Deterministic a row has the same bits alone, among a few and among many, however
// kernels choose their paths by size.
func TestRowDoesNotDependOnItsBatch(t *testing.T) {
	lucid.Seed(6)
	rand := func(size ...int) *lucid.Tensor {
		return lucid.With{DType: lucid.Float32}.Uniform(-1, 1, size...).Eval()
	}
	const rows = 70
	wide, square, tall, b := rand(700, 520), rand(700, 700), rand(700, 6), rand(520)
	transposed := rand(520, 700).Transpose(0, 1)
	image, kernel, point, deep := rand(rows, 8, 13, 13), rand(24, 8, 3, 3), rand(24, 8, 1, 1), rand(8, 1, 3, 3)
	q, k, v := rand(rows, 2, 33, 24), rand(rows, 2, 33, 24), rand(rows, 2, 33, 24)
	classes := lucid.With{DType: lucid.Float32}.Uniform(0, 700, rows).To(lucid.Int64).Eval()
	x := rand(rows, 700)
	rand4, tall4 := rand(4*70, 24), rand(4*70, 70).Mul(0.1).Eval()
	rand3, tall3, bias3 := rand(3*300, 24), rand(3*300, 300).Mul(0.05).Eval(), rand(3*300)
	first := func(x *lucid.Tensor, n int) *lucid.Tensor { return x.At(lucid.Range{Start: 0, Stop: n}) }
	same := []int{1}
	groups := 8
	works := map[string]func(n int) *lucid.Tensor{
		"product, bias, gelu": func(n int) *lucid.Tensor { return F.GELU(first(x, n).MatMul(wide).Add(b)) },
		"square product":      func(n int) *lucid.Tensor { return first(x, n).MatMul(square) },
		"few columns":         func(n int) *lucid.Tensor { return first(x, n).MatMul(tall) },
		"transposed weight":   func(n int) *lucid.Tensor { return first(x, n).MatMul(transposed) },
		"bfloat16 product":    func(n int) *lucid.Tensor { return first(x, n).To(lucid.BFloat16).MatMul(wide.To(lucid.BFloat16)) },
		"float16 product":     func(n int) *lucid.Tensor { return first(x, n).To(lucid.Float16).MatMul(transposed.To(lucid.Float16)) },
		"float64 product":     func(n int) *lucid.Tensor { return first(x, n).To(lucid.Float64).MatMul(wide.To(lucid.Float64)) },
		"complex product":     func(n int) *lucid.Tensor { return first(x, n).To(lucid.Complex64).MatMul(wide.To(lucid.Complex64)) },
		"softmax":             func(n int) *lucid.Tensor { return first(x, n).Softmax(1) },
		"layer norm":          func(n int) *lucid.Tensor { return F.LayerNorm(first(x, n), []int{700}) },
		"rms norm":            func(n int) *lucid.Tensor { return F.RMSNorm(first(x, n), []int{700}) },
		"sum":                 func(n int) *lucid.Tensor { return first(x, n).Sum(1) },
		"computed and summed": func(n int) *lucid.Tensor { return first(x, n).Mul(2).Exp().Sum(1) },
		"variance":            func(n int) *lucid.Tensor { return first(x, n).Var(1) },
		"cumulative sum":      func(n int) *lucid.Tensor { return first(x, n).CumSum(1) },
		"cross entropy": func(n int) *lucid.Tensor {
			return F.CrossEntropy(first(x, n), first(classes, n), F.CrossEntropyOptions{Reduction: "none"})
		},
		"convolution": func(n int) *lucid.Tensor {
			return F.Conv2d(first(image, n), kernel, F.ConvOptions{Padding: same})
		},
		"strided": func(n int) *lucid.Tensor {
			return F.Conv2d(first(image, n), kernel, F.ConvOptions{Stride: []int{2}})
		},
		"pointwise": func(n int) *lucid.Tensor { return F.Conv2d(first(image, n), point) },
		"depthwise": func(n int) *lucid.Tensor {
			return F.Conv2d(first(image, n), deep, F.ConvOptions{Groups: groups})
		},
		"average pooling": func(n int) *lucid.Tensor { return F.AvgPool2d(first(image, n), []int{3}) },
		"attention": func(n int) *lucid.Tensor {
			return F.ScaledDotProductAttention(first(q, n), first(k, n), first(v, n))
		},
		"causal attention": func(n int) *lucid.Tensor {
			return F.ScaledDotProductAttention(first(q, n), first(k, n), first(v, n), F.ScaledDotProductAttentionOptions{IsCausal: true})
		},
		"recurrent layer": func(n int) *lucid.Tensor {
			y, _, _ := F.LSTMForward(first(v, n).At(lucid.Colon, 0), rand4, tall4, F.LSTMForwardOptions{BatchFirst: true})
			return y
		},
		"gated units": func(n int) *lucid.Tensor {
			y, _ := F.GRUForward(first(v, n).At(lucid.Colon, 0), rand3, tall3,
				F.GRUForwardOptions{BiasHH: bias3, BatchFirst: true, Reverse: true})
			return y
		},
		"stacked products": func(n int) *lucid.Tensor { return first(q, n).MatMul(first(k, n).Transpose(-1, -2)) },
	}
	for name, f := range works {
		t.Run(name, func(t *testing.T) {
			lucid.Deterministic(func() {
				all := f(rows).Eval()
				for _, n := range []int{1, 2, 3, 5, 8, 17, 33, 64} {
					if part := f(n).Eval(); !tensortest.SameBits(part, first(all, n)) {
						t.Errorf("%d rows have other bits than as part of %d", n, rows)
					}
				}
			})
		})
	}
}
