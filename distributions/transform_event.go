package distributions

import (
	"fmt"
	"math"
	"slices"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
)

// refuseShape throws the error of a shape that a transform cannot take.
func refuseShape(t Transform, s []int, want string) {
	fault.Throw(fault.Shape, "distributions.Transform", "%v takes no shape %v; want %s", t, s, want)
}

// SoftmaxTransform maps vectors to the simplex. It is not bijective: Inverse gives logarithms.
type SoftmaxTransform struct{ elementwise }

// String names the transform.
func (SoftmaxTransform) String() string { return "Softmax" }

// Bijective is false.
func (SoftmaxTransform) Bijective() bool { return false }

// Sign is 0.
func (SoftmaxTransform) Sign() int { return 0 }

// Domain is vectors.
func (SoftmaxTransform) Domain() Constraint { return RealVector }

// Codomain is the simplex.
func (SoftmaxTransform) Codomain() Constraint { return Simplex }

// Forward is the softmax of the last dimension.
func (SoftmaxTransform) Forward(x *lucid.Tensor) *lucid.Tensor { return x.Softmax(-1) }

// Inverse is the logarithm.
func (SoftmaxTransform) Inverse(y *lucid.Tensor) *lucid.Tensor { return y.Log() }

// LogAbsDetJacobian is refused.
func (t SoftmaxTransform) LogAbsDetJacobian(_, _ *lucid.Tensor) *lucid.Tensor { return noJacobian(t) }

// StickBreakingTransform maps vectors of n numbers to points of the simplex with n+1: each number says what share of what is left to
// take.
type StickBreakingTransform struct{}

// String names the transform.
func (StickBreakingTransform) String() string { return "StickBreaking" }

// Bijective is true.
func (StickBreakingTransform) Bijective() bool { return true }

// Sign is 0.
func (StickBreakingTransform) Sign() int { return 0 }

// Domain is vectors.
func (StickBreakingTransform) Domain() Constraint { return RealVector }

// Codomain is the simplex.
func (StickBreakingTransform) Codomain() Constraint { return Simplex }

// offsets are the logarithms of how many parts are left, so that 0 maps to equal parts.
func (StickBreakingTransform) offsets(x *lucid.Tensor) *lucid.Tensor {
	n := x.Size(-1)
	left := make([]float64, n)
	for i := range left {
		left[i] = math.Log(float64(n - i))
	}
	return lucid.With{Device: x.Device()}.New(left, n).To(x.DType())
}

// Forward breaks the stick.
func (t StickBreakingTransform) Forward(x *lucid.Tensor) *lucid.Tensor {
	z := insideUnit(x.Sub(t.offsets(x)).Sigmoid())
	rest := lucid.CumProd(z.Neg().Add(1.0), -1)
	one := lucid.OnesLike(x.Narrow(-1, 0, 1))
	return lucid.Cat([]*lucid.Tensor{z, one}, -1).Mul(lucid.Cat([]*lucid.Tensor{one, rest}, -1))
}

// Inverse puts it together.
func (t StickBreakingTransform) Inverse(y *lucid.Tensor) *lucid.Tensor {
	cut := y.Narrow(-1, 0, y.Size(-1)-1)
	rest := lucid.CumSum(cut, -1).Neg().Add(1.0).ClampMin(lucid.FInfo(y.DType()).SmallestNormal)
	return cut.Log().Sub(rest.Log()).Add(t.offsets(cut))
}

// LogAbsDetJacobian sums over the vector.
func (t StickBreakingTransform) LogAbsDetJacobian(x, y *lucid.Tensor) *lucid.Tensor {
	z := x.Sub(t.offsets(x))
	return y.Narrow(-1, 0, y.Size(-1)-1).Log().Sub(z).Sub(softplus(z.Neg())).Sum(-1)
}

// ForwardShape has one more in its last dimension.
func (t StickBreakingTransform) ForwardShape(s []int) []int { return lastPlus(t, s, 1) }

// InverseShape has one less.
func (t StickBreakingTransform) InverseShape(s []int) []int { return lastPlus(t, s, -1) }

func lastPlus(t Transform, s []int, n int) []int {
	if len(s) == 0 || s[len(s)-1]+n < 0 {
		refuseShape(t, s, "a vector")
	}
	s = slices.Clone(s)
	s[len(s)-1] += n
	return s
}

// LowerCholeskyTransform maps square matrices to lower triangular ones with a positive diagonal.
type LowerCholeskyTransform struct{ elementwise }

// String names the transform.
func (LowerCholeskyTransform) String() string { return "LowerCholesky" }

// Sign is 0.
func (LowerCholeskyTransform) Sign() int { return 0 }

// Domain is matrices.
func (LowerCholeskyTransform) Domain() Constraint { return IndependentConstraint(Real, 2) }

// Codomain is Cholesky factors.
func (LowerCholeskyTransform) Codomain() Constraint { return LowerCholesky }

