package ops

import (
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
	"github.com/lucid-go/lucid/linalg"
)

// foldingFunctions are the differentiable reductions, scans and sorts, as functions of a matrix.
func foldingFunctions() map[string]func(x *lucid.Tensor) *lucid.Tensor {
	first := func(v, _ *lucid.Tensor) *lucid.Tensor { return v }
	second := func(_, v *lucid.Tensor) *lucid.Tensor { return v }
	return map[string]func(x *lucid.Tensor) *lucid.Tensor{
		"sum": func(x *lucid.Tensor) *lucid.Tensor { return x.Sum(0) }, "mean": func(x *lucid.Tensor) *lucid.Tensor { return x.Mean(1) },
		"prod":     func(x *lucid.Tensor) *lucid.Tensor { return x.Prod(1) },
		"prod all": func(x *lucid.Tensor) *lucid.Tensor { return x.Prod() },
		"amax":     func(x *lucid.Tensor) *lucid.Tensor { return x.Max(1) }, "amin": func(x *lucid.Tensor) *lucid.Tensor { return x.Min() },
		"max":     func(x *lucid.Tensor) *lucid.Tensor { return first(x.MaxIndices(1)) },
		"min":     func(x *lucid.Tensor) *lucid.Tensor { return first(x.MinIndices(0)) },
		"aminmax": func(x *lucid.Tensor) *lucid.Tensor { return second(x.AMinMax(1)) },
		"var":     func(x *lucid.Tensor) *lucid.Tensor { return x.Var(1) }, "std": func(x *lucid.Tensor) *lucid.Tensor { return x.Std(0) },
		"std mean":  func(x *lucid.Tensor) *lucid.Tensor { return second(x.StdMean(0)) },
		"logsumexp": func(x *lucid.Tensor) *lucid.Tensor { return x.LogSumExp(1) },
		"nansum":    func(x *lucid.Tensor) *lucid.Tensor { return x.NanSum(1) },
		"nanmean":   func(x *lucid.Tensor) *lucid.Tensor { return x.NanMean(1) },
		"norm":      func(x *lucid.Tensor) *lucid.Tensor { return x.Norm(1) }, "norm 1": func(x *lucid.Tensor) *lucid.Tensor {
			return linalg.VectorNorm(x, linalg.VectorNormOptions{Ord: new(1.0)})
		},
		"norm 3": func(x *lucid.Tensor) *lucid.Tensor {
			return linalg.VectorNorm(x, linalg.VectorNormOptions{Ord: new(3.0), Dim: []int{0}})
		}, "norm 0.5": func(x *lucid.Tensor) *lucid.Tensor {
			return linalg.VectorNorm(x, linalg.VectorNormOptions{Ord: new(0.5), Dim: []int{0}})
		},
		"norm inf": func(x *lucid.Tensor) *lucid.Tensor {
			return linalg.VectorNorm(x, linalg.VectorNormOptions{Ord: new(math.Inf(1)), Dim: []int{1}})
		},
		"dist":   func(x *lucid.Tensor) *lucid.Tensor { return x.Dist(x.Mul(x)) },
		"median": func(x *lucid.Tensor) *lucid.Tensor { return first(lucid.Median(x)) }, "median dim": func(x *lucid.Tensor) *lucid.Tensor {
			return first(lucid.Median(x, lucid.ArgOptions{Dim: new(1)}))
		},
		"nanmedian": func(x *lucid.Tensor) *lucid.Tensor { return first(lucid.NanMedian(x, lucid.ArgOptions{Dim: new(0)})) },
		"mode":      func(x *lucid.Tensor) *lucid.Tensor { return first(x.Mode(1)) },
		"quantile":  func(x *lucid.Tensor) *lucid.Tensor { return x.Quantile(0.3) },
		"kthvalue":  func(x *lucid.Tensor) *lucid.Tensor { return first(x.KthValue(2)) },
		"cov":       func(x *lucid.Tensor) *lucid.Tensor { return lucid.Cov(x) },
		"corrcoef":  func(x *lucid.Tensor) *lucid.Tensor { return lucid.Corrcoef(x).Square() },
		"cumsum":    func(x *lucid.Tensor) *lucid.Tensor { return x.CumSum(1) },
		"cumprod":   func(x *lucid.Tensor) *lucid.Tensor { return x.CumProd(1) },
		"cumprod back": func(x *lucid.Tensor) *lucid.Tensor {
			return lucid.CumProd(x, 0, lucid.CumulativeOptions{Reverse: true})
		},
		"cumprod exclusive": func(x *lucid.Tensor) *lucid.Tensor {
			return lucid.CumProd(x, 1, lucid.CumulativeOptions{Exclusive: true})
		},
		"cummax":       func(x *lucid.Tensor) *lucid.Tensor { return first(x.CumMax(1)) },
		"cummin":       func(x *lucid.Tensor) *lucid.Tensor { return first(x.CumMin(0)) },
		"logcumsumexp": func(x *lucid.Tensor) *lucid.Tensor { return x.LogCumSumExp(1) },
		"logcumsumexp back": func(x *lucid.Tensor) *lucid.Tensor {
			return lucid.LogCumSumExp(x, 0, lucid.DirectionOptions{Reverse: true})
		},
		"diff": func(x *lucid.Tensor) *lucid.Tensor { return x.Diff(2) }, "trapezoid": func(x *lucid.Tensor) *lucid.Tensor {
			return lucid.Trapezoid(x, lucid.TrapezoidOptions{X: x.Mul(2)})
		},
		"sort":  func(x *lucid.Tensor) *lucid.Tensor { return first(x.Sort(1)) },
		"topk":  func(x *lucid.Tensor) *lucid.Tensor { return first(x.TopK(2)) },
		"msort": func(x *lucid.Tensor) *lucid.Tensor { return x.Msort() },
	}
}

