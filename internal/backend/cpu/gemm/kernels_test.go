package gemm

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/lucid-go/lucid/internal/testutil/fence"
)

// arithmetic is what the kernels of an engine do with words: c + x·y, and words for which every order of summation is exact.
type arithmetic[T Float] struct {
	kinds   int // of words: small numbers, then those that arithmetic treats specially
	a, b, c func(r *rand.Rand, kind int) T
	dot     func(c, x, y T) T
	same    func(x, y T) bool
}

// floats uses small whole numbers; then some that are infinite or NaN; then multiples of the smallest number there is.
func floats[T Float]() arithmetic[T] {
	small := func(r *rand.Rand) T { return T(r.IntN(9) - 4) }
	special := []T{T(math.NaN()), T(math.Inf(1)), T(math.Inf(-1)), T(math.Copysign(0, -1))}
	tiny := T(math.SmallestNonzeroFloat64)
	if sizeOf[T]() == 4 {
		tiny = T(math.SmallestNonzeroFloat32)
	}
	smaller := func(r *rand.Rand, kind int) T {
		switch {
		case kind == 1 && r.IntN(30) == 0:
			return special[r.IntN(len(special))]
		case kind == 2:
			return tiny * small(r)
		}
		return small(r)
	}
	return arithmetic[T]{
		kinds: 3, a: smaller, c: smaller,
		b: func(r *rand.Rand, kind int) T {
			if kind == 1 && r.IntN(30) == 0 {
				return special[r.IntN(len(special))]
			}
			return small(r)
		},
		dot:  func(c, x, y T) T { return T(float64(c) + float64(x)*float64(y)) },
		same: func(x, y T) bool { return x == y || x != x && y != y },
	}
}

// kernelTest is one kind of words through the kernels of an engine.
type kernelTest[T Float] struct {
	t      *testing.T
	e      *engine[T]
	of     arithmetic[T]
	kind   int
	r      *rand.Rand
	fenced func(number, n int) []T
}

// testKernels runs every kernel of an engine that multiplies by itself, at every size it takes, on slices that end with what it may
// read and write, at a page no one may touch.
func testKernels[T Float](t *testing.T, name string, e *engine[T], of arithmetic[T]) {
	t.Run(name, func(t *testing.T) {
		fenced := fence.Slices[T](t, 1<<14)
		for round := range 6 * of.kinds {
			kind := round % of.kinds
			k := &kernelTest[T]{t, e, of, kind, rand.New(rand.NewPCG(3, uint64(round))), fenced}
			for rows := 1; rows <= e.rows; rows++ {
				for nv := 1; nv <= maxVectors; nv++ {
					k.tile("tile", e.tiles[nv][rows], rows, nv*e.lanes)
					for cols := (nv-1)*e.lanes + 1; cols < nv*e.lanes; cols++ {
						k.tile("edge", e.edges[nv][rows], rows, cols)
					}
				}
				if e.fetch != nil { // which asks for memory that no one may touch
					k.tile("fetch", func(kc int, a []T, ars, acs int, b []T, brs int, c []T, crs, cols int, add bool) {
						e.fetch[rows](kc, a, ars, acs, b, brs, c, crs, cols, add, unsafe.Pointer(&b[len(b)-1]), k.r.IntN(cacheLine+1))
					}, rows, e.cols())
				}
				if rows < len(e.dots) {
					for cols := 1; cols <= e.lanes; cols++ {
						k.dot("dot", e.dots[rows], rows, cols)
					}
				}
				if rows <= wideRows && e.dotsWide != nil {
					k.dot("wide dot", e.dotsWide[rows].f, rows, e.dotsWide[rows].cols)
				}
				if rows <= wideRows && e.tilesWide != nil {
					k.tile("wide tile", e.tilesWide[rows].f, rows, e.tilesWide[rows].cols)
				}
			}
			if e.gaxpy8 != nil {
				k.gaxpy(e.gaxpy8, gaxpyRows)
				k.gaxpy(e.gaxpy1, 1)
			}
		}
	})
}

// operand fills fenced memory.
func (k *kernelTest[T]) operand(number, n int, word func(*rand.Rand, int) T) []T {
	x := k.fenced(number, n)
	for i := range x {
		x[i] = word(k.r, k.kind)
	}
	return x
}

var kernelDepths = []int{1, 2, 3, 4, 5, 8, 17}

func (k *kernelTest[T]) tile(what string, f tile[T], rows, cols int) {
	kc := kernelDepths[k.r.IntN(len(kernelDepths))]
	ars, acs := kc+k.r.IntN(3), 1
	if k.r.IntN(2) == 0 {
		ars, acs = 1, rows+k.r.IntN(3)
	}
	brs := cols + k.r.IntN(3)
	a, b := k.operand(0, (rows-1)*ars+(kc-1)*acs+1, k.of.a), k.operand(1, (kc-1)*brs+cols, k.of.b)
	k.check(what, rows, cols, kc, func(c []T, crs int, add bool) { f(kc, a, ars, acs, b, brs, c, crs, cols, add) },
		func(i, j, p int) (T, T) { return a[i*ars+p*acs], b[p*brs+j] })
}

func (k *kernelTest[T]) dot(what string, f tile[T], rows, cols int) {
	kc := kernelDepths[k.r.IntN(len(kernelDepths))] + []int{0, 16, 40}[k.r.IntN(3)]
	ars, bcs := kc+k.r.IntN(3), kc+k.r.IntN(3)
	a, b := k.operand(0, (rows-1)*ars+kc, k.of.a), k.operand(1, (cols-1)*bcs+kc, k.of.b)
	k.check(what, rows, cols, kc, func(c []T, crs int, add bool) { f(kc, a, ars, 1, b, bcs, c, crs, cols, add) },
		func(i, j, p int) (T, T) { return a[i*ars+p], b[j*bcs+p] })
}

// check compares rows by cols sums of kc products, stored or added.
func (k *kernelTest[T]) check(what string, rows, cols, kc int, f func(c []T, crs int, add bool), term func(i, j, p int) (x, y T)) {
	k.t.Helper()
	crs := cols + k.r.IntN(3)
	for _, add := range []bool{false, true} {
		c := k.operand(2, (rows-1)*crs+cols, k.of.c)
		old := append([]T(nil), c...)
		f(c, crs, add)
		for at, got := range c {
			i, j := at/crs, at%crs
			want := old[at]
			if j < cols {
				if !add {
					want = 0
				}
				for p := range kc {
					x, y := term(i, j, p)
					want = k.of.dot(want, x, y)
				}
			}
			if !k.of.same(got, want) {
				k.t.Fatalf("%s, %d by %d by %d, words of kind %d, add %v: c[%d,%d] is %v, want %v", what, rows, cols, kc, k.kind, add,
					i, j, got, want)
			}
		}
	}
}

// gaxpy runs a kernel that adds scaled rows.
func (k *kernelTest[T]) gaxpy(f func(n int, y, x []T, xs int, b []T, brs int, zero bool), rows int) {
	for n := 1; n <= 130; n++ {
		xs, brs := 1+k.r.IntN(3), n+k.r.IntN(3)
		x, b := k.operand(0, (rows-1)*xs+1, k.of.a), k.operand(1, (rows-1)*brs+n, k.of.b)
		k.check("gaxpy", 1, n, rows, func(c []T, _ int, add bool) { f(n, c, x, xs, b, brs, !add) },
			func(_, j, p int) (T, T) { return x[p*xs], b[p*brs+j] })
	}
}
