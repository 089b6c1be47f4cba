package lucid

import (
	"errors"
	"slices"
	"testing"
)

// TestReductionsOfRepetitions: what is folded of elements that are shown again and again is that of as many elements in memory, bit for
// bit (vectors are compared with every second element of one, whose runs are cut alike), and is made without visiting them.
func TestReductionsOfRepetitions(t *testing.T) {
	dim := []int{0}
	folds := map[string]func(x *Tensor) *Tensor{
		"sum": func(x *Tensor) *Tensor { return x.Sum(0) }, "prod": func(x *Tensor) *Tensor { return Prod(x, ReduceOptions{Dim: dim}) },
		"mean": func(x *Tensor) *Tensor { return x.Mean(0) }, "amax": func(x *Tensor) *Tensor { return Amax(x, ReduceOptions{Dim: dim}) },
		"var": func(x *Tensor) *Tensor { return x.Var(0) }, "norm": func(x *Tensor) *Tensor { return Norm(x, NormOptions{Dim: dim}) },
		"logsumexp": func(x *Tensor) *Tensor { return x.LogSumExp(0) }, "any": func(x *Tensor) *Tensor { return Any(x, ReduceOptions{Dim: dim}) },
	}
	for _, d := range []DType{Float32, BFloat16, Complex64} {
		for _, n := range []int{3, 1<<15 + 1, 5<<15 + 9, 6 << 15} {
			rows := New([]float64{0.1, -3, 0.99, 7, 1}, 5).To(d).Eval().Expand(n, 5)
			for x, stored := range map[*Tensor]*Tensor{With{DType: d}.Full([]int{n}, 1.0001): New(slices.Repeat([]float64{1.0001}, 2*n), 2*n).To(d).Eval().At(Range{Stop: End, Step: 2}),
				rows: rows.Contiguous().Eval()} {
				for name, f := range folds {
					if name == "amax" && d == Complex64 {
						continue
					}
					if got, want := f(x).Eval(), f(stored).Eval(); equalBits([]*Tensor{got}, []*Tensor{want}) != "" {
						t.Errorf("%s of %v %v is %v, in memory %v", name, d, x.Shape(), got, want)
					}
				}
			}
		}
	}
	if got := Zeros(1 << 40).Sum().Item(); got != 0 {
		t.Errorf("the sum of zeros is %v", got)
	}
	if got := ToSlice[float32](New([]float32{1, 2}, 2).Expand(1<<40, 2).Sum(0)); got[0] != 1<<40 || got[1] != 2<<40 {
		t.Errorf("the sums of 2^40 rows are %v", got)
	}
	if err := Try(func() { Quantile(Zeros(1<<50), 0.5).Eval() }); !errors.Is(err, ErrOutOfMemory) {
		t.Errorf("the median of 2^50 zeros: %v", err)
	}
}
