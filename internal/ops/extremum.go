package ops

import (
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

var opAmax, opAmin, opArgmax, opArgmin *graph.Op

// ArgOptions says along which dimension to look; nil means over the flattened tensor.
type ArgOptions struct {
	Dim     *int // nil: over the flattened tensor
	KeepDim bool // reduced dimensions stay, with size 1
}

func init() {
	opAmax = sharing("amax")
	opAmin = sharing("amin")
	opArgmax = graph.Register(graph.Op{Name: "argmax", Version: 1, Kind: graph.Reduce,
		Inputs: graph.Exactly(1), Validate: rule(validateReduceOrdered),
		Infer: inferReduceTo(dtype.Int64), VMap: vmapReduce, NoGrad: isIndex})
	opArgmin = graph.Register(graph.Op{Name: "argmin", Version: 1, Kind: graph.Reduce,
		Inputs: graph.Exactly(1), Validate: rule(validateReduceOrdered),
		Infer: inferReduceTo(dtype.Int64), VMap: vmapReduce, NoGrad: isIndex})
}

const isIndex = "its result is a position"

// sharing declares a reduction that picks one of the folded values: the gradient is shared evenly by those that tie,
// NaN among them.
func sharing(name string) *graph.Op {
	share := func(n *Node) (*Node, *Node) {
		x, y := n.In(0), unreduce(n, n)
		same := Eq(x, y)
		if n.DType().IsFloat() {
			same = LogicalOr(same, LogicalAnd(IsNaN(x), IsNaN(y)))
		}
		hit := Cast(same, n.DType())
		return hit, graph.New(opSum, n.Attr(), hit)
	}
	return graph.Register(graph.Op{Name: name, Version: 1, Kind: graph.Reduce,
		Inputs: graph.Exactly(1), Validate: rule(validateReduceOrdered),
		Infer: inferReduce, VMap: vmapReduce, SavesIn: 1, SavesOut: true,
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node {
			hit, count := share(n)
			return []*Node{Mul(hit, unreduce(Div(cot[0], count), n))}
		},
		JVP: func(n *Node, tan []*Node) []*Node {
			hit, count := share(n)
			return []*Node{Div(graph.New(opSum, n.Attr(), Mul(hit, tan[0])), count)}
		}})
}

func requireOrder(op string, x *Node) {
	requireKind(op, x, !x.DType().IsComplex(), "numbers with an order")
}

// noDType refuses the option where the result's dtype is not the caller's to choose.
func noDType(op string, o ReduceOptions) {
	if o.DType != dtype.Invalid {
		fault.Throw(fault.Value, op, "takes no dtype, got %v; cast the input or the result", o.DType)
	}
}

// Amax returns the largest element over the dimensions; NaN if there is one.
//
//lucid:func
//lucid:method Max(dim ...int)
func Amax(x *Node, o ReduceOptions) *Node {
	requireOrder("amax", x)
	noDType("amax", o)
	nonEmpty("amax", x, shape.Axes("amax", o.Dim, x.Rank()))
	return reduce(opAmax, x, o.Dim, o.KeepDim)
}

// Amin returns the smallest element over the dimensions; NaN if there is one.
//
//lucid:func
//lucid:method Min(dim ...int)
func Amin(x *Node, o ReduceOptions) *Node {
	requireOrder("amin", x)
	noDType("amin", o)
	nonEmpty("amin", x, shape.Axes("amin", o.Dim, x.Rank()))
	return reduce(opAmin, x, o.Dim, o.KeepDim)
}

// Aminmax returns the smallest and the largest element along a dimension, or of all.
//
//lucid:func AMinMax
//lucid:method AMinMax(dim int)
func Aminmax(x *Node, o ArgOptions) (min, max *Node) {
	e := ReduceOptions{KeepDim: o.KeepDim}
	if o.Dim != nil {
		e.Dim = []int{*o.Dim}
	}
	return Amin(x, e), Amax(x, e)
}

func argExtremum(op *graph.Op, x *Node, o ArgOptions) *Node {
	requireOrder(op.Name, x)
	if o.Dim == nil {
		keep := shape.Of(op.Name, ones(x.Rank())...)
		flat := Reshape(x, x.Shape().Numel())
		nonEmpty(op.Name, flat, []int{0})
		r := reduce(op, flat, []int{0}, false)
		if o.KeepDim {
			r = reshapeTo(r, keep)
		}
		return r
	}
	if x.Rank() == 0 {
		shape.Axis(op.Name, *o.Dim, 0)
		return Cast(zerosLike(x), dtype.Int64) // the index of one element
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

// KeepOptions says whether the dimension that is folded stays with size 1.
type KeepOptions struct {
	KeepDim bool // reduced dimensions stay, with size 1
}

// at reads, along a dimension, the elements that positions of a reduction with KeepDim name; then it drops the
// dimension unless KeepDim is set.
func at(x, idx *Node, axis int, keep bool) (values, indices *Node) {
	if x.Rank() == 0 {
		return x, idx
	}
	v := gather(x, idx, axis)
	if keep {
		return v, idx
	}
	s := shape.Reduced("reduce", x.Shape(), []int{axis}, false)
	return reshapeTo(v, s), reshapeTo(idx, s)
}

func extremeIndices(name string, op *graph.Op, x *Node, dim int, o KeepOptions) (values, indices *Node) {
	axis := shape.Axis(name, dim, x.Rank())
	return at(x, argExtremum(op, x, ArgOptions{Dim: &dim, KeepDim: true}), axis, o.KeepDim)
}

// MaxIndices returns the largest elements along a dimension and the first positions they have.
//
//lucid:func
//lucid:method
func MaxIndices(x *Node, dim int, o KeepOptions) (values, indices *Node) {
	return extremeIndices("max", opArgmax, x, dim, o)
}

// MinIndices returns the smallest elements along a dimension and the first positions they have.
//
//lucid:func
//lucid:method
func MinIndices(x *Node, dim int, o KeepOptions) (values, indices *Node) {
	return extremeIndices("min", opArgmin, x, dim, o)
}

// MaxOf is PyTorch's max in its three forms: of all elements; along dim, with positions; of two tensors, elementwise.
//
//lucid:name max
//lucid:optional other
func MaxOf(x, other *Node, o ArgOptions) []*Node {
	switch {
	case other != nil:
		oneForm("max", o)
		return []*Node{Maximum(x, other)}
	case o.Dim != nil:
		v, i := MaxIndices(x, *o.Dim, KeepOptions{o.KeepDim})
		return []*Node{v, i}
	}
	return []*Node{Amax(x, ReduceOptions{KeepDim: o.KeepDim})}
}

// MinOf is PyTorch's min in its three forms: of all elements; along dim, with positions; of two tensors, elementwise.
//
//lucid:name min
//lucid:optional other
func MinOf(x, other *Node, o ArgOptions) []*Node {
	switch {
	case other != nil:
		oneForm("min", o)
		return []*Node{Minimum(x, other)}
	case o.Dim != nil:
		v, i := MinIndices(x, *o.Dim, KeepOptions{o.KeepDim})
		return []*Node{v, i}
	}
	return []*Node{Amin(x, ReduceOptions{KeepDim: o.KeepDim})}
}

func oneForm(op string, o ArgOptions) {
	if o.Dim != nil || o.KeepDim {
		fault.Throw(fault.Value, op, "got a second tensor and dim or keepdim; give one or the other")
	}
}
