package lucid

import (
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/lucid-go/lucid/internal/testutil"
)

// foldingFunctions are the differentiable reductions, scans and sorts, as functions of a matrix.
func foldingFunctions() map[string]func(x *Tensor) *Tensor {
	first := func(v, _ *Tensor) *Tensor { return v }
	second := func(_, v *Tensor) *Tensor { return v }
	return map[string]func(x *Tensor) *Tensor{
		"sum": func(x *Tensor) *Tensor { return x.Sum(0) }, "mean": func(x *Tensor) *Tensor { return x.Mean(1) }, "prod": func(x *Tensor) *Tensor { return x.Prod(1) },
		"prod all": func(x *Tensor) *Tensor { return x.Prod() }, "amax": func(x *Tensor) *Tensor { return x.Max(1) }, "amin": func(x *Tensor) *Tensor { return x.Min() },
		"max": func(x *Tensor) *Tensor { return first(x.MaxIndices(1)) }, "min": func(x *Tensor) *Tensor { return first(x.MinIndices(0)) },
		"aminmax": func(x *Tensor) *Tensor { return second(x.AMinMax(1)) },
		"var":     func(x *Tensor) *Tensor { return x.Var(1) }, "std": func(x *Tensor) *Tensor { return x.Std(0) }, "std mean": func(x *Tensor) *Tensor { return second(x.StdMean(0)) },
		"logsumexp": func(x *Tensor) *Tensor { return x.LogSumExp(1) }, "nansum": func(x *Tensor) *Tensor { return x.NanSum(1) }, "nanmean": func(x *Tensor) *Tensor { return x.NanMean(1) },
		"norm": func(x *Tensor) *Tensor { return x.Norm(1) }, "norm 1": func(x *Tensor) *Tensor { return Norm(x, NormOptions{P: 1}) },
		"norm 3": func(x *Tensor) *Tensor { return Norm(x, NormOptions{P: 3, Dim: []int{0}}) }, "norm 0.5": func(x *Tensor) *Tensor { return Norm(x, NormOptions{P: 0.5, Dim: []int{0}}) },
		"norm inf": func(x *Tensor) *Tensor { return Norm(x, NormOptions{P: "inf", Dim: []int{1}}) },
		"dist":     func(x *Tensor) *Tensor { return x.Dist(x.Mul(x)) },
		"median":   func(x *Tensor) *Tensor { return first(Median(x)) }, "median dim": func(x *Tensor) *Tensor { return first(Median(x, ArgOptions{Dim: new(1)})) },
		"nanmedian": func(x *Tensor) *Tensor { return first(NanMedian(x, ArgOptions{Dim: new(0)})) }, "mode": func(x *Tensor) *Tensor { return first(x.Mode(1)) },
		"quantile": func(x *Tensor) *Tensor { return x.Quantile(0.3) }, "kthvalue": func(x *Tensor) *Tensor { return first(x.KthValue(2)) },
		"cov": func(x *Tensor) *Tensor { return Cov(x, nil, nil) }, "corrcoef": func(x *Tensor) *Tensor { return Corrcoef(x).Square() },
		"cumsum": func(x *Tensor) *Tensor { return x.CumSum(1) }, "cumprod": func(x *Tensor) *Tensor { return x.CumProd(1) },
		"cumprod back":      func(x *Tensor) *Tensor { return CumProd(x, 0, CumulativeOptions{Reverse: true}) },
		"cumprod exclusive": func(x *Tensor) *Tensor { return CumProd(x, 1, CumulativeOptions{Exclusive: true}) },
		"cummax":            func(x *Tensor) *Tensor { return first(x.CumMax(1)) }, "cummin": func(x *Tensor) *Tensor { return first(x.CumMin(0)) },
		"logcumsumexp": func(x *Tensor) *Tensor { return x.LogCumSumExp(1) }, "logcumsumexp back": func(x *Tensor) *Tensor { return LogCumSumExp(x, 0, DirectionOptions{Reverse: true}) },
		"diff": func(x *Tensor) *Tensor { return x.Diff(2) }, "trapezoid": func(x *Tensor) *Tensor { return Trapezoid(x, x.Mul(2)) },
		"sort": func(x *Tensor) *Tensor { return first(x.Sort(1)) }, "topk": func(x *Tensor) *Tensor { return first(x.TopK(2)) }, "msort": func(x *Tensor) *Tensor { return x.Msort() },
	}
}

// TestFoldingTransforms checks every rule: the gradient by differences, forward against reverse, second order by
// differences of the first, and VMap against a loop.
func TestFoldingTransforms(t *testing.T) {
	data := []float64{0.7, -1.2, 0.4, 2.1, 1.5, 0.9, -0.3, -2.2, 1.1, -0.8, 0.2, 1.9}
	x := New(data, 3, 4)
	other := New([]float64{-0.6, 1.4, 0.8, -1.7, 0.5, -0.1, 2.4, 1.3, -0.9, 1.6, 0.35, -1.05}, 3, 4)
	tol := testutil.Tolerance{Rel: 2e-5, Abs: 2e-6}
	for name, f := range foldingFunctions() {
		t.Run(name, func(t *testing.T) {
			y := f(x)
			w := Sin(With{DType: Float64}.Arange(1, y.NumElement()+1)).Reshape(y.Shape()...)
			scalar := func(x *Tensor) *Tensor { return f(x).Square().Mul(w).Sum() }
			check := func(what string, got, want float64) {
				if !tol.Close(got, want) {
					t.Errorf("%s: got %v, want %v", what, got, want)
				}
			}
			g := Grad(scalar)
			u := other
			h := 1e-5
			up, down := x.Add(u.Mul(h)), x.Sub(u.Mul(h))
			slope := scalar(up).Sub(scalar(down)).Div(2 * h).Item()
			check("gradient", g(x).Mul(u).Sum().Item(), slope)
			_, dy := JVP(scalar, x, u)
			check("tangent", dy.Item(), slope)
			bend := g(up).Sub(g(down)).Mul(other.Sin()).Sum().Div(2 * h).Item()
			_, hv := JVP(g, x, u)
			check("forward over reverse", hv.Mul(other.Sin()).Sum().Item(), bend)
			_, hv2 := VJP(g, x, other.Sin())
			check("reverse over reverse", hv2.Mul(u).Sum().Item(), bend)
			both := Stack([]*Tensor{x, other}, 0)
			if d := differ(VMap(f)(both), Stack([]*Tensor{f(x), f(other)}, 0), tol); d != "" {
				t.Errorf("vmap: %s", d)
			}
			if d := differ(VMap(g)(both), Stack([]*Tensor{g(x), g(other)}, 0), tol); d != "" {
				t.Errorf("vmap of the gradient: %s", d)
			}
		})
	}
}

