package special

import (
	"math"
	"testing"
	"time"

	"github.com/lucid-go/lucid/internal/attr"
)

// Far below zero there are as many terms as q is large; they are not summed one by one.
func TestZetaFarBelowZero(t *testing.T) {
	start := time.Now()
	for _, q := range []float64{-1e9 - 0.5, -1e12 + 0.25, -1e15 + 0.5} {
		f := q - math.Floor(q)
		if got, want := Zeta(3, q), Zeta(3, f)-Zeta(3, 1-f); math.Abs(got-want) > 1e-12*math.Abs(want)+1e-12 {
			t.Errorf("Zeta(3, %v) = %v, want %v", q, got, want)
		}
		if v := Polygamma(2, q); v != v {
			t.Errorf("Polygamma(2, %v) = %v", q, v)
		}
	}
	if d := time.Since(start); d > time.Second {
		t.Errorf("took %v", d)
	}
}

// A degree without end ends at once.
func TestPolynomialHugeDegree(t *testing.T) {
	start := time.Now()
	for f := attr.ChebyshevT; f <= attr.Legendre; f++ {
		for _, n := range []float64{1e6, 1e18, math.Inf(1)} {
			if v := Polynomial(attr.Polynomial{Family: f}, 0.5, n); v == v {
				t.Errorf("family %v, degree %v: %v, want NaN", f, n, v)
			}
		}
	}
	if d := time.Since(start); d > time.Second {
		t.Errorf("took %v", d)
	}
}
