package ops

import (
	"math"
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/shape"
)

// FFTOptions says along which dimension, how long the signal is, and which direction carries the factor.
type FFTOptions struct {
	N    int    // length of the signal, which is cut or filled with zeros to it; 0: that of the dimension
	Dim  *int   // nil: the last
	Norm string // backward (the default): the inverse divides by n; forward: the other does; ortho: both divide by √n
}

// FFTNOptions says along which dimensions, how long the signal is along each, and which direction carries the factor.
type FFTNOptions struct {
	S    []int  // lengths of the signal, which is cut or filled with zeros to them; -1: that of the dimension; nil: all of these
	Dim  []int  // nil: as many of the last as S has, or all; of the functions named 2: the last two
	Norm string // backward (the default): the inverse divides by n; forward: the other does; ortho: both divide by √n
}

// fourier is one transform while its arguments are checked.
type fourier struct {
	op      string
	x       *Node
	norm    string
	axes, s []int // dimensions, and the length of the signal along each
	inverse bool
	scale   float64
}

// real asks for real numbers.
func (f *fourier) real() *fourier {
	if f.x.DType().IsComplex() {
		fault.Throw(fault.DType, f.op, "the signal is %v and must be real; take its Real, or a transform of complex numbers", f.x.DType())
	}
	return f
}

// complex makes the numbers complex.
func (f *fourier) complex() *fourier {
	f.x = Cast(f.x, f.x.DType().Complex())
	return f
}

// prepared checks the dtype: integers become the default float, half types are refused.
func prepared(op string, x *Node) *Node {
	ampFloat32(&x)
	x = floating(x)
	if x.DType().IsHalf() {
		fault.Throw(fault.DType, op, "%v is too coarse for a Fourier transform; cast to float32 first", x.DType())
	}
	return x
}

// fourier1 checks the arguments of a transform along one dimension. half says that x has the bins of a real signal, n/2+1 of them.
func fourier1(op string, x *Node, o FFTOptions, half bool) *fourier {
	axis := -1
	if o.Dim != nil {
		axis = *o.Dim
	}
	if o.N < 0 { // -1 is for the lengths of several dimensions
		fault.Throw(fault.Value, op, "a signal of n=%d elements; want 1 or more", o.N)
	}
	s := []int{o.N}
	if o.N == 0 {
		s = nil
	}
	return newFourier(op, x, FFTNOptions{S: s, Dim: []int{axis}, Norm: o.Norm}, half)
}

// fourier2 is for transforms along two dimensions, by default the last.
func fourier2(op string, x *Node, o FFTNOptions, half bool) *fourier {
	if o.Dim == nil {
		o.Dim = []int{-2, -1}
	}
	return newFourier(op, x, o, half)
}

// newFourier checks the arguments of a transform along several dimensions.
func newFourier(op string, x *Node, o FFTNOptions, half bool) *fourier {
	f := &fourier{op: op, x: prepared(op, x), norm: o.Norm}
	rank := x.Rank()
	switch {
	case o.Dim != nil:
		if rank == 0 && len(o.Dim) > 0 {
			fault.Throw(fault.Index, op, "dim %v of a 0-d tensor; want a tensor with dimensions", o.Dim)
		}
		for _, d := range o.Dim {
			axis := shape.Axis(op, d, rank)
			if slices.Contains(f.axes, axis) {
				fault.Throw(fault.Value, op, "dim %v names dimension %d twice; want each once", o.Dim, axis)
			}
			f.axes = append(f.axes, axis)
		}
		if o.S != nil && len(o.S) != len(o.Dim) {
			fault.Throw(fault.Value, op, "%d lengths s=%v for %d dimensions dim=%v; want one each", len(o.S), o.S, len(o.Dim), o.Dim)
		}
	case len(o.S) > rank:
		fault.Throw(fault.Value, op, "%d lengths s=%v for a tensor of shape %v; want at most one a dimension", len(o.S), o.S, x.Shape())
	default:
		n := rank
		if o.S != nil {
			n = len(o.S)
		}
		for i := range n {
			f.axes = append(f.axes, rank-n+i)
		}
	}
	for i, axis := range f.axes {
		n, last := x.Dim(axis), i == len(f.axes)-1
		if half && last {
			n = 2 * (n - 1)
		}
		if o.S != nil && o.S[i] != -1 {
			n = o.S[i]
		}
		if n < 1 || n > most {
			fault.Throw(fault.Value, op, "the signal has %d elements along dim %d of %v; want 1 or more", n, axis, x.Shape())
		}
		f.s = append(f.s, n)
	}
	f.resize(half)
	return f
}

