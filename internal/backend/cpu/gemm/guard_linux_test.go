package gemm

import (
	"slices"
	"syscall"
	"testing"
	"unsafe"
)

// arena is memory between two pages that may not be touched.
type arena []byte

func newArena(t *testing.T, size int) arena {
	t.Helper()
	page := syscall.Getpagesize()
	size = ceilDiv(size, page) * page
	all, err := syscall.Mmap(-1, 0, size+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skipf("mmap: %v", err)
	}
	t.Cleanup(func() { syscall.Munmap(all) })
	for _, edge := range [][]byte{all[:page], all[page+size:]} {
		if err := syscall.Mprotect(edge, syscall.PROT_NONE); err != nil {
			t.Skipf("mprotect: %v", err)
		}
	}
	return arena(all[page : page+size])
}

// guardedCopy copies x to the start or to the end of the memory.
func guardedCopy[T any](m arena, x []T, end bool) []T {
	if len(x) == 0 {
		return nil
	}
	n := len(x) * int(unsafe.Sizeof(x[0]))
	at := 0
	if end {
		at = len(m) - n
	}
	y := unsafe.Slice((*T)(unsafe.Pointer(&m[at])), len(x))
	copy(y, x)
	return y
}

// TestGuardPages: kernels touch nothing outside their operands. One operand after the other ends at a page that may not
// be touched, or begins behind one.
func TestGuardPages(t *testing.T) {
	shapes := [][3]int{{1, 4096, 9}, {1, 70, 500}, {3, 2100, 17}, {70, 3, 200}, {230, 170, 75}, {29, 300, 61}, {8, 17, 131}, {14, 32, 64},
		{13, 31, 63}, {2, 2, 2}, {64, 64, 64}, {65, 130, 1030}, {1, 64, 61}, {2, 64, 17}, {1, 32, 16}}
	for m := 1; m <= 15; m++ {
		shapes = append(shapes, [3]int{m, 2*m + 3, 20 - m}, [3]int{m, 16, m}, [3]int{m, 33, 33})
	}
	a, b, c := newArena(t, 8<<20), newArena(t, 8<<20), newArena(t, 8<<20)
	forVariants(t, func(t *testing.T) {
		for i, s := range shapes {
			for o := range storages * storages {
				if s[0]*s[1]*s[2] > 1<<18 && int(o)%4 != i%4 {
					continue
				}
				end := (int(o)+i)%2 == 0
				guarded(t, Float32, a, b, c, s, o, end)
				guarded(t, Float64, a, b, c, s, o, end)
				guardedHalf(BFloat16, a, b, c, s, o, end)
				guardedHalf(Float16, a, b, c, s, o, end)
				guardedInts(a, b, c, s, o, end)
			}
		}
	})
}

// TestGuardPagesRows is TestGuardPages for rows of bfloat16, from where they are and from stored panels.
func TestGuardPagesRows(t *testing.T) {
	a, b, c := newArena(t, 1<<20), newArena(t, 1<<20), newArena(t, 1<<20)
	forVariants(t, func(t *testing.T) {
		for i := 0; HasBF16Rows() && i < 120; i++ {
			m, n, k, end := 1+i*7%37, 1+i*11%70, 1+i*53%1100, i%2 == 0
			x, w, y := guardedCopy(a, make([]uint16, m*k), end), guardedCopy(b, make([]uint16, n*k), end), make([]float32, m*n)
			y = guardedCopy(c, y, end)
			BFloat16Rows(m, n, k, x, k, w, y, n, nil)
			if !StoresPairs(k) {
				continue
			}
			panels := make([]float32, PairsLen(k, n))
			StorePairs(panels, w, k, n, 0, ceilDiv(n, PairsWidth()))
			BFloat16Stored(m, n, k, x, k, guardedCopy(b, panels, end), y, n, nil)
		}
	})
}

// TestStrips: rows are copied into panels as the Go twin does it, from memory that ends at a page that may not be touched and to such
// memory.
func TestStrips(t *testing.T) {
	a, b := newArena(t, 1<<18), newArena(t, 1<<18)
	forVariants(t, func(t *testing.T) {
		stripsOf(t, engine32(), a, b)
		stripsOf(t, engine64(), a, b)
	})
}

