package lanes

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid/internal/backend/lapack"
)

// classes are the matrices of LAPACK's tests, by element i, j of n.
var classes = map[string]func(r *rand.Rand, i, j, n int) float64{
	"random":    func(r *rand.Rand, _, _, _ int) float64 { return r.NormFloat64() },
	"graded":    func(r *rand.Rand, i, j, _ int) float64 { return r.NormFloat64() * math.Pow(10, -float64(i+j)/4) },
	"clustered": func(r *rand.Rand, i, j, _ int) float64 { return one(i == j) + 1e-4*r.NormFloat64() },
	"nearly singular": func(r *rand.Rand, i, j, n int) float64 {
		return float64(i+1)*float64(j+1)/float64(n*n) + 1e-6*r.NormFloat64()
	},
	"wilkinson": func(_ *rand.Rand, i, j, n int) float64 {
		return one(i == j)*math.Abs(float64(i)-float64(n-1)/2) + one(i == j+1 || j == i+1)
	},
	"glued": func(_ *rand.Rand, i, j, _ int) float64 {
		near := one(i == j+1 || j == i+1)
		if max(i, j)%5 == 0 {
			near *= 1e-5
		}
		return one(i == j)*math.Abs(float64(i%5)-2) + near
	},
	"zero":     func(*rand.Rand, int, int, int) float64 { return 0 },
	"ones":     func(*rand.Rand, int, int, int) float64 { return 1 },
	"identity": func(_ *rand.Rand, i, j, _ int) float64 { return one(i == j) },
	"huge":     func(r *rand.Rand, _, _, _ int) float64 { return 1e30 * r.NormFloat64() },
	"tiny":     func(r *rand.Rand, _, _, _ int) float64 { return 1e-30 * r.NormFloat64() },
}

func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

var classNames = []string{"random", "graded", "clustered", "nearly singular", "wilkinson", "glued", "zero", "ones", "identity",
	"huge", "tiny"}

// some makes count matrices, one class after the other.
func some[T Float](seed uint64, count, m, n int) []T {
	r := rand.New(rand.NewPCG(seed, uint64(m*100+n)))
	a := make([]T, count*m*n)
	for l := range count {
		f := classes[classNames[l%len(classNames)]]
		for i := range m {
			for j := range n {
				a[(l*m+i)*n+j] = T(f(r, i, j, max(m, n)))
			}
		}
	}
	return a
}

// product is x·diag(d)·y, or x·diag(d)·yᵀ; d may be nil.
func product[T Float](m, n, k int, x, d, y []T, trans bool) []float64 {
	z := make([]float64, m*n)
	for i := range m {
		for j := range n {
			for p := range k {
				f := 1.0
				if d != nil {
					f = float64(d[p])
				}
				at := p*n + j
				if trans {
					at = j*k + p
				}
				z[i*n+j] += float64(x[i*k+p]) * f * float64(y[at])
			}
		}
	}
	return z
}

func norm[T Float](x []T) float64 {
	big := 0.0
	for _, v := range x {
		big = max(big, math.Abs(float64(v)))
	}
	if big == 0 {
		return 0
	}
	sum := 0.0
	for _, v := range x {
		sum += float64(v) / big * (float64(v) / big)
	}
	return big * math.Sqrt(sum)
}

func near[T Float](t *testing.T, what string, got []float64, want []T, n int, scale float64, eps T) {
	t.Helper()
	d := make([]float64, len(got))
	for i := range got {
		d[i] = got[i] - float64(want[i])
	}
	if off := norm(d); !(off <= 10*float64(max(n, 3))*float64(eps)*scale) {
		t.Errorf("%s: off by %.3g, that is %.3g n·ε·‖A‖", what, off, off/(float64(n)*float64(eps)*scale))
	}
}

func eyeOf[T Float](n int) []T {
	z := make([]T, n*n)
	for i := range n {
		z[i*n+i] = 1
	}
	return z
}

var sizes = [][2]int{{1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}, {7, 7}, {8, 8}, {12, 12}, {16, 16}, {17, 17}, {32, 32}, {5, 3}, {3, 5},
	{32, 7}, {9, 31}, {1, 4}, {6, 1}}

// each runs a test for both types, all sizes, a full group of matrices and a part of one.
func each(t *testing.T, f32 func(*testing.T, *Batch[float32], int, int, int), f64 func(*testing.T, *Batch[float64], int, int, int)) {
	b32, b64 := New[float32](), New[float64]()
	if b32 == nil {
		t.Skip("no vectors")
	}
	for _, s := range sizes {
		t.Run(fmt.Sprintf("float32/%dx%d", s[0], s[1]), func(t *testing.T) {
			f32(t, b32, b32.Lanes(), s[0], s[1])
			f32(t, b32, b32.Lanes()-3, s[0], s[1])
		})
		t.Run(fmt.Sprintf("float64/%dx%d", s[0], s[1]), func(t *testing.T) {
			f64(t, b64, b64.Lanes(), s[0], s[1])
			f64(t, b64, b64.Lanes()-1, s[0], s[1])
		})
	}
}

