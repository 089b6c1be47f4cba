package fusion

import (
	"testing"

	"github.com/lucid-go/lucid"
)

// TestKernelOfPendingBits: an op over bits that are shown as another dtype reads that dtype, also where the view was never
// evaluated by itself.
func TestKernelOfPendingBits(t *testing.T) {
	bits := lucid.New([]uint16{0xC83D, 0xBF10, 0x3C00}, 3) // -8.4766, -1.7656, 1
	want := []float64{-8.4765625, -1.765625, 1}
	view := func() *lucid.Tensor { return bits.ViewDType(lucid.Float16) }
	for _, c := range []struct {
		name string
		got  float64
		want float64
	}{
		{"argmax", view().ArgMax(0).Item(), 2},
		{"amax", view().Max().Item(), 1},
		{"amin", view().Min().Item(), want[0]},
		{"sum", view().Sum().Item(), -9.2421875},
		{"softmax", view().Softmax(0).At(0).Item(), lucid.New(want, 3).To(lucid.Float16).Softmax(0).At(0).Item()},
		{"real", lucid.Real(lucid.New([]complex64{1 + 9i, 2 + 8i}, 2)).Sum().Item(), 3},
		{"imag", lucid.Imag(lucid.New([]complex128{1 + 9i, 2 + 8i}, 2)).Max().Item(), 9},
		{"view_as_real", lucid.ViewAsReal(lucid.New([]complex64{1 + 9i, 2 + 8i}, 2)).Sum().Item(), 20},
		{"view_as_complex", lucid.Imag(lucid.ViewAsComplex(lucid.New([]float32{1, 2, 3, 4}, 2, 2)).Sum()).Item(), 6},
		{"wider", lucid.New([]uint16{0, 0x3F80, 0, 0x4000}, 4).ViewDType(lucid.Float32).Sum().Item(), 3},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, c.got, c.want)
		}
	}
}
