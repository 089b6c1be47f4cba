package bench

import (
	"github.com/lucid-go/lucid"
	F "github.com/lucid-go/lucid/nn/functional"
)

// A convolution of a batch of 8.
type convolution struct {
	name, about                   string
	in, out, size, kernel, groups int
	stride, padding               int
	last                          bool // channels last in memory, of the input and the result
	winograd                      bool // with fewer products, which loses accuracy
	goal                          float64
}

func convolutions() {
	for _, c := range []convolution{
		{"conv3x3_nchw", "conv 3×3 64→64 56² b8", 64, 64, 56, 3, 1, 1, 1, false, false, 1.1},
		{"conv3x3_nhwc", "conv 3×3 64→64 56² b8, channels last", 64, 64, 56, 3, 1, 1, 1, true, false, 1.1},
		{"conv3x3_winograd", "conv 3×3 64→64 56² b8, Winograd allowed", 64, 64, 56, 3, 1, 1, 1, false, true, 1.8},
		{"conv1x1", "conv 1×1 64→256 56² b8", 64, 256, 56, 1, 1, 1, 0, false, false, 1.6},
		{"conv_depthwise", "depthwise conv 3×3 64 56² b8", 64, 64, 56, 3, 64, 1, 1, false, false, 2},
		{"conv7x7", "conv 7×7 stride 2 3→64 224² b8", 3, 64, 224, 7, 1, 2, 3, false, false, 1.1},
	} {
		add(Workload{Name: c.name, About: c.about, Flops: c.flops(), Limit: "fma32", Goal: c.goal, make: c.forward})
		if !c.last && !c.winograd {
			add(Workload{Name: c.name + "_backward", About: c.about + ", backward", Flops: 2 * c.flops(), Limit: "fma32",
				Goal: 1.1, make: c.backward})
		}
	}
}

const convBatch = 8

func (c convolution) flops() float64 {
	o := (c.size+2*c.padding-c.kernel)/c.stride + 1
	return 2 * convBatch * float64(c.out*o*o*c.in/c.groups*c.kernel*c.kernel)
}

func (c convolution) data() (x, w *lucid.Tensor, o F.ConvOptions) {
	x, w = random(1, 1, convBatch, c.in, c.size, c.size), random(2, 0.1, c.out, c.in/c.groups, c.kernel, c.kernel)
	if c.last {
		x = x.Permute(0, 2, 3, 1).Contiguous().Eval()
	}
	return x, w, F.ConvOptions{Stride: []int{c.stride}, Padding: c.padding, Groups: c.groups, ChannelsLast: c.last}
}

func (c convolution) forward() job {
	x, w, o := c.data()
	f := func() *lucid.Tensor {
		y := F.Conv2d(x, w, o)
		if c.last { // as PyTorch shows it; the memory stays as it is
			y = y.Eval().Permute(0, 3, 1, 2)
		}
		return y
	}
	if c.winograd {
		return once(func() (y *lucid.Tensor) {
			lucid.Winograd(func() { y = f() })
			return y
		})
	}
	return once(f)
}

// backward computes the gradients of both operands for a given cotangent; neither needs the pass forward.
func (c convolution) backward() job {
	x, w, o := c.data()
	f := func(in []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{F.Conv2d(in[0], in[1], o)} }
	size := (c.size+2*c.padding-c.kernel)/c.stride + 1
	g := random(3, 1, convBatch, c.out, size, size)
	var last []*lucid.Tensor
	run := func() {
		_, last = lucid.VJPN(f, []*lucid.Tensor{x, w}, []*lucid.Tensor{g})
		must(lucid.Eval(last...))
	}
	return job{run: run, result: func() []*lucid.Tensor { run(); return last }}
}
