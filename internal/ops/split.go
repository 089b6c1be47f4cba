package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// split_parts shows the parts of one dimension. It is a tuple node whose inputs are x and the parts, which are views of x;
// so the gradient of all parts together is one concatenation, not a sum of as many tensors as there are parts.
var opSplit *graph.Op

func init() {
	opSplit = graph.Register(graph.Op{Name: "split_parts", Version: 1, Kind: graph.Other,
		Inputs: graph.AtLeast(2), Validate: rule(validateSplit),
		Transparent: true,
		Infer: func(_ attr.Attr, in []*Node) []graph.Spec {
			var s []graph.Spec
			for _, p := range in[1:] {
				s = append(s, graph.Spec{Shape: p.Shape(), DType: p.DType()})
			}
			return s
		},
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node {
			parts := make([]*Node, len(cot))
			for i, c := range cot {
				if parts[i] = c; c == nil {
					parts[i] = zerosLike(n.In(1 + i))
				}
			}
			out := make([]*Node, n.NumIn())
			out[0] = concat(parts, n.Attr().(attr.Split).Axis)
			return out
		},
		JVP: func(n *Node, tan []*Node) []*Node {
			if tan[0] == nil {
				return make([]*Node, n.NumIn()-1)
			}
			s := n.Attr().(attr.Split)
			return cut(tan[0], s.Axis, s.Sizes.Slice())
		},
		VMap: func(n *Node, in []*Node, batched []bool, size int) []*Node {
			s := n.Attr().(attr.Split)
			return cut(in[0], s.Axis+1, s.Sizes.Slice())
		}})
}

// cut shows parts of the given sizes along a dimension.
func cut(x *Node, axis int, sizes []int) []*Node {
	out, at := make([]*Node, len(sizes)), 0
	for i, n := range sizes {
		out[i] = SliceDim(x, axis, at, n, 1)
		at += n
	}
	return out
}

// split cuts a dimension into parts that follow each other and cover it.
func split(x *Node, axis int, sizes []int) []*Node {
	parts := cut(x, axis, sizes)
	if len(parts) < 3 || !x.DType().IsInexact() {
		return parts
	}
	items := graph.TupleItems(graph.NewTuple(opSplit, attr.Split{Axis: axis, Sizes: attr.MakeInts(sizes...)},
		append([]*Node{x}, parts...)...))
	for i := range items {
		items[i] = Alias(items[i]) // a view, as the part is
	}
	return items
}

func splitAxis(op string, x *Node, dim int) int {
	if x.Rank() == 0 {
		fault.Throw(fault.Shape, op, "a 0-d tensor cannot be cut")
	}
	return shape.Axis(op, dim, x.Rank())
}

// SplitTensor cuts a dimension into parts of a size, the last one smaller if it must be, or of the sizes in a list.
//
//lucid:func Split
//lucid:method Split
//lucid:name split
//lucid:default dim=0
//lucid:view
func SplitTensor(x *Node, splitSizeOrSections any, dim int) []*Node {
	axis := splitAxis("split", x, dim)
	n := x.Dim(axis)
	switch s := splitSizeOrSections.(type) {
	case int:
		if s < 0 || s == 0 && n > 0 {
			fault.Throw(fault.Value, "split", "parts of size %d of a dim of size %d; want 1 or more", s, n)
		}
		return split(x, axis, evenSizes("split", n, s))
	case []int:
		sum := 0
		for _, v := range s {
			if v < 0 {
				fault.Throw(fault.Value, "split", "negative size in %v", s)
			}
			if sum += min(v, n+1); sum > n {
				break
			}
		}
		if sum != n {
			fault.Throw(fault.Shape, "split", "the sizes %v do not add up to %d, dim %d of %v", s, n, axis, x.Shape())
		}
		return split(x, axis, s)
	}
	fault.Throw(fault.DType, "split", "a %T says neither a size nor sizes; want an int or []int", splitSizeOrSections)
	return nil
}

// evenSizes cuts n into parts of size s; there is always at least one.
func evenSizes(op string, n, s int) []int {
	if n == 0 {
		return []int{0}
	}
	sizes := make([]int, 0, fewParts(op, (n-1)/s+1, mostOfData))
	for at := 0; at < n; at += sizes[len(sizes)-1] {
		sizes = append(sizes, min(s, n-at))
	}
	return sizes
}

const (
	mostAsked  = 1 << 20 // parts, where a number may ask for any
	mostOfData = 1 << 24 // where there is something in each
)

// fewParts refuses a number of parts that can only be a mistake, before there is a handle for each.
func fewParts(op string, n, most int) int {
	if n > most {
		fault.Throw(fault.Value, op, "%d parts; want at most %d", n, most)
	}
	return n
}

// Chunk cuts a dimension into at most the given number of parts of one size, the last one smaller if it must be.
//
//lucid:func
//lucid:method
//lucid:default dim=0
//lucid:view
func Chunk(x *Node, chunks, dim int) []*Node {
	axis := splitAxis("chunk", x, dim)
	if chunks <= 0 {
		fault.Throw(fault.Value, "chunk", "%d chunks; want 1 or more", chunks)
	}
	n := x.Dim(axis)
	if n == 0 {
		return split(x, axis, make([]int, fewParts("chunk", chunks, mostAsked)))
	}
	return split(x, axis, evenSizes("chunk", n, 1+(n-1)/chunks))
}

