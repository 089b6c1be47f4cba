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

// TestLongRowsOfNarrow: rows of integers of 8 and 16 bits are folded many at a time, however long they are.
func TestLongRowsOfNarrow(t *testing.T) {
	asmvariant.ForEach(t, "simd", func(variant string) {
		longRows(t, variant, maxOf[int8](-128).inVectors(simd.MaxI8))
		longRows(t, variant, maxOf[uint8](0).inVectors(simd.MaxU8))
		longRows(t, variant, maxOf[int16](-1<<15).inVectors(simd.MaxI16))
	})
}

func longRows[T int8 | uint8 | int16](t *testing.T, variant string, f extremum[T]) {
	x := make([]T, 40*5000)
	for _, n := range []int{63, 65, 129, 1000, 1024, 1025, 2047, 2048, 2049, 3000, 4096, 5000} {
		for i := range x {
			x[i] = T(rand.IntN(90))
		}
		const rows = 37
		for r := range rows { // the largest is anywhere
			x[r*n+rand.IntN(n)] = T(100 + r%20)
		}
		z := make([]T, rows)
		f.rows(unsafe.Pointer(&z[0]), unsafe.Pointer(&x[0]), rows, n)
		for r, got := range z {
			if want := T(100 + r%20); got != want {
				t.Fatalf("%s: the largest %T of row %d of %d is %v, want %v", variant, got, r, n, got, want)
			}
		}
	}
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
