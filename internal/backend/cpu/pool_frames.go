package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
)

// frames are windows of one dimension whose elements are next to each other, as those of a signal are before they are added: rows of them
// are rowStep elements apart, the frames of a row step.
type frames struct {
	at                           unsafe.Pointer
	rows, rowStep, size, n, step int
	length, hop                  int // of a row of the result, and from a frame to the next in it
}

// framesOf shows the input of a fold as frames, if it is that.
func framesOf(w attr.Pool, v backend.View) (f frames, ok bool) {
	k, dims, strides := w.In.Len(), v.Shape.Dims(), v.Strides()
	for i := range k {
		inner := i < k-1 && (w.In.At(i) != 1 || w.Kernel.At(i) != 1)
		if inner || w.Pad.At(i) != 0 || w.Dilation.At(i) != 1 {
			return f, false
		}
	}
	lead, last := len(dims)-2*k, len(dims)-1
	f = frames{at: unsafe.Add(v.Base(), v.Offset()*v.DType.Size()), rows: 1, size: dims[last-k], n: dims[last], step: strides[last],
		length: w.In.At(k - 1), hop: w.Stride.At(k - 1)}
	for i := lead - 1; i >= 0; i-- {
		switch {
		case dims[i] == 1:
			continue
		case f.rows == 1:
			f.rowStep = strides[i]
		case strides[i] != f.rows*f.rowStep:
			return f, false
		}
		f.rows *= dims[i]
	}
	return f, (strides[last-k] == 1 || f.size == 1) && f.step >= 0 && f.rowStep >= 0
}

// addFrames is poolFold of frames: the same sums in the same order, a piece of a row at a time.
func addFrames[T floats](c *backend.Ctx, f frames, z []T, add func(z, x, y []T)) error {
	const piece = 1 << 14
	pieces := ceil(f.length, piece)
	x := elems[T](f.at, (f.rows-1)*f.rowStep+(f.n-1)*f.step+f.size)
	return each(c, f.rows*pieces, func(b int) {
		r, lo := b/pieces, b%pieces*piece
		hi := min(lo+piece, f.length)
		row := z[r*f.length:][:f.length]
		clear(row[lo:hi])
		for o := min(f.n-1, (hi-1)/f.hop); o >= 0 && o*f.hop+f.size > lo; o-- {
			at := o * f.hop
			from, to := max(lo, at), min(hi, at+f.size)
			add(row[from:to], row[from:to], x[r*f.rowStep+o*f.step+from-at:][:to-from])
		}
	})
}
