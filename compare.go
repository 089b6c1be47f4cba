package lucid

import "github.com/lucid-go/lucid/internal/ops"

// AllClose reports whether all elements of x and other are close to each other: |x - other| ≤ atol + rtol·|other|, with
// rtol 1e-5 and atol 1e-8 unless told otherwise. Shapes broadcast. It evaluates both.
func AllClose(x, other *Tensor, o ...CloseOptions) bool {
	a, b := acquire(x), acquire(other)
	r := wrap(ops.Allclose(a, b, option("allclose", o).op()))
	release(a)
	release(b)
	return ItemAs[bool](r)
}

// Equal reports whether x and other have one shape and equal elements; NaN equals nothing. It evaluates both. Eq
// compares element by element.
func Equal(x, other *Tensor) bool {
	a, b := acquire(x), acquire(other)
	r := wrap(ops.Equal(a, b))
	release(a)
	release(b)
	return ItemAs[bool](r)
}
