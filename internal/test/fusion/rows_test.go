package fusion

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/exec"
	"github.com/lucid-go/lucid/internal/testutil"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
	"github.com/lucid-go/lucid/linalg"
	F "github.com/lucid-go/lucid/nn/functional"
)

// handOp is a norm or the like, written out with reductions over the last dimensions; at sees every value on the way.
type handOp func(x, w *lucid.Tensor, at func(t *lucid.Tensor) *lucid.Tensor) *lucid.Tensor

var lastDim = lucid.ReduceOptions{Dim: []int{-1}, KeepDim: true}

var byHand = map[string]handOp{
	"softmax": func(x, _ *lucid.Tensor, at func(t *lucid.Tensor) *lucid.Tensor) *lucid.Tensor {
		e := at(at(x.Sub(at(lucid.Amax(x, lastDim)))).Exp())
		return at(e.Div(at(lucid.Sum(e, lastDim))))
	},
	"layer norm": func(x, w *lucid.Tensor, at func(t *lucid.Tensor) *lucid.Tensor) *lucid.Tensor {
		d := at(x.Sub(at(lucid.Mean(x, lastDim))))
		v := at(lucid.Mean(at(d.Mul(d)), lastDim))
		return at(at(at(d.Mul(at(at(v.Add(1e-5)).Rsqrt()))).Mul(w)).Add(w))
	},
	"by var": func(x, w *lucid.Tensor, at func(t *lucid.Tensor) *lucid.Tensor) *lucid.Tensor {
		v := at(lucid.Var(x, lucid.VarOptions{Dim: []int{-1}, KeepDim: true, Correction: new(float64)}))
		return at(at(at(x.Sub(at(lucid.Mean(x, lastDim)))).Div(at(at(v.Add(1e-5)).Sqrt()))).Mul(w))
	},
	"rms norm": func(x, w *lucid.Tensor, at func(t *lucid.Tensor) *lucid.Tensor) *lucid.Tensor {
		return at(at(x.Mul(at(at(at(lucid.Mean(at(x.Square()), lastDim)).Add(1e-6)).Rsqrt()))).Mul(w))
	},
	"logsumexp": func(x, _ *lucid.Tensor, at func(t *lucid.Tensor) *lucid.Tensor) *lucid.Tensor {
		m := at(lucid.Amax(x, lastDim))
		return at(at(at(at(at(x.Sub(m)).Exp()).Sum(-1)).Log()).Add(m.Squeeze(-1)))
	},
	"unit rows": func(x, _ *lucid.Tensor, at func(t *lucid.Tensor) *lucid.Tensor) *lucid.Tensor {
		return at(x.Div(at(at(linalg.VectorNorm(x, linalg.VectorNormOptions{Dim: []int{-1}, KeepDim: true})).Maximum(1e-6))))
	},
	"moments": func(x, _ *lucid.Tensor, at func(t *lucid.Tensor) *lucid.Tensor) *lucid.Tensor {
		a, b := at(x.Sum(-1)), at(at(x.Mul(x)).Sum(-1))
		return at(b.Sub(at(at(a.Mul(a)).Div(x.Size(-1)))))
	},
	"of transposed": func(x, w *lucid.Tensor, at func(t *lucid.Tensor) *lucid.Tensor) *lucid.Tensor {
		y := at(at(x.Mul(w)).Transpose(0, -1).Contiguous())
		return at(at(y.Sub(at(lucid.Mean(y, lastDim)))).Abs())
	},
	"stored": func(x, w *lucid.Tensor, at func(t *lucid.Tensor) *lucid.Tensor) *lucid.Tensor {
		e := at(x.Exp())
		s := at(lucid.Sum(e, lastDim))
		return at(lucid.Cat([]*lucid.Tensor{at(e.Div(s)), e, s}, -1)) // others read what stands in the middle
	},
}

func later(t *lucid.Tensor) *lucid.Tensor { return t }

func (f handOp) atOnce(x, w *lucid.Tensor) *lucid.Tensor { return f(x, w, later) }

// TestRowsInOnePass runs norms that are written out in one launch, a few rows at a time; the bits are those of one op after
// the other.
func TestRowsInOnePass(t *testing.T) {
	if lucid.DefaultDevice() != lucid.CPU {
		t.Skip("compares bits, which only the CPU promises")
	}
	shapes := [][]int{{64, 100}, {300, 1000}, {7, 5, 129}, {9, 4096}, {2000, 3}, {40, 33000}, {5, 20000}, {1, 4000}, {1030, 17}, {3, 0, 5}}
	for i, d := range []lucid.DType{lucid.Float32, lucid.BFloat16, lucid.Float64} {
		for j, s := range shapes {
			if testing.Short() && j%3 != i { // each shape once
				continue
			}
			x := lucid.With{DType: lucid.Float32}.Uniform(-2, 2, s...).To(d).Eval()
			w := lucid.With{DType: lucid.Float32}.Uniform(-1, 1, s[len(s)-1]).To(d).Eval()
			for name, f := range byHand {
				t.Run(fmt.Sprintf("%s/%v/%v", name, d, s), func(t *testing.T) {
					want := f(x, w, (*lucid.Tensor).Eval)
					for _, procs := range append(testutil.ThreadCounts(), 1) {
						old := runtime.GOMAXPROCS(procs)
						got, compiled := f.atOnce(x, w).Eval(), lucid.Compile(f.atOnce)(x, w)
						runtime.GOMAXPROCS(old)
						if !tensortest.SameBits(got, want) || !tensortest.SameBits(compiled, want) {
							t.Fatalf("GOMAXPROCS %d: in one pass %v, compiled %v, op by op %v", procs, got, compiled, want)
						}
					}
				})
			}
		}
	}
}

// TestRowsLaunches counts the launches of norms that are written out.
func TestRowsLaunches(t *testing.T) {
	if lucid.DefaultDevice() != lucid.CPU {
		t.Skip("counts launches of the CPU")
	}
	x, w := lucid.Randn(200, 300).Eval(), lucid.Randn(300).Eval()
	for _, name := range []string{"softmax", "layer norm", "by var", "rms norm", "logsumexp", "unit rows", "moments"} {
		before := exec.Count.Steps.Load()
		byHand[name].atOnce(x, w).Eval()
		if n := exec.Count.Steps.Load() - before; n != 1 {
			t.Errorf("%s: %d launches, want 1", name, n)
		}
	}
}

// BenchmarkRowsByHand measures norms that are written out, and those of the library next to them.
func BenchmarkRowsByHand(b *testing.B) {
	x, w := lucid.Randn(4096, 4096).Eval(), lucid.Randn(4096).Eval()
	run := func(name string, f func() *lucid.Tensor) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(8 << 24)
			for b.Loop() {
				f().Eval().Free()
			}
		})
	}
	for _, name := range []string{"softmax", "layer norm", "rms norm", "logsumexp", "unit rows"} {
		run(name, func() *lucid.Tensor { return byHand[name].atOnce(x, w) })
	}
	run("library/softmax", func() *lucid.Tensor { return lucid.Softmax(x, -1) })
	run("library/layer norm", func() *lucid.Tensor { return F.LayerNorm(x, []int{4096}, F.LayerNormOptions{Weight: w, Bias: w}) })
	run("library/rms norm", func() *lucid.Tensor { return F.RMSNorm(x, []int{4096}, F.RMSNormOptions{Weight: w}) })
}