func matrices[T Float](a []T, count int) lapack.Matrices[T] {
	return lapack.Matrices[T]{Data: a, Stride: len(a) / count}
}

func TestLU(t *testing.T) { each(t, testLU[float32], testLU[float64]) }

func testLU[T Float](t *testing.T, b *Batch[T], count, m, n int) {
	a, k := some[T](1, count, m, n), min(m, n)
	z, piv, info := make([]T, len(a)), make([]int32, count*k), make([]int32, count)
	b.LU(m, n, count, matrices(a, count), z, piv, info)
	for l := range count {
		lo, up := make([]T, m*k), make([]T, k*n)
		singular := int32(0)
		for i := range m {
			for j := range n {
				x := z[(l*m+i)*n+j]
				switch {
				case i <= j:
					up[i*n+j] = x
				default:
					lo[i*k+j] = x
					if !(x >= -1 && x <= 1) {
						t.Errorf("multiplier %v", x)
					}
				}
				if i == j {
					lo[i*k+j] = 1
					if x == 0 && singular == 0 {
						singular = int32(i + 1)
					}
				}
			}
		}
		if info[l] != singular {
			t.Errorf("matrix %d: info %d, want %d", l, info[l], singular)
		}
		p := product(m, n, k, lo, nil, up, false)
		for j := k - 1; j >= 0; j-- {
			for c, q := 0, int(piv[l*k+j])-1; c < n; c++ {
				p[j*n+c], p[q*n+c] = p[q*n+c], p[j*n+c]
			}
		}
		want := a[l*m*n:][:m*n]
		near(t, classNames[l%len(classNames)]+": P·L·U", p, want, max(m, n), norm(want), b.k.eps)
	}
}

func TestSolve(t *testing.T) { each(t, testSolve[float32], testSolve[float64]) }

// testSolve checks solutions by their residual, with a matrix of its own for each lane and with one right side for all.
func testSolve[T Float](t *testing.T, b *Batch[T], count, n, cols int) {
	r := rand.New(rand.NewPCG(uint64(n), uint64(cols)))
	random := func(k int) []T {
		x := make([]T, k)
		for i := range x {
			x[i] = T(r.NormFloat64())
		}
		return x
	}
	a := random(count * n * n)
	lu, piv, info := make([]T, len(a)), make([]int32, count*n), make([]int32, count)
	b.LU(n, n, count, matrices(a, count), lu, piv, info)
	for _, same := range []bool{false, true} {
		y := random(count * n * cols)
		right := matrices(y, count)
		if same {
			right.Stride = 0
		}
		for _, adjoint := range []bool{false, true} {
			x := make([]T, len(y))
			b.SolveLU(adjoint, n, cols, count, matrices(lu, count), piv, right, x)
			for l := range count {
				m := append([]T(nil), a[l*n*n:][:n*n]...)
				if adjoint {
					for i := range n {
						for j := range i {
							m[i*n+j], m[j*n+i] = m[j*n+i], m[i*n+j]
						}
					}
				}
				got := x[l*n*cols:][:n*cols]
				want := y[l*right.Stride:][:n*cols]
				near(t, "A·x", product(n, cols, n, m, nil, got, false), want, n, norm(m)*norm(got)+norm(want), b.k.eps)
			}
		}
		for f := range 4 {
			upper, unit := f&1 != 0, f&2 != 0
			tri, x := append([]T(nil), a...), make([]T, len(y))
			for l := range count {
				for i := range n {
					tri[(l*n+i)*n+i] += 4
				}
			}
			b.SolveTriangular(upper, unit, n, cols, count, matrices(tri, count), right, x)
			for l := range count {
				m := tri[l*n*n:][:n*n]
				for i := range n {
					for j := range n {
						if i == j && unit {
							m[i*n+j] = 1
						} else if i != j && upper != (j > i) {
							m[i*n+j] = 0
						}
					}
				}
				got, want := x[l*n*cols:][:n*cols], y[l*right.Stride:][:n*cols]
				near(t, "triangle", product(n, cols, n, m, nil, got, false), want, n, norm(m)*norm(got)+norm(want), b.k.eps)
			}
		}
	}
}

func TestCholesky(t *testing.T) { each(t, testCholesky[float32], testCholesky[float64]) }

func testCholesky[T Float](t *testing.T, b *Batch[T], count, _, n int) {
	r := rand.New(rand.NewPCG(3, uint64(n)))
	a := make([]T, count*n*n)
	for l := range count {
		for i := range n {
			for j := range n {
				a[(l*n+i)*n+j] = T(one(i == j)*float64(n+1) + r.Float64())
				if j > i {
					a[(l*n+i)*n+j] = T(math.NaN()) // is not read
				}
			}
		}
	}
	bad := n / 2
	a[(1*n+bad)*n+bad] = -1
	z, info := make([]T, len(a)), make([]int32, count)
	b.Cholesky(n, count, matrices(a, count), z, info)
	for l := range count {
		if l == 1 {
			if info[l] != int32(bad+1) {
				t.Errorf("info %d, want %d", info[l], bad+1)
			}
			continue
		}
		if info[l] != 0 {
			t.Errorf("matrix %d: info %d", l, info[l])
		}
		want := a[l*n*n:][:n*n]
		for i := range n {
			for j := range i {
				want[j*n+i] = want[i*n+j]
			}
		}
		low := z[l*n*n:][:n*n]
		near(t, "L·Lᵀ", product(n, n, n, low, nil, low, true), want, n, norm(want), b.k.eps)
	}
}

