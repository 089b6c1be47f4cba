package nn

import (
	"math"
	"slices"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	F "github.com/lucid-go/lucid/nn/functional"
	nninit "github.com/lucid-go/lucid/nn/init"
)

// ConvOptions say how a convolution is made; the zero value is PyTorch's default. A list may have one number for all
// dimensions.
type ConvOptions struct {
	Stride      []int        // nil: 1
	Padding     any          // an int, []int, "valid" or "same"; nil: 0
	Dilation    []int        // nil: 1
	Groups      int          // 0 means 1
	NoBias      bool         // no bias
	PaddingMode string       // "zeros" (default), "reflect", "replicate" or "circular"
	DType       lucid.DType  // of the parameters; zero: the default float
	Device      lucid.Device // of the parameters; zero: the default device

	ChannelsLast bool // take (B, …, C) and give (B, …, out), as MLX's layers do; the weight stays as it is
}

// conv is what the convolutions share.
type conv struct {
	Weight *lucid.Tensor // (out, in/groups, kernel...)
	Bias   *lucid.Tensor // (out), nil without bias
	o      ConvOptions
	edge   []int // padding before and after, from the last dimension, for modes other than zeros
}

// spread gives a number for each of n dimensions.
func spread(op, name string, v []int, n, def int) []int {
	switch len(v) {
	case 0:
		v = []int{def}
		fallthrough
	case 1:
		out := make([]int, n)
		for i := range out {
			out[i] = v[0]
		}
		return out
	case n:
		return v
	}
	refuse(lucid.ErrValue, op, "%s is %v; want one number or %d", name, v, n)
	return nil
}

func (c *conv) init(op string, n, in, out int, kernel []int, opts []ConvOptions) {
	c.o = door.Option(op, opts)
	if c.o.Groups == 0 {
		c.o.Groups = 1
	}
	g := c.o.Groups
	if g < 0 || in%g != 0 || out%g != 0 {
		refuse(lucid.ErrValue, op, "%d groups do not divide %d input and %d output channels", g, in, out)
	}
	kernel = spread(op, "kernel size", kernel, n, 0)
	edge := edges(op, n, kernel, c.o)
	w := lucid.With{DType: c.o.DType, Device: c.o.Device}
	c.Weight = parameter(w, append([]int{out, in / g}, kernel...)...)
	if !c.o.NoBias {
		c.Bias = parameter(w, out)
	}
	c.ResetParameters()
	switch c.o.PaddingMode {
	case "", "zeros":
	case "reflect", "replicate", "circular":
		c.edge, c.o.Padding = edge, nil
	default:
		refuse(lucid.ErrValue, op, "PaddingMode is %q; want zeros, reflect, replicate or circular", c.o.PaddingMode)
	}
}

// edges returns the padding as Pad takes it.
func edges(op string, n int, kernel []int, o ConvOptions) (pad []int) {
	sizes := make([]int, n)
	dilation := spread(op, "dilation", o.Dilation, n, 1)
	same := false
	switch p := o.Padding.(type) {
	case nil:
	case int:
		sizes = spread(op, "padding", []int{p}, n, 0)
	case []int:
		sizes = spread(op, "padding", p, n, 0)
	case string:
		same = p == "same"
		if !same && p != "valid" {
			refuse(lucid.ErrValue, op, "padding is %q; want same or valid", p)
		}
		if stride := spread(op, "stride", o.Stride, n, 1); same && slices.Max(stride) > 1 {
			refuse(lucid.ErrValue, op, "padding is same with strides %v, which change the size; give numbers", stride)
		}
	default:
		refuse(lucid.ErrValue, op, "padding is a %T; want an int, []int or a string", p)
	}
	for i := n - 1; i >= 0; i-- {
		if total := dilation[i] * (kernel[i] - 1); same {
			pad = append(pad, total/2, total-total/2)
		} else {
			pad = append(pad, sizes[i], sizes[i])
		}
	}
	return pad
}

// ResetParameters draws the starting values anew.
func (c *conv) ResetParameters() { resetUniform(c.Weight, c.Bias) }

func (c *conv) run(m Module, x *lucid.Tensor, f func(x, w *lucid.Tensor, o ...F.ConvOptions) *lucid.Tensor) *lucid.Tensor {
	if c.edge != nil {
		if c.o.ChannelsLast {
			x = channelsFirst(x)
		}
		if x = F.Pad(x, c.edge, F.PadOptions{Mode: c.o.PaddingMode}); c.o.ChannelsLast {
			x = channelsLast(x)
		}
	}
	return f(x, Use(m, c.Weight), F.ConvOptions{Bias: Use(m, c.Bias), Stride: c.o.Stride, Padding: c.o.Padding,
		Dilation: c.o.Dilation, Groups: c.o.Groups, ChannelsLast: c.o.ChannelsLast})
}

// ConvTransposeOptions say how a transposed convolution is made; the zero value is PyTorch's default.
type ConvTransposeOptions struct {
	Stride        []int        // nil: 1
	Padding       []int        // taken off the full result at both ends; nil: 0
	OutputPadding []int        // added at the end; nil: 0
	Groups        int          // 0 means 1
	NoBias        bool         // no bias
	Dilation      []int        // nil: 1
	DType         lucid.DType  // of the parameters; zero: the default float
	Device        lucid.Device // of the parameters; zero: the default device

	ChannelsLast bool // take (B, …, C) and give (B, …, out), as MLX's layers do; the weight stays as it is
}

