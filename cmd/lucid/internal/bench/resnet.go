package bench

import (
	"math"

	"github.com/lucid-go/lucid"
	F "github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/optim"
)

// resnet is a batch of ResNet-50 as torchvision has it: images of size², blocks in four stages of the widths 64 to 512, the
// stride of a stage in its first 3×3. Values have their channels last, and weights too: (out, kernel, kernel, in).
type resnet struct {
	batch, size, classes int
	blocks               [4]int
	half                 bool // mixed precision, bfloat16
}

var resnet50 = resnet{batch: 256, size: 224, classes: 1000, blocks: [4]int{3, 4, 6, 3}, half: true}

// flops are those of three passes; 4.09 GFLOP are the products of one image of 224² forward.
func (r resnet) flops() float64 { return 3 * 2 * 4.09e9 * float64(r.batch) }

type layer = func(x *lucid.Tensor) *lucid.Tensor

// conv makes a convolution without bias that keeps the size but for its stride.
func (p *params) conv(in, out, kernel, stride int) layer {
	w := p.add(math.Sqrt(6/float64(in*kernel*kernel)), out, kernel, kernel, in)
	o := F.ConvOptions{Stride: []int{stride}, Padding: kernel / 2, ChannelsLast: true}
	return func(x *lucid.Tensor) *lucid.Tensor { return F.Conv2d(x, p.use(w).Permute(0, 3, 1, 2), o) }
}

// norm makes a batch normalisation of the last dimension, which keeps running statistics.
func (p *params) norm(width int) layer {
	w, b := p.add(1, width), p.add(0.1, width)
	mean, variance := lucid.Zeros(width).Eval(), lucid.Ones(width).Eval()
	return func(x *lucid.Tensor) *lucid.Tensor {
		return F.BatchNorm(x, F.BatchNormOptions{RunningMean: mean, RunningVar: variance, Weight: w, Bias: b,
			Training: true, ChannelsLast: true})
	}
}

// bottleneck makes a block: three convolutions and a shortcut.
func (p *params) bottleneck(in, width, stride int) layer {
	c1, n1 := p.conv(in, width, 1, 1), p.norm(width)
	c2, n2 := p.conv(width, width, 3, stride), p.norm(width)
	c3, n3 := p.conv(width, 4*width, 1, 1), p.norm(4*width)
	short := layer(func(x *lucid.Tensor) *lucid.Tensor { return x })
	if in != 4*width || stride != 1 {
		c, n := p.conv(in, 4*width, 1, stride), p.norm(4*width)
		short = func(x *lucid.Tensor) *lucid.Tensor { return n(c(x)) }
	}
	return func(x *lucid.Tensor) *lucid.Tensor {
		y := n2(c2(n1(c1(x)).ReLU())).ReLU()
		return n3(c3(y)).Add(short(x)).ReLU()
	}
}

func (r resnet) job() job {
	p := params{half: r.half}
	stem, norm := p.conv(3, 64, 7, 2), p.norm(64)
	var layers []layer
	in := 64
	for stage, n := range r.blocks {
		width := 64 << stage
		for i := range n {
			stride := 1
			if i == 0 && stage > 0 {
				stride = 2
			}
			layers = append(layers, p.bottleneck(in, width, stride))
			in = 4 * width
		}
	}
	last := p.linear(in, r.classes)
	forward := func(x *lucid.Tensor) *lucid.Tensor {
		h := norm(stem(p.use(x))).ReLU()
		h = F.MaxPool2d(h, []int{3}, F.MaxPoolOptions{Stride: []int{2}, Padding: []int{1}, ChannelsLast: true})
		for _, l := range layers {
			h = l(h)
		}
		return last(h.Mean(1, 2)).To(lucid.Float32)
	}
	x, y := random(1, 1, r.batch, r.size, r.size, 3).Eval(), integers(2, r.classes, r.batch)
	return train(optim.NewSGD(p.all, optim.SGDOptions{LR: 0.01, Momentum: 0.9, WeightDecay: 1e-4}), forward, x, y)
}
