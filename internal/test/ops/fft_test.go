package ops

import (
	"errors"
	"runtime"
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/fft"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

func TestFFTRoundTrip(t *testing.T) {
	x := tensortest.Uniform(-1, 1, 2, 12, 7)
	near := func(a, b *lucid.Tensor) {
		t.Helper()
		if !lucid.AllClose(a, b, lucid.CloseOptions{RTol: new(1e-12), ATol: new(1e-12)}) {
			t.Errorf("%v, want %v", a, b)
		}
	}
	near(fft.IFFT2(fft.FFT2(x)).Real(), x)
	near(fft.IFFT(fft.FFT(x)).Real(), x)
	near(fft.IRFFTN(fft.RFFTN(x), fft.NOptions{S: []int{2, 12, 7}}), x)
	near(fft.HFFT(fft.IHFFT(x), fft.Options{N: 7}), x)
	near(fft.IFFTShift(fft.FFTShift(x)), x)
	for _, kind := range []int{2, 3, 4} {
		for _, norm := range []string{"", "forward", "ortho"} {
			o := fft.DCTOptions{Type: kind, Norm: norm}
			near(fft.IDCT(fft.DCT(x, o), o), x)
			near(fft.IDST(fft.DST(x, o), o), x)
		}
	}
	// A view with other strides gives what a copy of it gives.
	view := x.Transpose(0, 2)
	near(fft.FFT(view).Real(), fft.FFT(view.Add(0)).Real())
	near(fft.RFFT(x.Flip(2), fft.Options{Dim: new(1)}).Imag(), fft.RFFT(x.Flip(2).Add(0), fft.Options{Dim: new(1)}).Imag())
}

// TestFFTRefuses: what cannot be transformed is a typed error before anything is computed.
func TestFFTRefuses(t *testing.T) {
	x, c := lucid.Zeros(2, 6), lucid.Complex(lucid.Zeros(2, 6), lucid.Zeros(2, 6))
	for _, r := range []struct {
		name string
		want error
		f    func() *lucid.Tensor
	}{
		{"half", lucid.ErrDType, func() *lucid.Tensor { return fft.FFT(x.To(lucid.BFloat16)) }},
		{"half c2r", lucid.ErrDType, func() *lucid.Tensor { return fft.IRFFT(x.To(lucid.Float16)) }},
		{"rfft of complex", lucid.ErrDType, func() *lucid.Tensor { return fft.RFFT(c) }},
		{"ihfft of complex", lucid.ErrDType, func() *lucid.Tensor { return fft.IHFFT(c) }},
		{"dct of complex", lucid.ErrDType, func() *lucid.Tensor { return fft.DCT(c) }},
		{"negative n", lucid.ErrValue, func() *lucid.Tensor { return fft.FFT(x, fft.Options{N: -3}) }},
		{"n of -1", lucid.ErrValue, func() *lucid.Tensor { return fft.RFFT(x, fft.Options{N: -1}) }},
		{"zero in s", lucid.ErrValue, func() *lucid.Tensor { return fft.FFTN(x, fft.NOptions{S: []int{0, 6}}) }},
		{"no elements", lucid.ErrValue, func() *lucid.Tensor { return fft.FFT(lucid.Zeros(3, 0)) }},
		{"irfft of one bin", lucid.ErrValue, func() *lucid.Tensor { return fft.IRFFT(lucid.Zeros(3, 1)) }},
		{"dim twice", lucid.ErrValue, func() *lucid.Tensor { return fft.FFTN(x, fft.NOptions{Dim: []int{1, -1}}) }},
		{"s and dim", lucid.ErrValue, func() *lucid.Tensor { return fft.FFTN(x, fft.NOptions{S: []int{4}, Dim: []int{0, 1}}) }},
		{"s too long", lucid.ErrValue, func() *lucid.Tensor { return fft.FFTN(x, fft.NOptions{S: []int{4, 4, 4}}) }},
		{"dim out of range", lucid.ErrIndex, func() *lucid.Tensor { return fft.FFT(x, fft.Options{Dim: new(2)}) }},
		{"0-d", lucid.ErrIndex, func() *lucid.Tensor { return fft.FFT(lucid.Scalar(1.0)) }},
		{"no dimension", lucid.ErrValue, func() *lucid.Tensor { return fft.RFFTN(lucid.Scalar(1.0)) }},
		{"norm", lucid.ErrValue, func() *lucid.Tensor { return fft.FFT(x, fft.Options{Norm: "both"}) }},
		{"type", lucid.ErrValue, func() *lucid.Tensor { return fft.DCT(x, fft.DCTOptions{Type: 1}) }},
		{"freq", lucid.ErrValue, func() *lucid.Tensor { return fft.FFTFreq(0) }},
		{"convolve", lucid.ErrValue, func() *lucid.Tensor { return fft.FFTConvolve(x, x, fft.ConvolveOptions{Mode: "half"}) }},
		{"stft without n_fft", lucid.ErrValue, func() *lucid.Tensor { return lucid.STFT(x) }},
		{"stft window", lucid.ErrShapeMismatch, func() *lucid.Tensor {
			return lucid.STFT(x, lucid.STFTOptions{NFFT: 4, Window: lucid.Ones(3)})
		}},
		{"stft short", lucid.ErrShapeMismatch, func() *lucid.Tensor { return lucid.STFT(x, lucid.STFTOptions{NFFT: 8, NoCenter: true}) }},
		{"istft of real", lucid.ErrDType, func() *lucid.Tensor { return lucid.ISTFT(x, lucid.ISTFTOptions{NFFT: 4}) }},
		{"istft gaps", lucid.ErrValue, func() *lucid.Tensor { return lucid.ISTFT(c, lucid.ISTFTOptions{NFFT: 2, HopLength: new(3)}) }},
	} {
		err := lucid.Try(func() { r.f() })
		if !errors.Is(err, r.want) {
			t.Errorf("%s: %v, want %v", r.name, err, r.want)
		}
	}
	// Whether windows overlap is known when they are.
	y := lucid.ISTFT(lucid.Complex(lucid.Ones(5, 4), lucid.Zeros(5, 4)), lucid.ISTFTOptions{NFFT: 8, Window: lucid.Zeros(8)})
	if err := lucid.Eval(y); !errors.Is(err, lucid.ErrValue) {
		t.Errorf("windows of zeros: %v", err)
	}
}

// TestFFTSameBits: a row's bits depend neither on its position, nor on its neighbours, nor on the number of threads.
func TestFFTSameBits(t *testing.T) {
	for _, n := range []int{48, 101, 1024} {
		x := tensortest.Uniform(-1, 1, 40, n).To(lucid.Float32)
		row := x.Narrow(0, 0, 1)
		same := row.Expand(40, n).Add(0)
		bits := func(y *lucid.Tensor) []complex64 { return lucid.ToSlice[complex64](y) }
		want := bits(fft.FFT(x))
		alone := bits(fft.RFFT(same))
		for i := range 40 {
			if m := n/2 + 1; !slices.Equal(alone[i*m:][:m], alone[:m]) {
				t.Errorf("n %d: row %d of equal rows has other bits", n, i)
			}
		}
		if rows := bits(fft.FFT(same)); !slices.Equal(rows[39*n:], want[:n]) {
			t.Errorf("n %d: the row has other bits among other rows", n)
		}
		old := runtime.GOMAXPROCS(1)
		got := bits(fft.FFT(x))
		runtime.GOMAXPROCS(old)
		if !slices.Equal(got, want) {
			t.Errorf("n %d: other bits on one thread", n)
		}
	}
}

// TestFFTSameBitsAlone: a row, an image or a frame has the same bits alone and among many.
func TestFFTSameBitsAlone(t *testing.T) {
	bits := func(y *lucid.Tensor) []complex64 { return lucid.ToSlice[complex64](y) }
	for _, n := range []int{101, 521, 1024, 9000} {
		x := tensortest.Uniform(-1, 1, 20, n).To(lucid.Float32)
		for i := range 20 {
			row := x.Narrow(0, i, 1)
			if !slices.Equal(bits(fft.FFT(row)), bits(fft.FFT(x).Narrow(0, i, 1))) {
				t.Fatalf("n %d: row %d has other bits alone", n, i)
			}
			if !slices.Equal(bits(fft.RFFT(row)), bits(fft.RFFT(x).Narrow(0, i, 1))) {
				t.Fatalf("n %d: real row %d has other bits alone", n, i)
			}
		}
	}
	images := tensortest.Uniform(-1, 1, 3, 64, 33).To(lucid.Float32)
	if !slices.Equal(bits(fft.FFT2(images).Narrow(0, 1, 1)), bits(fft.FFT2(images.Narrow(0, 1, 1)))) {
		t.Error("an image has other bits alone")
	}
	signal := tensortest.Uniform(-1, 1, 20000).To(lucid.Float32)
	frames := lucid.STFT(signal, lucid.STFTOptions{NFFT: 64, NoCenter: true})
	if !slices.Equal(bits(frames.Narrow(1, 500, 1).Reshape(-1)), bits(fft.RFFT(signal.Narrow(0, 500*16, 64)))) {
		t.Error("a frame has other bits alone")
	}
}
