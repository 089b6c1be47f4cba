package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/scope"
	"github.com/lucid-go/lucid/internal/shape"
)

// inferSame is the shape rule of elementwise ops that keep their last input's dtype.
func inferSame(_ attr.Attr, in []*Node) []graph.Spec {
	return []graph.Spec{{Shape: outShape(in...), DType: in[len(in)-1].DType()}}
}

// inferBool is the shape rule of elementwise tests.
func inferBool(_ attr.Attr, in []*Node) []graph.Spec {
	return []graph.Spec{{Shape: outShape(in...), DType: dtype.Bool}}
}

// vmapElementwise computes an elementwise op with the extra axis in front; inputs without it are repeated.
func vmapElementwise(n *Node, in []*Node, batched []bool, size int) []*Node {
	out := make([]*Node, len(in))
	s := batchShape(n.Op().Name, n.Shape(), size)
	for i, x := range in {
		switch {
		case batched[i] && x.Rank() == 1 && n.Rank() > 0 && n.In(i).Rank() == 0:
			// A mapped immediate: its one value per example is combined with every element.
			out[i] = broadcastTo(Reshape(x, append([]int{size}, ones(n.Rank())...)...), s)
		case batched[i] || x.IsConst():
			out[i] = x
		default:
			out[i] = broadcastTo(x, s)
		}
	}
	return []*Node{graph.New(n.Op(), n.Attr(), out...)}
}

func ones(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = 1
	}
	return s
}

// batchShape puts the extra axis in front.
func batchShape(op string, s *shape.Shape, size int) *shape.Shape {
	return shape.Of(op, append([]int{size}, s.Dims()...)...)
}

// derivative gives f'(x) at a unary node, nil where it is zero everywhere.
type derivative func(n *Node) *Node

// unaryRule declares an elementwise op of one input.
type unaryRule struct {
	AMP        graph.AMP
	DTypes     dtype.Set
	Validate   func(op *graph.Op, a attr.Attr, in []*Node) // nil: the op has no attribute
	SavesIn    uint32
	SavesOut   bool
	Singular   bool // the derivative may be infinite: a zero cotangent times it is zero
	Derivative derivative
}

// unaryOp declares an elementwise op of one input by its derivative.
func unaryOp(name string, r unaryRule) *graph.Op {
	d, times := r.Derivative, mulNodes
	if r.Singular {
		times = gradMul
	}
	if r.Validate == nil {
		r.Validate = alike
	}
	return graph.Register(graph.Op{Name: name, Version: 1, Kind: graph.Elementwise, AMP: r.AMP,
		Inputs: graph.Exactly(1), DTypes: r.DTypes, Validate: r.Validate,
		Infer: inferSame, SavesIn: r.SavesIn, SavesOut: r.SavesOut, VMap: vmapElementwise,
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node {
			if f := d(n); f != nil {
				return []*Node{times(cot[0], conj(f))}
			}
			return []*Node{nil}
		},
		JVP: func(n *Node, tan []*Node) []*Node {
			if f := d(n); f != nil {
				return []*Node{times(tan[0], f)}
			}
			return []*Node{nil}
		}})
}

// partials gives the derivative of a node by input i; nil is zero.
type partials func(n *Node, i int) *Node

// binaryRule declares an elementwise op of two or more inputs.
type binaryRule struct {
	AMP      graph.AMP
	DTypes   dtype.Set
	Validate func(op *graph.Op, a attr.Attr, in []*Node) // nil: the op has no attribute
	Neutral  graph.Neutral
	SavesIn  uint32
	SavesOut bool
	Singular bool // a derivative may be infinite: a zero cotangent times it is zero
	Partials partials
}

// binaryOp declares an elementwise op of two inputs by its partial derivatives.
func binaryOp(name string, r binaryRule) *graph.Op { return partialsOp(name, 2, r) }

// partialsOp declares an elementwise op of some inputs by its partial derivatives.
func partialsOp(name string, inputs int, r binaryRule) *graph.Op {
	d, times := r.Partials, mulNodes
	if r.Singular {
		times = gradMul
	}
	if r.Validate == nil {
		r.Validate = alike
	}
	return graph.Register(graph.Op{Name: name, Version: 1, Kind: graph.Elementwise, AMP: r.AMP, Neutral: r.Neutral,
		Inputs: graph.Exactly(inputs), DTypes: r.DTypes, Validate: r.Validate,
		Infer: inferSame, SavesIn: r.SavesIn, SavesOut: r.SavesOut, VMap: vmapElementwise,
		VJP: func(n *Node, cot []*Node, need []bool) []*Node {
			out := make([]*Node, inputs)
			for i := range out {
				if need[i] {
					if f := d(n, i); f != nil {
						out[i] = unbroadcast(times(cot[0], conj(f)), n.In(i))
					}
				}
			}
			return out
		},
		JVP: func(n *Node, tan []*Node) []*Node {
			var sum *Node
			for i, t := range tan {
				if t == nil {
					continue
				}
				if f := d(n, i); f != nil {
					sum = addMaybe(sum, expandTo(times(t, f), n.Shape()))
				}
			}
			return []*Node{sum}
		}})
}

// unbroadcast brings a cotangent back to an input that was a mapped immediate.
func unbroadcast(g, x *Node) *Node {
	if g.Shape().Equal(x.Shape()) || !x.IsConst() {
		return g
	}
	return SumTo(g, x.Shape())
}

// addMaybe adds where nil is zero.
func addMaybe(x, y *Node) *Node {
	switch {
	case x == nil:
		return y
	case y == nil:
		return x
	}
	return Add(x, y)
}

// mulNodes multiplies, leaving out a factor that is the immediate 1.
func mulNodes(x, y *Node) *Node {
	if isOne(y) {
		return x
	}
	if d := x.DType(); d.IsHalf() && y.DType() == dtype.Float32 { // a derivative that a half type may not hold
		return Cast(Mul(Cast(x, dtype.Float32), y), d)
	}
	return Mul(x, y)
}

func isOne(x *Node) bool {
	if !x.IsConst() {
		return false
	}
	c, ok := x.Attr().(attr.Const)
	return ok && c.Value.Kind == dtype.KindFloat && c.Value.F == 1
}

// conj is the conjugate where there is one.
func conj(x *Node) *Node {
	if x.DType().IsComplex() {
		return Conj(x)
	}
	return x
}

// unary records a unary op that keeps shape and dtype.
func unary(op *graph.Op, x *Node) *Node {
	if scope.Current().Autocast != dtype.Invalid {
		return apply(op, nil, x)
	}
	return graph.Make1(op, nil, x.Shape(), x.DType(), x)
}

// binary records a binary op over promoted operands.
func binary(op *graph.Op, x, y Operand) *Node {
	a, b := promote(op.Name, x, y)
	if scope.Current().Autocast != dtype.Invalid {
		return apply(op, nil, a, b)
	}
	sh := a.Shape()
	if a.IsConst() {
		sh = b.Shape()
	}
	return graph.Make2(op, nil, sh, b.DType(), a, b)
}

// test records a comparison.
func test(op *graph.Op, x, y Operand) *Node {
	a, b := promote(op.Name, x, y)
	sh := a.Shape()
	if a.IsConst() {
		sh = b.Shape()
	}
	return graph.Make2(op, nil, sh, dtype.Bool, a, b)
}

// requireKind refuses dtypes an op has no meaning for.
func requireKind(op string, x *Node, ok bool, want string) {
	if !ok {
		fault.Throw(fault.DType, op, "has no meaning for %v of shape %v; want %s", x.DType(), x.Shape(), want)
	}
}
