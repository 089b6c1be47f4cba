package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/graph"
)

// SumOntoIndices returns the sum of terms of which some are zeros but for values added at indices, such as the gradient of an
// embedding: those values are added to the sum of the others in its own buffer, and no tensor of zeros is made. sum adds
// up the others, of which there is at least one. nil: no term is of that kind.
func SumOntoIndices(terms []*Node, sum func([]*Node) *Node) *Node {
	var rest, puts []*Node
	for _, t := range terms {
		if p := putOnZeros(t); p != nil {
			puts = append(puts, t)
		} else {
			rest = append(rest, t)
		}
	}
	if len(puts) == 0 {
		return nil
	}
	if rest == nil {
		rest, puts = puts[:1], puts[1:]
	}
	y := sum(rest)
	for _, t := range puts {
		p := putOnZeros(t)
		s := p.Attr().(attr.Scatter)
		if src := Cast(p.In(2), y.DType()); p.Op() == opPut {
			y = put(y, p.In(1), src, s.Axis, s.Reduce)
		} else {
			y = scatter(y, p.In(1), src, s.Axis, s.Reduce)
		}
	}
	return y
}

// putOnZeros finds what adds values at indices of zeros, perhaps seen through a cast to a wider dtype; nil: x is no such thing.
func putOnZeros(x *Node) *Node {
	if !x.Stored() && x.Op().Role == graph.RoleCast && x.NumIn() == 1 && x.DType().IsFloat() && x.In(0).DType().IsFloat() &&
		x.DType().Size() > x.In(0).DType().Size() {
		x = x.In(0)
	}
	if x.Stored() || x.Op() != opPut && x.Op() != opScatter || x.NumIn() != 3 || x.Attr().(attr.Scatter).Reduce != attr.ReduceAdd {
		return nil
	}
	if !isZeros(x.In(0)) {
		return nil
	}
	return x
}
