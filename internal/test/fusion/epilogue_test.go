package fusion

import (
	"fmt"
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/exec"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
	F "github.com/lucid-go/lucid/nn/functional"
)

// TestProductsInOnePass: what follows a product runs over its parts; the bits are those of one after the other.
func TestProductsInOnePass(t *testing.T) {
	type operands struct{ a, b []int }
	shapes := []operands{
		{[]int{3, 5}, []int{5, 4}}, {[]int{64, 784}, []int{784, 256}}, {[]int{300, 700}, []int{700, 1100}}, {[]int{1, 64}, []int{64, 64}},
		{[]int{7}, []int{7, 9}},
		{[]int{9, 7}, []int{7}}, {[]int{7}, []int{7}}, {[]int{4, 30, 20}, []int{20, 50}}, {[]int{6, 33, 17}, []int{6, 17, 40}},
		{[]int{2, 3, 70, 90}, []int{3, 90, 80}}, {[]int{3, 0}, []int{0, 4}},
		{[]int{0, 3}, []int{3, 4}}, {[]int{500, 3}, []int{3, 2}},
	}
	for _, d := range []lucid.DType{lucid.Float32, lucid.BFloat16, lucid.Float64, lucid.Complex64} {
		for _, s := range shapes {
			t.Run(fmt.Sprintf("%v/%v@%v", d, s.a, s.b), func(t *testing.T) {
				a, b := lucid.With{DType: lucid.Float64}.Uniform(-1, 1, s.a...).To(d).Eval(), lucid.With{DType: lucid.Float64}.Uniform(-1,
					1, s.b...).To(d).Eval()
				p := a.MatMul(b).Eval()
				bias := lucid.With{DType: lucid.Float64}.Uniform(-1, 1, p.Shape()...).To(d).Eval()
				if p.Dim() > 0 {
					bias = lucid.With{DType: lucid.Float64}.Uniform(-1, 1, p.Size(-1)).To(d).Eval()
				}
				rest := lucid.With{DType: lucid.Float64}.Uniform(-1, 1, p.Shape()...).To(d).Eval()
				follow := func(y *lucid.Tensor) *lucid.Tensor { return y.Add(bias).Mul(0.5).Square().Sub(y).Add(rest) }
				want := follow(p).Eval()
				before := exec.Count.Steps.Load()
				got := follow(a.MatMul(b)).Eval()
				if n := exec.Count.Steps.Load() - before; n != 1 && lucid.DefaultDevice() == lucid.CPU {
					t.Errorf("%d launches, want 1", n)
				}
				if !asGood(got, want) {
					t.Errorf("in one pass %v, after another %v", got, want)
				}
				stored := a.MatMul(b)
				got = follow(stored)
				if err := lucid.Eval(got, stored); err != nil {
					t.Fatal(err)
				}
				if !asGood(got, want) || !tensortest.SameBits(stored, p) {
					t.Error("with the product stored it differs")
				}
			})
		}
	}
}

// asGood is equality; a device whose kernel of a product in half types makes what follows too rounds once instead of every time.
func asGood(got, want *lucid.Tensor) bool {
	if lucid.DefaultDevice() == lucid.CPU || !want.DType().IsHalf() || slices.Contains(want.Shape(), 0) {
		return tensortest.SameBits(got, want)
	}
	return got.To(lucid.Float32).Sub(want.To(lucid.Float32)).Norm().Item() <= 2e-2*want.To(lucid.Float32).Norm().Item()
}

// TestProductInOnePassOverItsOwnOperand: a residual that is also an operand is not written over while it is read.
func TestProductInOnePassOverItsOwnOperand(t *testing.T) {
	w := lucid.With{DType: lucid.Float32}.Uniform(-0.1, 0.1, 256, 256).Eval()
	step := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return x.MatMul(w).Add(x).Tanh() })
	x := lucid.With{DType: lucid.Float32}.Uniform(-1, 1, 256, 256).Eval()
	state := x.Clone().Eval()
	update := lucid.Compile(func() { state.Assign(state.MatMul(w).Add(state).Tanh()) })
	for i := range 4 {
		want := x.MatMul(w).Eval().Add(x).Eval().Tanh().Eval()
		x = step(x)
		update()
		if !tensortest.SameBits(x.Eval(), want) || !tensortest.SameBits(state.Eval(), want) {
			t.Fatalf("step %d differs", i)
		}
	}
}

// TestConvolutionInOnePass: a bias, an activation and a residual run over the parts of a convolution.
func TestConvolutionInOnePass(t *testing.T) {
	for _, d := range []lucid.DType{lucid.Float32, lucid.BFloat16, lucid.Float64} {
		for _, s := range [][2][]int{{{2, 3, 12, 12}, {8, 3, 3, 3}}, {{3, 20, 9, 9}, {33, 20, 3, 3}}, {{2, 8, 7, 7}, {16, 8, 1, 1}},
			{{0, 3, 5, 5}, {4, 3, 3, 3}}} {
			t.Run(fmt.Sprintf("%v/%v*%v", d, s[0], s[1]), func(t *testing.T) {
				rand := func(size ...int) *lucid.Tensor {
					return lucid.With{DType: lucid.Float64}.Uniform(-1, 1, size...).To(d).Eval()
				}
				x, w, b := rand(s[0]...), rand(s[1]...), rand(s[1][0])
				o := F.ConvOptions{Padding: s[1][2] / 2}
				y := F.Conv2d(x, w, o).Eval()
				rest := rand(y.Shape()...)
				o.Bias = b
				biased, most := y.Add(b.Reshape(1, -1, 1, 1)), int64(1)
				if d.IsHalf() { // the bias is added to float32 sums, which are rounded by what follows
					biased, most = F.Conv2d(x, w, o), 2
				}
				want := biased.Eval().ReLU().Eval().Add(rest).Eval()
				before := exec.Count.Steps.Load()
				got := F.Conv2d(x, w, o).ReLU().Add(rest).Eval()
				if n := exec.Count.Steps.Load() - before; n > most && lucid.DefaultDevice() == lucid.CPU {
					t.Errorf("%d launches, want %d", n, most)
				}
				if !tensortest.SameBits(got, want) {
					t.Errorf("in one pass %v, after another %v", got, want)
				}
			})
		}
	}
}

// TestManyOperandsBehindAProduct: a program with more inputs than are looked back for reads its product in one register.
func TestManyOperandsBehindAProduct(t *testing.T) {
	x, w := lucid.Randn(5, 6).Eval(), lucid.Randn(6, 7).Eval()
	others := make([]*lucid.Tensor, 100)
	for i := range others {
		others[i] = lucid.Randn(5, 7).Eval()
	}
	f := func(then func(*lucid.Tensor) *lucid.Tensor) *lucid.Tensor {
		y := then(x.MatMul(w))
		s := y
		for _, o := range others {
			s = then(s.Mul(0.9).Add(o))
		}
		return s
	}
	want := f((*lucid.Tensor).Eval)
	same := func(x *lucid.Tensor) *lucid.Tensor { return x }
	for how, got := range map[string]*lucid.Tensor{"at once": f(same),
		"compiled": lucid.Compile(func() *lucid.Tensor { return f(same) })()} {
		if !lucid.Equal(got, want) {
			t.Errorf("%s: %v, want %v", how, got, want)
		}
	}
}