// TensorSplit cuts a dimension into a number of parts whose sizes differ by at most 1, or before the positions in a list.
//
//lucid:func
//lucid:method
//lucid:default dim=0
//lucid:alias split_at
//lucid:view
func TensorSplit(x *Node, indicesOrSections any, dim int) []*Node {
	return tensorSplit("tensor_split", x, indicesOrSections, splitAxis("tensor_split", x, dim))
}

func tensorSplit(op string, x *Node, indicesOrSections any, axis int) []*Node {
	n := x.Dim(axis)
	switch s := indicesOrSections.(type) {
	case int:
		if s <= 0 {
			fault.Throw(fault.Value, op, "%d sections; want 1 or more", s)
		}
		sizes := make([]int, fewParts(op, s, mostAsked))
		for i := range sizes {
			sizes[i] = n / s
			if i < n%s {
				sizes[i]++
			}
		}
		return split(x, axis, sizes)
	case []int:
		out, at := make([]*Node, 0, len(s)+1), 0
		for i := range len(s) + 1 {
			end := n
			if i < len(s) {
				end = clampIndex(s[i], n)
			}
			out = append(out, SliceDim(x, axis, min(at, n), max(0, end-at), 1))
			at = end
		}
		return out
	}
	fault.Throw(fault.DType, op, "a %T says neither a number of sections nor positions; want an int or []int", indicesOrSections)
	return nil
}

// clampIndex resolves a position as a slice bound does: negative counts from the end, beyond is cut off.
func clampIndex(i, n int) int {
	if i < 0 {
		i += n
	}
	return min(max(i, 0), n)
}

func splitAlong(op string, x *Node, indicesOrSections any, axis, least int) []*Node {
	if x.Rank() < least {
		fault.Throw(fault.Shape, op, "%v has %d dims; want at least %d", x.Shape(), x.Rank(), least)
	}
	if n, ok := indicesOrSections.(int); ok && (n <= 0 || x.Dim(axis)%n != 0) {
		fault.Throw(fault.Value, op, "%d parts of one size do not fit dim %d of %v", n, axis, x.Shape())
	}
	return tensorSplit(op, x, indicesOrSections, axis)
}

// Hsplit cuts columns: the second dimension, or the only one.
//
//lucid:func HSplit
//lucid:method HSplit
//lucid:view
func Hsplit(x *Node, indicesOrSections any) []*Node {
	return splitAlong("hsplit", x, indicesOrSections, min(1, max(x.Rank()-1, 0)), 1)
}

// Vsplit cuts rows: the first dimension of at least two.
//
//lucid:func VSplit
//lucid:method VSplit
//lucid:view
func Vsplit(x *Node, indicesOrSections any) []*Node {
	return splitAlong("vsplit", x, indicesOrSections, 0, 2)
}

// Dsplit cuts the third dimension.
//
//lucid:func DSplit
//lucid:method DSplit
//lucid:view
func Dsplit(x *Node, indicesOrSections any) []*Node {
	return splitAlong("dsplit", x, indicesOrSections, 2, 3)
}

// Unbind takes a dimension apart: one tensor for each position, without the dimension.
//
//lucid:func
//lucid:method
//lucid:default dim=0
//lucid:alias unstack
//lucid:view
func Unbind(x *Node, dim int) []*Node {
	axis := splitAxis("unbind", x, dim)
	out := split(x, axis, ones(fewParts("unbind", x.Dim(axis), mostOfData)))
	for i := range out {
		out[i] = Squeeze(out[i], axis)
	}
	return out
}

// Narrow shows length elements of a dimension from start on; a negative start counts from the end.
//
//lucid:func
//lucid:method
//lucid:view
func Narrow(x *Node, dim, start, length int) *Node {
	axis := splitAxis("narrow", x, dim)
	n, s := x.Dim(axis), start
	if s < 0 {
		s += n
	}
	if s < 0 || length < 0 || length > n-s {
		fault.Throw(fault.Index, "narrow", "%d elements from %d on are not in dim %d of %v", length, start, axis, x.Shape())
	}
	return SliceDim(x, axis, s, length, 1)
}

// Select shows one position of a dimension, without the dimension.
//
//lucid:func
//lucid:method
//lucid:view
func Select(x *Node, dim, index int) *Node {
	axis := splitAxis("select", x, dim)
	return Squeeze(SliceDim(x, axis, checkIndex("select", index, axis, x), 1, 1), axis)
}

// checkIndex resolves a position of a dimension, negative from the end.
func checkIndex(op string, i, axis int, x *Node) int {
	n := x.Dim(axis)
	if i < -n || i >= n {
		fault.Throw(fault.Index, op, "position %d is out of range for dim %d of %v; want %d to %d", i, axis, x.Shape(), -n, n-1)
	}
	if i < 0 {
		i += n
	}
	return i
}
