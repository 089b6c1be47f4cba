package simd

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid/internal/asmvariant"
)

// TestPoolSteps compares the steps of pooling with their twins, bit by bit, next to protected pages.
func TestPoolSteps(t *testing.T) {
	const most = 8192
	r := rand.New(rand.NewPCG(3, 9))
	special := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 0, float32(math.Copysign(0, -1)), 1e-42}
	fill := func(x []float32) {
		for i := range x {
			if x[i] = float32(r.IntN(9) - 4); r.IntN(20) == 0 {
				x[i] = special[r.IntN(len(special))]
			}
		}
	}
	same := func(a, b []float32) int {
		for i := range a {
			if math.Float32bits(a[i]) != math.Float32bits(b[i]) {
				return i
			}
		}
		return -1
	}
	for _, end := range []bool{true, false} {
		xs, zs, as := view[float32](fence(t, 4*most, end)), view[float32](fence(t, 4*most, end)), view[int32](fence(t, 4*most, end))
		cut := func(s []float32, n int) []float32 {
			if end {
				return s[most-n:]
			}
			return s[:n]
		}
		asmvariant.ForEach(t, "simd", func(variant string) {
			for n := 1; n <= 131; n++ {
				for _, step := range []int{1, 2, 3, 4, 7} {
					rows := 1 + r.IntN(3)
					zrs, xrs := n+r.IntN(3), (n-1)*step+1+r.IntN(3)
					x, z := cut(xs, (rows-1)*xrs+(n-1)*step+1), cut(zs, (rows-1)*zrs+n+StepSlack)
					at := as[:len(z)]
					if end {
						at = as[most-len(z):]
					}
					fill(x)
					fill(z)
					want, indices := append([]float32(nil), z...), make([]int32, len(z))
					for i := range at {
						at[i], indices[i] = int32(i), int32(i)
					}
					maxStepGeneric(want, indices, zrs, x, xrs, rows, n, step, 1000)
					MaxStepF32(z, at, zrs, x, xrs, rows, n, step, 1000)
					if i := same(z, want); i >= 0 {
						t.Fatalf("%s: greatest of %d, step %d: element %d is %v, twin %v", variant, n, step, i, z[i], want[i])
					}
					for i := range at {
						if at[i] != indices[i] {
							t.Fatalf("%s: %d, step %d: index %d is %d, twin %d", variant, n, step, i, at[i], indices[i])
						}
					}
					addStepGeneric(want, zrs, x, xrs, rows, n, step)
					AddStepF32(z, zrs, x, xrs, rows, n, step)
					for i := range z { // a zero added to what is behind a row may take its sign
						if z[i] != want[i] && (z[i] == z[i] || want[i] == want[i]) {
							t.Fatalf("%s: sum of %d, step %d: element %d is %v, twin %v", variant, n, step, i, z[i], want[i])
						}
					}
					x, z = cut(xs, (rows-1)*zrs+n), cut(zs, (rows-1)*zrs*step+(n-1)*step+1+StepSlack)
					fill(x)
					fill(z)
					long := append([]float32(nil), z...)
					scatterStepGeneric(long, zrs*step, x, zrs, rows, n, step)
					ScatterStepF32(z, zrs*step, x, zrs, rows, n, step)
					for i := range z {
						if z[i] != long[i] && (z[i] == z[i] || long[i] == long[i]) {
							t.Fatalf("%s: %d scattered by %d: element %d is %v, twin %v", variant, n, step, i, z[i], long[i])
						}
					}
					at = as[:len(x)]
					if end {
						at = as[most-len(x):]
					}
					for i := range at {
						if at[i] = int32(1000 + i/zrs*5*n*step + i%zrs*step); r.IntN(3) == 0 {
							at[i] += int32(r.IntN(3)) - 1
						}
					}
					unpoolStepGeneric(long, zrs*step, x, at, zrs, rows, n, step, 1000, 5*n*step)
					UnpoolStepF32(z, zrs*step, x, at, zrs, rows, n, step, 1000, 5*n*step)
					for i := range z {
						if z[i] != long[i] && (z[i] == z[i] || long[i] == long[i]) {
							t.Fatalf("%s: %d unpooled by %d: element %d is %v, twin %v", variant, n, step, i, z[i], long[i])
						}
					}
				}
			}
		})
	}
}

// TestIndices widens and narrows indices, next to protected pages.
func TestIndices(t *testing.T) {
	const most = 8192
	r := rand.New(rand.NewPCG(3, 10))
	for _, end := range []bool{true, false} {
		as, wide := view[int32](fence(t, 4*most, end)), view[int64](fence(t, 8*most, end))
		asmvariant.ForEach(t, "simd", func(variant string) {
			for n := 1; n <= 131; n++ {
				at, w := as[most-n:], wide[most-n:]
				if !end {
					at, w = as[:n], wide[:n]
				}
				for i := range at {
					at[i] = r.Int32()
				}
				WidenIndices(w, at)
				for i := range at {
					if w[i] != int64(at[i]) {
						t.Fatalf("%s: index %d of %d is %d, want %d", variant, i, n, w[i], at[i])
					}
				}
				for i := range w {
					if w[i] = int64(r.Uint64()) >> r.IntN(64); r.IntN(4) == 0 {
						w[i] = []int64{0, -1, math.MaxInt32, math.MaxInt32 + 1, math.MinInt64, math.MinInt32, 1 << 32}[r.IntN(7)]
					}
				}
				NarrowIndices(at, w)
				for i, v := range w {
					if v < 0 || v > math.MaxInt32 {
						v = -1
					}
					if int64(at[i]) != v {
						t.Fatalf("%s: index %d of %d is narrowed to %d, want %d", variant, i, n, at[i], v)
					}
				}
			}
		})
	}
}
