package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
)

// eig has complex results for real matrices too; without Vectors it gives the eigenvalues alone.
var opEig, opLDLFactor, opLDLSolve *graph.Op

func init() {
	opEig = factorOp(graph.Op{Name: "eig", Inputs: graph.Exactly(1), SavesIn: 1, SavesOut: true,
		Validate: rule(func(c check) { c.square(c.in[0]) }),
		Infer: func(a attr.Attr, in []*Node) []graph.Spec {
			x := in[0]
			w := graph.Spec{Shape: batchOf("eig", x, 1), DType: x.DType().Complex()}
			if !a.(attr.Factor).Vectors {
				return []graph.Spec{w}
			}
			return []graph.Spec{w, {Shape: x.Shape(), DType: x.DType().Complex()}}
		},
		VJP: eigVJP, JVP: eigJVP})
	const fixed = "its factors are for LDLSolve, as in PyTorch; Solve has a derivative"
	opLDLFactor = factorOp(graph.Op{Name: "ldl_factor", Inputs: graph.Exactly(1), NoGrad: fixed,
		Validate: rule(func(c check) { c.square(c.in[0]) }),
		Infer: func(_ attr.Attr, in []*Node) []graph.Spec {
			x := in[0]
			return []graph.Spec{{Shape: x.Shape(), DType: x.DType()}, {Shape: batchOf("ldl_factor", x, 1), DType: dtype.Int32},
				{Shape: batchOf("ldl_factor", x, 2), DType: dtype.Int32}}
		}})
	opLDLSolve = factorOp(graph.Op{Name: "ldl_solve", Inputs: graph.Exactly(3), NoGrad: fixed,
		Validate: rule(func(c check) {
			x, b := c.in[0], c.in[2]
			c.square(x)
			c.must(c.in[1].DType() == dtype.Int32 && b.DType() == x.DType() && b.Rank() >= 2, "operands of %v and %v",
				c.in[1].DType(), b.DType())
			c.shapedAs(c.in[1], x, x.Dim(-1))
			c.shapedAs(b, x, x.Dim(-1), b.Dim(-1))
		}),
		Infer: func(_ attr.Attr, in []*Node) []graph.Spec {
			return []graph.Spec{{Shape: in[2].Shape(), DType: in[2].DType()}}
		}})
}

// eigParts gives eigenvalues and vectors at a node that may have the values alone.
func eigParts(n *Node) (w, v *Node) {
	f := n.Attr().(attr.Factor)
	if !f.Vectors {
		f.Vectors = true
		n = graph.New(opEig, f, n.In(0))
	}
	return graph.TupleItem(n, 0), graph.TupleItem(n, 1)
}

func eigVJP(n *Node, cot []*Node, _ []bool) []*Node {
	w, v := eigParts(n)
	vh := adjoint(v)
	defer giveUp(vh, w, v)
	var s *Node
	if len(cot) > 1 && cot[1] != nil {
		x := mm(vh, cot[1])
		d := Cast(Real(diagonals(x)), x.DType())
		s = Div(offDiagonal(Sub(x, columns(mm(vh, v), d))), Conj(gaps(w)))
	}
	if cot[0] != nil {
		s = addMaybe(s, embed(cot[0]))
	}
	if s == nil {
		return []*Node{nil}
	}
	x, info := solveWith("linalg_eig", vh, mm(s, vh))
	giveUp(info)
	return []*Node{asDType(x, n.In(0))}
}

func eigJVP(n *Node, tan []*Node) []*Node {
	w, v := eigParts(n)
	p, info := solveWith("linalg_eig", v, mm(Cast(tan[0], v.DType()), v))
	giveUp(info)
	dw := diagonals(p)
	if !n.IsTuple() {
		return []*Node{dw}
	}
	dv := mm(v, Div(offDiagonal(p), gaps(w)))
	// Vectors keep their length.
	along := Sum(Real(Mul(Conj(v), dv)), ReduceOptions{Dim: []int{-2}, KeepDim: true})
	return []*Node{dw, Sub(dv, Mul(v, along))}
}
