package ops

import (
	"math"

	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

// ExponentialWindowOptions says how fast the window falls (nil: 1) and where its middle is (nil: halfway; a
// symmetric window has it nowhere else), and what WindowOptions say.
type ExponentialWindowOptions struct {
	Center   *float64    // the middle, of a periodic window; nil: halfway
	Tau      *float64    // how slowly the window falls; nil: 1
	Periodic bool        `lucid:"sym,not"` // one period of a longer window; otherwise it is symmetric
	DType    dtype.DType // zero: the default float
}

// WindowExponential returns exp(-|k-center|/tau).
//
//lucid:pkg signal/windows Exponential
//lucid:options ExponentialOptions
//lucid:name window_exponential
func WindowExponential(M int, o ExponentialWindowOptions) *Node {
	tau := positive("window_exponential", "tau", or(o.Tau, 1))
	if o.Center != nil && !o.Periodic {
		fault.Throw(fault.Value, "window_exponential", "a symmetric window has its center halfway; give no center, or make it periodic")
	}
	return window("window_exponential", M, WindowOptions{o.Periodic, o.DType}, func(k *Node, span float64) *Node {
		if M == 1 {
			span = 0
		}
		return Exp(Mul(Abs(Sub(k, or(o.Center, span/2))), -1/tau))
	})
}

// GaussianWindowOptions says the standard deviation in elements (nil: 1), and what WindowOptions say.
type GaussianWindowOptions struct {
	Std      *float64    // standard deviation in elements; nil: 1
	Periodic bool        `lucid:"sym,not"` // one period of a longer window; otherwise it is symmetric
	DType    dtype.DType // zero: the default float
}

// WindowGaussian returns a bell curve.
//
//lucid:pkg signal/windows Gaussian
//lucid:options GaussianOptions
//lucid:name window_gaussian
func WindowGaussian(M int, o GaussianWindowOptions) *Node {
	std := positive("window_gaussian", "std", or(o.Std, 1))
	return window("window_gaussian", M, WindowOptions{o.Periodic, o.DType}, func(k *Node, span float64) *Node {
		if M == 1 {
			span = 0
		}
		return Exp(Neg(Square(Mul(Sub(k, span/2), 1/(std*math.Sqrt2)))))
	})
}

// WindowGeneralGaussian returns exp(-|t/sig|^(2p)/2), t being the distance from the middle in elements: a bell curve for
// p = 1, the Laplace form for p = 1/2, and flatter in the middle for larger p.
//
//lucid:pkg signal/windows GeneralGaussian
//lucid:options Options
//lucid:name window_general_gaussian
func WindowGeneralGaussian(M int, p, sig float64, o WindowOptions) *Node {
	positive("window_general_gaussian", "p", p)
	positive("window_general_gaussian", "sig", sig)
	return window("window_general_gaussian", M, o, func(k *Node, span float64) *Node {
		if M == 1 {
			span = 0
		}
		return Exp(Mul(Pow(Abs(Mul(Sub(k, span/2), 1/sig)), 2*p), -0.5))
	})
}

// KaiserWindowOptions says how narrow the window is (nil: 12), and what WindowOptions say.
type KaiserWindowOptions struct {
	Beta     *float64    // how narrow the window is; nil: 12
	Periodic bool        `lucid:"sym,not"` // one period of a longer window; otherwise it is symmetric
	DType    dtype.DType // zero: the default float
}

// WindowKaiser returns I₀(√(β²-t²))/I₀(β) for t from -β to β, with the modified Bessel function I₀.
//
//lucid:pkg signal/windows Kaiser
//lucid:options KaiserOptions
//lucid:name window_kaiser
func WindowKaiser(M int, o KaiserWindowOptions) *Node {
	beta := or(o.Beta, 12)
	if !(beta >= 0) || math.IsInf(beta, 0) {
		fault.Throw(fault.Value, "window_kaiser", "beta is %v; want a finite number, 0 or more", beta)
	}
	return unitAtOne("window_kaiser", M, WindowOptions{o.Periodic, o.DType}, func(k *Node, span float64) *Node {
		t := Minimum(Sub(Mul(k, 2/span), 1.0), 1.0)
		a := Mul(Sqrt(Maximum(Sub(1.0, Square(t)), 0.0)), beta)
		// Scaled by their exponentials both stay in range for any beta.
		top := BesselI0e(Number(dtype.Float64, beta))
		return Mul(Div(BesselI0e(a), top), Exp(Sub(a, beta)))
	})
}

func positive(op, name string, v float64) float64 {
	if !(v > 0) {
		fault.Throw(fault.Value, op, "%s is %v; want more than 0", name, v)
	}
	return v
}
