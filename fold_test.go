package lucid

import (
	"fmt"
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
