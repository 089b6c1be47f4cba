package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/scope"
	"github.com/lucid-go/lucid/internal/shape"
)

var opAlias, opStopGradient, opReshape, opPermute, opBroadcastTo, opSlice *graph.Op

// viewOp declares an op that shows its input's buffer with another layout.
func viewOp(name string, o graph.Op) *graph.Op {
	o.Name, o.Version, o.Kind = name, 1, graph.View
	lay := o.Layout
	o.Layout = func(a attr.Attr, from *shape.Shape, l *shape.Layout, to *shape.Shape) *shape.Layout {
		if to.Numel() == 0 {
			return shape.Contiguous(to) // no element, no offset
		}
		return lay(a, from, l, to)
	}
	return graph.Register(o)
}

func sameLayout(_ attr.Attr, _ *shape.Shape, l *shape.Layout, _ *shape.Shape) *shape.Layout { return l }

func init() {
	opAlias = viewOp("alias", graph.Op{
		Role: graph.RoleIdentity, Inputs: graph.Exactly(1), Validate: rule(validateAlias),
		Infer: inferSame, Layout: sameLayout, VMap: vmapElementwise,
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node { return cot },
		JVP: func(n *Node, tan []*Node) []*Node { return tan }})
	opStopGradient = viewOp("stop_gradient", graph.Op{
		Role: graph.RoleIdentity, Inputs: graph.Exactly(1), Validate: rule(validatePlain),
		Infer: inferSame, Layout: sameLayout, VMap: vmapElementwise,
		VJP: func(*Node, []*Node, []bool) []*Node { return []*Node{nil} },
		JVP: func(*Node, []*Node) []*Node { return []*Node{nil} }})
	opReshape = viewOp("reshape", graph.Op{
		Role: graph.RoleReshape, Inputs: graph.Exactly(1), Validate: rule(validateReshape),
		Infer: func(a attr.Attr, in []*Node) []graph.Spec {
			return []graph.Spec{{Shape: shape.Of("reshape", a.(attr.Shape).Dims.Slice()...), DType: in[0].DType()}}
		},
		Layout: func(_ attr.Attr, from *shape.Shape, l *shape.Layout, to *shape.Shape) *shape.Layout {
			return l.Reshape(from, to)
		},
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node { return []*Node{reshapeTo(cot[0], n.In(0).Shape())} },
		JVP: func(n *Node, tan []*Node) []*Node { return []*Node{reshapeTo(tan[0], n.Shape())} },
		VMap: func(n *Node, in []*Node, _ []bool, size int) []*Node {
			return []*Node{reshapeTo(in[0], batchShape("reshape", n.Shape(), size))}
		}})
	opPermute = viewOp("permute", graph.Op{
		Role: graph.RolePermute, Inputs: graph.Exactly(1), Validate: rule(validatePermute),
		Infer: func(a attr.Attr, in []*Node) []graph.Spec {
			p := a.(attr.Perm).Order
			d := make([]int, p.Len())
			for i := range d {
				d[i] = in[0].Dim(p.At(i))
			}
			return []graph.Spec{{Shape: shape.Of("permute", d...), DType: in[0].DType()}}
		},
		Layout: func(a attr.Attr, _ *shape.Shape, l *shape.Layout, _ *shape.Shape) *shape.Layout {
			return l.Permute(a.(attr.Perm).Order.Slice())
		},
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node {
			p := n.Attr().(attr.Perm).Order
			inv := make([]int, p.Len())
			for i := range inv {
				inv[p.At(i)] = i
			}
			return []*Node{permute(cot[0], inv)}
		},
		JVP: func(n *Node, tan []*Node) []*Node {
			return []*Node{permute(tan[0], n.Attr().(attr.Perm).Order.Slice())}
		},
		VMap: func(n *Node, in []*Node, _ []bool, _ int) []*Node {
			order := []int{0}
			for _, o := range n.Attr().(attr.Perm).Order.Slice() {
				order = append(order, o+1)
			}
			return []*Node{permute(in[0], order)}
		}})
	opBroadcastTo = viewOp("broadcast_to", graph.Op{
		Role: graph.RoleBroadcast, Inputs: graph.Exactly(1), Validate: rule(validateBroadcastTo),
		Infer: func(a attr.Attr, in []*Node) []graph.Spec {
			return []graph.Spec{{Shape: shape.Of("broadcast_to", a.(attr.Shape).Dims.Slice()...), DType: in[0].DType()}}
		},
		Layout: func(_ attr.Attr, from *shape.Shape, l *shape.Layout, to *shape.Shape) *shape.Layout {
			return l.BroadcastTo(from, to)
		},
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node { return []*Node{SumTo(cot[0], n.In(0).Shape())} },
		JVP: func(n *Node, tan []*Node) []*Node { return []*Node{broadcastTo(tan[0], n.Shape())} },
		VMap: func(n *Node, in []*Node, _ []bool, size int) []*Node {
			// New dimensions go between the extra axis and the old ones.
			x, missing := in[0], n.Rank()-n.In(0).Rank()
			dims := append(append([]int{x.Dim(0)}, ones(missing)...), x.Shape().Dims()[1:]...)
			return []*Node{broadcastTo(Reshape(x, dims...), batchShape("broadcast_to", n.Shape(), size))}
		}})
	opSlice = viewOp("slice", graph.Op{
		Inputs: graph.Exactly(1), Validate: rule(validateSlice),
		Infer: func(a attr.Attr, in []*Node) []graph.Spec {
			return []graph.Spec{{Shape: shape.Of("slice", a.(attr.Slice).Size.Slice()...), DType: in[0].DType()}}
		},
		Layout: func(a attr.Attr, _ *shape.Shape, l *shape.Layout, _ *shape.Shape) *shape.Layout {
			s := a.(attr.Slice)
			return l.Slice(s.Start.Slice(), s.Step.Slice())
		},
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node {
			s := n.Attr().(attr.Slice)
			return []*Node{sliceUpdate(zerosLike(n.In(0)), cot[0], s)}
		},
		JVP: func(n *Node, tan []*Node) []*Node { return []*Node{slice(tan[0], n.Attr().(attr.Slice))} },
		VMap: func(n *Node, in []*Node, _ []bool, size int) []*Node {
			return []*Node{slice(in[0], batchSlice(n.Attr().(attr.Slice), size))}
		}})
}

