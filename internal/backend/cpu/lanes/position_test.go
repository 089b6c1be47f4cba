package lanes

import (
	"math"
	"testing"
)

// results are what all factorisations give for a group.
func results[T Float](b *Batch[T], n, count int, a []T) [][]T {
	spd := append([]T(nil), a...)
	for l := range count {
		for i := range n {
			spd[(l*n+i)*n+i] += T(8 * n)
		}
	}
	x := matrices(a, count)
	make3 := func() (z, u, v []T) { return make([]T, len(a)), make([]T, len(a)), make([]T, len(a)) }
	lu, q, r := make3()
	vec, u, vh := make3()
	l, inv, _ := make3()
	w, s := make([]T, count*n), make([]T, count*n)
	piv, info := make([]int32, count*n), make([]int32, count)
	b.LU(n, n, count, x, lu, piv, info)
	b.SolveLU(false, n, n, count, matrices(lu, count), piv, x, inv)
	b.QR(n, n, count, x, q, n, r, n)
	b.Eigh(n, count, x, w, vec, info)
	b.SVD(n, n, count, x, s, u, vh, info)
	b.Cholesky(n, count, matrices(spd, count), l, info)
	return [][]T{lu, inv, q, r, w, vec, s, u, vh, l}
}

// TestPosition: a matrix gives the same bits in every lane, whatever the others are, and with fewer matrices than lanes.
func TestPosition(t *testing.T) {
	if New[float32]() == nil {
		t.Skip("no vectors")
	}
	for _, n := range []int{1, 2, 4, 7, 16, 32} {
		testPosition[float32](t, n)
		testPosition[float64](t, n)
	}
}

func testPosition[T Float](t *testing.T, n int) {
	b := New[T]()
	one := some[T](9, 1, n, n)
	want := results(b, n, 1, one)
	for lane := range b.Lanes() {
		a := some[T](uint64(lane), b.Lanes(), n, n)
		if lane%3 == 1 { // neighbours that are not finite
			for i := range a {
				if i/(n*n)%2 == 0 {
					a[i] = T(math.NaN())
				} else if i%3 == 0 {
					a[i] = T(math.Inf(1))
				}
			}
		}
		copy(a[lane*n*n:], one)
		for k, got := range results(b, n, b.Lanes(), a) {
			per := len(want[k])
			for i, x := range got[lane*per:][:per] {
				if x != want[k][i] {
					t.Fatalf("%d×%d, result %d, lane %d: element %d is %v, alone %v", n, n, k, lane, i, x, want[k][i])
				}
			}
		}
	}
}

// TestNotFinite: matrices with NaN or Inf have an info.
func TestNotFinite(t *testing.T) {
	b := New[float32]()
	if b == nil {
		t.Skip("no vectors")
	}
	const n, count = 3, 5
	a := some[float32](3, count, n, n)
	a[n*n], a[3*n*n+8] = float32(math.NaN()), float32(math.Inf(-1))
	w, v, u, info := make([]float32, count*n), make([]float32, len(a)), make([]float32, len(a)), make([]int32, count)
	check := func(what string) {
		t.Helper()
		for l := range count {
			if bad := l == 1 || l == 3; bad != (info[l] == 1) || bad != math.IsNaN(float64(w[l*n])) {
				t.Errorf("%s: matrix %d has info %d and %v", what, l, info[l], w[l*n:][:n])
			}
		}
	}
	b.Eigh(n, count, matrices(a, count), w, v, info)
	check("eigh")
	b.SVD(n, n, count, matrices(a, count), w, u, v, info)
	check("svd")
}
