package nninit

import (
	"math"

	"github.com/lucid-go/lucid"
)

// Orthogonal_ makes the rows of t, all dimensions behind the first flattened, or its columns if there are fewer,
// orthogonal to each other and of the length of the gain (Saxe et al.).
func Orthogonal_(t *lucid.Tensor, opts ...GainOptions) *lucid.Tensor {
	if t.Dim() < 2 {
		refuse(lucid.ErrShapeMismatch, "orthogonal", "a tensor of shape %v; want at least 2 dimensions", t.Shape())
	}
	if t.NumElement() == 0 {
		return t
	}
	rows := t.Size(0)
	cols := t.NumElement() / rows
	n, k := max(rows, cols), min(rows, cols) // k vectors of n numbers
	q := lucid.ToSlice[float64](lucid.With{DType: lucid.Float64}.Randn(k, n))
	for i := range k {
		v := q[i*n : (i+1)*n]
		for range 2 { // twice is enough
			for j := range i {
				u := q[j*n : (j+1)*n]
				axpy(v, u, -dot(u, v))
			}
		}
		scale := 1 / math.Sqrt(dot(v, v))
		for c := range v {
			v[c] *= scale
		}
	}
	g := gain("orthogonal", opts)
	out := make([]float64, rows*cols)
	for i := range k {
		for c := range n {
			if rows <= cols {
				out[i*cols+c] = g * q[i*n+c]
			} else {
				out[c*cols+i] = g * q[i*n+c]
			}
		}
	}
	return without(t, func() { t.Assign(lucid.New(out, t.Shape()...)) })
}

func dot(x, y []float64) (s float64) {
	for i := range x {
		s += x[i] * y[i]
	}
	return s
}

func axpy(y, x []float64, a float64) {
	for i := range y {
		y[i] += a * x[i]
	}
}

// Sparse_ fills a matrix with numbers of the normal distribution, and a share of each column with 0.
func Sparse_(t *lucid.Tensor, sparsity, std float64) *lucid.Tensor {
	if t.Dim() != 2 {
		refuse(lucid.ErrShapeMismatch, "sparse", "the tensor has shape %v; want a matrix", t.Shape())
	}
	if !(sparsity >= 0 && sparsity <= 1) {
		refuse(lucid.ErrValue, "sparse", "a share of %v; want a number from 0 to 1", sparsity)
	}
	rows, cols := t.Size(0), t.Size(1)
	zeros := int(math.Ceil(sparsity * float64(rows)))
	data := lucid.ToSlice[float64](lucid.With{DType: lucid.Float64}.Normal(0.0, std, rows, cols))
	for c := range cols {
		for _, r := range lucid.ToSlice[int](lucid.RandPerm(rows))[:zeros] {
			data[r*cols+c] = 0
		}
	}
	return without(t, func() { t.Assign(lucid.New(data, rows, cols)) })
}
