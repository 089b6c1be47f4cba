package lucid

import (
	"context"
	"iter"
	"math"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/exec"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
	"github.com/lucid-go/lucid/internal/par"
	"github.com/lucid-go/lucid/internal/scope"
)

// Tensor is a handle on an n-dimensional value. Operations record what is to be computed; reading a value, with
// Item, ToSlice, String or Eval, computes it. A value never changes: Assign, SetAt, AddAt and the forms that end in
// an underscore make the handle show another one.
//
// Tensors are safe for concurrent use; ops in place on one tensor at the same time are not atomic (docs/concurrency.md).
type Tensor graph.Array

// DType is an element type. The zero value means "not given". Its methods: String, Size (bytes of an element), IsFloat,
// IsInteger, IsSigned, IsComplex, IsHalf, IsInexact (floating or complex), Real and Complex (the dtype of a complex
// number's parts, and the other way), Valid.
type DType = dtype.DType

// The element types.
const (
	Bool       = dtype.Bool
	Uint8      = dtype.Uint8
	Uint16     = dtype.Uint16
	Uint32     = dtype.Uint32
	Uint64     = dtype.Uint64
	Int8       = dtype.Int8
	Int16      = dtype.Int16
	Int32      = dtype.Int32
	Int64      = dtype.Int64
	Float16    = dtype.Float16
	BFloat16   = dtype.BFloat16
	Float32    = dtype.Float32
	Float64    = dtype.Float64
	Complex64  = dtype.Complex64
	Complex128 = dtype.Complex128
)

func (t *Tensor) array() *graph.Array { return (*graph.Array)(t) }

// Shape returns the sizes of the dimensions.
func (t *Tensor) Shape() []int { return t.array().Peek().Shape().Clone() }

// Dim returns the number of dimensions.
func (t *Tensor) Dim() int { return t.array().Peek().Rank() }

// Size returns the size of one dimension; negative counts from the end.
func (t *Tensor) Size(dim int) int {
	n := t.array().Peek()
	if dim < -n.Rank() || dim >= n.Rank() {
		fault.Throw(fault.Index, "size", "dim %d is out of range for rank %d", dim, n.Rank())
	}
	return n.Dim(dim)
}

// NumElement returns the number of elements. For a mask read, whose size depends on values, it evaluates the mask.
func (t *Tensor) NumElement() int { return t.array().Peek().Shape().Numel() }

// DType returns the element type.
func (t *Tensor) DType() DType { return t.array().Peek().DType() }

// Device returns where the value is or will be computed.
func (t *Tensor) Device() Device { return deviceOf(t.array().Peek()) }

// NBytes returns the size of the value in bytes.
func (t *Tensor) NBytes() int { return t.array().Peek().Bytes() }

// Eval computes the tensors and waits for them. Several at once share one plan.
func Eval(tensors ...*Tensor) error { return EvalContext(scope.Current().Context(), tensors...) }

// EvalContext is Eval that stops when the context is done; what was not computed stays pending.
func EvalContext(ctx context.Context, tensors ...*Tensor) error {
	if ctx == nil {
		return fault.New(fault.Value, "eval", "the context is nil; want context.Background() or another")
	}
	ns := acquireAll(tensors)
	defer releaseAll(ns)
	return exec.Eval(ctx, ns...)
}

// EvalAsync starts computing the tensors and returns; a reader waits for its value.
func EvalAsync(tensors ...*Tensor) error {
	ns := acquireAll(tensors)
	defer releaseAll(ns)
	return exec.EvalAsync(scope.Current().Context(), ns...)
}

// Eval computes the tensor and waits for it; it returns the tensor. A failure is a panic with *Error.
func (t *Tensor) Eval() *Tensor {
	if err := Eval(t); err != nil {
		throw("eval", err)
	}
	return t
}

// throw panics with *Error, whatever kind of error came.
func throw(op string, err error) { fault.Rethrow(op, err) }

// read evaluates the tensor and returns its elements in row-major order. They stay until done is called, whatever
// others do with the handle meanwhile.
func (t *Tensor) read(op string) (v backend.View, done func()) {
	n := acquire(t)
	good := false
	defer func() {
		if !good {
			release(n)
		}
	}()
	if tr := n.Trace(); tr != nil {
		n.MustLive()
		fault.Throw(fault.Trace, op,
			"a value inside %s has no numbers yet: it is being traced; return it and read it outside, or use lucid.Print", tr.Name)
	}
	v, err := exec.HostView(scope.Current().Context(), n)
	if err == nil && !v.Contiguous() {
		c := ops.Contiguous(n)
		c.Ref()
		release(n)
		n = c
		v, err = exec.HostView(scope.Current().Context(), n)
	}
	if err != nil {
		throw(op, err)
	}
	good = true
	return v, func() { release(n) }
}

// scalar reads the one element of a tensor.
func (t *Tensor) scalar(op string) dtype.Scalar {
	v, done := t.read(op)
	defer done()
	if v.Numel() != 1 {
		fault.Throw(fault.Shape, op, "the tensor has shape %v; only one element can be an item", v.Shape)
	}
	return v.DType.Get(v.Bytes(), 0)
}

