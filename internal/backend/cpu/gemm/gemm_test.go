package gemm

import (
	"math"
	"strings"
	"testing"

	"github.com/lucid-go/lucid/internal/asmvariant"
)

// guard is the value around C; it must survive.
const guard = 12345

// multiplyOf is Float32 or Float64.
type multiplyOf[T Float] func(m, n, k int, a []T, ars, acs int, b []T, brs, bcs int,
	c []T, crs int, mode Mode, ep Epilogue[T], run Runner)

// run computes p with the given storage of the factors and returns C without its
// guards, having checked them.
func (p *product[T]) run(t *testing.T, f multiplyOf[T], ao, bo storage, mode Mode, runner Runner) []T {
	t.Helper()
	const edge = 7
	m, n, k := p.m, p.n, p.k
	a, b := store(p.a, ao, m, k), store(p.b, bo, k, n)
	crs := n + 3
	c := make([]T, edge+m*crs+edge)
	for i := range c {
		c[i] = guard
	}
	for i := range m {
		for j := range n {
			c[edge+i*crs+j] = T(math.NaN()) // must not be read
			if mode == Accumulate {
				c[edge+i*crs+j] = p.old[i*n+j]
			}
		}
	}
	f(m, n, k, a.data, a.rs, a.cs, b.data, b.rs, b.cs, c[edge:], crs, mode, nil, runner)
	out := make([]T, 0, m*n)
	for i, v := range c {
		at := i - edge
		if at >= 0 && at < m*crs && at%crs < n {
			out = append(out, v)
		} else if v != guard {
			t.Fatalf("m=%d n=%d k=%d a=%v b=%v mode=%d: wrote outside c, at %d", m, n, k, ao, bo, mode, at)
		}
	}
	return out
}

// check compares a result with the sums in float64. An FMA chain of length k errs by at
// most k·eps of Σ|a·b|; 40 is far above what random signs give, far below an error of a term.
func (p *product[T]) check(t *testing.T, f multiplyOf[T], ao, bo storage, mode Mode, runner Runner) {
	t.Helper()
	eps := math.Ldexp(1, -24)
	if sizeOf[T]() == 8 {
		eps = math.Ldexp(1, -53)
	}
	for i, got := range p.run(t, f, ao, bo, mode, runner) {
		want, size := p.sum[i], p.abs[i]
		if mode == Accumulate {
			want += float64(p.old[i])
			size += math.Abs(float64(p.old[i]))
		}
		if tol := 40 * eps * size; !(math.Abs(float64(got)-want) <= tol) {
			t.Fatalf("m=%d n=%d k=%d a=%v b=%v mode=%d: c[%d,%d] = %v, want %v ± %v",
				p.m, p.n, p.k, ao, bo, mode, i/p.n, i%p.n, got, want, tol)
		}
	}
}

// forVariants runs f for each instruction set.
func forVariants(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	forRoutine(t, "gemm/", f)
}

// forRoutine runs f for each variant of a routine.
func forRoutine(t *testing.T, routine string, f func(t *testing.T)) {
	t.Helper()
	asmvariant.ForEach(t, "gemm", func(name string) {
		if strings.HasPrefix(name, routine) || name == asmvariant.Generic {
			t.Run(name, f)
		}
	})
}

// testShape runs one shape in both element types and all variants; pick chooses storage
// and mode for a count that grows with every call.
func testShape(t *testing.T, m, n, k int, all bool, count int) {
	t.Helper()
	p32, p64 := newProduct[float32](m, n, k), newProduct[float64](m, n, k)
	asmvariant.ForEach(t, "gemm", func(name string) {
		if strings.HasPrefix(name, "bytes/") {
			return
		}
		for i := range int(storages * storages) {
			if !all && i != count%int(storages*storages) {
				continue
			}
			ao, bo := storage(i)%storages, storage(i)/storages
			for _, mode := range []Mode{Overwrite, Accumulate} {
				p32.check(t, Float32, ao, bo, mode, nil)
				p64.check(t, Float64, ao, bo, mode, nil)
			}
		}
	})
}

func TestSizes(t *testing.T) {
	sizes := []int{0, 1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 33, 64, 65, 100, 129, 257}
	most := 1 << 17
	if testing.Short() {
		most = 1 << 14
	}
	count := 0
	for _, m := range sizes {
		for _, n := range sizes {
			for _, k := range sizes {
				if m*n*k <= most {
					testShape(t, m, n, k, false, count)
					count++
				}
			}
		}
	}
	for _, n := range sizes[12:] {
		testShape(t, n, n, n, false, count)
		count++
	}
}

// TestStorage takes every pair of storages on shapes that reach each path.
func TestStorage(t *testing.T) {
	for _, s := range [][3]int{
		{33, 47, 29}, {1, 300, 200}, {300, 1, 200}, {2, 130, 520}, {130, 3, 301}, {29, 70, 130}, {8, 41, 150}, {45, 7, 131}, {5, 530, 70},
	} {
		testShape(t, s[0], s[1], s[2], true, 0)
	}
	if testing.Short() {
		return
	}
	for _, s := range [][3]int{{230, 225, 210}, {224, 256, 530}} {
		testShape(t, s[0], s[1], s[2], true, 0)
	}
}

// TestTiles makes every number of rows and columns of a register tile happen.
func TestTiles(t *testing.T) {
	for m := 1; m <= 2*14+1; m++ {
		for n := 1; n <= 40; n++ {
			testShape(t, m, n, 1+(m+n)%9, false, m*n)
		}
	}
}

// TestLongSides has many rows or columns.
func TestLongSides(t *testing.T) {
	testShape(t, 40, 4150, 55, false, 0)
	testShape(t, 4150, 40, 55, false, 2)
}

func TestEmptyK(t *testing.T) {
	c := []float32{1, 2, 3, 4, 5, 6}
	Float32(2, 2, 0, nil, 0, 1, nil, 2, 1, c, 3, Accumulate, nil, nil)
	if c[0] != 1 || c[4] != 5 {
		t.Errorf("adding an empty product changed c: %v", c)
	}
	Float32(2, 2, 0, nil, 0, 1, nil, 2, 1, c, 3, Overwrite, nil, nil)
	if want := [6]float32{0, 0, 3, 0, 0, 6}; [6]float32(c) != want {
		t.Errorf("an empty product gave %v, want %v", c, want)
	}
}

func TestPanics(t *testing.T) {
	x := make([]float32, 12)
	for name, f := range map[string]func(){
		"short a":     func() { Float32(3, 3, 4, x[:11], 4, 1, x, 3, 1, x, 3, Overwrite, nil, nil) },
		"short b":     func() { Float32(3, 3, 4, x, 4, 1, x[:11], 3, 1, x, 3, Overwrite, nil, nil) },
		"short c":     func() { Float32(3, 3, 4, x, 4, 1, x, 3, 1, x[:8], 3, Overwrite, nil, nil) },
		"overlapping": func() { Float32(3, 3, 4, x, 4, 1, x, 3, 1, x, 2, Overwrite, nil, nil) },
		"stride":      func() { Float32(2, 3, 4, x, -1, 1, x, 3, 1, x, 3, Overwrite, nil, nil) },
		"size":        func() { Float32(-1, 3, 4, x, 4, 1, x, 3, 1, x, 3, Overwrite, nil, nil) },
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