// resize cuts the signal, or fills it with zeros, to its lengths.
func (f *fourier) resize(half bool) {
	lo, hi := make([]int, f.x.Rank()), make([]int, f.x.Rank())
	for i, axis := range f.axes {
		n := f.s[i]
		if half && i == len(f.axes)-1 {
			n = n/2 + 1
		}
		hi[axis] = n - f.x.Dim(axis)
	}
	for _, d := range hi {
		if d != 0 {
			f.x = padConstant(f.x, lo, hi, nil)
			return
		}
	}
}

// direct sets the direction, and the factor that the mode gives to it.
func (f *fourier) direct(inverse bool) *fourier {
	n := 1.0
	for _, s := range f.s {
		n *= float64(s)
	}
	f.inverse, f.scale = inverse, 1
	switch f.norm {
	case "", "backward":
		if inverse {
			f.scale = 1 / n
		}
	case "forward":
		if !inverse {
			f.scale = 1 / n
		}
	case "ortho":
		f.scale = 1 / math.Sqrt(n)
	default:
		fault.Throw(fault.Value, f.op, "norm is %q; want backward, forward or ortho", f.norm)
	}
	return f
}

// each transforms complex numbers along all dimensions.
func (f *fourier) each() *Node { return fftAlong(f.complex().x, f.axes, f.inverse, f.scale) }

// fftAlong is the transform of complex numbers along some dimensions.
func fftAlong(x *Node, axes []int, inverse bool, scale float64) *Node {
	if len(axes) == 0 {
		return x
	}
	return apply(opFFT, attr.FFT{Axes: attr.MakeInts(axes...), Inverse: inverse, Scale: scale}, x)
}

// split returns the last of the dimensions and the ones before.
func (f *fourier) split() (last int, before []int) {
	if len(f.axes) == 0 {
		fault.Throw(fault.Value, f.op, "transforms no dimension of %v; want at least one", f.x.Shape())
	}
	k := len(f.axes) - 1
	return f.axes[k], f.axes[:k]
}

// toHalf transforms a real signal: half a spectrum along the last dimension, whole ones along the others.
func (f *fourier) toHalf() *Node {
	last, before := f.real().split()
	return apply(opRealFFT, attr.HalfFFT{Axis: last, N: f.s[len(f.s)-1], Inverse: f.inverse, Scale: f.scale, Middle: 1,
		Others: attr.MakeInts(before...)}, f.x)
}

// fromHalf transforms half a spectrum along the last dimension, whole ones along the others, to a real signal.
func (f *fourier) fromHalf() *Node {
	last, before := f.complex().split()
	h := attr.HalfFFT{Axis: last, N: f.s[len(f.s)-1], Inverse: f.inverse, Scale: f.scale, Middle: 1}
	return apply(opFFTReal, h, fftAlong(f.x, before, f.inverse, 1))
}

// FFT returns the discrete Fourier transform along a dimension: Σ x[j]·exp(-2πi·j·k/n). Its length may be any number.
//
//lucid:pkg fft FFT
//lucid:options Options
//lucid:name fft_fft
//lucid:amp float32
func FFT(x *Node, o FFTOptions) *Node { return fourier1("fft_fft", x, o, false).direct(false).each() }

// IFFT returns the inverse of FFT.
//
//lucid:pkg fft IFFT
//lucid:options Options
//lucid:name fft_ifft
//lucid:amp float32
func IFFT(x *Node, o FFTOptions) *Node { return fourier1("fft_ifft", x, o, false).direct(true).each() }

// RFFT returns the first n/2+1 elements of the transform of a real signal; the others are their conjugates.
//
//lucid:pkg fft RFFT
//lucid:options Options
//lucid:name fft_rfft
//lucid:amp float32
func RFFT(x *Node, o FFTOptions) *Node {
	return fourier1("fft_rfft", x, o, false).direct(false).toHalf()
}

