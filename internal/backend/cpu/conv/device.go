package conv

import (
	"slices"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/gemm"
	"github.com/lucid-go/lucid/internal/shape"
)

// Device is what convolutions use of the other kernels of the CPU device.
type Device struct {
	// Copy copies elements of a size from one layout of a shape to another.
	Copy func(c *backend.Ctx, s *shape.Shape, size int, dst, src Strided) error
	// Compact copies the elements of a view once each, in the order of their memory.
	Compact func(c *backend.Ctx, v backend.View) (Compact, error)
	// Widened is Compact for a half type, converted to float32.
	Widened func(c *backend.Ctx, v backend.View) (Compact, error)
	// BF16 is a product of bfloat16 matrices, rounded once.
	BF16 Product[uint16, uint16]
	// BF16Sums is BF16 without rounding.
	BF16Sums Product[uint16, float32]
	// Batched32 and its like are products matrix by matrix: z[i] = a[i]·b[i].
	Batched32       Batched[float32, float32]
	Batched64       Batched[float64, float64]
	BatchedBF16     Batched[uint16, uint16]
	BatchedBF16Sums Batched[uint16, float32]
	// AnyWinograd is for tests: Winograd's way is taken for small outputs too, where it does not pay.
	AnyWinograd bool
}

// Epilogue is called for every finished part of the output, while it is in the cache: rows by cols elements from (row, col) on of
// the output seen as a matrix with a row for each channel of each image. The parts cover the output, each element once.
type Epilogue = func(row, col, rows, cols int)

// Strided is an operand of a copy: the address of its first element and its strides.
type Strided struct {
	Base    unsafe.Pointer
	Strides []int
}

func stridedOf(v backend.View) Strided {
	return Strided{unsafe.Add(v.Base(), v.Offset()*v.DType.Size()), v.Strides()}
}

// Compact is a copy of a view: n elements, with the strides of the view's dimensions in it.
type Compact struct {
	Base    unsafe.Pointer
	N       int
	Strides []int
	Free    func()
}

// Product computes c = a·b for matrices with strides and calls ep, which may be nil, for finished parts.
type Product[T, Z number] = func(m, n, k int, a []T, ars, acs int, b []T, brs, bcs int, c []Z, crs int,
	ep func(c []Z, crs, row, col, rows, cols int), run gemm.Runner)

// Batched multiplies the matrices of two batches of the same number of them; then may be nil.
type Batched[T, Z number] = func(c *backend.Ctx, z []Z, a, b *Batch[T], then Epilogue) error

// Batch is matrices with strides: Lead sizes of the batch, Step the strides of these.
type Batch[T number] struct {
	X          []T
	Rows, Cols int
	RS, CS     int
	Lead, Step []int
}

// at returns matrix i of a batch of images by groups.
func (b *Batch[T]) at(i int) []T {
	if len(b.X) == 0 {
		return nil
	}
	groups := b.Lead[1]
	return b.X[i/groups*b.Step[0]+i%groups*b.Step[1]:]
}

// flat is a view as a slice with non-negative strides.
type flat[T any] struct {
	x       []T
	strides []int
	free    func()
}

func (f *flat[T]) done() {
	if f.free != nil {
		f.free()
	}
}

// flatOf shows a view in a slice from its first element on. A view with a negative stride is copied first.
func flatOf[T any](d *Device, c *backend.Ctx, v backend.View) (flat[T], error) {
	switch {
	case v.Numel() == 0:
		return flat[T]{strides: v.Strides()}, nil
	case !slices.ContainsFunc(v.Strides(), func(s int) bool { return s < 0 }):
		return flat[T]{x: backend.Whole[T](v), strides: v.Strides()}, nil
	}
	return compactOf[T](d.Compact(c, v))
}

func compactOf[T any](x Compact, err error) (flat[T], error) {
	return flat[T]{unsafe.Slice((*T)(x.Base), x.N), x.Strides, x.Free}, err
}

// number is an element type a job computes with: uint16 is bfloat16, given as bits.
type number interface {
	float32 | float64 | uint16
}

// ceil is a / b rounded up.
func ceil(a, b int) int { return (a + b - 1) / b }

const (
	blockElems  = 64 << 10 // elements of a block of cheap work
	productWork = 2 << 20  // multiply-adds from which one product is cut into blocks
)

// Kernel is the kernel of a convolution.
func (d *Device) Kernel(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	return d.Run(c, a.(attr.Conv), out[0], in, nil)
}
