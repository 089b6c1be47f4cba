package ops

import (
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

var opSum, opProd, opAmax, opAmin, opAny, opAll, opArgmax, opArgmin *graph.Op

// ReduceOptions says which dimensions a reduction folds: none given means all.
type ReduceOptions struct {
	Dim     []int
	KeepDim bool
	DType   dtype.DType // of the sum; zero: the input's, integers summing as int64
}

// ArgOptions says along which dimension to look; nil means over the flattened tensor.
type ArgOptions struct {
	Dim     *int
	KeepDim bool
}

func inferReduce(a attr.Attr, in []*Node) []graph.Spec {
	r := a.(attr.Axes)
	return []graph.Spec{{Shape: shape.Reduced("reduce", in[0].Shape(), r.Axes.Slice(), r.Keep), DType: in[0].DType()}}
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
	r := n.Attr().(attr.Axes)
	axes := r.Axes.Slice()
	for i := range axes {
		axes[i]++
	}
	return []*Node{graph.New(n.Op(), attr.Axes{Axes: attr.MakeInts(axes...), Keep: r.Keep}, in[0])}
}

// unreduce shows a reduction's result, or its cotangent, with the input's shape.
func unreduce(x, n *Node) *Node {
	r := n.Attr().(attr.Axes)
	return broadcastTo(reshapeTo(x, shape.Reduced("reduce", n.In(0).Shape(), r.Axes.Slice(), true)), n.In(0).Shape())
}

func init() {
	opSum = graph.Register(graph.Op{Name: "sum", Version: 1, Kind: graph.Reduce, AMP: graph.AMPFloat32, Infer: inferReduce, VMap: vmapReduce,
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node { return []*Node{unreduce(cot[0], n)} },
		JVP: func(n *Node, tan []*Node) []*Node { return []*Node{graph.New(n.Op(), n.Attr(), tan[0])} }})
	opProd = graph.Register(graph.Op{Name: "prod", Version: 1, Kind: graph.Reduce, AMP: graph.AMPFloat32, Infer: inferReduce, VMap: vmapReduce, SavesIn: 1,
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node {
			return []*Node{Mul(unreduce(cot[0], n), conj(prodOfOthers(n)))}
		},
		JVP: func(n *Node, tan []*Node) []*Node {
			return []*Node{graph.New(opSum, n.Attr(), Mul(tan[0], prodOfOthers(n)))}
		}})
	opAmax = extremum("amax")
	opAmin = extremum("amin")
	opAny = graph.Register(graph.Op{Name: "any", Version: 1, Kind: graph.Reduce, Infer: inferReduceTo(dtype.Bool), VMap: vmapReduce, NoGrad: isTest})
	opAll = graph.Register(graph.Op{Name: "all", Version: 1, Kind: graph.Reduce, Infer: inferReduceTo(dtype.Bool), VMap: vmapReduce, NoGrad: isTest})
	opArgmax = graph.Register(graph.Op{Name: "argmax", Version: 1, Kind: graph.Reduce, Infer: inferReduceTo(dtype.Int64), VMap: vmapReduce, NoGrad: "its result is a position"})
	opArgmin = graph.Register(graph.Op{Name: "argmin", Version: 1, Kind: graph.Reduce, Infer: inferReduceTo(dtype.Int64), VMap: vmapReduce, NoGrad: "its result is a position"})
}

// extremum declares amax or amin: the gradient is shared evenly by the elements that tie.
func extremum(name string) *graph.Op {
	share := func(n *Node) (*Node, *Node) {
		hit := Cast(Eq(n.In(0), unreduce(n, n)), n.DType())
		return hit, graph.New(opSum, n.Attr(), hit)
	}
	return graph.Register(graph.Op{Name: name, Version: 1, Kind: graph.Reduce, Infer: inferReduce, VMap: vmapReduce, SavesIn: 1, SavesOut: true,
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node {
			hit, count := share(n)
			return []*Node{Mul(hit, unreduce(Div(cot[0], count), n))}
		},
		JVP: func(n *Node, tan []*Node) []*Node {
			hit, count := share(n)
			return []*Node{Div(graph.New(opSum, n.Attr(), Mul(hit, tan[0])), count)}
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
	case x.DType() == dtype.Uint64:
		return x
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
	x = summable(x, o.DType)
	return reduce(opSum, x, o.Dim, o.KeepDim)
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
	s := reduce(opSum, x, o.Dim, o.KeepDim)
	count := 1
	for _, a := range shape.Axes("mean", o.Dim, x.Rank()) {
		count *= x.Dim(a)
	}
	return Div(s, float64(count))
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
			fault.Throw(fault.Shape, op, "dim %d of %v is empty: there is no extremum of nothing", a, x.Shape())
		}
	}
}

// Amax returns the largest element over the dimensions; NaN if there is one.
//
//lucid:func
//lucid:method Max(dim ...int)
//lucid:method Amax(dim ...int)
func Amax(x *Node, o ReduceOptions) *Node {
	nonEmpty("amax", x, shape.Axes("amax", o.Dim, x.Rank()))
	return reduce(opAmax, x, o.Dim, o.KeepDim)
}

// Amin returns the smallest element over the dimensions; NaN if there is one.
//
//lucid:func
//lucid:method Min(dim ...int)
//lucid:method Amin(dim ...int)
func Amin(x *Node, o ReduceOptions) *Node {
	nonEmpty("amin", x, shape.Axes("amin", o.Dim, x.Rank()))
	return reduce(opAmin, x, o.Dim, o.KeepDim)
}

// Any returns whether one element over the dimensions is non-zero.
//
//lucid:func
//lucid:method Any(dim ...int)
func Any(x *Node, o ReduceOptions) *Node { return reduce(opAny, x, o.Dim, o.KeepDim) }

// All returns whether all elements over the dimensions are non-zero.
//
//lucid:func
//lucid:method All(dim ...int)
func All(x *Node, o ReduceOptions) *Node { return reduce(opAll, x, o.Dim, o.KeepDim) }

func argExtremum(op *graph.Op, x *Node, o ArgOptions) *Node {
	requireKind(op.Name, x, !x.DType().IsComplex(), "numbers with an order")
	if o.Dim == nil {
		keep := shape.Of(op.Name, ones(x.Rank())...)
		nonEmpty(op.Name, reshapeTo(x, shape.Of(op.Name, x.Shape().Numel())), []int{0})
		r := reduce(op, Reshape(x, -1), []int{0}, false)
		if o.KeepDim {
			r = reshapeTo(r, keep)
		}
		return r
	}
	if x.Rank() == 0 {
		shape.Axis(op.Name, *o.Dim, 0)
		return reduce(op, x, nil, o.KeepDim)
	}
	axes := shape.Axes(op.Name, []int{*o.Dim}, x.Rank())
	nonEmpty(op.Name, x, axes)
	return reduce(op, x, axes, o.KeepDim)
}

// Argmax returns the position of the first largest element, or of the first NaN, as int64.
//
//lucid:func ArgMax
//lucid:method ArgMax(dim int)
func Argmax(x *Node, o ArgOptions) *Node { return argExtremum(opArgmax, x, o) }

// Argmin returns the position of the first smallest element, or of the first NaN, as int64.
//
//lucid:func ArgMin
//lucid:method ArgMin(dim int)
func Argmin(x *Node, o ArgOptions) *Node { return argExtremum(opArgmin, x, o) }

// prodOfOthers gives, for every element, the product of the others that are folded with it: without dividing, so
// that zeros do no harm. The folded dimensions are brought last and flattened; then it is the exclusive product
// from the left times the one from the right.
func prodOfOthers(n *Node) *Node {
	x, r := n.In(0), n.Attr().(attr.Axes)
	var order []int
	for i := range x.Rank() {
		if !r.Axes.Contains(i) {
			order = append(order, i)
		}
	}
	kept := len(order)
	order = append(order, r.Axes.Slice()...)
	y := permute(x, order)
	back := y.Shape()
	y = Reshape(y, append(slices.Clone(back.Dims()[:kept]), -1)...)
	m := y.Dim(-1)
	if m <= 1 {
		return broadcastTo(constLike(x, 1), x.Shape())
	}
	one := broadcastTo(constLike(y, 1), SliceDim(y, kept, 0, 1, 1).Shape())
	left := concat([]*Node{one, SliceDim(y, kept, 0, m-1, 1)}, kept)
	right := concat([]*Node{SliceDim(y, kept, 1, m-1, 1), one}, kept)
	p := reshapeTo(Mul(cumprodAlong(left, kept, false), cumprodAlong(right, kept, true)), back)
	inv := make([]int, len(order))
	for i, o := range order {
		inv[o] = i
	}
	return permute(p, inv)
}
