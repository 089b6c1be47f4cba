package cuda

import (
	"sync"
	"testing"

	"github.com/lucid-go/lucid"
)

// TestOddProducts multiplies large half-precision matrices of odd sizes, against float32.
func TestOddProducts(t *testing.T) {
	dev := gpu(t)
	for _, c := range [][3]int{{4096, 8003, 1537}, {4095, 4093, 4099}, {1024, 65536, 1001}, {4001, 4096, 4096}, {4096, 4096, 4001}} {
		m, k, n := c[0], c[1], c[2]
		lucid.Seed(3)
		var x, y *lucid.Tensor
		lucid.WithDevice(dev, func() { x, y = lucid.Randn(m, k), lucid.Randn(k, n) })
		for _, transposed := range []bool{false, true} {
			a, b := x.To(lucid.BFloat16), y.To(lucid.BFloat16)
			if transposed {
				a, b = x.Transpose(0, 1).To(lucid.BFloat16).Contiguous().Eval().Transpose(0, 1),
					y.Transpose(0, 1).To(lucid.BFloat16).Contiguous().Eval().Transpose(0, 1)
			}
			got, want := a.MatMul(b).To(lucid.Float32), a.To(lucid.Float32).MatMul(b.To(lucid.Float32))
			if e := got.Sub(want).Norm().Div(want.Norm()).Item(); !(e < 4e-3) {
				t.Errorf("%v, transposed %v: off by %.2g", c, transposed, e)
			}
		}
	}
}

// TestConcurrentProducts: split-K products from many goroutines have the bits they have alone.
func TestConcurrentProducts(t *testing.T) {
	dev := gpu(t)
	var wg sync.WaitGroup
	for g := range 16 {
		var x, y *lucid.Tensor
		k := 300 + 700*g
		lucid.WithDevice(dev, func() { x, y = lucid.Randn(1, k), lucid.Randn(k, 1) })
		want := x.MatMul(y).Item()
		wg.Go(func() {
			for i := range 300 {
				if got := x.MatMul(y).Item(); got != want {
					t.Errorf("run %d of %d products: %v, want %v", i, k, got, want)
					return
				}
			}
		})
	}
	wg.Wait()
}
