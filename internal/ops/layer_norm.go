package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// EpsOptions has what is added to the variance; nil: 1e-5.
type EpsOptions struct {
	Eps *float64 // added to the variance; nil: 1e-5
}

// normalized checks the shape that is normalised, and the weights, which must have it.
func normalized(op string, x *Node, dims []int, weights ...*Node) {
	k := len(dims)
	ok := k > 0 && k <= x.Rank()
	for i := 0; ok && i < k; i++ {
		ok = x.Dim(x.Rank()-k+i) == dims[i]
	}
	if !ok {
		fault.Throw(fault.Shape, op, "%v does not end in normalized_shape %v", x.Shape(), dims)
	}
	for _, w := range weights {
		if w != nil && !w.Shape().Equal(shape.Of(op, dims...)) {
			fault.Throw(fault.Shape, op, "weight or bias has shape %v; want normalized_shape %v", w.Shape(), dims)
		}
	}
}

// LayerNorm returns (x-mean)/sqrt(var+eps) over the last dimensions, times weight, plus bias.
//
//lucid:pkg nn/functional
//lucid:options LayerNormOptions
//lucid:optional weight bias
func LayerNorm(x *Node, normalizedShape []int, weight, bias *Node, o EpsOptions) *Node {
	realFloat("layer_norm", x)
	normalized("layer_norm", x, normalizedShape, weight, bias)
	in := []*Node{x}
	if weight != nil {
		in = append(in, normWeight(x, weight))
		if bias != nil {
			in = append(in, normWeight(x, bias))
		}
	}
	y := graph.TupleItem(apply(opLayerNorm, attr.RowNorm{Dims: len(normalizedShape), Eps: orElse(o.Eps, 1e-5)}, in...), 0)
	if weight == nil && bias != nil {
		y = Add(y, bias)
	}
	return y
}

// normWeight brings a weight to x's dtype; with half types it may be float32.
func normWeight(x, w *Node) *Node {
	if x.DType().IsHalf() && w.DType() == dtype.Float32 {
		return w
	}
	return Cast(w, x.DType())
}

// RMSNormOptions has what is added to the mean square; nil: the spacing of the dtype at 1 (float32's for half types).
type RMSNormOptions struct {
	Eps *float64 // added to the mean square; nil: the spacing of the dtype at 1, float32's for half types
}

// RmsNorm returns x/sqrt(mean(x²)+eps) over the last dimensions, times weight.
//
//lucid:pkg nn/functional RMSNorm
//lucid:optional weight
func RmsNorm(x *Node, normalizedShape []int, weight *Node, o RMSNormOptions) *Node {
	realFloat("rms_norm", x)
	normalized("rms_norm", x, normalizedShape, weight)
	eps := 0x1p-23
	if x.DType() == dtype.Float64 {
		eps = 0x1p-52
	}
	in := []*Node{x}
	if weight != nil {
		in = append(in, normWeight(x, weight))
	}
	return graph.TupleItem(apply(opRMSNorm, attr.RowNorm{Dims: len(normalizedShape), Eps: orElse(o.Eps, eps)}, in...), 0)
}

// affineChannels multiplies by weight and adds bias along dim 1; either may be nil.
func affineChannels(op string, y, weight, bias *Node) *Node {
	for _, w := range []*Node{weight, bias} {
		if w != nil && (w.Rank() != 1 || w.Dim(0) != y.Dim(1)) {
			fault.Throw(fault.Shape, op, "weight or bias has shape %v; want [%d], one per channel of %v", w.Shape(), y.Dim(1), y.Shape())
		}
	}
	if weight != nil {
		y = Mul(y, perChannel(weight, y.Rank()))
	}
	if bias != nil {
		y = Add(y, perChannel(bias, y.Rank()))
	}
	return y
}

// castMaybe casts where there is something to cast.
func castMaybe(x *Node, d dtype.DType) *Node {
	if x == nil {
		return nil
	}
	return Cast(x, d)
}
