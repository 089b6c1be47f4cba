package cpu

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
)

// TestConvThreads: how a convolution is cut depends on the number of threads, its bits do not. Both are large enough for that.
func TestConvThreads(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 4))
	two := func(v int) attr.Ints { return attr.MakeInts(v, v) }
	plain := func(pad, groups int) attr.Conv {
		return attr.Conv{Stride: two(1), Low: two(pad), High: two(pad), KernelDilation: two(1), InputDilation: two(1), Groups: groups}
	}
	for _, c := range []struct {
		name, op  string
		d         dtype.DType
		a         attr.Conv
		x, w, out []int
	}{
		{"positions", "conv", dtype.Float32, plain(1, 1), []int{2, 64, 40, 40}, []int{64, 64, 3, 3}, []int{2, 64, 40, 40}},
		{"channels last", "conv_last", dtype.Float32, plain(1, 1), []int{2, 64, 40, 40}, []int{64, 64, 3, 3}, []int{2, 40, 40, 64}},
		{"direct", "conv", dtype.Float32, plain(1, 1), []int{2, 64, 60, 60}, []int{6, 64, 3, 3}, []int{2, 6, 60, 60}},
		{"sums", "conv", dtype.Float32, plain(1, 1), []int{64, 2, 40, 40}, []int{48, 2, 40, 40}, []int{64, 48, 3, 3}},
		{"sums of groups", "conv", dtype.Float32, plain(1, 4), []int{40, 8, 30, 30}, []int{32, 2, 30, 30}, []int{40, 32, 3, 3}},
		{"columns", "conv", dtype.Float32, plain(1, 1), []int{64, 2, 40, 40}, []int{2, 2, 40, 40}, []int{64, 2, 3, 3}},
		{"bfloat16", "conv", dtype.BFloat16, plain(1, 1), []int{2, 64, 40, 40}, []int{64, 64, 3, 3}, []int{2, 64, 40, 40}},
		{"sums of bfloat16", "conv", dtype.BFloat16, plain(1, 1), []int{64, 2, 40, 40}, []int{48, 2, 40, 40}, []int{64, 48, 3, 3}},
	} {
		view := func(dims []int) backend.View {
			v := outputOf(c.d, dims)
			for i := range v.Numel() {
				v.DType.Put(v.Buf.Mem, i, dtype.Scalar{Kind: dtype.KindFloat, F: r.NormFloat64()})
			}
			return v
		}
		in := []backend.View{view(c.x), view(c.w)}
		run := func(threads int) []byte {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
			out := outputOf(c.d, c.out)
			if err := table[c.op](testCtx(), c.a, []backend.View{out}, in); err != nil {
				t.Fatal(c.name, err)
			}
			return out.Buf.Mem[:out.Numel()*c.d.Size()]
		}
		want := run(1)
		for _, threads := range []int{2, 7, 32} {
			if !bytes.Equal(want, run(threads)) {
				t.Errorf("%s: %d threads change the bits", c.name, threads)
			}
		}
	}
}

// TestConvBF16 holds convolutions of bfloat16 that are large enough for products in pairs against the reference: strides, groups, zeros
// between elements, one tap, gradients of kernels, kernels that are not finite next to padding.
func TestConvBF16(t *testing.T) { forConvVariants(t, testConvBF16) }

func testConvBF16(t *testing.T, part int) {
	r := rand.New(rand.NewPCG(9, 4))
	two := func(v int) attr.Ints { return attr.MakeInts(v, v) }
	small := func(dims []int) backend.View { return randomView(r, dtype.BFloat16, dims) }
	a := attr.Conv{Stride: two(1), Low: two(1), High: two(1), KernelDilation: two(1), InputDilation: two(1), Groups: 1}
	checkKernel(t, "conv", a, []int{2, 24, 14, 15}, small([]int{2, 20, 14, 15}), small([]int{24, 20, 3, 3}))
	checkKernel(t, "conv", a, []int{20, 18, 3, 3}, small([]int{20, 3, 22, 23}), small([]int{18, 3, 22, 23}))
	if part > 1 {
		return // the reference takes long
	}
	groups := a
	groups.Groups, groups.Stride, groups.Flip = 2, two(2), true
	checkKernel(t, "conv", groups, []int{3, 64, 11, 11}, small([]int{3, 34, 21, 22}), small([]int{64, 17, 3, 3}))
	between := a
	between.InputDilation = two(2)
	checkKernel(t, "conv", between, []int{2, 32, 19, 19}, small([]int{2, 40, 10, 10}), small([]int{32, 40, 3, 3}))
	point := a
	point.Low, point.High = two(0), two(0)
	checkKernel(t, "conv", point, []int{2, 48, 16, 16}, small([]int{2, 64, 16, 16}), small([]int{48, 64, 1, 1}))
	checkKernel(t, "conv", point, []int{64, 48, 1, 1}, small([]int{64, 4, 17, 16}), small([]int{48, 4, 17, 16}))
	withInf := small([]int{24, 20, 3, 3})
	withInf.DType.Put(withInf.Buf.Mem, withInf.Offset(), dtype.Scalar{Kind: dtype.KindFloat, F: 1e300})
	checkKernel(t, "conv", a, []int{2, 24, 14, 15}, small([]int{2, 20, 14, 15}), withInf)
}
