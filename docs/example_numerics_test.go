package docs_test

import (
	"fmt"
	"math"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/fft"
	"github.com/lucid-go/lucid/linalg"
	"github.com/lucid-go/lucid/signal/windows"
)

// The pieces of docs/numerics.md.

func Example_numericsLeastSquares() {
	x := lucid.With{DType: lucid.Float64}.Linspace(-1, 1, 9)
	y := x.Square().Mul(3).Sub(x).Add(0.5) // a parabola
	design := lucid.Stack([]*lucid.Tensor{lucid.OnesLike(x), x, x.Square()}, 1)
	coefficients, residuals, rank, _ := linalg.LstSq(design, y.Unsqueeze(1), linalg.LstSqOptions{Driver: "gelsd"})
	fmt.Println(coefficients.Squeeze(1), rank.Item(), residuals.Item() < 1e-20)
	// Output: tensor([ 0.5000, -1.0000,  3.0000], dtype=float64) 3 true
}

func Example_numericsWeighted() {
	lucid.Seed(4)
	w := lucid.With{DType: lucid.Float64}
	x := w.Linspace(0, 1, 200)
	noise := x.Mul(0.2).Add(0.01) // grows to the right
	y := x.Mul(2).Add(1).Add(noise.Mul(w.Randn(200)))
	design := lucid.Stack([]*lucid.Tensor{lucid.OnesLike(x), x}, 1)
	// Rows divided by their noise count by how well they are known.
	fit, _, _, _ := linalg.LstSq(design.Div(noise.Unsqueeze(1)), y.Div(noise).Unsqueeze(1))
	// The covariance of the coefficients is the inverse of the normal matrix.
	scaled := design.Div(noise.Unsqueeze(1))
	covariance := linalg.Inv(scaled.T().MatMul(scaled))
	sigma := covariance.Diagonal(0).Sqrt()
	off := fit.Squeeze(1).Sub(lucid.New([]float64{1, 2}, 2)).Abs()
	fmt.Println(off.Lt(sigma.Mul(3)))
	// Output: tensor([True, True])
}

func Example_numericsRidge() {
	w := lucid.With{DType: lucid.Float64}
	lucid.Seed(5)
	a, b := w.Randn(30, 4), w.Randn(30)
	test, want := w.Randn(20, 4), w.Randn(20)
	// Solve (AᵀA + λI)·x = Aᵀb, and ask how the error on other data changes with λ: through the solver.
	loss := func(logLambda *lucid.Tensor) *lucid.Tensor {
		normal := a.T().MatMul(a).Add(w.Eye(4).Mul(logLambda.Exp()))
		return test.MatMul(linalg.Solve(normal, a.T().MatMul(b))).Sub(want).Square().Mean()
	}
	s := lucid.Scalar(0.0).To(lucid.Float64)
	gradient := lucid.Grad(loss)(s).Item()
	difference := (loss(s.Add(1e-5)).Item() - loss(s.Sub(1e-5)).Item()) / 2e-5
	fmt.Println(math.Abs(gradient-difference) < 1e-8)
	// Output: true
}

func Example_numericsSpectrum() {
	const rate = 1000 // samples a second
	t := lucid.Arange(rate).Div(rate)
	wave := t.Mul(2 * math.Pi * 50).Sin().Add(t.Mul(2 * math.Pi * 120).Sin().Mul(0.5))
	spectrum := fft.RFFT(wave).Abs().Mul(2.0 / rate) // amplitudes
	frequencies := fft.RFFTFreq(rate, fft.FreqOptions{D: 1.0 / rate})
	_, at := spectrum.TopK(2)
	fmt.Println(frequencies.At(at), lucid.Round(spectrum.At(at).Mul(100)).Div(100))
	// Output: tensor([ 50., 120.]) tensor([1.0000, 0.5000])
}

func Example_numericsFilter() {
	lucid.Seed(6)
	const n = 512
	t := lucid.Arange(n).Div(n)
	clean := t.Mul(2 * math.Pi * 5).Sin()
	noisy := clean.Add(lucid.Randn(n).Mul(0.3))
	bins := fft.RFFT(noisy)
	low := lucid.Arange(bins.Size(0)).Lt(10) // frequencies to keep
	smooth := fft.IRFFT(lucid.Where(low, bins, 0), fft.Options{N: n})
	before, after := noisy.Sub(clean).Square().Mean().Item(), smooth.Sub(clean).Square().Mean().Item()
	fmt.Println(after < before/10)
	// Output: true
}

func Example_numericsSpectrogram() {
	const rate = 8000
	t := lucid.Arange(rate).Div(rate)
	chirp := t.Mul(t).Mul(2 * math.Pi * 500).Add(t.Mul(2 * math.Pi * 500)).Sin() // from 500 Hz to 1500 Hz
	frames := lucid.STFT(chirp, lucid.STFTOptions{NFFT: 256, Window: windows.Hann(256)}).Abs()
	loudest := frames.ArgMax(0).Mul(rate / 256.0)
	fmt.Println(frames.Shape(), loudest.At(20).Item(), loudest.At(-20).Item())
	// Output: [129 126] 656.25 1343.75
}
