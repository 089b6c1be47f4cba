package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/fault"
)

// ConvGeneralOptions are those of the convolution under all others. A list has one number for each spatial dimension, or one for all.
type ConvGeneralOptions struct {
	Stride         []int // nil: 1
	Padding        any   // zeros around the input: an int, []int, or [][]int{before, behind}; nil: 0. Negative numbers crop
	KernelDilation []int // nil: 1
	InputDilation  []int // nil: 1; zeros between the input's elements, less one
	Groups         *int  // nil: 1
	Flip           bool  // reverse the kernel: a convolution in the strict sense
}

// ConvGeneral slides kernels over one to three spatial dimensions: x is (N, C, …), weight (O, C/groups, …).
//
//lucid:pkg nn/functional
//lucid:amp half
func ConvGeneral(x, weight *Node, o ConvGeneralOptions) *Node {
	const op = "conv_general"
	rank := weight.Rank() - 2
	if rank < 1 || rank > 3 {
		fault.Throw(fault.Shape, op, "weight has shape %v; want (O, C/groups, …) with one to three spatial dimensions", weight.Shape())
	}
	requireRank(op, "input", x, rank+2)
	x, w, _, _ := convOperands(op, rank, x, weight, nil)
	g := groupsOf(op, o.Groups)
	if x.Dim(1) != g*w.Dim(1) || w.Dim(0)%g != 0 {
		fault.Throw(fault.Shape, op,
			"input %v and weight %v do not fit with groups %d; want input (N, C, …) and weight (O, C/groups, …), O a multiple of groups",
			x.Shape(), w.Shape(), g)
	}
	c := attr.Conv{Stride: perDim(op, "stride", o.Stride, rank, 1, 1),
		KernelDilation: perDim(op, "kernel_dilation", o.KernelDilation, rank, 1, 1),
		InputDilation:  perDim(op, "input_dilation", o.InputDilation, rank, 1, 1), Groups: g, Flip: o.Flip}
	const least = -most // padding may crop
	pads := func(p []int) attr.Ints { return perDim(op, "padding", p, rank, 0, least) }
	switch p := o.Padding.(type) {
	case nil:
		c.Low = pads(nil)
		c.High = c.Low
	case int:
		c.Low = pads([]int{p})
		c.High = c.Low
	case []int:
		c.Low = pads(p)
		c.High = c.Low
	case [][]int:
		if len(p) != 2 {
			fault.Throw(fault.Value, op, "padding holds %d lists; want one for before and one for behind", len(p))
		}
		c.Low, c.High = pads(p[0]), pads(p[1])
	default:
		fault.Throw(fault.DType, op, "padding is a %T; want an int, []int or [][]int", o.Padding)
	}
	return convFinish(op, c, x, w, nil, false, false)
}

// ConvolveOptions says which part of the result: "full" (the default), "same" as long as the longer operand, or "valid".
type ConvolveOptions struct {
	Mode string // "full" (also by ""), "same": as long as the longer operand, or "valid"
}

// Convolve returns the convolution of two vectors in the strict sense, as NumPy and MLX define it.
//
//lucid:pkg nn/functional
//lucid:amp half
func Convolve(x, weight *Node, o ConvolveOptions) *Node {
	const op = "convolve"
	requireRank(op, "input", x, 1)
	requireRank(op, "weight", weight, 1)
	if x.Dim(0) < weight.Dim(0) {
		x, weight = weight, x
	}
	n := weight.Dim(0)
	if n == 0 {
		fault.Throw(fault.Shape, op, "an operand is empty: %v and %v", x.Shape(), weight.Shape())
	}
	pads := [][]int{{n - 1}, {n - 1}}
	switch o.Mode {
	case "", "full":
	case "same":
		pads = [][]int{{n / 2}, {n - 1 - n/2}}
	case "valid":
		pads = [][]int{{0}, {0}}
	default:
		fault.Throw(fault.Value, op, "mode is %q; want \"full\", \"same\" or \"valid\"", o.Mode)
	}
	y := ConvGeneral(Reshape(x, 1, 1, -1), Reshape(weight, 1, 1, -1), ConvGeneralOptions{Padding: pads, Flip: true})
	return Reshape(y, y.Dim(2))
}
