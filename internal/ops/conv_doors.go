package ops

import (
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/scope"
)

// ConvOptions are those of a convolution. A list has one number for each spatial dimension, or one for all.
type ConvOptions struct {
	Stride   []int // nil: 1
	Padding  any   // an int, []int, "valid" or "same"; nil: 0
	Dilation []int // nil: 1
	Groups   *int  // nil: 1
	// ChannelsLast takes the input as (N, …, C) and gives (N, …, O), which tensor cores compute fastest; the weight stays
	// (O, C/groups, …), and is read fastest where its own channels are last in memory.
	ChannelsLast bool
}

// ConvTransposeOptions are those of a transposed convolution. A list has one number for each spatial dimension, or one for all.
type ConvTransposeOptions struct {
	Stride        []int // nil: 1
	Padding       []int // taken off the full result at both ends
	OutputPadding []int // added at the end
	Groups        *int  // nil: 1
	Dilation      []int // nil: 1
}

// Conv1d slides kernels over (N, C, L) or (C, L): weight is (O, C/groups, K), bias (O). It is a cross-correlation.
//
//lucid:pkg nn/functional
//lucid:optional bias
//lucid:amp half
func Conv1d(x, weight, bias *Node, o ConvOptions) *Node {
	return convNd("conv1d", 1, x, weight, bias, o)
}

// Conv2d slides kernels over (N, C, H, W) or (C, H, W): weight is (O, C/groups, KH, KW), bias (O). It is a cross-correlation.
//
//lucid:pkg nn/functional
//lucid:optional bias
//lucid:amp half
func Conv2d(x, weight, bias *Node, o ConvOptions) *Node {
	return convNd("conv2d", 2, x, weight, bias, o)
}

// Conv3d slides kernels over (N, C, D, H, W) or (C, D, H, W): weight is (O, C/groups, KD, KH, KW), bias (O). It is a
// cross-correlation.
//
//lucid:pkg nn/functional
//lucid:optional bias
//lucid:amp half
func Conv3d(x, weight, bias *Node, o ConvOptions) *Node {
	return convNd("conv3d", 3, x, weight, bias, o)
}

// ConvTranspose1d is the gradient of Conv1d to its input, as a layer: weight is (C, O/groups, K).
//
//lucid:pkg nn/functional
//lucid:optional bias
//lucid:amp half
func ConvTranspose1d(x, weight, bias *Node, o ConvTransposeOptions) *Node {
	return convTransposeNd("conv_transpose1d", 1, x, weight, bias, o)
}

// ConvTranspose2d is the gradient of Conv2d to its input, as a layer: weight is (C, O/groups, KH, KW).
//
//lucid:pkg nn/functional
//lucid:optional bias
//lucid:amp half
func ConvTranspose2d(x, weight, bias *Node, o ConvTransposeOptions) *Node {
	return convTransposeNd("conv_transpose2d", 2, x, weight, bias, o)
}

// ConvTranspose3d is the gradient of Conv3d to its input, as a layer: weight is (C, O/groups, KD, KH, KW).
//
//lucid:pkg nn/functional
//lucid:optional bias
//lucid:amp half
func ConvTranspose3d(x, weight, bias *Node, o ConvTransposeOptions) *Node {
	return convTransposeNd("conv_transpose3d", 3, x, weight, bias, o)
}

