package ops

import (
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
)

// JoinSlices puts terms of a sum together that are zeros but for a part each, such as the gradients of a tensor that was taken apart:
// where those parts are side by side along one dimension and cover it all, their sum is what they are, one behind the other, and no
// zeros are made or added. It returns the terms that are left to add up.
func JoinSlices(terms []*Node) []*Node {
	var parts, rest []*Node
	axis := -1
	for _, t := range terms {
		if at := sliceOnZeros(t); at >= 0 && (axis < 0 || at == axis) {
			axis, parts = at, append(parts, t)
		} else {
			rest = append(rest, t)
		}
	}
	if len(parts) < 2 {
		return terms
	}
	start := func(x *Node) int { return x.Attr().(attr.Slice).Start.At(axis) }
	slices.SortStableFunc(parts, func(a, b *Node) int { return start(a) - start(b) })
	next, in := 0, make([]*Node, len(parts))
	for i, p := range parts {
		if start(p) != next {
			return terms // they overlap, or leave something out
		}
		next += p.In(1).Dim(axis)
		in[i] = p.In(1)
	}
	if next != parts[0].Dim(axis) {
		return terms
	}
	return append([]*Node{concat(in, axis)}, rest...)
}

// sliceOnZeros returns the dimension along which x is zeros but for one stretch; -1: it is no such thing.
func sliceOnZeros(x *Node) int {
	if x.Stored() || x.Op() != opSliceUpdate || x.NumIn() != 2 || !isZeros(x.In(0)) || x.In(1).DType() != x.DType() {
		return -1
	}
	s, axis := x.Attr().(attr.Slice), -1
	for i, n := range x.Shape().Dims() {
		switch {
		case s.Size.At(i) == n && s.Start.At(i) == 0 && s.Step.At(i) == 1:
		case axis >= 0 || s.Step.At(i) != 1:
			return -1
		default:
			axis = i
		}
	}
	return axis
}

// isZeros reports whether x is seen to be zeros.
func isZeros(x *Node) bool {
	for x.NumIn() == 1 && !x.Stored() && x.Op() == opBroadcastTo {
		x = x.In(0)
	}
	if !x.IsConst() {
		return false
	}
	c, ok := x.Attr().(attr.Const)
	return ok && c.Value.I == 0 && c.Value.F == 0 && c.Value.G == 0
}