// Forward takes the exponential of the diagonal and drops what is above it.
func (LowerCholeskyTransform) Forward(x *lucid.Tensor) *lucid.Tensor {
	return lucid.Tril(x, lucid.TriOptions{Diagonal: -1}).Add(lucid.DiagEmbed(diagonal(x).Exp()))
}

// Inverse takes the logarithm of the diagonal.
func (LowerCholeskyTransform) Inverse(y *lucid.Tensor) *lucid.Tensor {
	return lucid.Tril(y, lucid.TriOptions{Diagonal: -1}).Add(lucid.DiagEmbed(diagonal(y).Log()))
}

// LogAbsDetJacobian is the sum of the diagonal of x, over the lower triangle.
func (LowerCholeskyTransform) LogAbsDetJacobian(x, _ *lucid.Tensor) *lucid.Tensor {
	return diagonal(x).Sum(-1)
}

// PositiveDefiniteTransform maps square matrices to positive definite ones: L·Lᵀ of LowerCholeskyTransform.
type PositiveDefiniteTransform struct{ LowerCholeskyTransform }

// String names the transform.
func (PositiveDefiniteTransform) String() string { return "PositiveDefinite" }

// Codomain is positive definite matrices.
func (PositiveDefiniteTransform) Codomain() Constraint { return PositiveDefinite }

// Forward is L·Lᵀ.
func (t PositiveDefiniteTransform) Forward(x *lucid.Tensor) *lucid.Tensor {
	l := t.LowerCholeskyTransform.Forward(x)
	return l.MatMul(l.MT())
}

// Inverse is that of the Cholesky factor.
func (t PositiveDefiniteTransform) Inverse(y *lucid.Tensor) *lucid.Tensor {
	return t.LowerCholeskyTransform.Inverse(cholesky(y))
}

// LogAbsDetJacobian is n·log 2 and (n-i+2) times the i-th diagonal element of x, i from 1, over the lower triangle.
func (PositiveDefiniteTransform) LogAbsDetJacobian(x, _ *lucid.Tensor) *lucid.Tensor {
	n := x.Size(-1)
	times := make([]float64, n)
	for i := range times {
		times[i] = float64(n - i + 1)
	}
	by := lucid.With{Device: x.Device()}.New(times, n).To(x.DType())
	return diagonal(x).Mul(by).Sum(-1).Add(float64(n) * math.Ln2)
}

// ReshapeTransform reshapes events. The number of elements stays.
type ReshapeTransform struct{ In, Out []int }

// NewReshapeTransform makes a transform between event shapes of equal numbers of elements.
func NewReshapeTransform(in, out []int) ReshapeTransform {
	if product(in) != product(out) {
		fault.Throw(fault.Shape, "distributions.NewReshapeTransform",
			"shapes %v and %v have different numbers of elements; want equal ones", in, out)
	}
	return ReshapeTransform{slices.Clone(in), slices.Clone(out)}
}

func product(s []int) int {
	n := 1
	for _, d := range s {
		n *= d
	}
	return n
}

// String names the transform.
func (t ReshapeTransform) String() string { return fmt.Sprintf("Reshape(%v, %v)", t.In, t.Out) }

// Domain is tensors of shape In.
func (t ReshapeTransform) Domain() Constraint { return IndependentConstraint(Real, len(t.In)) }

// Codomain is tensors of shape Out.
func (t ReshapeTransform) Codomain() Constraint { return IndependentConstraint(Real, len(t.Out)) }

// Bijective is true.
func (t ReshapeTransform) Bijective() bool { return true }

// Sign is 1.
func (t ReshapeTransform) Sign() int { return 1 }

// Forward reshapes to Out.
func (t ReshapeTransform) Forward(x *lucid.Tensor) *lucid.Tensor {
	return x.Reshape(t.ForwardShape(x.Shape())...)
}

// Inverse reshapes to In.
func (t ReshapeTransform) Inverse(y *lucid.Tensor) *lucid.Tensor {
	return y.Reshape(t.InverseShape(y.Shape())...)
}

// LogAbsDetJacobian is 0.
func (t ReshapeTransform) LogAbsDetJacobian(x, _ *lucid.Tensor) *lucid.Tensor {
	return full(x, batchOf(x, len(t.In)), 0)
}

// ForwardShape replaces In by Out.
func (t ReshapeTransform) ForwardShape(s []int) []int { return t.replace(s, t.In, t.Out) }

// InverseShape replaces Out by In.
func (t ReshapeTransform) InverseShape(s []int) []int { return t.replace(s, t.Out, t.In) }

func (t ReshapeTransform) replace(s, from, to []int) []int {
	cut := len(s) - len(from)
	if cut < 0 || !slices.Equal(s[cut:], from) {
		refuseShape(t, s, fmt.Sprintf("one that ends in %v", from))
	}
	return slices.Concat(s[:cut], to)
}

// CorrCholeskyTransform maps vectors of n(n-1)/2 numbers to Cholesky factors of n×n correlation matrices.
type CorrCholeskyTransform struct{}

// String names the transform.
func (CorrCholeskyTransform) String() string { return "CorrCholesky" }

