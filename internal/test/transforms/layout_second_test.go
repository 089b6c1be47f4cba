package transforms

import (
	"fmt"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/fft"
	"github.com/lucid-go/lucid/linalg"
)

// layoutsOf shows a (6, 5) tensor's values in memory that is laid out otherwise.
func layoutsOf(x *lucid.Tensor) map[string]*lucid.Tensor {
	wide := lucid.Cat([]*lucid.Tensor{x.Reshape(6, 1, 5, 1), x.Reshape(6, 1, 5, 1).Mul(7)}, 3).Reshape(6, 10)
	return map[string]*lucid.Tensor{
		"transposed": x.Transpose(0, 1).Contiguous().Eval().Transpose(0, 1),
		"strided":    wide.Eval().At(lucid.Colon, lucid.Range{Start: 0, Stop: 10, Step: 2}),
		"flipped":    x.Flip(0).Contiguous().Eval().Flip(0),
		"offset":     lucid.Cat([]*lucid.Tensor{x.Mul(3), x}, 0).Eval().At(lucid.Range{Start: 6, Stop: 12}),
	}
}

// TestSecondDerivativesOfLayouts checks that first and second derivatives do not depend on how the argument is stored.
func TestSecondDerivativesOfLayouts(t *testing.T) {
	square := func(x *lucid.Tensor) *lucid.Tensor {
		return x.Transpose(0, 1).MatMul(x).Add(lucid.Eye(5).To(x.DType()))
	}
	size := func(y *lucid.Tensor) *lucid.Tensor { return y.Abs().Pow(3).Sum() }
	cases := map[string]func(x *lucid.Tensor) *lucid.Tensor{
		"fft":       func(x *lucid.Tensor) *lucid.Tensor { return size(fft.FFT(x)) },
		"fft dim0":  func(x *lucid.Tensor) *lucid.Tensor { return size(fft.FFT(x, fft.Options{Dim: new(int)})) },
		"rfft":      func(x *lucid.Tensor) *lucid.Tensor { return size(fft.RFFT(x)) },
		"irfft":     func(x *lucid.Tensor) *lucid.Tensor { return size(fft.IRFFT(fft.RFFT(x).Pow(2))) },
		"fft2":      func(x *lucid.Tensor) *lucid.Tensor { return size(fft.FFT2(x)) },
		"hfft":      func(x *lucid.Tensor) *lucid.Tensor { return size(fft.HFFT(fft.FFT(x))) },
		"solve":     func(x *lucid.Tensor) *lucid.Tensor { return size(linalg.Solve(square(x), x.Transpose(0, 1))) },
		"inv":       func(x *lucid.Tensor) *lucid.Tensor { return size(linalg.Inv(square(x))) },
		"cholesky":  func(x *lucid.Tensor) *lucid.Tensor { return size(linalg.Cholesky(square(x))) },
		"svdvals":   func(x *lucid.Tensor) *lucid.Tensor { return size(linalg.SVDVals(x)) },
		"eigvalsh":  func(x *lucid.Tensor) *lucid.Tensor { return size(linalg.EigValsH(square(x))) },
		"qr":        func(x *lucid.Tensor) *lucid.Tensor { q, r := linalg.QR(x); return size(q).Add(size(r)) },
		"det":       func(x *lucid.Tensor) *lucid.Tensor { return linalg.Det(square(x)) },
		"cumprod":   func(x *lucid.Tensor) *lucid.Tensor { return size(x.CumProd(0)) },
		"softmax":   func(x *lucid.Tensor) *lucid.Tensor { return size(x.Softmax(0)) },
		"norm":      func(x *lucid.Tensor) *lucid.Tensor { return linalg.MatrixNorm(x) },
		"logsumexp": func(x *lucid.Tensor) *lucid.Tensor { return size(x.LogSumExp(0)) },
		"prod":      func(x *lucid.Tensor) *lucid.Tensor { return size(x.Prod(1)) },
		"var":       func(x *lucid.Tensor) *lucid.Tensor { return size(x.Var(0)) },
	}
	lucid.Seed(3)
	x := lucid.Randn(6, 5).To(lucid.Float64).Eval()
	for name, f := range cases {
		second := lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { return lucid.Grad(f)(x).Square().Sum() })
		g, h := lucid.Grad(f)(x), second(x)
		for layout, y := range layoutsOf(x) {
			t.Run(fmt.Sprint(name, "/", layout), func(t *testing.T) {
				if d := lucid.Grad(f)(y).Sub(g).Abs().Max().Item(); !(d <= 1e-9*(1+g.Abs().Max().Item())) {
					t.Errorf("the gradient differs by %v", d)
				}
				if d := second(y).Sub(h).Abs().Max().Item(); !(d <= 1e-8*(1+h.Abs().Max().Item())) {
					t.Errorf("the second derivative differs by %v of %v", d, h.Abs().Max().Item())
				}
			})
		}
	}
}
