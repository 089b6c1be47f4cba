package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
)

// Functions of matrices. pinv and lstsq have as operands the tolerances of each matrix.
var opPinv, opLstsq, opMatrixExp, opMatrixSqrth *graph.Op

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
	// The product of the pseudoinverse and the last operand, which needs no pseudoinverse unless there is a derivative.
	opLstsq = factorOp(graph.Op{Name: "lstsq", Inputs: graph.Exactly(4), SavesIn: 1<<0 | 1<<3,
		Validate: rule(func(c check) {
			a, b := c.in[0], c.in[3]
			for _, t := range c.in[1:3] {
				c.must(t.DType() == dtype.Float32 || t.DType() == dtype.Float64, "a tolerance of %v", t.DType())
				c.shapedAs(t, a)
			}
			c.must(b.DType() == a.DType() && b.Rank() == a.Rank() && b.Dim(-2) == a.Dim(-2), "a right side %v for %v", b.Shape(), a.Shape())
			c.shapedAs(b, a, b.Dim(-2), b.Dim(-1))
		}),
		Infer: func(_ attr.Attr, in []*Node) []graph.Spec {
			a, b := in[0], in[3]
			return []graph.Spec{{Shape: batchOf("lstsq", a, 2, a.Dim(-1), b.Dim(-1)), DType: a.DType()}}
		},
		VJP: lstsqVJP, JVP: lstsqJVP})
	// The derivative of a function of matrices is a block of the function of [A E; 0 A].
	opMatrixExp = factorOp(graph.Op{Name: "matrix_exp", Inputs: graph.Exactly(1), SavesIn: 1,
		Validate: rule(func(c check) { c.square(c.in[0]) }),
		Infer: func(_ attr.Attr, in []*Node) []graph.Spec {
			return []graph.Spec{{Shape: in[0].Shape(), DType: in[0].DType()}}
		},
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node { return []*Node{expDerivative(adjoint(n.In(0)), cot[0])} },
		JVP: func(n *Node, tan []*Node) []*Node { return []*Node{expDerivative(n.In(0), tan[0])} }})
	opMatrixSqrth = factorOp(graph.Op{Name: "matrix_sqrth", Inputs: graph.Exactly(1), SavesOut: true,
		Validate: rule(func(c check) { c.square(c.in[0]) }),
		Infer: func(_ attr.Attr, in []*Node) []graph.Spec {
			return []graph.Spec{{Shape: in[0].Shape(), DType: in[0].DType()}}
		},
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node { return []*Node{lyapunov(n, hermitianPart(cot[0]))} },
		JVP: func(n *Node, tan []*Node) []*Node { return []*Node{lyapunov(n, hermitianPart(tan[0]))} }})
}

func expDerivative(a, e *Node) *Node {
	n := a.Dim(-1)
	top := concat([]*Node{a, e}, a.Rank()-1)
	below := concat([]*Node{zerosLike(a), a}, a.Rank()-1)
	x := graph.New(opMatrixExp, attr.Factor{}, concat([]*Node{top, below}, a.Rank()-2))
	return Narrow(Narrow(x, -2, 0, n), -1, n, n)
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

// pinvFor is the pseudoinverse of the matrices of a lstsq node.
func pinvFor(n *Node) *Node { return graph.New(opPinv, n.Attr(), n.In(0), n.In(1), n.In(2)) }

func lstsqVJP(n *Node, cot []*Node, _ []bool) []*Node {
	p, b, g := pinvFor(n), n.In(3), cot[0]
	return []*Node{pinvVJP(p, []*Node{mm(g, adjoint(b))}, nil)[0], nil, nil, mm(adjoint(p), g)}
}

func lstsqJVP(n *Node, tan []*Node) []*Node {
	p := pinvFor(n)
	var x *Node
	if tan[3] != nil {
		x = mm(p, tan[3])
	}
	if tan[0] == nil {
		return []*Node{x}
	}
	y := mm(pinvJVP(p, tan[:3])[0], n.In(3))
	if x != nil {
		y = Add(x, y)
	}
	return []*Node{y}
}
