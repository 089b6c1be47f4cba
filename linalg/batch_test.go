package linalg_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/linalg"
)

func randomMatrices(seed uint64, dims ...int) []float64 {
	r := rand.New(rand.NewPCG(seed, 1))
	size := 1
	for _, d := range dims {
		size *= d
	}
	x := make([]float64, size)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}

// factors are results of all factorisations of square matrices, as float64.
func factors(x *lucid.Tensor) map[string][]float64 {
	n := x.Size(-1)
	out := map[string][]float64{}
	put := func(name string, t *lucid.Tensor) { out[name] = lucid.ToSlice[float64](t.To(lucid.Float64)) }
	spd := x.MatMul(x.MT()).Add(lucid.Eye(n).To(x.DType()).Mul(float64(n)))
	lu, piv := linalg.LUFactor(x)
	put("lu", lu)
	put("pivots", piv)
	put("inv", linalg.Inv(x))
	put("solve", linalg.Solve(x, spd))
	put("det", linalg.Det(x))
	put("cholesky", linalg.Cholesky(spd))
	q, r := linalg.QR(x)
	put("q", q)
	put("r", r)
	w, v := linalg.Eigh(x)
	put("eigenvalues", w)
	put("eigenvectors", v)
	u, s, vh := linalg.SVD(x)
	put("u", u)
	put("s", s)
	put("vh", vh)
	return out
}

// TestBatchPosition: what a matrix of a batch gives does not depend on where it stands, nor on what else is in the batch.
func TestBatchPosition(t *testing.T) {
	for _, d := range []lucid.DType{lucid.Float32, lucid.Float64} {
		for _, n := range []int{1, 4, 11} {
			const count = 37
			a := randomMatrices(uint64(n), count, n, n)
			order := rand.New(rand.NewPCG(2, 3)).Perm(count)
			moved := make([]float64, len(a))
			for i, o := range order {
				copy(moved[i*n*n:][:n*n], a[o*n*n:][:n*n])
			}
			want := factors(lucid.FromSlice(a, count, n, n).To(d))
			for name, got := range factors(lucid.FromSlice(moved, count, n, n).To(d)) {
				per := len(got) / count
				for i, o := range order {
					for k := range per {
						if x, y := got[i*per+k], want[name][o*per+k]; x != y {
							t.Fatalf("%v %d×%d: %s of matrix %d at position %d: %v, before %v", d, n, n, name, o, i, x, y)
						}
					}
				}
			}
		}
	}
}

// TestBatchAgainstSingle: matrices one at a time, which other code factors, give the same up to rounding where a result is unique.
func TestBatchAgainstSingle(t *testing.T) {
	for _, n := range []int{1, 2, 5, 16, 32} {
		const count = 18
		a := randomMatrices(uint64(n), count, n, n)
		x := lucid.FromSlice(a, count, n, n)
		got := factors(x)
		for i := range count {
			one := factors(lucid.FromSlice(a[i*n*n:][:n*n], n, n))
			for _, name := range []string{"lu", "pivots", "inv", "solve", "det", "cholesky", "eigenvalues", "s"} {
				per, scale := len(one[name]), 1.0
				for _, y := range one[name] {
					scale = max(scale, math.Abs(y))
				}
				for k, y := range one[name] {
					if d := math.Abs(got[name][i*per+k] - y); !(d <= 1e-9*scale) {
						t.Fatalf("%d×%d: %s of matrix %d, element %d: %v, alone %v", n, n, name, i, k, got[name][i*per+k], y)
					}
				}
			}
		}
	}
}

// TestBatchInfo: singular and not definite matrices of a batch have their info, and their error names them.
func TestBatchInfo(t *testing.T) {
	const n, count = 3, 20
	a := make([]float32, count*n*n)
	for l := range count {
		for i := range n {
			a[(l*n+i)*n+i] = float32(l + 1)
		}
	}
	a[7*n*n+4], a[13*n*n+8] = 0, 0
	x := lucid.FromSlice(a, count, n, n)
	_, _, info := linalg.LUFactorEx(x)
	_, notDefinite := linalg.CholeskyEx(x)
	for l := range count {
		want := map[int]int{7: 2, 13: 3}[l]
		if got := info.At(l).Item(); got != float64(want) {
			t.Errorf("lu of matrix %d: info %v, want %d", l, got, want)
		}
		if got := notDefinite.At(l).Item(); got != float64(want) {
			t.Errorf("cholesky of matrix %d: info %v, want %d", l, got, want)
		}
	}
	if err := lucid.Try(func() { linalg.Inv(x).Eval() }); err == nil {
		t.Error("the inverse of a batch with a singular matrix")
	}
}

// TestThreads: the bits are the same for any GOMAXPROCS.
func TestThreads(t *testing.T) {
	a := lucid.FromSlice(randomMatrices(1, 230, 230), 230, 230)
	small := lucid.FromSlice(randomMatrices(2, 100, 6, 6), 100, 6, 6)
	run := func(procs int) []map[string][]float64 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		w, v := linalg.Eig(a)
		return []map[string][]float64{factors(a), factors(small), {"eig": lucid.ToSlice[float64](lucid.Real(w)),
			"vectors": lucid.ToSlice[float64](lucid.Imag(v))}}
	}
	want := run(1)
	for _, procs := range []int{2, 5} {
		for i, results := range run(procs) {
			for name, got := range results {
				for k, x := range got {
					if x != want[i][name][k] {
						t.Fatalf("%d threads: %s, element %d is %v, with one %v", procs, name, k, x, want[i][name][k])
					}
				}
			}
		}
	}
}
