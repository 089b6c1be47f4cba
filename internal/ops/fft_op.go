package ops

import (
	"math"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// The three transforms that have kernels: complex to complex, real to half a spectrum, half a spectrum to real. They are linear,
// so a JVP is the op itself. A VJP is the conjugate transpose: the other direction with the same scale. Between real numbers
// and half a spectrum, the bins that stand for two (all but the first and the one at n/2) are counted once by one op and twice by
// its transpose; attr.HalfFFT.Middle says how often.
var opFFT, opRealFFT, opFFTReal *graph.Op

func init() {
	opFFT = graph.Register(graph.Op{Name: "fft_c2c", Version: 1, Kind: graph.Other,
		Inputs: graph.Exactly(1), DTypes: dtype.SetComplex, Validate: rule(validateFFT), Infer: inferSame, InPlace: 1,
		VMap: func(n *Node, in []*Node, _ []bool, _ int) []*Node {
			a := n.Attr().(attr.FFT)
			a.Axes = nextAxes(a.Axes)
			return []*Node{graph.New(opFFT, a, in[0])}
		},
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node {
			a := n.Attr().(attr.FFT)
			a.Inverse = !a.Inverse
			return []*Node{graph.New(opFFT, a, cot[0])}
		},
		JVP: func(n *Node, tan []*Node) []*Node { return []*Node{graph.New(opFFT, n.Attr(), tan[0])} }})
	opRealFFT = graph.Register(graph.Op{Name: "fft_r2c", Version: 1, Kind: graph.Other,
		Inputs: graph.Exactly(1), DTypes: dtype.SetOf(dtype.Float32, dtype.Float64), Validate: rule(validateRealFFT),
		Infer: func(a attr.Attr, in []*Node) []graph.Spec {
			h := a.(attr.HalfFFT)
			return []graph.Spec{{Shape: resizedAxis(in[0], h.Axis, h.N/2+1), DType: in[0].DType().Complex()}}
		},
		VMap: vmapHalfFFT,
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node {
			h := n.Attr().(attr.HalfFFT)
			bins := cot[0]
			if h.Others != "" {
				bins = graph.New(opFFT, attr.FFT{Axes: h.Others, Inverse: !h.Inverse, Scale: 1}, bins)
			}
			h.Inverse, h.Middle, h.Others = !h.Inverse, h.Middle/2, ""
			return []*Node{graph.New(opFFTReal, h, bins)}
		},
		JVP: func(n *Node, tan []*Node) []*Node { return []*Node{graph.New(opRealFFT, n.Attr(), tan[0])} }})
	opFFTReal = graph.Register(graph.Op{Name: "fft_c2r", Version: 1, Kind: graph.Other,
		Inputs: graph.Exactly(1), DTypes: dtype.SetComplex, Validate: rule(validateFFTReal),
		Infer: func(a attr.Attr, in []*Node) []graph.Spec {
			h := a.(attr.HalfFFT)
			return []graph.Spec{{Shape: resizedAxis(in[0], h.Axis, h.N), DType: in[0].DType().Real()}}
		},
		VMap: vmapHalfFFT,
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node {
			h := n.Attr().(attr.HalfFFT)
			h.Inverse, h.Middle = !h.Inverse, h.Middle*2
			return []*Node{graph.New(opRealFFT, h, cot[0])}
		},
		JVP: func(n *Node, tan []*Node) []*Node { return []*Node{graph.New(opFFTReal, n.Attr(), tan[0])} }})
}

func vmapHalfFFT(n *Node, in []*Node, _ []bool, _ int) []*Node {
	h := n.Attr().(attr.HalfFFT)
	h.Axis, h.Others = h.Axis+1, nextAxes(h.Others)
	return []*Node{graph.New(n.Op(), h, in[0])}
}

// nextAxes are the dimensions after a new first one.
func nextAxes(a attr.Ints) attr.Ints {
	axes := a.Slice()
	for i := range axes {
		axes[i]++
	}
	return attr.MakeInts(axes...)
}

// resizedAxis is x's shape with another size along one dimension.
func resizedAxis(x *Node, axis, size int) *shape.Shape {
	dims := x.Shape().Clone()
	dims[axis] = size
	return shape.Of("fft", dims...)
}

// transformed checks a dimension that a transform runs along, and its scale.
func (c check) transformed(axis int, scale float64) {
	c.axis(axis, c.in[0])
	c.must(c.in[0].Dim(axis) >= 1, "over no elements: dim %d of %v", axis, c.in[0].Shape())
	c.must(!math.IsNaN(scale) && !math.IsInf(scale, 0), "with the factor %v", scale)
}

func validateFFT(c check) {
	a := attrOf[attr.FFT](c)
	c.transformedOnce(a.Axes.Slice(), a.Scale)
}

// transformedOnce checks dimensions that a transform runs along, one after the other.
func (c check) transformedOnce(axes []int, scale float64) {
	seen := map[int]bool{}
	for _, axis := range axes {
		c.transformed(axis, scale)
		c.must(!seen[axis], "over dim %d twice", axis)
		seen[axis] = true
	}
}

func validateRealFFT(c check) {
	h := attrOf[attr.HalfFFT](c)
	c.transformedOnce(append(h.Others.Slice(), h.Axis), h.Scale)
	c.transformed(h.Axis, h.Middle)
	c.must(h.N == c.in[0].Dim(h.Axis), "of %d elements along dim %d of %v", h.N, h.Axis, c.in[0].Shape())
}

func validateFFTReal(c check) {
	h := attrOf[attr.HalfFFT](c)
	c.transformed(h.Axis, h.Scale)
	c.transformed(h.Axis, h.Middle)
	c.must(h.Others == "", "with other dimensions: transform them before")
	bins := c.in[0].Dim(h.Axis)
	c.must(h.N >= 1 && h.N <= most && h.N/2+1 == bins, "%d elements of the bins along dim %d of %v", h.N, h.Axis, c.in[0].Shape())
}
