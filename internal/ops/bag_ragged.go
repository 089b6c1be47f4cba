package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// opRaggedBag sums rows of a table times weights, as many as each sum has: row b of the result is Σ w[p] · table[at[p]] over p from
// starts[b] on and below starts[b+1]. Starts do not decrease.
var opRaggedBag *graph.Op

func raggedBag(table, starts, at, w *Node) *Node {
	return graph.New(opRaggedBag, nil, table, starts, at, w)
}

func init() {
	opRaggedBag = graph.Register(graph.Op{Name: "ragged_bag", Version: 1, Kind: graph.Other,
		Inputs: graph.Exactly(4), Validate: rule(validateRaggedBag),
		SavesIn: 15,
		Infer: func(_ attr.Attr, in []*Node) []graph.Spec {
			return []graph.Spec{{Shape: shape.Of("ragged_bag", in[1].Dim(0)-1, in[0].Dim(1)), DType: in[0].DType()}}
		},
		VJP: func(n *Node, cot []*Node, need []bool) []*Node {
			table, starts, at, w := n.In(0), n.In(1), n.In(2), n.In(3)
			g, out := raggedRows(starts, cot[0], at.Dim(0)), []*Node{nil, nil, nil, nil}
			if need[0] {
				zeros := FullOf(table.Shape(), table.DType(), dtype.Scalar{Kind: dtype.KindFloat})
				out[0] = put(zeros, at, Mul(g, Unsqueeze(w, 1)), 0, attr.ReduceAdd)
			}
			if need[3] {
				out[3] = Sum(Mul(take(table, at, 0), g), ReduceOptions{Dim: []int{1}})
			}
			return out
		},
		JVP: func(n *Node, tan []*Node) []*Node {
			var sum *Node
			if tan[0] != nil {
				sum = raggedBag(tan[0], n.In(1), n.In(2), n.In(3))
			}
			if tan[3] != nil {
				sum = addMaybe(sum, raggedBag(n.In(0), n.In(1), n.In(2), tan[3]))
			}
			return []*Node{sum}
		},
		VMap: func(n *Node, in []*Node, batched []bool, size int) []*Node {
			if batched[0] && !batched[1] && !batched[2] && !batched[3] { // columns of one table
				table := in[0]
				rows, cols := table.Dim(1), table.Dim(2)
				y := raggedBag(Reshape(Permute(table, 1, 0, 2), rows, size*cols), in[1], in[2], in[3])
				return []*Node{Permute(Reshape(y, y.Dim(0), size, cols), 1, 0, 2)}
			}
			return []*Node{raggedBags(in, batched, size)}
		}})
}

// raggedBags is size examples as one: their tables one above the other, terms one behind the other. Between the last sum of an example and
// the first of the next is one more, of the terms that belong to neither, which is left out.
func raggedBags(in []*Node, batched []bool, size int) *Node {
	all := make([]*Node, len(in))
	for k, x := range in {
		if all[k] = x; k > 0 && !batched[k] {
			all[k] = broadcastTo(Unsqueeze(x, 0), shape.Of("ragged_bag", append([]int{size}, x.Shape().Dims()...)...))
		}
	}
	table, starts, at, w := all[0], all[1], all[2], all[3]
	example := func(by int) *Node { return Unsqueeze(Mul(Arange64(size), by), 1) }
	if batched[0] {
		at = Add(at, example(table.Dim(1)))
		table = Reshape(table, size*table.Dim(1), table.Dim(2))
	}
	sums, n := starts.Dim(1)-1, at.Dim(1)
	starts = Reshape(Add(starts, example(n)), size*(sums+1))
	y := raggedBag(table, starts, Reshape(at, size*n), Reshape(w, size*n))
	y = padConstant(y, []int{0, 0}, []int{1, 0}, 0) // the last example has no sum behind it
	return SliceDim(Reshape(y, size, sums+1, table.Dim(1)), 1, 0, sums, 1)
}

// raggedRows gives each of n positions the row of its sum; those before the first and behind the last have zeros.
func raggedRows(starts, rows *Node, n int) *Node {
	one := broadcastTo(Number(dtype.Int64, 1), starts.Shape())
	begun := Cumsum(put(FullOf(shape.Of("ragged_bag", n+1), dtype.Int64, dtype.Scalar{}), starts, one, 0, attr.ReduceAdd), 0,
		CumulativeOptions{})
	bag := Sub(SliceDim(begun, 0, 0, n, 1), 1)
	bags := rows.Dim(0)
	if bags == 0 {
		return FullOf(shape.Of("ragged_bag", n, rows.Dim(1)), rows.DType(), dtype.Scalar{Kind: dtype.KindFloat})
	}
	inside := Unsqueeze(LogicalAnd(Ge(bag, 0), Lt(bag, bags)), 1)
	read := take(rows, Minimum(Maximum(bag, 0), bags-1), 0)
	return Where(inside, read, constLike(read, 0))
}

func validateRaggedBag(c check) {
	c.must(c.a == nil, "has no attributes, not %T", c.a)
	table, starts, at, w := c.in[0], c.in[1], c.in[2], c.in[3]
	c.floating(table)
	c.must(!table.DType().IsHalf() && w.DType() == table.DType() && starts.DType() == dtype.Int64 && at.DType() == dtype.Int64,
		"of %v, %v, %v and %v", table.DType(), starts.DType(), at.DType(), w.DType())
	c.must(table.Rank() == 2 && starts.Rank() == 1 && starts.Dim(0) > 0 && at.Rank() == 1 && w.Shape().Equal(at.Shape()),
		"of shapes %v, %v, %v and %v", table.Shape(), starts.Shape(), at.Shape(), w.Shape())
}
