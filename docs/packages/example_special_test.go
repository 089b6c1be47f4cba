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

// Probabilities: a piece of docs/packages/special.md.
func Example_specialProbabilities() {
	chi2 := special.Gammaincc(2.5, lucid.Scalar(11.07/2)) // 5 degrees of freedom, above 11.07
	fmt.Printf("%.3f\n", chi2.Item())
	binomial := special.Betainc(8, 3, lucid.Scalar(0.5)) // 8 heads or more of 10
	fmt.Printf("%.4f\n", binomial.Item())
	slope := lucid.Grad(func(a *lucid.Tensor) *lucid.Tensor { return special.Gammainc(a, 2.0) })(lucid.Scalar(2.0))
	fmt.Printf("%.4f\n", slope.Item()) // a larger concentration, a smaller probability
	// Output:
	// 0.050
	// 0.0547
	// -0.2940
}
