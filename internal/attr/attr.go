package attr

import "github.com/lucid-go/lucid/internal/dtype"

// Item selects an output of an op with several.
type Item struct{ Index int }

// Const is the value of an immediate.
type Const struct {
	DType dtype.DType
	Value dtype.Scalar
}

// Cast is the target of a conversion.
type Cast struct{ To dtype.DType }

// Axis is one dimension.
type Axis struct{ Axis int }

// Axes is a set of dimensions, sorted, and whether they stay with size 1.
type Axes struct {
	Axes Ints
	Keep bool
}

// Shape is a target shape.
type Shape struct{ Dims Ints }

// Perm is an order of dimensions.
type Perm struct{ Order Ints }

// Slice takes Start, Start+Step, … Size elements along each dimension.
type Slice struct{ Start, Size, Step Ints }
