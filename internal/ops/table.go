package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// table is a small constant computed while the graph is built: positions and weights of a resampling.
var opTable *graph.Op

func init() {
	opTable = graph.Register(graph.Op{Name: "table", Version: 1, Kind: graph.Source,
		Inputs: graph.Exactly(0), Validate: rule(validateTable),
		NoGrad: "has no inputs", NoVMap: "has no inputs",
		Infer: func(a attr.Attr, _ []*Node) []graph.Spec {
			t := a.(attr.Table)
			return []graph.Spec{{Shape: shape.Of("table", t.Dims.Slice()...), DType: t.DType}}
		}})
}

// tableSize is the number of elements of a table of these sizes. Tables are in Go memory before any is asked of a pool, so one that a large
// view or number would make immense is refused.
func tableSize(op string, dims ...int) int {
	const most = 1 << 28
	n := shape.Of(op, dims...).Numel()
	if n > most {
		fault.Throw(fault.Value, op, "it would need a table of %v, %d numbers; want at most %d", dims, n, most)
	}
	return n
}

// table makes a constant of dtype d on the device of x, number i being at(i).
func table(x *Node, d dtype.DType, at func(i int) dtype.Scalar, dims ...int) *Node {
	b := make([]byte, product(dims)*d.Size())
	for i := range product(dims) {
		d.Put(b, i, at(i))
	}
	n := graph.New(opTable, attr.Table{DType: d, Dims: attr.MakeInts(dims...), Data: string(b)})
	if dev := x.Device(); dev != nil && n.Device() == nil {
		n.SetDevice(dev)
	}
	return n
}

// tableInts is a vector of positions.
func tableInts(x *Node, v []int) *Node {
	return table(x, dtype.Int64, func(i int) dtype.Scalar { return dtype.Scalar{Kind: dtype.KindInt, I: int64(v[i])} }, len(v))
}

// tableFloats is a constant of x's dtype.
func tableFloats(x *Node, v []float64, dims ...int) *Node {
	return table(x, x.DType(), func(i int) dtype.Scalar { return dtype.Scalar{Kind: dtype.KindFloat, F: v[i]} }, dims...)
}
