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

// A PTX image of the kernel that doubles floats, as a compiler for an old GPU writes it.
const doublePTX = `.version 6.0
.target sm_50
.address_size 64
.visible .entry twice(.param .u64 x, .param .u64 y, .param .u64 n)
{
	.reg .pred %p<2>;
	.reg .f32 %f<3>;
	.reg .b32 %r<4>;
	.reg .b64 %d<8>;
	ld.param.u64 %d1, [x];
	ld.param.u64 %d2, [y];
	ld.param.u64 %d3, [n];
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %ntid.x;
	mov.u32 %r3, %tid.x;
	mad.lo.s32 %r1, %r1, %r2, %r3;
	cvt.s64.s32 %d4, %r1;
	setp.ge.s64 %p1, %d4, %d3;
	@%p1 bra DONE;
	cvta.to.global.u64 %d1, %d1;
	cvta.to.global.u64 %d2, %d2;
	shl.b64 %d5, %d4, 2;
	add.s64 %d6, %d1, %d5;
	add.s64 %d7, %d2, %d5;
	ld.global.f32 %f1, [%d6];
	add.f32 %f2, %f1, %f1;
	st.global.f32 [%d7], %f2;
DONE:
	ret;
}
`

// TestKernelBinary runs a kernel that was compiled before, and one that is run once.
func TestKernelBinary(t *testing.T) {
	same := func(in []Spec) ([]Spec, error) { return in, nil }
	form := func(in, _ []Spec) Launch {
		return Launch{Blocks: [3]int{(in[0].Numel() + 255) / 256}, Threads: [3]int{256}, Args: []any{in[0].Numel()}}
	}
	for name, k := range map[string]Kernel{
		"neither":     {Name: "twice", Outputs: same, Launch: form},
		"both":        {Name: "twice", Source: "x", Binary: []byte(doublePTX), Outputs: same, Launch: form},
		"its options": {Name: "twice", Binary: []byte(doublePTX), Options: []string{"-G"}, Outputs: same, Launch: form},
	} {
		if err := lucid.Try(func() { k.Op() }); !errors.Is(err, lucid.ErrValue) {
			t.Errorf("%s: %v", name, err)
		}
	}
	dev := gpu(t)
	x := lucid.Arange(1000).To(lucid.Float32).To(dev)
	twice := Kernel{Name: "twice", Binary: []byte(doublePTX), Outputs: same, Launch: form}.Op()
	for range 2 {
		if got := twice(x)[0].Sum().Item(); got != 999000 {
			t.Errorf("the sum is %v; want 999000", got)
		}
	}
	bad := Kernel{Name: "twice", Binary: []byte("no code"), Outputs: same, Launch: form}.Op()
	if err := lucid.Try(func() { bad(x)[0].Item() }); err == nil {
		t.Error("an image that is none was loaded")
	}
	if got := twice(x)[0].Sum().Item(); got != 999000 {
		t.Errorf("after it the sum is %v", got)
	}
	const source = `extern "C" __global__ void pick(const float *x, float *y, int at) { y[threadIdx.x] = x[at + threadIdx.x]; }`
	y := RunKernel("pick", source, []*lucid.Tensor{x}, []Spec{{Shape: []int{3}, DType: lucid.Float32}},
		Launch{Threads: [3]int{3}, Args: []any{int32(7)}})[0]
	if got := y.Sum().Item(); got != 7+8+9 {
		t.Errorf("picked %v", y)
	}
}
