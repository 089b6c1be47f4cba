package fusion

import (
	"testing"

	"github.com/lucid-go/lucid"
)

// TestOddRowsPastTheCaches: results larger than the caches are written past them, which only whole lines can be. Rows of an odd length
// begin anywhere; what is the same along a row cuts the work there, and so does a program that goes row by row.
func TestOddRowsPastTheCaches(t *testing.T) {
	const rows, n = 2049, 1025
	for _, d := range []lucid.DType{lucid.Float32, lucid.Float64, lucid.BFloat16} {
		x, c := lucid.Rand(2*rows, n).Sub(0.5).To(d).Eval(), lucid.Rand(2*rows, 1).To(d).Eval()
		along := lucid.ReduceOptions{Dim: []int{-1}, KeepDim: true}
		for name, f := range map[string]func(x *lucid.Tensor) *lucid.Tensor{
			"times a column": func(x *lucid.Tensor) *lucid.Tensor { return x.Mul(c) },
			"less the means": func(x *lucid.Tensor) *lucid.Tensor { return x.Sub(lucid.Mean(x, along)) },
			"of the largest": func(x *lucid.Tensor) *lucid.Tensor { return x.Div(lucid.Amax(x.Abs(), along)) },
		} {
			last := x.At(lucid.Range{Start: -1, Stop: lucid.End})
			want := f(last)
			if name == "times a column" {
				want = last.Mul(c.At(-1))
			}
			for how, y := range map[string]*lucid.Tensor{"eager": f(x), "compiled": lucid.Compile(f)(x)} {
				if got := y.At(lucid.Range{Start: -1, Stop: lucid.End}); !lucid.AllClose(got, want,
					lucid.CloseOptions{RTol: new(0.02), ATol: new(0.02)}) {
					t.Errorf("%v: %s, %s: the last row is %v, want %v", d, name, how, got, want)
				}
			}
		}
	}
}
