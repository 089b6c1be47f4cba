package ops

import (
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/fft"
)

func TestFFTRoundTrip(t *testing.T) {
	x := lucid.With{DType: lucid.Float64}.Randn(2, 12, 7)
	near := func(a, b *lucid.Tensor) {
		t.Helper()
		if !lucid.AllClose(a, b, lucid.CloseOptions{RTol: new(1e-9), ATol: new(1e-9)}) {
			t.Errorf("%v, want %v", a, b)
		}
	}
	near(fft.IFFT2(fft.FFT2(x)).Real(), x)
	near(fft.IFFT(fft.FFT(x)).Real(), x)
	near(fft.IRFFTN(fft.RFFTN(x), fft.NOptions{S: []int{2, 12, 7}}), x)
}
