package attr

// Var is a variance over dimensions: the squares are divided by their number less Correction.
type Var struct {
	Axes       Ints
	Keep       bool
	Correction float64
}

// Norm is a vector norm over dimensions; P may be infinite.
type Norm struct {
	Axes Ints
	Keep bool
	P    float64
}

// TopK asks for the first K elements in order along one dimension.
type TopK struct {
	Axis, K  int
	Smallest bool
}

// Search finds indices in an ordered sequence: before equal elements, or behind them.
type Search struct{ Right bool }
