package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/scope"
	"github.com/lucid-go/lucid/internal/shape"
)

// with_grad shows a value that was made from x in a way the gradient shall not see: its derivative by x is given.
var opWithGrad *graph.Op

func init() {
	opWithGrad = graph.Register(graph.Op{Name: "with_grad", Version: 1, Kind: graph.Elementwise,
		Inputs: graph.Exactly(3), DTypes: dtype.SetInexact, Validate: rule(validateWithGrad),
		SavesIn: 4, VMap: vmapElementwise,
		Infer: func(_ attr.Attr, in []*Node) []graph.Spec {
			return []graph.Spec{{Shape: outShape(in...), DType: in[0].DType()}}
		},
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node { return []*Node{nil, Mul(cot[0], n.In(2)), nil} },
		JVP: func(n *Node, tan []*Node) []*Node {
			if tan[1] == nil {
				return []*Node{nil}
			}
			return []*Node{Mul(tan[1], n.In(2))}
		}})
}

// withGrad is value, with the derivative factor by x.
func withGrad(value, x *Node, factor Operand) *Node {
	_, f := promote("with_grad", x, factor)
	return graph.New(opWithGrad, nil, StopGradient(value), x, expandTo(f, x.Shape()))
}

// flatGrad is value, which has x's shape and is constant wherever it has a derivative by x: the gradient is 0, not an error. Where
// none can be asked for it is value itself.
func flatGrad(value, x *Node) *Node {
	if recorded := x.Tape() && !scope.Current().NoGrad || x.Level() != nil; !recorded || !x.DType().IsInexact() {
		return value
	}
	return withGrad(value, x, constLike(x, 0))
}

// EmbeddingOptions: rows at PaddingIdx get no gradient; rows longer than MaxNorm count as scaled down to it;
// ScaleGradByFreq divides the gradient of a row by how often it is looked up.
type EmbeddingOptions struct {
	PaddingIdx      *int     // the row that gets no gradient; nil: none
	MaxNorm         *float64 // rows longer than this are scaled down to it; nil: no bound
	NormType        *float64 // nil: 2
	ScaleGradByFreq bool     // divide the gradient of a row by how often it is looked up
}

// Embedding returns the rows of weight at the positions in x. With MaxNorm the rows are taken as EmbeddingRenorm
// makes them; weight itself is left alone.
//
//lucid:pkg nn/functional embedding Embedding
func Embedding(x, weight *Node, o EmbeddingOptions) *Node {
	if weight.Rank() != 2 {
		fault.Throw(fault.Shape, "embedding", "weight has shape %v; want (rows, size)", weight.Shape())
	}
	rows := weight.Dim(0)
	idx := strictIndex("embedding", x, rows)
	y := take(weight, idx, 0)
	if o.MaxNorm != nil {
		y = withGrad(shorten(y, *o.MaxNorm, orElse(o.NormType, 2)), y, constLike(y, 1))
	}
	if o.ScaleGradByFreq {
		count := put(FullOf(shape.Of("embedding", rows), y.DType(), dtype.Scalar{}), idx, broadcastTo(constLike(y, 1), idx.Shape()),
			0, attr.ReduceAdd)
		y = withGrad(y, y, Div(1.0, Unsqueeze(take(count, idx, 0), idx.Rank())))
	}
	if o.PaddingIdx != nil {
		pad := *o.PaddingIdx
		if pad < -rows || pad >= rows {
			fault.Throw(fault.Index, "embedding", "padding_idx %d is out of range for %d rows", pad, rows)
		}
		if pad < 0 {
			pad += rows
		}
		y = Where(Unsqueeze(Eq(idx, pad), idx.Rank()), StopGradient(y), y)
	}
	return y
}

// shorten scales vectors along the last dimension that are longer than limit down to it.
func shorten(y *Node, limit, p float64) *Node {
	length := lengthAlong(y, p, y.Rank()-1)
	return Where(Gt(length, limit), Mul(y, Div(limit, Add(length, 1e-7))), y)
}

// EmbeddingRenorm returns weight with the rows at the positions in x scaled down to norm maxNorm where they are longer.
//
//lucid:pkg nn/functional embeddingRenorm
func EmbeddingRenorm(weight, x *Node, maxNorm, normType float64) *Node {
	if weight.Rank() != 2 {
		fault.Throw(fault.Shape, "embedding_renorm", "the weight has shape %v; want a matrix", weight.Shape())
	}
	idx := Reshape(strictIndex("embedding_renorm", x, weight.Dim(0)), -1)
	return put(weight, idx, shorten(take(weight, idx, 0), maxNorm, normType), 0, attr.ReduceSet)
}

// OneHotOptions has the number of classes; nil: one more than the largest class there is.
type OneHotOptions struct {
	NumClasses *int // number of classes; nil: one more than the largest class
}

// OneHot returns a tensor with one more dimension, 1 at the class and 0 elsewhere, as int64.
//
//lucid:pkg nn/functional
//lucid:nograd its result is whole numbers
func OneHot(x *Node, o OneHotOptions) *Node {
	x = Cast(requirePositions("one_hot", x), dtype.Int64)
	n := orElse(o.NumClasses, -1)
	if n == -1 {
		if x.Shape().Numel() == 0 {
			fault.Throw(fault.Value, "one_hot", "there are no classes in %v to count; give num_classes", x.Shape())
		}
		n = ReadInts("one_hot", Add(reduce(opAmax, Reshape(x, -1), nil, false), 1))[0]
	}
	if n <= 0 {
		fault.Throw(fault.Value, "one_hot", "num_classes is %d; want at least 1", n)
	}
	idx := strictIndex("one_hot", x, n)
	return Cast(Eq(Unsqueeze(idx, x.Rank()), Reshape(Arange64(n), append(ones(x.Rank()), n)...)), dtype.Int64)
}
