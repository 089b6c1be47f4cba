// Package tensortest holds what the tests of many packages do with tensors: make them, move them to a device, compare them.
package tensortest

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil"
)

// Near asks that two numbers agree to five digits.
func Near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-5*(1+math.Abs(want)) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// Same asks that two tensors agree within the tolerance of their dtype.
func Same(t *testing.T, what string, got, want *lucid.Tensor) {
	t.Helper()
	if d := Differ(got, want, testutil.Tol(want.DType(), false)); d != "" {
		t.Errorf("%s: %s", what, d)
	}
}

// Differ says how two tensors differ, "" if they do not.
func Differ(got, want *lucid.Tensor, tol testutil.Tolerance) string {
	if got == nil {
		return "is nil"
	}
	if got.DType() != want.DType() {
		return fmt.Sprintf("dtype %v, want %v", got.DType(), want.DType())
	}
	if fmt.Sprint(got.Shape()) != fmt.Sprint(want.Shape()) {
		return fmt.Sprintf("shape %v, want %v", got.Shape(), want.Shape())
	}
	g, w := lucid.ToSlice[complex128](got), lucid.ToSlice[complex128](want)
	for i := range w {
		if !tol.Close(real(g[i]), real(w[i])) || !tol.Close(imag(g[i]), imag(w[i])) {
			return fmt.Sprintf("element %d is %v, want %v", i, g[i], w[i])
		}
	}
	return ""
}

// WantValues asks for a dtype and for values, exactly.
func WantValues[T lucid.Element](t *testing.T, what string, x *lucid.Tensor, d lucid.DType, want ...T) {
	t.Helper()
	if got := lucid.ToSlice[T](x); x.DType() != d || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: %v of %v, want %v of %v", what, got, x.DType(), want, d)
	}
}

// Refuses asks that f panics with an error of a kind.
func Refuses(t *testing.T, want error, what string, f func()) {
	t.Helper()
	if err := lucid.Try(f); !errors.Is(err, want) {
		t.Errorf("%s gives %v, want %v", what, err, want)
	}
}

// Must returns the results of Call, or panics.
func Must(out []*lucid.Tensor, err error) []*lucid.Tensor {
	if err != nil {
		panic(err)
	}
	return out
}

// SameBits reports whether two tensors have one dtype, one shape and the same bits.
func SameBits(x, y *lucid.Tensor) bool {
	return x.DType() == y.DType() && fmt.Sprint(x.Shape()) == fmt.Sprint(y.Shape()) && Bits(x) == Bits(y)
}

// SameValue asks for the same dtype, shape and bits.
func SameValue(t *testing.T, what string, got, want *lucid.Tensor) {
	t.Helper()
	if !SameBits(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// EqualBits says how the bits of two lists of tensors differ, "" if they do not; NaN equals NaN.
func EqualBits(got, want []*lucid.Tensor) string {
	if len(got) != len(want) {
		return fmt.Sprintf("%d outputs, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i].DType() != want[i].DType() || fmt.Sprint(got[i].Shape()) != fmt.Sprint(want[i].Shape()) {
			return fmt.Sprintf("output %d is %v of shape %v, want %v of shape %v",
				i, got[i].DType(), got[i].Shape(), want[i].DType(), want[i].Shape())
		}
		if !got[i].DType().IsInexact() {
			g, w := lucid.ToSlice[int64](got[i]), lucid.ToSlice[int64](want[i])
			for k := range g {
				if g[k] != w[k] {
					return fmt.Sprintf("output %d: element %d is %v, want %v", i, k, g[k], w[k])
				}
			}
			continue
		}
		g, w := FlatReal(got[i:i+1]), FlatReal(want[i:i+1])
		for k := range g {
			if math.Float64bits(g[k]) != math.Float64bits(w[k]) && !(math.IsNaN(g[k]) && math.IsNaN(w[k])) {
				return fmt.Sprintf("output %d: number %d is %v, want %v", i, k, g[k], w[k])
			}
		}
	}
	return ""
}

// NearAll says how two lists of tensors differ by more than tol times their largest number, "" if they do not.
func NearAll(got, want []*lucid.Tensor, tol float64) string {
	a, b := FlatReal(got), FlatReal(want)
	if len(a) != len(b) {
		return fmt.Sprintf("%d numbers, want %d", len(a), len(b))
	}
	size := 1.0
	for i := range a {
		if !math.IsNaN(b[i]) && !math.IsInf(b[i], 0) {
			size = max(size, math.Abs(b[i]))
		}
	}
	for i := range a {
		if a[i] == b[i] || math.IsNaN(a[i]) && math.IsNaN(b[i]) {
			continue
		}
		if !(math.Abs(a[i]-b[i]) <= tol*size) {
			return fmt.Sprintf("number %d is %v, want %v", i, a[i], b[i])
		}
	}
	return ""
}
