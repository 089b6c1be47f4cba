package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
)

// Functions of matrices. pinv has as operands the tolerances of each matrix.
var opPinv, opMatrixExp, opMatrixSqrth *graph.Op

func init() {
	opPinv = factorOp(graph.Op{Name: "pinv", Inputs: graph.Exactly(3), SavesIn: 1, SavesOut: true,
		Validate: rule(func(c check) {
			x := c.in[0]
			if c.factor(x).Hermitian {
				c.square(x)
			}
			for _, t := range c.in[1:] {
				c.must(t.DType() == dtype.Float32 || t.DType() == dtype.Float64, "a tolerance of %v", t.DType())
				c.shapedAs(t, x)
			}
		}),
		Infer: func(_ attr.Attr, in []*Node) []graph.Spec {
			x := in[0]
			return []graph.Spec{{Shape: batchOf("pinv", x, 2, x.Dim(-1), x.Dim(-2)), DType: x.DType()}}
		},
		VJP: pinvVJP, JVP: pinvJVP})
	// The derivative of a function of matrices is a block of the function of [A E; 0 A].
	opMatrixExp = factorOp(graph.Op{Name: "matrix_exp", Inputs: graph.Exactly(1), SavesIn: 1,
		Validate: rule(func(c check) { c.square(c.in[0]) }),
		Infer: func(_ attr.Attr, in []*Node) []graph.Spec {
			return []graph.Spec{{Shape: in[0].Shape(), DType: in[0].DType()}}
		},
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node { return []*Node{expDerivative(adjoint(n.In(0)), cot[0])} },
		JVP: func(n *Node, tan []*Node) []*Node { return []*Node{expDerivative(n.In(0), tan[0])} }})
	opMatrixSqrth = factorOp(graph.Op{Name: "matrix_sqrth", Inputs: graph.Exactly(1), SavesIn: 1,
		Validate: rule(func(c check) { c.square(c.in[0]) }),
		Infer: func(_ attr.Attr, in []*Node) []graph.Spec {
			return []graph.Spec{{Shape: in[0].Shape(), DType: in[0].DType()}}
		},
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node { return []*Node{sqrthDerivative(n.In(0), cot[0])} },
		JVP: func(n *Node, tan []*Node) []*Node { return []*Node{sqrthDerivative(n.In(0), tan[0])} }})
}

func expDerivative(a, e *Node) *Node {
	n := a.Dim(-1)
	top := concat([]*Node{a, e}, a.Rank()-1)
	below := concat([]*Node{zerosLike(a), a}, a.Rank()-1)
	x := graph.New(opMatrixExp, attr.Factor{}, concat([]*Node{top, below}, a.Rank()-2))
	return Narrow(Narrow(x, -2, 0, n), -1, n, n)
}

// sqrthDerivative solves S·X + X·S = E for the square root S of a; it is its own transpose. Where two eigenvalues are 0 it is 0.
func sqrthDerivative(a, e *Node) *Node {
	e = Mul(Add(e, adjoint(e)), 0.5)
	t := graph.New(opEigh, attr.Factor{Vectors: true}, a)
	w, v := graph.TupleItem(t, 0), graph.TupleItem(t, 1)
	s := Sqrt(Where(Gt(w, 0), w, constLike(w, 0)))
	sum := Add(Unsqueeze(s, -1), Unsqueeze(s, -2))
	zero := Eq(sum, 0)
	x := mm(adjoint(v), mm(e, v))
	x = Where(zero, constLike(x, 0), Div(x, Where(zero, constLike(sum, 1), sum)))
	return mm(v, mm(x, adjoint(v)))
}

// pinvVJP and pinvJVP hold where the rank does not change.
func pinvVJP(n *Node, cot []*Node, _ []bool) []*Node {
	a, p, g := n.In(0), n, cot[0]
	ph, gh := adjoint(p), adjoint(g)
	x := Neg(mm(ph, mm(g, ph)))
	gpp := mm(mm(gh, p), ph)
	x = Add(x, Sub(gpp, mm(a, mm(p, gpp))))
	ppg := mm(ph, mm(p, gh))
	x = Add(x, Sub(ppg, mm(mm(ppg, p), a)))
	return []*Node{x, nil, nil}
}

func pinvJVP(n *Node, tan []*Node) []*Node {
	if tan[0] == nil {
		return []*Node{nil}
	}
	a, p, t := n.In(0), n, tan[0]
	ph, th := adjoint(p), adjoint(t)
	x := Neg(mm(p, mm(t, p)))
	ppt := mm(p, mm(ph, th))
	x = Add(x, Sub(ppt, mm(mm(ppt, a), p)))
	tpp := mm(mm(th, ph), p)
	return []*Node{Add(x, Sub(tpp, mm(p, mm(a, tpp))))}
}
