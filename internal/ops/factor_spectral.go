package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// eigh reads the lower triangle. Without Vectors it gives the eigenvalues alone, and svd the singular values.
var opEigh, opSVD *graph.Op

func init() {
	opEigh = factorOp(graph.Op{Name: "eigh", Inputs: graph.Exactly(1), SavesIn: 1, SavesOut: true,
		Validate: rule(func(c check) { c.square(c.in[0]) }),
		Infer: func(a attr.Attr, in []*Node) []graph.Spec {
			x := in[0]
			w := graph.Spec{Shape: batchOf("eigh", x, 1), DType: x.DType().Real()}
			if !a.(attr.Factor).Vectors {
				return []graph.Spec{w}
			}
			return []graph.Spec{w, {Shape: x.Shape(), DType: x.DType()}}
		},
		VJP: eighVJP, JVP: eighJVP})
	opSVD = factorOp(graph.Op{Name: "svd", Inputs: graph.Exactly(1), SavesIn: 1, SavesOut: true,
		Validate: rule(func(c check) { c.factor(c.in[0]) }),
		Infer: func(a attr.Attr, in []*Node) []graph.Spec {
			f, x := a.(attr.Factor), in[0]
			m, n := x.Dim(-2), x.Dim(-1)
			k := min(m, n)
			s := graph.Spec{Shape: batchOf("svd", x, 2, k), DType: x.DType().Real()}
			if !f.Vectors {
				return []graph.Spec{s}
			}
			uc, vc := k, k
			if f.Full {
				uc, vc = m, n
			}
			return []graph.Spec{{Shape: batchOf("svd", x, 2, m, uc), DType: x.DType()}, s,
				{Shape: batchOf("svd", x, 2, vc, n), DType: x.DType()}}
		},
		VJP: svdVJP, JVP: svdJVP})
}

// eighParts gives the eigenvalues and vectors at a node that may have the values alone.
func eighParts(n *Node) (w, v *Node) {
	f := n.Attr().(attr.Factor)
	if !f.Vectors {
		f.Vectors = true
		n = graph.New(opEigh, f, n.In(0))
	}
	return graph.TupleItem(n, 0), graph.TupleItem(n, 1)
}

// eighVJP gives a Hermitian gradient, so that a matrix that is trained stays Hermitian: the part it leaves out is that of
// perturbations that are not. eighJVP leaves out the same.
func eighVJP(n *Node, cot []*Node, _ []bool) []*Node {
	w, v := eighParts(n)
	defer giveUp(w, v)
	var s *Node
	if len(cot) > 1 && cot[1] != nil {
		s = hermitianPart(Div(offDiagonal(mm(adjoint(v), cot[1])), gaps(w)))
	}
	if cot[0] != nil {
		s = addMaybe(s, Cast(embed(cot[0]), v.DType()))
	}
	if s == nil {
		return []*Node{nil}
	}
	return []*Node{mm(v, mm(s, adjoint(v)))}
}

func eighJVP(n *Node, tan []*Node) []*Node {
	w, v := eighParts(n)
	defer giveUp(w, v)
	t := hermitianPart(mm(adjoint(v), mm(tan[0], v)))
	dw := diagonals(t)
	if dw.DType().IsComplex() {
		dw = Real(dw)
	}
	if !n.IsTuple() {
		return []*Node{dw}
	}
	return []*Node{dw, mm(v, Div(offDiagonal(t), gaps(w)))}
}

// svdParts gives U, S and Vᴴ with min(m, n) vectors each.
func svdParts(n *Node) (u, s, vh *Node) {
	f := n.Attr().(attr.Factor)
	if !f.Vectors {
		n = graph.New(opSVD, attr.Factor{Vectors: true, Check: f.Check}, n.In(0))
	}
	u, s, vh = graph.TupleItem(n, 0), graph.TupleItem(n, 1), graph.TupleItem(n, 2)
	k := s.Dim(-1)
	return Narrow(u, -1, 0, k), s, Narrow(vh, -2, 0, k)
}

