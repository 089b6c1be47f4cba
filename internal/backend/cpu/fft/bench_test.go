package fft

import (
	"fmt"
	"testing"
)

func BenchmarkComplex(b *testing.B) {
	for _, c := range []struct{ outer, n, inner int }{{256, 4096, 1}, {1, 1 << 20, 1}, {256, 4093, 1}, {65536, 16, 1}, {4096, 256, 1},
		{256, 3000, 1}, {1, 4096, 256}, {1, 256, 256}, {1, 128, 128 * 128}} {
		b.Run(fmt.Sprintf("%dx%dx%d", c.outer, c.n, c.inner), func(b *testing.B) {
			x := random[float32](2 * c.outer * c.n * c.inner)
			y := make([]float32, len(x))
			for b.Loop() {
				if err := Complex(serial, y, x, Rows{Outer: c.outer, Inner: c.inner}, c.n, false, 1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
