package lapack

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Dets of many matrices have the bits of Det of each, at the ends of the range and of singular ones, too; a pivot that is no row is seen.
func TestDets(t *testing.T) {
	for n := range 8 {
		checkDets[float32](t, n, math.MaxFloat32, math.SmallestNonzeroFloat32)
		checkDets[float64](t, n, math.MaxFloat64, math.SmallestNonzeroFloat64)
		checkDets[complex128](t, n, complex(0, math.MaxFloat64), 1e-300)
	}
}

func checkDets[T Number](t *testing.T, n int, most, least T) {
	const count = 65
	r := rand.New(rand.NewPCG(1, uint64(n)))
	lu, piv, z := make([]T, count*n*n), make([]int32, count*n), make([]T, count)
	for i := range lu {
		switch r.IntN(12) {
		case 0:
			lu[i] = most
		case 1:
			lu[i] = least
		case 2:
			lu[i] = 0
		case 3:
			lu[i] = of[T](math.NaN(), 0)
		default:
			lu[i] = of[T](r.NormFloat64(), r.NormFloat64())
		}
	}
	for i := range piv {
		k := i % n
		piv[i] = int32(k + 1 + r.IntN(n-k))
	}
	if !Dets(n, count, lu, piv, z) {
		t.Errorf("n=%d: pivots are refused", n)
	}
	for i := range count {
		own := make([]int32, n)
		for k := range own {
			own[k] = piv[i*n+k] - 1
		}
		if want := Det(n, lu[i*n*n:], n, own); !sameBits(z[i], want) {
			t.Fatalf("n=%d, matrix %d: %v, alone %v", n, i, z[i], want)
		}
	}
	for _, bad := range []int32{0, -1, int32(n + 1)} {
		for k := range n {
			piv[(count-1)*n+k], bad = bad, piv[(count-1)*n+k]
			if Dets(n, count, lu, piv, z) {
				t.Errorf("n=%d: pivot %d of the last matrix is no row, and taken", n, k)
			}
			piv[(count-1)*n+k], bad = bad, piv[(count-1)*n+k]
		}
	}
}

func sameBits[T Number](a, b T) bool {
	return a == b && math.Signbit(re(a)) == math.Signbit(re(b)) || a != a && b != b
}
