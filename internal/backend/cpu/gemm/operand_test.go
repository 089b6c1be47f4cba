package gemm

import (
	"math"
	"math/rand/v2"
)

// storage names how the elements of a matrix are in memory.
type storage int

const (
	rowMajor storage = iota
	rowMajorPadded
	colMajor
	colMajorPadded
	strided
	storages
)

func (o storage) String() string {
	return [...]string{"rows", "rows+3", "cols", "cols+5", "strided"}[o]
}

func (o storage) strides(rows, cols int) (rs, cs int) {
	switch o {
	case rowMajor:
		return cols, 1
	case rowMajorPadded:
		return cols + 3, 1
	case colMajor:
		return 1, rows
	case colMajorPadded:
		return 1, rows + 5
	}
	return 2*cols + 1, 2
}

// operandOf is a matrix with strides inside a slice whose other elements are NaN: a
// kernel that reads outside the matrix poisons its result.
type operandOf[T Float | uint8 | int32 | uint32 | int64] struct {
	data   []T
	rs, cs int
}

// store lays out rows by cols values, given by rows.
func store[T Float | uint8 | int32 | uint32 | int64](values []T, o storage, rows, cols int) operandOf[T] {
	var x operandOf[T]
	x.rs, x.cs = o.strides(rows, cols)
	if rows == 0 || cols == 0 {
		return x
	}
	x.data = make([]T, (rows-1)*x.rs+(cols-1)*x.cs+1)
	poison := math.NaN()
	for i := range x.data {
		x.data[i] = T(poison) // some byte or other
	}
	for i := range rows {
		for j := range cols {
			x.data[i*x.rs+j*x.cs] = values[i*cols+j]
		}
	}
	return x
}

// random returns n values between -1 and 1.
func random[T Float](r *rand.Rand, n int) []T {
	x := make([]T, n)
	for i := range x {
		x[i] = T(r.Float64()*2 - 1)
	}
	return x
}

// product is a pair of factors with their product in float64.
type product[T Float] struct {
	m, n, k  int
	a, b     []T       // by rows
	old      []T       // what C holds before, for Accumulate
	sum, abs []float64 // Σ a·b and Σ |a·b|
}

func newProduct[T Float](m, n, k int) *product[T] {
	r := rand.New(rand.NewPCG(uint64(m*1000+n), uint64(k)))
	p := &product[T]{m: m, n: n, k: k, a: random[T](r, m*k), b: random[T](r, k*n), old: random[T](r, m*n)}
	p.sums()
	return p
}

// sums computes the product in float64.
func (p *product[T]) sums() {
	m, n, k := p.m, p.n, p.k
	p.sum, p.abs = make([]float64, m*n), make([]float64, m*n)
	for i := range m {
		sum, size := p.sum[i*n:][:n], p.abs[i*n:][:n]
		for q := range k {
			x := float64(p.a[i*k+q])
			for j, y := range p.b[q*n:][:n] {
				sum[j] += x * float64(y)
				size[j] += math.Abs(x * float64(y))
			}
		}
	}
}
