package kernel

import (
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid/internal/testutil/fence"
)

// TestPositions compares products by output positions with sums in float64; every variant, every length of rows. What is behind the
// operands is fenced, and nothing between the rows is written.
func TestPositions(t *testing.T) {
	forVariants(t, func(t *testing.T) {
		testPositions[float32](t, 1e-6)
		testPositions[float64](t, 1e-15)
	})
}

func testPositions[T Float](t *testing.T, eps float64) {
	r, fenced := rand.New(rand.NewPCG(5, 9)), fence.Slices[T](t, 4096)
	lanes := PositionLanes[T]()
	for h := 1; h <= PositionRowLen[T](); h++ {
		for _, cols := range []int{lanes, 2 * lanes} {
			for _, channels := range []int{1, 2, 5} {
				for _, taps := range []int{1, 2, 9} {
					all := make([]int, taps+3)
					for p := range all {
						all[p] = r.IntN(40)
					}
					all[0] = 39 // the farthest, so that x ends with what it reads
					part := NewPositionTaps(all).Part(r.IntN(2)*(taps/3), taps)
					k, xcs := len(part.off), 40+r.IntN(5)
					wcs, second := k*cols+r.IntN(3), r.IntN(30)
					cs := h*cols + r.IntN(9)
					if second%7 == 0 {
						second, cs = 0, 0 // one row, its own partner
					}
					x, w, c := fenced(0, 39+second+(channels-1)*xcs+h), fenced(1, (channels-1)*wcs+k*cols), fenced(2, cs+h*cols)
					for _, s := range [][]T{x, w, c} {
						copy(s, random[T](r, len(s)))
					}
					for _, add := range []bool{false, true} {
						old := append([]T(nil), c...)
						Positions(h, cols, channels, part, x, [2]int{0, second}, xcs, w, wcs, c, [2]int{0, cs}, add)
						for at := range c {
							row := 0
							if at >= cs {
								row = 1
							}
							i, j := (at-row*cs)/cols, (at-row*cs)%cols
							if at < cs && i >= h {
								if c[at] != old[at] {
									t.Fatalf("element %d between the rows was written", at)
								}
								continue
							}
							checkSum(t, channels*k, eps, c[at], old[at], add, func(q int) (T, T) {
								ch, p := q/k, q%k
								return x[row*second+ch*xcs+part.off[p]+i], w[ch*wcs+p*cols+j]
							})
						}
					}
				}
			}
		}
	}
}

// TestPackPositions: every kernel is in its column.
func TestPackPositions(t *testing.T) {
	forVariants(t, func(t *testing.T) {
		r, fenced := rand.New(rand.NewPCG(6, 9)), fence.Slices[float32](t, 8192)
		lanes := PositionLanes[float32]()
		for n := 1; n <= 2*lanes; n++ {
			for _, k := range []int{1, 9, 16, 33, 70} {
				cols, ars := ceilDiv(n, lanes)*lanes, k+r.IntN(4)
				a, dst := fenced(0, (n-1)*ars+k), fenced(1, k*cols)
				copy(a, random[float32](r, len(a)))
				PackPositions(dst, cols, a, n, k, ars)
				for p := range k {
					for i := range n {
						if dst[p*cols+i] != a[i*ars+p] {
							t.Fatalf("%d kernels of %d: element %d of kernel %d is %v, want %v", n, k, p, i, dst[p*cols+i], a[i*ars+p])
						}
					}
				}
			}
		}
	})
}

// TestPositionsAgree: all variants with fused multiply-add give the same bits, however rows are cut.
func TestPositionsAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 9))
	const kernels, channels, width, xcs = 16, 7, 12, 60
	off := []int{0, 1, 2, 20, 21, 22, 40, 41, 42}
	x, w := random[float32](r, channels*xcs+width), random[float32](r, kernels*channels*len(off))
	var first []float32
	forVariants(t, func(t *testing.T) {
		if engineOf[float32]() == generic32 {
			return
		}
		lanes := PositionLanes[float32]()
		for h := 1; h <= PositionRowLen[float32](); h++ {
			got := make([]float32, width*kernels)
			for o := 0; o < kernels; o += lanes {
				k := channels * len(off)
				packed, c := make([]float32, lanes*k), make([]float32, width*lanes)
				PackPositions(packed, lanes, w[o*k:], lanes, k, k)
				for at := 0; at+h <= width; at += h {
					to := [2]int{at * lanes, at * lanes}
					Positions(h, lanes, channels, NewPositionTaps(off), x, [2]int{at, at}, xcs, packed, len(off)*lanes, c, to, false)
				}
				for i := range width / h * h {
					copy(got[i*kernels+o:], c[i*lanes:][:lanes])
				}
			}
			if first == nil {
				first = got
			}
			for i := range width / h * h * kernels {
				if got[i] != first[i] {
					t.Fatalf("rows of %d: element %d is %v, with other rows or vectors %v", h, i, got[i], first[i])
				}
			}
		}
	})
}
