package ops

import (
	"math"
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/shape"
)

// Range is a regular part of a dimension: Start, Start+Step, … before Stop. Negative positions count from the end, a
// Step of 0 is 1, and what is beyond the dimension is cut off. A Stop of 0 behind another Start is refused, unless the range
// goes backwards: it is empty by Python's rules, and mostly was left out where End was meant.
type Range struct{ Start, Stop, Step int }

// End is an open end of a Range: behind the last position, or before the first one where Step is negative. As Start
// of a negative Step it is the last position.
const End = math.MaxInt

// Mark is an index that stands for no position.
type Mark uint8

// The marks.
const (
	Colon    Mark = iota + 1 // all of a dimension
	Ellipsis                 // all of the dimensions that no other index names
	NewAxis                  // a new dimension of size 1
)

// subscript is a parsed list of indices. First the basic part: slice shows a part of x with the dimensions that ints
// name at size 1; mid is that without them and with the new ones. Then the tensors, each at a dimension of mid.
type subscript struct {
	x     *Node
	slice attr.Slice
	mid   *shape.Shape
	dims  []int   // of mid, that tensors index; ascending
	idx   []*Node // the tensors, non-negative int64, of one shape
	front bool    // the tensors' dimensions come first in the result
	whole bool    // slice is all of x
}

// item is one index as given, masks made into tensors of positions.
type item struct {
	kind byte // 'i' int, 'r' range, 'n' new axis, 't' tensor, 'e' an ellipsis, which keeps tensors apart even if it names no dim
	i    int
	r    Range
	t    *Node
}

// parseSubscript resolves indices against x. Masks that are looked at are made positions.
func parseSubscript(op string, x *Node, indices []any) *subscript {
	items := expandItems(op, x, indices)
	s := &subscript{x: x, whole: !sizesOpen()}
	var start, size, step, mid []int
	tensors, d := false, 0
	for _, it := range items {
		tensors = tensors || it.kind == 't'
	}
	first, last, count := -1, -1, 0 // of the indices that count as tensors
	for k, it := range items {
		if it.kind == 't' || it.kind == 'i' && tensors {
			if first < 0 {
				first = k
			}
			last = k
			count++
		}
		if it.kind == 'n' {
			mid = append(mid, 1)
		}
		if it.kind == 'n' || it.kind == 'e' {
			continue
		}
		n := x.Dim(d)
		switch it.kind {
		case 'i':
			start, size, step = append(start, checkIndex(op, it.i, d, x)), append(size, 1), append(step, 1)
			s.whole = s.whole && n == 1
		case 'r':
			a, m, st := it.r.resolve(op, n)
			start, size, step = append(start, a), append(size, m), append(step, st)
			s.whole = s.whole && m == n && (st == 1 || n <= 1)
			mid = append(mid, m)
		case 't':
			start, size, step = append(start, 0), append(size, n), append(step, 1)
			s.dims, s.idx = append(s.dims, len(mid)), append(s.idx, wrapIndex(op, it.t, n))
			mid = append(mid, n)
		}
		d++
	}
	s.slice = attr.Slice{Start: attr.MakeInts(start...), Size: attr.MakeInts(size...), Step: attr.MakeInts(step...)}
	s.mid = shape.Of(op, mid...)
	s.front = tensors && last-first+1 != count
	if len(s.idx) > 1 {
		s.idx = broadcastAll(op, s.idx)
	}
	return s
}

// resolve gives the first position, the number of them and the step, for a dimension of size n.
func (r Range) resolve(op string, n int) (start, size, step int) {
	step = r.Step
	switch {
	case step == 0:
		step = 1
	case step == math.MinInt:
		fault.Throw(fault.Value, op, "step %d is too far", step)
	}
	if r.Stop == 0 && (step > 0 && r.Start != 0 || step != 1 && r.Start == 0) {
		fault.Throw(fault.Value, op, "Range{Start: %d, Stop: 0, Step: %d} is empty; want Stop: lucid.End for the rest of a dimension",
			r.Start, r.Step)
	}
	bound := func(p, lo, hi int) int {
		if p < 0 {
			p = max(p, -n-1) + n
		}
		return min(max(p, lo), hi)
	}
	if step > 0 {
		a, b := bound(r.Start, 0, n), bound(r.Stop, 0, n)
		if b <= a {
			return 0, 0, 1
		}
		return a, (b-a-1)/step + 1, step
	}
	a, b := bound(r.Start, -1, n-1), -1
	if r.Stop != End {
		b = bound(r.Stop, -1, n-1)
	}
	if b >= a {
		return 0, 0, 1
	}
	return a, (a-b-1)/-step + 1, step
}

