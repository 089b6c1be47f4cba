package cpu

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/lucid-go/lucid/internal/asmvariant"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
)

// TestExtrema: extrema of runs, of short rows and of few columns, and their indices, are those of a loop, for every length.
func TestExtrema(t *testing.T) {
	x := make([]float64, 6000)
	for i := range x {
		x[i] = math.Round(rand.NormFloat64() * 1000)
	}
	x[4321] = math.NaN()
	f := maxOf(math.Inf(-1)).inVectors(simd.MaxF64)
	same := func(a, b float64) bool { return a == b || a != a && b != b }
	arg := argByTree(argRun[float64], simd.MaxF64, simd.MinF64)
	asmvariant.ForEach(t, "simd", func(variant string) {
		for _, n := range append([]int{1000, 2047, 2048, 2049, 4000, 5000}, seq(1, 150)...) {
			run := x[len(x)-n:]
			if got, want := f.run(f.zero, run), slices.MaxFunc(run, nanLast); !same(got, want) {
				t.Fatalf("%s: the largest of %d is %v, want %v", variant, n, got, want)
			}
			if got, want := arg(false, run), argRun(false, run); got.at != want.at {
				t.Fatalf("%s: the smallest of %d is at %d, want %d", variant, n, got.at, want.at)
			}
			if n > 150 {
				continue
			}
			rows := len(x) / n
			each, cols, want := make([]float64, rows), slices.Repeat([]float64{f.zero}, n), slices.Repeat([]float64{f.zero}, n)
			f.dense(unsafe.Pointer(&each[0]), unsafe.Pointer(&x[0]), rows, n)
			f.cols(cols, unsafe.Pointer(&x[0]), n, rows)
			for r := range rows {
				if w := slices.MaxFunc(x[r*n:(r+1)*n], nanLast); !same(each[r], w) {
					t.Fatalf("%s: the largest of row %d of %d is %v, want %v", variant, r, n, each[r], w)
				}
				for j := range want {
					want[j] = max(want[j], x[r*n+j])
				}
			}
			if !slices.EqualFunc(cols, want, same) {
				t.Fatalf("%s: the largest of %d columns differ", variant, n)
			}
		}
	})
}

// nanLast orders NaN behind all others.
func nanLast(a, b float64) int {
	switch {
	case a != a:
		return 1
	case b != b || a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func seq(from, to int) (s []int) {
	for i := from; i <= to; i++ {
		s = append(s, i)
	}
	return s
}
