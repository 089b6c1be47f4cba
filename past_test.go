package lucid

import "testing"

// TestOddRowsPastTheCaches: results larger than the caches are written past them, which only whole lines can be. Rows of an odd length
// begin anywhere; what is the same along a row cuts the work there, and so does a program that goes row by row.
func TestOddRowsPastTheCaches(t *testing.T) {
	const rows, n = 2049, 1025
	for _, d := range []DType{Float32, Float64, BFloat16} {
		x, c := Rand(2*rows, n).Sub(0.5).To(d).Eval(), Rand(2*rows, 1).To(d).Eval()
		along := ReduceOptions{Dim: []int{-1}, KeepDim: true}
		for name, f := range map[string]func(x *Tensor) *Tensor{
			"times a column": func(x *Tensor) *Tensor { return x.Mul(c) },
			"less the means": func(x *Tensor) *Tensor { return x.Sub(Mean(x, along)) },
			"of the largest": func(x *Tensor) *Tensor { return x.Div(Amax(x.Abs(), along)) },
		} {
			last := x.At(Range{Start: -1, Stop: End})
			want := f(last)
			if name == "times a column" {
				want = last.Mul(c.At(-1))
			}
			for how, y := range map[string]*Tensor{"eager": f(x), "compiled": Compile(f)(x)} {
				if got := y.At(Range{Start: -1, Stop: End}); !AllClose(got, want, CloseOptions{RTol: new(0.02), ATol: new(0.02)}) {
					t.Errorf("%v: %s, %s: the last row is %v, want %v", d, name, how, got, want)
				}
			}
		}
	}
}
