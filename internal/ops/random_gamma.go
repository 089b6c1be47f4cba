package ops

import (
	"math"
	"slices"

	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/shape"
)

// Samples whose gradients are implicit (Figurnov et al., 2018): a sample moves with its parameter so that its cumulative probability
// stays. Kernels compute in float64; gradients are written with ops.

var opRandomGamma, opRandomDirichlet, opRandomVonMises *graph.Op

func init() {
	opRandomGamma = implicitSampler("random_gamma", func(n *Node) *Node { return StandardGammaGrad(n.In(1), n) })
	opRandomVonMises = implicitSampler("random_von_mises", func(n *Node) *Node {
		return widened(func(v []*Node) *Node { return vonMisesSlope(v[0], v[1]) }, n.In(1), n)
	})
	op := samplerRule("random_dirichlet", 1, dtype.SetFloats)
	op.Validate = rule(func(c check) {
		c.sampled(dtype.SetFloats)
		c.must(c.in[1].Rank() >= c.in[0].Rank() && c.in[1].Dim(-1) > 0, "concentrations of shape %v hold no row", c.in[1].Shape())
	})
	op.SavesIn, op.SavesOut = 2, true
	op.VJP = func(n *Node, cot []*Node, need []bool) []*Node {
		if !need[1] {
			return []*Node{nil, nil}
		}
		last := ReduceOptions{Dim: []int{-1}, KeepDim: true}
		return []*Node{nil, Mul(dirichletSlope(n), Sub(cot[0], Sum(Mul(n, cot[0]), last)))}
	}
	op.JVP = func(n *Node, tan []*Node) []*Node {
		if tan[1] == nil {
			return []*Node{nil}
		}
		moved := Mul(dirichletSlope(n), tan[1])
		return []*Node{Sub(moved, Mul(n, Sum(moved, ReduceOptions{Dim: []int{-1}, KeepDim: true})))}
	}
	opRandomDirichlet = graph.Register(op)
}

// dirichletSlope is the derivative of each element of a sample by its own concentration, over 1 minus the element.
func dirichletSlope(n *Node) *Node {
	a := n.In(1)
	total := expandTo(Sum(a, ReduceOptions{Dim: []int{-1}, KeepDim: true}), a.Shape())
	return DirichletGrad(n, a, total)
}

// implicitSampler declares a sampler of one parameter, the derivative of whose samples by it is slope.
func implicitSampler(name string, slope func(n *Node) *Node) *graph.Op {
	op := samplerRule(name, 1, dtype.SetFloats)
	op.SavesIn, op.SavesOut = 2, true
	op.VJP = func(n *Node, cot []*Node, need []bool) []*Node {
		if !need[1] {
			return []*Node{nil, nil}
		}
		return []*Node{nil, Mul(cot[0], slope(n))}
	}
	op.JVP = func(n *Node, tan []*Node) []*Node {
		if tan[1] == nil {
			return []*Node{nil}
		}
		return []*Node{Mul(tan[1], slope(n))}
	}
	return graph.Register(op)
}

// RandomGamma returns numbers of the gamma distribution of rate 1 with the given concentrations, in their dtype. A concentration that
// is negative or NaN gives NaN. Gradients pass to the concentrations.
func RandomGamma(key, alpha *Node) *Node {
	requireFloat("gamma", alpha.DType())
	return graph.New(opRandomGamma, nil, key, alpha)
}

// RandomDirichlet returns rows that sum to 1, with concentrations along the last dimension. Gradients pass to the concentrations.
func RandomDirichlet(key, alpha *Node) *Node {
	requireFloat("dirichlet", alpha.DType())
	if alpha.Rank() == 0 || alpha.Dim(-1) == 0 {
		fault.Throw(fault.Shape, "dirichlet", "concentrations of shape %v; want at least one along the last dimension", alpha.Shape())
	}
	return graph.New(opRandomDirichlet, nil, key, alpha)
}

