// Package special holds the special functions: of gamma, Bessel and error type, normal probabilities, and the
// orthogonal polynomials. Those that package lucid has too are the same functions.
//
//	p := special.Ndtr(x)                     // the normal distribution's area up to x
//	y := special.LegendrePolynomialP(x, 3)
package special
