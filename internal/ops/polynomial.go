package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
)

var opPolynomial *graph.Op

func init() {
	opPolynomial = binaryOp("special_polynomial", binaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetFloats,
		Validate: rule(validatePolynomial), SavesIn: 3,
		Partials: func(n *Node, i int) *Node {
			if i == 1 {
				return nil // the degree is a whole number
			}
			p := n.Attr().(attr.Polynomial)
			p.Derivative++
			return graph.New(opPolynomial, p, n.In(0), n.In(1))
		}})
}

func polynomial(name string, f attr.Family, x, n Operand) *Node {
	a, b := promoteFloat(name, x, n)
	requireKind(name, a, !a.DType().IsComplex(), "real numbers")
	return apply(opPolynomial, attr.Polynomial{Family: f}, a, b)
}

// ChebyshevPolynomialT returns the Chebyshev polynomial of the first kind of degree n.
//
//lucid:name special_chebyshev_polynomial_t
//lucid:pkg special
//lucid:amp float32
func ChebyshevPolynomialT(x, n Operand) *Node {
	return polynomial("special_chebyshev_polynomial_t", attr.ChebyshevT, x, n)
}

// ChebyshevPolynomialU returns the Chebyshev polynomial of the second kind of degree n.
//
//lucid:name special_chebyshev_polynomial_u
//lucid:pkg special
//lucid:amp float32
func ChebyshevPolynomialU(x, n Operand) *Node {
	return polynomial("special_chebyshev_polynomial_u", attr.ChebyshevU, x, n)
}

// ChebyshevPolynomialV returns the Chebyshev polynomial of the third kind of degree n.
//
//lucid:name special_chebyshev_polynomial_v
//lucid:pkg special
//lucid:amp float32
func ChebyshevPolynomialV(x, n Operand) *Node {
	return polynomial("special_chebyshev_polynomial_v", attr.ChebyshevV, x, n)
}

// ChebyshevPolynomialW returns the Chebyshev polynomial of the fourth kind of degree n.
//
//lucid:name special_chebyshev_polynomial_w
//lucid:pkg special
//lucid:amp float32
func ChebyshevPolynomialW(x, n Operand) *Node {
	return polynomial("special_chebyshev_polynomial_w", attr.ChebyshevW, x, n)
}

// ShiftedChebyshevPolynomialT returns the Chebyshev polynomial of the first kind of degree n at 2x - 1.
//
//lucid:name special_shifted_chebyshev_polynomial_t
//lucid:pkg special
//lucid:amp float32
func ShiftedChebyshevPolynomialT(x, n Operand) *Node {
	return polynomial("special_shifted_chebyshev_polynomial_t", attr.ShiftedChebyshevT, x, n)
}

// ShiftedChebyshevPolynomialU returns the Chebyshev polynomial of the second kind of degree n at 2x - 1.
//
//lucid:name special_shifted_chebyshev_polynomial_u
//lucid:pkg special
//lucid:amp float32
func ShiftedChebyshevPolynomialU(x, n Operand) *Node {
	return polynomial("special_shifted_chebyshev_polynomial_u", attr.ShiftedChebyshevU, x, n)
}

// ShiftedChebyshevPolynomialV returns the Chebyshev polynomial of the third kind of degree n at 2x - 1.
//
//lucid:name special_shifted_chebyshev_polynomial_v
//lucid:pkg special
//lucid:amp float32
func ShiftedChebyshevPolynomialV(x, n Operand) *Node {
	return polynomial("special_shifted_chebyshev_polynomial_v", attr.ShiftedChebyshevV, x, n)
}

// ShiftedChebyshevPolynomialW returns the Chebyshev polynomial of the fourth kind of degree n at 2x - 1.
//
//lucid:name special_shifted_chebyshev_polynomial_w
//lucid:pkg special
//lucid:amp float32
func ShiftedChebyshevPolynomialW(x, n Operand) *Node {
	return polynomial("special_shifted_chebyshev_polynomial_w", attr.ShiftedChebyshevW, x, n)
}

// HermitePolynomialH returns the physicist's Hermite polynomial of degree n.
//
//lucid:name special_hermite_polynomial_h
//lucid:pkg special
//lucid:amp float32
func HermitePolynomialH(x, n Operand) *Node {
	return polynomial("special_hermite_polynomial_h", attr.HermiteH, x, n)
}

// HermitePolynomialHe returns the probabilist's Hermite polynomial of degree n.
//
//lucid:name special_hermite_polynomial_he
//lucid:pkg special
//lucid:amp float32
func HermitePolynomialHe(x, n Operand) *Node {
	return polynomial("special_hermite_polynomial_he", attr.HermiteHe, x, n)
}

// LaguerrePolynomialL returns the Laguerre polynomial of degree n.
//
//lucid:name special_laguerre_polynomial_l
//lucid:pkg special
//lucid:amp float32
func LaguerrePolynomialL(x, n Operand) *Node {
	return polynomial("special_laguerre_polynomial_l", attr.Laguerre, x, n)
}

// LegendrePolynomialP returns the Legendre polynomial of degree n.
//
//lucid:name special_legendre_polynomial_p
//lucid:pkg special
//lucid:amp float32
func LegendrePolynomialP(x, n Operand) *Node {
	return polynomial("special_legendre_polynomial_p", attr.Legendre, x, n)
}
