package lapack

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestLDL(t *testing.T) {
	every(t, testLDL[float32], testLDL[float64], testLDL[complex64], testLDL[complex128])
}

// testLDL solves with the factors of symmetric and Hermitian matrices.
func testLDL[T Number](t *testing.T, name string, _, n int, r *rand.Rand) {
	if name != "random" && name != "wilkinson" && name != "huge" || name == "wilkinson" && n == 1 {
		t.Skip("singular, or too near to it for a bound on the residual")
	}
	for _, hermitian := range []bool{false, true} {
		a := matrix[T](name, r, n, n)
		for i := range n {
			if hermitian {
				a[i*n+i] = of[T](re(a[i*n+i]), 0)
			}
			for j := range i {
				a[j*n+i] = a[i*n+j]
				if hermitian {
					a[j*n+i] = conj(a[i*n+j])
				}
			}
		}
		f, piv := append([]T(nil), a...), make([]int32, n)
		if info := LDL(n, f, piv, hermitian); info != 0 {
			t.Fatalf("info %d", info)
		}
		if !ValidLDL(piv) {
			t.Fatalf("pivots %v", piv)
		}
		b := matrix[T]("random", r, n, 3)
		x := append([]T(nil), b...)
		SolveLDL(n, 3, f, piv, x, hermitian)
		close(t, "A·x", times(n, 3, n, a, false, x, false), b, 10*n, frobenius(a)*frobenius(x)+frobenius(b))
	}
}

func TestValidLDL(t *testing.T) {
	for _, p := range [][]int32{{0}, {2}, {-1}, {-1, 1}, {1, -2}, {-3, -3}} {
		if ValidLDL(p) {
			t.Errorf("%v", p)
		}
	}
}

func TestExp(t *testing.T) {
	// exp of a rotation's generator, over all sizes of the norm
	for _, x := range []float64{0, 1e-3, 0.1, 0.5, 1.5, 4, 30, 1000} {
		z := make([]float64, 4)
		solver[float64]().Exp(2, []float64{0, -x, x, 0}, z)
		want := []float64{math.Cos(x), -math.Sin(x), math.Sin(x), math.Cos(x)}
		for i := range z {
			if math.Abs(z[i]-want[i]) > 1e-15*(20+30*x) {
				t.Errorf("%v: %v, want %v", x, z, want)
			}
		}
	}
}

func TestPinv(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, d := range [][2]int{{3, 3}, {7, 4}, {4, 7}, {40, 33}, {33, 40}, {90, 20}} {
		for _, full := range []bool{false, true} {
			pinvOf[float32](t, r, d[0], d[1], full)
			pinvOf[float64](t, r, d[0], d[1], full)
			pinvOf[complex64](t, r, d[0], d[1], full)
			pinvOf[complex128](t, r, d[0], d[1], full)
		}
	}
}

// pinvOf checks the four properties of a pseudoinverse. Without full rank the way is another.
func pinvOf[T Number](t *testing.T, r *rand.Rand, m, n int, full bool) {
	t.Helper()
	a := matrix[T]("random", r, m, n)
	for i := range m {
		if full && i < n {
			a[i*n+i] += of[T](2*math.Sqrt(float64(n)), 0)
		}
		if !full {
			a[i*n] = a[i*n+1]
		}
	}
	p := make([]T, n*m)
	s := solver[T]()
	if fast := s.fullRankPinv(m, n, a, 0, 0, p); fast != full && (full || m >= n) {
		t.Errorf("%d×%d, full rank %v: shown to have it %v", m, n, full, fast)
	}
	if s.Pinv(m, n, append([]T(nil), a...), 0, 50*Eps[T]()*float64(max(m, n)), false, p) != 0 {
		t.Fatal("info")
	}
	ap, pa := times(m, m, n, a, false, p, false), times(n, n, m, p, false, a, false)
	f, g := frobenius(a), frobenius(p)
	close(t, "A·P·A", times(m, n, m, ap, false, a, false), a, 10*n, f*f*g)
	close(t, "P·A·P", times(n, m, m, p, false, ap, false), p, 10*n, f*g*g)
	adjoint := func(x []T, k int) []T {
		z := make([]T, len(x))
		transpose(k, k, x, k, z, k)
		conjugate(z)
		return z
	}
	close(t, "(A·P)ᴴ", adjoint(ap, m), ap, 10*n, f*g)
	close(t, "(P·A)ᴴ", adjoint(pa, n), pa, 10*n, f*g)
}