// batchSlice takes all of an extra axis in front.
func batchSlice(s attr.Slice, size int) attr.Slice {
	pre := func(v int, l attr.Ints) attr.Ints { return attr.MakeInts(v) + l }
	return attr.Slice{Start: pre(0, s.Start), Size: pre(size, s.Size), Step: pre(1, s.Step)}
}

// Alias shows x through a node of its own.
func Alias(x *Node) *Node { return graph.Make1(opAlias, nil, x.Shape(), x.DType(), x) }

// NewLeaf returns a leaf that shows x and leaves its gradient in s.
func NewLeaf(x *Node, s *graph.Slot) *Node { return graph.NewLeaf(opAlias, x, s) }

// NewFrozen returns a node that shows x and keeps the slot of a tensor that required a gradient.
func NewFrozen(x *Node, s *graph.Slot) *Node { return Alias(x).Freeze(s) }

// StopGradient returns x as a constant: no gradient passes.
//
//lucid:func
//lucid:view
func StopGradient(x *Node) *Node { return graph.MakeDetached(opStopGradient, x) }

// Reshape shows the elements with other sizes, in the same order. One size may be -1: what is left over.
//
//lucid:func
//lucid:method
//lucid:view
func Reshape(x *Node, shape ...int) *Node { return reshapeTo(x, resolveShape("reshape", x, shape)) }

// resolveShape fills in a -1 and checks that the element count stays.
func resolveShape(op string, x *Node, dims []int) *shape.Shape {
	at, n := -1, 1
	for i, d := range dims {
		switch {
		case d == -1 && at >= 0:
			fault.Throw(fault.Shape, op, "two sizes of %v are -1; at most one can be inferred", dims)
		case d == -1:
			at = i
		case d < -1:
			fault.Throw(fault.Shape, op, "negative size %d in %v", d, dims)
		default:
			n *= d
		}
	}
	if at >= 0 {
		dims = append([]int(nil), dims...)
		if n == 0 || x.Shape().Numel()%n != 0 {
			fault.Throw(fault.Shape, op, "cannot show %v (%d elements) as %v: the sizes given hold %d", x.Shape(),
				x.Shape().Numel(), dims, n)
		}
		dims[at] = x.Shape().Numel() / n
	}
	s := shape.Of(op, dims...)
	if s.Numel() != x.Shape().Numel() {
		fault.Throw(fault.Shape, op, "cannot show %v (%d elements) as %v (%d elements)", x.Shape(), x.Shape().Numel(), s, s.Numel())
	}
	return s
}

func reshapeTo(x *Node, s *shape.Shape) *Node {
	if x.Shape().Equal(s) {
		return x
	}
	return graph.Make1(opReshape, attr.Shape{Dims: attr.MakeInts(s.Dims()...)}, s, x.DType(), x)
}

