package fusion

import (
	"errors"
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
	"github.com/lucid-go/lucid/linalg"
)

// TestReductionsOfRepetitions: what is folded of elements that are shown again and again is that of as many elements in memory, bit for
// bit (vectors are compared with every second element of one, whose runs are cut alike), and is made without visiting them.
func TestReductionsOfRepetitions(t *testing.T) {
	dim := []int{0}
	folds := map[string]func(x *lucid.Tensor) *lucid.Tensor{
		"sum":       func(x *lucid.Tensor) *lucid.Tensor { return x.Sum(0) },
		"prod":      func(x *lucid.Tensor) *lucid.Tensor { return lucid.Prod(x, lucid.ReduceOptions{Dim: dim}) },
		"mean":      func(x *lucid.Tensor) *lucid.Tensor { return x.Mean(0) },
		"amax":      func(x *lucid.Tensor) *lucid.Tensor { return lucid.Amax(x, lucid.ReduceOptions{Dim: dim}) },
		"var":       func(x *lucid.Tensor) *lucid.Tensor { return x.Var(0) },
		"norm":      func(x *lucid.Tensor) *lucid.Tensor { return linalg.VectorNorm(x, linalg.VectorNormOptions{Dim: dim}) },
		"logsumexp": func(x *lucid.Tensor) *lucid.Tensor { return x.LogSumExp(0) },
		"any":       func(x *lucid.Tensor) *lucid.Tensor { return lucid.Any(x, lucid.ReduceOptions{Dim: dim}) },
	}
	for _, d := range []lucid.DType{lucid.Float32, lucid.BFloat16, lucid.Complex64} {
		for _, n := range []int{3, 1<<15 + 1, 5<<15 + 9, 6 << 15} {
			rows := lucid.New([]float64{0.1, -3, 0.99, 7, 1}, 5).To(d).Eval().Expand(n, 5)
			for x, stored := range map[*lucid.Tensor]*lucid.Tensor{lucid.With{DType: d}.Full([]int{n},
				1.0001): lucid.New(slices.Repeat([]float64{1.0001}, 2*n), 2*n).To(d).Eval().At(lucid.Range{Stop: lucid.End, Step: 2}),
				rows: rows.Contiguous().Eval()} {
				for name, f := range folds {
					if name == "amax" && d == lucid.Complex64 {
						continue
					}
					if got, want := f(x).Eval(), f(stored).Eval(); tensortest.EqualBits([]*lucid.Tensor{got}, []*lucid.Tensor{want}) != "" {
						t.Errorf("%s of %v %v is %v, in memory %v", name, d, x.Shape(), got, want)
					}
				}
			}
		}
	}
	if got := lucid.Zeros(1 << 40).Sum().Item(); got != 0 {
		t.Errorf("the sum of zeros is %v", got)
	}
	if got := lucid.ToSlice[float32](lucid.New([]float32{1, 2}, 2).Expand(1<<40, 2).Sum(0)); got[0] != 1<<40 || got[1] != 2<<40 {
		t.Errorf("the sums of 2^40 rows are %v", got)
	}
	if err := lucid.Try(func() { lucid.Quantile(lucid.Zeros(1<<50), 0.5).Eval() }); !errors.Is(err, lucid.ErrOutOfMemory) {
		t.Errorf("the median of 2^50 zeros: %v", err)
	}
}
