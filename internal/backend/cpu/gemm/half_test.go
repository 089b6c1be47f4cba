package gemm

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/lucid-go/lucid/internal/asmvariant"
)

// halve rounds values to bfloat16, or cuts them to float16, in place and returns the bits.
func halve(h half, x []float32) []uint16 {
	bits := make([]uint16, len(x))
	for i, v := range x {
		b := math.Float32bits(v)
		switch {
		case h == bfloat16 && v != v:
			bits[i] = 0x7fc1
		case h == bfloat16:
			bits[i] = uint16((b + 0x7fff + b>>16&1) >> 16)
		case v != v:
			bits[i] = 0x7e01
		case math.Abs(float64(v)) < 1.0/1024:
			bits[i] = uint16(b >> 31 << 15)
		default: // between 2^-10 and 2: normal
			bits[i] = uint16(b>>31<<15 | (b>>23&255-112)<<10 | b>>13&0x3ff)
		}
		x[i] = widenOne(h, bits[i])
	}
	return bits
}

func halfProduct(h half) func(m, n, k int, a []uint16, ars, acs int, b []uint16, brs, bcs int, c []float32, crs int, mode Mode,
	ep Epilogue[float32], run Runner) {
	if h == bfloat16 {
		return BFloat16
	}
	return Float16
}

// asHalf is the product of half types as one of float32, for factors that are exact in it.
func asHalf(h half) multiplyOf[float32] {
	return func(m, n, k int, a []float32, ars, acs int, b []float32, brs, bcs int, c []float32, crs int, mode Mode,
		ep Epilogue[float32], run Runner) {
		halfProduct(h)(m, n, k, halve(h, a), ars, acs, halve(h, b), brs, bcs, c, crs, mode, ep, run)
	}
}

// halfShapes reach each path, with odd and even k.
var halfShapes = append(slices.Clone(pathShapes), [3]int{2, 5, 270001}, [3]int{5, 6, 0}, [3]int{1, 1, 1}, [3]int{3, 3, 2}, [3]int{0, 3, 3},
	[3]int{1, 2500, 31}, [3]int{3, 700, 1101}, [3]int{220, 170, 531}, [3]int{230, 520, 81}, [3]int{8, 50, 151}, [3]int{90, 7, 151},
	[3]int{150, 60, 1300})

// TestHalf: widened factors give the bits of the float32 product; pairs of bfloat16 keep
// their bound, and their bits do not depend on how the operands are stored.
func TestHalf(t *testing.T) {
	step := 1
	if testing.Short() {
		step = 7 // has no factor in common with how many storages there are
	}
	forVariants(t, func(t *testing.T) {
		testHalf(t, bfloat16, step)
		testHalf(t, float16, step)
	})
}

// testHalf takes each step-th pair of storages.
func testHalf(t *testing.T, h half, step int) {
	paired := h == bfloat16 && engineBF16() != nil
	for _, s := range halfShapes {
		p := newHalfProduct(h, s)
		var first [2][]float32
		for i := range int(storages * storages) {
			if i%step != 0 || s[2] > 1<<16 && i%6 != 0 {
				continue
			}
			ao, bo, mode := storage(i)%storages, storage(i)/storages, Mode(i/step%2)
			got := p.run(t, asHalf(h), ao, bo, mode, goRun)
			if first[mode] == nil {
				first[mode] = got
				if !paired {
					first[mode] = p.run(t, Float32, rowMajor, rowMajor, mode, nil)
				}
				p.checkPairs(t, got, mode)
			}
			if !slices.Equal(got, first[mode]) {
				t.Fatalf("%v %v a=%v b=%v mode=%d: other bits", s, h, ao, bo, mode)
			}
		}
	}
}

// TestHalfParts: sums that only the epilogue sees are those of the whole product, each element once.
func TestHalfParts(t *testing.T) {
	step := 5
	if testing.Short() {
		step = int(storages * storages) // one pair for each shape
	}
	forVariants(t, func(t *testing.T) {
		testHalfParts(t, bfloat16, step)
		testHalfParts(t, float16, step)
	})
}

// testHalfParts takes each step-th pair of storages.
func testHalfParts(t *testing.T, h half, step int) {
	for j, s := range append(slices.Clone(halfShapes), [3]int{90, 300, 1101}, [3]int{600, 290, 70}, [3]int{70, 530, 1030}) {
		if s[2] > 1<<16 {
			continue
		}
		p := newHalfProduct(h, s)
		for i := 7 * j % step; i < int(storages*storages); i += step {
			ao, bo := storage(i)%storages, storage(i)/storages
			run := Runner(goRun)
			if i%2 == 0 {
				run = nil
			}
			if got, want := p.run(t, intoScratch(t, h), ao, bo, Overwrite, run),
				p.run(t, asHalf(h), ao, bo, Overwrite, run); !slices.Equal(got, want) {
				t.Fatalf("%v %v a=%v b=%v: parts have other bits", s, h, ao, bo)
			}
		}
	}
}

