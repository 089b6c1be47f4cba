package gemm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid/internal/impl"
)

// operandOf is a matrix with strides inside a slice whose other elements are NaN: a
// kernel that reads outside the matrix poisons its result.
type operandOf[T Float] struct {
	data   []T
	rs, cs int
}

func (x operandOf[T]) at(i, j int) T { return x.data[i*x.rs+j*x.cs] }

// storage names how the elements of a matrix lie in memory.
type storage int

const (
	rowMajor storage = iota
	rowMajorPadded
	colMajor
	colMajorPadded
	strided
	storages
)

func (o storage) String() string {
	return [...]string{"rows", "rows+3", "cols", "cols+5", "strided"}[o]
}

func newOperand[T Float](r *rand.Rand, o storage, rows, cols int) operandOf[T] {
	var x operandOf[T]
	switch o {
	case rowMajor:
		x.rs, x.cs = cols, 1
	case rowMajorPadded:
		x.rs, x.cs = cols+3, 1
	case colMajor:
		x.rs, x.cs = 1, rows
	case colMajorPadded:
		x.rs, x.cs = 1, rows+5
	case strided:
		x.rs, x.cs = 2*cols+1, 2
	}
	if rows == 0 || cols == 0 {
		return x
	}
	x.data = make([]T, (rows-1)*x.rs+(cols-1)*x.cs+1)
	for i := range x.data {
		x.data[i] = T(math.NaN())
	}
	for i := range rows {
		for j := range cols {
			x.data[i*x.rs+j*x.cs] = T(r.Float64()*2 - 1)
		}
	}
	return x
}

// guard is the value around C; it must survive.
const guard = 12345

// multiplyOf is Float32 or Float64.
type multiplyOf[T Float] func(m, n, k int, a []T, ars, acs int, b []T, brs, bcs int,
	c []T, crs int, mode Mode, ep Epilogue[T], run Runner)

// testCase runs one product and compares with float64 sums.
func testCase[T Float](t *testing.T, f multiplyOf[T], eps float64, m, n, k int, ao, bo storage, mode Mode, run Runner) {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(m*1000+n), uint64(k)))
	a, b := newOperand[T](r, ao, m, k), newOperand[T](r, bo, k, n)
	const edge = 7
	crs := n + 3
	c := make([]T, edge+m*crs+edge)
	for i := range c {
		c[i] = guard
	}
	old := make([]T, m*n)
	for i := range m {
		for j := range n {
			old[i*n+j] = T(r.Float64())
			if mode == Accumulate {
				c[edge+i*crs+j] = old[i*n+j]
			} else {
				c[edge+i*crs+j] = T(math.NaN()) // must not be read
			}
		}
	}
	f(m, n, k, a.data, a.rs, a.cs, b.data, b.rs, b.cs, c[edge:], crs, mode, nil, run)

	name := fmt.Sprintf("m=%d n=%d k=%d a=%v b=%v mode=%d", m, n, k, ao, bo, mode)
	inside := func(i int) bool {
		i -= edge
		return i >= 0 && i < m*crs && i%crs < n
	}
	for i, v := range c {
		if !inside(i) && v != guard {
			t.Fatalf("%s: wrote outside c, at %d", name, i-edge)
		}
	}
	for i := range m {
		for j := range n {
			var want, size float64
			if mode == Accumulate {
				want = float64(old[i*n+j])
				size = math.Abs(want)
			}
			for p := range k {
				v := float64(a.at(i, p)) * float64(b.at(p, j))
				want += v
				size += math.Abs(v)
			}
			got := float64(c[edge+i*crs+j])
			if tol := eps * (size + 1e-300) * 40; !(math.Abs(got-want) <= tol) {
				t.Fatalf("%s: c[%d,%d] = %v, want %v ± %v", name, i, j, got, want, tol)
			}
		}
	}
}

var sizes = []int{0, 1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 33, 64, 65, 100, 129, 257}

const eps32, eps64 = 1.0 / (1 << 24), 1.0 / (1 << 53)

// testVariants runs f for each instruction set, as a subtest.
func testVariants(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	impl.ForEach(t, "gemm", func(name string) { t.Run(name, f) })
}

// TestSizes takes all triples of sizes; the largest only with each other's neighbours,
// to bound the time. Orders and modes change from case to case.
func TestSizes(t *testing.T) {
	testVariants(t, func(t *testing.T) {
		count := 0
		for _, m := range sizes {
			for _, n := range sizes {
				for _, k := range sizes {
					if m*n*k > 1<<20 && (m != n || n != k) {
						continue
					}
					if testing.Short() && count%7 != 0 {
						count++
						continue
					}
					ao, bo := storage(count)%storages, storage(count/int(storages))%storages
					mode := Mode(count / 3 % 2)
					testCase(t, Float32, eps32, m, n, k, ao, bo, mode, nil)
					testCase(t, Float64, eps64, m, n, k, ao, bo, mode, nil)
					count++
				}
			}
		}
	})
}

// TestStorage takes every pair of layouts and both modes on shapes that reach each path.
func TestStorage(t *testing.T) {
	shapes := [][3]int{{33, 47, 29}, {1, 300, 200}, {300, 1, 200}, {2, 130, 500}, {130, 3, 401}, {29, 70, 800}, {230, 225, 210}, {224, 256, 600}, {224, 256, 512}}
	testVariants(t, func(t *testing.T) {
		for _, s := range shapes {
			for ao := range storages {
				for bo := range storages {
					for _, mode := range []Mode{Overwrite, Accumulate} {
						testCase(t, Float32, eps32, s[0], s[1], s[2], ao, bo, mode, nil)
						testCase(t, Float64, eps64, s[0], s[1], s[2], ao, bo, mode, nil)
					}
				}
			}
		}
	})
}

// TestTiles makes every row count and column count of a register tile happen.
func TestTiles(t *testing.T) {
	testVariants(t, func(t *testing.T) {
		for m := 1; m <= 2*maxRows+1; m++ {
			for n := 1; n <= 40; n++ {
				testCase(t, Float32, eps32, m, n, 5+n%7, rowMajor, storage(n)%storages, Mode(n%2), nil)
				testCase(t, Float64, eps64, m, n, 5+n%7, rowMajor, storage(n)%storages, Mode(n%2), nil)
			}
		}
	})
}
