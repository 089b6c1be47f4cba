package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/shape"
)

// PadOptions: Mode is "constant" (the default), "reflect", "replicate", "circular", "symmetric" or "edge", which is
// MLX's word for replicate. Value fills in the constant mode; nil: 0.
type PadOptions struct {
	Mode  string // "constant" (also by ""), "reflect", "replicate", "circular", "symmetric" or "edge", which is MLX's name of replicate
	Value any    // fills in the constant mode, a number; nil: 0
}

// Pad adds elements before and after the dimensions, in pairs from the last dimension on; a negative number takes
// elements away.
//
//lucid:pkg nn/functional
//lucid:method Pad(pad []int)
func Pad(x *Node, pad []int, o PadOptions) *Node {
	if len(pad)%2 != 0 || len(pad)/2 > x.Rank() {
		fault.Throw(fault.Value, "pad", "pad is %v; want up to %d pairs for %v", pad, x.Rank(), x.Shape())
	}
	lo, hi := make([]int, x.Rank()), make([]int, x.Rank())
	for i := 0; i < len(pad); i += 2 {
		d := x.Rank() - 1 - i/2
		lo[d], hi[d] = pad[i], pad[i+1]
		const far = 1 << 57
		if max(lo[d], hi[d]) > far || min(lo[d], hi[d]) < -far { // their sum could wrap
			fault.Throw(fault.Value, "pad", "pad is %v; want numbers within ±2⁵⁷", pad)
		}
		if x.Dim(d)+lo[d]+hi[d] < 0 {
			fault.Throw(fault.Shape, "pad", "pad %v leaves less than nothing of dim %d of %v", pad, d, x.Shape())
		}
	}
	if o.Mode == "" || o.Mode == "constant" {
		return padConstant(x, lo, hi, o.Value)
	}
	if o.Value != nil && !isZero(o.Value) {
		fault.Throw(fault.Value, "pad", "mode %q takes no value, %v is given", o.Mode, o.Value)
	}
	for d := range lo {
		if lo[d] != 0 || hi[d] != 0 {
			x = padEnds(x, d, lo[d], hi[d], o.Mode)
		}
	}
	return x
}

func isZero(v any) bool {
	s, ok := dtype.ScalarOf(v)
	return ok && s.Kind != dtype.KindComplex && s.Float() == 0
}

// padConstant cuts what is to be taken away and writes the rest into a constant.
func padConstant(x *Node, lo, hi []int, value any) *Node {
	if value == nil {
		value = 0
	}
	start, size := make([]int, x.Rank()), x.Shape().Clone()
	at, whole := make([]int, x.Rank()), x.Shape().Clone()
	grows := false
	for d := range lo {
		start[d], at[d] = max(0, -lo[d]), max(0, lo[d])
		size[d] = max(0, size[d]+min(0, lo[d])+min(0, hi[d]))
		whole[d] += lo[d] + hi[d]
		grows = grows || lo[d] > 0 || hi[d] > 0
	}
	one := attr.MakeInts(ones(x.Rank())...)
	y := slice(x, attr.Slice{Start: attr.MakeInts(start...), Size: attr.MakeInts(size...), Step: one})
	if !grows && !sizesOpen() {
		return y
	}
	board := broadcastTo(stored("pad", value, x.DType()), shape.Of("pad", whole...))
	return sliceUpdate(board, y, attr.Slice{Start: attr.MakeInts(at...), Size: attr.MakeInts(size...), Step: one})
}

// padEnds extends one dimension by its own elements; numbers below 0 cut. Circular padding repeats what is left after
// cutting, the others what was there before.
func padEnds(x *Node, d, lo, hi int, mode string) *Node {
	if mode == "circular" {
		x = cropEnds(x, d, min(lo, 0), min(hi, 0))
		lo, hi = max(lo, 0), max(hi, 0)
	}
	n, l, h := x.Dim(d), max(lo, 0), max(hi, 0)
	limit := n
	var before, after *Node
	part := func(start, size, step int) *Node { return SliceDim(x, d, start, size, step) }
	switch mode {
	case "reflect":
		limit = n - 1
	case "replicate", "edge":
		limit = l + h
		if n == 0 && l+h > 0 {
			limit = 0
		}
	case "circular", "symmetric":
	default:
		fault.Throw(fault.Value, "pad", "mode is %q; want constant, reflect, replicate, circular, symmetric or edge", mode)
	}
	if l > limit || h > limit {
		fault.Throw(fault.Value, "pad", "mode %s cannot add %d and %d to dim %d of size %d; want at most %d", mode, lo, hi, d, n, limit)
	}
	switch mode {
	case "reflect":
		before, after = part(min(l, n-1), l, -1), part(max(n-2, 0), h, -1)
	case "symmetric":
		before, after = part(max(l-1, 0), l, -1), part(n-1, h, -1)
	case "circular":
		before, after = part(n-l, l, 1), part(0, h, 1)
	default:
		long := func(start, size int) *Node {
			s := x.Shape().Clone()
			s[d] = size
			return broadcastTo(part(start, 1, 1), shape.Of("pad", s...))
		}
		before, after = long(0, l), long(n-1, h)
	}
	xs := []*Node{x}
	if l > 0 {
		xs = []*Node{before, x}
	}
	if h > 0 {
		xs = append(xs, after)
	}
	return cropEnds(concat(xs, d), d, min(lo, 0), min(hi, 0))
}

// cropEnds takes elements away by numbers below 0.
func cropEnds(x *Node, d, lo, hi int) *Node {
	return SliceDim(x, d, -lo, max(0, x.Dim(d)+lo+hi), 1)
}
