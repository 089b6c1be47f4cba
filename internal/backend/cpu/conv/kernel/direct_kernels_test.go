package kernel

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid/internal/testutil/fence"
)

// TestDirectKernels runs every direct convolution kernel by itself, on slices that end with what it may read and write, at a page no
// one may touch. Sums are of words for which every order is exact.
func TestDirectKernels(t *testing.T) {
	forVariants(t, func(t *testing.T) {
		testDirectKernels[float32](t, math.SmallestNonzeroFloat32)
		testDirectKernels[float64](t, math.SmallestNonzeroFloat64)
	})
}

func testDirectKernels[T Float](t *testing.T, tiny float64) {
	e, fenced := engineOf[T](), fence.Slices[T](t, 1<<14)
	for round := range 18 {
		k := &directTest[T]{t, e.lanes, round % 3, T(tiny), rand.New(rand.NewPCG(3, uint64(round))), fenced}
		for rows := 1; rows < len(e.direct); rows++ {
			for i := range e.direct[rows] {
				k.run(&e.direct[rows][i], rows, false)
			}
		}
		for rows := 1; rows < len(e.directTo); rows++ {
			for i := range e.directTo[rows] {
				k.run(&e.directTo[rows][i], rows, true)
			}
		}
	}
}

// directTest is one kind of words: small whole numbers; some infinite, NaN or negative zero; multiples of the smallest number.
type directTest[T Float] struct {
	t      *testing.T
	lanes  int
	kind   int
	tiny   T
	r      *rand.Rand
	fenced func(number, n int) []T
}

// operand fills fenced memory. One factor of a product stays a small whole number, so that products of tiny ones are exact.
func (k *directTest[T]) operand(number, n int, mayBeTiny bool) []T {
	special := []T{T(math.NaN()), T(math.Inf(1)), T(math.Inf(-1)), T(math.Copysign(0, -1))}
	x := k.fenced(number, n)
	for i := range x {
		x[i] = T(k.r.IntN(9) - 4)
		switch {
		case k.kind == 1 && k.r.IntN(30) == 0:
			x[i] = special[k.r.IntN(len(special))]
		case k.kind == 2 && mayBeTiny:
			x[i] *= k.tiny
		}
	}
	return x
}

// columns says where the columns of a kernel go, -1 if nowhere; those that write each vector to its spot get spots cut at random.
func (k *directTest[T]) columns(nv int, scatter bool) (at []int, end int, spots []scatterSpot) {
	at = make([]int, nv*k.lanes)
	for j := range at {
		at[j] = j
	}
	if !scatter {
		return at, len(at), nil
	}
	for v := range nv {
		s := scatterSpot{lo: 2 * v * k.lanes, hi: (2*v + 1) * k.lanes}
		cut := k.r.IntN(k.lanes + 1)
		for l := range k.lanes {
			to := -1
			switch {
			case k.r.IntN(9) == 0:
			case l < cut:
				s.lower |= 1 << l
				to = s.lo + l
			default:
				s.upper |= 1 << l
				to = s.hi + l
			}
			at[v*k.lanes+l], end = to, max(end, to+1)
		}
		spots = append(spots, s)
	}
	return at, end, spots
}

// run compares a kernel with sums one by one, stored and added.
func (k *directTest[T]) run(tile *directTile[T], rows int, scatter bool) {
	k.t.Helper()
	off := make([]int, 1+k.r.IntN(9))
	for p := range off {
		off[p] = k.r.IntN(20)
	}
	off[0] = 20 // the last that is read
	a, b := k.operand(0, rows*len(off), true), k.operand(1, 20+tile.nv*k.lanes, false)
	at, end, spots := k.columns(tile.nv, scatter)
	column := make([]int, end)
	for i := range column {
		column[i] = -1
	}
	for j, to := range at {
		if to >= 0 {
			column[to] = j
		}
	}
	crs := end + k.r.IntN(3)
	for _, add := range []bool{false, true} {
		c := k.operand(2, (rows-1)*crs+end, true)
		old := append([]T(nil), c...)
		tile.kernel(len(off), a, off, b, c, crs, spots, add)
		for q, got := range c {
			want := old[q]
			if to := q % crs; to < end && column[to] >= 0 {
				if !add {
					want = 0
				}
				for p, o := range off {
					want = T(float64(want) + float64(a[p*rows+q/crs])*float64(b[o+column[to]]))
				}
			}
			if got != want && (got == got || want == want) {
				k.t.Fatalf("%d rows and %d vectors, scattered %v, words of kind %d, add %v: element %d is %v, want %v",
					rows, tile.nv, scatter, k.kind, add, q, got, want)
			}
		}
	}
}
