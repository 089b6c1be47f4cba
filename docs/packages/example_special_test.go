package packages_test

import (
	"fmt"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/special"
)

// Values: a piece of docs/packages/special.md.
func Example_specialValues() {
	fmt.Printf("%.4f\n", special.Ndtr(lucid.Scalar(1.96)).Item()) // the normal distribution's area up to 1.96
	fmt.Printf("%.4f\n", special.BesselJ0(lucid.Scalar(2.4048)).Abs().Item())
	// Output:
	// 0.9750
	// 0.0000
}
