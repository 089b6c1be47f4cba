package ops

import (
	"slices"

	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/shape"
)

// At shows or picks the part of x that NumPy's indexing names: ints, ranges, marks, tensors of positions and masks.
// Ints, ranges and marks alone give a view. A mask is evaluated, since the size of the result depends on it.
func At(x *Node, indices []any) *Node {
	x, indices = lift(x, indices)
	defer holdMasked(x, indices)()
	s := parseSubscript("at", x, indices)
	y := s.basic()
	if len(s.idx) == 0 {
		return y
	}
	axis, flat := s.dims[0], s.idx[0]
	if len(s.idx) > 1 {
		y, flat, axis = s.merged(y)
	}
	out := take(y, flat, axis)
	if s.front && axis > 0 {
		out = moveRun(out, axis, flat.Rank(), 0)
	}
	return out
}

// holdMasked references x until what it returns is run, where masks are among the indices: reading them evaluates, and the
// node that lift made has no other reference before the result is built.
func holdMasked(x *Node, indices []any) (release func()) {
	for _, ix := range indices {
		if m, ok := ix.(*Node); ok && m != nil && m.DType() == dtype.Bool {
			return hold(x)
		}
	}
	return func() {}
}

// basic shows the part that ints and ranges name.
func (s *subscript) basic() *Node { return reshapeTo(slice(s.x, s.slice), s.mid) }

// lift takes 0-d masks: each becomes a mask of one element over a new dimension in front of what follows it.
func lift(x *Node, indices []any) (*Node, []any) {
	for k := range indices {
		if m, ok := indices[k].(*Node); !ok || m == nil || m.DType() != dtype.Bool || m.Rank() > 0 {
			continue
		}
		indices = slices.Clone(indices)
		d, behind := 0, false
		for _, ix := range indices[:k] {
			behind = behind || ix == Ellipsis
			d += consumed(ix)
		}
		if behind {
			d = x.Rank()
			for _, ix := range indices[k+1:] {
				d -= consumed(ix)
			}
		}
		x = Unsqueeze(x, d)
		indices[k] = Reshape(indices[k].(*Node), 1)
		return lift(x, indices)
	}
	return x, indices
}

// consumed is the number of dimensions an index names.
func consumed(ix any) int {
	switch v := ix.(type) {
	case Mark:
		if v != Colon {
			return 0
		}
	case *Node:
		if v.DType() == dtype.Bool {
			return v.Rank()
		}
	}
	return 1
}

// merged brings the dimensions that tensors index together and shows them as one, and gives the positions in it. Those
// that are apart come first.
func (s *subscript) merged(y *Node) (m, flat *Node, axis int) {
	axis = s.dims[0]
	if s.apart() {
		y, axis = permute(y, s.order()), 0
	}
	n := 1
	for i, ix := range s.idx {
		size := s.mid.Dim(s.dims[i])
		n *= size
		if flat == nil {
			flat = ix
			continue
		}
		flat = Add(Mul(flat, size), ix)
	}
	d := y.Shape().Dims()
	return Reshape(y, slices.Concat(d[:axis], []int{n}, d[axis+len(s.idx):])...), flat, axis
}

// apart reports whether dimensions that are not indexed by tensors are between those that are.
func (s *subscript) apart() bool { return s.dims[len(s.dims)-1]-s.dims[0]+1 != len(s.dims) }

// order lists mid's dimensions, those that tensors index first.
func (s *subscript) order() []int {
	order := slices.Clone(s.dims)
	for i := range s.mid.Rank() {
		if !slices.Contains(s.dims, i) {
			order = append(order, i)
		}
	}
	return order
}

// moveRun brings n dimensions from one position to another, in order.
func moveRun(x *Node, from, n, to int) *Node {
	var run, rest []int
	for i := range x.Rank() {
		if i >= from && i < from+n {
			run = append(run, i)
		} else {
			rest = append(rest, i)
		}
	}
	return permute(x, slices.Concat(rest[:to], run, rest[to:]))
}

// resultShape is the shape At gives.
func (s *subscript) resultShape(op string) *shape.Shape {
	if len(s.idx) == 0 {
		return s.mid
	}
	var rest []int
	for i, n := range s.mid.Dims() {
		if !slices.Contains(s.dims, i) {
			rest = append(rest, n)
		}
	}
	at := s.dims[0]
	if s.front {
		at = 0
	}
	return shape.Of(op, slices.Concat(rest[:at], s.idx[0].Shape().Dims(), rest[at:])...)
}
