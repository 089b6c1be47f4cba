package ops

import (
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// opMix replaces every element along a dimension by a weighted sum of a few: a sparse matrix, by rows, times that dimension. Its
// inputs are x, the matrix (where the terms of each sum begin, their indices, their weights) and the transposed matrix, which
// is that of the gradient.
var opMix *graph.Op

func init() {
	transposed := func(n *Node, x *Node) *Node {
		return graph.New(opMix, n.Attr(), x, n.In(4), n.In(5), n.In(6), n.In(1), n.In(2), n.In(3))
	}
	opMix = graph.Register(graph.Op{Name: "mix", Version: 1, Kind: graph.Other,
		Inputs: graph.Exactly(7), Validate: rule(validateMix),
		Infer: func(a attr.Attr, in []*Node) []graph.Spec {
			d := slices.Clone(in[0].Shape().Dims())
			d[len(d)-1-a.(attr.Mix).Behind] = in[1].Dim(0) - 1
			return []graph.Spec{{Shape: shape.Of("mix", d...), DType: in[0].DType()}}
		},
		VJP: func(n *Node, cot []*Node, need []bool) []*Node {
			constant(need[3] || need[6])
			return []*Node{transposed(n, cot[0]), nil, nil, nil, nil, nil, nil}
		},
		JVP: func(n *Node, tan []*Node) []*Node {
			constant(tan[3] != nil || tan[6] != nil)
			return []*Node{graph.New(opMix, n.Attr(), tan[0], n.In(1), n.In(2), n.In(3), n.In(4), n.In(5), n.In(6))}
		},
		VMap: func(n *Node, in []*Node, batched []bool, _ int) []*Node { // the dimension is counted from behind
			constant(!batched[0] || slices.Contains(batched[1:], true))
			return []*Node{graph.New(opMix, n.Attr(), in...)}
		}})
}

// constant refuses matrices that vary.
func constant(varies bool) {
	if varies {
		fault.Throw(fault.NotImplemented, "mix", "the weights of a mix are constants; want x alone to vary")
	}
}

// mixTerm is a part of the sum of output out: the element at, times w.
type mixTerm struct {
	out, at int
	w       float64
}

// mix replaces dimension d by so many weighted sums; terms are in the order they are added.
func mix(x *Node, d, size int, terms []mixTerm) *Node {
	in := []*Node{x}
	in = append(in, sparse(x, size, terms, func(t mixTerm) (int, int) { return t.out, t.at })...)
	in = append(in, sparse(x, x.Dim(d), terms, func(t mixTerm) (int, int) { return t.at, t.out })...)
	return graph.New(opMix, attr.Mix{Behind: x.Rank() - 1 - d}, in...)
}

// sparse lays out a matrix with so many rows; cell gives the row and the column of a term.
func sparse(x *Node, rows int, terms []mixTerm, cell func(t mixTerm) (row, col int)) []*Node {
	starts := make([]int, rows+1)
	for _, t := range terms {
		row, _ := cell(t)
		starts[row+1]++
	}
	for r := range rows {
		starts[r+1] += starts[r]
	}
	at, w, next := make([]int, len(terms)), make([]float64, len(terms)), slices.Clone(starts)
	for _, t := range terms {
		row, col := cell(t)
		at[next[row]], w[next[row]] = col, t.w
		next[row]++
	}
	return []*Node{tableInts(x, starts), tableInts(x, at), tableFloats(x, w, len(w))}
}

func validateMix(c check) {
	x := c.in[0]
	a, ok := c.a.(attr.Mix)
	c.must(ok && a.Behind >= 0 && a.Behind < x.Rank(), "attribute %v of %v", c.a, x.Shape())
	c.floating(x)
	c.must(!x.DType().IsHalf(), "sums of %v", x.DType())
	for i := 1; i < 7; i += 3 { // what they hold is looked at when it is known
		starts, at, w := c.in[i], c.in[i+1], c.in[i+2]
		c.must(starts.DType() == dtype.Int64 && at.DType() == dtype.Int64 && w.DType() == x.DType(), "a matrix of %v, %v and %v",
			starts.DType(), at.DType(), w.DType())
		c.must(starts.Rank() == 1 && at.Rank() == 1 && w.Rank() == 1 && starts.Dim(0) >= 1 && at.Dim(0) == w.Dim(0),
			"a matrix of %v, %v and %v", starts.Shape(), at.Shape(), w.Shape())
	}
	c.must(c.in[4].Dim(0)-1 == x.Dim(x.Rank()-1-a.Behind), "%v by a matrix of %d columns", x.Shape(), c.in[4].Dim(0)-1)
}