// TestGradientsAtSingularPoints pins that nothing is NaN where the root's derivative is infinite.
func TestGradientsAtSingularPoints(t *testing.T) {
	zero := Zeros(2, 3)
	for name, f := range map[string]func(x *Tensor) *Tensor{
		"norm": func(x *Tensor) *Tensor { return x.Norm() }, "norm 3": func(x *Tensor) *Tensor { return Norm(x, NormOptions{P: 3}) },
		"norm 0.5": func(x *Tensor) *Tensor { return Norm(x, NormOptions{P: 0.5}) }, "std": func(x *Tensor) *Tensor { return x.Std() },
		"cumprod": func(x *Tensor) *Tensor { return x.CumProd(1).Sum() }, "prod": func(x *Tensor) *Tensor { return x.Prod() },
	} {
		if g := Grad(f)(zero); g.IsFinite().All().Item() != 1 {
			t.Errorf("%s: %v", name, g)
		}
	}
}

// TestSizesFromValues pins that ops whose result depends on values refuse a trace, naming themselves.
func TestSizesFromValues(t *testing.T) {
	x := New([]int64{3, 1, 3, 0}, 4)
	for name, f := range map[string]func(x *Tensor) *Tensor{
		"unique":             func(x *Tensor) *Tensor { v, _, _ := Unique(x); return v },
		"unique_consecutive": func(x *Tensor) *Tensor { v, _, _ := UniqueConsecutive(x); return v },
		"bincount":           func(x *Tensor) *Tensor { return Bincount(x, nil) },
	} {
		err := Try(func() { Compile(f)(x).Eval() })
		var e *Error
		if !errors.As(err, &e) || e.Op != name {
			t.Errorf("%s inside a trace: %v", name, err)
		}
	}
	v, inv, counts := Unique(x, UniqueOptions{ReturnInverse: true, ReturnCounts: true})
	same(t, "values", v, New([]int64{0, 1, 3}, 3))
	same(t, "inverse", inv, New([]int64{2, 1, 2, 0}, 4))
	same(t, "counts", counts, New([]int64{1, 1, 2}, 3))
	if v, inv, counts := Unique(x); v == nil || inv != nil || counts != nil {
		t.Error("what is not asked for is nil")
	}
}

// TestThreadsDoNotChangeBits runs reductions with one thread and with several.
func TestThreadsDoNotChangeBits(t *testing.T) {
	x := New(randomFloats(1<<18+77), 1<<18+77)
	m := New(randomFloats(700*900), 700, 900)
	run := func() []float32 {
		var out []float32
		for _, y := range []*Tensor{x.Sum(), x.Var(), x.Norm(), x.LogSumExp(), m.Sum(0), m.Sum(1), m.Var(0), m.LogSumExp(0), m.Mean(), m.CumSum(0)} {
			out = append(out, ToSlice[float32](y)...)
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

// TestPartitionSides checks what a partition promises: the k-th is in its place, nothing larger before it, nothing smaller behind.
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
		x := New(v, n)
		picked := ToSlice[int32](x.TakeAlongDim(ArgPartition(x, k), 0))
		for name, p := range map[string][]int32{"partition": ToSlice[int32](Partition(x, k)), "argpartition": picked} {
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

// TestStdOfHalves: the root of a variance, or of the square of a distance, that a half type does not hold is held.
func TestStdOfHalves(t *testing.T) {
	x := New([]float32{300, -300, 10, 10}, 4).To(Float16)
	if got := x.Std().Item(); math.Abs(got-245) > 0.3 {
		t.Errorf("the standard deviation is %v", got)
	}
	if got := Cdist(x.Reshape(1, 4), Zeros(1, 4).To(Float16)).Item(); math.Abs(got-424.5) > 0.3 {
		t.Errorf("the distance is %v", got)
	}
	std, _ := StdMean(x.Mul(1e-3), VarOptions{})
	if got := std.Item(); std.DType() != Float16 || math.Abs(got-0.245) > 1e-3 {
		t.Errorf("the standard deviation is %v", std)
	}
}

// TestIntegerSumsAreInt64: whatever integers are added up or multiplied, as in PyTorch.
func TestIntegerSumsAreInt64(t *testing.T) {
	for _, d := range []DType{Bool, Uint8, Uint16, Uint32, Uint64, Int8, Int16, Int32, Int64} {
		x := With{DType: d}.Ones(3, 3)
		for name, y := range map[string]*Tensor{"sum": x.Sum(), "prod": x.Prod(), "cumsum": x.CumSum(0), "cumprod": x.CumProd(0), "trace": x.Trace(), "nansum": NanSum(x)} {
			if y.DType() != Int64 {
				t.Errorf("%s of %v is %v", name, d, y.DType())
			}
		}
	}
}