// convTranspose is what the transposed convolutions share.
type convTranspose struct {
	Weight *lucid.Tensor // (in, out/groups, kernel...)
	Bias   *lucid.Tensor // (out), nil without bias
	o      ConvTransposeOptions
}

func (c *convTranspose) init(op string, n, in, out int, kernel []int, opts []ConvTransposeOptions) {
	c.o = door.Option(op, opts)
	if c.o.Groups == 0 {
		c.o.Groups = 1
	}
	g := c.o.Groups
	if g < 0 || in%g != 0 || out%g != 0 {
		refuse(lucid.ErrValue, op, "%d groups do not divide %d input and %d output channels", g, in, out)
	}
	w := lucid.With{DType: c.o.DType, Device: c.o.Device}
	c.Weight = parameter(w, append([]int{in, out / g}, spread(op, "kernel size", kernel, n, 0)...)...)
	if !c.o.NoBias {
		c.Bias = parameter(w, out)
	}
	c.ResetParameters()
}

// ResetParameters draws the starting values anew.
func (c *convTranspose) ResetParameters() {
	fan, _ := nninit.Fans(c.Weight)
	b := 1 / math.Sqrt(float64(max(fan, 1)))
	nninit.Uniform_(c.Weight, -b, b)
	if c.Bias != nil {
		nninit.Uniform_(c.Bias, -b, b)
	}
}

func (c *convTranspose) run(m Module, x *lucid.Tensor, f func(x, w *lucid.Tensor,
	o ...F.ConvTransposeOptions) *lucid.Tensor) *lucid.Tensor {
	if c.o.ChannelsLast {
		x = channelsFirst(x)
	}
	y := f(x, Use(m, c.Weight), F.ConvTransposeOptions{Bias: Use(m, c.Bias), Stride: c.o.Stride, Padding: c.o.Padding,
		OutputPadding: c.o.OutputPadding, Groups: c.o.Groups, Dilation: c.o.Dilation})
	if c.o.ChannelsLast {
		y = channelsLast(y)
	}
	return y
}

// Conv1d is a convolution over the last 1 dimension of (B, C, L).
type Conv1d struct {
	Base
	conv
}

// NewConv1d returns it; kernel has one number for all dimensions, or one for each.
func NewConv1d(in, out int, kernel []int, opts ...ConvOptions) *Conv1d {
	m := &Conv1d{}
	m.init("conv1d", 1, in, out, kernel, opts)
	return m
}

// Forward convolves x.
func (m *Conv1d) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, m.run(m, x, F.Conv1d))
}

// Conv2d is a convolution over the last 2 dimensions of (B, C, H, W).
type Conv2d struct {
	Base
	conv
}

// NewConv2d returns it; kernel has one number for all dimensions, or one for each.
func NewConv2d(in, out int, kernel []int, opts ...ConvOptions) *Conv2d {
	m := &Conv2d{}
	m.init("conv2d", 2, in, out, kernel, opts)
	return m
}

// Forward convolves x.
func (m *Conv2d) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, m.run(m, x, F.Conv2d))
}

// Conv3d is a convolution over the last 3 dimensions of (B, C, D, H, W).
type Conv3d struct {
	Base
	conv
}

// NewConv3d returns it; kernel has one number for all dimensions, or one for each.
func NewConv3d(in, out int, kernel []int, opts ...ConvOptions) *Conv3d {
	m := &Conv3d{}
	m.init("conv3d", 3, in, out, kernel, opts)
	return m
}

// Forward convolves x.
func (m *Conv3d) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, m.run(m, x, F.Conv3d))
}

// ConvTranspose1d is the gradient of a convolution as a layer, over the last 1 dimension of (B, C, L).
type ConvTranspose1d struct {
	Base
	convTranspose
}

// NewConvTranspose1d returns it; kernel has one number for all dimensions, or one for each.
func NewConvTranspose1d(in, out int, kernel []int, opts ...ConvTransposeOptions) *ConvTranspose1d {
	m := &ConvTranspose1d{}
	m.init("conv_transpose1d", 1, in, out, kernel, opts)
	return m
}

// Forward applies it to x.
func (m *ConvTranspose1d) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, m.run(m, x, F.ConvTranspose1d))
}

// ConvTranspose2d is the gradient of a convolution as a layer, over the last 2 dimensions of (B, C, H, W).
type ConvTranspose2d struct {
	Base
	convTranspose
}

// NewConvTranspose2d returns it; kernel has one number for all dimensions, or one for each.
func NewConvTranspose2d(in, out int, kernel []int, opts ...ConvTransposeOptions) *ConvTranspose2d {
	m := &ConvTranspose2d{}
	m.init("conv_transpose2d", 2, in, out, kernel, opts)
	return m
}

// Forward applies it to x.
func (m *ConvTranspose2d) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, m.run(m, x, F.ConvTranspose2d))
}

// ConvTranspose3d is the gradient of a convolution as a layer, over the last 3 dimensions of (B, C, D, H, W).
type ConvTranspose3d struct {
	Base
	convTranspose
}

// NewConvTranspose3d returns it; kernel has one number for all dimensions, or one for each.
func NewConvTranspose3d(in, out int, kernel []int, opts ...ConvTransposeOptions) *ConvTranspose3d {
	m := &ConvTranspose3d{}
	m.init("conv_transpose3d", 3, in, out, kernel, opts)
	return m
}

// Forward applies it to x.
func (m *ConvTranspose3d) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, m.run(m, x, F.ConvTranspose3d))
}