// TestFoldingTransforms checks every rule: the gradient by differences, forward against reverse, second order by
// differences of the first, and VMap against a loop.
func TestFoldingTransforms(t *testing.T) {
	data := []float64{0.7, -1.2, 0.4, 2.1, 1.5, 0.9, -0.3, -2.2, 1.1, -0.8, 0.2, 1.9}
	x := lucid.New(data, 3, 4)
	other := lucid.New([]float64{-0.6, 1.4, 0.8, -1.7, 0.5, -0.1, 2.4, 1.3, -0.9, 1.6, 0.35, -1.05}, 3, 4)
	tol := testutil.Tolerance{Rel: 2e-5, Abs: 2e-6}
	for name, f := range foldingFunctions() {
		t.Run(name, func(t *testing.T) {
			y := f(x)
			w := lucid.Sin(lucid.With{DType: lucid.Float64}.Arange(1, y.NumElement()+1)).Reshape(y.Shape()...)
			scalar := func(x *lucid.Tensor) *lucid.Tensor { return f(x).Square().Mul(w).Sum() }
			check := func(what string, got, want float64) {
				if !tol.Close(got, want) {
					t.Errorf("%s: got %v, want %v", what, got, want)
				}
			}
			g := lucid.Grad(scalar)
			u := other
			h := 1e-5
			up, down := x.Add(u.Mul(h)), x.Sub(u.Mul(h))
			slope := scalar(up).Sub(scalar(down)).Div(2 * h).Item()
			check("gradient", g(x).Mul(u).Sum().Item(), slope)
			_, dy := lucid.JVP(scalar, x, u)
			check("tangent", dy.Item(), slope)
			bend := g(up).Sub(g(down)).Mul(other.Sin()).Sum().Div(2 * h).Item()
			_, hv := lucid.JVP(g, x, u)
			check("forward over reverse", hv.Mul(other.Sin()).Sum().Item(), bend)
			_, hv2 := lucid.VJP(g, x, other.Sin())
			check("reverse over reverse", hv2.Mul(u).Sum().Item(), bend)
			both := lucid.Stack([]*lucid.Tensor{x, other}, 0)
			if d := tensortest.Differ(lucid.VMap(f)(both), lucid.Stack([]*lucid.Tensor{f(x), f(other)}, 0), tol); d != "" {
				t.Errorf("vmap: %s", d)
			}
			if d := tensortest.Differ(lucid.VMap(g)(both), lucid.Stack([]*lucid.Tensor{g(x), g(other)}, 0), tol); d != "" {
				t.Errorf("vmap of the gradient: %s", d)
			}
		})
	}
}

