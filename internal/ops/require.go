package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
)

// require shows its first operand, and fails when it is computed if a value of the second does not follow a rule: values
// are not known when an op is written down. So a refused value is the error of the evaluation that needed it, as a position
// out of range is.
var opRequire *graph.Op

func init() {
	opRequire = graph.Register(graph.Op{Name: "require", Version: 1, Kind: graph.Elementwise,
		Inputs: graph.Exactly(2), DTypes: dtype.SetOf(dtype.Float32, dtype.Float64), Validate: rule(validateRequire), Checks: true,
		Infer: inferSame, VMap: vmapElementwise,
		VJP: requireVJP,
		JVP: func(_ *Node, tan []*Node) []*Node { return []*Node{tan[0]} }})
}

// requireVJP passes the cotangent on. That of a loop which has not finished is wrong, though nothing in it shows it: it is refused too.
func requireVJP(n *Node, cot []*Node, _ []bool) []*Node {
	if d := n.Attr().(attr.Domain); d.Rule == attr.Finished {
		return []*Node{require(d.Op, d.Rule, cot[0], n.In(1)), nil}
	}
	return []*Node{cot[0], nil}
}

// require is x, where the values of tested follow the rule. It is computed in float32 or float64.
func require(op string, r attr.Rule, x, tested *Node) *Node {
	d := clockType(x.DType())
	if tested.DType() == dtype.Float64 {
		d = dtype.Float64
	}
	y := graph.New(opRequire, attr.Domain{Op: op, Rule: r}, Cast(x, d), expandTo(Cast(tested, d), x.Shape()))
	return Cast(y, x.DType())
}