// RandomVonMises returns angles in [-π, π) of the von Mises distribution around 0 with the given concentrations. Gradients pass.
func RandomVonMises(key, kappa *Node) *Node {
	requireFloat("von_mises", kappa.DType())
	return graph.New(opRandomVonMises, nil, key, kappa)
}

// legendreNodes and legendreWeights are Gauss's rule of 40 points on [0, 1].
var legendreNodes, legendreWeights = gaussLegendre(40)

// gaussLegendre finds the roots of a Legendre polynomial by Newton's method.
func gaussLegendre(n int) (nodes, weights []float64) {
	for i := range n {
		x := math.Cos(math.Pi * (float64(i) + 0.75) / (float64(n) + 0.5))
		slope := 0.0
		for range 100 {
			p, q := 1.0, 0.0
			for k := range n {
				p, q = (float64(2*k+1)*x*p-float64(k)*q)/float64(k+1), p
			}
			slope = float64(n) * (x*p - q) / (x*x - 1)
			step := p / slope
			x -= step
			if math.Abs(step) < 1e-16 {
				break
			}
		}
		nodes = append(nodes, (x+1)/2)
		weights = append(weights, 1/((1-x*x)*slope*slope))
	}
	return nodes, weights
}

// vonMisesIntegral is the integral of f(t)·exp(κ(cos t - 1)) from 0 to x, by Gauss's rule. The integrand is negligible beyond 12/√κ.
func vonMisesIntegral(kappa, x *Node, f func(t *Node) *Node) *Node {
	d := kappa.DType()
	reach := Minimum(Abs(x), Div(12.0, Sqrt(Maximum(kappa, 1e-3))))
	at := func(n *Node) *Node { return Reshape(n, append(n.Shape().Clone(), 1)...) }
	row := func(v []float64) *Node { return Cast(on(kappa, floatRow(v)), d) }
	t := Mul(at(reach), row(legendreNodes))
	half := Sin(Mul(t, 0.5))
	density := Exp(Mul(at(kappa), Mul(Mul(half, half), -2.0)))
	terms := density
	if f != nil {
		terms = Mul(density, f(t))
	}
	return Mul(Mul(Sign(x), reach), Sum(Mul(terms, row(legendreWeights)), ReduceOptions{Dim: []int{-1}}))
}

// vonMisesSlope is the derivative of a sample x by κ: minus that of the distribution function by κ, over the density.
func vonMisesSlope(kappa, x *Node) *Node {
	ratio := Div(BesselI1e(kappa), BesselI0e(kappa))
	at := func(n *Node) *Node { return Reshape(n, append(n.Shape().Clone(), 1)...) }
	byKappa := vonMisesIntegral(kappa, x, func(t *Node) *Node { return Sub(Cos(t), at(ratio)) })
	half := Sin(Mul(x, 0.5))
	return Neg(Div(byKappa, Exp(Mul(kappa, Mul(Mul(half, half), -2.0)))))
}

// VonMisesCDF returns the distribution function of the von Mises distribution around 0, of angles in [-π, π].
func VonMisesCDF(kappa, x *Node) *Node {
	k, y := promote("von_mises_cdf", kappa, x)
	requireFloat("von_mises_cdf", k.DType())
	s := shape.Broadcast("von_mises_cdf", k.Shape(), y.Shape())
	return widened(func(v []*Node) *Node {
		k, x := v[0], v[1]
		area := Div(vonMisesIntegral(k, x, nil), Mul(BesselI0e(k), 2*math.Pi))
		return Add(area, 0.5)
	}, broadcastTo(k, s), broadcastTo(y, s))
}

// floatRow is a constant vector.
func floatRow(v []float64) *Node {
	return graph.NewStored(mem.FromGo(dtype.Bytes(slices.Clone(v))), graph.Spec{Shape: shape.Of("row", len(v)), DType: dtype.Float64}, nil)
}
