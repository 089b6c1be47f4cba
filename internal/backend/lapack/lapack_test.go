package lapack

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// classes are matrices that make factorisations fail which handle only the usual ones.
var classes = map[string]func(r *rand.Rand, i, j, n int) float64{
	"random": func(r *rand.Rand, _, _, _ int) float64 { return r.NormFloat64() },
	"graded": func(r *rand.Rand, i, j, n int) float64 {
		return r.NormFloat64() * math.Pow(10, -6*float64(i+j)/float64(n))
	},
	"clustered": func(r *rand.Rand, i, j, _ int) float64 {
		if i == j {
			return 1
		}
		return 1e-9 * r.NormFloat64()
	},
	"nearly singular": func(r *rand.Rand, i, j, _ int) float64 { return 1/float64(i+j+1) + 1e-12*r.NormFloat64() },
	"wilkinson": func(_ *rand.Rand, i, j, n int) float64 {
		switch i - j {
		case 0:
			return math.Abs(float64(n-1)/2 - float64(i))
		case 1, -1:
			return 1
		}
		return 0
	},
	"zeros":    func(*rand.Rand, int, int, int) float64 { return 0 },
	"ones":     func(*rand.Rand, int, int, int) float64 { return 1 },
	"identity": func(_ *rand.Rand, i, j, _ int) float64 { return map[bool]float64{true: 1}[i == j] },
	"huge":     func(r *rand.Rand, _, _, _ int) float64 { return 1e30 * r.NormFloat64() },
	"tiny":     func(r *rand.Rand, _, _, _ int) float64 { return 1e-30 * r.NormFloat64() },
}

func matrix[T Number](name string, r *rand.Rand, m, n int) []T {
	f := classes[name]
	a := make([]T, m*n)
	for i := range m {
		for j := range n {
			x := f(r, i, j, max(m, n))
			y := 0.0
			if name != "identity" && name != "zeros" && name != "wilkinson" {
				y = f(r, i, j, max(m, n))
			}
			a[i*n+j] = of[T](x, y)
		}
	}
	return a
}

// times is the product of matrices with conjugate transposes where asked, computed in complex128.
func times[T Number](m, n, k int, a []T, ah bool, b []T, bh bool) []T {
	x, y := rows(m, k, a, ah), rows(k, n, b, bh)
	c, sums := make([]T, m*n), make([]complex128, n)
	for i := range m {
		clear(sums)
		for p, f := range x[i*k:][:k] {
			for j, g := range y[p*n:][:n] {
				sums[j] += f * g
			}
		}
		for j, s := range sums {
			c[i*n+j] = of[T](real(s), imag(s))
		}
	}
	return c
}

// rows widens an m×k matrix, given as its conjugate transpose if h.
func rows[T Number](m, k int, a []T, h bool) []complex128 {
	out := make([]complex128, m*k)
	for i := range m {
		for p := range k {
			if h {
				out[i*k+p] = complex(re(a[p*m+i]), -im(a[p*m+i]))
			} else {
				out[i*k+p] = complex(re(a[i*k+p]), im(a[i*k+p]))
			}
		}
	}
	return out
}

func frobenius[T Number](a []T) float64 { return norm2(len(a), a, 1) }

// close fails if a and b differ by more than a small multiple of n·ε·scale.
func close[T Number](t *testing.T, what string, a, b []T, n int, scale float64) {
	t.Helper()
	d := make([]T, len(a))
	for i := range a {
		d[i] = a[i] - b[i]
	}
	if got := frobenius(d); !(got <= 10*float64(max(n, 3))*Eps[T]()*scale) {
		t.Errorf("%s: off by %.3g, that is %.3g n·ε·‖A‖", what, got, got/(float64(max(n, 1))*Eps[T]()*scale))
	}
}

func unit[T Number](n int) []T {
	a := make([]T, n*n)
	for i := range n {
		a[i*n+i] = 1
	}
	return a
}

func solver[T Number]() *Solver[T] {
	return &Solver[T]{Mul: Naive[T], Mul64: Naive[float64], Loop: loop, Alone: Naive[T], Alone64: Naive[float64],
		MulC: Naive[complex128], AloneC: Naive[complex128]}
}

