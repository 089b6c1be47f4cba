package latency

import (
	"testing"

	"github.com/lucid-go/lucid"
	F "github.com/lucid-go/lucid/nn/functional"
)

// BenchmarkNNTrain measures forward and backward together.
func BenchmarkNNTrain(b *testing.B) {
	lucid.Seed(0)
	run := func(name string, x *lucid.Tensor, f func(x *lucid.Tensor) *lucid.Tensor) {
		b.Run(name, func(b *testing.B) {
			u := lucid.Randn(f(x).Shape()...)
			if err := lucid.Eval(x, u); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(x.NumElement() * 4))
			for b.Loop() {
				_, g := lucid.VJP(f, x, u)
				if err := lucid.Eval(g); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	w, bias := lucid.Randn(1024), lucid.Randn(1024)
	x := lucid.Randn(2048, 1024)
	run("layer_norm/2048x1024", x, func(x *lucid.Tensor) *lucid.Tensor {
		return F.LayerNorm(x, []int{1024}, F.LayerNormOptions{Weight: w, Bias: bias})
	})
	run("rms_norm/2048x1024", x, func(x *lucid.Tensor) *lucid.Tensor { return F.RMSNorm(x, []int{1024}, F.RMSNormOptions{Weight: w}) })
	run("softmax/2048x1024", x, func(x *lucid.Tensor) *lucid.Tensor { return lucid.Softmax(x, -1) })
	run("log_softmax/2048x1024", x, func(x *lucid.Tensor) *lucid.Tensor { return lucid.LogSoftmax(x, -1) })
	run("gelu/2048x1024", x, func(x *lucid.Tensor) *lucid.Tensor { return F.GELU(x) })
	run("silu/2048x1024", x, F.SiLU)
	target := lucid.Zeros(256).To(lucid.Int64)
	run("cross_entropy/256x8192", lucid.Randn(256, 8192), func(x *lucid.Tensor) *lucid.Tensor { return F.CrossEntropy(x, target) })
	q := lucid.Randn(8, 256, 64)
	run("attention/8x256x64", q, func(x *lucid.Tensor) *lucid.Tensor {
		return F.ScaledDotProductAttention(x, x, x, F.ScaledDotProductAttentionOptions{IsCausal: true})
	})
	image := lucid.Randn(8, 16, 56, 56)
	run("max_pool2d/8x16x56", image, func(x *lucid.Tensor) *lucid.Tensor { y := F.MaxPool2d(x, []int{2}); return y })
	run("avg_pool2d/8x16x56", image, func(x *lucid.Tensor) *lucid.Tensor { return F.AvgPool2d(x, []int{2}) })
	run("batch_norm/8x16x56", image, func(x *lucid.Tensor) *lucid.Tensor {
		y := F.BatchNorm(x, F.BatchNormOptions{Training: true})
		return y
	})
	run("bilinear/8x16x56", image, func(x *lucid.Tensor) *lucid.Tensor {
		return F.Interpolate(x, F.InterpolateOptions{ScaleFactor: []float64{2}, Mode: "bilinear"})
	})
	run("pad_reflect/8x16x56", image, func(x *lucid.Tensor) *lucid.Tensor {
		return F.Pad(x, []int{1, 1, 1, 1}, F.PadOptions{Mode: "reflect"})
	})
}
