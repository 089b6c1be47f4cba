package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/backend/lapack"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/par"
)

// TestLUPanels compares the factors of panels and of matrices of several panels with those of plain loops: sizes that are no multiples of
// vectors, columns of zeros, equal rows, and pivots whose inverse overflows.
func TestLUPanels(t *testing.T) {
	for _, s := range [][2]int{{32, 1}, {33, 7}, {35, 9}, {40, 40}, {64, 17}, {33, 100}, {130, 70}, {201, 128}, {210, 230}, {300, 200}} {
		for _, kind := range []string{"random", "zero column", "equal rows", "tiny"} {
			t.Run(fmt.Sprintf("%dx%d %s", s[0], s[1], kind), func(t *testing.T) {
				testLUPanels[float32](t, dtype.Float32, s[0], s[1], kind)
				testLUPanels[float64](t, dtype.Float64, s[0], s[1], kind)
			})
		}
	}
}

func testLUPanels[T float32 | float64](t *testing.T, d dtype.DType, m, n int, kind string) {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(m), uint64(n)))
	x, k := outputOf(d, []int{1, m, n}), min(m, n)
	a := backend.Slice[T](x)
	for i := range a {
		a[i] = T(r.NormFloat64())
	}
	switch kind {
	case "zero column":
		for i := range m {
			a[i*n+n/2] = 0
		}
	case "equal rows":
		copy(a[(m-1)*n:], a[:n])
	case "tiny":
		for i := range m { // below the smallest number that has an inverse
			a[i*n+n/2] *= T(math.Ldexp(1, map[dtype.DType]int{dtype.Float32: -130, dtype.Float64: -1026}[d]))
		}
	}
	want, rows := append([]T(nil), a...), make([]int32, k)
	plain := lapack.Solver[T]{Mul: lapack.Naive[T], Mul64: lapack.Naive[float64]}
	info := plain.LU(m, n, want, n, rows)
	out := []backend.View{outputOf(d, []int{1, m, n}), outputOf(dtype.Int32, []int{1, k}), outputOf(dtype.Int32, []int{1})}
	if err := table["lu_factor"](testCtx(), attr.Factor{}, out, []backend.View{x}); err != nil {
		t.Fatal(err)
	}
	lu, piv := backend.Slice[T](out[0]), backend.Slice[int32](out[1])
	if got := int(backend.Slice[int32](out[2])[0]); kind != "equal rows" && got != info {
		t.Fatalf("%v: info %d, want %d", d, got, info)
	}
	if kind != "equal rows" { // what is left of them is rounding
		for i, p := range rows {
			if piv[i] != p+1 {
				t.Fatalf("%v: pivot %d is %d, want %d", d, i, piv[i], p+1)
			}
		}
	}
	tol := 100 * float64(k) * lapack.Eps[T]()
	for i, e := range luTimes(m, n, lu, piv) {
		if diff := math.Abs(e - float64(a[i])); !(diff <= tol) {
			t.Fatalf("%v: element %d of P·L·U is off by %v", d, i, diff)
		}
	}
}

// luTimes is P·L·U.
func luTimes[T float32 | float64](m, n int, lu []T, piv []int32) []float64 {
	z := make([]float64, m*n)
	for i := range m {
		for j := range n {
			for p := range min(i, j) + 1 {
				l := 1.0
				if p < i {
					l = float64(lu[i*n+p])
				}
				if p < min(m, n) {
					z[i*n+j] += l * float64(lu[p*n+j])
				}
			}
		}
	}
	for i := len(piv) - 1; i >= 0; i-- {
		for j := range n {
			a, b := i*n+j, int(piv[i]-1)*n+j
			z[a], z[b] = z[b], z[a]
		}
	}
	return z
}

// TestLUNaN: NaN spreads as far as plain loops spread it, and pivots stay within the rows.
func TestLUNaN(t *testing.T) {
	const m, n = 75, 40
	for _, column := range []int{0, 5, 39} {
		x := plainView(dtype.Float64, 1, m, n)
		a := backend.Slice[float64](x)
		for i := range m {
			a[i*n+column] = math.NaN()
		}
		out := []backend.View{outputOf(dtype.Float64, []int{1, m, n}), outputOf(dtype.Int32, []int{1, n}), outputOf(dtype.Int32, []int{1})}
		if err := table["lu_factor"](testCtx(), attr.Factor{}, out, []backend.View{x}); err != nil {
			t.Fatal(err)
		}
		lu := backend.Slice[float64](out[0])
		for i, p := range backend.Slice[int32](out[1]) {
			if p < int32(i+1) || p > m {
				t.Fatalf("pivot %d is %d", i, p)
			}
		}
		for i := range m {
			for j := range n {
				if nan := j == column || j > column && i > column; nan != math.IsNaN(lu[i*n+j]) {
					t.Fatalf("NaN in column %d: element %d, %d is %v", column, i, j, lu[i*n+j])
				}
			}
		}
	}
}

// TestComplexVector: products of a complex matrix and a vector are those of plain loops, with any strides of the vector, in one block and
// in several.
func TestComplexVector(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	mul := withComplexVectors(inLoop(productC128), simd.DotF64)
	loop := func(n int, f func(int)) {
		if err := par.For(n, f); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range [][2]int{{2, vectorDepth}, {17, vectorDepth + 1}, {33, 5}, {200, 301}} {
		m, k := s[0], s[1]
		a, b, c := make([]complex128, m*(k+3)), make([]complex128, 2*k), make([]complex128, 3*m)
		for _, x := range [][]complex128{a, b, c} {
			for i := range x {
				x[i] = complex(r.NormFloat64(), r.NormFloat64())
			}
		}
		for _, add := range []bool{false, true} {
			want, got, alone := slices.Clone(c), slices.Clone(c), slices.Clone(c)
			lapack.Naive(m, 1, k, a, k+3, 1, b, 2, 1, want, 3, add)
			mul(loop)(m, 1, k, a, k+3, 1, b, 2, 1, got, 3, add)
			mul(nil)(m, 1, k, a, k+3, 1, b, 2, 1, alone, 3, add)
			if !slices.Equal(got, alone) {
				t.Fatalf("%d×%d: other bits in a loop", m, k)
			}
			for i, v := range want {
				if d := got[i] - v; math.Hypot(real(d), imag(d)) > 1e-12*float64(k) {
					t.Fatalf("%d×%d: element %d is %v, want %v", m, k, i, got[i], v)
				}
			}
		}
	}
}
