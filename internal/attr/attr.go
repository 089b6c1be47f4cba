package attr

import "github.com/lucid-go/lucid/internal/dtype"

// TupleItem selects an output of an op with several.
type TupleItem struct{ Index int }

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

// Scan runs along one dimension.
type Scan struct {
	Axis    int
	Reverse bool
}

// Reduction says how values that are written to the same index are combined.
type Reduction uint8

// The reductions.
const (
	ReduceSet Reduction = iota
	ReduceAdd
	ReduceMul
	ReduceMax
	ReduceMin
)

// Scatter writes along one dimension.
type Scatter struct {
	Axis   int
	Reduce Reduction
}

// Sort orders along one dimension.
type Sort struct {
	Axis       int
	Descending bool
}

// Bits asks for random words.
type Bits struct {
	Width int // bytes of a word: 1, 2, 4 or 8
	Dims  Ints
}

// Arange is an arithmetic sequence.
type Arange struct {
	Start, Step dtype.Scalar
	N           int
	DType       dtype.DType
}

// Bound is the size an index must stay below. A negative one counts from the end, or is refused if Strict; Op is whom a refusal
// names.
type Bound struct {
	Size   int
	Strict bool
	Op     string
}

// Order is the order of a derivative or of a function of a family.
type Order struct{ N int }

// Family is a family of orthogonal polynomials.
type Family uint8

// The families.
const (
	ChebyshevT Family = iota
	ChebyshevU
	ChebyshevV
	ChebyshevW
	ShiftedChebyshevT
	ShiftedChebyshevU
	ShiftedChebyshevV
	ShiftedChebyshevW
	HermiteH
	HermiteHe
	Laguerre
	Legendre
)

// Polynomial asks for a derivative of the polynomials of a family.
type Polynomial struct {
	Family     Family
	Derivative int
}
