package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/graph"
)

// LinalgPolarOptions says on which side the Hermitian factor stands.
type LinalgPolarOptions struct {
	Left bool // x = p·u instead of x = u·p
}

// LinalgPolar returns u with orthonormal columns (rows, if there are fewer of them) and p, Hermitian without negative eigenvalues, with
// u·p = x. The derivative is finite for matrices of full rank, whatever their singular values; if p has more rows than the rank can be,
// it is that of SVD.
//
//lucid:pkg linalg Polar
//lucid:name linalg_polar
//lucid:amp float32
//lucid:options PolarOptions
func LinalgPolar(x *Node, o LinalgPolarOptions) (u, p *Node) {
	const op = "linalg_polar"
	x = matricesOf(op, x)
	m, n := x.Dim(-2), x.Dim(-1)
	switch {
	case !o.Left && m >= n:
		return polar(op, x)
	case o.Left && m <= n:
		u, p = polar(op, adjoint(x))
		return adjoint(u), p
	}
	left, s, vh := svdOf(op, x, false)
	u = mm(left, vh)
	if o.Left {
		return u, mm(columns(left, s), adjoint(left))
	}
	return u, mm(adjoint(vh), rowsBy(vh, s))
}

// polar gives u and p with u·p = x, for matrices with at least as many rows as columns. Its rules do not take the gradient through
// singular vectors, which is infinite where singular values are equal.
func polar(op string, x *Node) (u, p *Node) {
	left, s, vh := svdOf(op, x, false)
	u, p = mm(left, vh), mm(adjoint(vh), rowsBy(vh, s))
	return polarShown([]*Node{x, StopGradient(u), StopGradient(p)}, u, p)
}

// polarShown shows the factors under their rules; the inputs are the matrices and the values of both.
func polarShown(in []*Node, u, p *Node) (*Node, *Node) {
	outs := WithRules(&Rules{Name: "linalg_polar", In: 3, Same: true,
		VJP: func(in, out, cot []*Node, _ []bool) []*Node {
			return []*Node{polarVJP(out[0], out[1], cot[0], cot[1]), nil, nil}
		},
		JVP: func(in, tan []*Node) []*Node {
			u, p := polarShown(in, in[1], in[2])
			return polarJVP(u, p, tan[0])
		}}, in, []*Node{u, p})
	return outs[0], outs[1]
}

// polarJVP: with K = uᴴ·dx, the spin Ω = uᴴ·du solves Ω·p + p·Ω = K - Kᴴ, and dp = K - Ω·p.
func polarJVP(u, p, t *Node) []*Node {
	k := mm(adjoint(u), t)
	spin := lyapunov(p, Sub(k, adjoint(k)))
	du := mm(u, spin)
	if u.Dim(-2) > u.Dim(-1) {
		du = Add(du, mm(Sub(t, mm(u, k)), inverseOf("", p)))
	}
	return []*Node{du, hermitianPart(Sub(k, mm(spin, p)))}
}

func polarVJP(u, p, gu, gp *Node) *Node {
	gp = hermitianPart(gp)
	y := lyapunov(p, Sub(mm(adjoint(u), gu), mm(gp, p)))
	g := mm(u, Add(Sub(y, adjoint(y)), gp))
	if u.Dim(-2) > u.Dim(-1) {
		w := mm(gu, inverseOf("", p))
		g = Add(g, Sub(w, mm(u, mm(adjoint(u), w))))
	}
	return g
}

// lyapunov gives X with p·X + X·p = c for Hermitian p without negative eigenvalues; where two of them are 0, that part of X is 0. Its
// rules need no differences of eigenvalues, so that it can be differentiated any number of times where some are equal.
func lyapunov(p, c *Node) *Node {
	t := graph.New(opEigh, attr.Factor{Vectors: true}, p)
	w, v := graph.TupleItem(t, 0), graph.TupleItem(t, 1)
	w = Where(Gt(w, 0), w, constLike(w, 0))
	sum := Add(Unsqueeze(w, -1), Unsqueeze(w, -2))
	zero := Eq(sum, 0)
	x := mm(adjoint(v), mm(c, v))
	x = Where(zero, constLike(x, 0), Div(x, Where(zero, constLike(sum, 1), sum)))
	x = mm(v, mm(x, adjoint(v)))
	return WithRules(&Rules{Name: "lyapunov", In: 2, Same: true,
		VJP: func(in, out, cot []*Node, _ []bool) []*Node {
			y, xh := lyapunov(in[0], cot[0]), adjoint(out[0])
			return []*Node{Neg(Add(mm(y, xh), mm(xh, y))), y}
		},
		JVP: func(in, tan []*Node) []*Node {
			x := lyapunov(in[0], in[1])
			return []*Node{lyapunov(in[0], Sub(tan[1], Add(mm(tan[0], x), mm(x, tan[0]))))}
		}}, []*Node{p, c}, []*Node{x})[0]
}

// nuclear is the sum of singular values of matrices. Its gradient is the polar factor.
func nuclear(op string, x *Node) *Node {
	value := Sum(svdvals(op, x), ReduceOptions{Dim: []int{-1}})
	factor := func(x *Node) *Node {
		if x.Dim(-2) < x.Dim(-1) {
			u, _ := polar(op, adjoint(x))
			return adjoint(u)
		}
		u, _ := polar(op, x)
		return u
	}
	return WithRules(&Rules{Name: op, In: 1, Same: true,
		VJP: func(in, _, cot []*Node, _ []bool) []*Node {
			return []*Node{Mul(factor(in[0]), Unsqueeze(Unsqueeze(cot[0], -1), -1))}
		},
		JVP: func(in, tan []*Node) []*Node {
			d := Mul(conj(factor(in[0])), tan[0])
			if d.DType().IsComplex() {
				d = Real(d)
			}
			return []*Node{Sum(d, ReduceOptions{Dim: []int{-2, -1}})}
		}}, []*Node{x}, []*Node{value})[0]
}