// svdVJP: vectors beyond the min(m, n)-th are not determined, and their cotangents are left out.
func svdVJP(n *Node, cot []*Node, _ []bool) []*Node {
	u, s, vh := svdParts(n)
	gu, gs, gv := (*Node)(nil), cot[0], (*Node)(nil)
	k := s.Dim(-1)
	if n.IsTuple() {
		gs = cot[1]
		if cot[0] != nil {
			gu = Narrow(cot[0], -1, 0, k)
		}
		if cot[2] != nil {
			gv = adjoint(Narrow(cot[2], -2, 0, k))
		}
	}
	v := adjoint(vh)
	e := gaps(Square(s))
	defer giveUp(v, e, u, s, vh)
	var core *Node
	if gs != nil {
		core = Cast(embed(gs), u.DType())
	}
	skew := func(x *Node) *Node { return Div(offDiagonal(Sub(x, adjoint(x))), e) }
	var phase *Node // that U and V share
	shared := u.DType().IsComplex()
	if gu != nil {
		x := mm(adjoint(u), gu)
		core = addMaybe(core, columns(skew(x), s))
		if shared {
			phase = diagonals(x)
		}
	}
	if gv != nil {
		x := mm(vh, gv)
		core = addMaybe(core, rowsBy(skew(x), s))
		if shared {
			phase = addMaybe(phase, Neg(diagonals(x)))
		}
	}
	if core == nil {
		return []*Node{nil}
	}
	if phase != nil {
		im := Div(Imag(phase), Mul(s, 2))
		core = Add(core, embed(Complex(zerosLike(im), im)))
	}
	g := mm(mm(u, core), vh)
	if gu != nil && u.Dim(-2) > k {
		g = Add(g, mm(Div(Sub(gu, mm(u, mm(adjoint(u), gu))), Unsqueeze(s, -2)), vh))
	}
	if gv != nil && vh.Dim(-1) > k {
		g = Add(g, mm(u, Div(adjoint(Sub(gv, mm(v, mm(vh, gv)))), Unsqueeze(s, -1))))
	}
	return []*Node{g}
}

func svdJVP(n *Node, tan []*Node) []*Node {
	u, s, vh := svdParts(n)
	defer giveUp(u, s, vh)
	t := tan[0]
	p := mm(adjoint(u), mm(t, adjoint(vh)))
	d := diagonals(p)
	ds := d
	if d.DType().IsComplex() {
		ds = Real(d)
	}
	if !n.IsTuple() {
		return []*Node{ds}
	}
	e := gaps(Square(s))
	sym := func(x *Node) *Node { return Div(offDiagonal(Add(x, adjoint(x))), e) }
	left, right := sym(columns(p, s)), sym(rowsBy(p, s))
	if d.DType().IsComplex() {
		im := Div(Imag(d), Mul(s, 2))
		phase := embed(Complex(zerosLike(im), im))
		left, right = Add(left, phase), Sub(right, phase)
	}
	du, dvh := mm(u, left), mm(adjoint(right), vh)
	k := s.Dim(-1)
	if u.Dim(-2) > k {
		x := mm(t, adjoint(vh))
		du = Add(du, Div(Sub(x, mm(u, p)), Unsqueeze(s, -2)))
	}
	if vh.Dim(-1) > k {
		x := mm(adjoint(u), t)
		dvh = Add(dvh, Div(Sub(x, mm(p, vh)), Unsqueeze(s, -1)))
	}
	return []*Node{padTo(du, graph.TupleItem(n, 0)), ds, padTo(dvh, graph.TupleItem(n, 2))}
}

// padTo puts zeros behind the rows or columns of x until it has the shape of y.
func padTo(x, y *Node) *Node {
	for _, axis := range []int{x.Rank() - 2, x.Rank() - 1} {
		if more := y.Dim(axis) - x.Dim(axis); more > 0 {
			d := x.Shape().Clone()
			d[axis] = more
			x = concat([]*Node{x, broadcastTo(constLike(x, 0), shape.Of("svd", d...))}, axis)
		}
	}
	return x
}
