package lucid

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
)

// Range is a regular part of a dimension: Start, Start+Step, … before Stop, as Python's start:stop:step. Negative
// positions count from the end, a Step of 0 is 1, and what is beyond the dimension is cut off. Stop is End for an open
// end; Start is End for the last position of a range that goes backwards. Range{} is empty. Range{Start: 7} and
// Range{Step: 2}, which stop at 0 and would be empty, are refused: the rest from 7 on is Range{Start: 7, Stop: lucid.End}.
type Range struct {
	Start int // first position
	Stop  int // position behind the last; End: to the end
	Step  int // distance of the positions; 0: 1
}

// End is an open end of a Range.
const End = ops.End

// Marks that stand for no position: all of a dimension, all of the dimensions that no other index names, and a new
// dimension of size 1.
const (
	Colon    = ops.Colon
	Ellipsis = ops.Ellipsis
	NewAxis  = ops.NewAxis
)

// acquireIndices converts tensors and lists among indices to nodes; release the referenced ones when the result holds them.
func acquireIndices(indices []any) (list []any, referenced []*graph.Node) {
	list = make([]any, len(indices))
	for i, ix := range indices {
		switch v := ix.(type) {
		case *Tensor:
			n := acquireMaybe(v)
			if n != nil {
				referenced = append(referenced, n)
			}
			list[i] = n
		case Range:
			list[i] = ops.Range(v)
		case []bool:
			list[i] = ops.MaskOf(v, len(v))
		case bool:
			list[i] = ops.MaskOf([]bool{v})
		default:
			if n, ok := ops.Position(ix); ok {
				ix = n
			}
			list[i] = ix
		}
	}
	return list, referenced
}

// At returns the part of the tensor that the indices name, by NumPy's rules. An index is an int, a Range, Colon,
// Ellipsis, NewAxis, a tensor of positions or a mask ([]int, []bool and bool stand for such tensors). Tensors of positions
// broadcast together; their dimensions stand where the first of them does, or in front where other indices are
// between them. Reading through a mask evaluates the mask, and is refused inside a traced function.
func (t *Tensor) At(indices ...any) *Tensor {
	n := acquire(t)
	list, referenced := acquireIndices(indices)
	r := ops.At(n, list)
	releaseAll(referenced)
	release(n)
	return wrapView(r)
}

// SetAt makes the handle show its value with the part that the indices name replaced, and returns it. The value is a
// tensor or a number, cast to the tensor's dtype and broadcast to the part. Other handles keep what they show.
// Gradients pass to what stays and to the value.
func (t *Tensor) SetAt(value any, indices ...any) *Tensor {
	return t.writeAt("set_at", value, attr.ReduceSet, indices)
}

// AddAt is SetAt that adds; an element named several times gets all the values.
func (t *Tensor) AddAt(value any, indices ...any) *Tensor {
	return t.writeAt("add_at", value, attr.ReduceAdd, indices)
}

// MulAt is SetAt that multiplies; an element named several times gets all the factors.
func (t *Tensor) MulAt(value any, indices ...any) *Tensor {
	return t.writeAt("mul_at", value, attr.ReduceMul, indices)
}

// MaxAt is SetAt that keeps the larger of what is there and the value.
func (t *Tensor) MaxAt(value any, indices ...any) *Tensor {
	return t.writeAt("max_at", value, attr.ReduceMax, indices)
}

// MinAt is SetAt that keeps the smaller of what is there and the value.
func (t *Tensor) MinAt(value any, indices ...any) *Tensor {
	return t.writeAt("min_at", value, attr.ReduceMin, indices)
}

func (t *Tensor) writeAt(op string, value any, r attr.Reduction, indices []any) *Tensor {
	n, v := acquire(t), acquireAny(value)
	list, referenced := acquireIndices(indices)
	w := ops.WriteAt(op, n, v, r, list)
	releaseAll(referenced)
	releaseAny(v)
	assign(op, t.array(), w)
	release(n)
	return t
}
