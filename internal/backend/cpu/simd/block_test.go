package simd

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid/internal/asmvariant"
)

func TestTransposeBlockF32(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	sides := []int{1, 2, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 48, 65}
	asmvariant.ForEach(t, "simd", func(name string) {
		for _, rows := range sides {
			for _, cols := range sides {
				lds, ldd := cols+r.IntN(3), rows+r.IntN(3)
				src := view[float32](fence(t, 4*((rows-1)*lds+cols), true))
				dst := view[float32](fence(t, 4*((cols-1)*ldd+rows), true))
				for i := range src {
					src[i] = float32(i + 1)
				}
				transpose := TransposeBlockF32
				if r.IntN(2) == 0 { // also with rows that begin with cache lines
					transpose = TransposeStreamF32
					ldd = (rows + 15) &^ 15
					dst = view[float32](fence(t, 4*cols*ldd, true))
				}
				transpose(dst, ldd, src, lds, rows, cols)
				Fence()
				for j := range cols {
					for i := range ldd {
						if j == cols-1 && i >= rows {
							break
						}
						want := float32(0)
						if i < rows {
							want = src[i*lds+j]
						}
						if got := dst[j*ldd+i]; got != want {
							t.Fatalf("%s, %dx%d: dst[%d,%d] = %v, want %v", name, rows, cols, j, i, got, want)
						}
					}
				}
			}
		}
	})
}

func TestStream(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	copies := map[string]func(dst, src []byte){"NonTemporalCopy": NonTemporalCopy, "CopyProbe": CopyProbe}
	asmvariant.ForEach(t, "simd", func(name string) {
		for _, n := range []int{0, 1, 7, 8, 9, 63, 64, 255, 256, 257, 1000, 1024, 1030, 4096, 10007} {
			src := fence(t, n, true)
			for i := range src {
				src[i] = byte(r.Uint32())
			}
			for what, f := range copies {
				dst := bytes.Repeat([]byte{0xa5}, n+128)
				off := r.IntN(64)
				f(dst[off:off+n], src)
				want := bytes.Repeat([]byte{0xa5}, n+128)
				copy(want[off:], src)
				if !bytes.Equal(dst, want) {
					t.Fatalf("%s %s, n=%d: wrong copy", name, what, n)
				}
			}
			var want uint64
			for i, b := range src {
				want ^= uint64(b) << (i % 8 * 8)
			}
			if got := ReadProbe(src); got != want {
				t.Fatalf("%s ReadProbe, n=%d: %#x, want %#x", name, n, got, want)
			}
		}
	})
}

func BenchmarkBlock(b *testing.B) {
	const side = 64
	x, z := make([]float32, side*side), make([]float32, side*side)
	asmvariant.ForEach(b, "simd", func(variant string) {
		b.Run("TransposeBlockF32/"+variant, func(b *testing.B) {
			for b.Loop() {
				TransposeBlockF32(z, side, x, side, side, side)
			}
			b.ReportMetric(8*side*side*float64(b.N)/b.Elapsed().Seconds()/1e9, "GB/s")
		})
	})
	for _, size := range []int{1 << 18, 1 << 26} {
		dst, src := make([]byte, size), bytes.Repeat([]byte{1, 2, 3}, size/3+1)[:size] // written, so not all one page of zeros
		run := func(name string, traffic int, f func()) {
			f()
			b.Run(fmt.Sprintf("%s/%d", name, size), func(b *testing.B) {
				for b.Loop() {
					f()
				}
				b.ReportMetric(float64(traffic)*float64(size)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GB/s")
			})
		}
		run("CopyProbe", 2, func() { CopyProbe(dst, src) })
		run("NonTemporalCopy", 2, func() { NonTemporalCopy(dst, src) })
		run("copy", 2, func() { copy(dst, src) })
		run("ReadProbe", 1, func() { ReadProbe(src) })
	}
}