func stripsOf[T Float](t *testing.T, e *engine[T], am, bm arena) {
	full := e.cols()
	for _, width := range []int{full, full - 1, 1} {
		for i := range 24 {
			rows, panels, gap := 1+i*5%9, 1+i*7%5, i%3
			srs, drs := panels*width+gap, width+i%2
			dps := rows * drs
			src := make([]T, (rows-1)*srs+panels*width)
			for j := range src {
				src[j] = T(j + 1)
			}
			want := make([]T, (panels-1)*dps+(rows-1)*drs+width)
			got := guardedCopy(bm, want, i%2 == 0)
			stripsGeneric(want, drs, dps, src, srs, rows, panels, width)
			e.strips(got, drs, dps, guardedCopy(am, src, i%2 == 0), srs, rows, panels, width)
			if !slices.Equal(got, want) {
				t.Fatalf("%d rows, %d panels of %d: %v, want %v", rows, panels, width, got, want)
			}
		}
	}
}

// TestGuardPagesBytes is TestGuardPages for bytes.
func TestGuardPagesBytes(t *testing.T) {
	a, b, c := newArena(t, 1<<20), newArena(t, 1<<20), newArena(t, 1<<20)
	forRoutine(t, "bytes/", func(t *testing.T) {
		for i := 0; HasInt8() && i < 60; i++ {
			m, n, k := 1+i*7%37, 1+i*11%70, 1+i*5%67
			for o := range storages * storages {
				x, y, end := store(make([]uint8, m*k), o%storages, m, k), store(make([]uint8, k*n), o/storages, k, n), (int(o)+i)%2 == 0
				Int8(m, n, k, guardedCopy(a, x.data, end), x.rs, x.cs, guardedCopy(b, y.data, end), y.rs, y.cs,
					guardedCopy(c, make([]int32, m*n), end), n, nil, nil)
			}
		}
	})
}

func guarded[T Float](t *testing.T, f multiplyOf[T], am, bm, cm arena, s [3]int, o storage, end bool) {
	m, n, k := s[0], s[1], s[2]
	x, y := store(make([]T, m*k), o%storages, m, k), store(make([]T, k*n), o/storages, k, n)
	c := guardedCopy(cm, make([]T, m*n), end)
	f(m, n, k, guardedCopy(am, x.data, end), x.rs, x.cs, guardedCopy(bm, y.data, end), y.rs, y.cs, c, n, Accumulate, nil, nil)
	for i, v := range c {
		if v != 0 {
			t.Fatalf("%v storage %v: c[%d] = %v, want 0", s, o, i, v)
		}
	}
}

func guardedInts(am, bm, cm arena, s [3]int, o storage, end bool) {
	m, n, k := s[0], s[1], s[2]
	if HasInt32() {
		x, y := store(make([]int32, m*k), o%storages, m, k), store(make([]int32, k*n), o/storages, k, n)
		Int32(m, n, k, guardedCopy(am, x.data, end), x.rs, x.cs, guardedCopy(bm, y.data, end), y.rs, y.cs,
			guardedCopy(cm, make([]int32, m*n), end), n, Accumulate, nil, nil)
	}
	if HasInt64() {
		x, y := store(make([]int64, m*k), o%storages, m, k), store(make([]int64, k*n), o/storages, k, n)
		Int64(m, n, k, guardedCopy(am, x.data, end), x.rs, x.cs, guardedCopy(bm, y.data, end), y.rs, y.cs,
			guardedCopy(cm, make([]int64, m*n), end), n, Accumulate, nil, nil)
	}
}

func guardedHalf(f func(m, n, k int, a []uint16, ars, acs int, b []uint16, brs, bcs int, c []float32, crs int, mode Mode,
	ep Epilogue[float32], run Runner), am, bm, cm arena, s [3]int, o storage, end bool) {
	m, n, k := s[0], s[1], s[2]
	x, y := store(make([]float32, m*k), o%storages, m, k), store(make([]float32, k*n), o/storages, k, n)
	c := guardedCopy(cm, make([]float32, m*n), end)
	f(m, n, k, guardedCopy(am, make([]uint16, len(x.data)), end), x.rs, x.cs, guardedCopy(bm, make([]uint16, len(y.data)), end), y.rs, y.cs,
		c, n, Accumulate, nil, nil)
}
