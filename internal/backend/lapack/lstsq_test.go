package lapack

import (
	"math/rand/v2"
	"testing"
)

// TestLeastSquares: the residual is orthogonal to the columns of A, and x is the product of the pseudoinverse and b, for full rank and
// without it.
func TestLeastSquares(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, d := range [][3]int{{1, 1, 1}, {5, 3, 2}, {3, 5, 2}, {40, 20, 1}, {90, 45, 3}, {33, 40, 2}, {0, 3, 2}, {4, 0, 2}, {4, 2, 0}} {
		for _, full := range []bool{true, false} {
			testLeastSquares[float32](t, r, d[0], d[1], d[2], full)
			testLeastSquares[float64](t, r, d[0], d[1], d[2], full)
			testLeastSquares[complex64](t, r, d[0], d[1], d[2], full)
			testLeastSquares[complex128](t, r, d[0], d[1], d[2], full)
		}
	}
	loop = atOnce
	defer func() { loop = nil }()
	testLeastSquares[float64](t, r, 300, 200, 2, true)
}

func testLeastSquares[T Number](t *testing.T, r *rand.Rand, m, n, cols int, full bool) {
	t.Helper()
	a, b := matrix[T]("random", r, m, n), matrix[T]("random", r, m, cols)
	for i := range min(m, n) {
		a[i*n+i] += of[T](4, 0)
	}
	if !full && n > 1 {
		for i := range m {
			a[i*n] = a[i*n+1]
		}
	}
	rtol := 50 * Eps[T]() * float64(max(m, n))
	s, x, p := solver[T](), make([]T, n*cols), make([]T, n*m)
	if m > n && n > 0 && cols > 0 {
		if fast := s.fullRankSquares(m, n, a, cols, b, 0, rtol, x); fast != (full || n == 1) {
			t.Errorf("%d×%d, full rank %v: shown to have it %v", m, n, full, fast)
		}
	}
	if s.LeastSquares(m, n, a, cols, b, 0, rtol, x)|s.Pinv(m, n, append([]T(nil), a...), 0, rtol, false, p) != 0 {
		t.Fatal("info")
	}
	f, g, h := frobenius(a), frobenius(p), frobenius(b)
	close(t, "x", x, times(n, cols, m, p, false, b, false), 10*max(m, n), f*g*g*h)
	res := times(m, cols, n, a, false, x, false)
	for i := range res {
		res[i] -= b[i]
	}
	close(t, "Aᴴ·(A·x - b)", times(n, cols, m, a, true, res, false), make([]T, n*cols), 10*max(m, n), f*(f*frobenius(x)+h))
}
