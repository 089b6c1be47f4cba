package fft

import "testing"

func BenchmarkComplex(b *testing.B) {
	for _, c := range []struct {
		name    string
		rows, n int
	}{{"256x4096", 256, 4096}, {"1x1M", 1, 1 << 20}, {"256x4093", 256, 4093}} {
		b.Run(c.name, func(b *testing.B) {
			x := random[float32](2 * c.rows * c.n)
			y := make([]float32, len(x))
			for b.Loop() {
				if err := Complex(serial, y, x, Rows{c.rows, 1}, c.n, false, 1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
