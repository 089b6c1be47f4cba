package lapack

import (
	"math"
	"math/rand/v2"
	"testing"
)

// spectra are tridiagonal and dense symmetric matrices whose eigenvalues are close together, far apart or equal: what a joint of two
// parts has to deflate, or must not.
var spectra = map[string]func(r *rand.Rand, i, j, n int) float64{
	"random":    classes["random"],
	"graded":    func(r *rand.Rand, i, j, _ int) float64 { return r.NormFloat64() * math.Pow(2, -float64(i+j)/4) },
	"clustered": func(r *rand.Rand, i, j, _ int) float64 { return same(i, j) + 1e-9*r.NormFloat64() },
	"wilkinson": func(_ *rand.Rand, i, j, n int) float64 {
		return same(i, j)*math.Abs(float64(i)-float64(n-1)/2) + same(i, j+1) + same(j, i+1)
	},
	"glued wilkinson": func(_ *rand.Rand, i, j, _ int) float64 {
		near := same(i, j+1) + same(j, i+1)
		if max(i, j)%21 == 0 {
			near *= 1e-8
		}
		return same(i, j)*math.Abs(float64(i%21)-10) + near
	},
	"laplacian": func(_ *rand.Rand, i, j, _ int) float64 { return 2*same(i, j) - same(i, j+1) - same(j, i+1) },
	"zero":      func(*rand.Rand, int, int, int) float64 { return 0 },
	"identity":  func(_ *rand.Rand, i, j, _ int) float64 { return same(i, j) },
	"ones":      func(*rand.Rand, int, int, int) float64 { return 1 },
	"half zero": func(r *rand.Rand, i, j, n int) float64 {
		if max(i, j) < n/2 {
			return 0
		}
		return r.NormFloat64()
	},
	"nearly singular": func(r *rand.Rand, i, j, n int) float64 {
		return float64(i+1)*float64(j+1)/float64(n*n) + 1e-14*r.NormFloat64()
	},
}

func same(i, j int) float64 {
	if i == j {
		return 1
	}
	return 0
}

// TestSpectra checks residuals and orthogonality of divide and conquer over these classes, in float64 and float32.
func TestSpectra(t *testing.T) {
	for name := range spectra {
		for _, n := range []int{25, 60, 130} {
			if n > 100 && name != "random" && name != "glued wilkinson" { // the check multiplies by plain loops
				continue
			}
			t.Run(name, func(t *testing.T) {
				testSpectra[float64](t, name, n)
				testSpectra[float32](t, name, n)
			})
		}
	}
}

func testSpectra[T Number](t *testing.T, name string, n int) {
	r := rand.New(rand.NewPCG(uint64(n), 5))
	a := make([]T, n*n)
	for i := range n {
		for j := range i + 1 {
			a[i*n+j] = of[T](spectra[name](r, i, j, n), 0)
			a[j*n+i] = a[i*n+j]
		}
	}
	s := solver[T]()
	v, w := append([]T(nil), a...), make([]float64, n)
	if info := s.Eigh(n, v, n, w, true); info != 0 {
		t.Fatalf("info %d", info)
	}
	vw := append([]T(nil), v...)
	for i := range vw {
		vw[i] *= of[T](w[i%n], 0)
	}
	close(t, "V·diag(w)·Vᵀ", times(n, n, n, vw, false, v, true), a, n, frobenius(a))
	close(t, "Vᵀ·V", times(n, n, n, v, true, v, false), unit[T](n), n, math.Sqrt(float64(n)))
	// The upper bidiagonal part of the same matrix.
	for i := range n {
		for j := range n {
			if j != i && j != i+1 {
				a[i*n+j] = 0
			}
		}
	}
	u, vh, sv := make([]T, n*n), make([]T, n*n), make([]float64, n)
	if info := s.SVD(n, n, append([]T(nil), a...), sv, u, n, vh, n); info != 0 {
		t.Fatalf("svd: info %d", info)
	}
	us := append([]T(nil), u...)
	for i := range us {
		us[i] *= of[T](sv[i%n], 0)
	}
	close(t, "U·S·Vᵀ", times(n, n, n, us, false, vh, false), a, n, frobenius(a))
	close(t, "Uᵀ·U", times(n, n, n, u, true, u, false), unit[T](n), n, math.Sqrt(float64(n)))
	close(t, "Vᵀ·V of svd", times(n, n, n, vh, false, vh, true), unit[T](n), n, math.Sqrt(float64(n)))
}

// TestSchurWindows: QR steps in windows and all at once give the eigenvalues of a companion matrix, whose roots are known.
func TestSchurWindows(t *testing.T) {
	const n = 60
	a := make([]float64, n*n)
	a[n-1] = 1 // xⁿ = 1
	for i := 1; i < n; i++ {
		a[i*n+i-1] = 1
	}
	w, v := make([]complex128, n), make([]complex128, n*n)
	if info := solver[float64]().Eig(n, a, w, v); info != 0 {
		t.Fatalf("info %d", info)
	}
	alone := make([]complex128, n)
	if info := solver[float64]().Eig(n, a, alone, nil); info != 0 {
		t.Fatalf("info %d", info)
	}
	for _, list := range [][]complex128{w, alone} {
		var found [n]bool
		for _, x := range list {
			angle := math.Atan2(imag(x), real(x)) / (2 * math.Pi) * n
			k := int(math.Round(angle)+n) % n
			if math.Abs(math.Hypot(real(x), imag(x))-1) > 1e-12 || math.Abs(angle-math.Round(angle)) > 1e-10 || found[k] {
				t.Errorf("%v is no root of 1, or one for the second time", x)
			}
			found[k] = true
		}
	}
}
