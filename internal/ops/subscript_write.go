package ops

import (
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/shape"
)

// WriteAt returns x with a value, cast to x's dtype and broadcast, written to the part that NumPy's indexing names, or
// combined with what is there. Of several values for one index the last one stays; combining takes all of them. One mask
// without tensors next to it is not evaluated.
func WriteAt(op string, x *Node, value Operand, r attr.Reduction, indices []any) *Node {
	back := x.Shape()
	x, indices = lift(x, indices)
	defer holdMasked(x, indices)()
	v := stored(op, value, x.DType())
	if at := onlyMask(indices); at >= 0 {
		return reshapeTo(writeMask(op, x, v, r, indices, at), back)
	}
	s := parseSubscript(op, x, indices)
	return reshapeTo(s.write(op, v, r), back)
}

// fit broadcasts a value to what it is written to; as in NumPy, leading dims of size 1 too many do no harm.
func fit(op string, v *Node, s *shape.Shape) *Node {
	for v.Rank() > s.Rank() && v.Dim(0) == 1 {
		v = Reshape(v, v.Shape().Dims()[1:]...)
	}
	if !shape.BroadcastsTo(v.Shape(), s) {
		fault.Throw(fault.Shape, op, "a value of shape %v does not fit the part, which has shape %v", v.Shape(), s)
	}
	return broadcastTo(v, s)
}

func (s *subscript) write(op string, v *Node, r attr.Reduction) *Node {
	v = fit(op, v, s.resultShape(op))
	if len(s.idx) == 0 {
		part := shape.Of(op, s.slice.Size.Slice()...)
		return sliceUpdate(s.x, update(slice(s.x, s.slice), reshapeTo(v, part), r), s.slice)
	}
	y := s.basic()
	k := s.idx[0].Rank()
	if s.front && s.dims[0] > 0 && !s.apart() {
		v = moveRun(v, 0, k, s.dims[0]) // put wants the positions' dims where the indexed one is
	}
	m, flat, axis := y, s.idx[0], s.dims[0]
	if len(s.idx) > 1 {
		m, flat, axis = s.merged(y)
	}
	w := put(m, flat, v, axis, r)
	if s.apart() {
		order := s.order()
		d := make([]int, len(order))
		for i, o := range order {
			d[i] = s.mid.Dim(o)
		}
		w = permute(Reshape(w, d...), inverse(order))
	}
	w = reshapeTo(w, s.mid)
	if s.whole {
		return reshapeTo(w, s.x.Shape())
	}
	return sliceUpdate(s.x, reshapeTo(w, shape.Of(op, s.slice.Size.Slice()...)), s.slice)
}

// update combines a value with what is there, elementwise.
func update(old, v *Node, r attr.Reduction) *Node {
	switch r {
	case attr.ReduceAdd:
		return Cast(Add(old, v), old.DType())
	case attr.ReduceMul:
		return Mul(old, v)
	case attr.ReduceMax:
		return Maximum(old, v)
	case attr.ReduceMin:
		return Minimum(old, v)
	}
	return v
}

// onlyMask returns which index is a mask, if exactly one is and no tensor of positions is next to it; else -1.
func onlyMask(indices []any) int {
	at := -1
	for k, ix := range indices {
		switch n := ix.(type) {
		case []int:
			return -1
		case *Node:
			if n == nil || n.DType() != dtype.Bool || at >= 0 {
				return -1
			}
			at = k
		}
	}
	return at
}