// IRFFT returns the real signal of n elements whose transform begins with x; by default n is even: twice the size less 2. The
// imaginary parts of the first bin, and of the one at n/2, do not count.
//
//lucid:pkg fft IRFFT
//lucid:options Options
//lucid:name fft_irfft
//lucid:amp float32
func IRFFT(x *Node, o FFTOptions) *Node {
	return fourier1("fft_irfft", x, o, true).direct(true).fromHalf()
}

// HFFT returns the real transform of a signal in time with Hermitian symmetry, of which x is the first half; n as for IRFFT.
//
//lucid:pkg fft HFFT
//lucid:options Options
//lucid:name fft_hfft
//lucid:amp float32
func HFFT(x *Node, o FFTOptions) *Node {
	return fourier1("fft_hfft", x, o, true).direct(false).fromHalf()
}

// IHFFT returns the inverse of HFFT: the first half of the signal in time.
//
//lucid:pkg fft IHFFT
//lucid:options Options
//lucid:name fft_ihfft
//lucid:amp float32
func IHFFT(x *Node, o FFTOptions) *Node {
	return fourier1("fft_ihfft", x, o, false).direct(true).toHalf()
}

// FFT2 is FFTN along two dimensions, by default the last.
//
//lucid:pkg fft FFT2
//lucid:options NOptions
//lucid:name fft_fft2
//lucid:amp float32
func FFT2(x *Node, o FFTNOptions) *Node {
	return fourier2("fft_fft2", x, o, false).direct(false).each()
}

// IFFT2 is IFFTN along two dimensions, by default the last.
//
//lucid:pkg fft IFFT2
//lucid:options NOptions
//lucid:name fft_ifft2
//lucid:amp float32
func IFFT2(x *Node, o FFTNOptions) *Node {
	return fourier2("fft_ifft2", x, o, false).direct(true).each()
}

// RFFT2 is RFFTN along two dimensions, by default the last.
//
//lucid:pkg fft RFFT2
//lucid:options NOptions
//lucid:name fft_rfft2
//lucid:amp float32
func RFFT2(x *Node, o FFTNOptions) *Node {
	return fourier2("fft_rfft2", x, o, false).direct(false).toHalf()
}

// IRFFT2 is IRFFTN along two dimensions, by default the last.
//
//lucid:pkg fft IRFFT2
//lucid:options NOptions
//lucid:name fft_irfft2
//lucid:amp float32
func IRFFT2(x *Node, o FFTNOptions) *Node {
	return fourier2("fft_irfft2", x, o, true).direct(true).fromHalf()
}

// HFFT2 is HFFTN along two dimensions, by default the last.
//
//lucid:pkg fft HFFT2
//lucid:options NOptions
//lucid:name fft_hfft2
//lucid:amp float32
func HFFT2(x *Node, o FFTNOptions) *Node {
	return fourier2("fft_hfft2", x, o, true).direct(false).fromHalf()
}

// IHFFT2 is IHFFTN along two dimensions, by default the last.
//
//lucid:pkg fft IHFFT2
//lucid:options NOptions
//lucid:name fft_ihfft2
//lucid:amp float32
func IHFFT2(x *Node, o FFTNOptions) *Node {
	return fourier2("fft_ihfft2", x, o, false).direct(true).toHalf()
}

// FFTN returns the discrete Fourier transform along several dimensions, by default all.
//
//lucid:pkg fft FFTN
//lucid:options NOptions
//lucid:name fft_fftn
//lucid:amp float32
func FFTN(x *Node, o FFTNOptions) *Node {
	return newFourier("fft_fftn", x, o, false).direct(false).each()
}

// IFFTN returns the inverse of FFTN.
//
//lucid:pkg fft IFFTN
//lucid:options NOptions
//lucid:name fft_ifftn
//lucid:amp float32
func IFFTN(x *Node, o FFTNOptions) *Node {
	return newFourier("fft_ifftn", x, o, false).direct(true).each()
}

// RFFTN is FFTN of a real signal; the result has the first n/2+1 elements of the last of the dimensions.
//
//lucid:pkg fft RFFTN
//lucid:options NOptions
//lucid:name fft_rfftn
//lucid:amp float32
func RFFTN(x *Node, o FFTNOptions) *Node {
	return newFourier("fft_rfftn", x, o, false).direct(false).toHalf()
}

