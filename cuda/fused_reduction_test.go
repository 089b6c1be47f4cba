package cuda

import (
	"fmt"
	"testing"

	"github.com/lucid-go/lucid"
)

// TestRowReductions: fused sums along short rows, against the CPU.
func TestRowReductions(t *testing.T) {
	dev := gpu(t)
	for _, d := range []lucid.DType{lucid.Float32, lucid.BFloat16, lucid.Float64} {
		for _, sizes := range [][]int{{4, 3, 512, 64}, {20001, 16}, {1100, 256}, {3000, 128}} {
			t.Run(fmt.Sprint(d, sizes), func(t *testing.T) {
				lucid.Seed(12)
				x, y := lucid.Rand(sizes...).To(d).Eval(), lucid.Rand(sizes...).To(d).Eval()
				if len(sizes) == 4 { // the layout of an attention gradient
					x = lucid.Rand(sizes[0], sizes[2], sizes[1], sizes[3]).To(d).Transpose(1, 2)
				}
				f := func(x, y *lucid.Tensor) []*lucid.Tensor {
					p := x.To(lucid.Float32).Mul(y.To(lucid.Float32))
					return []*lucid.Tensor{p.Sum(-1), p.Square().Sum(-1)}
				}
				want := f(x, y)
				c := lucid.Compile(f)
				for run := range 4 {
					for i, got := range c(x.To(dev), y.To(dev)) {
						if e := got.To(lucid.CPU).Sub(want[i]).Norm().Div(want[i].Norm()).Item(); !(e < 1e-6) {
							t.Errorf("run %d, result %d is off by %.2g", run, i, e)
						}
					}
				}
			})
		}
	}
}

// TestColumnReductions: fused sums down columns, several at a time, against the CPU; twice, with the same bits.
func TestColumnReductions(t *testing.T) {
	dev := gpu(t)
	for _, d := range []lucid.DType{lucid.Float32, lucid.BFloat16, lucid.Float64} {
		for _, sizes := range [][]int{{4096, 72}, {3, 700, 768}, {300, 1027}, {2, 5000, 64}, {70000, 64}} {
			t.Run(fmt.Sprint(d, sizes), func(t *testing.T) {
				lucid.Seed(11)
				n := sizes[len(sizes)-1]
				in := []*lucid.Tensor{lucid.Rand(sizes...).To(d), lucid.Rand(sizes...).To(d),
					lucid.Rand(append(append([]int{}, sizes[:len(sizes)-1]...), 1)...), lucid.Rand(n).To(d)}
				axes := make([]int, len(sizes)-1)
				for i := range axes {
					axes[i] = i
				}
				f := func(x, y, m, b *lucid.Tensor) []*lucid.Tensor {
					s := x.Add(y).Mul(b)
					h := y.To(lucid.Float32).Sub(m)
					return []*lucid.Tensor{s, s.Sum(axes...), h.Mul(s.To(lucid.Float32)).Sum(axes...), h.Sum(axes...),
						h.Square().Sum(axes...)}
				}
				want := f(in[0], in[1], in[2], in[3])
				for i := range in {
					in[i] = in[i].To(dev).Eval()
				}
				var first []*lucid.Tensor
				c := lucid.Compile(f)
				for run := range 4 {
					got := c(in[0], in[1], in[2], in[3])
					for i := range want {
						if e := got[i].To(lucid.Float64).To(lucid.CPU).Sub(want[i].To(lucid.Float64)).Norm().Div(
							want[i].To(lucid.Float64).Norm()).Item(); !(e < 1e-5 || d == lucid.BFloat16 && e < 4e-3) {
							t.Errorf("run %d, result %d is off by %.2g", run, i, e)
						}
						if run > 0 && !lucid.Equal(got[i], first[i]) {
							t.Errorf("run %d, result %d has other bits", run, i)
						}
					}
					first = got
				}
			})
		}
	}
}