// loop is the Loop of solvers, if a test has one.
var loop func(n int, f func(i int))

func both(t *testing.T, f func(t *testing.T, name string, m, n int, r *rand.Rand)) {
	for name := range classes {
		for _, d := range [][2]int{{0, 0}, {1, 1}, {2, 2}, {3, 3}, {7, 7}, {16, 16}, {17, 17}, {40, 40}, {71, 71}, {5, 3}, {3, 5}, {40, 20},
			{45, 40}, {40, 60}, {9, 33}, {70, 9}} {
			r := rand.New(rand.NewPCG(uint64(d[0]), uint64(d[1])))
			t.Run(fmt.Sprintf("%s/%dx%d", name, d[0], d[1]), func(t *testing.T) { f(t, name, d[0], d[1], r) })
		}
	}
}

func every(t *testing.T, f32, f64, c64, c128 func(t *testing.T, name string, m, n int, r *rand.Rand)) {
	t.Run("float32", func(t *testing.T) { both(t, f32) })
	t.Run("float64", func(t *testing.T) { both(t, f64) })
	t.Run("complex64", func(t *testing.T) { both(t, c64) })
	t.Run("complex128", func(t *testing.T) { both(t, c128) })
}

func TestLU(t *testing.T) {
	every(t, testLU[float32], testLU[float64], testLU[complex64], testLU[complex128])
}

func testLU[T Number](t *testing.T, name string, m, n int, r *rand.Rand) {
	a := matrix[T](name, r, m, n)
	k := min(m, n)
	lu, piv := append([]T(nil), a...), make([]int32, k)
	solver[T]().LU(m, n, lu, n, piv)
	l, u := make([]T, m*k), make([]T, k*n)
	for i := range m {
		for j := range n {
			switch {
			case j >= i && i < k:
				u[i*n+j] = lu[i*n+j]
			case j < k && j < i:
				l[i*k+j] = lu[i*n+j]
				if abs(lu[i*n+j]) > 1.5 {
					t.Errorf("multiplier %v at %d, %d", lu[i*n+j], i, j)
				}
			}
		}
		if i < k {
			l[i*k+i] = 1
		}
	}
	p := times(m, n, k, l, false, u, false)
	for i := k - 1; i >= 0; i-- {
		swap(p[i*n:][:n], p[int(piv[i])*n:][:n])
	}
	close(t, "P·L·U", p, a, max(m, n), frobenius(a))
}

func TestCholesky(t *testing.T) {
	every(t, testCholesky[float32], testCholesky[float64], testCholesky[complex64], testCholesky[complex128])
}

func testCholesky[T Number](t *testing.T, name string, m, n int, r *rand.Rand) {
	if name == "huge" && !isWide[T]() {
		t.Skip("the squares overflow")
	}
	a := matrix[T](name, r, n, n)
	a = times(n, n, n, a, false, a, true)
	scale := largest(a)
	for i := range n {
		a[i*n+i] += of[T](max(scale, 1e-30), 0)
	}
	l := append([]T(nil), a...)
	if info := solver[T]().Cholesky(n, l, n); info != 0 {
		t.Fatalf("info %d", info)
	}
	for i := range n {
		clear(l[i*n+i+1 : (i+1)*n])
	}
	close(t, "L·Lᴴ", times(n, n, n, l, false, l, true), a, n, frobenius(a))
	if n < 2 {
		return
	}
	a[(n/2)*n+n/2] = of[T](-scale-1, 0)
	if info := solver[T]().Cholesky(n, a, n); info != n/2+1 {
		t.Errorf("a negative pivot in row %d: info %d", n/2, info)
	}
}

func TestQR(t *testing.T) {
	every(t, testQR[float32], testQR[float64], testQR[complex64], testQR[complex128])
}

