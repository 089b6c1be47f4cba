package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
)

// Rules are the rules of a function that brings its own: they stand on the node as its attribute.
type Rules struct {
	Name string
	In   int // number of inputs; the node's further inputs are the outputs themselves
	VJP  func(in, out, cot []*Node) []*Node
	JVP  func(in, tan []*Node) []*Node
	VMap func(in []*Node, batched []bool, size int) []*Node
}

var opCustom *graph.Op

func init() {
	opCustom = graph.Register(graph.Op{Name: "custom", Version: 1, Kind: graph.Other, Transparent: true,
		Infer: func(a attr.Attr, in []*Node) []graph.Spec {
			var s []graph.Spec
			for _, o := range in[a.(*Rules).In:] {
				s = append(s, graph.Spec{Shape: o.Shape(), DType: o.DType()})
			}
			return s
		},
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node {
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
			g := r.VJP(in[:r.In:r.In], in[r.In:], cot)
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
			if r.VMap != nil {
				return r.VMap(in[:r.In], batched[:r.In], size)
			}
			// The outputs were vectorised already; the rules are written for one example, so they are lost.
			fault.Throw(fault.NotImplemented, r.Name, "has no VMap; give CustomFunc one")
			return nil
		}})
}

// WithRules shows outs, which were computed from in, under rules of their own.
func WithRules(r *Rules, in, outs []*Node) []*Node {
	all := append(append([]*Node(nil), in...), outs...)
	return graph.Items(graph.NewBundle(opCustom, r, all...))
}
