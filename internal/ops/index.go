package ops

import (
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// Four primitives carry all indexing. take and put address whole slices along one dimension by positions of any
// shape; gather and scatter address single elements along one dimension. Positions are checked and made
// non-negative by wrap_index before they get there.
var opWrapIndex, opTake, opPut, opGather, opScatter *graph.Op

const isPosition = "its operand is a position"

func init() {
	opWrapIndex = graph.Register(graph.Op{Name: "wrap_index", Version: 1, Kind: graph.Elementwise,
		Inputs: graph.Exactly(1), DTypes: dtype.SetOf(dtype.Int64), Validate: rule(validateWrapIndex), Checks: true,
		Infer: inferSame, NoGrad: isPosition, VMap: vmapElementwise})
	opTake = graph.Register(graph.Op{Name: "take_slices", Version: 1, Kind: graph.Move,
		Inputs: graph.Exactly(2), Validate: rule(validateTake),
		SavesIn: 2,
		Infer: func(a attr.Attr, in []*Node) []graph.Spec {
			return []graph.Spec{{Shape: takeShape(in[0], in[1], a.(attr.Axis).Axis), DType: in[0].DType()}}
		},
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node {
			return []*Node{put(zerosLike(n.In(0)), n.In(1), cot[0], n.Attr().(attr.Axis).Axis, attr.ReduceAdd), nil}
		},
		JVP: func(n *Node, tan []*Node) []*Node {
			return []*Node{onlyFirst(tan, func(t *Node) *Node { return take(t, n.In(1), n.Attr().(attr.Axis).Axis) })}
		},
		VMap: vmapTake})
	opPut = graph.Register(graph.Op{Name: "put_slices", Version: 1, Kind: graph.Move,
		Inputs: graph.Exactly(3), Validate: rule(validatePut),
		SavesIn: 2, InPlace: 1,
		Infer: func(_ attr.Attr, in []*Node) []graph.Spec {
			return []graph.Spec{{Shape: in[0].Shape(), DType: in[0].DType()}}
		},
		VJP: func(n *Node, cot []*Node, need []bool) []*Node {
			s := n.Attr().(attr.Scatter)
			return writeVJP(n, cot[0], need, s.Reduce,
				func(x, src *Node, r attr.Reduction) *Node { return put(x, n.In(1), src, s.Axis, r) },
				func(x *Node) *Node { return take(x, n.In(1), s.Axis) })
		},
		JVP: func(n *Node, tan []*Node) []*Node {
			s := n.Attr().(attr.Scatter)
			return writeJVP(n, tan, s.Reduce,
				func(x, src *Node, r attr.Reduction) *Node { return put(x, n.In(1), src, s.Axis, r) },
				func(x *Node) *Node { return take(x, n.In(1), s.Axis) })
		},
		VMap: vmapPut})
	opGather = graph.Register(graph.Op{Name: "gather", Version: 1, Kind: graph.Move,
		Inputs: graph.Exactly(2), Validate: rule(validateGather),
		SavesIn: 2,
		Infer: func(_ attr.Attr, in []*Node) []graph.Spec {
			return []graph.Spec{{Shape: in[1].Shape(), DType: in[0].DType()}}
		},
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node {
			return []*Node{scatter(zerosLike(n.In(0)), n.In(1), cot[0], n.Attr().(attr.Axis).Axis, attr.ReduceAdd), nil}
		},
		JVP: func(n *Node, tan []*Node) []*Node {
			return []*Node{onlyFirst(tan, func(t *Node) *Node { return gather(t, n.In(1), n.Attr().(attr.Axis).Axis) })}
		},
		VMap: func(n *Node, in []*Node, batched []bool, size int) []*Node {
			b := allBatched(n, in, batched, size)
			return []*Node{gather(b[0], b[1], n.Attr().(attr.Axis).Axis+1)}
		}})
	opScatter = graph.Register(graph.Op{Name: "scatter", Version: 1, Kind: graph.Move,
		Inputs: graph.Exactly(3), Validate: rule(validateScatter),
		SavesIn: 2, InPlace: 1,
		Infer: func(_ attr.Attr, in []*Node) []graph.Spec {
			return []graph.Spec{{Shape: in[0].Shape(), DType: in[0].DType()}}
		},
		VJP: func(n *Node, cot []*Node, need []bool) []*Node {
			s := n.Attr().(attr.Scatter)
			return writeVJP(n, cot[0], need, s.Reduce,
				func(x, src *Node, r attr.Reduction) *Node { return scatter(x, n.In(1), src, s.Axis, r) },
				func(x *Node) *Node { return gather(x, n.In(1), s.Axis) })
		},
		JVP: func(n *Node, tan []*Node) []*Node {
			s := n.Attr().(attr.Scatter)
			return writeJVP(n, tan, s.Reduce,
				func(x, src *Node, r attr.Reduction) *Node { return scatter(x, n.In(1), src, s.Axis, r) },
				func(x *Node) *Node { return gather(x, n.In(1), s.Axis) })
		},
		VMap: func(n *Node, in []*Node, batched []bool, size int) []*Node {
			b, s := allBatched(n, in, batched, size), n.Attr().(attr.Scatter)
			return []*Node{scatter(b[0], b[1], b[2], s.Axis+1, s.Reduce)}
		}})
}

func onlyFirst(tan []*Node, f func(*Node) *Node) *Node {
	if tan[0] == nil {
		return nil
	}
	return f(tan[0])
}

// takeShape replaces dimension axis of x by the shape of the positions.
func takeShape(x, idx *Node, axis int) *shape.Shape {
	d := append(slices.Clone(x.Shape().Dims()[:axis]), idx.Shape().Dims()...)
	return shape.Of("take", append(d, x.Shape().Dims()[axis+1:]...)...)
}

// wrapIndex makes positions int64 and non-negative; one outside [-size, size) fails when it is computed.
func wrapIndex(op string, idx *Node, size int) *Node {
	return boundedIndex(idx, attr.Bound{Size: size, Op: op})
}

// strictIndex is wrapIndex for positions that may not be negative.
func strictIndex(op string, idx *Node, size int) *Node {
	return boundedIndex(idx, attr.Bound{Size: size, Strict: true, Op: op})
}

func boundedIndex(idx *Node, b attr.Bound) *Node {
	return graph.Make1(opWrapIndex, b, idx.Shape(), dtype.Int64, Cast(requirePositions(b.Op, idx), dtype.Int64))
}

func requirePositions(op string, idx *Node) *Node {
	if !idx.DType().IsInteger() {
		fault.Throw(fault.DType, op, "positions are %v; want an integer dtype", idx.DType())
	}
	return idx
}

func take(x, idx *Node, axis int) *Node   { return graph.New(opTake, attr.Axis{Axis: axis}, x, idx) }
func gather(x, idx *Node, axis int) *Node { return graph.New(opGather, attr.Axis{Axis: axis}, x, idx) }

func put(x, idx, src *Node, axis int, r attr.Reduction) *Node {
	return graph.New(opPut, attr.Scatter{Axis: axis, Reduce: r}, x, idx, src)
}

func scatter(x, idx, src *Node, axis int, r attr.Reduction) *Node {
	return graph.New(opScatter, attr.Scatter{Axis: axis, Reduce: r}, x, idx, src)
}

func vmapTake(n *Node, in []*Node, batched []bool, size int) []*Node {
	axis := n.Attr().(attr.Axis).Axis
	x, idx := in[0], in[1]
	switch {
	case !batched[1]:
		return []*Node{take(x, idx, axis+1)}
	case !batched[0]:
		return []*Node{moveAxis(take(x, idx, axis), axis, 0)}
	}
	// Both vary: one long dimension of all examples' slices, each example's positions shifted to its own.
	x = moveAxis(x, axis+1, 1)
	rest := x.Shape().Dims()[2:]
	flat := Reshape(x, append([]int{size * x.Dim(1)}, rest...)...)
	y := take(flat, shiftRows(idx, x.Dim(1)), 0) // [size, idx…, rest…]
	k := idx.Rank() - 1
	// Bring the positions' dimensions behind the first axis dimensions of the rest.
	order := []int{0}
	for i := range axis {
		order = append(order, 1+k+i)
	}
	for i := range k {
		order = append(order, 1+i)
	}
	for i := axis; i < len(rest); i++ {
		order = append(order, 1+k+i)
	}
	return []*Node{permute(y, order)}
}

// shiftRows moves example i's positions by i·rows.
func shiftRows(idx *Node, rows int) *Node {
	base := Reshape(Mul(Arange64(idx.Dim(0)), rows), append([]int{idx.Dim(0)}, ones(idx.Rank()-1)...)...)
	return Add(idx, base)
}

func vmapPut(n *Node, in []*Node, batched []bool, size int) []*Node {
	s := n.Attr().(attr.Scatter)
	b := allBatched(n, in, batched, size)
	x, idx, src := moveAxis(b[0], s.Axis+1, 1), b[1], b[2]
	k := idx.Rank() - 1
	// The source's position dimensions stand at axis; bring them behind the extra one.
	order := []int{0}
	for i := range k {
		order = append(order, 1+s.Axis+i)
	}
	for i := 1; i < src.Rank(); i++ {
		if i < 1+s.Axis || i >= 1+s.Axis+k {
			order = append(order, i)
		}
	}
	src = permute(src, order)
	rest := x.Shape().Dims()[2:]
	flat := Reshape(x, append([]int{size * x.Dim(1)}, rest...)...)
	y := put(flat, shiftRows(idx, x.Dim(1)), src, 0, s.Reduce)
	return []*Node{moveAxis(reshapeTo(y, x.Shape()), 1, s.Axis+1)}
}

// writeVJP is the rule of put and scatter. write(x, src, r) is the op over these positions, read its counterpart.
func writeVJP(n, g *Node, need []bool, r attr.Reduction, write func(x, src *Node, r attr.Reduction) *Node, read func(*Node) *Node) []*Node {
	x, src := n.In(0), n.In(2)
	out := make([]*Node, 3)
	switch r {
	case attr.ReduceAdd:
		out[0], out[2] = g, read(g)
	case attr.ReduceSet:
		// Of several values for one index the last one written shows; only it gets the cotangent.
		out[0] = write(g, zerosLike(src), attr.ReduceSet)
		out[2] = Mul(read(g), lastWriter(n, write, read))
	case attr.ReduceMul:
		// out = x·Π src: every factor gets the product of the others.
		out[0] = Mul(g, conj(write(OnesLike(x), src, attr.ReduceMul)))
		out[2] = Mul(read(g), conj(otherFactors(x, src, write, read)))
	default:
		hitX, hitSrc := Cast(Eq(x, n), n.DType()), Cast(Eq(src, read(n)), n.DType())
		count := write(hitX, hitSrc, attr.ReduceAdd)
		share := Div(g, count)
		out[0], out[2] = Mul(share, hitX), Mul(read(share), hitSrc)
	}
	return out
}

// otherFactors gives, for every element of src, the product of x and the other elements written to its index: the
// whole product of what is not zero, divided by the element, times the one other zero there may be, which is stored as
// a factor for the derivative.
func otherFactors(x, src *Node, write func(x, src *Node, r attr.Reduction) *Node, read func(*Node) *Node) *Node {
	zero := Eq(src, 0)
	nonzero := Where(zero, constLike(src, 1), src)
	zeros := Where(zero, src, constLike(src, 0))
	count := write(broadcastTo(Number(dtype.Int64, 0), x.Shape()), Cast(zero, dtype.Int64), attr.ReduceAdd)
	others := Sub(read(count), Cast(zero, dtype.Int64))
	rest := Div(read(write(x, nonzero, attr.ReduceMul)), nonzero)
	lone := Sub(read(write(zerosLike(x), zeros, attr.ReduceAdd)), zeros)
	return Where(Eq(others, 0), rest, Where(Eq(others, 1), Mul(rest, lone), constLike(src, 0)))
}

// lastWriter is 1 for source elements that the result shows, 0 for those written over.
func lastWriter(n *Node, write func(x, src *Node, r attr.Reduction) *Node, read func(*Node) *Node) *Node {
	src := n.In(2)
	number := Reshape(Arange64(src.Shape().Numel()), src.Shape().Dims()...)
	board := broadcastTo(Number(dtype.Int64, -1), n.Shape())
	return Cast(Eq(read(write(board, number, attr.ReduceSet)), number), n.DType())
}

func writeJVP(n *Node, tan []*Node, r attr.Reduction, write func(x, src *Node, r attr.Reduction) *Node, read func(*Node) *Node) []*Node {
	if tan[0] == nil && tan[2] == nil {
		return []*Node{nil}
	}
	x, src := n.In(0), n.In(2)
	tx, ts := tan[0], tan[2]
	if tx == nil {
		tx = zerosLike(x)
	}
	if ts == nil {
		ts = zerosLike(src)
	}
	switch r {
	case attr.ReduceAdd, attr.ReduceSet:
		return []*Node{write(tx, ts, r)}
	case attr.ReduceMul:
		own := Mul(tx, write(OnesLike(x), src, attr.ReduceMul))
		return []*Node{write(own, Mul(ts, otherFactors(x, src, write, read)), attr.ReduceAdd)}
	}
	hitX, hitSrc := Cast(Eq(x, n), n.DType()), Cast(Eq(src, read(n)), n.DType())
	count := write(hitX, hitSrc, attr.ReduceAdd)
	return []*Node{Div(write(Mul(tx, hitX), Mul(ts, hitSrc), attr.ReduceAdd), count)}
}
