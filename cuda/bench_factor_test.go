package cuda

import (
	"fmt"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/distributions"
	"github.com/lucid-go/lucid/fft"
	"github.com/lucid-go/lucid/linalg"
)

func normal(b *testing.B, d lucid.DType, sizes ...int) *lucid.Tensor {
	var x *lucid.Tensor
	lucid.WithDevice(gpu(b), func() { x = lucid.With{DType: d}.Randn(sizes...) })
	must(b, lucid.Eval(x))
	return x
}

// BenchmarkFactors measures single large matrices and batches of small ones.
func BenchmarkFactors(b *testing.B) {
	run := func(name string, x *lucid.Tensor, f func(x *lucid.Tensor) *lucid.Tensor) {
		b.Run(fmt.Sprint(name, x.Shape(), x.DType()), func(b *testing.B) { bench(b, 0, 0, func() *lucid.Tensor { return f(x) }) })
	}
	qr := func(x *lucid.Tensor) *lucid.Tensor { q, _ := linalg.QR(x); return q }
	svd := func(x *lucid.Tensor) *lucid.Tensor { u, _, _ := linalg.SVD(x); return u }
	eigh := func(x *lucid.Tensor) *lucid.Tensor { _, v := linalg.Eigh(x); return v }
	definite := func(x *lucid.Tensor) *lucid.Tensor {
		var y *lucid.Tensor
		n := x.Size(-1)
		lucid.WithDevice(lucid.CUDA(0), func() { y = x.MatMul(x.MT()).Add(lucid.With{DType: x.DType()}.Eye(n).Mul(float64(n))) })
		must(b, lucid.Eval(y))
		return y
	}
	x := normal(b, lucid.Float32, 2048, 2048)
	run("solve", x, func(y *lucid.Tensor) *lucid.Tensor { return linalg.Solve(y, x) })
	run("inv", x, linalg.Inv)
	run("lu", x, func(x *lucid.Tensor) *lucid.Tensor { lu, _ := linalg.LUFactor(x); return lu })
	run("qr", x, qr)
	run("cholesky", definite(x), func(x *lucid.Tensor) *lucid.Tensor { return linalg.Cholesky(x) })
	for _, d := range []lucid.DType{lucid.Float32, lucid.Float64} {
		x := normal(b, d, 512, 512)
		run("svd", x, svd)
		run("eigh", x.Add(x.MT()), eigh)
	}
	for _, n := range []int{64, 128, 256} {
		x := normal(b, lucid.Float64, n, n)
		run("eigh", x.Add(x.MT()), eigh)
		run("eigvalsh", x.Add(x.MT()), func(x *lucid.Tensor) *lucid.Tensor { return linalg.EigValsH(x) })
	}
	x = normal(b, lucid.Float64, 512, 512)
	run("eigvalsh", x.Add(x.MT()), func(x *lucid.Tensor) *lucid.Tensor { return linalg.EigValsH(x) })
	x = normal(b, lucid.Float64, 8, 256, 256)
	run("eigh", x.Add(x.MT()), eigh)
	values := func(x *lucid.Tensor) *lucid.Tensor { return linalg.EigValsH(x) }
	for _, sizes := range [][]int{{64, 64}, {128, 128}, {256, 256}, {512, 512}, {8, 256, 256}} {
		x := normal(b, lucid.Float64, sizes...)
		if sizes[0] != 512 {
			run("eigh", x.Add(x.MT()), eigh)
		}
		run("eigvalsh", x.Add(x.MT()), values)
	}
	run("eig", normal(b, lucid.Float32, 256, 256), func(x *lucid.Tensor) *lucid.Tensor { _, v := linalg.Eig(x); return v })
	gels := linalg.LstSqOptions{Driver: "gels"} // PyTorch has no other on a GPU
	tall := normal(b, lucid.Float32, 2048, 256)
	run("lstsq", tall, func(x *lucid.Tensor) *lucid.Tensor {
		z, _, _, _ := linalg.LstSq(x, tall.Narrow(1, 0, 1), gels)
		return z
	})
	for _, n := range []int{4, 16, 32} {
		x := normal(b, lucid.Float32, 4096, n, n)
		run("qr", x, qr)
		run("svd", x, svd)
		run("eigh", definite(x), eigh)
		run("inv", x, linalg.Inv)
		run("solve", x, func(y *lucid.Tensor) *lucid.Tensor { return linalg.Solve(y, x) })
		run("cholesky", definite(x), func(x *lucid.Tensor) *lucid.Tensor { return linalg.Cholesky(x) })
	}
}

// BenchmarkTransforms measures Fourier transforms.
func BenchmarkTransforms(b *testing.B) {
	run := func(name string, x *lucid.Tensor, f func(x *lucid.Tensor) *lucid.Tensor) {
		b.Run(fmt.Sprint(name, x.Shape()), func(b *testing.B) { bench(b, 0, 0, func() *lucid.Tensor { return f(x) }) })
		compiled := lucid.Compile(f)
		b.Run(fmt.Sprint(name, x.Shape(), "compiled"), func(b *testing.B) {
			bench(b, 0, 0, func() *lucid.Tensor { return compiled(x) })
		})
	}
	one := func(x *lucid.Tensor) *lucid.Tensor { return fft.FFT(x) }
	run("fft", normal(b, lucid.Complex64, 256, 4096), one)
	run("fft", normal(b, lucid.Complex64, 256, 4093), one)
	run("fft", normal(b, lucid.Complex64, 65536, 16), one)
	run("rfft", normal(b, lucid.Float32, 256, 4096), func(x *lucid.Tensor) *lucid.Tensor { return fft.RFFT(x) })
	run("irfft", normal(b, lucid.Complex64, 256, 2049), func(x *lucid.Tensor) *lucid.Tensor { return fft.IRFFT(x) })
	run("fft2", normal(b, lucid.Complex64, 64, 256, 256), func(x *lucid.Tensor) *lucid.Tensor { return fft.FFT2(x) })
	run("fftn", normal(b, lucid.Complex64, 128, 128, 128), func(x *lucid.Tensor) *lucid.Tensor { return fft.FFTN(x) })
	window := normal(b, lucid.Float32, 512)
	run("stft", normal(b, lucid.Float32, 16, 160000), func(x *lucid.Tensor) *lucid.Tensor {
		return lucid.STFT(x, lucid.STFTOptions{NFFT: 512, Window: window})
	})
}

// BenchmarkSamples measures samples of distributions.
func BenchmarkSamples(b *testing.B) {
	const n = 1 << 20
	full := func(value float64, sizes ...int) *lucid.Tensor {
		var x *lucid.Tensor
		lucid.WithDevice(gpu(b), func() { x = lucid.Full(sizes, value) })
		must(b, lucid.Eval(x))
		return x
	}
	run := func(name string, d interface {
		Sample(sizes ...int) *lucid.Tensor
	}) {
		b.Run(name, func(b *testing.B) { bench(b, 0, 0, func() *lucid.Tensor { return d.Sample() }) })
	}
	run("normal", distributions.NewNormal(full(0, n), full(1, n)))
	run("gamma", distributions.NewGamma(full(2.5, n), full(1, n)))
	run("beta", distributions.NewBeta(full(2.5, n), full(1.5, n)))
	run("dirichlet", distributions.NewDirichlet(full(1.5, 65536, 16)))
	run("categorical", distributions.NewCategorical(distributions.CategoricalOptions{Logits: normal(b, lucid.Float32, 16384, 64)}))
	run("von_mises", distributions.NewVonMises(full(0, 65536), full(2.5, 65536)))
}
