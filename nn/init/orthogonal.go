package nninit

import (
	"math"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/linalg"
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
	normal := lucid.With{DType: lucid.Float64}.Randn(min(rows, cols), max(rows, cols))
	q, r := linalg.QR(normal.T())
	// With a positive diagonal of r the distribution is uniform.
	q = q.Mul(lucid.Where(r.Diagonal(0).Lt(0), -1.0, 1.0)).Mul(gain("orthogonal", opts))
	if rows <= cols {
		q = q.T()
	}
	return without(t, func() { t.Assign(q.Reshape(t.Shape()...)) })
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
