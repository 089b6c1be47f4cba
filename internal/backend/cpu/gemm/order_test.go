package gemm

import (
	"math"
	"slices"
	"testing"

	"github.com/lucid-go/lucid/internal/asmvariant"
)

// shapes that reach each path: direct, panels, dots, row vector, packed.
var pathShapes = [][3]int{
	{40, 50, 60}, {9, 700, 70}, {3, 70, 600}, {70, 3, 600}, {1, 2500, 30}, {2500, 1, 30}, {4, 170, 530},
	{2, 40, 77}, {8, 50, 150}, {90, 7, 150}, {220, 170, 530}, {230, 520, 80}, {468, 520, 40},
}

// reverse is a Runner that runs the blocks from last to first.
func reverse(blocks int, f func(int)) {
	for i := range blocks {
		f(blocks - 1 - i)
	}
}

// TestRunners: bits must not depend on how the blocks are run.
func TestRunners(t *testing.T) {
	forVariants(t, func(t *testing.T) {
		for _, s := range pathShapes {
			p := newProduct[float32](s[0], s[1], s[2])
			for _, bo := range []storage{rowMajor, colMajor} {
				want := p.run(t, Float32, rowMajor, bo, Overwrite, nil)
				for _, r := range []Runner{reverse, goRun} {
					if got := p.run(t, Float32, rowMajor, bo, Overwrite, r); !slices.Equal(got, want) {
						t.Errorf("%v b=%v: bits depend on the runner", s, bo)
					}
				}
			}
		}
	})
}

// TestRowInvariance: a row of C has the same bits alone, among few rows and among many,
// whatever the storage, so whichever path computes it.
func TestRowInvariance(t *testing.T) {
	const m, n, k = 230, 170, 530 // large enough for the packed path
	p := newProduct[float32](m, n, k)
	forVariants(t, func(t *testing.T) {
		want := p.run(t, Float32, rowMajor, rowMajor, Accumulate, nil)
		for _, rows := range []int{1, 2, 4, 5, 8, 9, 14, 15, 28, 29, 100} {
			for ao := range storages {
				for bo := range storages {
					if testing.Short() && (int(ao)+int(bo)+rows)%4 != 0 {
						continue
					}
					q := &product[float32]{m: rows, n: n, k: k, a: p.a[:rows*k], b: p.b, old: p.old}
					if got := q.run(t, Float32, ao, bo, Accumulate, nil); !slices.Equal(got, want[:rows*n]) {
						t.Fatalf("%d rows, a=%v b=%v: bits differ from those of %d rows", rows, ao, bo, m)
					}
				}
			}
		}
	})
}

// TestColumnInvariance is the same for columns, down to one: there the product is transposed.
func TestColumnInvariance(t *testing.T) {
	const m, n, k = 170, 230, 530
	p := newProduct[float64](m, n, k)
	forVariants(t, func(t *testing.T) {
		want := p.run(t, Float64, rowMajor, rowMajor, Accumulate, nil)
		for _, cols := range []int{1, 2, 4, 5, 8, 9, 17, 33, 100} {
			q := &product[float64]{m: m, n: cols, k: k, a: p.a}
			var part []float64
			for i := range k {
				q.b = append(q.b, p.b[i*n:i*n+cols]...)
			}
			for i := range m {
				q.old = append(q.old, p.old[i*n:i*n+cols]...)
				part = append(part, want[i*n:i*n+cols]...)
			}
			for ao := range storages {
				if got := q.run(t, Float64, ao, rowMajor, Accumulate, nil); !slices.Equal(got, part) {
					t.Fatalf("%d columns, a=%v: bits differ from those of %d columns", cols, ao, n)
				}
			}
		}
	})
}

// TestVariantsAgree: all instruction sets with fused multiply-add give the same bits.
func TestVariantsAgree(t *testing.T) {
	p := newProduct[float32](50, 60, 700)
	var want []float32
	asmvariant.ForEach(t, "gemm", func(name string) {
		if name == asmvariant.Generic {
			return
		}
		got := p.run(t, Float32, rowMajor, rowMajor, Overwrite, nil)
		if want != nil && !slices.Equal(got, want) {
			t.Errorf("%s gives other bits", name)
		}
		want = got
	})
}

// TestNonFinite: zero times NaN is NaN; nothing may be skipped.
func TestNonFinite(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	forVariants(t, func(t *testing.T) {
		for _, s := range pathShapes {
			m, n, k := s[0], s[1], s[2]
			for _, bo := range []storage{rowMajor, colMajor} {
				a, b, c := make([]float32, m*k), make([]float32, k*n), make([]float32, m*n)
				i, j, q := m/2, n-1, k-1
				b[q*n+j] = nan // A is zero
				y := store(b, bo, k, n)
				Float32(m, n, k, a, k, 1, y.data, y.rs, y.cs, c, n, Overwrite, nil, nil)
				for r := range m {
					if c[r*n+j] == c[r*n+j] {
						t.Fatalf("%v b=%v: 0·NaN in column %d is %v", s, bo, j, c[r*n+j])
					}
					if n > 1 && c[r*n] != 0 {
						t.Fatalf("%v b=%v: NaN spread to column 0", s, bo)
					}
				}
				b[q*n+j], a[i*k+q] = 2, -inf
				y = store(b, bo, k, n)
				Float32(m, n, k, a, k, 1, y.data, y.rs, y.cs, c, n, Overwrite, nil, nil)
				if c[i*n+j] != -inf {
					t.Fatalf("%v b=%v: -Inf·2 is %v", s, bo, c[i*n+j])
				}
			}
		}
	})
}

// TestGroups: panels of an A that is stored by columns are packed in groups, whose last may be one small panel.
func TestGroups(t *testing.T) {
	forVariants(t, func(t *testing.T) {
		for _, rows := range []int{112, 113, 122, 126, 127, 234} {
			p := newProduct[float32](rows, 520, 140)
			p.check(t, Float32, colMajor, rowMajor, Overwrite, nil)
			p.check(t, Float32, colMajorPadded, colMajor, Accumulate, nil)
			q := newProduct[float64](2*rows, 520, 70)
			q.check(t, Float64, colMajorPadded, rowMajor, Overwrite, goRun)
		}
	})
}
