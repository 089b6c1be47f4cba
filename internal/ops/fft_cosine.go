package ops

import (
	"math"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/shape"
)

// Cosine and sine transforms, of the types II, III and IV, as SciPy defines and scales them. All are real transforms of one Fourier
// transform of the same length, but type IV, of half of it; of an odd length it takes one of twice that.

// DCTOptions say which transform, along which dimension, and which direction carries the factor.
type DCTOptions struct {
	Type int    // 2, 3 or 4; 0: 2
	N    int    // length of the signal, which is cut or filled with zeros to it; 0: that of the dimension
	Dim  *int   // nil: the last
	Norm string // backward (the default): the inverse divides by 2n; forward: the other does; ortho: both are orthogonal matrices
}

// DCT returns the discrete cosine transform along a dimension, by default of type II: 2·Σ x[j]·cos(π·k·(2j+1)/2n).
//
//lucid:pkg fft DCT
//lucid:options DCTOptions
//lucid:name fft_dct
//lucid:amp float32
func DCT(x *Node, o DCTOptions) *Node { return cosineTransform("fft_dct", x, o, false, false) }

// IDCT returns the inverse of DCT.
//
//lucid:pkg fft IDCT
//lucid:options DCTOptions
//lucid:name fft_idct
//lucid:amp float32
func IDCT(x *Node, o DCTOptions) *Node { return cosineTransform("fft_idct", x, o, false, true) }

// DST returns the discrete sine transform along a dimension, by default of type II: 2·Σ x[j]·sin(π·(k+1)·(2j+1)/2n).
//
//lucid:pkg fft DST
//lucid:options DCTOptions
//lucid:name fft_dst
//lucid:amp float32
func DST(x *Node, o DCTOptions) *Node { return cosineTransform("fft_dst", x, o, true, false) }

// IDST returns the inverse of DST.
//
//lucid:pkg fft IDST
//lucid:options DCTOptions
//lucid:name fft_idst
//lucid:amp float32
func IDST(x *Node, o DCTOptions) *Node { return cosineTransform("fft_idst", x, o, true, true) }

// maxCosine bounds the length of a signal: a table of as many angles is computed when the op is recorded.
const maxCosine = 1 << 24

func cosineTransform(op string, x *Node, o DCTOptions, sine, inverse bool) *Node {
	f := fourier1(op, x, FFTOptions{N: o.N, Dim: o.Dim, Norm: o.Norm}, false).real().direct(inverse)
	axis, n := f.axes[0], f.s[0]
	if n > maxCosine {
		fault.Throw(fault.Value, op, "the signal has %d elements; want at most %d", n, maxCosine)
	}
	kind := o.Type
	switch {
	case kind == 0:
		kind = 2
	case kind < 2 || kind > 4:
		fault.Throw(fault.Value, op, "type is %d; want 2, 3 or 4", kind)
	}
	if inverse && kind != 4 {
		kind = 5 - kind
	}
	scale := 1.0
	switch {
	case o.Norm == "ortho":
		scale = math.Sqrt(0.5 / float64(n))
	case inverse != (o.Norm == "forward"):
		scale = 0.5 / float64(n)
	}
	x = moveLast(f.x, axis)
	last := x.Rank() - 1
	if o.Norm == "ortho" && kind == 3 {
		x = scaleEnd(x, n, sine, math.Sqrt2)
	}
	var y *Node
	switch kind {
	case 2:
		if sine {
			y = Flip(cosine2(alternate(x, n), n), last)
		} else {
			y = cosine2(x, n)
		}
	case 3:
		if sine {
			y = alternate(cosine3(Flip(x, last), n), n)
		} else {
			y = cosine3(x, n)
		}
	default:
		y = cosine4(x, n, sine)
	}
	if o.Norm == "ortho" && kind == 2 {
		y = scaleEnd(y, n, sine, 1/math.Sqrt2)
	}
	if scale != 1 {
		y = Mul(y, scale)
	}
	return moveAxis(y, last, axis)
}

// scaleEnd multiplies the first element of a row, or the last, by a factor.
func scaleEnd(x *Node, n int, last bool, by float64) *Node {
	at := 0
	if last {
		at = n - 1
	}
	return Mul(x, table(x, x.DType(), func(i int) dtype.Scalar {
		v := 1.0
		if i == at {
			v = by
		}
		return dtype.Scalar{Kind: dtype.KindFloat, F: v}
	}, n))
}

