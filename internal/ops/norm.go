package ops

import (
	"math"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

var opVectorNorm *graph.Op

func init() {
	opVectorNorm = graph.Register(graph.Op{Name: "vector_norm", Version: 1, Kind: graph.Reduce,
		Inputs: graph.Exactly(1), Validate: rule(validateVectorNorm),
		AMP: graph.AMPFloat32, Infer: inferReduceReal, VMap: vmapReduce,
		SavesIn: 1, SavesOut: true,
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node {
			d := normSlope(n)
			if d == nil {
				return []*Node{nil}
			}
			return []*Node{Mul(unreduce(cot[0], n), d)}
		},
		JVP: func(n *Node, tan []*Node) []*Node {
			d := normSlope(n)
			if d == nil {
				return []*Node{nil}
			}
			return []*Node{sumLike(n, Real(Mul(tan[0], conj(d))))}
		}})
}

// normSlope is ∂‖x‖/∂x, and 0 where the norm is 0; nil if it is 0 everywhere.
func normSlope(n *Node) *Node {
	p, x := n.Attr().(attr.Norm).P, n.In(0)
	switch {
	case p == 0:
		return nil
	case p == 1:
		return Sgn(x)
	case math.IsInf(p, 0): // shared by the elements that tie
		hit := Cast(Eq(Abs(x), unreduce(n, n)), n.DType())
		return Mul(Sgn(x), Div(hit, unreduce(sumLike(n, hit), n)))
	}
	whole := unreduce(Where(Eq(n, 0), constLike(n, 1), n), n)
	if p == 2 {
		return Div(x, whole)
	}
	// Sgn(x)·(|x|/‖x‖)^(p-1), the power taken where x is not 0.
	zero := Eq(x, 0)
	share := Div(Where(zero, constLike(n, 1), Abs(x)), whole)
	return Mul(Sgn(x), Where(zero, constLike(n, 0), Pow(share, p-1)))
}

// VectorNormOptions says which norm (nil: 2) over which dimensions (none: all), and in which dtype to compute.
type VectorNormOptions struct {
	Ord     *float64    // which norm; nil: 2
	Dim     []int       // none: all
	KeepDim bool        // reduced dimensions stay, with size 1
	DType   dtype.DType // dtype to compute in; zero: the input's
}

// VectorNorm returns (Σ|x|^ord)^(1/ord) over the dimensions; ord 0 counts what is not zero, an infinite one is the
// largest or the smallest magnitude. The gradient at zero is zero.
//
//lucid:name linalg_vector_norm
//lucid:pkg linalg
//lucid:amp float32
func VectorNorm(x *Node, o VectorNormOptions) *Node {
	p := 2.0
	if o.Ord != nil {
		p = *o.Ord
	}
	if o.DType != dtype.Invalid {
		x = Cast(x, o.DType)
	}
	return vectorNorm("linalg_vector_norm", x, p, o.Dim, o.KeepDim)
}

func vectorNorm(op string, x *Node, p float64, dim []int, keep bool) *Node {
	requireKind(op, x, x.DType().IsInexact(), "a floating or complex dtype; cast first")
	if math.IsNaN(p) {
		fault.Throw(fault.Value, op, "the order is NaN; want a number or an infinity")
	}
	axes := shape.Axes(op, dim, x.Rank())
	if p < 0 || math.IsInf(p, 1) {
		nonEmpty(op, x, axes)
	}
	return apply(opVectorNorm, attr.Norm{Axes: attr.MakeInts(axes...), Keep: keep, P: p}, x)
}

// NormOptions says which norm over which dimensions (none: all). P is a number, "fro", "nuc", "inf" or "-inf"; nil means
// "fro", which over any dimensions is the 2-norm of the elements. "nuc" is the sum of the singular values over two dimensions.
type NormOptions struct {
	P       any         // a number, "fro", "nuc", "inf" or "-inf"; nil: "fro", which is the 2-norm of the elements
	Dim     []int       // none: all
	KeepDim bool        // reduced dimensions stay, with size 1
	DType   dtype.DType // dtype to compute in; zero: the input's
}

// Norm returns the p-norm of the elements over the dimensions. The gradient at zero is zero.
//
//lucid:method Norm(dim ...int)
//lucid:amp float32
func Norm(x *Node, o NormOptions) *Node {
	p := 2.0
	switch v := o.P.(type) {
	case nil:
	case string:
		switch v {
		case "fro":
		case "nuc":
			return matrixNorm("norm", prepareNorm("norm", x, o.DType), v, o.Dim, o.KeepDim)
		case "inf":
			p = math.Inf(1)
		case "-inf":
			p = math.Inf(-1)
		default:
			fault.Throw(fault.Value, "norm", "p is %q; want a number, \"fro\", \"nuc\", \"inf\" or \"-inf\"", v)
		}
	default:
		s, ok := dtype.ScalarOf(v)
		if !ok || s.Kind == dtype.KindComplex || s.Kind == dtype.KindBool {
			fault.Throw(fault.DType, "norm", "p is a %T; want a number, \"fro\", \"inf\" or \"-inf\"", v)
		}
		p = s.Float()
	}
	if o.DType != dtype.Invalid {
		x = Cast(x, o.DType)
	}
	return vectorNorm("norm", x, p, o.Dim, o.KeepDim)
}

// DistOptions says which norm measures the distance; nil means 2.
type DistOptions struct {
	P *float64 // which norm; nil: 2
}

// Dist returns the p-norm of x - other over all elements.
//
//lucid:func
//lucid:method
//lucid:amp float32
func Dist(x, other *Node, o DistOptions) *Node {
	return Norm(Sub(x, other), NormOptions{P: orNil(o.P)})
}

func orNil(p *float64) any {
	if p == nil {
		return nil
	}
	return *p
}
