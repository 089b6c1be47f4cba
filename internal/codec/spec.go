package codec

import (
	"math"
	"math/bits"
	"unicode/utf8"

	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

// Spec is what a file claims about one tensor: where its bytes are and what they mean.
type Spec struct {
	Name   string
	DType  dtype.DType
	Shape  []int
	Offset int64 // from the start of the file's data
	Size   int64 // bytes
}

// Bytes returns the bytes of a tensor of that shape. It fails for a negative size, and when the product of the
// sizes other than 0 does not fit: strides are computed from them, even where the tensor is empty.
func Bytes(d dtype.DType, shape []int) (n int64, ok bool) {
	if !d.Valid() {
		return 0, false
	}
	p, empty := uint64(d.Size()), false
	for _, s := range shape {
		if s < 0 {
			return 0, false
		}
		if s == 0 {
			empty = true
			continue
		}
		hi, lo := bits.Mul64(p, uint64(s))
		if hi != 0 || lo > math.MaxInt {
			return 0, false
		}
		p = lo
	}
	if empty {
		return 0, true
	}
	return int64(p), true
}

// Check says whether s can be a tensor inside a file with span bytes of data. It allocates nothing.
func Check(op string, s Spec, span int64, lim Limits) error {
	lim = lim.Filled()
	if err := CheckName(op, s.Name, lim); err != nil {
		return err
	}
	if !s.DType.Valid() {
		return fault.New(fault.DType, op, "tensor %q has no known dtype", s.Name)
	}
	if len(s.Shape) > lim.MaxRank {
		return fault.New(fault.Format, op, "tensor %q has %d dimensions, more than %d", s.Name, len(s.Shape), lim.MaxRank)
	}
	n, ok := Bytes(s.DType, s.Shape)
	if !ok {
		return fault.New(fault.Format, op, "tensor %q has a shape %v that is negative or overflows", s.Name, s.Shape)
	}
	if n != s.Size {
		return fault.New(fault.Format, op, "tensor %q: shape %v of %s is %d bytes, the file gives it %d", s.Name, s.Shape,
			s.DType, n, s.Size)
	}
	// Written as a subtraction: Offset+Size may overflow.
	if s.Offset < 0 || span < 0 || s.Offset > span || s.Size > span-s.Offset {
		return fault.New(fault.Format, op, "tensor %q is at bytes %d+%d, outside the %d bytes of data", s.Name, s.Offset, s.Size, span)
	}
	return nil
}

// CheckName says whether a name is fit to be printed and used as a key.
func CheckName(op, name string, lim Limits) error {
	if lim = lim.Filled(); len(name) > lim.MaxName {
		return fault.New(fault.Format, op, "a name of %d bytes (%.32q…) is longer than %d", len(name), name, lim.MaxName)
	}
	if !utf8.ValidString(name) {
		return fault.New(fault.Format, op, "name %q is not valid UTF-8", name)
	}
	return nil
}

// CheckTensor is Check for a tensor on its way into a file.
func CheckTensor(op string, t Tensor) error {
	return Check(op, Spec{Name: t.Name, DType: t.DType, Shape: t.Shape, Size: int64(len(t.Data))}, int64(len(t.Data)), Limits{})
}
