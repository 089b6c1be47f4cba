package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// opBag sums rows of a table times weights: row p of the result is Σ_t w[t,p] · table[at[t,p]]. An index of
// -1 is no row, whatever its weight.
var opBag *graph.Op

func bag(table, at, w *Node) *Node { return graph.New(opBag, nil, table, at, w) }

func init() {
	opBag = graph.Register(graph.Op{Name: "bag", Version: 1, Kind: graph.Other,
		Inputs: graph.Exactly(3), Validate: rule(validateBag),
		SavesIn: 7,
		Infer: func(_ attr.Attr, in []*Node) []graph.Spec {
			return []graph.Spec{{Shape: shape.Of("bag", in[1].Dim(1), in[0].Dim(1)), DType: in[0].DType()}}
		},
		VJP: func(n *Node, cot []*Node, need []bool) []*Node {
			table, at, w := n.In(0), n.In(1), n.In(2)
			g, rows := Unsqueeze(cot[0], 0), Reshape(Maximum(at, 0), at.Shape().Numel())
			is := Ge(at, 0)
			out := []*Node{nil, nil, nil}
			if need[0] {
				parts := Mul(Unsqueeze(w, 2), g)
				parts = Where(Unsqueeze(is, 2), parts, constLike(parts, 0))
				zeros := FullOf(table.Shape(), table.DType(), dtype.Scalar{Kind: dtype.KindFloat})
				out[0] = put(zeros, rows, Reshape(parts, at.Shape().Numel(), table.Dim(1)), 0, attr.ReduceAdd)
			}
			if need[2] {
				read := Reshape(take(table, rows, 0), at.Dim(0), at.Dim(1), table.Dim(1))
				sum := Sum(Mul(read, g), ReduceOptions{Dim: []int{2}})
				out[2] = Where(is, sum, constLike(sum, 0))
			}
			return out
		},
		JVP: func(n *Node, tan []*Node) []*Node {
			var sum *Node
			if tan[0] != nil {
				sum = bag(tan[0], n.In(1), n.In(2))
			}
			if tan[2] != nil {
				sum = addMaybe(sum, bag(n.In(0), n.In(1), tan[2]))
			}
			return []*Node{sum}
		},
		VMap: func(n *Node, in []*Node, batched []bool, size int) []*Node { // the tables are concatenated
			all := make([]*Node, 3)
			for i, x := range in {
				if !batched[i] {
					x = broadcastTo(x, batchShape("bag", x.Shape(), size))
				}
				all[i] = x
			}
			table, at, w := all[0], all[1], all[2]
			from := Mul(Reshape(arangeInts(table, size), size, 1, 1), table.Dim(1))
			at = Where(Ge(at, 0), Add(at, from), constLike(at, -1))
			columns := func(x *Node) *Node { return Reshape(Permute(x, 1, 0, 2), x.Dim(1), size*x.Dim(2)) }
			y := bag(Reshape(table, size*table.Dim(1), table.Dim(2)), columns(at), columns(w))
			return []*Node{Reshape(y, size, at.Dim(2), table.Dim(2))}
		}})
}

func validateBag(c check) {
	c.must(c.a == nil, "has no attributes, not %T", c.a)
	table, at, w := c.in[0], c.in[1], c.in[2]
	c.floating(table)
	c.must(!table.DType().IsHalf() && w.DType() == table.DType() && at.DType() == dtype.Int64, "of %v, %v and %v", table.DType(),
		at.DType(), w.DType())
	c.must(table.Rank() == 2 && at.Rank() == 2 && w.Shape().Equal(at.Shape()), "of shapes %v, %v and %v", table.Shape(),
		at.Shape(), w.Shape())
}

// arangeInts are the numbers below n, on x's device.
func arangeInts(x *Node, n int) *Node {
	v := make([]int, tableSize("bag", n))
	for i := range v {
		v[i] = i
	}
	return tableInts(x, v)
}