func convNd(op string, rank int, x, w, bias *Node, o ConvOptions) *Node {
	if o.ChannelsLast {
		if x.Rank() != rank+1 && x.Rank() != rank+2 {
			fault.Throw(fault.Shape, op, "input has shape %v; want %d dimensions, or %d without a batch", x.Shape(), rank+2, rank+1)
		}
		x = moveAxis(x, x.Rank()-1, x.Rank()-1-rank)
	}
	x, w, bias, alone := convOperands(op, rank, x, w, bias)
	g := groupsOf(op, o.Groups)
	if x.Dim(1) != g*w.Dim(1) || w.Dim(0)%g != 0 {
		if c := g * w.Dim(1); w.Dim(0)%g == 0 && x.Dim(-1) == c && !o.ChannelsLast {
			fault.Throw(fault.Shape, op, "input %v has %d channels in dim 1, weight %v takes %d; if they stand last, Permute them to dim 1",
				x.Shape(), x.Dim(1), w.Shape(), c)
		}
		fault.Throw(fault.Shape, op,
			"input %v and weight %v do not fit with groups %d; want input (N, C, …) and weight (O, C/groups, …), O a multiple of groups",
			x.Shape(), w.Shape(), g)
	}
	c := attr.Conv{Stride: perDim(op, "stride", o.Stride, rank, 1, 1), KernelDilation: perDim(op, "dilation", o.Dilation, rank, 1, 1),
		InputDilation: attr.MakeInts(ones(rank)...), Groups: g}
	c.Low, c.High = convPadding(op, o.Padding, c, w.Shape().Dims()[2:])
	return convFinish(op, c, x, w, bias, alone, o.ChannelsLast)
}

func convTransposeNd(op string, rank int, x, w, bias *Node, o ConvTransposeOptions) *Node {
	x, w, bias, alone := convOperands(op, rank, x, w, bias)
	g := groupsOf(op, o.Groups)
	if x.Dim(1) != w.Dim(0) || w.Dim(0)%g != 0 {
		fault.Throw(fault.Shape, op,
			"input %v and weight %v do not fit with groups %d; want input (N, C, …) and weight (C, O/groups, …), C a multiple of groups",
			x.Shape(), w.Shape(), g)
	}
	stride, dilation := perDim(op, "stride", o.Stride, rank, 1, 1), perDim(op, "dilation", o.Dilation, rank, 1, 1)
	pad, extra := perDim(op, "padding", o.Padding, rank, 0, 0), perDim(op, "output_padding", o.OutputPadding, rank, 0, 0)
	low, high := make([]int, rank), make([]int, rank)
	for d := range rank {
		if e := extra.At(d); e > 0 && e >= max(stride.At(d), dilation.At(d)) {
			fault.Throw(fault.Value, op, "output_padding %d must be less than stride %d or dilation %d", e, stride.At(d), dilation.At(d))
		}
		low[d] = (w.Dim(2+d)-1)*dilation.At(d) - pad.At(d)
		high[d] = low[d] + extra.At(d)
	}
	c := attr.Conv{Stride: attr.MakeInts(ones(rank)...), InputDilation: stride, KernelDilation: dilation,
		Low: attr.MakeInts(low...), High: attr.MakeInts(high...), Groups: g, Flip: true}
	return convFinish(op, c, x, swapInOut(w, g), bias, alone, false)
}

// convOperands checks ranks, joins dtypes and gives a single example a batch of one.
func convOperands(op string, rank int, x, w, bias *Node) (_, _, _ *Node, alone bool) {
	requireRank(op, "weight", w, rank+2)
	if x.Rank() != rank+1 && x.Rank() != rank+2 {
		fault.Throw(fault.Shape, op, "input has shape %v; want %d dimensions, or %d without a batch", x.Shape(), rank+2, rank+1)
	}
	for d := range rank {
		if n, k := x.Dim(x.Rank()-1-d), w.Dim(-1-d); n > most || k > most {
			fault.Throw(fault.Shape, op, "input %v and weight %v; want spatial dimensions of at most 2³¹", x.Shape(), w.Shape())
		}
	}
	ampHalf(&x, &w, &bias)
	d := resultType(op, x, w)
	requireKind(op, x, d != dtype.Bool, "numbers")
	if bias != nil {
		requireRank(op, "bias", bias, 1)
		bias = storedWhole(op, bias, d)
	}
	if alone = x.Rank() == rank+1; alone {
		x = Unsqueeze(x, 0)
	}
	return Cast(x, d), Cast(w, d), bias, alone
}

