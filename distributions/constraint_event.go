package distributions

import (
	"fmt"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/linalg"
)

// event is a constraint on vectors or matrices without parameters.
type event struct {
	text     string
	dims     int
	discrete bool
	check    func(x *lucid.Tensor) *lucid.Tensor
}

func (c *event) String() string                      { return c.text }
func (c *event) EventDim() int                       { return c.dims }
func (c *event) IsDiscrete() bool                    { return c.discrete }
func (c *event) Check(x *lucid.Tensor) *lucid.Tensor { return c.check(x) }

// Constraints on vectors and matrices.
var (
	// RealVector is vectors without NaN.
	RealVector = IndependentConstraint(Real, 1)
	// Simplex is vectors of non-negative numbers that sum to 1.
	Simplex Constraint = &event{text: "non-negative numbers that sum to 1", dims: 1, check: func(x *lucid.Tensor) *lucid.Tensor {
		return lucid.LogicalAnd(lucid.Ge(x, 0.0).All(-1), lucid.Lt(x.Sum(-1).Sub(1.0).Abs(), 1e-6))
	}}
	// OneHot is vectors of one 1 among zeros.
	OneHot Constraint = &event{text: "one 1 among zeros", dims: 1, discrete: true, check: func(x *lucid.Tensor) *lucid.Tensor {
		return lucid.LogicalAnd(Boolean.Check(x).All(-1), lucid.Eq(x.Sum(-1), 1))
	}}
	// LowerTriangular is square matrices with zeros above the diagonal.
	LowerTriangular Constraint = &event{text: "a lower triangular matrix", dims: 2, check: isLower}
	// LowerCholesky is lower triangular matrices with a positive diagonal.
	LowerCholesky Constraint = &event{text: "a lower triangular matrix with a positive diagonal", dims: 2, check: isCholesky}
	// CorrCholesky is lower triangular matrices with a positive diagonal and rows of norm 1.
	CorrCholesky Constraint = &event{text: "a Cholesky factor of a correlation matrix: lower triangular, diagonal positive, rows of norm 1",
		dims: 2, check: func(x *lucid.Tensor) *lucid.Tensor {
			tolerance := lucid.FInfo(x.DType()).Eps * float64(x.Size(-1)) * 10
			norms := x.Square().Sum(-1).Sqrt()
			return lucid.LogicalAnd(isCholesky(x), lucid.Lt(norms.Sub(1.0).Abs(), tolerance).All(-1))
		}}
	// Square is square matrices.
	Square Constraint = &event{text: "a square matrix", dims: 2, check: func(x *lucid.Tensor) *lucid.Tensor {
		return lucid.With{DType: lucid.Bool}.Full(batchOf(x, 2), isSquare(x))
	}}
	// Symmetric is matrices that are equal to their transpose up to rounding.
	Symmetric Constraint = &event{text: "a symmetric matrix", dims: 2, check: isSymmetric}
	// PositiveSemidefinite is symmetric matrices without negative eigenvalues.
	PositiveSemidefinite Constraint = &event{text: "a positive semidefinite matrix", dims: 2, check: func(x *lucid.Tensor) *lucid.Tensor {
		ok := isSymmetric(x)
		if !isSquare(x) {
			return ok
		}
		values := linalg.EigValsH(x)
		least := lucid.FInfo(x.DType()).Eps * float64(x.Size(-1))
		return lucid.LogicalAnd(ok, lucid.Ge(values.Min(-1), values.Abs().Max(-1).Mul(-least)))
	}}
	// PositiveDefinite is symmetric matrices with a Cholesky factor.
	PositiveDefinite Constraint = &event{text: "a positive definite matrix", dims: 2, check: func(x *lucid.Tensor) *lucid.Tensor {
		ok := isSymmetric(x)
		if !isSquare(x) {
			return ok
		}
		_, info := linalg.CholeskyEx(x)
		return lucid.LogicalAnd(ok, lucid.Eq(info, 0))
	}}
)

// batchOf is the shape without the last n dimensions.
func batchOf(x *lucid.Tensor, n int) []int {
	s := x.Shape()
	if len(s) < n {
		fault.Throw(fault.Shape, "distributions.Check", "a value of shape %v; want at least %d dimensions", s, n)
	}
	return s[:len(s)-n]
}

func isSquare(x *lucid.Tensor) bool { return x.Dim() >= 2 && x.Size(-1) == x.Size(-2) }

// diagonal is that of matrices in the last two dimensions.
func diagonal(x *lucid.Tensor) *lucid.Tensor {
	return lucid.Diagonal(x, lucid.DiagonalOptions{Dim1: new(-2), Dim2: new(-1)})
}

