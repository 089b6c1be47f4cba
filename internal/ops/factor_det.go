package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/graph"
)

// det and slogdet have the operands of solve_factored but for the right side.
var opDet, opSlogdet, opAdjugate *graph.Op

func init() {
	opDet = factorOp(graph.Op{Name: "det", Inputs: graph.Exactly(3), SavesIn: 1,
		Validate: rule(check.factored),
		Infer: func(_ attr.Attr, in []*Node) []graph.Spec {
			return []graph.Spec{{Shape: batchOf("det", in[0], 2), DType: in[0].DType()}}
		},
		// By the adjugate, which singular matrices have too.
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node {
			adj := graph.New(opAdjugate, attr.Factor{}, n.In(0))
			return []*Node{Mul(Unsqueeze(Unsqueeze(cot[0], -1), -1), adjoint(adj)), nil, nil}
		},
		JVP: func(n *Node, tan []*Node) []*Node {
			if tan[0] == nil {
				return []*Node{nil}
			}
			adj := graph.New(opAdjugate, attr.Factor{}, n.In(0))
			return []*Node{Sum(Mul(swapLast(adj), tan[0]), ReduceOptions{Dim: []int{-2, -1}})}
		}})
	opSlogdet = factorOp(graph.Op{Name: "slogdet", Inputs: graph.Exactly(3), SavesIn: 7, SavesOut: true,
		Validate: rule(check.factored),
		Infer: func(_ attr.Attr, in []*Node) []graph.Spec {
			s, d := batchOf("slogdet", in[0], 2), in[0].DType()
			return []graph.Spec{{Shape: s, DType: d}, {Shape: s, DType: d.Real()}}
		},
		VJP: slogdetVJP, JVP: slogdetJVP})
	opAdjugate = factorOp(graph.Op{Name: "adjugate", Inputs: graph.Exactly(1), SavesIn: 1, SavesOut: true,
		Validate: rule(func(c check) { c.square(c.in[0]) }),
		Infer: func(_ attr.Attr, in []*Node) []graph.Spec {
			return []graph.Spec{{Shape: in[0].Shape(), DType: in[0].DType()}}
		},
		// With B = adj(A): dB = (tr(B·dA)·A⁻¹ - B·dA·A⁻¹), which needs the inverse.
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node {
			inv := inverseOf("second derivative of det", n.In(0))
			bh, ih := adjoint(n), adjoint(inv)
			t := Sum(Mul(cot[0], conj(inv)), ReduceOptions{Dim: []int{-2, -1}, KeepDim: true})
			return []*Node{Sub(Mul(t, bh), mm(bh, mm(cot[0], ih)))}
		},
		JVP: func(n *Node, tan []*Node) []*Node {
			inv := inverseOf("second derivative of det", n.In(0))
			bd := mm(n, tan[0])
			t := Sum(diagonals(bd), ReduceOptions{Dim: []int{-1}, KeepDim: true})
			return []*Node{Sub(Mul(Unsqueeze(t, -1), inv), mm(bd, inv))}
		}})
}

// slogdetVJP: d log det A = tr(A⁻¹·dA); its real part changes the logarithm, its imaginary part changes the phase of the sign.
func slogdetVJP(n *Node, cot []*Node, _ []bool) []*Node {
	a := n.In(0)
	var g *Node
	if cot[1] != nil {
		g = Cast(cot[1], a.DType())
	}
	if cot[0] != nil && a.DType().IsComplex() {
		phase := Imag(Mul(conj(graph.TupleItem(n, 0)), cot[0]))
		g = addMaybe(g, Complex(zerosLike(phase), phase))
	}
	if g == nil {
		return []*Node{nil, nil, nil}
	}
	b := Mul(Unsqueeze(Unsqueeze(g, -1), -1), eyeLike("slogdet", a, a.Dim(-1)))
	return []*Node{graph.New(opSolveFactored, attr.Factor{Adjoint: true}, a, n.In(1), n.In(2), b), nil, nil}
}

func slogdetJVP(n *Node, tan []*Node) []*Node {
	if tan[0] == nil {
		return []*Node{nil, nil}
	}
	x := graph.New(opSolveFactored, attr.Factor{}, n.In(0), n.In(1), n.In(2), tan[0])
	t := Sum(diagonals(x), ReduceOptions{Dim: []int{-1}})
	if !t.DType().IsComplex() {
		return []*Node{nil, t}
	}
	im := Imag(t)
	return []*Node{Mul(graph.TupleItem(n, 0), Complex(zerosLike(im), im)), Real(t)}
}