func TestQR(t *testing.T) { each(t, testQR[float32], testQR[float64]) }

func testQR[T Float](t *testing.T, b *Batch[T], count, m, n int) {
	a, k := some[T](2, count, m, n), min(m, n)
	for _, cols := range []int{k, m} {
		q, r := make([]T, count*m*cols), make([]T, count*cols*n)
		b.QR(m, n, count, matrices(a, count), q, cols, r, cols)
		for l := range count {
			want, ql := a[l*m*n:][:m*n], q[l*m*cols:][:m*cols]
			name := classNames[l%len(classNames)]
			near(t, name+": Q·R", product(m, n, cols, ql, nil, r[l*cols*n:][:cols*n], false), want, max(m, n), norm(want), b.k.eps)
			near(t, name+": Qᵀ·Q", gram(m, cols, ql), eyeOf[T](cols), max(m, n), math.Sqrt(float64(cols)), b.k.eps)
			for i := range cols {
				for j := range min(i, n) {
					if r[(l*cols+i)*n+j] != 0 {
						t.Fatalf("R is not a triangle")
					}
				}
			}
		}
	}
}

// gram is xᵀ·x.
func gram[T Float](m, n int, x []T) []float64 {
	t := make([]T, len(x))
	for i := range m {
		for j := range n {
			t[j*m+i] = x[i*n+j]
		}
	}
	return product(n, n, m, t, nil, t, true)
}

func TestEigh(t *testing.T) { each(t, testEigh[float32], testEigh[float64]) }

func testEigh[T Float](t *testing.T, b *Batch[T], count, _, n int) {
	a := some[T](4, count, n, n)
	w, v, info := make([]T, count*n), make([]T, len(a)), make([]int32, count)
	b.Eigh(n, count, matrices(a, count), w, v, info)
	alone := make([]T, count*n)
	b.Eigh(n, count, matrices(a, count), alone, nil, info)
	for l := range count {
		if info[l] != 0 {
			t.Fatalf("info %d", info[l])
		}
		want, vl, wl := a[l*n*n:][:n*n], v[l*n*n:][:n*n], w[l*n:][:n]
		for i := range n {
			for j := range i {
				want[j*n+i] = want[i*n+j]
			}
			if i > 0 && wl[i] < wl[i-1] {
				t.Errorf("not in order: %v", wl)
			}
		}
		name := classNames[l%len(classNames)]
		near(t, name+": V·W·Vᵀ", product(n, n, n, vl, wl, vl, true), want, n, norm(want), b.k.eps)
		near(t, name+": Vᵀ·V", gram(n, n, vl), eyeOf[T](n), n, math.Sqrt(float64(n)), b.k.eps)
		for i, x := range alone[l*n:][:n] {
			if x != wl[i] {
				t.Errorf("%s: values alone %v, with vectors %v", name, x, wl[i])
			}
		}
	}
}

func TestSVD(t *testing.T) { each(t, testSVD[float32], testSVD[float64]) }

func testSVD[T Float](t *testing.T, b *Batch[T], count, m, n int) {
	a, k := some[T](5, count, m, n), min(m, n)
	w, u, vh, info := make([]T, count*k), make([]T, count*m*k), make([]T, count*k*n), make([]int32, count)
	b.SVD(m, n, count, matrices(a, count), w, u, vh, info)
	for l := range count {
		name := classNames[l%len(classNames)]
		if info[l] == NeedsMore && (name == "zero" || name == "ones" || name == "wilkinson" || name == "graded") {
			continue
		}
		if info[l] != 0 {
			t.Fatalf("%s: info %d", name, info[l])
		}
		want, wl := a[l*m*n:][:m*n], w[l*k:][:k]
		ul, vl := u[l*m*k:][:m*k], vh[l*k*n:][:k*n]
		near(t, name+": U·S·Vᵀ", product(m, n, k, ul, wl, vl, false), want, max(m, n), norm(want), b.k.eps)
		near(t, name+": Uᵀ·U", gram(m, k, ul), eyeOf[T](k), max(m, n), math.Sqrt(float64(k)), b.k.eps)
		near(t, name+": Vᵀ·V", product(k, k, n, vl, nil, vl, true), eyeOf[T](k), max(m, n), math.Sqrt(float64(k)), b.k.eps)
		for i, x := range wl {
			if x < 0 || i > 0 && x > wl[i-1] {
				t.Errorf("not in order: %v", wl)
			}
		}
	}
}
