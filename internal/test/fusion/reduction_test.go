package fusion

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/exec"
	"github.com/lucid-go/lucid/internal/testutil"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

// TestReductionsInOnePass folds values while they are computed: the bits are those of the value first and the
// reduction after, whatever is folded, and values that others need are stored on the way.
func TestReductionsInOnePass(t *testing.T) {
	reductions := map[string]func(x *lucid.Tensor, dims ...int) *lucid.Tensor{
		"sum":   func(x *lucid.Tensor, d ...int) *lucid.Tensor { return x.Sum(d...) },
		"mean":  func(x *lucid.Tensor, d ...int) *lucid.Tensor { return x.Mean(d...) },
		"amax":  func(x *lucid.Tensor, d ...int) *lucid.Tensor { return x.Max(d...) },
		"amin":  func(x *lucid.Tensor, d ...int) *lucid.Tensor { return x.Min(d...) },
		"any":   func(x *lucid.Tensor, d ...int) *lucid.Tensor { return x.Gt(1.9).Any(d...) },
		"count": func(x *lucid.Tensor, d ...int) *lucid.Tensor { return x.Gt(0.5).CountNonzero(d...) },
	}
	shapes := []struct {
		size []int
		dims []int
	}{
		{[]int{100003}, nil}, {[]int{7, 1000}, []int{1}}, {[]int{3000, 5}, []int{1}}, {[]int{300, 40}, []int{0}},
		{[]int{2000, 700}, []int{0}}, {[]int{130, 5000}, []int{0}}, {[]int{6, 70, 300}, []int{0, 2}}, {[]int{6, 70, 300}, []int{1}},
		{[]int{6, 70, 30}, []int{0, 2}}, {[]int{40, 3, 33}, []int{1}}, {[]int{5, 0}, []int{1}}, {nil, nil}, {[]int{1, 9}, []int{0}},
	}
	for _, d := range []lucid.DType{lucid.Float32, lucid.BFloat16, lucid.Float16, lucid.Float64, lucid.Int32} {
		if testutil.Raced && d != lucid.Float32 {
			continue
		}
		for _, s := range shapes {
			a := lucid.With{DType: lucid.Float64}.Uniform(-2, 2, s.size...).To(d).Eval()
			wide := append(append([]int(nil), s.size...), 2) // every second element of these
			b := lucid.With{DType: lucid.Float64}.Uniform(-2, 2, wide...).To(d).At(lucid.Ellipsis, 0).Eval()
			for name, reduce := range reductions {
				if (name == "amax" || name == "amin") && a.NumElement() == 0 || name == "mean" && d == lucid.Int32 {
					continue
				}
				t.Run(fmt.Sprintf("%s/%v/%v", name, d, s.size), func(t *testing.T) {
					value := func() *lucid.Tensor { return a.Mul(b).Add(a).Abs() }
					v := value().Eval()
					want := reduce(v, s.dims...).Eval()
					before := exec.Count.Steps.Load()
					got := reduce(value(), s.dims...).Eval()
					steps := exec.Count.Steps.Load() - before
					if !tensortest.SameBits(got, want) {
						t.Fatalf("in one pass %v, after another %v", got, want)
					}
					if name == "sum" && len(s.size) == 1 && steps != 1 && lucid.DefaultDevice() == lucid.CPU {
						t.Errorf("%d launches, want 1", steps)
					}
					stored := value()
					got = reduce(stored, s.dims...)
					if err := lucid.Eval(got, stored); err != nil {
						t.Fatal(err)
					}
					if !tensortest.SameBits(got, want) || !tensortest.SameBits(stored, v) {
						t.Fatalf("with the value stored: %v, want %v", got, want)
					}
				})
			}
		}
	}
}

// TestReductionInOnePassOverDonatedInput: the value is written over an input that is not needed any more.
func TestReductionInOnePassOverDonatedInput(t *testing.T) {
	a := lucid.Arange(1 << 17).To(lucid.Float32).Eval()
	step := lucid.Compile(func(x *lucid.Tensor) (*lucid.Tensor, *lucid.Tensor) {
		y := x.Mul(2)
		return y, y.Sum()
	})
	x := a.Add(0).Eval()
	for i := range 3 {
		want := x.Mul(2).Eval().Sum().Eval()
		y, s := step(x)
		if s.Item() != want.Item() || !lucid.Equal(y, x.Mul(2)) {
			t.Fatalf("step %d: %v, want %v", i, s, want)
		}
		x = y
	}
}

