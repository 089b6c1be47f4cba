package cabi

import (
	"unsafe"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
)

// Missing is the error of pointers of which one is NULL; nil if none is.
func Missing(op string, pointers []unsafe.Pointer) error {
	for _, p := range pointers {
		if p == nil {
			return fault.New(fault.Value, op, "a pointer that is needed is NULL")
		}
	}
	return nil
}

// CheckShape refuses a rank that does not go with a shape, and a result that has no room.
func CheckShape(op string, rank int, noShape, noOut bool) error {
	switch {
	case rank < 0 || rank > MaxRank:
		return fault.New(fault.Shape, op, "%d dimensions; want 0 to %d", rank, MaxRank)
	case rank > 0 && noShape, noOut:
		return fault.New(fault.Value, op, "a pointer that is needed is NULL")
	}
	return nil
}

// BadTag is the error of an attribute whose tag is none.
func BadTag(name string, tag int32) error {
	return fault.New(fault.Value, "op_call", "attribute %.80q has tag %d, which is none", name, tag)
}

// Ints makes an attribute of numbers.
func Ints(list []int64) []int {
	out := make([]int, len(list))
	for i, x := range list {
		out[i] = int(x)
	}
	return out
}

// Signature returns one of the signatures of a function.
func Signature(h Handle, i uint64) (s lucid.Signature, err error) {
	list, err := Signatures(h)
	if err != nil {
		return s, err
	}
	if i >= uint64(len(list)) {
		return s, fault.New(fault.Index, "function_signature", "signature %d; there are %d", i, len(list))
	}
	return list[i], nil
}

// SpecOf returns what a signature says of an input or output.
func SpecOf(h Handle, signature uint64, output bool, i uint64) (t lucid.TensorSpec, err error) {
	s, err := Signature(h, signature)
	if err != nil {
		return t, err
	}
	list := s.Inputs
	if output {
		list = s.Outputs
	}
	if i >= uint64(len(list)) {
		return t, fault.New(fault.Index, "function_describe", "value %d; there are %d", i, len(list))
	}
	return list[i], nil
}
