package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

var opVar, opStd *graph.Op

func init() {
	// d/dx of Σ|x-m|²/(N-c) is 2(x-m)/(N-c): the part that goes through m cancels.
	slope := func(n *Node) *Node {
		v, x := n.Attr().(attr.Var), n.In(0)
		m := graph.New(opMean, attr.Axes{Axes: v.Axes, Keep: true}, x)
		return Mul(Sub(x, m), 2/divisor(x, v))
	}
	opVar = graph.Register(graph.Op{Name: "var", Version: 1, Kind: graph.Reduce,
		Inputs: graph.Exactly(1), Validate: rule(validateVar),
		Infer: inferReduceReal, VMap: vmapReduce, SavesIn: 1,
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node {
			return []*Node{Mul(unreduce(cot[0], n), slope(n))}
		},
		JVP: func(n *Node, tan []*Node) []*Node {
			return []*Node{sumLike(n, Real(Mul(tan[0], conj(slope(n)))))}
		}})
	opStd = graph.Register(graph.Op{Name: "std", Version: 1, Kind: graph.Reduce,
		Inputs: graph.Exactly(1), Validate: rule(validateVar),
		Infer: inferReduceReal, VMap: vmapReduce, SavesIn: 1, SavesOut: true,
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node {
			return []*Node{Mul(unreduce(cot[0], n), slopeOfStd(n))}
		},
		JVP: func(n *Node, tan []*Node) []*Node {
			return []*Node{sumLike(n, Real(Mul(tan[0], conj(slopeOfStd(n)))))}
		}})
}

// slopeOfStd is the derivative of a standard deviation s, (x-m)/(N-c)/s, and 0 where s is.
func slopeOfStd(n *Node) *Node {
	v, x := n.Attr().(attr.Var), n.In(0)
	m := graph.New(opMean, attr.Axes{Axes: v.Axes, Keep: true}, x)
	s := unreduce(n, n)
	zero := Eq(s, 0)
	far := Div(Sub(x, m), Where(zero, constLike(s, 1), s))
	return Where(zero, constLike(far, 0), Mul(far, 1/divisor(x, v)))
}

// divisor is the number of elements less the correction, never below 0.
func divisor(x *Node, v attr.Var) float64 {
	return max(0, float64(count(x, v.Axes.Slice()))-v.Correction)
}

// VarOptions says over which dimensions (none: all) and with which correction (nil: 1) to measure spread.
type VarOptions struct {
	Dim        []int    // none: all
	Correction *float64 // subtracted from the number of elements; nil: 1
	KeepDim    bool     // reduced dimensions stay, with size 1
}

// deviation is a variance or its root.
func deviation(op *graph.Op, x *Node, o VarOptions) *Node {
	requireKind(op.Name, x, x.DType().IsInexact(), "a floating or complex dtype; cast first")
	v := attr.Var{Axes: attr.MakeInts(shape.Axes(op.Name, o.Dim, x.Rank())...), Keep: o.KeepDim, Correction: 1}
	if o.Correction != nil {
		v.Correction = *o.Correction
	}
	if count(x, v.Axes.Slice()) == 0 { // NaN, whatever the correction
		v.Correction = 0
	}
	return apply(op, v, x)
}

// Var returns the variance over the dimensions, dividing by the number of elements less the correction; if that is
// not positive, the result is NaN or infinite. Of complex numbers it is real.
//
//lucid:func
//lucid:method Var(dim ...int)
func Var(x *Node, o VarOptions) *Node { return deviation(opVar, x, o) }

// Std returns the standard deviation, the root of Var, rounded once: it is finite where the variance is more than the dtype holds. Where it
// is 0 its gradient is 0.
//
//lucid:func
//lucid:method Std(dim ...int)
func Std(x *Node, o VarOptions) *Node {
	return inFloat32(x, func(x *Node) *Node { return deviation(opStd, x, o) })
}

// VarMean returns the variance and the mean over the dimensions.
//
//lucid:func
//lucid:method VarMean(dim ...int)
func VarMean(x *Node, o VarOptions) (variance, mean *Node) {
	return Var(x, o), Mean(x, ReduceOptions{Dim: o.Dim, KeepDim: o.KeepDim})
}

// StdMean returns the standard deviation and the mean over the dimensions.
//
//lucid:func
//lucid:method StdMean(dim ...int)
func StdMean(x *Node, o VarOptions) (std, mean *Node) {
	return Std(x, o), Mean(x, ReduceOptions{Dim: o.Dim, KeepDim: o.KeepDim})
}
