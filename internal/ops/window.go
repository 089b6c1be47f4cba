package ops

import (
	"math"

	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/shape"
)

// Windows are those of torch.signal.windows. All are computed in float64 and rounded once.

// WindowOptions says whether the window is one period of a longer one (zero: symmetric) and its dtype; zero: the
// default float.
type WindowOptions struct {
	Periodic bool        `lucid:"sym,not"` // one period of a longer window; otherwise it is symmetric
	DType    dtype.DType // zero: the default float
}

// window makes f of the positions 0 … m-1. span is m-1 for a symmetric window and m for a periodic one, but never 0.
func window(name string, m int, o WindowOptions, f func(k *Node, span float64) *Node) *Node {
	d := floatOr(o.DType)
	if m < 0 {
		fault.Throw(fault.Value, name, "M is %d; want 0 or more", m)
	}
	if !d.IsFloat() {
		fault.Throw(fault.DType, name, "dtype %v; want a floating dtype", d)
	}
	span := float64(m - 1)
	if o.Periodic {
		span = float64(m)
	}
	k := ArangeOf(dtype.Scalar{Kind: dtype.KindInt}, dtype.Scalar{Kind: dtype.KindInt, I: 1}, m, dtype.Float64)
	return Cast(f(k, span), d)
}

// unitAtOne is a window that is 1 where it has a single element.
func unitAtOne(name string, m int, o WindowOptions, f func(k *Node, span float64) *Node) *Node {
	return window(name, m, o, func(k *Node, span float64) *Node {
		if m == 1 {
			return FullOf(shape.Of(name, 1), dtype.Float64, dtype.Scalar{Kind: dtype.KindInt, I: 1})
		}
		return f(k, span)
	})
}

// cosines is Σ (-1)^i a[i]·cos(i·2πk/span).
func cosines(name string, m int, a []float64, o WindowOptions) *Node {
	if len(a) == 0 {
		fault.Throw(fault.Value, name, "there are no coefficients; want at least one")
	}
	return unitAtOne(name, m, o, func(k *Node, span float64) *Node {
		t := Mul(k, 2*math.Pi/span)
		sum := FullOf(k.Shape(), dtype.Float64, dtype.Scalar{Kind: dtype.KindFloat, F: a[0]})
		for i := 1; i < len(a); i++ {
			c := a[i]
			if i%2 == 1 {
				c = -c
			}
			sum = Add(sum, Mul(Cos(Mul(t, float64(i))), c))
		}
		return sum
	})
}

// WindowBartlett returns a triangle that is zero at its ends.
//
//lucid:pkg signal/windows Bartlett
//lucid:options Options
//lucid:name window_bartlett
//lucid:alias bartlett
func WindowBartlett(M int, o WindowOptions) *Node {
	return unitAtOne("window_bartlett", M, o, func(k *Node, span float64) *Node {
		return Sub(1.0, Abs(Sub(Mul(k, 2/span), 1.0)))
	})
}

// WindowBlackman returns a sum of three cosines.
//
//lucid:pkg signal/windows Blackman
//lucid:options Options
//lucid:name window_blackman
//lucid:alias blackman
func WindowBlackman(M int, o WindowOptions) *Node {
	return cosines("window_blackman", M, []float64{0.42, 0.5, 0.08}, o)
}

// WindowNuttall returns a sum of four cosines.
//
//lucid:pkg signal/windows Nuttall
//lucid:options Options
//lucid:name window_nuttall
func WindowNuttall(M int, o WindowOptions) *Node {
	return cosines("window_nuttall", M, []float64{0.3635819, 0.4891775, 0.1365995, 0.0106411}, o)
}

// WindowHann returns a raised cosine that is zero at its ends.
//
//lucid:pkg signal/windows Hann
//lucid:options Options
//lucid:name window_hann
//lucid:alias hanning
func WindowHann(M int, o WindowOptions) *Node {
	return cosines("window_hann", M, []float64{0.5, 0.5}, o)
}

// WindowHamming returns a raised cosine that stays above zero at its ends.
//
//lucid:pkg signal/windows Hamming
//lucid:options Options
//lucid:name window_hamming
//lucid:alias hamming
func WindowHamming(M int, o WindowOptions) *Node {
	return cosines("window_hamming", M, []float64{0.54, 0.46}, o)
}

// GeneralHammingOptions says how high the cosine is raised (nil: 0.54), and what WindowOptions say.
type GeneralHammingOptions struct {
	Alpha    *float64    // the constant part; nil: 0.54
	Periodic bool        `lucid:"sym,not"` // one period of a longer window; otherwise it is symmetric
	DType    dtype.DType // zero: the default float
}

// WindowGeneralHamming returns alpha minus 1-alpha times a cosine.
//
//lucid:pkg signal/windows GeneralHamming
//lucid:options GeneralHammingOptions
//lucid:name window_general_hamming
func WindowGeneralHamming(M int, o GeneralHammingOptions) *Node {
	alpha := or(o.Alpha, 0.54)
	return cosines("window_general_hamming", M, []float64{alpha, 1 - alpha}, WindowOptions{o.Periodic, o.DType})
}

// WindowGeneralCosine returns a sum of cosines with coefficients a and alternating signs.
//
//lucid:pkg signal/windows GeneralCosine
//lucid:options Options
//lucid:name window_general_cosine
func WindowGeneralCosine(M int, a []float64, o WindowOptions) *Node {
	return cosines("window_general_cosine", M, a, o)
}

// WindowCosine returns half a sine.
//
//lucid:pkg signal/windows Cosine
//lucid:options Options
//lucid:name window_cosine
func WindowCosine(M int, o WindowOptions) *Node {
	return window("window_cosine", M, o, func(k *Node, span float64) *Node {
		if M > 1 {
			span++
		} else {
			span = 1
		}
		return Sin(Mul(Add(k, 0.5), math.Pi/span))
	})
}

func or(p *float64, def float64) float64 {
	if p == nil {
		return def
	}
	return *p
}
