package ops

import (
	"math"
	"testing"

	"github.com/lucid-go/lucid"
	F "github.com/lucid-go/lucid/nn/functional"
)

// TestSignsOfZero checks activations of -0: the signs are those of PyTorch's loops over single elements.
func TestSignsOfZero(t *testing.T) {
	minus := math.Copysign(0, -1)
	option := func(v float64) *float64 { return &v }
	for name, c := range map[string]struct {
		f    func(x *lucid.Tensor) *lucid.Tensor
		x    float64
		want float64
	}{
		"relu":        {(*lucid.Tensor).ReLU, minus, minus},
		"relu6":       {func(x *lucid.Tensor) *lucid.Tensor { return F.ReLU6(x) }, minus, minus},
		"relu6 below": {func(x *lucid.Tensor) *lucid.Tensor { return F.ReLU6(x) }, -1, 0},
		"hardtanh to 0": {func(x *lucid.Tensor) *lucid.Tensor {
			return F.Hardtanh(x, F.HardtanhOptions{MaxVal: option(0)})
		}, minus, minus},
		"softshrink":          {func(x *lucid.Tensor) *lucid.Tensor { return F.Softshrink(x) }, minus, minus},
		"softshrink inside":   {func(x *lucid.Tensor) *lucid.Tensor { return F.Softshrink(x) }, -0.25, minus},
		"softshrink positive": {func(x *lucid.Tensor) *lucid.Tensor { return F.Softshrink(x) }, 0.25, 0},
		"hardshrink":          {func(x *lucid.Tensor) *lucid.Tensor { return F.Hardshrink(x) }, minus, 0},
	} {
		for _, d := range []lucid.DType{lucid.Float32, lucid.Float64, lucid.BFloat16, lucid.Float16} {
			x := lucid.Full([]int{33}, c.x).To(d).Clone().RequiresGrad_(true)
			y := c.f(x)
			for i, v := range lucid.ToSlice[float64](y.Detach()) {
				if v != c.want || math.Signbit(v) != math.Signbit(c.want) {
					t.Errorf("%s of %v in %v: element %d is %v, want %v", name, c.x, d, i, v, c.want)
					break
				}
			}
			if y.Sum().Backward(); x.Grad().Abs().Sum().Item() != 0 {
				t.Errorf("%s of %v in %v has the gradient %v at a bound; want 0", name, c.x, d, x.Grad())
			}
		}
	}
}

// TestSincGradient compares the first and second derivative of float32 with those of float64 computed by the series: the
// quotient's are differences of large numbers.
func TestSincGradient(t *testing.T) {
	for _, x := range []float64{1e-8, 1e-5, 3e-4, 1e-3, 0.01, 0.05, 0.1, 0.3, 0.32, 0.5} {
		x = float64(float32(x))
		first, second, term := 0.0, 0.0, 1.0 // of sin(p)/p by p
		p := math.Pi * x
		for k := 1; k < 20; k++ {
			term /= -float64(2*k) * float64(2*k+1)
			first += term * float64(2*k) * math.Pow(p, float64(2*k-1))
			second += term * float64(2*k) * float64(2*k-1) * math.Pow(p, float64(2*k-2))
		}
		for _, d := range []lucid.DType{lucid.Float32, lucid.Float64} {
			f := func(x *lucid.Tensor) *lucid.Tensor { return x.Sinc() }
			at := lucid.Full([]int{}, x).To(d)
			eps := map[lucid.DType]float64{lucid.Float32: 2e-6, lucid.Float64: 1e-14}[d]
			if got, want := lucid.Grad(f)(at).Item(), math.Pi*first; math.Abs(got-want) > eps*math.Abs(want) {
				t.Errorf("sinc'(%g) in %v is %v, want %v", x, d, got, want)
			}
			got, want := lucid.Grad(lucid.Grad(f))(at).Item(), math.Pi*math.Pi*second
			if math.Abs(got-want) > 10*eps*math.Abs(want) {
				t.Errorf("sinc''(%g) in %v is %v, want %v", x, d, got, want)
			}
		}
	}
}

// TestSignOfZeroOfProducts asserts that sums of products begin at 0, whatever the sizes: products that are all -0 have the sum 0,
// also where there is one. PyTorch gives either, by the kernel that the sizes choose.
func TestSignOfZeroOfProducts(t *testing.T) {
	for _, d := range []lucid.DType{lucid.Float32, lucid.Float64, lucid.BFloat16, lucid.Float16} {
		for _, k := range []int{1, 2, 3, 17} {
			minus := func(sizes ...int) *lucid.Tensor { return lucid.Full(sizes, math.Copysign(0, -1)).To(d) }
			ones := func(sizes ...int) *lucid.Tensor { return lucid.Ones(sizes...).To(d) }
			for name, f := range map[string]func() *lucid.Tensor{
				"one":    func() *lucid.Tensor { return minus(1, k).MatMul(ones(k, 1)) },
				"dot":    func() *lucid.Tensor { return minus(k).MatMul(ones(k)) },
				"vector": func() *lucid.Tensor { return minus(5, k).MatMul(ones(k)) },
				"row":    func() *lucid.Tensor { return minus(k).MatMul(ones(k, 70)) },
				"small":  func() *lucid.Tensor { return minus(4, k).MatMul(ones(k, 4)) },
				"large":  func() *lucid.Tensor { return minus(130, k).MatMul(ones(k, 70)) },
				"wide":   func() *lucid.Tensor { return minus(4, k).MatMul(ones(k, 70)) },
				"batch":  func() *lucid.Tensor { return minus(3, 5, k).MatMul(ones(3, k, 6)) },
				"linear": func() *lucid.Tensor { return F.Linear(minus(4, k), ones(5, k)) },
				"conv":   func() *lucid.Tensor { return F.Conv2d(minus(2, k, 3, 3), ones(4, k, 1, 1)) },
			} {
				for way, y := range map[string]*lucid.Tensor{"eager": f(), "compiled": lucid.Compile(f)()} {
					for i, v := range lucid.ToSlice[float64](y.Contiguous()) {
						if v != 0 || math.Signbit(v) {
							t.Errorf("%s of %d products in %v, %s: element %d is %v", name, k, d, way, i, v)
							break
						}
					}
				}
			}
		}
	}
}