// writeMask writes where a mask holds, without looking at it: the basic part is computed as a whole, and Where
// chooses. The dimension of the true elements stands where NumPy puts it; a value that is not the same along it is laid
// out in order, and must have as many elements as the mask has true ones.
func writeMask(op string, x, v *Node, r attr.Reduction, indices []any, at int) *Node {
	mask := indices[at].(*Node)
	k := mask.Rank()
	before := 0 // dims of x before the mask's
	ints, split := 0, false
	behindEllipsis := false
	for _, ix := range indices[:at] {
		behindEllipsis = behindEllipsis || ix == Ellipsis
		before += consumed(ix)
	}
	if behindEllipsis {
		before = x.Rank() - k
		for _, ix := range indices[at+1:] {
			before -= consumed(ix)
		}
	}
	if before < 0 || before+k > x.Rank() {
		fault.Throw(fault.Index, op, "a mask of %d dims and the other indices are too many for %v", k, x.Shape())
	}
	checkMask(op, x, mask, before, at)
	// Ints count as positions next to a mask: apart from it, they bring its dimension to the front.
	other := slices.Clone(indices[:at])
	for range k {
		other = append(other, Colon)
	}
	other = append(other, indices[at+1:]...)
	first, last, count := at, at, 0
	for i, ix := range indices {
		if _, ok := ix.(int); ok {
			ints++
			first, last = min(first, i), max(last, i)
			count++
		}
	}
	split = last-first != count
	s := parseSubscript(op, x, other)
	// Where the mask's dims stand in the basic part.
	pos := 0
	for _, ix := range indices[:at] {
		switch ix {
		case Ellipsis:
			pos += before - consumedAll(indices[:at])
		case Colon, NewAxis:
			pos++
		default:
			if _, isRange := ix.(Range); isRange {
				pos++
			}
		}
	}
	y := s.basic()
	value := spread(op, v, mask, y, pos, split)
	full := ones(y.Rank())
	copy(full[pos:], mask.Shape().Dims())
	w := Where(Reshape(mask, full...), update(y, value, r), y)
	if s.whole {
		return reshapeTo(w, x.Shape())
	}
	return sliceUpdate(x, reshapeTo(w, shape.Of(op, s.slice.Size.Slice()...)), s.slice)
}

func consumedAll(indices []any) int {
	n := 0
	for _, ix := range indices {
		n += consumed(ix)
	}
	return n
}

// spread brings the value of a masked write to the shape of the part y: its dimension of true elements, at pos or in
// front, becomes the mask's dimensions.
func spread(op string, v, mask, y *Node, pos int, front bool) *Node {
	k := mask.Rank()
	rank := y.Rank() - k + 1
	for v.Rank() > rank && v.Dim(0) == 1 {
		v = Reshape(v, v.Shape().Dims()[1:]...)
	}
	if v.Rank() > rank {
		fault.Throw(fault.Shape, op, "a value of shape %v does not fit: the part has %d dims", v.Shape(), rank)
	}
	v = Reshape(v, slices.Concat(ones(rank-v.Rank()), v.Shape().Dims())...)
	if front && pos > 0 {
		v = moveAxis(v, 0, pos)
	}
	if v.Dim(pos) == 1 {
		d := v.Shape().Dims()
		v = Reshape(v, slices.Concat(d[:pos], ones(k), d[pos+1:])...)
	} else {
		v = expandSlices(op, mask, v, pos, true)
	}
	if !shape.BroadcastsTo(v.Shape(), y.Shape()) {
		fault.Throw(fault.Shape, op, "a value of shape %v does not fit the part, which has shape %v", v.Shape(), y.Shape())
	}
	return broadcastTo(v, y.Shape())
}

// IndexPutOptions says whether to add to what is there.
type IndexPutOptions struct {
	Accumulate bool // add to what is there instead of replacing it
}

// IndexPut returns x with values written where the index tensors, broadcast together, point in the leading dimensions;
// masks count as the positions where they hold.
//
//lucid:func
//lucid:method
func IndexPut(x, values *Node, indices []*Node, o IndexPutOptions) *Node {
	list := make([]any, len(indices))
	for i, ix := range indices {
		list[i] = ix
	}
	ampWiden(&x, &values)
	if values.DType() != x.DType() {
		fault.Throw(fault.DType, "index_put", "values are %v, the tensor %v; want one dtype", values.DType(), x.DType())
	}
	return WriteAt("index_put", x, values, accumulation(o.Accumulate), list)
}
