package packages_test

import (
	"fmt"
	"math"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/fft"
	"github.com/lucid-go/lucid/signal/windows"
)

// Spectra: a piece of docs/packages/fft.md.
func Example_fftSpectra() {
	t := lucid.With{DType: lucid.Float64}.Arange(0, 64).Mul(2 * math.Pi / 64)
	wave := t.Mul(5).Sin()
	spectrum := fft.RFFT(wave)
	fmt.Println(spectrum.Shape(), spectrum.DType(), spectrum.Abs().ArgMax(-1).Item())
	back := fft.IRFFT(spectrum, fft.Options{N: 64})
	fmt.Println(lucid.AllClose(back, wave))
	// Output:
	// [33] complex128 5
	// true
}

// Gradients: a piece of docs/packages/fft.md.
func Example_fftGradients() {
	energy := func(x *lucid.Tensor) *lucid.Tensor {
		return fft.FFT(x, fft.Options{Norm: "ortho"}).Abs().Square().Sum()
	}
	fmt.Println(lucid.Grad(energy)(lucid.New([]float64{1, 2, 3}, 3)).Round())
	// Output:
	// tensor([2., 4., 6.], dtype=float64)
}

// Short-time transforms: a piece of docs/packages/fft.md.
func Example_fftShortTime() {
	window := windows.Hann(16, windows.Options{Periodic: true, DType: lucid.Float64})
	x := lucid.With{DType: lucid.Float64}.Arange(0, 64).Sin()
	frames := lucid.STFT(x, lucid.STFTOptions{NFFT: 16, HopLength: new(4), Window: window})
	back := lucid.ISTFT(frames, lucid.ISTFTOptions{NFFT: 16, HopLength: new(4), Window: window, Length: new(64)})
	fmt.Println(frames.Shape(), lucid.AllClose(back, x))
	// Output:
	// [9 17] true
}