// Permute shows the dimensions in another order.
//
//lucid:func
//lucid:method
//lucid:alias permute_dims
//lucid:view
func Permute(x *Node, dims ...int) *Node {
	if len(dims) != x.Rank() {
		fault.Throw(fault.Shape, "permute", "%v names %d dims, the tensor %v has %d", dims, len(dims), x.Shape(), x.Rank())
	}
	order := make([]int, len(dims))
	seen := make([]bool, len(dims))
	for i, d := range dims {
		order[i] = shape.Axis("permute", d, x.Rank())
		if seen[order[i]] {
			fault.Throw(fault.Index, "permute", "dim %d appears twice in %v", d, dims)
		}
		seen[order[i]] = true
	}
	return permute(x, order)
}

func permute(x *Node, order []int) *Node {
	for i, o := range order {
		if i != o {
			return graph.New(opPermute, attr.Perm{Order: attr.MakeInts(order...)}, x)
		}
	}
	return x
}

// BroadcastTo shows x with a larger shape by NumPy's rule, repeating nothing in memory. A size of -1 keeps the one there is.
//
//lucid:func
//lucid:method
//lucid:view
func BroadcastTo(x *Node, size ...int) *Node {
	return broadcastTo(x, expandShape("broadcast_to", x, size))
}

func expandShape(op string, x *Node, dims []int) *shape.Shape {
	d := append([]int(nil), dims...)
	off := len(d) - x.Rank()
	for i := range d {
		if d[i] == -1 && i >= off && off >= 0 {
			d[i] = x.Dim(i - off)
		}
	}
	s := shape.Of(op, d...)
	if !shape.BroadcastsTo(x.Shape(), s) {
		fault.Throw(fault.Shape, op, "%v cannot be shown as %v: each size must be equal or 1, from the end", x.Shape(), s)
	}
	return s
}

func broadcastTo(x *Node, s *shape.Shape) *Node {
	if x.Shape().Equal(s) {
		return x
	}
	return graph.Make1(opBroadcastTo, attr.Shape{Dims: attr.MakeInts(s.Dims()...)}, s, x.DType(), x)
}

// slice shows a regular part of x.
func slice(x *Node, s attr.Slice) *Node {
	for i := range s.Start.Len() {
		if s.Start.At(i) != 0 || s.Step.At(i) != 1 || s.Size.At(i) != x.Dim(i) {
			return graph.New(opSlice, s, x)
		}
	}
	if sizesOpen() {
		return graph.New(opSlice, s, x)
	}
	return x
}

// sizesOpen reports whether what is recorded now is for other sizes as well.
func sizesOpen() bool {
	t, ok := scope.Current().Trace.(*graph.Trace)
	return ok && t.Open
}

// SliceDim shows size elements of one dimension from start on, every step-th.
func SliceDim(x *Node, dim, start, size, step int) *Node {
	st, sz, sp := make([]int, x.Rank()), x.Shape().Clone(), ones(x.Rank())
	st[dim], sz[dim], sp[dim] = start, size, step
	return slice(x, attr.Slice{Start: attr.MakeInts(st...), Size: attr.MakeInts(sz...), Step: attr.MakeInts(sp...)})
}

// SumTo sums x over the dimensions along which shape s was repeated.
func SumTo(x *Node, s *shape.Shape) *Node {
	if x.Shape().Equal(s) {
		return x
	}
	off := x.Rank() - s.Rank()
	var axes []int
	for i := range x.Rank() {
		if i < off || s.Dim(i-off) == 1 && x.Dim(i) != 1 {
			axes = append(axes, i)
		}
	}
	if len(axes) > 0 {
		x = sumKeep(x, axes, true)
	}
	return reshapeTo(x, s)
}

// barrierAttr is unique to a node, so that no two barriers are ever the same expression.
type barrierAttr struct{ _ byte }

// Marker implements attr.Marker.
func (*barrierAttr) Marker() {}

// Barrier shows x through a node that no simplification removes or merges.
func Barrier(x *Node) *Node {
	return graph.Make1(opAlias, &barrierAttr{}, x.Shape(), x.DType(), x)
}

// NewStored returns a leaf on slot s that shows a stored value, or a frozen tensor that has it.
func NewStored(x *Node, s *graph.Slot, frozen bool) *Node {
	if !frozen {
		return NewStoredLeaf(x, s)
	}
	n := NewFrozen(x, s)
	n.Adopt(x)
	return n
}

// NewStoredLeaf returns a leaf on slot s that shows a stored value.
func NewStoredLeaf(x *Node, s *graph.Slot) *Node {
	n := graph.NewLeaf(opAlias, x, s)
	n.Adopt(x)
	return n
}
