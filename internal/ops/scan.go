package ops

import (
	"math"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

var opCumsum, opCumprod, opLinearScan *graph.Op

func vmapScan(n *Node, in []*Node, batched []bool, size int) []*Node {
	s := n.Attr().(attr.Scan)
	s.Axis++
	return []*Node{graph.New(n.Op(), s, allBatched(n, in, batched, size)...)}
}

func init() {
	opCumsum = graph.Register(graph.Op{Name: "cumsum", Version: 1, Kind: graph.RowWise,
		Inputs: graph.Exactly(1), Validate: rule(validateScan),
		AMP: graph.AMPFloat32, Infer: inferSame, VMap: vmapScan,
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node {
			s := n.Attr().(attr.Scan)
			return []*Node{graph.New(opCumsum, attr.Scan{Axis: s.Axis, Reverse: !s.Reverse}, cot[0])}
		},
		JVP: func(n *Node, tan []*Node) []*Node { return []*Node{graph.New(opCumsum, n.Attr(), tan[0])} }})
	// With y[t] = x[t]·y[t-1], the rules are linear recurrences times the product of what came before: they divide by
	// nothing, so zeros do no harm.
	before := func(n *Node) *Node {
		s := n.Attr().(attr.Scan)
		return exclusive(opCumprod, n.In(0), s.Axis, 1, s.Reverse)
	}
	opCumprod = graph.Register(graph.Op{Name: "cumprod", Version: 1, Kind: graph.RowWise,
		Inputs: graph.Exactly(1), Validate: rule(validateScan),
		AMP: graph.AMPFloat32, Infer: inferSame, VMap: vmapScan, SavesIn: 1,
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node {
			return []*Node{Mul(conj(before(n)), carryBack(conj(n.In(0)), cot[0], n.Attr().(attr.Scan)))}
		},
		JVP: func(n *Node, tan []*Node) []*Node {
			return []*Node{linearScan(n.In(0), Mul(tan[0], before(n)), n.Attr().(attr.Scan))}
		}})
	// y[t] = a[t]·y[t-1] + b[t]
	opLinearScan = graph.Register(graph.Op{Name: "linear_scan", Version: 1, Kind: graph.RowWise,
		Inputs: graph.Exactly(2), Validate: rule(validateLinearScan),
		AMP: graph.AMPFloat32, Infer: inferSame, VMap: vmapScan,
		SavesIn: 1, SavesOut: true,
		VJP: func(n *Node, cot []*Node, need []bool) []*Node {
			s := n.Attr().(attr.Scan)
			g := carryBack(conj(n.In(0)), cot[0], s)
			out := []*Node{nil, g}
			if need[0] {
				out[0] = Mul(g, conj(shifted(n, s, 0)))
			}
			return out
		},
		JVP: func(n *Node, tan []*Node) []*Node {
			s, t := n.Attr().(attr.Scan), tan[1]
			if tan[0] != nil {
				t = addMaybe(t, Mul(tan[0], shifted(n, s, 0)))
			}
			return []*Node{linearScan(n.In(0), t, s)}
		}})
}

func linearScan(a, b *Node, s attr.Scan) *Node { return apply(opLinearScan, s, a, b) }

// carryBack is the transpose of a linear scan: g[t] += a[t+1]·g[t+1], from the end.
func carryBack(a, g *Node, s attr.Scan) *Node {
	back := attr.Scan{Axis: s.Axis, Reverse: !s.Reverse}
	return linearScan(shifted(a, back, 0), g, back)
}

// shifted moves x one step along the direction of s, so that each element shows its predecessor; the first shows v.
func shifted(x *Node, s attr.Scan, v float64) *Node {
	m := x.Dim(s.Axis)
	if m == 0 {
		return x
	}
	first := broadcastTo(constLike(x, v), resizedAxis(x, s.Axis, 1))
	if s.Reverse {
		return concat([]*Node{SliceDim(x, s.Axis, 1, m-1, 1), first}, s.Axis)
	}
	return concat([]*Node{first, SliceDim(x, s.Axis, 0, m-1, 1)}, s.Axis)
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

// moveLast brings a dimension to the end.
func moveLast(x *Node, axis int) *Node { return moveAxis(x, axis, x.Rank()-1) }

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

// MoveAxis moves one dimension to another position; both are resolved already.
func MoveAxis(x *Node, from, to int) *Node { return moveAxis(x, from, to) }

// CumulativeOptions says what dtype a running sum or product has (zero: the input's, integers summing as int64), whether it
// runs from the end, and whether each element leaves itself out.
type CumulativeOptions struct {
	DType     dtype.DType // zero: the default float
	Reverse   bool        // from the end
	Exclusive bool        // each element leaves itself out
}

func scan(op *graph.Op, x *Node, dim int, neutral float64, o CumulativeOptions) *Node {
	axis := shape.Axis(op.Name, dim, x.Rank())
	if x.Rank() == 0 {
		if o.Exclusive {
			return constLike(x, neutral)
		}
		return x
	}
	if o.Exclusive {
		return exclusive(op, x, axis, neutral, o.Reverse)
	}
	return apply(op, attr.Scan{Axis: axis, Reverse: o.Reverse}, x)
}

// Cumsum returns running sums along a dimension.
//
//lucid:func CumSum
//lucid:method CumSum(dim int)
//lucid:alias cumulative_sum
func Cumsum(x *Node, dim int, o CumulativeOptions) *Node {
	return scan(opCumsum, summable(x, o.DType), dim, 0, o)
}

// Cumprod returns running products along a dimension.
//
//lucid:func CumProd
//lucid:method CumProd(dim int)
//lucid:alias cumulative_prod
func Cumprod(x *Node, dim int, o CumulativeOptions) *Node {
	return scan(opCumprod, summable(x, o.DType), dim, 1, o)
}

// DirectionOptions says whether a scan runs from the end, and whether each element leaves itself out.
type DirectionOptions struct {
	Reverse   bool // from the end
	Exclusive bool // each element leaves itself out
}

// Logcumsumexp returns running values of log(Σ exp(x)) along a dimension, without overflow.
//
//lucid:func LogCumSumExp
//lucid:method LogCumSumExp(dim int)
func Logcumsumexp(x *Node, dim int, o DirectionOptions) *Node {
	return scan(opLogcumsumexp, floating(x), dim, math.Inf(-1), CumulativeOptions{Reverse: o.Reverse, Exclusive: o.Exclusive})
}
