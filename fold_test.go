package lucid

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/lucid-go/lucid/internal/exec"
)

// TestReductionsInOnePass folds values while they are computed: the bits are those of the value first and the
// reduction after, whatever is folded, and values that others need are stored on the way.
func TestReductionsInOnePass(t *testing.T) {
	reductions := map[string]func(x *Tensor, dims ...int) *Tensor{
		"sum":   func(x *Tensor, d ...int) *Tensor { return x.Sum(d...) },
		"mean":  func(x *Tensor, d ...int) *Tensor { return x.Mean(d...) },
		"amax":  func(x *Tensor, d ...int) *Tensor { return x.Amax(d...) },
		"amin":  func(x *Tensor, d ...int) *Tensor { return x.Amin(d...) },
		"any":   func(x *Tensor, d ...int) *Tensor { return x.Gt(1.9).Any(d...) },
		"count": func(x *Tensor, d ...int) *Tensor { return x.Gt(0.5).CountNonzero(d...) },
	}
	shapes := []struct {
		size []int
		dims []int
	}{
		{[]int{100003}, nil}, {[]int{7, 1000}, []int{1}}, {[]int{3000, 5}, []int{1}}, {[]int{300, 40}, []int{0}},
		{[]int{2000, 700}, []int{0}}, {[]int{130, 5000}, []int{0}}, {[]int{6, 70, 300}, []int{0, 2}}, {[]int{6, 70, 300}, []int{1}},
		{[]int{6, 70, 30}, []int{0, 2}}, {[]int{40, 3, 33}, []int{1}}, {[]int{5, 0}, []int{1}}, {nil, nil}, {[]int{1, 9}, []int{0}},
	}
	for _, d := range []DType{Float32, BFloat16, Float16, Float64, Int32} {
		if raced && d != Float32 {
			continue
		}
		for _, s := range shapes {
			a := With{DType: Float64}.Uniform(-2, 2, s.size...).To(d).Eval()
			wide := append(append([]int(nil), s.size...), 2) // every second element of these
			b := With{DType: Float64}.Uniform(-2, 2, wide...).To(d).At(Ellipsis, 0).Eval()
			for name, reduce := range reductions {
				if (name == "amax" || name == "amin") && a.NumElement() == 0 || name == "mean" && d == Int32 {
					continue
				}
				t.Run(fmt.Sprintf("%s/%v/%v", name, d, s.size), func(t *testing.T) {
					value := func() *Tensor { return a.Mul(b).Add(a).Abs() }
					v := value().Eval()
					want := reduce(v, s.dims...).Eval()
					before := exec.Count.Steps.Load()
					got := reduce(value(), s.dims...).Eval()
					steps := exec.Count.Steps.Load() - before
					if !tensorBits(got, want) {
						t.Fatalf("in one pass %v, after another %v", got, want)
					}
					if name == "sum" && len(s.size) == 1 && steps != 1 && DefaultDevice() == CPU {
						t.Errorf("%d launches, want 1", steps)
					}
					kept := value()
					got = reduce(kept, s.dims...)
					if err := Eval(got, kept); err != nil {
						t.Fatal(err)
					}
					if !tensorBits(got, want) || !tensorBits(kept, v) {
						t.Fatalf("with the value stored: %v, want %v", got, want)
					}
				})
			}
		}
	}
}

// TestReductionInOnePassOverDonatedInput: the value is written over an input that nobody needs any more.
func TestReductionInOnePassOverDonatedInput(t *testing.T) {
	a := Arange(1 << 17).To(Float32).Eval()
	step := Compile(func(x *Tensor) (*Tensor, *Tensor) {
		y := x.Mul(2)
		return y, y.Sum()
	})
	x := a.Add(0).Eval()
	for i := range 3 {
		want := x.Mul(2).Eval().Sum().Eval()
		y, s := step(x)
		if s.Item() != want.Item() || !Equal(y, x.Mul(2)) {
			t.Fatalf("step %d: %v, want %v", i, s, want)
		}
		x = y
	}
}

func tensorBits(x, y *Tensor) bool { return sameBits(x.array().Peek(), y.array().Peek()) }

func BenchmarkReductionInOnePass(b *testing.B) {
	x, y := With{DType: Float32}.Uniform(-1, 1, 1<<24).Eval(), With{DType: Float32}.Uniform(-1, 1, 1<<24).Eval()
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
	for _, d := range []DType{Float32, BFloat16, Float64} {
		for _, s := range shapes {
			x := With{DType: Float64}.Uniform(-2, 2, s.size...).To(d).Eval()
			wide := append(append([]int(nil), s.size...), 2)
			y := With{DType: Float64}.Uniform(-2, 2, wide...).To(d).At(Ellipsis, 0).Eval() // every second element of these
			all := func(at func(t *Tensor) *Tensor) []*Tensor {
				p := at(x.Mul(y))
				return []*Tensor{at(x.Sum(s.dims...)), at(p.Sum(s.dims...)), at(p.Mean(s.dims...)), at(p.Amax(s.dims...)), p}
			}
			two := []*Tensor{y.Sum(s.dims...), x.Mul(y).Sum(s.dims...)} // memory is folded in its own order
			if err := Eval(two...); err != nil || !tensorBits(two[0], y.Sum(s.dims...).Eval()) {
				t.Errorf("%v %v over %v: the sum of every second element differs beside another: %v", d, s.size, s.dims, err)
			}
			want := all((*Tensor).Eval)
			for _, procs := range []int{1, 2, 3, 8} {
				old := runtime.GOMAXPROCS(procs)
				got := all(later)
				before := exec.Count.Steps.Load()
				err := Eval(got...)
				steps := exec.Count.Steps.Load() - before
				runtime.GOMAXPROCS(old)
				if err != nil {
					t.Fatal(err)
				}
				if DefaultDevice() == CPU && steps != 1 {
					t.Errorf("%v over %v: %d launches, want 1", s.size, s.dims, steps)
				}
				for i := range want {
					if !tensorBits(got[i], want[i]) {
						t.Errorf("%v %v over %v, GOMAXPROCS %d, number %d: together %v, one by one %v", d, s.size, s.dims, procs, i, got[i], want[i])
					}
				}
			}
		}
	}
}

// TestReductionsOfDonatedInput: a value is written over an input that a reduction reads as it was.
func TestReductionsOfDonatedInput(t *testing.T) {
	for _, dim := range []int{0, 1} {
		step := Compile(func(x *Tensor) (y, a, b *Tensor) {
			y = x.Mul(0.5)
			return y, x.Sum(dim), y.Sum(dim)
		})
		norm := Compile(func(x *Tensor) *Tensor { return x.Sub(Mean(x, ReduceOptions{Dim: []int{dim}, KeepDim: true})).Mul(1.5) })
		x := With{DType: Float32}.Uniform(-1, 1, 600, 500).Eval()
		for i := range 3 {
			v := x.Clone().Eval()
			y := v.Mul(0.5).Eval()
			a, b := v.Sum(dim).Eval(), y.Sum(dim).Eval()
			n := v.Sub(Mean(v, ReduceOptions{Dim: []int{dim}, KeepDim: true}).Eval()).Eval().Mul(1.5).Eval()
			if got := norm(x.Add(0)); !tensorBits(got, n) {
				t.Fatalf("dim %d, step %d: the norm over its input differs", dim, i)
			}
			gy, ga, gb := step(x)
			if !tensorBits(gy, y) || !tensorBits(ga, a) || !tensorBits(gb, b) {
				t.Fatalf("dim %d, step %d: got %v %v, want %v %v", dim, i, ga, gb, a, b)
			}
			x = gy
		}
	}
}