// intoScratch is asHalf without a position for C: the epilogue brings the sums there.
func intoScratch(t *testing.T, h half) multiplyOf[float32] {
	return func(m, n, k int, a []float32, ars, acs int, b []float32, brs, bcs int, c []float32, crs int, _ Mode,
		_ Epilogue[float32], run Runner) {
		seen := make([]int32, m*n)
		halfProduct(h)(m, n, k, halve(h, a), ars, acs, halve(h, b), brs, bcs, nil, 0, Overwrite,
			func(part []float32, prs, row, col, rows, cols int) {
				for i := range rows {
					for j := range cols {
						atomic.AddInt32(&seen[(row+i)*n+col+j], 1)
					}
					copy(c[(row+i)*crs+col:][:cols], part[i*prs:][:cols])
				}
			}, run)
		for i, times := range seen {
			if times != 1 {
				t.Errorf("%d by %d by %d: element %d is part of %d parts", m, n, k, i, times)
				return
			}
		}
	}
}

func newHalfProduct(h half, s [3]int) *product[float32] {
	p := newProduct[float32](s[0], s[1], s[2])
	halve(h, p.a)
	halve(h, p.b)
	q := &product[float32]{m: p.m, n: p.n, k: p.k, a: p.a, b: p.b, old: p.old}
	q.sums()
	return q
}

// checkPairs holds a result against the bound that bf16.go states.
func (p *product[T]) checkPairs(t *testing.T, c []T, mode Mode) {
	t.Helper()
	for i, got := range c {
		want, size := p.sum[i], p.abs[i]
		if mode == Accumulate {
			want += float64(p.old[i])
			size += math.Abs(float64(p.old[i]))
		}
		if tol := min(40, float64(p.k+2)) * math.Ldexp(1, -24) * size; !(math.Abs(float64(got)-want) <= tol) {
			t.Fatalf("m=%d n=%d k=%d mode=%d: c[%d,%d] = %v, want %v ± %v", p.m, p.n, p.k, mode, i/p.n, i%p.n, got, want, tol)
		}
	}
}

// TestHalfRows: a row of C has the same bits alone, among few rows and among many.
func TestHalfRows(t *testing.T) { forVariants(t, func(t *testing.T) { testHalfRows(t, 3) }) }

// testHalfRows takes each step-th pair of storages.
func testHalfRows(t *testing.T, step int) {
	for _, k := range []int{530, 1101} {
		p := newHalfProduct(bfloat16, [3]int{230, 170, k})
		want := p.run(t, asHalf(bfloat16), rowMajor, rowMajor, Accumulate, nil)
		for _, rows := range []int{1, 2, 4, 5, 8, 9, 14, 15, 29, 100} {
			for i := range int(storages * storages) {
				if i%step != rows%step {
					continue
				}
				q := &product[float32]{m: rows, n: p.n, k: k, a: p.a[:rows*k], b: p.b, old: p.old}
				if got := q.run(t, asHalf(bfloat16), storage(i)%storages, storage(i)/storages, Accumulate, nil); !slices.Equal(got,
					want[:rows*p.n]) {
					t.Fatalf("%d rows: bits differ from those of 230 rows", rows)
				}
			}
		}
	}
}

// TestHalfNonFinite: an infinity next to the end of an odd k stays one, and a NaN is not lost.
func TestHalfNonFinite(t *testing.T) {
	const inf, nan, one = 0x7f80, 0x7fc0, 0x3f80
	forVariants(t, func(t *testing.T) {
		for _, s := range halfShapes {
			m, n, k := s[0], s[1], s[2]
			if m*n*k == 0 || k > 5000 {
				continue
			}
			a, b, c := make([]uint16, m*k), make([]uint16, k*n), make([]float32, m*n)
			for i := range m {
				a[i*k+k-1] = one
			}
			b[(k-1)*n+n-1] = inf
			BFloat16(m, n, k, a, k, 1, b, n, 1, c, n, Overwrite, nil, nil)
			for i := range m {
				if got := c[i*n+n-1]; !math.IsInf(float64(got), 1) {
					t.Fatalf("%v: 1·Inf is %v", s, got)
				}
			}
			a[k-1], b[(k-1)*n+n-1] = 0, nan
			BFloat16(m, n, k, a, k, 1, b, n, 1, c, n, Overwrite, nil, nil)
			if got := c[n-1]; got == got {
				t.Fatalf("%v: 0·NaN is %v", s, got)
			}
		}
	})
}

