package kernel

import (
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid/internal/testutil/fence"
)

// TestDepthwise compares windows with sums in float64 and with the twin: every variant, remainders of rows and columns.
// What is behind the operands is fenced, and nothing next to the outputs is written.
func TestDepthwise(t *testing.T) {
	forVariants(t, func(t *testing.T) {
		testDepthwise[float32](t, 1e-6)
		testDepthwise[float64](t, 1e-15)
	})
}

func testDepthwise[T Float](t *testing.T, eps float64) {
	r, fenced := rand.New(rand.NewPCG(5, 29)), fence.Slices[T](t, 1<<14)
	for _, taps := range []int{1, 3, 5, 7} {
		for _, rows := range []int{1, 2, 3, 4, 7} {
			for cols := 1; cols < 40; cols += 1 + r.IntN(3) {
				wide := 1 + r.IntN(8)
				pitch, crs := cols+wide-1+r.IntN(3), cols+r.IntN(3)
				x := fenced(0, (rows+taps-2)*pitch+wide-1+cols+DepthwiseSlack)
				w, c := fenced(1, taps*wide), fenced(2, (rows-1)*crs+cols)
				for _, s := range [][]T{x, w, c} {
					copy(s, random[T](r, len(s)))
				}
				old, twin := append([]T(nil), c...), append([]T(nil), c...)
				Depthwise(taps, wide, rows, cols, x, pitch, w, c, crs)
				depthwiseGeneric(rows, taps, wide, x, pitch, w, twin, crs, cols)
				for at := range c {
					i, j := at/crs, at%crs
					if j >= cols {
						if c[at] != old[at] {
							t.Fatalf("element %d between the rows was written", at)
						}
						continue
					}
					term := func(q int) (T, T) { return x[(i+q%taps)*pitch+q/taps+j], w[q] }
					checkSum(t, taps*wide, eps, c[at], 0, false, term)
					checkSum(t, taps*wide, eps, twin[at], 0, false, term)
				}
			}
		}
	}
}
