package quant_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/quant"
)

// BenchmarkMatMulGroups multiplies one row and many with a quantized matrix of 4096², which stays the same; best of all runs.
func BenchmarkMatMulGroups(b *testing.B) {
	const n = 4096
	w := lucid.Randn(n, n)
	for _, o := range []quant.Options{{Bits: 2}, {Bits: 3}, {Bits: 4}, {Bits: 5}, {Bits: 6}, {Bits: 8}, {Mode: "mxfp4"}, {Mode: "mxfp8"},
		{Mode: "nvfp4"}} {
		packed, scales, biases := quant.QuantizeGroups(w, o)
		packed.Eval()
		bytes := packed.Size(1)*4 + scales.Size(1)*scales.ElementSize()
		if scales.Eval(); biases != nil {
			bytes += biases.Eval().Size(1) * biases.ElementSize()
		}
		for _, fast := range []bool{true, false} {
			for _, m := range []int{1, 4, 128} {
				b.Run(fmt.Sprintf("%s%d/fast=%v/m%d", o.Mode, o.Bits, fast, m), func(b *testing.B) {
					f := lucid.Compile(func(x *lucid.Tensor) (y *lucid.Tensor) {
						lucid.NoGrad(func() {
							y = quant.MatMulGroups(x, packed, scales, biases, quant.MatMulOptions{Options: o, Fast: fast})
						})
						return y
					})
					x := lucid.Randn(m, n).Eval()
					least := time.Duration(1 << 62)
					for i := range 3 + b.N {
						start := time.Now()
						f(x).Eval()
						if t := time.Since(start); i >= 3 {
							least = min(least, t)
						}
					}
					b.ReportMetric(float64(bytes*n)/float64(least.Nanoseconds()), "GB/s")
					b.ReportMetric(2*n*n*float64(m)/float64(least.Nanoseconds()), "GOP/s")
				})
			}
		}
	}
}