// TestGradientsAtSingularPoints pins that nothing is NaN where the root's derivative is infinite.
func TestGradientsAtSingularPoints(t *testing.T) {
	zero := lucid.Zeros(2, 3)
	for name, f := range map[string]func(x *lucid.Tensor) *lucid.Tensor{
		"norm": func(x *lucid.Tensor) *lucid.Tensor { return x.Norm() }, "norm 3": func(x *lucid.Tensor) *lucid.Tensor {
			return linalg.VectorNorm(x, linalg.VectorNormOptions{Ord: new(3.0)})
		},
		"norm 0.5": func(x *lucid.Tensor) *lucid.Tensor {
			return linalg.VectorNorm(x, linalg.VectorNormOptions{Ord: new(0.5)})
		}, "std": func(x *lucid.Tensor) *lucid.Tensor { return x.Std() },
		"cumprod": func(x *lucid.Tensor) *lucid.Tensor { return x.CumProd(1).Sum() },
		"prod":    func(x *lucid.Tensor) *lucid.Tensor { return x.Prod() },
	} {
		if g := lucid.Grad(f)(zero); g.IsFinite().All().Item() != 1 {
			t.Errorf("%s: %v", name, g)
		}
	}
}

// TestSizesFromValues pins that ops whose result depends on values refuse a trace, naming themselves.
func TestSizesFromValues(t *testing.T) {
	x := lucid.New([]int64{3, 1, 3, 0}, 4)
	for name, f := range map[string]func(x *lucid.Tensor) *lucid.Tensor{
		"unique":             func(x *lucid.Tensor) *lucid.Tensor { v, _, _ := lucid.Unique(x); return v },
		"unique_consecutive": func(x *lucid.Tensor) *lucid.Tensor { v, _, _ := lucid.UniqueConsecutive(x); return v },
		"bincount":           func(x *lucid.Tensor) *lucid.Tensor { return lucid.Bincount(x) },
	} {
		err := lucid.Try(func() { lucid.Compile(f)(x).Eval() })
		var e *lucid.Error
		if !errors.As(err, &e) || e.Op != name {
			t.Errorf("%s inside a trace: %v", name, err)
		}
	}
	v, inv, counts := lucid.Unique(x, lucid.UniqueOptions{ReturnInverse: true, ReturnCounts: true})
	tensortest.Same(t, "values", v, lucid.New([]int64{0, 1, 3}, 3))
	tensortest.Same(t, "inverse", inv, lucid.New([]int64{2, 1, 2, 0}, 4))
	tensortest.Same(t, "counts", counts, lucid.New([]int64{1, 1, 2}, 3))
	if v, inv, counts := lucid.Unique(x); v == nil || inv != nil || counts != nil {
		t.Error("what is not asked for is nil")
	}
}

// TestThreadsDoNotChangeBits runs reductions with one thread and with several.
func TestThreadsDoNotChangeBits(t *testing.T) {
	x := lucid.New(tensortest.RandomFloats(1<<18+77), 1<<18+77)
	m := lucid.New(tensortest.RandomFloats(700*900), 700, 900)
	run := func() []float32 {
		var out []float32
		for _, y := range []*lucid.Tensor{x.Sum(), x.Var(), x.Norm(), x.LogSumExp(), m.Sum(0), m.Sum(1), m.Var(0), m.LogSumExp(0),
			m.Mean(), m.CumSum(0)} {
			out = append(out, lucid.ToSlice[float32](y)...)
		}
		return out
	}
	old := runtime.GOMAXPROCS(1)
	one := run()
	runtime.GOMAXPROCS(4)
	four := run()
	runtime.GOMAXPROCS(old)
	for i := range one {
		if math.Float32bits(one[i]) != math.Float32bits(four[i]) {
			t.Fatalf("result %d: %v with one thread, %v with four", i, one[i], four[i])
		}
	}
}

