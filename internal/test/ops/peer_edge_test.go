package ops

import (
	"math"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
	"github.com/lucid-go/lucid/linalg"
	F "github.com/lucid-go/lucid/nn/functional"
)

func call(t *testing.T, op string, in []*lucid.Tensor, attrs map[string]any) *lucid.Tensor {
	t.Helper()
	out, err := lucid.Call(op, in, attrs)
	if err != nil {
		t.Fatal(err)
	}
	return out[0]
}

// TestNormsOfNothing asks for norms of matrices without elements: the largest of no magnitudes is 0, and there is no least.
func TestNormsOfNothing(t *testing.T) {
	for _, s := range [][]int{{0, 5}, {5, 0}, {0, 0}} {
		for _, ord := range []any{1, 2, math.Inf(1), "fro", "nuc"} {
			x := lucid.Zeros(append([]int{2}, s...)...)
			tensortest.WantValues(t, "norm", linalg.MatrixNorm(x, linalg.MatrixNormOptions{Ord: ord}), lucid.Float32, 0.0, 0.0)
		}
		tensortest.Refuses(t, lucid.ErrShapeMismatch, "-2", func() {
			linalg.MatrixNorm(lucid.Zeros(s...), linalg.MatrixNormOptions{Ord: -2})
		})
	}
	tensortest.WantValues(t, "-1", linalg.MatrixNorm(lucid.Zeros(0, 5), linalg.MatrixNormOptions{Ord: -1}), lucid.Float32, 0.0)
	tensortest.Refuses(t, lucid.ErrShapeMismatch, "-1", func() { linalg.MatrixNorm(lucid.Zeros(5, 0), linalg.MatrixNormOptions{Ord: -1}) })
}

// TestNormSharesTies differentiates the largest singular value where all are the same: they share the gradient.
func TestNormSharesTies(t *testing.T) {
	g := lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { return linalg.MatrixNorm(x, linalg.MatrixNormOptions{Ord: 2}) })
	tensortest.Same(t, "gradient", g(lucid.Eye(4)), lucid.Eye(4).Div(4))
	nuc := call(t, "norm", []*lucid.Tensor{lucid.Eye(3).Mul(2)}, map[string]any{"p": "nuc"})
	tensortest.Same(t, "nuclear norm by norm", nuc, lucid.Scalar(float32(6)))
}

// TestWideReflectors multiplies by the Q of a wide matrix, which has fewer reflectors than columns.
func TestWideReflectors(t *testing.T) {
	x := lucid.With{DType: lucid.Float64}.Randn(3, 5)
	a, tau := linalg.Geqrf(x)
	q := linalg.Ormqr(a, tau, lucid.With{DType: lucid.Float64}.Eye(3), linalg.OrmqrOptions{})
	tensortest.Same(t, "Q·R", q.MatMul(a.Triu()), x)
	tensortest.Refuses(t, lucid.ErrShapeMismatch, "columns of Q that are not there", func() { linalg.HouseholderProduct(a, tau) })
}

// TestNothingIsGathered takes no elements with positions of another number of dims.
func TestNothingIsGathered(t *testing.T) {
	y := lucid.Ones(5).Gather(0, lucid.With{DType: lucid.Int64}.Zeros(2, 0))
	if s := y.Shape(); len(s) != 2 || s[0] != 2 || s[1] != 0 {
		t.Errorf("shape %v", s)
	}
	one := lucid.With{DType: lucid.Int64}.Zeros(1, 1)
	tensortest.Refuses(t, lucid.ErrShapeMismatch, "one element", func() { lucid.Ones(5).Gather(0, one) })
}

// TestSmallIntegersSumToSize sums bytes, which would wrap; a sum over nothing keeps the dtype.
func TestSmallIntegersSumToSize(t *testing.T) {
	x := lucid.With{DType: lucid.Uint8}.Full([]int{3, 2}, 200)
	tensortest.WantValues(t, "sum", x.SumToSize(2), lucid.Int64, 600, 600)
	tensortest.WantValues(t, "none", x.SumToSize(3, 2).Narrow(0, 0, 1), lucid.Uint8, 200, 200)
}

// TestMarginsOfOneRow gives the shapes of a single example that PyTorch takes.
func TestMarginsOfOneRow(t *testing.T) {
	x := lucid.New([]float32{1, 2, 3}, 3)
	tensortest.Same(t, "list of one class", F.MultiMarginLoss(x, lucid.New([]int64{1}, 1)), lucid.Scalar(float32(2.0/3)))
	y := F.MultiLabelMarginLoss(lucid.Scalar(float32(2.5)), lucid.With{DType: lucid.Int64}.Zeros())
	tensortest.WantValues(t, "one class", y, lucid.Float32, 0.0)
}

// TestNextAfterOfEqual differentiates at equal numbers, where the result is the second, which counts as a constant.
func TestNextAfterOfEqual(t *testing.T) {
	b := lucid.New([]float64{1, 3, 2}, 3)
	g := lucid.Grad(func(a *lucid.Tensor) *lucid.Tensor { return lucid.Nextafter(a, b).Sum() })
	tensortest.WantValues(t, "gradient", g(lucid.New([]float64{1, 2, 3}, 3)), lucid.Float64, 0.0, 1, 1)
}
