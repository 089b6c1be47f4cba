package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

var opConcat, opSliceUpdate, opCopy *graph.Op

func init() {
	opCopy = graph.Register(graph.Op{Name: "copy", Version: 1, Kind: graph.Move,
		Inputs: graph.Exactly(1), Validate: rule(validatePlain),
		Cheap: true, Infer: inferSame, VMap: vmapElementwise,
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node { return cot },
		JVP: func(n *Node, tan []*Node) []*Node { return []*Node{Contiguous(tan[0])} }})
	opConcat = graph.Register(graph.Op{Name: "cat", Version: 1, Kind: graph.Move,
		Role: graph.RoleConcat, Inputs: graph.AtLeast(1), Validate: rule(validateCat),
		Infer: func(a attr.Attr, in []*Node) []graph.Spec {
			d := in[0].Shape().Clone()
			ax := a.(attr.Axis).Axis
			for _, x := range in[1:] {
				d[ax] += x.Dim(ax)
			}
			return []graph.Spec{{Shape: shape.Of("cat", d...), DType: in[0].DType()}}
		},
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node {
			ax, at := n.Attr().(attr.Axis).Axis, 0
			out := make([]*Node, n.NumIn())
			for i := range out {
				out[i] = SliceDim(cot[0], ax, at, n.In(i).Dim(ax), 1)
				at += n.In(i).Dim(ax)
			}
			return out
		},
		JVP: func(n *Node, tan []*Node) []*Node {
			return []*Node{concat(withZeros(n, tan), n.Attr().(attr.Axis).Axis)}
		},
		VMap: func(n *Node, in []*Node, batched []bool, size int) []*Node {
			return []*Node{concat(allBatched(n, in, batched, size), n.Attr().(attr.Axis).Axis+1)}
		}})
	opSliceUpdate = graph.Register(graph.Op{Name: "slice_update", Version: 1, Kind: graph.Move,
		Inputs: graph.Exactly(2), Validate: rule(validateSliceUpdate),
		InPlace: 1,
		Infer: func(_ attr.Attr, in []*Node) []graph.Spec {
			return []graph.Spec{{Shape: in[0].Shape(), DType: in[0].DType()}}
		},
		VJP: func(n *Node, cot []*Node, need []bool) []*Node {
			s := n.Attr().(attr.Slice)
			out := make([]*Node, 2)
			if need[0] {
				out[0] = sliceUpdate(cot[0], zerosLike(n.In(1)), s)
			}
			if need[1] {
				out[1] = slice(cot[0], s)
			}
			return out
		},
		JVP: func(n *Node, tan []*Node) []*Node {
			t := withZeros(n, tan)
			return []*Node{sliceUpdate(t[0], t[1], n.Attr().(attr.Slice))}
		},
		VMap: func(n *Node, in []*Node, batched []bool, size int) []*Node {
			b := allBatched(n, in, batched, size)
			return []*Node{sliceUpdate(b[0], b[1], batchSlice(n.Attr().(attr.Slice), size))}
		}})
}

// withZeros fills in the tangents of inputs that do not vary.
func withZeros(n *Node, tan []*Node) []*Node {
	out := make([]*Node, len(tan))
	for i, t := range tan {
		if t == nil {
			t = zerosLike(n.In(i))
		}
		out[i] = t
	}
	return out
}

// allBatched gives the extra axis to inputs that lack it.
func allBatched(n *Node, in []*Node, batched []bool, size int) []*Node {
	out := make([]*Node, len(in))
	for i, x := range in {
		if !batched[i] {
			x = broadcastTo(x, batchShape(n.Op().Name, x.Shape(), size))
		}
		out[i] = x
	}
	return out
}

// zerosLike is a zero of x's shape and dtype that takes no memory.
func zerosLike(x *Node) *Node {
	z := broadcastTo(constLike(x, 0), x.Shape())
	if d := x.Device(); d != nil && z.Device() == nil {
		z.SetDevice(d)
	}
	return z
}

// Contiguous returns a tensor of its own with the elements of x in row-major order. In-place forms on it never change x, also
// where x is in that order already and PyTorch would return x itself.
//
//lucid:method
func Contiguous(x *Node) *Node { return graph.Make1(opCopy, nil, x.Shape(), x.DType(), x) }

func concat(xs []*Node, axis int) *Node {
	if len(xs) == 1 {
		return xs[0]
	}
	return apply(opConcat, attr.Axis{Axis: axis}, xs...)
}

// sliceUpdate returns x with a regular part replaced by u.
func sliceUpdate(x, u *Node, s attr.Slice) *Node {
	return apply(opSliceUpdate, s, x, u)
}

// OnesLike is a one of x's shape and dtype that takes no memory.
func OnesLike(x *Node) *Node { return broadcastTo(constLike(x, 1), x.Shape()) }

// ZerosLike is a zero of x's shape and dtype that takes no memory.
func ZerosLike(x *Node) *Node { return zerosLike(x) }