// TestPartitionSides checks what a partition promises: the k-th is at its position, nothing larger before it, nothing smaller behind.
func TestPartitionSides(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for range 200 {
		n := 1 + r.IntN(40)
		v := make([]int32, n)
		for i := range v {
			v[i] = int32(r.IntN(9) - 4)
		}
		sorted := slices.Sorted(slices.Values(v))
		k := r.IntN(2*n) - n
		at := (k + n) % n
		x := lucid.New(v, n)
		picked := lucid.ToSlice[int32](x.TakeAlongDim(lucid.ArgPartition(x, k), 0))
		for name, p := range map[string][]int32{"partition": lucid.ToSlice[int32](lucid.Partition(x, k)), "argpartition": picked} {
			if p[at] != sorted[at] || !slices.Equal(slices.Sorted(slices.Values(p)), sorted) {
				t.Fatalf("%s of %v at %d is %v", name, v, k, p)
			}
			for i := range p {
				if i < at && p[i] > p[at] || i > at && p[i] < p[at] {
					t.Fatalf("%s of %v at %d is %v: %d on the wrong side", name, v, k, p, p[i])
				}
			}
		}
	}
}

// TestStdOfHalfTypes: the root of a variance, or of the square of a distance, that a half type does not hold is held.
func TestStdOfHalfTypes(t *testing.T) {
	x := lucid.New([]float32{300, -300, 10, 10}, 4).To(lucid.Float16)
	if got := x.Std().Item(); math.Abs(got-245) > 0.3 {
		t.Errorf("the standard deviation is %v", got)
	}
	if got := lucid.Cdist(x.Reshape(1, 4), lucid.Zeros(1, 4).To(lucid.Float16)).Item(); math.Abs(got-424.5) > 0.3 {
		t.Errorf("the distance is %v", got)
	}
	std, _ := lucid.StdMean(x.Mul(1e-3), lucid.VarOptions{})
	if got := std.Item(); std.DType() != lucid.Float16 || math.Abs(got-0.245) > 1e-3 {
		t.Errorf("the standard deviation is %v", std)
	}
}

// TestStdOfLargeNumbers: the root of a variance that float32 does not hold, or holds as 0, is held, along rows, columns and all of a
// tensor, eager and compiled, and its gradient is that of the numbers scaled.
func TestStdOfLargeNumbers(t *testing.T) {
	for _, scale := range []float64{1e30, 1e-30} {
		x := lucid.New([]float32{1, -1, 3, 5, 2, 8}, 2, 3)
		big := x.Mul(scale)
		for name, f := range map[string]func(x *lucid.Tensor) *lucid.Tensor{
			"rows":    func(x *lucid.Tensor) *lucid.Tensor { return x.Std(1).Sum() },
			"columns": func(x *lucid.Tensor) *lucid.Tensor { return x.Std(0).Sum() },
			"all":     func(x *lucid.Tensor) *lucid.Tensor { return x.Std() },
			"complex": func(x *lucid.Tensor) *lucid.Tensor { return x.To(lucid.Complex64).Std() },
			"compiled": func(x *lucid.Tensor) *lucid.Tensor {
				return lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return x.Std(1).Sum() })(x)
			}} {
			want, got := f(x).Item(), f(big).Item()
			if !(math.Abs(got-want*scale) <= 1e-6*want*scale) {
				t.Errorf("%s: the standard deviation of numbers of %g is %g, not %g", name, scale, got, want*scale)
			}
			if name == "compiled" {
				continue
			}
			if a, b := lucid.Grad(f)(x), lucid.Grad(f)(big); !lucid.AllClose(a, b, lucid.CloseOptions{ATol: new(1e-6)}) {
				t.Errorf("%s: the gradient of numbers of %g is %v, not %v", name, scale, b, a)
			}
		}
	}
}

// TestIntegerSumsAreInt64: whatever integers are added up or multiplied, as in PyTorch.
func TestIntegerSumsAreInt64(t *testing.T) {
	for _, d := range []lucid.DType{lucid.Bool, lucid.Uint8, lucid.Uint16, lucid.Uint32, lucid.Uint64, lucid.Int8, lucid.Int16,
		lucid.Int32, lucid.Int64} {
		x := lucid.With{DType: d}.Ones(3, 3)
		for name, y := range map[string]*lucid.Tensor{"sum": x.Sum(), "prod": x.Prod(), "cumsum": x.CumSum(0), "cumprod": x.CumProd(0),
			"trace": x.Trace(), "nansum": lucid.NanSum(x)} {
			if y.DType() != lucid.Int64 {
				t.Errorf("%s of %v is %v", name, d, y.DType())
			}
		}
	}
}
