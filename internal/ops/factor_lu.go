package ops

import (
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// lu_factor gives L and U in one matrix, the row exchanges counted from 1, and info. solve_factored solves with them: its first operand is
// the matrix itself, which only the derivative is for, so that a derivative uses the factors that are there.
var opLUFactor, opSolveFactored, opSolveTriangular, opPermutation *graph.Op

func init() {
	opLUFactor = factorOp(graph.Op{Name: "lu_factor", Inputs: graph.Exactly(1), SavesIn: 1, SavesOut: true,
		Validate: rule(func(c check) { c.factor(c.in[0]) }),
		Infer: func(_ attr.Attr, in []*Node) []graph.Spec {
			x := in[0]
			return []graph.Spec{{Shape: x.Shape(), DType: x.DType()},
				{Shape: batchOf("lu_factor", x, 2, min(x.Dim(-2), x.Dim(-1))), DType: dtype.Int32},
				{Shape: batchOf("lu_factor", x, 2), DType: dtype.Int32}}
		},
		VJP: luVJP, JVP: luJVP})
	opSolveFactored = factorOp(graph.Op{Name: "solve_factored", Inputs: graph.Exactly(4), SavesIn: 15, SavesOut: true,
		Validate: rule(func(c check) {
			c.factored()
			b := c.in[3]
			c.must(b.Rank() >= 2 && b.DType() == c.in[0].DType(), "a right side of %v and shape %v", b.DType(), b.Shape())
			c.shapedAs(b, c.in[0], c.in[0].Dim(-1), b.Dim(-1))
		}),
		Infer: func(_ attr.Attr, in []*Node) []graph.Spec {
			return []graph.Spec{{Shape: in[3].Shape(), DType: in[3].DType()}}
		},
		VJP: func(n *Node, cot []*Node, need []bool) []*Node {
			f := n.Attr().(attr.Factor)
			given := !f.Inverse
			f.Adjoint, f.Inverse = !f.Adjoint, false
			g := graph.New(opSolveFactored, f, n.In(0), n.In(1), n.In(2), cot[0])
			out := make([]*Node, 4)
			if given {
				out[3] = g
			}
			if need[0] {
				if f.Adjoint { // of the cotangent: the node itself solves with A
					out[0] = Neg(mm(g, adjoint(n)))
				} else {
					out[0] = Neg(mm(n, adjoint(g)))
				}
			}
			return out
		},
		JVP: func(n *Node, tan []*Node) []*Node {
			f := n.Attr().(attr.Factor)
			t := tan[3]
			if f.Inverse {
				t, f.Inverse = nil, false
			}
			if d := tan[0]; d != nil {
				if f.Adjoint {
					d = adjoint(d)
				}
				t = addMaybe(t, Neg(mm(d, n)))
			}
			if t == nil {
				return []*Node{nil}
			}
			return []*Node{graph.New(opSolveFactored, f, n.In(0), n.In(1), n.In(2), t)}
		}})
	opSolveTriangular = factorOp(graph.Op{Name: "solve_triangular", Inputs: graph.Exactly(2), SavesIn: 1, SavesOut: true,
		Validate: rule(func(c check) {
			c.square(c.in[0])
			c.sameDType(c.in)
			c.must(c.in[1].Rank() >= 2, "a right side of shape %v", c.in[1].Shape())
			c.shapedAs(c.in[1], c.in[0], c.in[0].Dim(-1), c.in[1].Dim(-1))
		}),
		Infer: func(_ attr.Attr, in []*Node) []graph.Spec {
			return []graph.Spec{{Shape: in[1].Shape(), DType: in[1].DType()}}
		},
		VJP: func(n *Node, cot []*Node, need []bool) []*Node {
			f := n.Attr().(attr.Factor)
			back := attr.Factor{Upper: !f.Upper, Unit: f.Unit}
			g := graph.New(opSolveTriangular, back, adjoint(n.In(0)), cot[0])
			out := []*Node{nil, g}
			if need[0] {
				out[0] = partRead(Neg(mm(g, adjoint(n))), f)
			}
			return out
		},
		JVP: func(n *Node, tan []*Node) []*Node {
			t := tan[1]
			if tan[0] != nil {
				t = addMaybe(t, Neg(mm(partRead(tan[0], n.Attr().(attr.Factor)), n)))
			}
			return []*Node{graph.New(opSolveTriangular, n.Attr(), n.In(0), t)}
		}})
	opPermutation = factorOp(graph.Op{Name: "pivots_to_permutation", Inputs: graph.Exactly(1), NoGrad: isIndex,
		Validate: rule(func(c check) {
			n, x := attrOf[attr.Order](c).N, c.in[0]
			c.must(x.Rank() >= 1 && x.DType() == dtype.Int32 && n >= x.Dim(-1) && n <= most, "%d rows for pivots of %v %v", n,
				x.DType(), x.Shape())
		}),
		Infer: func(a attr.Attr, in []*Node) []graph.Spec {
			return []graph.Spec{{Shape: batchOf("pivots_to_permutation", in[0], 1, a.(attr.Order).N), DType: dtype.Int64}}
		}})
}

// partRead is the part of a triangular matrix that a solution depends on.
func partRead(x *Node, f attr.Factor) *Node {
	off := 0
	if f.Unit {
		off = 1
	}
	if f.Upper {
		return upper(x, off)
	}
	return lower(x, -off)
}

// solveTriangular solves with a triangle of a, for operands of one batch and dtype.
func solveTriangular(a, b *Node, up, unit bool) *Node {
	return apply(opSolveTriangular, attr.Factor{Upper: up, Unit: unit}, a, b)
}

// solveRight solves x·a = b for a triangle of a.
func solveRight(a, b *Node, up, unit bool) *Node {
	return swapLast(solveTriangular(swapLast(a), swapLast(b), !up, unit))
}

// permutation has the rows in the order that the exchanges bring them to, for matrices of m rows.
func permutation(pivots *Node, m int) *Node {
	return graph.New(opPermutation, attr.Order{N: m}, pivots)
}

// takeRows gives the rows of x in an order, one for each matrix.
func takeRows(x, order *Node) *Node {
	s := shape.Of("lu", append(slices.Clone(order.Shape().Dims()), x.Dim(-1))...)
	return gather(x, broadcastTo(Unsqueeze(order, -1), s), x.Rank()-2)
}

// inverseOrder is the order that undoes another.
func inverseOrder(order *Node) *Node {
	return apply(opArgsort, attr.Sort{Axis: order.Rank() - 1}, order)
}

// luParts gives the square parts of L and U, and what is next to them: the rest of L below, or the rest of U to the right.
func luParts(lu *Node) (l, u, below, right *Node, k int) {
	m, n := lu.Dim(-2), lu.Dim(-1)
	k = min(m, n)
	core := Narrow(Narrow(lu, -2, 0, k), -1, 0, k)
	l = Add(lower(core, -1), Eye(k, EyeOptions{DType: lu.DType()}))
	u = upper(core, 0)
	if m > k {
		below = Narrow(lu, -2, k, m-k)
	}
	if n > k {
		right = Narrow(lu, -1, k, n-k)
	}
	return l, u, below, right, k
}

// luJVP: with D the rows of the tangent in their new order, L⁻¹·D·U⁻¹ is tril for L and triu for U.
func luJVP(n *Node, tan []*Node) []*Node {
	lu := graph.TupleItem(n, 0)
	l, u, below, right, k := luParts(lu)
	d := takeRows(tan[0], permutation(graph.TupleItem(n, 1), lu.Dim(-2)))
	core := Narrow(Narrow(d, -2, 0, k), -1, 0, k)
	f := solveRight(u, solveTriangular(l, core, false, true), true, false)
	dl, du := mm(l, lower(f, -1)), mm(upper(f, 0), u)
	t := Add(dl, du)
	if right != nil {
		more := Narrow(d, -1, k, right.Dim(-1))
		t = concat([]*Node{t, solveTriangular(l, Sub(more, mm(dl, right)), false, true)}, t.Rank()-1)
	}
	if below != nil {
		more := Narrow(d, -2, k, below.Dim(-2))
		t = concat([]*Node{t, solveRight(u, Sub(more, mm(below, du)), true, false)}, t.Rank()-2)
	}
	return []*Node{t, nil, nil}
}

func luVJP(n *Node, cot []*Node, _ []bool) []*Node {
	if cot[0] == nil {
		return []*Node{nil}
	}
	lu, g := graph.TupleItem(n, 0), cot[0]
	l, u, below, right, k := luParts(lu)
	core := Narrow(Narrow(g, -2, 0, k), -1, 0, k)
	gl, gu := lower(core, -1), upper(core, 0)
	var moreRight, moreBelow *Node
	if right != nil {
		moreRight = solveTriangular(adjoint(l), Narrow(g, -1, k, right.Dim(-1)), true, true)
		gl = Sub(gl, lower(mm(moreRight, adjoint(right)), -1))
	}
	if below != nil {
		moreBelow = solveRight(adjoint(u), Narrow(g, -2, k, below.Dim(-2)), false, false)
		gu = Sub(gu, upper(mm(adjoint(below), moreBelow), 0))
	}
	f := Add(lower(mm(adjoint(l), gl), -1), upper(mm(gu, adjoint(u)), 0))
	d := solveTriangular(adjoint(l), solveRight(adjoint(u), f, false, false), true, true)
	if moreRight != nil {
		d = concat([]*Node{d, moreRight}, d.Rank()-1)
	}
	if moreBelow != nil {
		d = concat([]*Node{d, moreBelow}, d.Rank()-2)
	}
	return []*Node{takeRows(d, inverseOrder(permutation(graph.TupleItem(n, 1), lu.Dim(-2))))}
}
