package cuda

import (
	"math"
	"testing"

	"github.com/lucid-go/lucid"
	rng "github.com/lucid-go/lucid/random"
)

// TestNormalBits: normal numbers, and the inverse error function they come from, have the CPU's bits.
func TestNormalBits(t *testing.T) {
	dev := gpu(t)
	same := func(name string, f func() *lucid.Tensor) {
		want := lucid.ToSlice[float32](f())
		var got []float32
		lucid.WithDevice(dev, func() { got = lucid.ToSlice[float32](f().To(lucid.CPU)) })
		for i := range want {
			if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
				t.Fatalf("%s: number %d is %v, the CPU's %v", name, i, got[i], want[i])
			}
		}
	}
	var x []float32
	for i := range 1 << 16 {
		x = append(x, float32(i-1<<15)/(1<<15))
	}
	for i := range 4096 { // up to the last number below 1
		x = append(x, 1-float32(i)*0x1p-24, float32(i)*0x1p-30, -1+float32(i)*0x1p-20)
	}
	x = append(x, 1, -1, 2, float32(math.NaN()))
	same("erfinv", func() *lucid.Tensor { return lucid.Erfinv(lucid.New(x, len(x))) })
	same("normal", func() *lucid.Tensor { return rng.Normal(rng.Key(3), []int{1 << 18}) })
}
