package ops

import "github.com/lucid-go/lucid/internal/graph"

var opLogsumexp *graph.Op

func init() {
	// Each element's share of the sum.
	weight := func(n *Node) *Node { return Exp(Sub(n.In(0), unreduce(n, n))) }
	opLogsumexp = graph.Register(graph.Op{Name: "logsumexp", Version: 1, Kind: graph.Reduce,
		Inputs: graph.Exactly(1), Validate: rule(validateReduceInexact),
		AMP: graph.AMPFloat32, Infer: inferReduce, VMap: vmapReduce,
		SavesIn: 1, SavesOut: true,
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node {
			return []*Node{Mul(unreduce(cot[0], n), conj(weight(n)))}
		},
		JVP: func(n *Node, tan []*Node) []*Node { return []*Node{sumLike(n, Mul(tan[0], weight(n)))} }})
}

// Logsumexp returns log(Σ exp(x)) over the dimensions (none given: all) without overflow; of nothing it is -Inf.
//
//lucid:func LogSumExp
//lucid:method LogSumExp(dim ...int)
//lucid:alias special_logsumexp
func Logsumexp(x *Node, o ReduceOptions) *Node {
	noDType("logsumexp", o)
	return reduce(opLogsumexp, floating(x), o.Dim, o.KeepDim)
}
