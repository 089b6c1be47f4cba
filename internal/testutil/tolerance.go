// Package testutil holds what tests share: tolerances, golden files, comparison.
package testutil

import (
	"math"

	"github.com/lucid-go/lucid/internal/dtype"
)

// Tolerance is how far two results may differ: |a-b| <= Abs + Rel·|b|.
type Tolerance struct{ Rel, Abs float64 }

// Tol is the one table of tolerances, by dtype. Loose is for results whose definition leaves room: sums in a half type.
func Tol(d dtype.DType, loose bool) Tolerance {
	t := Tolerance{}
	switch d {
	case dtype.Float64, dtype.Complex128:
		t = Tolerance{1e-9, 1e-11}
	case dtype.Float32, dtype.Complex64:
		t = Tolerance{2e-5, 2e-6}
	case dtype.Float16:
		t = Tolerance{4e-3, 1e-3}
	case dtype.BFloat16:
		t = Tolerance{2e-2, 8e-3}
	}
	if loose {
		t.Rel, t.Abs = 8*t.Rel, 8*t.Abs
	}
	return t
}

// Close reports whether two numbers are equal within the tolerance; NaN equals NaN, infinities themselves.
func (t Tolerance) Close(a, b float64) bool {
	switch {
	case a == b || math.IsNaN(a) && math.IsNaN(b):
		return true
	case math.IsInf(a, 0) || math.IsInf(b, 0):
		return false
	}
	return math.Abs(a-b) <= t.Abs+t.Rel*math.Abs(b)
}

// Widen makes t allow what other allows.
func (t *Tolerance) Widen(other Tolerance) {
	t.Rel, t.Abs = max(t.Rel, other.Rel), max(t.Abs, other.Abs)
}
