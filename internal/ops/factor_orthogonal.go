package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
)

var opCholesky, opQR, opGeqrf *graph.Op

func init() {
	opCholesky = factorOp(graph.Op{Name: "cholesky", Inputs: graph.Exactly(1), SavesOut: true,
		Validate: rule(func(c check) { c.square(c.in[0]) }),
		Infer: func(_ attr.Attr, in []*Node) []graph.Spec {
			return []graph.Spec{{Shape: in[0].Shape(), DType: in[0].DType()}, {Shape: batchOf("cholesky", in[0], 2), DType: dtype.Int32}}
		},
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node {
			if cot[0] == nil {
				return []*Node{nil}
			}
			l := graph.TupleItem(n, 0)
			s := mm(adjoint(l), lower(cot[0], 0))
			s = Mul(Add(lower(s, 0), adjoint(lower(s, -1))), 0.5)
			return []*Node{solveTriangular(adjoint(l), solveRight(l, s, false, false), true, false)}
		},
		JVP: func(n *Node, tan []*Node) []*Node {
			l := graph.TupleItem(n, 0)
			t := Mul(Add(tan[0], adjoint(tan[0])), 0.5)
			s := solveRight(adjoint(l), solveTriangular(l, t, false, false), true, false)
			return []*Node{mm(l, halfDiagonal(s)), nil}
		}})
	opQR = factorOp(graph.Op{Name: "qr", Inputs: graph.Exactly(1), SavesIn: 1, SavesOut: true,
		Validate: rule(func(c check) { c.factor(c.in[0]) }),
		Infer: func(a attr.Attr, in []*Node) []graph.Spec {
			f, x := a.(attr.Factor), in[0]
			m, n := x.Dim(-2), x.Dim(-1)
			k := min(m, n)
			if f.Full {
				k = m
			}
			q := batchOf("qr", x, 2, m, k)
			if !f.Vectors {
				q = batchOf("qr", x, 2, 0, 0)
			}
			return []graph.Spec{{Shape: q, DType: x.DType()}, {Shape: batchOf("qr", x, 2, k, n), DType: x.DType()}}
		},
		VJP: qrVJP, JVP: qrJVP})
	opGeqrf = factorOp(graph.Op{Name: "geqrf", Inputs: graph.Exactly(1), NoGrad: "its result is for householder_product and ormqr",
		Validate: rule(func(c check) { c.factor(c.in[0]) }),
		Infer: func(_ attr.Attr, in []*Node) []graph.Spec {
			x := in[0]
			return []graph.Spec{{Shape: x.Shape(), DType: x.DType()},
				{Shape: batchOf("geqrf", x, 2, min(x.Dim(-2), x.Dim(-1))), DType: x.DType()}}
		}})
}

// halfDiagonal is the lower triangle with half of the diagonal.
func halfDiagonal(x *Node) *Node { return Mul(Add(lower(x, 0), lower(x, -1)), 0.5) }

// qrParts gives Q and R at a node that may have R alone.
func qrParts(n *Node) (q, r *Node) {
	if r = graph.TupleItem(n, 1); r.Dim(-2) > r.Dim(-1) {
		noDerivative("linalg_qr",
			"mode \"complete\" of %d×%d matrices has no derivative: the columns of Q beyond %d are not determined; use mode \"reduced\"",
			r.Dim(-2), r.Dim(-1), r.Dim(-1))
	}
	if !n.Attr().(attr.Factor).Vectors {
		giveUp(r)
		n = graph.New(opQR, attr.Factor{Vectors: true}, n.In(0))
		r = graph.TupleItem(n, 1)
	}
	return graph.TupleItem(n, 0), r
}

func qrVJP(n *Node, cot []*Node, _ []bool) []*Node {
	q, r := qrParts(n)
	defer giveUp(q, r)
	gq := cot[0]
	if !n.Attr().(attr.Factor).Vectors {
		gq = nil
	}
	var s *Node
	if cot[1] != nil {
		s = mm(upper(cot[1], 0), adjoint(r))
	}
	if gq != nil {
		s = addMaybe(s, Neg(mm(adjoint(q), gq)))
	}
	if s == nil {
		return []*Node{nil}
	}
	s = upper(s, 0)
	g := mm(q, Sub(Add(s, adjoint(s)), embed(realDiagonal(s))))
	if gq != nil {
		g = Add(g, gq)
	}
	return []*Node{solveRight(adjoint(r), g, false, false)}
}

// realDiagonal is the diagonal without its imaginary part.
func realDiagonal(x *Node) *Node {
	d := diagonals(x)
	if !d.DType().IsComplex() {
		return d
	}
	return Cast(Real(d), d.DType())
}

// qrJVP splits Qᴴ·dA·R⁻¹ into a skew part, which rotates Q, and a triangular one, which changes R.
func qrJVP(n *Node, tan []*Node) []*Node {
	q, r := qrParts(n)
	t := solveRight(r, tan[0], true, false)
	c := mm(adjoint(q), t)
	strict := lower(c, -1)
	skew := Sub(strict, adjoint(strict))
	if c.DType().IsComplex() {
		im := Imag(diagonals(c))
		skew = Add(skew, embed(Complex(zerosLike(im), im)))
	}
	dq := Add(mm(q, skew), Sub(t, mm(q, c)))
	dr := upper(mm(Sub(c, skew), r), 0)
	if !n.Attr().(attr.Factor).Vectors {
		return []*Node{nil, dr}
	}
	return []*Node{dq, dr}
}
