package lapack

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// atOnce runs all at the same time; backwards, one after the other from the last on.
func atOnce(n int, f func(i int)) {
	var g sync.WaitGroup
	for i := range n {
		g.Go(func() { f(i) })
	}
	g.Wait()
}

func backwards(n int, f func(i int)) {
	for i := n - 1; i >= 0; i-- {
		f(i)
	}
}

// TestAhead runs the tests of factorisations for matrices that are factored by several goroutines.
func TestAhead(t *testing.T) {
	loop = atOnce
	defer func() { loop = nil }()
	names := []string{"random", "graded", "nearly singular"}
	if testing.Short() {
		names = names[2:]
	}
	for _, name := range names {
		const m, n = 221, 200
		r := rand.New(rand.NewPCG(1, 2))
		testLU[float64](t, name, m, n, r)
		testCholesky[float32](t, name, m, n, r)
		testQR[float64](t, name, m, n, r)
	}
	r := rand.New(rand.NewPCG(5, 6))
	testLU[complex64](t, "random", aheadSize, aheadSize, r)
	testCholesky[complex64](t, "random", 0, aheadSize, r)
	testQR[complex128](t, "random", aheadSize, aheadSize, r)
	testLU[float32](t, "random", 200, 260, r)
	testQR[float32](t, "random", 200, 260, r)
	testEigh[float64](t, "random", 0, 200, r)
	testSVD[float32](t, "random", 205, 200, r)
}

// TestInverse: A·A⁻¹ is the identity, with one goroutine and with several.
func TestInverse(t *testing.T) {
	defer func() { loop = nil }()
	for _, n := range []int{1, 5, 40, 210} {
		for _, l := range []func(int, func(int)){nil, atOnce} {
			loop = l
			testInverse[float32](t, n)
			testInverse[complex128](t, n)
		}
	}
}

func testInverse[T Number](t *testing.T, n int) {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(n), 3))
	a := matrix[T]("random", r, n, n)
	s, lu, piv, z := solver[T](), append([]T(nil), a...), make([]int32, n), make([]T, n*n)
	if info := s.LU(n, n, lu, n, piv); info != 0 {
		t.Fatalf("info %d", info)
	}
	s.Inverse(n, lu, n, piv, z)
	close(t, "A·A⁻¹", times(n, n, n, a, false, z, false), unit[T](n), n, frobenius(a)*frobenius(z))
}

// TestRowsAfter: rows that are moved once are where exchanges would bring them.
func TestRowsAfter(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 200 {
		m := 1 + r.IntN(30)
		k := 1 + r.IntN(m)
		piv, want, old := make([]int32, k), make([]float64, m), make([]float64, m)
		for i := range m {
			want[i], old[i] = float64(i), float64(i)
		}
		for i := range piv {
			piv[i] = int32(i + r.IntN(m-i))
		}
		exchange(piv, 0, 1, want, 1)
		moves := rowsAfter(piv)
		got := slices.Clone(old)
		for _, v := range moves {
			got[v.to] = old[v.from]
		}
		for _, v := range moves[k:] {
			if v.from >= k || v.to < k {
				t.Fatalf("a move from %d to %d with %d upper rows", v.from, v.to, k)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("pivots %v: %v, want %v", piv, got, want)
		}
	}
}

// TestLoopBits: in whatever order the parts of a Loop run, results have the same bits.
func TestLoopBits(t *testing.T) {
	defer func() { loop = nil }()
	const m, n = 300, 260
	var want [][]float64
	for _, l := range []func(int, func(int)){atOnce, backwards, atOnce} {
		loop = l
		r := rand.New(rand.NewPCG(1, 9))
		s, a := solver[float64](), matrix[float64]("random", r, m, n)
		lu, piv := append([]float64(nil), a[:n*n]...), make([]int32, n)
		s.LU(n, n, lu, n, piv)
		inv, right := make([]float64, n*n), append([]float64(nil), a[:n*n]...)
		s.Inverse(n, lu, n, piv, inv)
		s.SolveLU(true, n, n, lu, n, piv, right, n)
		qr, tau, q := append([]float64(nil), a...), make([]float64, n), make([]float64, m*n)
		s.QR(m, n, qr, n, tau)
		s.FormQ(m, n, n, qr, n, tau, q, n)
		c := times(n, n, m, a, true, a, false)
		v, w := append([]float64(nil), c...), make([]float64, n)
		if s.Cholesky(n, c, n)|s.Eigh(n, v, n, w, true) != 0 {
			t.Fatal("info")
		}
		for i := range n {
			clear(c[i*n+i+1 : (i+1)*n])
		}
		sv, u, vh := make([]float64, n), make([]float64, m*n), make([]float64, n*n)
		if s.SVD(m, n, slices.Clone(a), sv, u, n, vh, n) != 0 {
			t.Fatal("info")
		}
		const k = 100
		values, vectors, parts := make([]complex128, k), make([]complex128, k*k), make([]float64, 2*k*k)
		if s.Eig(k, a[:k*k], values, vectors) != 0 {
			t.Fatal("info")
		}
		for i, x := range vectors {
			parts[2*i], parts[2*i+1] = real(x), imag(x)
		}
		got := [][]float64{lu, inv, right, qr, tau, q, c, v, w, sv, u, vh, parts}
		if want == nil {
			want = got
		}
		for i, x := range got {
			for k, y := range x {
				if math.Float64bits(y) != math.Float64bits(want[i][k]) {
					t.Fatalf("result %d, element %d: %v, and %v in another order", i, k, y, want[i][k])
				}
			}
		}
	}
}
