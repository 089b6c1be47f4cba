package lucid

import "testing"

// BenchmarkNNTrain measures forward and backward together.
func BenchmarkNNTrain(b *testing.B) {
	Seed(0)
	run := func(name string, x *Tensor, f func(x *Tensor) *Tensor) {
		b.Run(name, func(b *testing.B) {
			u := Randn(f(x).Shape()...)
			if err := Eval(x, u); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(x.NumElement() * 4))
			for b.Loop() {
				_, g := VJP(f, x, u)
				if err := Eval(g); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	w, bias := Randn(1024), Randn(1024)
	x := Randn(2048, 1024)
	run("layer_norm/2048x1024", x, func(x *Tensor) *Tensor { return LayerNorm(x, []int{1024}, w, bias) })
	run("rms_norm/2048x1024", x, func(x *Tensor) *Tensor { return RMSNorm(x, []int{1024}, w) })
	run("softmax/2048x1024", x, func(x *Tensor) *Tensor { return Softmax(x, -1) })
	run("log_softmax/2048x1024", x, func(x *Tensor) *Tensor { return LogSoftmax(x, -1) })
	run("gelu/2048x1024", x, func(x *Tensor) *Tensor { return Gelu(x) })
	run("silu/2048x1024", x, Silu)
	target := Zeros(256).To(Int64)
	run("cross_entropy/256x8192", Randn(256, 8192), func(x *Tensor) *Tensor { return CrossEntropy(x, target, nil) })
	q := Randn(8, 256, 64)
	run("attention/8x256x64", q, func(x *Tensor) *Tensor {
		return ScaledDotProductAttention(x, x, x, nil, ScaledDotProductAttentionOptions{IsCausal: true})
	})
	image := Randn(8, 16, 56, 56)
	run("max_pool2d/8x16x56", image, func(x *Tensor) *Tensor { y, _ := MaxPool2d(x, []int{2}); return y })
	run("avg_pool2d/8x16x56", image, func(x *Tensor) *Tensor { return AvgPool2d(x, []int{2}) })
	run("batch_norm/8x16x56", image, func(x *Tensor) *Tensor {
		y, _, _ := BatchNorm(x, nil, nil, nil, nil, BatchNormOptions{Training: true})
		return y
	})
	run("bilinear/8x16x56", image, func(x *Tensor) *Tensor {
		return Interpolate(x, InterpolateOptions{ScaleFactor: []float64{2}, Mode: "bilinear"})
	})
	run("pad_reflect/8x16x56", image, func(x *Tensor) *Tensor { return Pad(x, []int{1, 1, 1, 1}, PadOptions{Mode: "reflect"}) })
}
