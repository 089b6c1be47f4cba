package packages_test

import (
	"errors"
	"fmt"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/linalg"
)

// Norms and products: a piece of docs/packages/linalg.md.
func Example_linalgNormsAndProducts() {
	m := lucid.New([]float64{1, 1, 1, 0}, 2, 2)
	fmt.Println(linalg.MatrixPower(m, 10).At(0, 1).Item()) // a Fibonacci number
	fmt.Println(linalg.VectorNorm(lucid.New([]float64{3, 4}, 2)).Item())
	// Output:
	// 55
	// 5
}

// Solving: a piece of docs/packages/linalg.md.
func Example_linalgSolving() {
	a := lucid.New([]float64{2, 1, 1, 3}, 2, 2)
	b := lucid.New([]float64{3, 5}, 2)
	fmt.Println(linalg.Solve(a, b))
	fmt.Println(linalg.Det(a).Item())
	// Output:
	// tensor([0.8000, 1.4000], dtype=float64)
	// 5
}

// A bad matrix: a piece of docs/packages/linalg.md.
func Example_linalgABadMatrix() {
	err := lucid.Eval(linalg.Inv(lucid.Zeros(2, 2)))
	fmt.Println(errors.Is(err, lucid.ErrSingular))
	_, info := linalg.InvEx(lucid.Zeros(2, 2))
	fmt.Println(info.Item())
	// Output:
	// true
	// 1
}

// Decompositions: a piece of docs/packages/linalg.md.
func Example_linalgDecompositions() {
	a := lucid.New([]float64{2, 1, 1, 2}, 2, 2)
	w, v := linalg.Eigh(a)
	fmt.Println(w)
	back := v.MatMul(lucid.Diag(w)).MatMul(v.T())
	fmt.Println(lucid.AllClose(back, a))
	// Output:
	// tensor([1.0000, 3.0000], dtype=float64)
	// true
}

// Least squares: a piece of docs/packages/linalg.md.
func Example_linalgLeastSquares() {
	x := lucid.New([]float64{0, 1, 2, 3}, 4)
	y := lucid.New([]float64{1, 3, 5, 7}, 4)
	a := lucid.Stack([]*lucid.Tensor{x, lucid.OnesLike(x)}, 1) // a line: slope and height
	line, _, rank, _ := linalg.LstSq(a, y)
	fmt.Println(line, rank.Item())
	// Output:
	// tensor([2.0000, 1.0000], dtype=float64) 2
}

// Gradients: a piece of docs/packages/linalg.md.
func Example_linalgGradients() {
	logDet := func(a *lucid.Tensor) *lucid.Tensor { return linalg.LogDet(a) }
	a := lucid.New([]float64{2, 1, 1, 3}, 2, 2)
	fmt.Println(lucid.AllClose(lucid.Grad(logDet)(a), lucid.MT(linalg.Inv(a))))
	// Output:
	// true
}
