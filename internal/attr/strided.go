package attr

import "github.com/lucid-go/lucid/internal/dtype"

// Strided shows elements by strides from an offset, all counted in elements.
type Strided struct {
	Dims, Strides Ints
	Offset        int
}

// Unfold shows windows along one dimension.
type Unfold struct{ Axis, Size, Step int }

// Bitcast shows bits as another type.
type Bitcast struct{ From, To dtype.DType }

// Diagonal shows a diagonal of two dimensions.
type Diagonal struct{ Offset, Dim1, Dim2 int }

// Split cuts one dimension into parts.
type Split struct {
	Axis  int
	Sizes Ints
}
