package ops

import (
	"slices"

	"github.com/lucid-go/lucid/internal/fault"
)

// EinopsOptions gives lengths of axes that the tensor's sizes do not tell.
type EinopsOptions struct {
	AxesLengths map[string]int // lengths of axes that the sizes of the tensor do not tell
}

// einops is a pattern applied to a tensor: reshape, reduce, permute, repeat, reshape.
type einops struct {
	op          string
	x           *Node
	left, right einSide
	size        map[string]int
}

// newEinops reads the pattern. Lengths of axes that occur nowhere are refused.
func newEinops(op, pattern string, x *Node, o EinopsOptions) *einops {
	e := &einops{op: op, x: x}
	e.left, e.right = einPattern(op, pattern, x.Rank())
	for name, n := range o.AxesLengths {
		if n < 0 {
			fault.Throw(fault.Value, op, "axis %s has length %d; want no negative number", name, n)
		}
		if !hasAxis(e.left, name) && !hasAxis(e.right, name) {
			fault.Throw(fault.Value, op, "pattern %q has no axis %s, for which a length is given", pattern, name)
		}
	}
	e.size = e.left.sizes(op, pattern, x, o.AxesLengths)
	return e
}

func hasAxis(s einSide, name string) bool {
	return slices.ContainsFunc(s.axes(), func(a einAxis) bool { return a.name == name })
}

// sizesOf lists the sizes of axes.
func (e *einops) sizesOf(axes []einAxis) []int {
	out := make([]int, len(axes))
	for i, a := range axes {
		out[i] = e.size[a.name]
	}
	return out
}

// apart is the tensor with a dimension for every axis of the left side.
func (e *einops) apart() *Node { return Reshape(e.x, e.sizesOf(e.left.axes())...) }

// arrange puts dimensions, which are the given axes, into the order of the right side, shows axes that are new as
// often as they are long, and joins the groups.
func (e *einops) arrange(x *Node, axes []einAxis) *Node {
	want := e.right.axes()
	var order, single []int
	for _, a := range want {
		i := slices.IndexFunc(axes, func(b einAxis) bool { return b.name == a.name })
		if i < 0 {
			single = append(single, 1)
			continue
		}
		order = append(order, i)
		single = append(single, e.size[a.name])
	}
	x = BroadcastTo(Reshape(Permute(x, order...), single...), e.sizesOf(want)...)
	joined := make([]int, len(e.right))
	for i, group := range e.right {
		joined[i] = product(e.sizesOf(group))
	}
	return Reshape(x, joined...)
}

// Rearrange reorders, splits and joins dimensions as a pattern says, such as "b (h w) c -> b c h w": axes in
// parentheses are one dimension, "..." stands for any number of them, 1 for a dimension of size 1. Lengths that cannot
// be told from x are given by name.
//
//lucid:pkg einops Rearrange
//lucid:options Options
//lucid:name einops_rearrange
//lucid:alias rearrange
//lucid:view
func Rearrange(x *Node, pattern string, o EinopsOptions) *Node {
	e := newEinops("rearrange", pattern, x, o)
	for _, a := range e.left.axes() {
		if !hasAxis(e.right, a.name) {
			fault.Throw(fault.Value, e.op, "pattern %q loses axis %s; use reduce to fold it", pattern, a.name)
		}
	}
	for _, a := range e.right.axes() {
		if !hasAxis(e.left, a.name) {
			fault.Throw(fault.Value, e.op, "pattern %q has a new axis %s; use repeat to make it", pattern, a.name)
		}
	}
	return e.arrange(e.apart(), e.left.axes())
}

// EinopsReduce folds the axes that the right side of a pattern lacks, by sum, mean, prod, max, min, any or all, and
// arranges the others as Rearrange does.
//
//lucid:pkg einops Reduce
//lucid:options Options
//lucid:alias reduce
func EinopsReduce(x *Node, pattern, reduction string, o EinopsOptions) *Node {
	e := newEinops("reduce", pattern, x, o)
	var gone []int
	var rest []einAxis
	for i, a := range e.left.axes() {
		if hasAxis(e.right, a.name) {
			rest = append(rest, a)
		} else {
			gone = append(gone, i)
		}
	}
	for _, a := range e.right.axes() {
		if !hasAxis(e.left, a.name) {
			fault.Throw(fault.Value, e.op, "pattern %q has a new axis %s; use repeat to make it", pattern, a.name)
		}
	}
	fold := map[string]func(*Node, ReduceOptions) *Node{"sum": Sum, "mean": Mean, "prod": Prod, "max": Amax, "min": Amin, "any": Any,
		"all": All}[reduction]
	if fold == nil {
		fault.Throw(fault.Value, e.op, "reduction is %q; want sum, mean, prod, max, min, any or all", reduction)
	}
	y := e.apart()
	if len(gone) > 0 {
		y = fold(y, ReduceOptions{Dim: gone})
	}
	return e.arrange(y, rest)
}

// EinopsRepeat shows x as often as the axes say that the right side of a pattern has more, whose lengths are given by
// name or as numbers, such as "h w -> (h 2) w c", and arranges the others as Rearrange does.
//
//lucid:pkg einops Repeat
//lucid:options Options
func EinopsRepeat(x *Node, pattern string, o EinopsOptions) *Node {
	e := newEinops("repeat", pattern, x, o)
	for _, a := range e.left.axes() {
		if !hasAxis(e.right, a.name) {
			fault.Throw(fault.Value, e.op, "pattern %q loses axis %s; use reduce to fold it", pattern, a.name)
		}
	}
	for _, a := range e.right.axes() {
		if hasAxis(e.left, a.name) {
			continue
		}
		n, given := o.AxesLengths[a.name]
		switch {
		case a.size > 0:
			n = a.size
		case !given:
			fault.Throw(fault.Value, e.op, "pattern %q has a new axis %s without a length; give one", pattern, a.name)
		}
		e.size[a.name] = n
	}
	return e.arrange(e.apart(), e.left.axes())
}
