package ops

import (
	"math"
	"testing"

	"github.com/lucid-go/lucid"
	F "github.com/lucid-go/lucid/nn/functional"
)

// winogradData is a layer large enough for the fast way.
func winogradData() (x, w *lucid.Tensor, o F.ConvOptions) {
	noise := func(seed int, sizes ...int) *lucid.Tensor {
		n := 1
		for _, s := range sizes {
			n *= s
		}
		v, s := make([]float32, n), uint32(seed)
		for i := range v {
			s = s*1664525 + 1013904223
			v[i] = float32(s>>8)/(1<<23) - 1
		}
		return lucid.New(v, sizes...)
	}
	return noise(1, 2, 16, 45, 50), noise(2, 12, 16, 3, 3), F.ConvOptions{Padding: 1}
}

// winogradError is the largest difference.
func winogradError(a, b *lucid.Tensor) float64 { return a.Sub(b).Abs().Max().Item() }

// TestWinograd: the scope changes rounding by no more than it says, of values and of gradients, and nothing outside.
func TestWinograd(t *testing.T) {
	x, w, o := winogradData()
	grads := func() []*lucid.Tensor {
		f := func(in []*lucid.Tensor) []*lucid.Tensor {
			return []*lucid.Tensor{F.Conv2d(in[0], in[1], o).Square().Sum()}
		}
		_, g := lucid.VJPN(f, []*lucid.Tensor{x, w}, []*lucid.Tensor{lucid.Full([]int{}, 1.0)})
		return g
	}
	plain, plainGrads := F.Conv2d(x, w, o), grads()
	var fast *lucid.Tensor
	var fastGrads []*lucid.Tensor
	lucid.Winograd(func() { fast, fastGrads = F.Conv2d(x, w, o), grads() })
	size := x.Abs().Max().Item() * w.Abs().Max().Item() * 16 * 9
	if d := winogradError(plain, fast); d > 1e-5*size {
		t.Errorf("values differ by %v", d)
	}
	for i := range plainGrads {
		if d, most := winogradError(plainGrads[i], fastGrads[i]), plainGrads[i].Abs().Max().Item(); d > 1e-4*most {
			t.Errorf("gradient %d, up to %v, differs by %v", i, most, d)
		}
	}
	if d := winogradError(plain, F.Conv2d(x, w, o)); d != 0 {
		t.Errorf("outside the scope values differ by %v", d)
	}
}

// TestWinogradCompiled: a compiled function follows the scope of each call.
func TestWinogradCompiled(t *testing.T) {
	x, w, o := winogradData()
	f := lucid.Compile(func(x, w *lucid.Tensor) *lucid.Tensor { return F.Conv2d(x, w, o) })
	var eager, compiled *lucid.Tensor
	plain := f(x, w)
	lucid.Winograd(func() { eager, compiled = F.Conv2d(x, w, o), f(x, w) })
	if d := winogradError(eager, compiled); d != 0 {
		t.Errorf("inside the scope a compiled function differs by %v", d)
	}
	if d := winogradError(plain, f(x, w)); d != 0 {
		t.Errorf("after the scope a compiled function differs by %v", d)
	}
	if d := winogradError(plain, eager); math.IsNaN(d) {
		t.Error("NaN")
	}
}
