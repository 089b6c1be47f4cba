package ops

import (
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/fft"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
	"github.com/lucid-go/lucid/nn/functional"
)

// TestFFTOfViews: rows that are copied a tile at a time have the bits of those that are contiguous: columns, columns of several images,
// every third element, the same row again and again.
func TestFFTOfViews(t *testing.T) {
	bits := func(y *lucid.Tensor) []complex64 { return lucid.ToSlice[complex64](y.To(lucid.Complex64)) }
	check := func(name string, x *lucid.Tensor) {
		t.Helper()
		n, flat := x.Size(-1), x.Contiguous()
		if x.IsContiguous() {
			t.Errorf("%s: it is contiguous", name)
		}
		z, dense := lucid.Complex(flat, flat.Neg()).Eval(), flat
		view := func(y *lucid.Tensor) *lucid.Tensor { // of z, as x is one of other elements
			return y.Transpose(-1, -2).Contiguous().Eval().Transpose(-1, -2)
		}
		if !slices.Equal(bits(fft.FFT(view(z))), bits(fft.FFT(z))) {
			t.Errorf("%s: FFT has other bits", name)
		}
		if !slices.Equal(bits(fft.RFFT(x)), bits(fft.RFFT(dense))) {
			t.Errorf("%s: RFFT has other bits", name)
		}
		for _, o := range []fft.Options{{N: 2 * (n - 1)}, {N: 2*n - 1}} {
			if !slices.Equal(bits(fft.IRFFT(view(z), o)), bits(fft.IRFFT(z, o))) {
				t.Errorf("%s: IRFFT of %d has other bits", name, o.N)
			}
		}
	}
	x := tensortest.Uniform(-1, 1, 3, 128, 700).To(lucid.Float32)
	check("columns", x.Narrow(0, 0, 1).Squeeze(0).Transpose(0, 1))
	check("columns of images", x.Transpose(1, 2))
	check("columns of rows of images", x.Permute(0, 2, 1).Narrow(2, 5, 77))
	check("every third", x.Reshape(3*128*7, 100).Unfold(1, 1, 3).Squeeze(-1))
	check("one row", x.Narrow(0, 0, 1).Reshape(128*700).Narrow(0, 0, 90).Expand(900, 90))
}

// TestFoldOfFrames: frames that are next to each other in memory are added as any others are.
func TestFoldOfFrames(t *testing.T) {
	for _, c := range []struct{ batch, n, size, hop int }{{1, 3, 5, 2}, {3, 40, 16, 5}, {2, 300, 256, 64}, {1, 9, 4, 7}, {4, 1, 30, 1},
		{2, 70, 1000, 250}} {
		for _, d := range []lucid.DType{lucid.Float32, lucid.Float64, lucid.BFloat16} {
			total := c.size + c.hop*(c.n-1) + c.hop/2
			fold := func(x *lucid.Tensor) *lucid.Tensor {
				o := functional.FoldOptions{Stride: []int{1, c.hop}}
				return functional.Fold(x, []int{1, total}, []int{1, c.size}, o).Double().Eval()
			}
			x := tensortest.Uniform(-1, 1, c.batch, c.n, c.size).To(d)
			view := x.Transpose(1, 2)
			got, want := fold(view), fold(view.Contiguous())
			if !slices.Equal(lucid.ToSlice[float64](got), lucid.ToSlice[float64](want)) {
				t.Errorf("%+v, %v: other sums", c, d)
			}
			same := x.Narrow(1, 0, 1).Expand(c.batch, c.n, c.size).Transpose(1, 2) // as the envelope of windows
			if !slices.Equal(lucid.ToSlice[float64](fold(same)), lucid.ToSlice[float64](fold(same.Contiguous()))) {
				t.Errorf("%+v, %v: other sums of one frame", c, d)
			}
		}
	}
}
