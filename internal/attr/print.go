package attr

import "github.com/lucid-go/lucid/internal/dtype"

// Shown is a value to be printed.
type Shown struct {
	DType dtype.DType
	Dims  []int
	Get   func(i int) dtype.Scalar
}

// Print hands a value to a function when it is computed.
type Print struct{ Show func(Shown) }
