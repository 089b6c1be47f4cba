package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

var opCumsum, opCumprod *graph.Op

func vmapScan(n *Node, in []*Node, _ []bool, _ int) []*Node {
	s := n.Attr().(attr.Scan)
	s.Axis++
	return []*Node{graph.New(n.Op(), s, in[0])}
}

func init() {
	opCumsum = graph.Register(graph.Op{Name: "cumsum", Version: 1, Kind: graph.RowWise, AMP: graph.AMPFloat32, Infer: inferSame, VMap: vmapScan,
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node {
			s := n.Attr().(attr.Scan)
			return []*Node{graph.New(opCumsum, attr.Scan{Axis: s.Axis, Reverse: !s.Reverse}, cot[0])}
		},
		JVP: func(n *Node, tan []*Node) []*Node { return []*Node{graph.New(opCumsum, n.Attr(), tan[0])} }})
	opCumprod = graph.Register(graph.Op{Name: "cumprod", Version: 1, Kind: graph.RowWise, AMP: graph.AMPFloat32, Infer: inferSame, VMap: vmapScan, SavesIn: 1,
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node {
			// out[j] depends on x[i] by the product of the others up to j: a matrix J[j, i].
			j := cumprodJacobian(n)
			g := Unsqueeze(moveLast(conj(cot[0]), n.Attr().(attr.Scan).Axis), -1)
			return []*Node{moveFromLast(conj(Sum(Mul(g, j), ReduceOptions{Dim: []int{-2}})), n.Attr().(attr.Scan).Axis)}
		},
		JVP: func(n *Node, tan []*Node) []*Node {
			j := cumprodJacobian(n)
			t := Unsqueeze(moveLast(tan[0], n.Attr().(attr.Scan).Axis), -2)
			return []*Node{moveFromLast(Sum(Mul(t, j), ReduceOptions{Dim: []int{-1}}), n.Attr().(attr.Scan).Axis)}
		}})
}

// cumprodJacobian gives ∂out[j]/∂x[i] in the last two dimensions (j, i), without dividing, so that zeros do no
// harm: row i of a matrix of x's with the diagonal set to 1, multiplied up from there.
func cumprodJacobian(n *Node) *Node {
	s := n.Attr().(attr.Scan)
	x := moveLast(n.In(0), s.Axis)
	m := x.Dim(-1)
	i := Arange64(m)
	diag := Eq(Unsqueeze(i, 1), Unsqueeze(i, 0))
	rows := Where(diag, constLike(x, 1), Unsqueeze(x, -2)) // [..., i, k]: x[k], 1 at k = i
	p := graph.New(opCumprod, attr.Scan{Axis: rows.Rank() - 1, Reverse: s.Reverse}, rows)
	sees := Ge(Unsqueeze(i, 0), Unsqueeze(i, 1)) // out[j] sees x[i] from j = i on
	if s.Reverse {
		sees = Le(Unsqueeze(i, 0), Unsqueeze(i, 1))
	}
	p = Where(sees, p, constLike(x, 0))
	return swapLast(p)
}

func swapLast(x *Node) *Node {
	order := make([]int, x.Rank())
	for i := range order {
		order[i] = i
	}
	r := x.Rank()
	order[r-1], order[r-2] = r-2, r-1
	return permute(x, order)
}

// moveLast brings a dimension to the end, moveFromLast back.
func moveLast(x *Node, axis int) *Node     { return moveAxis(x, axis, x.Rank()-1) }
func moveFromLast(x *Node, axis int) *Node { return moveAxis(x, x.Rank()-1, axis) }

func moveAxis(x *Node, from, to int) *Node {
	order := make([]int, 0, x.Rank())
	for i := range x.Rank() {
		if i != from {
			order = append(order, i)
		}
	}
	order = append(order[:to], append([]int{from}, order[to:]...)...)
	return permute(x, order)
}

func cumprodAlong(x *Node, axis int, reverse bool) *Node {
	return apply(opCumprod, attr.Scan{Axis: axis, Reverse: reverse}, x)
}

// ScanOptions says what dtype a running sum or product has; zero: the input's, integers summing as int64.
type ScanOptions struct{ DType dtype.DType }

func scan(op *graph.Op, x *Node, dim int, d dtype.DType) *Node {
	axis := shape.Axis(op.Name, dim, x.Rank())
	x = summable(x, d)
	if x.Rank() == 0 {
		return x
	}
	return apply(op, attr.Scan{Axis: axis}, x)
}

// Cumsum returns running sums along a dimension.
//
//lucid:func CumSum
//lucid:method CumSum(dim int)
func Cumsum(x *Node, dim int, o ScanOptions) *Node { return scan(opCumsum, x, dim, o.DType) }

// Cumprod returns running products along a dimension.
//
//lucid:func CumProd
//lucid:method CumProd(dim int)
func Cumprod(x *Node, dim int, o ScanOptions) *Node { return scan(opCumprod, x, dim, o.DType) }

// MoveAxis brings one dimension to another place; both are resolved already.
func MoveAxis(x *Node, from, to int) *Node { return moveAxis(x, from, to) }