// Domain is vectors.
func (CorrCholeskyTransform) Domain() Constraint { return RealVector }

// Codomain is Cholesky factors of correlation matrices.
func (CorrCholeskyTransform) Codomain() Constraint { return CorrCholesky }

// Bijective is true.
func (CorrCholeskyTransform) Bijective() bool { return true }

// Sign is 0.
func (CorrCholeskyTransform) Sign() int { return 0 }

// Forward takes tanh of the numbers as partial correlations.
func (t CorrCholeskyTransform) Forward(x *lucid.Tensor) *lucid.Tensor {
	edge := lucid.FInfo(x.DType()).Eps
	r := lowerMatrix(x.Tanh().Clamp(-1+edge, 1-edge), -1)
	left := lucid.CumProd(r.Square().Neg().Add(1.0).Sqrt(), -1)
	n := r.Size(-1)
	one := lucid.OnesLike(left.Narrow(-1, 0, 1))
	shifted := lucid.Cat([]*lucid.Tensor{one, left.Narrow(-1, 0, n-1)}, -1)
	return r.Add(lucid.With{DType: x.DType(), Device: x.Device()}.Eye(n)).Mul(shifted)
}

// Inverse is atanh of the partial correlations.
func (t CorrCholeskyTransform) Inverse(y *lucid.Tensor) *lucid.Tensor {
	n := y.Size(-1)
	rest := lucid.CumSum(y.Square(), -1).Neg().Add(1.0)
	one := lucid.OnesLike(rest.Narrow(-1, 0, 1))
	shifted := lucid.Cat([]*lucid.Tensor{one, rest.Narrow(-1, 0, n-1)}, -1)
	tiny := lucid.FInfo(y.DType()).SmallestNormal
	return lowerVector(y, -1).Div(lowerVector(shifted.ClampMin(tiny), -1).Sqrt()).Atanh()
}

// LogAbsDetJacobian sums over the vector.
func (t CorrCholeskyTransform) LogAbsDetJacobian(x, y *lucid.Tensor) *lucid.Tensor {
	n := y.Size(-1)
	rest := lucid.CumSum(y.Square(), -1).Neg().Add(1.0).ClampMin(lucid.FInfo(y.DType()).SmallestNormal)
	volume := full(y, batchOf(y, 2), 0)
	if n > 2 {
		// What is left in front of each element below the first subdiagonal.
		below := lowerVector(rest.Narrow(-1, 0, n-1).Narrow(-2, 1, n-1), -1)
		volume = below.Log().Sum(-1).Mul(0.5)
	}
	return volume.Add(softplus(x.Mul(2.0)).Neg().Add(x).Add(math.Ln2).Sum(-1).Mul(2.0))
}

// ForwardShape makes a matrix of a vector.
func (t CorrCholeskyTransform) ForwardShape(s []int) []int {
	if len(s) == 0 {
		refuseShape(t, s, "a vector")
	}
	n := triangleSide(t, s)
	return slices.Concat(s[:len(s)-1], []int{n, n})
}

func triangleSide(t Transform, s []int) int {
	m := s[len(s)-1]
	n := int(math.Round((1 + math.Sqrt(1+8*float64(m))) / 2))
	if n*(n-1)/2 != m {
		refuseShape(t, s, "n(n-1)/2 numbers for a matrix of size n")
	}
	return n
}

// InverseShape makes a vector of a matrix.
func (t CorrCholeskyTransform) InverseShape(s []int) []int {
	if len(s) < 2 || s[len(s)-1] != s[len(s)-2] {
		refuseShape(t, s, "a square matrix")
	}
	n := s[len(s)-1]
	return append(slices.Clone(s[:len(s)-2]), n*(n-1)/2)
}

// lowerPositions are the flat positions of the lower triangle of an n×n matrix, up to a diagonal.
func lowerPositions(n, diagonal int, device lucid.Device) *lucid.Tensor {
	var at []int64
	for i := range n {
		for j := 0; j <= min(n-1, i+diagonal); j++ {
			at = append(at, int64(i*n+j))
		}
	}
	return lucid.With{Device: device}.New(at, len(at))
}

// lowerVector is the lower triangle of matrices as vectors.
func lowerVector(x *lucid.Tensor, diagonal int) *lucid.Tensor {
	n := x.Size(-1)
	return lucid.IndexSelect(x.Reshape(append(batchOf(x, 2), n*n)...), -1, lowerPositions(n, diagonal, x.Device()))
}

// lowerMatrix makes matrices of vectors with their lower triangles below the diagonal -1.
func lowerMatrix(x *lucid.Tensor, diagonal int) *lucid.Tensor {
	n := triangleSide(CorrCholeskyTransform{}, x.Shape())
	flat := full(x, append(batchOf(x, 1), n*n), 0)
	if x.Size(-1) == 0 {
		return flat.Reshape(append(batchOf(x, 1), n, n)...)
	}
	return lucid.IndexCopy(flat, -1, lowerPositions(n, diagonal, x.Device()), x).Reshape(append(batchOf(x, 1), n, n)...)
}