func groupsOf(op string, g *int) int {
	if g == nil {
		return 1
	}
	if *g < 1 || *g > most {
		fault.Throw(fault.Value, op, "groups is %d; want at least 1 and at most 2³¹", *g)
	}
	return *g
}

// perDim gives every spatial dimension its number. Numbers are bounded, so that products and sums of a few cannot overflow.
func perDim(op, name string, v []int, rank, def, least int) attr.Ints {
	switch len(v) {
	case 0:
		v = []int{def}
		fallthrough
	case 1:
		v = slices.Repeat(v, rank)
	case rank:
	default:
		fault.Throw(fault.Value, op, "%s %v has %d numbers; want 1 or %d", name, v, len(v), rank)
	}
	for _, k := range v {
		if k < least || k > most {
			fault.Throw(fault.Value, op, "%s is %v; want at least %d and at most 2³¹", name, v, least)
		}
	}
	return attr.MakeInts(v...)
}

// convPadding resolves the padding: "same" adds what keeps the size, an odd one at the end.
func convPadding(op string, p any, c attr.Conv, kernel []int) (low, high attr.Ints) {
	rank := c.Stride.Len()
	switch p := p.(type) {
	case nil:
		return attr.MakeInts(make([]int, rank)...), attr.MakeInts(make([]int, rank)...)
	case int:
		low = perDim(op, "padding", []int{p}, rank, 0, 0)
		return low, low
	case []int:
		low = perDim(op, "padding", p, rank, 0, 0)
		return low, low
	case string:
		lo, hi := make([]int, rank), make([]int, rank)
		if p == "same" {
			for d := range rank {
				if c.Stride.At(d) != 1 {
					fault.Throw(fault.Value, op, "padding \"same\" needs stride 1, got %v", c.Stride)
				}
				total := (kernel[d] - 1) * c.KernelDilation.At(d)
				lo[d], hi[d] = total/2, total-total/2
			}
		}
		if p == "same" || p == "valid" {
			return attr.MakeInts(lo...), attr.MakeInts(hi...)
		}
		fault.Throw(fault.Value, op, "padding is %q; want numbers, \"valid\" or \"same\"", p)
	}
	fault.Throw(fault.DType, op, "padding is a %T; want an int, []int, \"valid\" or \"same\"", p)
	return "", ""
}

// convFinish records the convolution and adds the bias.
func convFinish(op string, c attr.Conv, x, w, bias *Node, alone, last bool) *Node {
	for d := range c.Stride.Len() {
		in, k := x.Dim(2+d), w.Dim(2+d)
		if k == 0 || c.Span(d, in)+c.Low.At(d)+c.High.At(d) < (k-1)*c.KernelDilation.At(d)+1 {
			fault.Throw(fault.Shape, op, "kernel %v does not fit into input %v with padding %v and %v and dilation %v",
				w.Shape(), x.Shape(), c.Low, c.High, c.KernelDilation)
		}
	}
	c.Winograd = scope.Current().Winograd
	c.Sums = bias != nil && allHalf(x, w, bias) && roundsOnce(x, w, bias)
	y, behind := (*Node)(nil), c.Stride.Len()
	if last {
		y, behind = convLast(c, x, w), 0
	} else {
		y = conv(c, x, w)
	}
	if bias != nil {
		if bias.Dim(0) != w.Dim(0) {
			fault.Throw(fault.Shape, op, "bias %v does not fit %d output channels", bias.Shape(), w.Dim(0))
		}
		y = Cast(Add(y, Cast(Reshape(bias, append([]int{bias.Dim(0)}, ones(behind)...)...), y.DType())), x.DType())
	}
	if alone {
		y = Reshape(y, y.Shape().Dims()[1:]...)
	}
	return y
}

// roundsOnce reports whether the device of some operands has convolutions of half types that leave their sums as they are: the host
// has. Others round to the half type twice, before and behind the bias.
func roundsOnce(operands ...*Node) bool {
	for _, x := range operands {
		if d := x.Device(); d != nil && !d.Host {
			return false
		}
	}
	return true
}
