package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// paged_attention is attention over keys and values that are in blocks of a pool which many texts share: q is (N, H, L, E), the pools
// are (1, G, P, E) and (1, G, P, F), and a table of int64, (N, blocks), says where the keys of each example are. Key j is row
// table[n, j/Block]·Block + j%Block. The mask, (N or 1, H or 1, L or 1, S), says by its last size how many keys there are. Results are
// those of attention over the gathered keys and values, bit for bit where a device promises bits.
var opPagedAttention *graph.Op

func init() {
	opPagedAttention = graph.Register(graph.Op{Name: "paged_attention", Version: 1, Kind: graph.Contract, Inputs: graph.Exactly(5),
		Infer: func(_ attr.Attr, in []*Node) []graph.Spec {
			q, d := in[0], in[0].Shape().Clone()
			d[3] = in[2].Dim(3)
			return []graph.Spec{{Shape: shape.Of("paged_attention", d...), DType: q.DType()},
				{Shape: shape.Of("paged_attention", d[:3]...), DType: statDType(q.DType())}}
		},
		FLOPs: func(in, _ []*shape.Shape) int64 {
			q, v, mask := in[0], in[2], in[4]
			return 2 * int64(q.Dim(0)*q.Dim(1)*q.Dim(2)) * int64(mask.Dim(3)) * int64(q.Dim(3)+v.Dim(3))
		},
		NoGrad: "keys and values in a pool are those of generation", NoVMap: "examples are its first dimension already",
		NotInFiles: "its pools belong to a process"})
}

// PagedAttention returns attention over keys and values in blocks of pools; sinks, (heads), may be nil.
func PagedAttention(q, k, v, table, mask, sinks *Node, block int, scale float64) *Node {
	const op = "paged_attention"
	if q.Rank() != 4 || k.Rank() != 4 || v.Rank() != 4 || k.Dim(0) != 1 || v.Dim(0) != 1 || k.Dim(1) != v.Dim(1) ||
		k.Dim(2) != v.Dim(2) || k.Dim(3) != q.Dim(3) || k.Dim(1) == 0 || q.Dim(1)%k.Dim(1) != 0 {
		fault.Throw(fault.Shape, op, "queries of shape %v, pools of %v and %v; want (N, H, L, E), (1, G, P, E) and (1, G, P, F)",
			q.Shape(), k.Shape(), v.Shape())
	}
	if !q.DType().IsFloat() || k.DType() != q.DType() || v.DType() != q.DType() {
		fault.Throw(fault.DType, op, "queries of %v, pools of %v and %v; want one floating dtype", q.DType(), k.DType(), v.DType())
	}
	if block < 1 || table.DType() != dtype.Int64 || table.Rank() != 2 || table.Dim(0) != q.Dim(0) {
		fault.Throw(fault.Shape, op, "a table of %v %v for blocks of %d and queries of %v; want int64 of (%d, blocks)", table.DType(),
			table.Shape(), block, q.Shape(), q.Dim(0))
	}
	fits := mask.DType() == dtype.Bool && mask.Rank() == 4
	for i := 0; i < 3 && fits; i++ {
		fits = mask.Dim(i) == 1 || mask.Dim(i) == q.Dim(i)
	}
	if !fits || mask.Dim(3) > table.Dim(1)*block || k.Dim(2)%block != 0 {
		fault.Throw(fault.Shape, op,
			"a mask of %v %v for queries of %v, %d blocks of %d rows and pools of %d; want bool of (%d, 1, %d, keys)",
			mask.DType(), mask.Shape(), q.Shape(), table.Dim(1), block, k.Dim(2), q.Dim(0), q.Dim(2))
	}
	n := graph.New(opPagedAttention, attr.Paged{Scale: scale, Block: block}, q, k, v, table, mask)
	if sinks == nil {
		return graph.TupleItem(n, 0)
	}
	return shareWithSinks(graph.TupleItem(n, 0), Unsqueeze(graph.TupleItem(n, 1), -1), sinks)
}
