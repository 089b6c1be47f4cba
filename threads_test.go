package lucid

import (
	"runtime"
	"testing"
)

// TestSameBitsForAnyThreadsHeavy: kernels that split large work give the same bits, values and gradients, for any
// GOMAXPROCS.
func TestSameBitsForAnyThreadsHeavy(t *testing.T) {
	Seed(5)
	rand := func(size ...int) *Tensor { return With{DType: Float32}.Uniform(-1, 1, size...).Eval() }
	x, w, b := rand(300, 700), rand(700, 520), rand(520)
	image, kernel, deep := rand(3, 16, 40, 40), rand(24, 16, 3, 3), rand(16, 1, 3, 3)
	q, k, v := rand(2, 4, 300, 48), rand(2, 4, 300, 48), rand(2, 4, 300, 48)
	places := With{DType: Float32}.Uniform(0, 300, 90000).To(Int64).Eval()
	groups := 16
	state, turned := rand(800, 48).Mul(0.1).Eval(), rand(800, 200).Mul(0.1).Eval()
	classes := With{DType: Float32}.Uniform(0, 700, 300).To(Int64).Eval()
	works := map[string]func(x *Tensor) *Tensor{
		"product, bias, gelu":   func(x *Tensor) *Tensor { return Gelu(x.MatMul(w).Add(b)) },
		"bfloat16 product":      func(x *Tensor) *Tensor { return x.To(BFloat16).MatMul(w.To(BFloat16)) },
		"float16 product":       func(x *Tensor) *Tensor { return x.To(Float16).MatMul(w.To(Float16)) },
		"float64 product":       func(x *Tensor) *Tensor { return x.To(Float64).MatMul(w.To(Float64)) },
		"softmax":               func(x *Tensor) *Tensor { return x.Softmax(1) },
		"softmax down":          func(x *Tensor) *Tensor { return x.Softmax(0) },
		"layer norm":            func(x *Tensor) *Tensor { return LayerNorm(x, []int{700}, nil, nil) },
		"rms norm":              func(x *Tensor) *Tensor { return RMSNorm(x, []int{700}, nil) },
		"variance":              func(x *Tensor) *Tensor { return x.Var(0) },
		"sum while computed":    func(x *Tensor) *Tensor { return x.Mul(x).Exp().Sum(0) },
		"log sum exp":           func(x *Tensor) *Tensor { return x.LogSumExp(1) },
		"cumulative sum":        func(x *Tensor) *Tensor { return x.CumSum(0) },
		"cross entropy":         func(x *Tensor) *Tensor { return CrossEntropy(x, classes, nil) },
		"gather and its adding": func(x *Tensor) *Tensor { return x.At(places).Sum(1) },
		"convolution": func(x *Tensor) *Tensor {
			return Conv2d(image.Mul(x.At(0, 0)), kernel, nil, ConvOptions{Padding: []int{1}})
		},
		"kernel gradient": func(x *Tensor) *Tensor {
			return Conv2d(image, kernel.Mul(x.At(0, 0)), nil, ConvOptions{Stride: []int{2}})
		},
		"depthwise": func(x *Tensor) *Tensor { return Conv2d(image, deep.Mul(x.At(0, 0)), nil, ConvOptions{Groups: &groups}) },
		"attention": func(x *Tensor) *Tensor {
			return ScaledDotProductAttention(q.Mul(x.At(0, 0)), k, v, nil, ScaledDotProductAttentionOptions{IsCausal: true})
		},
		"recurrent": func(x *Tensor) *Tensor {
			y, _, _ := LSTMForward(q.At(0).Mul(x.At(0, 0)).Permute(1, 0, 2), state, turned, nil, nil, nil, nil, nil)
			return y
		},
		"pooling": func(x *Tensor) *Tensor { y, _ := MaxPool2d(image.Mul(x.At(0, 0)), []int{2}); return y },
	}
	old := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(old)
	for name, f := range works {
		t.Run(name, func(t *testing.T) {
			run := func() (*Tensor, *Tensor) {
				y := f(x).Eval()
				g := Grad(func(x *Tensor) *Tensor { return f(x).To(Float32).Square().Sum() })(x).Eval()
				return y, g
			}
			runtime.GOMAXPROCS(1)
			y, g := run()
			for _, n := range threadCounts() {
				runtime.GOMAXPROCS(n)
				z, h := run()
				if !tensorBits(y, z) || !tensorBits(g, h) {
					t.Errorf("GOMAXPROCS %d changes bits: value %v, gradient %v the same", n, tensorBits(y, z), tensorBits(g, h))
				}
			}
		})
	}
}

// threadCounts are the numbers of threads whose bits must be those of one.
func threadCounts() []int {
	if raced {
		return []int{3}
	}
	return []int{2, 3, 8}
}
