package utils

import (
	"slices"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/linalg"
	"github.com/lucid-go/lucid/nn"
)

// OrthogonalOptions say how a tensor is made orthogonal; the zero value is PyTorch's default.
type OrthogonalOptions struct {
	Name string // of the tensor; "" means weight
	// OrthogonalMap is how any matrix becomes orthogonal: "matrix_exp", "cayley" or "householder"; "" is matrix_exp for
	// square matrices and householder, the cheapest, for others.
	OrthogonalMap string
	// NoTrivialization computes the tensor from its original alone. Otherwise a fixed orthogonal matrix, the buffer base,
	// is multiplied in, so that the tensor can be given any orthogonal value and training starts near it.
	NoTrivialization bool
}

// orthogonal makes matrices, the last two dimensions of its original, orthogonal.
type orthogonal struct {
	nn.Base
	Center *lucid.Tensor `nn:"base,buffer"` // nil without trivialization
	way    string
}

// Forward returns matrices with orthogonal columns, or rows if there are fewer.
func (o *orthogonal) Forward(originals ...*lucid.Tensor) *lucid.Tensor {
	x := originals[0]
	wide := x.Size(-2) < x.Size(-1)
	if wide {
		x = x.Transpose(-2, -1)
	}
	n, k := x.Size(-2), x.Size(-1)
	var q *lucid.Tensor
	if o.way == "householder" {
		vectors := lucid.Tril(x, lucid.TriOptions{Diagonal: -1}) // below the 1 with which each begins
		tau := vectors.Square().Sum(-2).Add(1).Reciprocal().Mul(2)
		q = linalg.HouseholderProduct(vectors, tau).Mul(diagonal(x).Detach().Trunc().Unsqueeze(-2))
	} else {
		x = lucid.Tril(x)
		if n != k { // the first columns of a square one
			shape := slices.Clone(x.Shape())
			shape[len(shape)-1] = n - k
			x = lucid.Cat([]*lucid.Tensor{x, x.Detach().NewZeros(shape...)}, -1)
		}
		skew := x.Sub(x.Transpose(-2, -1))
		if o.way == "cayley" {
			half, eye := skew.Mul(0.5), identity(skew)
			q = linalg.Solve(eye.Sub(half), eye.Add(half))
		} else {
			q = linalg.MatrixExp(skew)
		}
		q = q.Narrow(-1, 0, k)
	}
	if o.Center != nil {
		q = o.Center.Detach().MatMul(q)
	}
	if wide {
		q = q.Transpose(-2, -1)
	}
	return q
}

// invertible is an orthogonal whose tensor can be assigned to.
type invertible struct{ orthogonal }

// RightInverse makes a value orthogonal, if it is not, and returns what gives it.
func (o *invertible) RightInverse(value *lucid.Tensor) []*lucid.Tensor {
	v := value.Detach()
	wide := v.Size(-2) < v.Size(-1)
	if wide {
		v = v.Transpose(-2, -1)
	}
	n, k := v.Size(-2), v.Size(-1)
	if o.Center == nil { // householder
		vectors, tau := linalg.Geqrf(v)
		// Where tau is 0, Geqrf did not reflect; Forward always does.
		signs := lucid.Where(lucid.LogicalXor(diagonal(vectors).Lt(0), tau.Eq(0)), -1.0, 1.0).To(v.DType())
		r := lucid.Tril(vectors, lucid.TriOptions{Diagonal: -1}).Add(lucid.Cat([]*lucid.Tensor{lucid.DiagEmbed(signs),
			v.NewZeros(append(slices.Clone(v.Shape()[:v.Dim()-2]), n-k, k)...)}, -2))
		if wide {
			r = r.Transpose(-2, -1)
		}
		return []*lucid.Tensor{r}
	}
	if n > k { // columns that complete it
		shape := slices.Clone(v.Shape())
		shape[len(shape)-1] = n - k
		v = lucid.Cat([]*lucid.Tensor{v, lucid.With{DType: v.DType(), Device: v.Device()}.Randn(shape...)}, -1)
	}
	if n > k || !isOrthogonal(v) {
		q, r := linalg.QR(v)
		v = q.Mul(lucid.Where(diagonal(r).Lt(0), -1.0, 1.0).To(v.DType()).Unsqueeze(-2)) // with a positive diagonal of r
	}
	o.Center.Assign(v)
	// Minus one on the diagonal: of no effect but for householder, where it makes the reflections the identity.
	return []*lucid.Tensor{value.Detach().Mul(0).Sub(lucid.With{DType: value.DType(),
		Device: value.Device()}.Eye(value.Size(-2), value.Size(-1)))}
}

// identity returns the identity like the square matrices x.
func identity(x *lucid.Tensor) *lucid.Tensor {
	return lucid.With{DType: x.DType(), Device: x.Device()}.Eye(x.Size(-1))
}

// diagonal returns the diagonals of matrices.
func diagonal(x *lucid.Tensor) *lucid.Tensor {
	return lucid.Diagonal(x, lucid.DiagonalOptions{Dim1: new(-2), Dim2: new(-1)})
}

// isOrthogonal reports whether the columns of a square matrix are orthogonal and of length 1, to rounding.
func isOrthogonal(q *lucid.Tensor) bool {
	gap := q.Transpose(-2, -1).MatMul(q).Sub(identity(q)).Abs().Max().Item()
	eps := 0x1p-23
	if q.DType() == lucid.Float64 {
		eps = 0x1p-52
	}
	return gap < 10*float64(q.Size(-1))*eps
}

// Orthogonal makes m compute a tensor as an orthogonal matrix, or a batch of them in its last two dimensions: of
// orthogonal columns, or rows if there are fewer (Lezcano-Casado). The tensor is made orthogonal at once, but for
// matrix_exp and cayley without trivialization, which start from the tensor as their original. The state has
// parametrizations.<name>.original and, with trivialization, .0.base.
func Orthogonal(m nn.Module, opts ...OrthogonalOptions) {
	const op = "orthogonal"
	o := door.Option(op, opts)
	name := tensorName(o.Name)
	t := named(op, m, name)
	if t.Dim() < 2 || t.NumElement() == 0 {
		refuse(lucid.ErrShapeMismatch, op, "%s has shape %v; want a matrix, or a batch of them", name, t.Shape())
	}
	if !slices.Contains([]lucid.DType{lucid.Float32, lucid.Float64}, t.DType()) {
		refuse(lucid.ErrDType, op, "%s is %v; want float32 or float64", name, t.DType())
	}
	if o.OrthogonalMap == "" {
		o.OrthogonalMap = "householder"
		if t.Size(-2) == t.Size(-1) {
			o.OrthogonalMap = "matrix_exp"
		}
	}
	if !slices.Contains([]string{"matrix_exp", "cayley", "householder"}, o.OrthogonalMap) {
		refuse(lucid.ErrValue, op, `OrthogonalMap is %q; want "matrix_exp", "cayley" or "householder"`, o.OrthogonalMap)
	}
	var base *lucid.Tensor
	if !o.NoTrivialization {
		n := max(t.Size(-2), t.Size(-1))
		shape := append(slices.Clone(t.Shape()[:t.Dim()-2]), n, n)
		base = lucid.With{DType: t.DType(), Device: t.Device()}.Zeros(shape...)
	}
	if o.NoTrivialization && o.OrthogonalMap != "householder" {
		nn.RegisterParametrization(m, name, &orthogonal{way: o.OrthogonalMap})
		return
	}
	p := &invertible{}
	p.way, p.Center = o.OrthogonalMap, base
	nn.RegisterParametrization(m, name, p)
}
