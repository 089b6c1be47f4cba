package windows_test

import (
	"errors"
	"math"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/signal/windows"
)

// TestWindows compares every window with SciPy's.
func TestWindows(t *testing.T) {
	d := lucid.Float64
	o, p := windows.Options{DType: d}, windows.Options{DType: d, Periodic: true}
	for name, c := range map[string]struct {
		got  *lucid.Tensor
		want []float64
	}{
		"hann": {windows.Hann(6, o), []float64{
			0, 0.34549150281252633, 0.9045084971874737, 0.9045084971874737, 0.34549150281252633, 0}},
		"hann periodic": {windows.Hann(6, p), []float64{0, 0.25, 0.75, 1, 0.75, 0.25}},
		"hamming":       {windows.Hamming(5, o), []float64{0.08, 0.54, 1, 0.54, 0.08}},
		"blackman":      {windows.Blackman(5, o), []float64{0, 0.34, 1, 0.34, 0}},
		"bartlett":      {windows.Bartlett(5, o), []float64{0, 0.5, 1, 0.5, 0}},
		"cosine": {windows.Cosine(4, o), []float64{
			0.3826834323650898, 0.9238795325112867, 0.9238795325112867, 0.3826834323650899}},
		"nuttall": {windows.Nuttall(5, o), []float64{0.0003628, 0.2269824, 1, 0.2269824, 0.0003628}},
		"kaiser": {windows.Kaiser(5, windows.KaiserOptions{DType: d}), []float64{
			5.2773441320097665e-05, 0.2156727447589671, 1, 0.2156727447589671, 5.2773441320097665e-05}},
		"gaussian": {windows.Gaussian(5, windows.GaussianOptions{DType: d}), []float64{
			0.1353352832366127, 0.6065306597126334, 1, 0.6065306597126334, 0.1353352832366127}},
		"exponential": {windows.Exponential(5, windows.ExponentialOptions{DType: d}), []float64{
			0.1353352832366127, 0.36787944117144233, 1, 0.36787944117144233, 0.1353352832366127}},
		"general_cosine": {windows.GeneralCosine(5, []float64{0.46, 0.23, 0.31}, o), []float64{0.54, 0.15, 1, 0.15, 0.54}},
		"general_hamming": {windows.GeneralHamming(5, windows.GeneralHammingOptions{DType: d}), []float64{
			0.08, 0.54, 1, 0.54, 0.08}},
		"general_gaussian": {windows.GeneralGaussian(7, 1.5, 2, o), []float64{
			0.18498139990730428, 0.6065306597126334, 0.9394130628134758, 1, 0.9394130628134758,
			0.6065306597126334, 0.18498139990730428}},
		"general_gaussian periodic": {windows.GeneralGaussian(6, 0.5, 1.2, p), []float64{
			0.2865047968601901, 0.4345982085070782, 0.6592406302004438, 1, 0.6592406302004438,
			0.4345982085070782}},
	} {
		for i, v := range lucid.ToSlice[float64](c.got) {
			if math.Abs(v-c.want[i]) > 1e-14 {
				t.Errorf("%s[%d] is %v, want %v", name, i, v, c.want[i])
			}
		}
	}
	if w := windows.Hann(8); w.DType() != lucid.Float32 || w.NumElement() != 8 {
		t.Errorf("by default: %v of %v", w.DType(), w.Shape())
	}
	if w := windows.GeneralGaussian(1, 2, 3); w.Item() != 1 {
		t.Errorf("of one element: %v", w)
	}
	for name, f := range map[string]func(){
		"sig 0":      func() { windows.GeneralGaussian(4, 1, 0) },
		"p negative": func() { windows.GeneralGaussian(4, -1, 1) },
		"M negative": func() { windows.Hann(-1) },
	} {
		if err := lucid.Try(f); !errors.Is(err, lucid.ErrValue) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := lucid.Try(func() { windows.Hann(4, windows.Options{DType: lucid.Int64}) }); !errors.Is(err, lucid.ErrDType) {
		t.Errorf("of integers: %v", err)
	}
}