// expandItems reads the indices as given: the ellipsis becomes ranges, masks become positions.
func expandItems(op string, x *Node, indices []any) []item {
	used, ellipsis := 0, -1
	for k, ix := range indices {
		switch v := ix.(type) {
		case Mark:
			switch v {
			case Ellipsis:
				if ellipsis >= 0 {
					fault.Throw(fault.Index, op, "two ellipses; want at most one")
				}
				ellipsis = k
				continue
			case NewAxis:
				continue
			}
		case *Node:
			if v != nil && v.DType() == dtype.Bool {
				used += v.Rank()
				continue
			}
		}
		used++
	}
	if used > x.Rank() {
		fault.Throw(fault.Index, op, "%d indices for %v, which has %d dims", used, x.Shape(), x.Rank())
	}
	all := item{kind: 'r', r: Range{Stop: End}}
	rest := slices.Repeat([]item{all}, x.Rank()-used)
	var items []item
	d := 0
	for k, ix := range indices {
		switch v := ix.(type) {
		case int:
			items = append(items, item{kind: 'i', i: v})
		case Range:
			items = append(items, item{kind: 'r', r: v})
		case []int:
			items = append(items, item{kind: 't', t: positions(op, x, d, v)})
		case Mark:
			switch v {
			case Colon:
				items = append(items, all)
			case NewAxis:
				items = append(items, item{kind: 'n'})
				continue
			case Ellipsis:
				items = append(append(items, item{kind: 'e'}), rest...)
				d += len(rest)
				continue
			}
		case *Node:
			if v == nil {
				fault.Throw(fault.Index, op, "index %d is a nil tensor", k)
			}
			if v.DType() == dtype.Bool {
				items = append(items, maskItems(op, x, v, d, k)...)
				d += v.Rank()
				continue
			}
			items = append(items, item{kind: 't', t: v})
		default:
			fault.Throw(fault.Index, op,
				"index %d is a %T; want an int, a Range, Colon, Ellipsis, NewAxis, a *Tensor, []int, []bool or bool", k, ix)
		}
		d++
	}
	if ellipsis < 0 {
		items = append(items, rest...)
	}
	return items
}

// checkMask refuses a mask whose sizes are not those of the dimensions it stands for.
func checkMask(op string, x, mask *Node, d, where int) {
	for i := range mask.Rank() {
		if mask.Dim(i) != x.Dim(d+i) {
			fault.Throw(fault.Index, op, "mask %d has shape %v; dims %d to %d of %v differ from it", where, mask.Shape(), d,
				d+mask.Rank()-1, x.Shape())
		}
	}
}

// maskItems looks at a mask and gives the positions where it holds, one tensor for each dimension.
func maskItems(op string, x, mask *Node, d, where int) []item {
	checkMask(op, x, mask, d, where)
	rows := nonzero(op, mask)
	items := make([]item, mask.Rank())
	for i := range items {
		items[i] = item{kind: 't', t: Reshape(SliceDim(rows, 1, i, 1, 1), rows.Dim(0))}
	}
	return items
}

// positions makes an index tensor of a Go list, whose positions are checked here and now.
func positions(op string, x *Node, d int, list []int) *Node {
	data := make([]int64, len(list))
	for i, v := range list {
		data[i] = int64(checkIndex(op, v, d, x))
	}
	return on(x, literal(data, len(data)))
}

// MaskOf makes a mask of a Go list.
func MaskOf(list []bool, dims ...int) *Node {
	b := dtype.Bytes(slices.Clone(list))
	return graph.NewStored(mem.FromGo(b), graph.Spec{Shape: shape.Of("index", dims...), DType: dtype.Bool}, nil)
}

// Position is an index of any integer type as an int.
func Position(ix any) (int, bool) {
	switch ix.(type) {
	case Mark, dtype.DType: // no numbers, though they are stored as such
		return 0, false
	}
	s, ok := dtype.ScalarOf(ix)
	return int(s.I), ok && s.Kind == dtype.KindInt
}
