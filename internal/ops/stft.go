package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/shape"
)

// STFTOptions say how a signal is cut into frames.
type STFTOptions struct {
	NFFT       int    `lucid:"n_fft"` // length of a frame and of its transform
	HopLength  *int   // from one frame to the next; nil: a quarter of NFFT
	WinLength  *int   // length of the window, in the middle of the frame; nil: NFFT
	NoCenter   bool   `lucid:"center,not"` // frames begin, and are not centred, at multiples of HopLength (center=False)
	PadMode    string // how a signal is extended so that frames can be centred at its ends; "": reflect
	Normalized bool   // divide by the root of NFFT
	Onesided   *bool  // only the first NFFT/2+1 bins; nil: if signal and window are real
	ReturnReal bool   `lucid:"return_complex,not"` // parts along a last dimension of size 2 (return_complex=False)
}

// ISTFTOptions say how a signal was cut into frames, and how long it was.
type ISTFTOptions struct {
	NFFT          int   `lucid:"n_fft"` // length of a frame
	HopLength     *int  // from one frame to the next; nil: a quarter of NFFT
	WinLength     *int  // length of the window, in the middle of the frame; nil: NFFT
	NoCenter      bool  `lucid:"center,not"` // frames begin, and were not centred, at multiples of HopLength (center=False)
	Normalized    bool  // the transform was divided by the root of NFFT
	Onesided      *bool // only the first NFFT/2+1 bins are given; nil: if there are less than NFFT
	Length        *int  // of the signal; nil: what whole frames give
	ReturnComplex bool  // the signal is complex
}

// frames are the sizes of a short-time transform.
type frames struct {
	op            string
	n, hop, width int
	window        *Node // of n elements; nil: ones
}

func newFrames(op string, nfft int, hop, width *int, window *Node) frames {
	f := frames{op: op, n: nfft, hop: orElse(hop, nfft/4), width: orElse(width, nfft)}
	switch {
	case f.n < 1 || f.n > most:
		fault.Throw(fault.Value, op, "n_fft is %d; want 1 or more", f.n)
	case f.hop < 1:
		fault.Throw(fault.Value, op, "hop_length is %d; want 1 or more", f.hop)
	case f.width < 1 || f.width > f.n:
		fault.Throw(fault.Value, op, "win_length is %d; want 1 to n_fft, which is %d", f.width, f.n)
	}
	if window != nil {
		if window.Rank() != 1 || window.Dim(0) != f.width {
			fault.Throw(fault.Shape, op, "the window has shape %v; want one dimension of win_length, %d", window.Shape(), f.width)
		}
		f.window = prepared(op, window)
	} else if f.width < f.n {
		f.window = broadcastTo(scalar(dtype.Float32, dtype.Scalar{Kind: dtype.KindFloat, F: 1}), shape.Of(op, f.width))
	}
	if f.width < f.n {
		left := (f.n - f.width) / 2
		f.window = padConstant(f.window, []int{left}, []int{f.n - f.width - left}, nil)
	}
	return f
}

func normOf(normalized bool, otherwise string) string {
	if normalized {
		return "ortho"
	}
	return otherwise
}

// STFT cuts a signal, (length) or (batch, length), into overlapping frames, multiplies each by the window and transforms it. The result
// is (batch, bins, frames).
//
//lucid:func
//lucid:optional window
//lucid:amp float32
func STFT(x, window *Node, o STFTOptions) *Node {
	const op = "stft"
	f := newFrames(op, o.NFFT, o.HopLength, o.WinLength, window)
	if x.Rank() != 1 && x.Rank() != 2 {
		fault.Throw(fault.Shape, op, "the signal has shape %v; want (length) or (batch, length)", x.Shape())
	}
	x = prepared(op, x)
	complex := x.DType().IsComplex() || f.window != nil && f.window.DType().IsComplex()
	if complex && o.Onesided != nil && *o.Onesided {
		fault.Throw(fault.Value, op, "onesided is for a real signal and window, not for %v", x.DType())
	}
	flat := x.Rank() == 1
	if flat {
		x = Unsqueeze(x, 0)
	}
	if !o.NoCenter {
		mode := o.PadMode
		if mode == "" {
			mode = "reflect"
		}
		x = Pad(x, []int{f.n / 2, f.n / 2}, PadOptions{Mode: mode})
	}
	if x.Dim(1) < f.n {
		fault.Throw(fault.Shape, op, "the signal has %d elements with its padding, less than one frame of n_fft=%d", x.Dim(1), f.n)
	}
	y := Unfold(x, 1, f.n, f.hop)
	if f.window != nil {
		if window == nil {
			f.window = Cast(f.window, x.DType())
		}
		y = Mul(y, f.window)
	}
	t := FFTOptions{Norm: normOf(o.Normalized, "backward")}
	if !complex && orElse(o.Onesided, true) {
		y = RFFT(y, t)
	} else {
		y = FFT(y, t)
	}
	y = Transpose(y, 1, 2)
	if flat {
		y = Squeeze(y, 0)
	}
	if o.ReturnReal {
		return ViewAsReal(y)
	}
	return y
}