func BenchmarkReductionInOnePass(b *testing.B) {
	x, y := lucid.With{DType: lucid.Float32}.Uniform(-1, 1, 1<<24).Eval(), lucid.With{DType: lucid.Float32}.Uniform(-1, 1, 1<<24).Eval()
	b.SetBytes(2 << 26)
	for b.Loop() {
		x.Sub(y).Square().Mean().Item()
	}
}

// TestReductionsTogether folds several reductions of the same values, and of what these are made from, in one pass; the bits
// are those of one after the other.
func TestReductionsTogether(t *testing.T) {
	shapes := []struct {
		size []int
		dims []int
	}{
		{[]int{100003}, []int{0}}, {[]int{70, 1000}, []int{1}}, {[]int{300, 40}, []int{0}}, {[]int{2000, 700}, []int{0}},
		{[]int{130, 5000}, []int{0}}, {[]int{6, 70, 300}, []int{0, 2}}, {[]int{6, 70, 300}, []int{1}}, {[]int{9, 40000}, []int{1}},
	}
	for _, d := range []lucid.DType{lucid.Float32, lucid.BFloat16, lucid.Float64} {
		for _, s := range shapes {
			x := lucid.With{DType: lucid.Float64}.Uniform(-2, 2, s.size...).To(d).Eval()
			wide := append(append([]int(nil), s.size...), 2)
			// every second element of these
			y := lucid.With{DType: lucid.Float64}.Uniform(-2, 2, wide...).To(d).At(lucid.Ellipsis, 0).Eval()
			all := func(at func(t *lucid.Tensor) *lucid.Tensor) []*lucid.Tensor {
				p := at(x.Mul(y))
				return []*lucid.Tensor{at(x.Sum(s.dims...)), at(p.Sum(s.dims...)), at(p.Mean(s.dims...)), at(p.Max(s.dims...)), p}
			}
			two := []*lucid.Tensor{y.Sum(s.dims...), x.Mul(y).Sum(s.dims...)} // memory is folded in its own order
			if err := lucid.Eval(two...); err != nil || !tensortest.SameBits(two[0], y.Sum(s.dims...).Eval()) {
				t.Errorf("%v %v over %v: the sum of every second element differs next to another: %v", d, s.size, s.dims, err)
			}
			want := all((*lucid.Tensor).Eval)
			for _, procs := range []int{1, 2, 3, 8} {
				old := runtime.GOMAXPROCS(procs)
				got := all(later)
				before := exec.Count.Steps.Load()
				err := lucid.Eval(got...)
				steps := exec.Count.Steps.Load() - before
				runtime.GOMAXPROCS(old)
				if err != nil {
					t.Fatal(err)
				}
				if lucid.DefaultDevice() == lucid.CPU && steps != 1 {
					t.Errorf("%v over %v: %d launches, want 1", s.size, s.dims, steps)
				}
				for i := range want {
					if !tensortest.SameBits(got[i], want[i]) {
						t.Errorf("%v %v over %v, GOMAXPROCS %d, number %d: together %v, one by one %v", d, s.size, s.dims, procs, i,
							got[i], want[i])
					}
				}
			}
		}
	}
}

// TestReductionsOfDonatedInput: a value is written over an input that a reduction reads as it was.
func TestReductionsOfDonatedInput(t *testing.T) {
	for _, dim := range []int{0, 1} {
		step := lucid.Compile(func(x *lucid.Tensor) (y, a, b *lucid.Tensor) {
			y = x.Mul(0.5)
			return y, x.Sum(dim), y.Sum(dim)
		})
		norm := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor {
			return x.Sub(lucid.Mean(x, lucid.ReduceOptions{Dim: []int{dim}, KeepDim: true})).Mul(1.5)
		})
		x := lucid.With{DType: lucid.Float32}.Uniform(-1, 1, 600, 500).Eval()
		for i := range 3 {
			v := x.Clone().Eval()
			y := v.Mul(0.5).Eval()
			a, b := v.Sum(dim).Eval(), y.Sum(dim).Eval()
			n := v.Sub(lucid.Mean(v, lucid.ReduceOptions{Dim: []int{dim}, KeepDim: true}).Eval()).Eval().Mul(1.5).Eval()
			if got := norm(x.Add(0)); !tensortest.SameBits(got, n) {
				t.Fatalf("dim %d, step %d: the norm over its input differs", dim, i)
			}
			gy, ga, gb := step(x)
			if !tensortest.SameBits(gy, y) || !tensortest.SameBits(ga, a) || !tensortest.SameBits(gb, b) {
				t.Fatalf("dim %d, step %d: got %v %v, want %v %v", dim, i, ga, gb, a, b)
			}
			x = gy
		}
	}
}
