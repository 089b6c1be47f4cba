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

// TestEigLarge has blocks with many shifts, windows that are reduced alone, and several goroutines.
func TestEigLarge(t *testing.T) {
	defer func() { loop = nil }()
	for name := range classes {
		r := rand.New(rand.NewPCG(7, 8))
		loop = nil
		testEig[float64](t, name, 0, 110, r)
		loop = atOnce
		testEig[float32](t, name, 0, 90, r)
		testEig[complex64](t, name, 0, 75, r)
		loop = nil
		testEig[complex128](t, name, 0, 101, r)
	}
	loop = atOnce
	testEig[float64](t, "random", 0, 170, rand.New(rand.NewPCG(9, 10)))
	testEig[complex128](t, "random", 0, 170, rand.New(rand.NewPCG(9, 10)))
}

// TestComplexSchur: T is a triangle, and Q·T·Qᴴ the matrix, with windows of the last rows whose eigenvalues are found early; the
// eigenvalues are the same without Q.
func TestComplexSchur(t *testing.T) {
	const n = 130
	r := rand.New(rand.NewPCG(13, 14))
	a := matrix[complex128]("random", r, n, n)
	for i := range n {
		for j := range max(i-1, 0) {
			a[i*n+j] = 0
		}
		if i%40 == 39 { // blocks that are reduced alone
			a[i*n+i-1] = 0
		}
	}
	s := solver[complex128]()
	h, alone := append([]complex128(nil), a...), append([]complex128(nil), a...)
	q := unit[complex128](n)
	if !newComplexFrancis(s, n, h, q, n, 0x1p-53).run() || !newComplexFrancis(s, n, alone, nil, n, 0x1p-53).run() {
		t.Fatal("does not converge")
	}
	v := make([]complex128, n*n)
	transpose(n, n, q, n, v, n)
	for i := range n {
		for j := range i {
			if h[i*n+j] != 0 {
				t.Fatalf("element %d, %d is %v", i, j, h[i*n+j])
			}
		}
	}
	close(t, "Q·T·Qᴴ", times(n, n, n, times(n, n, n, v, false, h, false), false, v, true), a, 10*n, frobenius(a))
	for i := range n { // in any order
		best := 1.0
		for k := range n {
			best = min(best, abs(h[i*n+i]-alone[k*n+k]))
		}
		if best > 1e-9 {
			t.Errorf("eigenvalue %v is not found without Q: %v off", h[i*n+i], best)
		}
	}
}

// TestExchange: two blocks of a quasi-triangle are exchanged, by an orthogonal similarity.
func TestExchange(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, d := range [][2]int{{1, 1}, {1, 2}, {2, 1}, {2, 2}} {
		p, q := d[0], d[1]
		n := p + q + 3
		ld := schurWidth(n)
		a := make([]float64, n*n)
		for i := range n {
			for j := i; j < n; j++ {
				a[i*n+j] = r.NormFloat64()
			}
		}
		pair := func(at int) { a[at*n+at+1], a[(at+1)*n+at], a[(at+1)*n+at+1] = 2, -1-r.Float64(), a[at*n+at] }
		if p == 2 {
			pair(1)
		}
		if q == 2 {
			pair(1 + p)
		}
		s := solver[float64]()
		f := newFrancis(s, n, make([]float64, (n+1)*ld), make([]float64, (n+1)*ld), ld, 0x1p-53)
		for i := range n {
			copy(f.h[i*ld:], a[i*n:][:n])
			f.q[i*ld+i] = 1
		}
		before, after := make([]complex128, n), make([]complex128, n)
		f.values(before)
		if !f.exchange(1, p, q) {
			t.Fatal("no exchange")
		}
		f.values(after)
		want := append(append(append([]complex128{before[0]}, before[1+p:][:q]...), before[1:][:p]...), before[n-2:]...)
		close(t, "eigenvalues", after, want, 10*n, frobenius(a))
		h, v := make([]float64, n*n), make([]float64, n*n)
		for i := range n {
			copy(h[i*n:][:n], f.h[i*ld:])
			copy(v[i*n:][:n], f.q[i*ld:])
		}
		close(t, "V·T·Vᵀ", times(n, n, n, times(n, n, n, v, true, h, false), false, v, false), a, n, frobenius(a))
		close(t, "V·Vᵀ", times(n, n, n, v, false, v, true), unit[float64](n), n, 1)
	}
}
