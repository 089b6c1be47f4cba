package kernel

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid/internal/testutil/fence"
)

// TestNHWC compares products of NHWC with sums in float64: every variant, every length of rows, taps that
// leave out any number of positions at either end. x ends at a fence and begins behind NaNs, and nothing between the positions
// of c is written.
func TestNHWC(t *testing.T) {
	forVariants(t, func(t *testing.T) {
		testNHWC[float32](t, 1e-6)
		testNHWC[float64](t, 1e-15)
	})
}

func testNHWC[T Float](t *testing.T, eps float64) {
	r, fenced := rand.New(rand.NewPCG(5, 19)), fence.Slices[T](t, 1<<14)
	lanes := PositionLanes[T]()
	for h := 1; h <= NHWCRowLen[T](); h++ {
		for _, cols := range []int{lanes, 2 * lanes} {
			for _, channels := range []int{1, 2, 7} {
				for _, reach := range []int{0, 1, h - 1, h + 1} { // taps from -reach to reach
					for _, stride := range []int{1, 2} {
						nhwcCase(t, r, fenced, eps, h, cols, channels, reach, stride)
					}
				}
			}
		}
	}
}

// nhwcCase runs two rows that are the whole of their input, which has more channels than are summed.
func nhwcCase[T Float](t *testing.T, r *rand.Rand, fenced func(int, int) []T, eps float64, h, cols, channels, reach, stride int) {
	all := channels + r.IntN(3)
	pixels := (h-1)*stride + 1
	var taps []NHWCTap
	var moved []int
	for u := -reach; u <= reach; u++ {
		tap := NHWCTap{X: u * all, W: len(taps) + 1}
		for ; tap.First < h && u+tap.First*stride < 0; tap.First++ {
		}
		for ; tap.Last < h && u+(h-1-tap.Last)*stride >= pixels; tap.Last++ {
		}
		if tap.First+tap.Last < h && !(tap.First > 0 && tap.Last > 0) {
			taps, moved = append(taps, tap), append(moved, u)
		}
	}
	rows := min(1<<r.IntN(3), NHWCRows[T](h))
	second, ccs := r.IntN(2)*all*pixels, cols+r.IntN(3)
	cs := (h-1)*ccs + cols + r.IntN(5)
	var rowsAt, rowsTo [4]int
	for q := range rows { // rows of c in any order
		rowsAt[q], rowsTo[q] = q*second, (rows-1-q)*cs
	}
	const before = 2048
	x := fenced(0, before+(rows-1)*second+(pixels-1)*all+channels)
	w, c := fenced(1, (len(taps)+1)*channels*cols), fenced(2, (rows-1)*cs+(h-1)*ccs+cols)
	for i := range before {
		x[i] = T(math.NaN())
	}
	x = x[before:]
	for _, s := range [][]T{x, w, c} {
		copy(s, random[T](r, len(s)))
	}
	a := NewNHWCTaps(h, stride*all, taps)
	for _, add := range []bool{false, true} {
		old := append([]T(nil), c...)
		NHWC(rows, cols, channels, a, x, &rowsAt, w, c, &rowsTo, ccs, add)
		for at := range c {
			row := rows - 1 - at/cs
			i, j := at%cs/ccs, at%cs%ccs
			if i >= h || j >= cols {
				if c[at] != old[at] {
					t.Fatalf("element %d between the positions was written", at)
				}
				continue
			}
			var here []int // taps of this position
			for p, u := range moved {
				if q := u + i*stride; q >= 0 && q < pixels {
					here = append(here, p)
				}
			}
			checkSum(t, len(here)*channels, eps, c[at], old[at], add, func(q int) (T, T) {
				p, ch := here[q/channels], q%channels
				return x[row*second+(i*stride+moved[p])*all+ch], w[(taps[p].W*channels+ch)*cols+j]
			})
		}
	}
}

// TestNHWCOutside: what would be outside a slice is refused.
func TestNHWCOutside(t *testing.T) {
	cols := PositionLanes[float32]()
	x, w, c := make([]float32, 10), make([]float32, 2*cols), make([]float32, cols)
	for name, f := range map[string]func(){
		"behind the input": func() {
			NHWC(2, cols, 2, NewNHWCTaps(1, 2, []NHWCTap{{X: 9}}), x, new([4]int), w, c, &[4]int{}, cols, false)
		},
		"before the input": func() {
			NHWC(2, cols, 2, NewNHWCTaps(1, 2, []NHWCTap{{X: -1}}), x, new([4]int), w, c, &[4]int{}, cols, false)
		},
		"behind the kernels": func() {
			NHWC(2, cols, 2, NewNHWCTaps(1, 2, []NHWCTap{{W: 1}}), x, new([4]int), w, c, &[4]int{}, cols, false)
		},
		"behind the sums": func() {
			NHWC(2, cols, 2, NewNHWCTaps(1, 2, []NHWCTap{{}}), x, new([4]int), w, c, &[4]int{0, 1}, cols, false)
		},
		"both ends": func() { NewNHWCTaps(3, 2, []NHWCTap{{First: 1, Last: 1}}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}
