package ops

import (
	"fmt"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
)

// Rules are the rules of a function that brings its own: they stand on the node as its attribute.
type Rules struct {
	Name string
	In   int // number of inputs; the node's further inputs are the outputs themselves
	// Same says that the rules give what the inside would: leaving them out changes no value and no gradient.
	Same bool
	VJP  func(in, out, cot []*Node, need []bool) []*Node
	JVP  func(in, tan []*Node) []*Node
	// VMap computes the outputs of a batch, whose axis is the first of the inputs that have it and of every output. The other
	// rules are vectorised as ever.
	VMap func(in []*Node, batched []bool, size int) []*Node
}

var opCustom *graph.Op

func init() {
	opCustom = graph.Register(graph.Op{Name: "custom", Version: 1, Kind: graph.Other,
		Inputs: graph.AtLeast(0), NotInFiles: "its rules are Go functions", NoKernel: "shows values its user computed with other ops",
		Transparent: true,
		Infer: func(a attr.Attr, in []*Node) []graph.Spec {
			var s []graph.Spec
			for _, o := range in[a.(*Rules).In:] {
				s = append(s, graph.Spec{Shape: o.Shape(), DType: o.DType()})
			}
			return s
		},
		VJP: func(n *Node, cot []*Node, need []bool) []*Node {
			r := n.Attr().(*Rules)
			if r.VJP == nil {
				fault.Throw(fault.Gradient, r.Name, "has no VJP; give CustomFunc one")
			}
			for i := range cot {
				if cot[i] == nil {
					cot[i] = zerosLike(n.In(r.In + i))
				}
			}
			in := n.Ins()
			// The outputs are shown with their rules: a rule that reads them is differentiated through them.
			g := r.VJP(in[:r.In:r.In], graph.TupleItems(n), cot, need[:r.In])
			return append(append([]*Node(nil), g...), make([]*Node, len(in)-len(g))...)
		},
		JVP: func(n *Node, tan []*Node) []*Node {
			r := n.Attr().(*Rules)
			if r.JVP == nil {
				fault.Throw(fault.Gradient, r.Name, "has no JVP; give CustomFunc one")
			}
			return r.JVP(n.Ins()[:r.In], withZeros(n, tan)[:r.In])
		},
		VMap: func(n *Node, in []*Node, batched []bool, size int) []*Node {
			r := n.Attr().(*Rules)
			if r.VMap == nil {
				return vmapRules(r, in, batched, size)
			}
			outs := r.VMap(in[:r.In:r.In], batched[:r.In:r.In], size)
			if len(outs) != len(in)-r.In {
				fault.Throw(fault.Value, r.Name, "VMap gave %d outputs; Forward gave %d", len(outs), len(in)-r.In)
			}
			flags := append([]bool(nil), batched[:r.In]...)
			for i, o := range outs {
				one := n.In(r.In + i)
				if o == nil || !o.Shape().Equal(batchShape(r.Name, one.Shape(), size)) || o.DType() != one.DType() {
					fault.Throw(fault.Shape, r.Name, "VMap gave %s as output %d; want %v of shape %v, the examples in front", describe(o),
						i, one.DType(), batchShape(r.Name, one.Shape(), size))
				}
				flags = append(flags, true)
			}
			return vmapRules(r, append(in[:r.In:r.In], outs...), flags, size)
		}})
}

func describe(x *Node) string {
	if x == nil {
		return "nil"
	}
	return fmt.Sprintf("%v of shape %v", x.DType(), x.Shape())
}

// WithRules shows outs, which were computed from in, under rules of their own.
func WithRules(r *Rules, in, outs []*Node) []*Node {
	all := append(append([]*Node(nil), in...), outs...)
	return graph.TupleItems(graph.NewTuple(opCustom, r, all...))
}

// Vectorise runs a function of nodes over an extra axis in front of the batched ones; package transform provides it.
var Vectorise func(f func([]*Node) []*Node, in []*Node, batched []bool, size int) []*Node

// Pull carries cotangents through a function of nodes, and Push tangents: rules of ops that have a form written with other
// ops. Package transform provides both.
var (
	Pull func(f func([]*Node) []*Node, in, cot []*Node, need []bool) []*Node
	Push func(f func([]*Node) []*Node, in, tan []*Node) []*Node
)

// vmapRules shows the vectorised outputs under the vectorised rules.
func vmapRules(r *Rules, in []*Node, batched []bool, size int) []*Node {
	outs := make([]*Node, len(in)-r.In)
	for i := range outs {
		outs[i] = in[r.In+i]
		if !batched[r.In+i] {
			outs[i] = broadcastTo(outs[i], batchShape(r.Name, outs[i].Shape(), size))
		}
	}
	v := &Rules{Name: r.Name, In: r.In, Same: r.Same}
	isBatched := append([]bool(nil), batched[:r.In]...)
	all := func(n int) []bool {
		b := make([]bool, n)
		for i := range b {
			b[i] = true
		}
		return b
	}
	if r.VJP != nil {
		v.VJP = func(in, out, cot []*Node, need []bool) []*Node {
			args := append(append(append([]*Node(nil), in...), out...), cot...)
			flags := append(append(append([]bool(nil), isBatched...), all(len(out))...), all(len(cot))...)
			g := Vectorise(func(a []*Node) []*Node {
				return r.VJP(a[:len(in)], a[len(in):len(in)+len(out)], a[len(in)+len(out):], need)
			}, args, flags, size)
			for i := range g {
				if g[i] != nil && !isBatched[i] {
					g[i] = SumTo(g[i], in[i].Shape()) // one value served all examples
				}
			}
			return g
		}
	}
	if r.JVP != nil {
		v.JVP = func(in, tan []*Node) []*Node {
			args := append(append([]*Node(nil), in...), tan...)
			return Vectorise(func(a []*Node) []*Node { return r.JVP(a[:len(in)], a[len(in):]) }, args,
				append(append([]bool(nil), isBatched...), isBatched...), size)
		}
	}
	return WithRules(v, in[:r.In], outs)
}
