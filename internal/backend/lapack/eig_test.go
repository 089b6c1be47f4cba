package lapack

import (
	"math/rand/v2"
	"testing"
)

func TestEig(t *testing.T) {
	every(t, testEig[float32], testEig[float64], testEig[complex64], testEig[complex128])
}

// testEig checks A·V = V·diag(w), unit columns, and conjugate pairs of real matrices.
func testEig[T Number](t *testing.T, name string, _, n int, r *rand.Rand) {
	a := matrix[T](name, r, n, n)
	w, v, s := make([]complex128, n), make([]complex128, n*n), solver[T]()
	if info := s.Eig(n, a, w, v); info != 0 {
		t.Fatalf("info %d", info)
	}
	c := make([]complex128, n*n)
	for i, x := range a {
		c[i] = complex(re(x), im(x))
	}
	vw := make([]complex128, n*n)
	for i := range vw {
		vw[i] = v[i] * w[i%n]
	}
	// Results are in float64, as precise as those of T would be.
	close(t, "A·V", times(n, n, n, c, false, v, false), vw, 10*n, frobenius(c)*Eps[T]()/Eps[complex128]())
	for j := range n {
		if d := norm2(n, v[j:], n) - 1; d > 1e-12 || d < -1e-12 {
			t.Errorf("a vector of length %v", d+1)
		}
		if !isComplex[T]() && imag(w[j]) > 0 && (j+1 == n || w[j+1] != complex(real(w[j]), -imag(w[j]))) {
			t.Errorf("no conjugate pair: %v", w)
		}
	}
	alone := make([]complex128, n)
	if s.Eig(n, a, alone, nil) != 0 {
		t.Error("values alone")
	}
}

func TestEigRotation(t *testing.T) {
	w := make([]complex128, 2)
	if solver[float64]().Eig(2, []float64{0, -1, 1, 0}, w, nil) != 0 || real(w[0]) != 0 || real(w[1]) != 0 || imag(w[0]) != 1 {
		t.Errorf("%v", w)
	}
}
