package ops

import (
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid"
	F "github.com/lucid-go/lucid/nn/functional"
)

// wholeNumbers are whole numbers from -8 to 8, whose sums of products float32 holds as they are.
func wholeNumbers(seed uint64, shape ...int) *lucid.Tensor {
	n := 1
	for _, s := range shape {
		n *= s
	}
	r, v := rand.New(rand.NewPCG(seed, 3)), make([]float32, n)
	for i := range v {
		v[i] = float32(r.IntN(17) - 8)
	}
	return lucid.New(v, shape...)
}

type biasedConv struct {
	name      string
	x, w      []int
	transpose bool
	groups    int
	stride    []int
	padding   int
	last      bool
}

func (c biasedConv) run(x, w, b *lucid.Tensor) *lucid.Tensor {
	rank := len(c.w) - 2
	if c.transpose {
		o := F.ConvTransposeOptions{Bias: b, Stride: c.stride, Groups: c.groups}
		return []func(x, w *lucid.Tensor, o ...F.ConvTransposeOptions) *lucid.Tensor{F.ConvTranspose1d, F.ConvTranspose2d,
			F.ConvTranspose3d}[rank-1](x, w, o)
	}
	o := F.ConvOptions{Bias: b, Stride: c.stride, Padding: c.padding, Groups: c.groups, ChannelsLast: c.last}
	return []func(x, w *lucid.Tensor, o ...F.ConvOptions) *lucid.Tensor{F.Conv1d, F.Conv2d, F.Conv3d}[rank-1](x, w, o)
}

func (c biasedConv) outputs() int {
	if c.transpose {
		return c.w[1] * max(1, c.groups)
	}
	return c.w[0]
}

var biasedConvs = []biasedConv{
	{name: "1d", x: []int{2, 20, 50}, w: []int{24, 20, 5}, padding: 2},
	{name: "2d", x: []int{2, 9, 14, 13}, w: []int{10, 9, 3, 3}, padding: 1},
	{name: "2d, many channels", x: []int{2, 64, 28, 28}, w: []int{48, 64, 3, 3}, padding: 1},
	{name: "2d, channels last", x: []int{2, 28, 28, 64}, w: []int{48, 64, 3, 3}, padding: 1, last: true},
	{name: "3d", x: []int{1, 16, 6, 7, 8}, w: []int{20, 16, 3, 3, 3}, padding: 1},
	{name: "one tap", x: []int{9, 96, 28, 28}, w: []int{64, 96, 1, 1}},
	{name: "one tap, few", x: []int{2, 5, 7, 7}, w: []int{3, 5, 1, 1}},
	{name: "one output", x: []int{64, 32, 16, 16}, w: []int{32, 32, 16, 16}},
	{name: "patches", x: []int{2, 16, 32, 32}, w: []int{32, 16, 4, 4}, stride: []int{4, 4}},
	{name: "few positions", x: []int{1, 128, 4, 4}, w: []int{256, 128, 3, 3}, padding: 1},
	{name: "depthwise", x: []int{2, 24, 20, 20}, w: []int{24, 1, 3, 3}, groups: 24, padding: 1},
	{name: "depthwise with a stride", x: []int{2, 24, 21, 21}, w: []int{24, 1, 5, 5}, groups: 24, padding: 2, stride: []int{2, 2}},
	{name: "groups", x: []int{2, 32, 20, 20}, w: []int{64, 16, 3, 3}, groups: 2},
	{name: "transposed 1d", x: []int{2, 32, 60}, w: []int{32, 40, 6}, transpose: true, stride: []int{2}},
	{name: "transposed 2d", x: []int{2, 32, 14, 14}, w: []int{32, 24, 4, 4}, transpose: true, stride: []int{2, 2}},
	{name: "transposed 2d, groups", x: []int{2, 32, 9, 9}, w: []int{32, 6, 3, 3}, transpose: true, groups: 4},
	{name: "transposed 3d", x: []int{1, 8, 5, 5, 5}, w: []int{8, 6, 3, 3, 3}, transpose: true},
}

// TestConvolutionsRoundOnce checks that the bias of a convolution of half types is added before the result is rounded, as PyTorch does it:
// of whole numbers every sum is exact.
func TestConvolutionsRoundOnce(t *testing.T) {
	for _, c := range biasedConvs {
		for _, d := range halfTypes {
			x, w := wholeNumbers(1, c.x...).To(d), wholeNumbers(2, c.w...).To(d)
			b := wholeNumbers(3, c.outputs()).Add(0.25).To(d)
			wide := func(t *lucid.Tensor) *lucid.Tensor { return t.To(lucid.Float32) }
			want := c.run(wide(x), wide(w), wide(b)).To(d)
			same := func(how string, got *lucid.Tensor) {
				t.Helper()
				if got.DType() != d || !lucid.Equal(got, want) {
					t.Errorf("%s, %s: %v is not the sum rounded once", c.name, how, d)
				}
			}
			same("eager", c.run(x, w, b))
			same("compiled", lucid.Compile(c.run)(x, w, b))
			stack := func(t *lucid.Tensor) *lucid.Tensor { return lucid.Stack([]*lucid.Tensor{t}, 0) }
			same("VMap", lucid.VMap(c.run)(stack(x), stack(w), stack(b)).Squeeze(0))
			if twice := c.run(x, w, nil); c.name == "2d, many channels" {
				if twice = twice.Add(b.Reshape(-1, 1, 1)); lucid.Equal(twice, want) {
					t.Error("rounding twice is the same: the test shows nothing")
				}
			}
		}
	}
}

// TestConvolutionBiasGradients checks that a bias of half type changes no other gradient, and that its own is the sum over the cotangent.
func TestConvolutionBiasGradients(t *testing.T) {
	c := biasedConvs[1]
	for _, d := range halfTypes {
		x, w, b := wholeNumbers(1, c.x...).To(d), wholeNumbers(2, c.w...).To(d), wholeNumbers(3, c.outputs()).To(d)
		cot := wholeNumbers(4, c.run(x, w, nil).Shape()...).To(d)
		_, with := lucid.VJPN(func(in []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{c.run(in[0], in[1], in[2])} },
			[]*lucid.Tensor{x, w, b}, []*lucid.Tensor{cot})
		_, without := lucid.VJPN(func(in []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{c.run(in[0], in[1], nil)} },
			[]*lucid.Tensor{x, w}, []*lucid.Tensor{cot})
		if !lucid.Equal(with[0], without[0]) || !lucid.Equal(with[1], without[1]) {
			t.Errorf("%v: a bias changes the gradients of input and weight", d)
		}
		if sum := cot.To(lucid.Float32).Sum(0, 2, 3).To(d); !lucid.Equal(with[2], sum) || with[2].DType() != d {
			t.Errorf("%v: the gradient of the bias is %v, want %v", d, with[2], sum)
		}
		_, tangents := lucid.JVPN(func(in []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{c.run(in[0], in[1], in[2])} },
			[]*lucid.Tensor{x, w, b}, []*lucid.Tensor{x, lucid.ZerosLike(w), b})
		if !lucid.Equal(tangents[0], c.run(x, w, b)) || tangents[0].DType() != d {
			t.Errorf("%v: the tangent of a convolution of its own input is not its value", d)
		}
	}
}