// ISTFT returns the signal whose frames STFT transformed, the one of least squares if there is none: frames are added, and divided by the
// sum of the squares of their windows, which must be above 1e-11 everywhere.
//
//lucid:func
//lucid:optional window
//lucid:amp float32
func ISTFT(x, window *Node, o ISTFTOptions) *Node {
	const op = "istft"
	f := newFrames(op, o.NFFT, o.HopLength, o.WinLength, window)
	if x.Rank() != 2 && x.Rank() != 3 {
		fault.Throw(fault.Shape, op, "the spectra have shape %v; want (bins, frames) or (batch, bins, frames)", x.Shape())
	}
	if !x.DType().IsComplex() {
		fault.Throw(fault.DType, op, "the spectra are %v; want complex numbers, of pairs by view_as_complex", x.DType())
	}
	if f.window != nil && f.window.DType().IsComplex() && !o.ReturnComplex {
		fault.Throw(fault.DType, op, "the window is %v; want a real one, or return_complex", f.window.DType())
	}
	if f.hop > f.width {
		fault.Throw(fault.Value, op, "hop_length %d leaves gaps between windows of %d; want at most as many", f.hop, f.width)
	}
	flat := x.Rank() == 2
	if flat {
		x = Unsqueeze(x, 0)
	}
	half := orElse(o.Onesided, x.Dim(1) != f.n)
	bins := f.n
	if half {
		bins = f.n/2 + 1
	}
	if x.Dim(1) != bins || x.Dim(2) == 0 {
		fault.Throw(fault.Shape, op, "%v has %d bins and %d frames; want %d bins for n_fft=%d, and 1 frame or more",
			x.Shape(), x.Dim(1), x.Dim(2), bins, f.n)
	}
	if half && o.ReturnComplex {
		fault.Throw(fault.Value, op, "half a spectrum (onesided) is that of a real signal; return_complex needs all bins")
	}
	x = Transpose(x, 1, 2)
	t := FFTOptions{N: f.n, Norm: normOf(o.Normalized, "backward")}
	var y *Node
	switch {
	case o.ReturnComplex:
		y = IFFT(x, t)
	case half:
		y = IRFFT(x, t)
	default:
		y = IRFFT(Narrow(x, 2, 0, f.n/2+1), t)
	}
	real := y.DType().Real()
	w := broadcastTo(scalar(real, dtype.Scalar{Kind: dtype.KindFloat, F: 1}), shape.Of(op, f.n))
	if f.window != nil {
		w = Cast(f.window, real)
		if f.window.DType().IsComplex() {
			w = Cast(f.window, y.DType())
		}
		y = Mul(y, w)
	}
	y = f.trim(f.add(y), x.Dim(1), o, f.envelope(w, x.Dim(1)))
	if flat {
		y = Squeeze(y, 0)
	}
	return y
}

// length is that of n frames that overlap.
func (f frames) length(n int) int { return f.n + f.hop*(n-1) }

// add puts frames (batch, frames, n) down at their positions and sums them.
func (f frames) add(y *Node) *Node {
	if y.DType().IsComplex() {
		return Complex(f.add(Real(y)), f.add(Imag(y)))
	}
	total := f.length(y.Dim(1))
	z := Fold(Transpose(y, 1, 2), []int{1, total}, []int{1, f.n}, FoldOptions{Stride: []int{1, f.hop}})
	return Reshape(z, y.Dim(0), total)
}

// envelope is the sum of the squares of n windows at their positions.
func (f frames) envelope(w *Node, n int) *Node {
	square := broadcastTo(Reshape(Square(w), 1, 1, f.n), shape.Of(f.op, 1, n, f.n))
	return f.add(square)
}

// trim takes the padding away and divides by the envelope; what is after the last frame is 0.
func (f frames) trim(y *Node, n int, o ISTFTOptions, envelope *Node) *Node {
	total, start := f.length(n), 0
	if !o.NoCenter {
		start = f.n / 2
	}
	end := total - start
	if o.Length != nil {
		if *o.Length < 0 || *o.Length > most {
			fault.Throw(fault.Value, f.op, "length is %d; want 0 or more", *o.Length)
		}
		end = start + *o.Length
	}
	stop := max(start, min(end, total))
	if o.Length == nil && stop == start {
		fault.Throw(fault.Shape, f.op, "%d frames leave nothing of the signal; give its length", n)
	}
	y, envelope = Narrow(y, 1, start, stop-start), Narrow(envelope, 1, start, stop-start)
	size := Abs(envelope)
	if envelope.DType().IsComplex() {
		envelope = Complex(require(f.op, attr.Envelope, Real(envelope), size), Imag(envelope))
	} else {
		envelope = require(f.op, attr.Envelope, envelope, size)
	}
	y = Div(y, envelope)
	if end > stop {
		y = padConstant(y, []int{0, 0}, []int{0, end - stop}, nil)
	}
	return y
}
