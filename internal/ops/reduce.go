package ops

import (
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

var opSum, opMean, opProd *graph.Op

// ReduceOptions says which dimensions a reduction folds: none given means all.
type ReduceOptions struct {
	Dim     []int       // none: all
	KeepDim bool        // reduced dimensions stay, with size 1
	DType   dtype.DType // of the sum; zero: the input's, integers summing as int64
}

// folded gives the dimensions a reduction folds and whether they stay with size 1.
func folded(a attr.Attr) (attr.Ints, bool) {
	switch a := a.(type) {
	case attr.Var:
		return a.Axes, a.Keep
	case attr.Norm:
		return a.Axes, a.Keep
	}
	r := a.(attr.Axes)
	return r.Axes, r.Keep
}

func inferReduce(a attr.Attr, in []*Node) []graph.Spec {
	axes, keep := folded(a)
	return []graph.Spec{{Shape: shape.Reduced("reduce", in[0].Shape(), axes.Slice(), keep), DType: in[0].DType()}}
}

// inferReduceReal is inferReduce for results that are real where the input is complex.
func inferReduceReal(a attr.Attr, in []*Node) []graph.Spec {
	s := inferReduce(a, in)
	s[0].DType = s[0].DType.Real()
	return s
}

func inferReduceTo(d dtype.DType) func(attr.Attr, []*Node) []graph.Spec {
	return func(a attr.Attr, in []*Node) []graph.Spec {
		s := inferReduce(a, in)
		s[0].DType = d
		return s
	}
}

// vmapReduce shifts the folded dimensions past the extra axis.
func vmapReduce(n *Node, in []*Node, _ []bool, _ int) []*Node {
	old, _ := folded(n.Attr())
	axes := old.Slice()
	for i := range axes {
		axes[i]++
	}
	moved := attr.MakeInts(axes...)
	var a attr.Attr
	switch r := n.Attr().(type) {
	case attr.Var:
		r.Axes = moved
		a = r
	case attr.Norm:
		r.Axes = moved
		a = r
	case attr.Axes:
		r.Axes = moved
		a = r
	}
	return []*Node{graph.New(n.Op(), a, in[0])}
}

// unreduce shows a reduction's result, or its cotangent, with the input's shape.
func unreduce(x, n *Node) *Node {
	axes, _ := folded(n.Attr())
	return broadcastTo(reshapeTo(x, shape.Reduced("reduce", n.In(0).Shape(), axes.Slice(), true)), n.In(0).Shape())
}

// sumLike sums x over the dimensions that n folds.
func sumLike(n, x *Node) *Node {
	axes, keep := folded(n.Attr())
	return graph.New(opSum, attr.Axes{Axes: axes, Keep: keep}, x)
}

// count is how many elements a reduction folds into one.
func count(x *Node, axes []int) int {
	c := 1
	for _, a := range axes {
		c *= x.Dim(a)
	}
	return c
}

func init() {
	opSum = graph.Register(graph.Op{Name: "sum", Version: 1, Kind: graph.Reduce,
		Inputs: graph.Exactly(1), Validate: rule(validateReduce),
		AMP: graph.AMPFloat32, Infer: inferReduce, VMap: vmapReduce,
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node { return []*Node{unreduce(cot[0], n)} },
		JVP: func(n *Node, tan []*Node) []*Node { return []*Node{graph.New(n.Op(), n.Attr(), tan[0])} }})
	opMean = graph.Register(graph.Op{Name: "mean", Version: 1, Kind: graph.Reduce,
		Inputs: graph.Exactly(1), Validate: rule(validateReduceInexact),
		Infer: inferReduce, VMap: vmapReduce,
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node {
			axes, _ := folded(n.Attr())
			return []*Node{unreduce(Div(cot[0], float64(count(n.In(0), axes.Slice()))), n)}
		},
		JVP: func(n *Node, tan []*Node) []*Node { return []*Node{graph.New(n.Op(), n.Attr(), tan[0])} }})
	opProd = graph.Register(graph.Op{Name: "prod", Version: 1, Kind: graph.Reduce,
		Inputs: graph.Exactly(1), Validate: rule(validateReduce),
		AMP: graph.AMPFloat32, Infer: inferReduce, VMap: vmapReduce, SavesIn: 1,
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node {
			return []*Node{Mul(unreduce(cot[0], n), conj(prodOfOthers(n)))}
		},
		JVP: func(n *Node, tan []*Node) []*Node {
			return []*Node{graph.New(opSum, n.Attr(), Mul(tan[0], prodOfOthers(n)))}
		}})
}

// reduce records a reduction over the given dimensions.
func reduce(op *graph.Op, x *Node, dims []int, keep bool) *Node {
	axes := shape.Axes(op.Name, dims, x.Rank())
	return apply(op, attr.Axes{Axes: attr.MakeInts(axes...), Keep: keep}, x)
}

func sumKeep(x *Node, axes []int, keep bool) *Node { return reduce(opSum, x, axes, keep) }

// summable casts what does not sum in its own dtype: bools and integers sum as int64.
func summable(x *Node, d dtype.DType) *Node {
	switch {
	case d != dtype.Invalid:
		return Cast(x, d)
	case !x.DType().IsInexact():
		return Cast(x, dtype.Int64)
	}
	return x
}

// Sum returns the sum over the dimensions; of nothing it is 0. Integers and bools sum as int64.
//
//lucid:func
//lucid:method Sum(dim ...int)
func Sum(x *Node, o ReduceOptions) *Node {
	if x.DType() == dtype.Bool && (o.DType == dtype.Invalid || o.DType == dtype.Int64) {
		return reduce(opCountNonzero, x, o.Dim, o.KeepDim)
	}
	return reduce(opSum, summable(x, o.DType), o.Dim, o.KeepDim)
}

// Mean returns the average over the dimensions; of nothing it is NaN.
//
//lucid:func
//lucid:method Mean(dim ...int)
func Mean(x *Node, o ReduceOptions) *Node {
	if o.DType != dtype.Invalid {
		x = Cast(x, o.DType)
	}
	requireKind("mean", x, x.DType().IsInexact(), "a floating or complex dtype; cast first, or give DType")
	return reduce(opMean, x, o.Dim, o.KeepDim)
}

// Prod returns the product over the dimensions; of nothing it is 1.
//
//lucid:func
//lucid:method Prod(dim ...int)
func Prod(x *Node, o ReduceOptions) *Node {
	return reduce(opProd, summable(x, o.DType), o.Dim, o.KeepDim)
}

// nonEmpty refuses to look for an extremum of nothing.
func nonEmpty(op string, x *Node, axes []int) {
	for _, a := range axes {
		if x.Dim(a) == 0 {
			fault.Throw(fault.Shape, op, "dim %d of %v is empty: there is no such element of nothing", a, x.Shape())
		}
	}
}

// foldedLast brings the folded dimensions of a reduction's input to the end as one, and returns how to go back.
func foldedLast(n *Node) (y *Node, back func(*Node) *Node) {
	x := n.In(0)
	axes, _ := folded(n.Attr())
	var order []int
	rest := 1
	for i := range x.Rank() {
		if !axes.Contains(i) {
			order = append(order, i)
			rest *= x.Dim(i)
		}
	}
	order = append(order, axes.Slice()...)
	p := permute(x, order)
	y = reshapeTo(p, shape.Of(n.Op().Name, rest, count(x, axes.Slice())))
	inv := make([]int, len(order))
	for i, o := range order {
		inv[o] = i
	}
	return y, func(z *Node) *Node { return permute(reshapeTo(z, p.Shape()), inv) }
}

// prodOfOthers gives, for every element, the product of the others that are folded with it: without dividing, so
// that zeros do no harm. It is the exclusive product from the left times the one from the right.
func prodOfOthers(n *Node) *Node {
	y, back := foldedLast(n)
	if y.Dim(1) <= 1 {
		return OnesLike(n.In(0))
	}
	return back(Mul(exclusive(opCumprod, y, 1, 1, false), exclusive(opCumprod, y, 1, 1, true)))
}

// exclusive is a scan that leaves each element itself out, starting from the neutral element.
func exclusive(op *graph.Op, x *Node, axis int, neutral float64, reverse bool) *Node {
	m := x.Dim(axis)
	if m == 0 {
		return x
	}
	one := broadcastTo(constLike(x, neutral), resizedAxis(x, axis, 1))
	parts := []*Node{one, SliceDim(x, axis, 0, m-1, 1)}
	if reverse {
		parts = []*Node{SliceDim(x, axis, 1, m-1, 1), one}
	}
	return apply(op, attr.Scan{Axis: axis, Reverse: reverse}, concat(slices.Clone(parts), axis))
}
