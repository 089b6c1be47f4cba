package simd

import (
	"math"
	"testing"

	"github.com/lucid-go/lucid/internal/asmvariant"
	"github.com/lucid-go/lucid/internal/dtype"
)

// TestHalf ties the conversions to package dtype: every half, and float32 of all
// exponents with the fractions that round in different ways.
func TestHalf(t *testing.T) {
	h := make([]uint16, 1<<16)
	for i := range h {
		h[i] = uint16(i)
	}
	var f []float32
	for hi := range uint32(1 << 14) {
		for _, lo := range []uint32{0, 1, 0x7fff, 0x8000, 0x8001, 0xffff, 0x10000, 0x1000, 0x0fff, 0x1001, 0x2000, 0x3000} {
			f = append(f, math.Float32frombits(hi<<18|lo))
		}
	}
	z, b := make([]float32, len(h)), make([]uint16, len(f))
	asmvariant.ForEach(t, "simd", func(name string) {
		BF16ToF32(z, h)
		for i, v := range z {
			if w := dtype.BF16(h[i]).Float32(); !same(v, w) {
				t.Fatalf("%s: BF16ToF32(%#x) = %v, want %v", name, h[i], v, w)
			}
		}
		F16ToF32(z, h)
		for i, v := range z {
			if w := dtype.F16(h[i]).Float32(); !same(v, w) {
				t.Fatalf("%s: F16ToF32(%#x) = %v, want %v", name, h[i], v, w)
			}
		}
		F32ToBF16(b, f)
		for i, v := range b {
			if w := uint16(dtype.ToBF16(f[i])); v != w {
				t.Fatalf("%s: F32ToBF16(%v) = %#x, want %#x", name, f[i], v, w)
			}
		}
		F32ToF16(b, f)
		for i, v := range b {
			if w := uint16(dtype.ToF16(f[i])); v != w {
				t.Fatalf("%s: F32ToF16(%v) = %#x, want %#x", name, f[i], v, w)
			}
		}
	})
}