// IRFFTN returns the inverse of RFFTN; the length of the last of the dimensions is as for IRFFT.
//
//lucid:pkg fft IRFFTN
//lucid:options NOptions
//lucid:name fft_irfftn
//lucid:amp float32
func IRFFTN(x *Node, o FFTNOptions) *Node {
	return newFourier("fft_irfftn", x, o, true).direct(true).fromHalf()
}

// HFFTN returns the real transform of a signal with Hermitian symmetry, of which x is the first half along the last of the
// dimensions.
//
//lucid:pkg fft HFFTN
//lucid:options NOptions
//lucid:name fft_hfftn
//lucid:amp float32
func HFFTN(x *Node, o FFTNOptions) *Node {
	return newFourier("fft_hfftn", x, o, true).direct(false).fromHalf()
}

// IHFFTN returns the inverse of HFFTN.
//
//lucid:pkg fft IHFFTN
//lucid:options NOptions
//lucid:name fft_ihfftn
//lucid:amp float32
func IHFFTN(x *Node, o FFTNOptions) *Node {
	return newFourier("fft_ihfftn", x, o, false).direct(true).toHalf()
}

// FFTShiftOptions says along which dimensions.
type FFTShiftOptions struct {
	Dim []int // nil: all
}

// FFTShift moves the frequency 0 from the start of each dimension to its middle.
//
//lucid:pkg fft FFTShift
//lucid:options ShiftOptions
//lucid:name fft_fftshift
func FFTShift(x *Node, o FFTShiftOptions) *Node {
	return shiftHalf("fft_fftshift", x, o.Dim, func(n int) int { return n / 2 })
}

// IFFTShift undoes FFTShift.
//
//lucid:pkg fft IFFTShift
//lucid:options ShiftOptions
//lucid:name fft_ifftshift
func IFFTShift(x *Node, o FFTShiftOptions) *Node {
	return shiftHalf("fft_ifftshift", x, o.Dim, func(n int) int { return (n + 1) / 2 })
}

func shiftHalf(op string, x *Node, dims []int, by func(n int) int) *Node {
	if x.Rank() == 0 {
		return x
	}
	axes := shape.Axes(op, dims, x.Rank())
	shifts := make([]int, len(axes))
	for i, a := range axes {
		shifts[i] = by(x.Dim(a))
	}
	return Roll(x, shifts, RollOptions{Dims: axes})
}

// FFTFreqOptions are the distance of samples and the dtype.
type FFTFreqOptions struct {
	D     *float64    // distance in time between samples; nil: 1
	DType dtype.DType // zero: the default float
}

// FFTFreq returns the frequencies of FFT's elements, in cycles per unit of D: those of the second half are negative.
//
//lucid:pkg fft FFTFreq
//lucid:options FreqOptions
//lucid:name fft_fftfreq
func FFTFreq(n int, o FFTFreqOptions) *Node {
	return frequencies("fft_fftfreq", n, false, o)
}

// RFFTFreq returns the frequencies of RFFT's elements, in cycles per unit of D.
//
//lucid:pkg fft RFFTFreq
//lucid:options FreqOptions
//lucid:name fft_rfftfreq
func RFFTFreq(n int, o FFTFreqOptions) *Node {
	return frequencies("fft_rfftfreq", n, true, o)
}

// frequencies are those of a signal of n samples, or of the first half of its spectrum.
func frequencies(op string, n int, half bool, o FFTFreqOptions) *Node {
	d, step := floatOr(o.DType), or(o.D, 1)
	if n < 1 {
		fault.Throw(fault.Value, op, "n is %d; want 1 or more", n)
	}
	if !d.IsInexact() {
		fault.Throw(fault.DType, op, "dtype %v; want a floating or complex dtype", d)
	}
	m := n
	if half {
		m = n/2 + 1
	}
	k := ArangeOf(dtype.Scalar{Kind: dtype.KindInt}, dtype.Scalar{Kind: dtype.KindInt, I: 1}, m, dtype.Float64)
	if !half {
		k = Where(Lt(k, float64((n+1)/2)), k, Sub(k, float64(n)))
	}
	return Cast(Mul(k, 1/(float64(n)*step)), d)
}
