package packages_test

import (
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