// alternate changes the sign of every second element of a row.
func alternate(x *Node, n int) *Node {
	return Mul(x, table(x, x.DType(), func(i int) dtype.Scalar { return dtype.Scalar{Kind: dtype.KindFloat, F: float64(1 - 2*(i%2))} }, n))
}

// phases are exp(πi·at(k)/m) for k < n.
func phases(x *Node, n int, m float64, at func(k int) float64) *Node {
	return table(x, x.DType().Complex(), func(k int) dtype.Scalar {
		s, c := math.Sincos(math.Pi * at(k) / m)
		return dtype.Scalar{Kind: dtype.KindComplex, F: c, G: s}
	}, n)
}

// cosine2 is the transform of type II of rows: with v the elements with even numbers, then the odd ones backwards, and V its
// Fourier transform, it is 2·Re(w[k]·V[k]), w[k] = exp(-πi·k/2n); bins behind the middle are conjugates.
func cosine2(x *Node, n int) *Node {
	last := x.Rank() - 1
	v := x
	if n > 1 {
		v = concat([]*Node{SliceDim(x, last, 0, (n+1)/2, 2), Flip(SliceDim(x, last, 1, n/2, 2), last)}, last)
	}
	t := RFFT(v, FFTOptions{})
	t = Mul(t, phases(x, n/2+1, 2*float64(n), func(k int) float64 { return -float64(k) }))
	y := Real(t)
	if m := (n - 1) / 2; m > 0 {
		y = concat([]*Node{y, Neg(Flip(SliceDim(Imag(t), last, 1, m, 1), last))}, last)
	}
	return Mul(y, 2)
}

// cosine3 is the transform of type III of rows, 2n times the inverse of cosine2, by its steps in reverse.
func cosine3(x *Node, n int) *Node {
	last := x.Rank() - 1
	m := n/2 + 1
	im := broadcastTo(constLike(x, 0), resizedAxis(x, last, 1))
	if m > 1 {
		im = concat([]*Node{im, Neg(Flip(SliceDim(x, last, n-m+1, m-1, 1), last))}, last)
	}
	t := Complex(SliceDim(x, last, 0, m, 1), im)
	t = Mul(t, phases(x, m, 2*float64(n), func(k int) float64 { return float64(k) }))
	v := apply(opFFTReal, attr.HalfFFT{Axis: last, N: n, Inverse: true, Scale: 1, Middle: 1}, t)
	if n == 1 {
		return v
	}
	c := (n + 1) / 2
	even, odd := SliceDim(v, last, 0, c, 1), Flip(SliceDim(v, last, c, n-c, 1), last)
	if n-c < c {
		lo, hi := make([]int, v.Rank()), make([]int, v.Rank())
		hi[last] = 1
		odd = padConstant(odd, lo, hi, nil)
	}
	dims := v.Shape().Clone()
	dims[last] = 2 * c
	return SliceDim(reshapeTo(Stack([]*Node{even, odd}, -1), shape.Of("dct", dims...)), last, 0, n, 1)
}

// cosine4 is the transform of type IV of rows: 2·Σ x[j]·cos(π·(2j+1)·(2k+1)/4n), or with sin. Of an even number of elements, those with
// even numbers and the odd ones backwards are the parts of half as many complex numbers; so are the results.
func cosine4(x *Node, n int, sine bool) *Node {
	last := x.Rank() - 1
	if n%2 == 1 {
		t := Mul(x, phases(x, n, 2*float64(n), func(j int) float64 { return -float64(j) }))
		t = SliceDim(FFT(t, FFTOptions{N: 2 * n}), last, 0, n, 1)
		t = Mul(t, phases(x, n, 4*float64(n), func(k int) float64 { return -float64(2*k + 1) }))
		if sine {
			return Mul(Imag(t), -2)
		}
		return Mul(Real(t), 2)
	}
	h, sign := n/2, -2
	a, b := SliceDim(x, last, 0, h, 2), Flip(SliceDim(x, last, 1, h, 2), last)
	if sine { // of the row backwards, with every second result negated
		a, b, sign = b, a, 2
	}
	t := Mul(Complex(a, b), phases(x, h, 4*float64(n), func(j int) float64 { return -float64(4*j + 1) }))
	t = Mul(FFT(t, FFTOptions{}), phases(x, h, float64(n), func(k int) float64 { return -float64(k) }))
	y := Stack([]*Node{Mul(Real(t), 2), Mul(Flip(Imag(t), last), sign)}, -1)
	return reshapeTo(y, x.Shape())
}
