package gemm

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// halve rounds values to bfloat16 in place and returns the bits.
func halve(x []float32) []uint16 {
	h := make([]uint16, len(x))
	narrowGeneric(h, x)
	widenGeneric(x, len(x), h, len(x), 1, len(x))
	return h
}

// TestBFloat16: the product of bfloat16 factors has the bits of the float32 product of
// the widened factors, for every storage and path.
func TestBFloat16(t *testing.T) {
	forVariants(t, func(t *testing.T) {
		for _, s := range append(pathShapes, [3]int{2, 12, 140000}, [3]int{5, 6, 0}, [3]int{1, 1, 1}, [3]int{0, 3, 3}) {
			m, n, k := s[0], s[1], s[2]
			p := newProduct[float32](m, n, k)
			halve(p.a)
			halve(p.b)
			halve(p.old)
			for i := range int(storages * storages) {
				ao, bo, mode := storage(i)%storages, storage(i)/storages, Mode(i%2)
				want := p.run(t, Float32, rowMajor, rowMajor, mode, nil)
				a, b := store(p.a, ao, m, k), store(p.b, bo, k, n)
				c, old := make([]float32, m*n), slices.Clone(p.old)
				copy(c, old)
				c16 := halve(old)
				BFloat16(m, n, k, halve(a.data), a.rs, a.cs, halve(b.data), b.rs, b.cs, c, n, mode, nil, goRun)
				BFloat16To16(m, n, k, halve(a.data), a.rs, a.cs, halve(b.data), b.rs, b.cs, c16, n, mode, nil, goRun)
				name := fmt.Sprintf("%v a=%v b=%v mode=%d", s, ao, bo, mode)
				if !slices.Equal(c, want) {
					t.Fatalf("%s: bits differ from Float32 of the same values", name)
				}
				if !slices.Equal(c16, halve(want)) {
					t.Fatalf("%s: bfloat16 result is not the rounded float32 result", name)
				}
			}
		}
	})
}

// TestNarrow compares the kernels with the twin on every kind of value.
func TestNarrow(t *testing.T) {
	var x []float32
	for hi := range 1 << 16 {
		for _, lo := range []uint32{0, 1, 0x7fff, 0x8000, 0x8001, 0xffff} {
			x = append(x, math.Float32frombits(uint32(hi)<<16|lo))
		}
	}
	x = x[:len(x)-3] // leave a ragged end
	want := make([]uint16, len(x))
	narrowGeneric(want, x)
	forVariants(t, func(t *testing.T) {
		e, got := engine32(), make([]uint16, len(x))
		e.narrow(got, x)
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("narrow(%#08x) = %#04x, want %#04x", math.Float32bits(x[i]), got[i], want[i])
			}
		}
		back := make([]float32, 7*(len(x)/7)+9)
		e.widen(back, len(x)/7+1, want, len(x)/7, 7, len(x)/7)
		for i := range 7 {
			for j := range len(x) / 7 {
				b := math.Float32bits(back[i*(len(x)/7+1)+j])
				if b != uint32(want[i*(len(x)/7)+j])<<16 {
					t.Fatalf("widen(%#04x) = %#08x", want[i*(len(x)/7)+j], b)
				}
			}
		}
	})
}