func isLower(x *lucid.Tensor) *lucid.Tensor {
	batchOf(x, 2)
	return lucid.Eq(x, x.Tril()).All(-1, -2)
}

func isCholesky(x *lucid.Tensor) *lucid.Tensor {
	return lucid.LogicalAnd(isLower(x), lucid.Gt(diagonal(x), 0.0).All(-1))
}

func isSymmetric(x *lucid.Tensor) *lucid.Tensor {
	if batch := batchOf(x, 2); !isSquare(x) {
		return lucid.With{DType: lucid.Bool}.Full(batch, false)
	}
	return lucid.IsClose(x, x.MT(), lucid.CloseOptions{ATol: new(1e-6)}).All(-1, -2)
}

// independent is a constraint whose last dimensions are one event.
type independent struct {
	base Constraint
	dims int
}

// IndependentConstraint joins the last n dimensions of values of a constraint to one event.
func IndependentConstraint(c Constraint, n int) Constraint {
	if n < 0 {
		fault.Throw(fault.Value, "distributions.IndependentConstraint", "n is %d; want 0 or more dimensions", n)
	}
	if n == 0 {
		return c
	}
	return &independent{c, n}
}

func (c *independent) String() string {
	return fmt.Sprintf("%s in each of the last %d dims", c.base, c.dims)
}
func (c *independent) EventDim() int    { return c.base.EventDim() + c.dims }
func (c *independent) IsDiscrete() bool { return c.base.IsDiscrete() }
func (c *independent) Check(x *lucid.Tensor) *lucid.Tensor {
	ok := c.base.Check(x)
	if ok.Dim() < c.dims {
		fault.Throw(fault.Shape, "distributions.Check", "a value of shape %v; want at least %d dimensions", x.Shape(), c.EventDim())
	}
	dims := make([]int, c.dims)
	for i := range dims {
		dims[i] = -1 - i
	}
	return ok.All(dims...)
}

// counts is the support of a multinomial distribution.
type counts struct{ total int }

// MultinomialConstraint is vectors of non-negative integers that sum to at most total.
func MultinomialConstraint(total int) Constraint { return &counts{total} }

func (c *counts) String() string {
	return fmt.Sprintf("non-negative integers that sum to at most %d", c.total)
}
func (c *counts) EventDim() int    { return 1 }
func (c *counts) IsDiscrete() bool { return true }
func (c *counts) Check(x *lucid.Tensor) *lucid.Tensor {
	return lucid.LogicalAnd(NonNegativeInteger.Check(x).All(-1), lucid.Le(x.Sum(-1), c.total))
}

// parts is constraints on parts of a value along one dimension.
type parts struct {
	list    []Constraint
	dim     int
	lengths []int // nil: one slice each, without the dimension
}

// CatConstraint constrains the parts of a value along a dimension; lengths are their sizes.
func CatConstraint(list []Constraint, dim int, lengths []int) Constraint {
	if len(list) == 0 || len(list) != len(lengths) {
		fault.Throw(fault.Value, "distributions.CatConstraint", "%d constraints and %d lengths; want one length each", len(list),
			len(lengths))
	}
	return &parts{list, dim, lengths}
}

// StackConstraint constrains the slices of a value along a dimension, one each.
func StackConstraint(list []Constraint, dim int) Constraint {
	if len(list) == 0 {
		fault.Throw(fault.Value, "distributions.StackConstraint", "no constraints; want at least one")
	}
	return &parts{list, dim, nil}
}

func (c *parts) String() string { return fmt.Sprintf("%v along dim %d", c.list, c.dim) }

func (c *parts) EventDim() int {
	n := 0
	for _, p := range c.list {
		n = max(n, p.EventDim())
	}
	if c.lengths == nil && c.dim+n < 0 {
		n++
	}
	return n
}

func (c *parts) IsDiscrete() bool {
	for _, p := range c.list {
		if p.IsDiscrete() {
			return true
		}
	}
	return false
}

func (c *parts) Check(x *lucid.Tensor) *lucid.Tensor {
	var oks []*lucid.Tensor
	if c.lengths == nil {
		if n := x.Size(c.dim); n != len(c.list) {
			fault.Throw(fault.Shape, "distributions.Check", "dim %d has size %d; want one slice for each of %d constraints", c.dim, n,
				len(c.list))
		}
		for i, p := range c.list {
			oks = append(oks, p.Check(x.Select(c.dim, i)))
		}
		return lucid.Stack(oks, c.dim)
	}
	at := 0
	for i, p := range c.list {
		oks = append(oks, p.Check(x.Narrow(c.dim, at, c.lengths[i])))
		at += c.lengths[i]
	}
	return lucid.Cat(oks, c.dim)
}
