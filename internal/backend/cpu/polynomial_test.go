package cpu

import (
	"math"
	"testing"
	"unsafe"

	"github.com/lucid-go/lucid/internal/asmvariant"
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend/special"
)

// TestPolynomialTiles: an element has the bits of package special, whether its tile has one degree or several, and where the parts of a
// product overflow.
func TestPolynomialTiles(t *testing.T) {
	x := make([]float64, 2*tileElems+37)
	for i := range x {
		x[i] = math.Sin(float64(i)) * math.Ldexp(1, i%5-3)
	}
	copy(x[10:], []float64{0, math.Copysign(0, -1), 1, -1, 1e200, -1e300, 1e-300, math.Inf(1), math.Inf(-1), math.NaN(), 5e-324, 0.5})
	degree, z := make([]float64, len(x)), make([]float64, len(x))
	p := func(v []float64) unsafe.Pointer { return unsafe.Pointer(&v[0]) }
	asmvariant.ForEach(t, "simd", func(variant string) {
		for f := attr.ChebyshevT; f <= attr.Legendre; f++ {
			for _, n := range []float64{0, 1, 2, 2.5, 3, 5, 14, 60} {
				for _, mixed := range []bool{false, true} {
					for i := range degree {
						if degree[i] = n; mixed {
							degree[i] += float64(i % 3)
						}
					}
					a := attr.Polynomial{Family: f}
					polynomialB[float64](len(z), p(z), p(x), p(degree), nil, a)
					for i, got := range z {
						want := special.Polynomial(a, x[i], degree[i])
						if math.Float64bits(got) != math.Float64bits(want) && !(got != got && want != want) {
							t.Fatalf("%s: family %v of degree %v at %v is %v, want %v", variant, f, degree[i], x[i], got, want)
						}
					}
				}
			}
		}
	})
}
