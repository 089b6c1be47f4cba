package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

var opVar *graph.Op

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

func variance(op string, x *Node, o VarOptions) *Node {
	requireKind(op, x, x.DType().IsInexact(), "a floating or complex dtype; cast first")
	v := attr.Var{Axes: attr.MakeInts(shape.Axes(op, o.Dim, x.Rank())...), Keep: o.KeepDim, Correction: 1}
	if o.Correction != nil {
		v.Correction = *o.Correction
	}
	if count(x, v.Axes.Slice()) == 0 { // NaN, whatever the correction
		v.Correction = 0
	}
	return apply(opVar, v, x)
}

// Var returns the variance over the dimensions, dividing by the number of elements less the correction; if that is
// not positive, the result is NaN or infinite. Of complex numbers it is real.
//
//lucid:func
//lucid:method Var(dim ...int)
func Var(x *Node, o VarOptions) *Node { return variance("var", x, o) }

// Std returns the standard deviation, the root of Var. Where it is 0 its gradient is 0. That of half types is rounded once: a variance is
// soon more than they hold.
//
//lucid:func
//lucid:method Std(dim ...int)
func Std(x *Node, o VarOptions) *Node {
	return inFloat32(x, func(x *Node) *Node { return safeSqrt(variance("std", x, o)) })
}

// safeSqrt is √x with the derivative 0 at 0.
func safeSqrt(x *Node) *Node {
	zero := Eq(x, 0)
	return Where(zero, constLike(x, 0), Sqrt(Where(zero, constLike(x, 1), x)))
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