// Item returns the one element of a tensor as float64; true is 1. Complex numbers, and integers that float64 does
// not hold exactly, are refused: see ItemAs.
func (t *Tensor) Item() float64 {
	s := t.scalar("item")
	switch s.Kind {
	case dtype.KindComplex:
		fault.Throw(fault.DType, "item", "a complex number is no float64; use ItemAs[complex128]")
	case dtype.KindInt:
		if int64(float64(s.I)) != s.I || s.I == math.MaxInt64 {
			fault.Throw(fault.Value, "item", "float64 does not hold %d exactly; use ItemAs[int64]", s.I)
		}
	case dtype.KindUint:
		if f := float64(uint64(s.I)); f >= 1<<64 || uint64(f) != uint64(s.I) {
			fault.Throw(fault.Value, "item", "float64 does not hold %d exactly; use ItemAs[uint64]", uint64(s.I))
		}
	}
	return s.Float()
}

// Element lists the Go types elements come out as.
type Element interface {
	bool | uint8 | uint16 | uint32 | uint64 | int8 | int16 | int32 | int64 | int | float32 | float64 | complex64 | complex128
}

// ItemAs returns the one element of a tensor as T, converting as Cast does.
func ItemAs[T Element](t *Tensor) T { return convert[T](t.scalar("item")) }

func convert[T Element](s dtype.Scalar) T {
	var z T
	switch p := any(&z).(type) {
	case *int:
		*p = int(s.Int())
	default:
		d := dtype.Of[T]()
		var buf [2]uint64 // aligned for every element
		b := dtype.Bytes(buf[:])
		d.Put(b, 0, s)
		z = dtype.Slice[T](b[:d.Size()])[0]
	}
	return z
}

// ToSlice returns the elements in row-major order as a fresh slice, converting as Cast does.
func ToSlice[T Element](t *Tensor) []T {
	v, done := t.read("to_slice")
	defer done()
	out := make([]T, v.Numel())
	d := dtype.Of[T]()
	b := v.Bytes()
	var z T
	if _, isInt := any(z).(int); d == v.DType && !isInt {
		par.Copy(dtype.Bytes(out), b)
		return out
	}
	for i := range out {
		out[i] = convert[T](v.DType.Get(b, i))
	}
	return out
}

// Values iterates over the elements in row-major order.
func Values[T Element](t *Tensor) iter.Seq[T] {
	return func(yield func(T) bool) {
		v, done := t.read("values")
		defer done()
		b := v.Bytes()
		for i := range v.Numel() {
			if !yield(convert[T](v.DType.Get(b, i))) {
				return
			}
		}
	}
}

// To returns the tensor with another dtype, on another device, or both: each argument is a DType, a Device, or a
// *Tensor to be like.
func (t *Tensor) To(targets ...any) *Tensor {
	n := acquire(t)
	r := n
	for _, to := range targets {
		switch to := to.(type) {
		case DType:
			r = ops.Cast(r, to)
		case Device:
			r = toDevice(r, to)
		case *Tensor:
			m := acquire(to)
			r = toDevice(ops.Cast(r, m.DType()), deviceOf(m))
			release(m)
		default:
			fault.Throw(fault.Value, "to", "a %T says neither dtype nor device; want a DType, a Device or a *Tensor", to)
		}
	}
	if r == n {
		release(n)
		return t
	}
	release(n)
	return wrap(r)
}

// Flatten joins dimensions into one: all of them, those from dims[0] on, or those from dims[0] to dims[1], both
// included. A 0-d tensor becomes one of size 1.
func (t *Tensor) Flatten(dims ...int) *Tensor {
	start, end := 0, -1
	switch len(dims) {
	case 2:
		start, end = dims[0], dims[1]
	case 1:
		start = dims[0]
	case 0:
	default:
		fault.Throw(fault.Value, "flatten", "%d dimensions %v; want none, a first, or a first and a last", len(dims), dims)
	}
	return Flatten(t, start, end)
}

// Clone returns a tensor of its own with the same value; gradients pass.
func (t *Tensor) Clone() *Tensor {
	n := acquire(t)
	r := wrap(ops.Alias(n))
	release(n)
	return r
}

// Assign makes the handle show value, cast to its dtype and broadcast to its shape.
func (t *Tensor) Assign(value any) *Tensor {
	old, v := t.array().Peek(), acquireAny(value)
	n := ops.AssignValue(old, v)
	assign("assign", t.array(), n)
	releaseAny(v)
	return t
}

// Zero_ makes every element 0.
func (t *Tensor) Zero_() *Tensor { return t.Fill_(0) }

// Copy_ makes the handle show src, cast to its dtype and broadcast to its shape. A view it refuses, as other in-place forms do.
func (t *Tensor) Copy_(src *Tensor) *Tensor {
	n := acquire(src)
	defer release(n)
	return t.rebind("copy", ops.AssignValue(t.array().Peek(), n))
}

// Free gives the value up at once; later use of the tensor is a typed error.
func (t *Tensor) Free() { t.array().Free() }