// TestWiden takes every half, in rows with ragged ends.
func TestWiden(t *testing.T) {
	x := make([]uint16, 1<<16)
	for i := range x {
		x[i] = uint16(i)
	}
	forVariants(t, func(t *testing.T) {
		e := engine32()
		for h := range halfTypes {
			for _, cols := range []int{1, 3, 7, 15, 16, 17, 100, 4099} {
				rows := len(x) / cols
				got := make([]float32, rows*(cols+2))
				e.widen[h](got, cols+2, x, cols, rows, cols)
				for i := range rows * cols {
					g, w := got[i/cols*(cols+2)+i%cols], float32(halfValue(h, x[i]))
					if math.Float32bits(g) != math.Float32bits(w) && (g == g || w == w) {
						t.Fatalf("half %d: widen(%#04x) = %v, want %v", h, x[i], g, w)
					}
				}
			}
		}
	})
}

// halfValue is the value by its definition.
func halfValue(h half, x uint16) float64 {
	fracBits := map[half]int{bfloat16: 7, float16: 10}[h]
	expBits := 15 - fracBits
	frac, exp, bias := int(x)&(1<<fracBits-1), int(x)>>fracBits&(1<<expBits-1), 1<<(expBits-1)-1
	sign := math.Copysign(1, -float64(x>>15)+0.5)
	switch {
	case exp == 1<<expBits-1 && frac != 0:
		return math.NaN()
	case exp == 1<<expBits-1:
		return sign * math.Inf(1)
	case exp == 0:
		return sign * math.Ldexp(float64(frac), 1-bias-fracBits)
	}
	return sign * math.Ldexp(float64(1<<fracBits+frac), exp-bias-fracBits)
}

// TestVDPBF16PS: a pair adds both products, one after the other, to the sum, and subnormal
// factors count as zero: what bf16.go says of the instruction.
func TestVDPBF16PS(t *testing.T) {
	restore, ok := asmvariant.Select("gemm", "gemm/avx512bf16")
	if !ok {
		t.Skip("no AVX512_BF16")
	}
	defer restore()
	c := make([]float32, 1)
	dot := func(a, b []float32) float32 {
		BFloat16(1, 1, len(a), halve(bfloat16, a), len(a), 1, halve(bfloat16, b), 1, 1, c, 1, Overwrite, nil, nil)
		return c[0]
	}
	if got := dot([]float32{3, 5, 7}, []float32{2, 4, 8}); got != 82 {
		t.Errorf("3·2 + 5·4 + 7·8 = %v", got)
	}
	if got := dot([]float32{0x1p-130, 1}, []float32{0x1p100, 2}); got != 2 {
		t.Errorf("a subnormal factor is not zero: %v", got)
	}
	if got := dot([]float32{0x1p-80, 0}, []float32{0x1p-60, 0}); got != 0 {
		t.Errorf("a subnormal sum is not flushed: %v", got)
	}
}

// TestBFloat16Rows asserts that rows of bfloat16 have the bits of BFloat16 on the same engine, whatever number of rows and threads, with
// stored panels too.
func TestBFloat16Rows(t *testing.T) {
	restore, ok := asmvariant.Select("gemm", "gemm/avx512bf16")
	if !ok {
		t.Skip("no AVX512_BF16")
	}
	defer restore()
	r := rand.New(rand.NewPCG(21, 22))
	const m = 33
	for _, s := range [][2]int{{1, 64}, {31, 70}, {32, 2048}, {77, 1030}, {200, 4096}, {45, 129}, {3, 1}, {5, 0}} {
		n, k := s[0], s[1]
		a, w := make([]uint16, m*k), make([]uint16, n*k)
		for _, x := range [][]uint16{a, w} {
			for i := range x {
				x[i] = uint16(math.Float32bits(float32(r.NormFloat64())) >> 16)
			}
		}
		want := make([]float32, m*n)
		BFloat16(m, n, k, a, k, 1, w, 1, k, want, n, Overwrite, nil, nil)
		var panels []float32
		if StoresPairs(k) {
			panels = make([]float32, PairsLen(k, n))
			last := ceilDiv(n, PairsWidth())
			StorePairs(panels, w, k, n, last/2, last)
			StorePairs(panels, w, k, n, 0, last/2)
		}
		for rows := 1; rows <= m; rows++ {
			for _, run := range []Runner{nil, goRun, reverse} {
				at, got := m-rows, make([]float32, rows*n)
				compare := func(how string) {
					if !slices.Equal(got, want[at*n:]) {
						t.Fatalf("%d rows of %v %s: bits differ", rows, s, how)
					}
					for i := range got {
						got[i] = float32(math.NaN())
					}
				}
				BFloat16Rows(rows, n, k, a[at*k:], k, w, got, n, run)
				compare("in place")
				if panels != nil {
					BFloat16Stored(rows, n, k, a[at*k:], k, panels, got, n, run)
					compare("stored")
				}
			}
		}
	}
}

func (h half) String() string { return [...]string{"bfloat16", "float16"}[h] }
