package kernel

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid/internal/testutil/fence"
)

// TestDirect compares products with scattered rows, and by columns, with sums in float64; every variant. What is next to
// the rows is fenced.
func TestDirect(t *testing.T) {
	forVariants(t, func(t *testing.T) {
		testDirect[float32](t, 1e-6)
		testDirect[float64](t, 1e-15)
	})
}

func testDirect[T Float](t *testing.T, eps float64) {
	r, fenced := rand.New(rand.NewPCG(1, 9)), fence.Slices[T](t, 33*256)
	for _, m := range []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 33} {
		for _, n := range []int{1, 16, 17, 33, 47, 64, 129, 250} {
			for _, k := range []int{1, 2, 9, 60} {
				wide := (n + DirectColumns - 1) / DirectColumns * DirectColumns
				a, b := random[T](r, m*k), fenced(0, wide+70)
				copy(b, random[T](r, len(b)))
				off := make([]int, k)
				for p := range off {
					off[p] = r.IntN(71)
				}
				off[0] = 70
				if k > 1 {
					off[k-1] = 0
				}
				packed := make([]T, m*k)
				PackDirect(packed, m, k, a, k, 1)
				for _, add := range []bool{false, true} {
					c := fenced(1, m*wide)
					copy(c, random[T](r, len(c)))
					old := append([]T(nil), c...)
					Direct(m, n, packed, off, b, c, wide, add)
					for i := range m {
						for j := range n {
							checkSum(t, k, eps, c[i*wide+j], old[i*wide+j], add, func(p int) (T, T) { return a[i*k+p], b[off[p]+j] })
						}
					}
				}
			}
		}
	}
}

// TestScatter compares DirectTo with Direct, and that nothing else is written.
func TestScatter(t *testing.T) {
	forVariants(t, func(t *testing.T) {
		testScatter[float32](t)
		testScatter[float64](t)
	})
}

func testScatter[T Float](t *testing.T) {
	r, fenced := rand.New(rand.NewPCG(4, 9)), fence.Slices[T](t, 33*400)
	for _, m := range []int{1, 2, 3, 5, 8, 13, 14, 30} {
		for _, d := range [][4]int{
			{1, 5, 16, 5}, {1, 20, 22, 20}, {4, 14, 16, 14}, {3, 17, 19, 40}, {5, 30, 36, 30}, {2, 60, 60, 60}, {3, 50, 58, 50},
		} {
			rows, width, pitch, stride := d[0], d[1], d[2], d[3]
			s := NewScatter[T](rows, width, pitch, stride)
			if s == nil {
				continue // not on this machine
			}
			const k = 7
			n := (rows-1)*pitch + width
			wide := (n + DirectColumns - 1) / DirectColumns * DirectColumns
			a, b, off := random[T](r, m*k), fenced(0, wide+40), []int{40, 0, 3, 3, 17, 20, 1}
			copy(b, random[T](r, len(b)))
			packed, want := make([]T, m*k), make([]T, m*wide)
			PackDirect(packed, m, k, a, k, 1)
			for _, add := range []bool{false, true} {
				crs := s.end + 5
				c := fenced(1, (m-1)*crs+s.end)
				for i := range c {
					c[i] = T(i)
				}
				clear(want)
				Direct(m, n, packed, off, b, want, wide, false)
				DirectTo(m, packed, off, b, c, crs, s, add)
				for at := range c {
					i, col := at/crs, at%crs
					w := T(at)
					if row := col / stride; row < rows && col%stride < width && col < s.end {
						w = want[i*wide+row*pitch+col%stride]
						if add {
							w += T(at)
						}
					}
					if c[at] != w {
						t.Fatalf("m %d, %v, add %t: element %d of row %d is %v, want %v", m, d, add, col, i, c[at], w)
					}
				}
			}
		}
	}
}

// TestColumns compares Columns with sums in float64; every variant.
func TestColumns(t *testing.T) {
	forVariants(t, func(t *testing.T) {
		testColumns[float32](t, 1e-6)
		testColumns[float64](t, 1e-15)
	})
}

func testColumns[T Float](t *testing.T, eps float64) {
	r, fenced := rand.New(rand.NewPCG(2, 9)), fence.Slices[T](t, 8192)
	for _, m := range []int{1, 3, 6, 13, 14, 29} {
		for _, n := range []int{1, 16, 30, 33, 64} {
			for _, k := range []int{1, 7, 60} {
				wide := (n + DirectColumns - 1) / DirectColumns * DirectColumns
				ars, brs := k+3, wide+16
				off := []int{0, 3 * brs, brs, 5}
				a, b := fenced(0, (m-1)*ars+k), fenced(1, 3*brs+(k-1)*brs+wide)
				copy(a, random[T](r, len(a)))
				copy(b, random[T](r, len(b)))
				for _, add := range []bool{false, true} {
					c := fenced(2, len(off)*m*wide)
					copy(c, random[T](r, len(c)))
					old := append([]T(nil), c...)
					Columns(m, n, k, a, ars, b, off, brs, c, wide, add)
					for u, o := range off {
						for i := range m {
							for j := range n {
								at := (u*m+i)*wide + j
								checkSum(t, k, eps, c[at], old[at], add, func(p int) (T, T) { return a[i*ars+p], b[o+p*brs+j] })
							}
						}
					}
				}
			}
		}
	}
}

func checkSum[T Float](t *testing.T, k int, eps float64, got, old T, add bool, term func(p int) (T, T)) {
	t.Helper()
	var sum, abs float64
	for p := range k {
		x, y := term(p)
		sum += float64(x) * float64(y)
		abs += math.Abs(float64(x) * float64(y))
	}
	if add {
		sum += float64(old)
		abs += math.Abs(float64(old))
	}
	if d := math.Abs(float64(got) - sum); !(d <= eps*abs*float64(k+1)) {
		t.Fatalf("sum of %d products is %v, want %v", k, got, sum)
	}
}

// TestDirectAgree: all variants with fused multiply-add give the same bits, whatever the number of rows.
func TestDirectAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	const m, n, k = 29, 80, 100
	a, b, off := random[float32](r, m*k), random[float32](r, 1000), make([]int, k)
	for p := range off {
		off[p] = r.IntN(900)
	}
	one := func(m int) []float32 {
		packed, c := make([]float32, m*k), make([]float32, m*n)
		PackDirect(packed, m, k, a, k, 1)
		Direct(m, n, packed, off, b, c, n, false)
		return c
	}
	want := one(m)
	for rows := 1; rows < m; rows++ {
		for i, v := range one(rows) {
			if v != want[i] {
				t.Fatalf("%d rows: element %d is %v, of %d rows %v", rows, i, v, m, want[i])
			}
		}
	}
	first := map[bool][]float32{}
	forVariants(t, func(t *testing.T) {
		c, fused := one(m), engineOf[float32]() != generic32
		if first[fused] == nil {
			first[fused] = c
		}
		for i := range c {
			if c[i] != first[fused][i] {
				t.Fatalf("element %d is %v, of another variant %v", i, c[i], first[fused][i])
			}
		}
	})
}
