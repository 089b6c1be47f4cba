package lucid

import (
	"slices"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/exec"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/scope"
)

// ElementSize returns the size of one element in bytes.
func (t *Tensor) ElementSize() int { return t.DType().Size() }

// IsFloatingPoint reports whether the elements are of a floating dtype; complex numbers are not.
func (t *Tensor) IsFloatingPoint() bool { return t.DType().IsFloat() }

// IsComplex reports whether the elements are complex numbers.
func (t *Tensor) IsComplex() bool { return t.DType().IsComplex() }

// IsSigned reports whether the elements can be negative.
func (t *Tensor) IsSigned() bool { return t.DType().IsSigned() }

// Stride returns how many elements are between neighbours along each dimension. How a value is laid out is known once it is
// computed, so the tensor is evaluated; inside a traced function it is refused.
func (t *Tensor) Stride() []int { return slices.Clone(t.layout("stride").Strides()) }

// IsContiguous reports whether the elements are in row-major order without gaps; see Stride.
func (t *Tensor) IsContiguous() bool { return t.layout("is_contiguous").Contiguous() }

// layout evaluates the tensor and says where its elements are. They may be read no more: nothing holds them.
func (t *Tensor) layout(op string) backend.View {
	n := acquire(t)
	defer release(n)
	if tr := n.Trace(); tr != nil {
		fault.Throw(fault.Trace, op, "a value inside %s is not in memory yet: it is being traced", tr.Name)
	}
	if err := exec.Eval(scope.Current().Context(), n); err != nil {
		throw(op, err)
	}
	return n.View()
}

// IsNonzero reports whether the only element of the tensor is not 0. A tensor with none or several is an error, as it is for Item.
func (t *Tensor) IsNonzero() bool {
	if n := t.NumElement(); n != 1 {
		fault.Throw(fault.Shape, "is_nonzero", "the tensor has %d elements; want 1", n)
	}
	return t.Ne(0).Item() != 0
}

// CPU returns the tensor in host memory: itself if it is there.
func (t *Tensor) CPU() *Tensor { return t.To(CPU) }

// StorageOffset evaluates the tensor and returns where its first element is in the memory it shows, in elements.
func (t *Tensor) StorageOffset() int { return t.layout("storage_offset").Offset() }

// IsSameSize reports whether two tensors have the same shape.
func (t *Tensor) IsSameSize(other *Tensor) bool { return slices.Equal(t.Shape(), other.Shape()) }

// Where returns the tensor's elements where a condition holds, and those of other, a tensor or a number, elsewhere.
func (t *Tensor) Where(condition *Tensor, other any) *Tensor { return Where(condition, t, other) }

// Float returns the tensor as float32.
func (t *Tensor) Float() *Tensor { return t.To(Float32) }

// Double returns the tensor as float64.
func (t *Tensor) Double() *Tensor { return t.To(Float64) }

// Half returns the tensor as float16.
func (t *Tensor) Half() *Tensor { return t.To(Float16) }

// BFloat16 returns the tensor as bfloat16.
func (t *Tensor) BFloat16() *Tensor { return t.To(BFloat16) }

// Int returns the tensor as int32.
func (t *Tensor) Int() *Tensor { return t.To(Int32) }

// Long returns the tensor as int64.
func (t *Tensor) Long() *Tensor { return t.To(Int64) }

// Bool returns the tensor as bool: false for zeros.
func (t *Tensor) Bool() *Tensor { return t.To(Bool) }

// TypeAs returns the tensor in the dtype of another, on the device where it is.
func (t *Tensor) TypeAs(other *Tensor) *Tensor { return t.To(other.DType()) }
