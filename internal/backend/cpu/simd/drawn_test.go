package simd

import (
	"math"
	"testing"

	"github.com/lucid-go/lucid/internal/backend/threefry"
)

func TestDrawn(t *testing.T) {
	const k0, k1 = 0x12345678, -0x3456789
	const k2 = k0 ^ k1 ^ 0x1BD11BDA
	for name, first := range map[string]bool{"Threefry/first": true, "Threefry/second": false} {
		of := func(f func(z, y []int32, k0, k1, k2 int32)) func(z, x, y []int32) {
			return func(z, x, y []int32) {
				a, b := append([]int32(nil), x...), append([]int32(nil), y...)
				if f(a, b, k0, k1, k2); !first {
					a = b
				}
				copy(z, a)
			}
		}
		testBinary(t, name, of(Threefry), of(threefryGeneric))
	}
	x, y := []int32{7, -1, 0}, []int32{9, 3, math.MinInt32}
	for i := range x {
		a, b := threefry.Hash(k0, uint32(k1&math.MaxUint32), uint32(x[i]), uint32(y[i]))
		z, w := x[i:i+1:i+1], y[i:i+1:i+1]
		if Threefry(z, w, k0, k1, k2); uint32(z[0]) != a || uint32(w[0]) != b {
			t.Errorf("hash %d is %x %x, want %x %x", i, z[0], w[0], a, b)
		}
	}
	testUnary(t, "ErfinvF32", ErfinvF32, erfinvF32Generic)
	testUnary(t, "ErfinvF64", ErfinvF64, erfinvF64Generic)
}

// TestErfinvInverts compares with math, which is off by up to two of the last bits, as this is: not by more than both.
func TestErfinvInverts(t *testing.T) {
	const n = 200000
	x, z := make([]float64, n), make([]float64, n)
	f, g := make([]float32, n), make([]float32, n)
	for i := range x {
		x[i] = 2*(float64(i)+0.5)/n - 1
		if i%3 == 0 {
			x[i] = math.Copysign(1-math.Ldexp(1+float64(i%7), -i%50), x[i])
		}
		f[i] = float32(x[i])
	}
	ErfinvF64(z, x)
	ErfinvF32(g, f)
	for i, v := range z {
		if want := math.Erfinv(x[i]); math.Abs(v-want) > 4*math.Abs(math.Nextafter(want, math.Inf(1))-want) && v != want {
			t.Fatalf("erfinv(%v) is %v, math has %v", x[i], v, want)
		}
		if want := math.Erfinv(float64(f[i])); g[i] != float32(want) && math.Abs(float64(g[i])-want) > 0.51*float64(math.Nextafter32(float32(math.Abs(want)), math.MaxFloat32)-float32(math.Abs(want))) {
			t.Fatalf("erfinv(%v) is %v, want %v", f[i], g[i], want)
		}
	}
}
