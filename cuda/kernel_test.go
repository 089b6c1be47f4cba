package cuda

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
)

// scaled is x·a + b as a kernel, with its rules.
func scaled(a, b float32) func(in ...*lucid.Tensor) []*lucid.Tensor {
	return Kernel{Name: "scaled", Source: `
extern "C" __global__ void scaled(const float *x, float *y, long long n, float a, float b) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * a + b;
}`,
		Outputs: func(in []Spec) ([]Spec, error) {
			if len(in) != 1 || in[0].DType != lucid.Float32 {
				return nil, errors.New("want one float32 tensor")
			}
			return in, nil
		},
		Launch: func(in, _ []Spec) Launch {
			n := in[0].Numel()
			return Launch{Blocks: [3]int{(n + 255) / 256}, Threads: [3]int{256}, Args: []any{n, a, b}}
		},
		VJP: func(_, _, cot []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{cot[0].Mul(a)} },
		JVP: func(_, tan []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{tan[0].Mul(a)} },
	}.Op()
}

// TestKernel runs a user's kernel by itself, differentiated and compiled.
func TestKernel(t *testing.T) {
	op := scaled(3, 1)
	if err := lucid.Try(func() { op(lucid.Arange(4)) }); !errors.Is(err, lucid.ErrShapeMismatch) ||
		!strings.Contains(err.Error(), "want one float32") {
		t.Errorf("integers: %v", err)
	}
	if err := lucid.Try(func() { op(lucid.Ones(4))[0].Item() }); err == nil {
		t.Error("a kernel runs on the CPU")
	}
	if err := lucid.Try(func() { Kernel{Name: "x"}.Op() }); !errors.Is(err, lucid.ErrValue) {
		t.Errorf("without a source: %v", err)
	}
	dev := gpu(t)
	x := lucid.Arange(1000).To(lucid.Float32).To(dev)
	if got, want := op(x.Reshape(10, 100).Transpose(0, 1))[0].Sum().Item(), 3*499500.0+1000; got != want {
		t.Errorf("the sum is %v, want %v", got, want)
	}
	grad := lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { return op(x)[0].Square().Sum() })
	if got := grad(x.Narrow(0, 0, 3).Contiguous()).Sum().Item(); got != 2*3*(1+4+7) {
		t.Errorf("the gradient sums to %v, want 72", got)
	}
	f := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return op(op(x)[0].Sin())[0].Mean() })
	for i := range 5 {
		want := 0.0
		for k := range 1000 {
			want += (3*math.Sin(float64(3*(k+i)+1)) + 1) / 1000
		}
		if got := f(x.Add(i)).Item(); math.Abs(got-want) > 1e-3 {
			t.Fatalf("run %d gives %v, want %v", i, got, want)
		}
	}
	captured(t, f)
	// Its rules also work inside compiled functions, and in a differentiated one.
	three := x.Narrow(0, 0, 3).Contiguous()
	inside := lucid.Compile(grad)
	outside := lucid.Grad(lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return op(x)[0].Square().Sum() }))
	forward := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor {
		_, tan := lucid.JVP(func(x *lucid.Tensor) *lucid.Tensor { return op(x)[0].Square() }, x, lucid.OnesLike(x))
		return tan
	})
	for range 3 {
		for name, g := range map[string]func(x *lucid.Tensor) *lucid.Tensor{"a compiled gradient": inside,
			"the gradient of a compiled function": outside, "compiled, forward": forward} {
			if got := g(three).Sum().Item(); got != 72 {
				t.Errorf("%s sums to %v, want 72", name, got)
			}
		}
	}
	captured(t, inside)
	captured(t, forward)
	bad := Kernel{Name: "bad", Source: "no C++", Outputs: func(in []Spec) ([]Spec, error) { return in, nil },
		Launch: func(_, _ []Spec) Launch { return Launch{} }}.Op()
	if err := lucid.Try(func() { bad(x)[0].Sum().Item() }); !errors.Is(err, lucid.ErrDevice) || !strings.Contains(err.Error(), "error") {
		t.Errorf("a source that does not compile: %v", err)
	}
}
