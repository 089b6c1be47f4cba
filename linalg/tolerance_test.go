package linalg_test

import (
	"errors"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/linalg"
)

// TestTensorTolerances: tolerances that are tensors broadcast with the batch. Values are PyTorch's.
func TestTensorTolerances(t *testing.T) {
	a := lucid.DiagEmbed(lucid.New([]float64{4, 1, 0.1, 3, 0.5, 0.01}, 2, 3))
	each := lucid.New([]float64{0.05, 0.7}, 2)
	more := lucid.New([]float64{0.3, 0.01}, 2, 1)
	near(t, "atol", linalg.MatrixRank(a, linalg.MatrixRankOptions{ATolTensor: each}), lucid.New([]int64{3, 1}, 2))
	near(t, "rtol", linalg.MatrixRank(a, linalg.MatrixRankOptions{RTolTensor: more}), lucid.New([]int64{1, 1, 3, 2}, 2, 2))
	both := linalg.MatrixRankOptions{ATolTensor: lucid.New([]float64{0, 0.7}, 2), RTolTensor: lucid.Scalar(0.03)}
	near(t, "both", linalg.MatrixRank(a, both), lucid.New([]int64{2, 1}, 2))
	near(t, "a number and a tensor", linalg.MatrixRank(a, linalg.MatrixRankOptions{ATol: new(0.0), RTolTensor: lucid.Scalar(0.03)}),
		lucid.New([]int64{2, 2}, 2))
	none := linalg.MatrixRank(lucid.Zeros(2, 0, 3), linalg.MatrixRankOptions{ATolTensor: lucid.Zeros(4, 1)})
	near(t, "empty", none, lucid.With{DType: lucid.Int64}.Zeros(4, 2))
	pinv := func(o linalg.PInvOptions) *lucid.Tensor {
		return lucid.Diagonal(linalg.PInv(a, o), lucid.DiagonalOptions{Dim1: new(-2), Dim2: new(-1)})
	}
	near(t, "pinv atol", pinv(linalg.PInvOptions{ATolTensor: each}), lucid.New([]float64{0.25, 1, 10, 1. / 3, 0, 0}, 2, 3))
	near(t, "pinv rtol", pinv(linalg.PInvOptions{RTolTensor: more}),
		lucid.New([]float64{0.25, 0, 0, 1. / 3, 0, 0, 0.25, 1, 10, 1. / 3, 2, 0}, 2, 2, 3))
	near(t, "hermitian", pinv(linalg.PInvOptions{ATolTensor: each, Hermitian: true}), lucid.New([]float64{0.25, 1, 10, 1. / 3, 0, 0}, 2, 3))
	rows := lucid.VMap(func(x *lucid.Tensor) *lucid.Tensor {
		return linalg.MatrixRank(x, linalg.MatrixRankOptions{ATolTensor: lucid.Scalar(0.7)})
	})
	near(t, "vmap", rows(a), lucid.New([]int64{2, 1}, 2))
	err := lucid.Try(func() { linalg.PInv(a, linalg.PInvOptions{ATol: new(1.0), ATolTensor: each}) })
	if !errors.Is(err, lucid.ErrValue) {
		t.Errorf("two tolerances: %v", err)
	}
}

// TestVander: a matrix for each vector of a batch. Values are PyTorch's.
func TestVander(t *testing.T) {
	x := lucid.New([]float64{1, 2, 3, -1, 0.5, 4}, 2, 3)
	near(t, "float", linalg.Vander(x, linalg.VanderOptions{N: 4}), lucid.New([]float64{1, 1, 1, 1, 1, 2, 4, 8, 1, 3, 9, 27,
		1, -1, 1, -1, 1, 0.5, 0.25, 0.125, 1, 4, 16, 64}, 2, 3, 4))
	near(t, "int", linalg.Vander(lucid.New([]int64{1, 2, -3, 4}, 2, 2)), lucid.New([]int64{1, 1, 1, 2, 1, -3, 1, 4}, 2, 2, 2))
	near(t, "empty", linalg.Vander(lucid.Zeros(2, 0, 3)), lucid.Zeros(2, 0, 3, 3))
	sum := func(x *lucid.Tensor) *lucid.Tensor { return linalg.Vander(x).Sum() }
	near(t, "gradient", lucid.Grad(sum)(x), x.Mul(2).Add(1)) // of 1 + x + x²
	each := lucid.VMap(func(x *lucid.Tensor) *lucid.Tensor { return linalg.Vander(x) })
	near(t, "vmap", each(x), linalg.Vander(x))
}