func testQR[T Number](t *testing.T, name string, m, n int, r *rand.Rand) {
	a := matrix[T](name, r, m, n)
	k := min(m, n)
	f, tau, s := append([]T(nil), a...), make([]T, k), solver[T]()
	s.QR(m, n, f, n, tau)
	for _, cols := range []int{k, m} {
		q := make([]T, m*cols)
		s.FormQ(m, cols, k, f, n, tau, q, cols)
		up := make([]T, cols*n)
		for i := range k {
			copy(up[i*n+i:(i+1)*n], f[i*n+i:(i+1)*n])
			if im(up[i*n+i]) != 0 {
				t.Errorf("the diagonal of R has %v", up[i*n+i])
			}
		}
		close(t, "Q·R", times(m, n, cols, q, false, up, false), a, max(m, n), frobenius(a))
		close(t, "Qᴴ·Q", times(cols, cols, m, q, true, q, false), unit[T](cols), max(m, n), math.Sqrt(float64(cols)))
	}
}

func TestEigh(t *testing.T) {
	every(t, testEigh[float32], testEigh[float64], testEigh[complex64], testEigh[complex128])
}

func testEigh[T Number](t *testing.T, name string, _, n int, r *rand.Rand) {
	a := matrix[T](name, r, n, n)
	for i := range n {
		a[i*n+i] = of[T](re(a[i*n+i]), 0)
		for j := range i {
			a[j*n+i] = conj(a[i*n+j])
		}
	}
	v, w, s := append([]T(nil), a...), make([]float64, n), solver[T]()
	if info := s.Eigh(n, v, n, w, true); info != 0 {
		t.Fatalf("info %d", info)
	}
	vw := append([]T(nil), v...)
	for i := range vw {
		vw[i] *= of[T](w[i%n], 0)
	}
	close(t, "V·diag(w)·Vᴴ", times(n, n, n, vw, false, v, true), a, n, frobenius(a))
	close(t, "Vᴴ·V", times(n, n, n, v, true, v, false), unit[T](n), n, math.Sqrt(float64(n)))
	w2 := make([]float64, n)
	s.Eigh(n, append([]T(nil), a...), n, w2, false)
	close(t, "values alone", toT[T](w2), toT[T](w), n, frobenius(a))
	for i := 1; i < n; i++ {
		if w[i] < w[i-1] {
			t.Errorf("not in order: %v", w)
		}
	}
}

func toT[T Number](x []float64) []T {
	z := make([]T, len(x))
	for i, v := range x {
		z[i] = of[T](v, 0)
	}
	return z
}

func TestSVD(t *testing.T) {
	every(t, testSVD[float32], testSVD[float64], testSVD[complex64], testSVD[complex128])
}

func testSVD[T Number](t *testing.T, name string, m, n int, r *rand.Rand) {
	a := matrix[T](name, r, m, n)
	k, s := min(m, n), solver[T]()
	for _, full := range []bool{false, true} {
		uc, vc := k, k
		if full {
			uc, vc = m, n
		}
		u, vh, sv := make([]T, m*uc), make([]T, vc*n), make([]float64, k)
		if info := s.SVD(m, n, append([]T(nil), a...), sv, u, uc, vh, vc); info != 0 {
			t.Fatalf("info %d", info)
		}
		us := make([]T, m*vc)
		for i := range m {
			for j := range k {
				us[i*vc+j] = u[i*uc+j] * of[T](sv[j], 0)
			}
		}
		close(t, "U·S·Vᴴ", times(m, n, vc, us, false, vh, false), a, max(m, n), frobenius(a))
		close(t, "Uᴴ·U", times(uc, uc, m, u, true, u, false), unit[T](uc), max(m, n), math.Sqrt(float64(uc)))
		close(t, "Vᴴ·V", times(vc, vc, n, vh, false, vh, true), unit[T](vc), max(m, n), math.Sqrt(float64(vc)))
		for i, x := range sv {
			if x < 0 || i > 0 && x > sv[i-1] {
				t.Errorf("not in order: %v", sv)
			}
		}
		alone := make([]float64, k)
		s.SVD(m, n, append([]T(nil), a...), alone, nil, 0, nil, 0)
		close(t, "values alone", toT[T](alone), toT[T](sv), max(m, n), frobenius(a))
	}
}

func TestNaN(t *testing.T) {
	a := []float64{1, 2, 2, math.NaN()}
	if solver[float64]().Eigh(2, append([]float64(nil), a...), 2, make([]float64, 2), true) == 0 {
		t.Error("eigh of NaN")
	}
	if solver[float64]().SVD(2, 2, a, make([]float64, 2), nil, 0, nil, 0) == 0 {
		t.Error("svd of NaN")
	}
}
