package ops

import (
	"math/bits"

	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/shape"
)

// FFTConvolveOptions say along which dimensions, and what part of the result.
type FFTConvolveOptions struct {
	Mode string // full (the default), same: the middle, as large as x; valid: where both overlap in full
	Dim  []int  // nil: all
}

// FFTConvolve returns the convolution of two tensors, Σ x[j]·other[k-j], by Fourier transforms: faster than sums where both are long.
// Dimensions not convolved broadcast.
//
//lucid:pkg fft FFTConvolve
//lucid:options ConvolveOptions
//lucid:name fftconvolve
//lucid:amp float32
func FFTConvolve(x, other *Node, o FFTConvolveOptions) *Node {
	const op = "fftconvolve"
	x, other = prepared(op, x), prepared(op, other)
	if x.Rank() != other.Rank() {
		fault.Throw(fault.Shape, op, "%v and %v have different numbers of dimensions", x.Shape(), other.Shape())
	}
	d := resultType(op, x, other)
	x, other = Cast(x, d), Cast(other, d)
	if x.Rank() == 0 {
		return Mul(x, other)
	}
	axes := shape.Axes(op, o.Dim, x.Rank())
	sizes := make([]int, len(axes))
	larger, smaller := true, true
	for i, a := range axes {
		n, m := x.Dim(a), other.Dim(a)
		if n == 0 || m == 0 {
			fault.Throw(fault.Shape, op, "dim %d of %v and %v is empty; want elements to convolve", a, x.Shape(), other.Shape())
		}
		sizes[i] = smoothLength(n + m - 1)
		larger, smaller = larger && n >= m, smaller && n <= m
	}
	t := FFTNOptions{S: sizes, Dim: axes}
	var y *Node
	if d.IsComplex() {
		y = IFFTN(Mul(FFTN(x, t), FFTN(other, t)), t)
	} else {
		y = IRFFTN(Mul(RFFTN(x, t), RFFTN(other, t)), t)
	}
	for _, a := range axes {
		n, m := x.Dim(a), other.Dim(a)
		switch o.Mode {
		case "", "full":
			y = Narrow(y, a, 0, n+m-1)
		case "same":
			y = Narrow(y, a, (m-1)/2, n)
		case "valid":
			if !larger && !smaller {
				fault.Throw(fault.Shape, op, "neither of %v and %v fits into the other, which mode valid needs", x.Shape(), other.Shape())
			}
			y = Narrow(y, a, min(n, m)-1, max(n, m)-min(n, m)+1)
		default:
			fault.Throw(fault.Value, op, "mode is %q; want full, same or valid", o.Mode)
		}
	}
	return y
}

// smoothLength is the smallest of some lengths with small factors that is at least n.
func smoothLength(n int) int {
	best := 1 << bits.Len(uint(n-1))
	for _, odd := range []int{3, 5, 9, 15} {
		m := odd
		for m < n {
			m *= 2
		}
		best = min(best, m)
	}
	return best
}
