package cpu

import (
	"slices"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/bufpool"
	"github.com/lucid-go/lucid/internal/backend/cpu/fft"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/dtype"
)

func init() {
	register(backend.Table{"fft_c2c": fftComplex, "fft_r2c": fftToHalf, "fft_c2r": fftFromHalf})
}

// flatFloats shows a contiguous view of real or complex numbers as a list of floats.
func flatFloats[T floats](v backend.View) []T {
	size := v.DType.Size()
	return elems[T](unsafe.Add(v.Base(), v.Offset()*size), v.Numel()*size/int(unsafe.Sizeof(T(0))))
}

func fftComplex(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	if in[0].DType == dtype.Complex64 {
		return fftAxes[float32](c, a.(attr.FFT), out[0], in[0])
	}
	return fftAxes[float64](c, a.(attr.FFT), out[0], in[0])
}

// serialFor runs the blocks of a kernel that is itself one of several that run at the same time.
func serialFor(n int, f func(int)) error {
	for b := range n {
		f(b)
	}
	return nil
}

// imageBytes is the size of the tensors whose dimensions are transformed one after the other while they are in the cache.
const imageBytes = 1 << 20

// lastFirst are dimensions from the last on: the first transform reads the input, and should find its rows one behind the other.
func lastFirst(axes []int) []int {
	slices.Sort(axes)
	slices.Reverse(axes)
	return axes
}

// fftAxes transforms one dimension after the other: the first reads the input, the others the result. The last dimensions, as far as they
// are a small image, go first: an image gets all of its transforms before the next.
func fftAxes[T floats](c *backend.Ctx, f attr.FFT, out, in backend.View) error {
	y := flatFloats[T](out)
	if len(y) == 0 {
		return nil
	}
	axes, dims, scale := lastFirst(f.Axes.Slice()), out.Shape.Dims(), f.Scale
	first := len(dims)
	for a, size := len(dims)-1, 1; a >= 0; a-- {
		if size *= dims[a]; 2*size*int(unsafe.Sizeof(T(0))) > imageBytes {
			break
		}
		if slices.Contains(axes, a) {
			first = a
		}
	}
	var small, rest []int
	images := 1
	for _, a := range axes {
		if a >= first {
			small = append(small, a)
		} else {
			rest = append(rest, a)
		}
	}
	for _, d := range dims[:first] {
		images *= d
	}
	stream := goesAround(out, in)
	if len(small) > 1 && images > 1 && in.Contiguous() {
		x := flatFloats[T](in)
		if last := len(rest) == 1 && dims[rest[0]] == images; stream && last && fft.GoesAround[T](images) {
			return fftApart(c, f, y, x, dims[first:], first, small, images)
		}
		if err := fftImages(c, f, y, x, dims[first:], first, small, images, stream && len(rest) == 0); err != nil {
			return err
		}
		axes, in, scale = rest, out, 1
	}
	for _, axis := range axes {
		if t, ok := scatteredRows(in, axis); ok && in.Buf != out.Buf {
			n, around := dims[axis], stream && len(axes) == 1
			err := eachTile(c, t, func(lo, count int, x []T) {
				rows := fft.Rows{Outer: count, Inner: 1, Stream: around}
				_ = fft.Complex(serialFor, y[2*lo*n:][:2*count*n], x, rows, n, f.Inverse, scale) // it cannot fail
			})
			if err != nil {
				return err
			}
			in, scale = out, 1
			continue
		}
		r, err := rowsAlong(c, in, axis)
		if err == nil {
			rows := fft.Rows{Outer: r.outer, Inner: r.inner, Stream: stream && len(axes) == 1}
			err = fft.Complex(c.For, y, elems[T](r.base, len(y)), rows, r.n, f.Inverse, scale)
		}
		if err != nil {
			return err
		}
		in, scale = out, 1
	}
	return nil
}

// fftApart transforms images, and what is at the same position of all. Between, they are in scratch, a few lines further apart than
// one behind the other: there the elements of the last transform would share a set of the cache.
func fftApart[T floats](c *backend.Ctx, f attr.FFT, y, x []T, dims []int, first int, axes []int, images int) error {
	size, unit := len(y)/images, 2*fft.Lanes[T]()
	apart := size + unit
	if size%unit != 0 {
		apart = size // there are rows that are not side by side
	}
	between, back := bufpool.Borrow[T](apart * images)
	defer back()
	err := each(c, images, func(b int) {
		to, from := between[b*apart:][:size], x[b*size:][:size]
		fftImage(to, from, to, dims, first, axes, f.Inverse, f.Scale, nil)
	})
	if err != nil {
		return err
	}
	rows := fft.Rows{Outer: 1, Inner: size / 2, Apart: apart / 2, Stream: true}
	return fft.Complex(c.For, y, between, rows, images, f.Inverse, 1)
}

// goesAround reports whether a result is so large that its last pass goes around the cache, from which it would be gone when it is read.
func goesAround(out, in backend.View) bool {
	return out.Numel()*out.DType.Size() >= StreamFrom && out.Base() != in.Base()
}

// fftImages transforms images of the given sizes along axes, which count from a tensor's dimension before the first of the sizes.
// If stream, what is between two dimensions is in scratch.
func fftImages[T floats](c *backend.Ctx, f attr.FFT, y, x []T, dims []int, first int, axes []int, images int, stream bool) error {
	size := len(y) / images
	return each(c, images, func(b int) {
		to, from := y[b*size:][:size], x[b*size:][:size]
		if !stream {
			fftImage(to, from, to, dims, first, axes, f.Inverse, f.Scale, nil)
			return
		}
		between, back := bufpool.Borrow[T](size)
		defer back()
		fftImage(to, from, between, dims, first, axes, f.Inverse, f.Scale, x[min(b+1, images-1)*size:])
	})
}

// fftImage transforms one image. All but the last results are in between, which may be y; else the last goes around the cache. What is read
// next, if it is said, is asked for with the last: it comes from memory while the image is in the cache.
func fftImage[T floats](y, x, between []T, dims []int, first int, axes []int, inverse bool, scale float64, next []T) {
	for k, axis := range axes {
		r, to := fft.Rows{Outer: 1, Inner: 1}, between
		if k == len(axes)-1 {
			r.Stream, to = &y[0] != &between[0], y
			if next != nil {
				r.Next = int(uintptr(unsafe.Pointer(&next[0])) - uintptr(unsafe.Pointer(&x[0])))
			}
		}
		for i, d := range dims {
			if first+i < axis {
				r.Outer *= d
			} else if first+i > axis {
				r.Inner *= d
			}
		}
		_ = fft.Complex(serialFor, to, x, r, dims[axis-first], inverse, scale) // it cannot fail: serialFor does not
		x, scale = to, 1
	}
}

func fftToHalf(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	if in[0].Numel() == 0 {
		return nil
	}
	if in[0].DType == dtype.Float32 {
		return toHalfAxes[float32](c, a.(attr.HalfFFT), out[0], in[0])
	}
	return toHalfAxes[float64](c, a.(attr.HalfFFT), out[0], in[0])
}

// toHalfAxes transforms real rows, and the bins along other dimensions: those of a small image before the next image.
func toHalfAxes[T floats](c *backend.Ctx, h attr.HalfFFT, out, in backend.View) error {
	others, dims, last := lastFirst(h.Others.Slice()), out.Shape.Dims(), out.Shape.Rank()-1
	if len(others) == 0 {
		return toHalf[T](c, h, out, in)
	}
	first := slices.Min(others)
	images, y := 1, flatFloats[T](out)
	for _, d := range dims[:first] {
		images *= d
	}
	if size := len(y) / images; h.Axis == last && in.Contiguous() && images > 1 && size*int(unsafe.Sizeof(T(0))) <= imageBytes {
		x, half := flatFloats[T](in), fft.Half{N: h.N, Inverse: h.Inverse, Scale: h.Scale, Middle: h.Middle}
		from, stream := len(x)/images, goesAround(out, in) && fft.ReadsFrames[T](h.N)
		return each(c, images, func(b int) {
			to, next := y[b*size:][:size], x[min(b+1, images-1)*from:]
			x := x[b*from:][:from]
			if stream {
				halfImage(to, x, half, dims[first:], first, others, next)
				return
			}
			_ = fft.ToHalf(serialFor, to, x, fft.Rows{Outer: from / h.N, Inner: 1}, half) // it cannot fail: serialFor does not
			fftImage(to, to, to, dims[first:], first, others, h.Inverse, 1, nil)
		})
	}
	if err := toHalf[T](c, h, out, in); err != nil {
		return err
	}
	return fftAxes[T](c, attr.FFT{Axes: h.Others, Inverse: h.Inverse, Scale: 1}, out, out)
}

// halfImage transforms one real image around the cache: two dimensions where a kernel does, else in scratch, whose rows are whole vectors,
// from where the bins are copied.
func halfImage[T floats](y, x []T, h fft.Half, dims []int, first int, others []int, next []T) {
	if len(dims) == 2 && fft.HalfImage(y, x, dims[0], h, next) {
		return
	}
	const some = 16 // rows that are whole lines of the cache together
	last, unit := len(dims)-1, 2*fft.Lanes[T]()
	m, rows := 2*dims[last], len(x)/h.N
	pitch := (m + unit - 1) / unit * unit
	buf, back := bufpool.Borrow[T](rows*pitch + some*m)
	defer back()
	z, few := buf[:rows*pitch], buf[rows*pitch:]
	_ = fft.ToHalf(serialFor, z, x, fft.Rows{Outer: rows, Inner: 1, Pitch: pitch}, h) // it cannot fail: serialFor does not
	for r := range rows {
		clear(z[r*pitch+m : (r+1)*pitch])
	}
	wide := slices.Clone(dims)
	wide[last] = pitch / 2
	fftImage(z, z, z, wide, first, others, h.Inverse, 1, next)
	for r := 0; r < rows; r += some {
		n := min(some, rows-r)
		for i := range n {
			copy(few[i*m:][:m], z[(r+i)*pitch:])
		}
		simd.NonTemporalCopy(bytesOf(y[r*m:][:n*m]), bytesOf(few[:n*m]))
	}
}

// bytesOf shows numbers as bytes.
func bytesOf[T floats](x []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), len(x)*int(unsafe.Sizeof(x[0])))
}

// toHalf transforms rows of real numbers. Rows that overlap, as frames of a signal do, are read where they are, or copied a few at a time.
func toHalf[T floats](c *backend.Ctx, h attr.HalfFFT, out, in backend.View) error {
	stream := goesAround(out, in) && len(h.Others.Slice()) == 0 // else it is read again
	y, half := flatFloats[T](out), fft.Half{N: h.N, Inverse: h.Inverse, Scale: h.Scale, Middle: h.Middle}
	n, m := h.N, h.N/2+1
	if t, ok := scatteredRows(in, h.Axis); ok {
		dims, strides := t.dims, t.strides
		if len(dims) == 2 { // one signal
			dims, strides = append([]int{1}, dims...), append([]int{0}, strides...)
		}
		if len(dims) == 3 && dims[2] == n && strides[2] == 1 && strides[1] > 0 && fft.ReadsFrames[T](n) {
			return framesToHalf(c, half, y, t.base, dims, strides, stream)
		}
		return eachTile(c, t, func(lo, count int, x []T) {
			_ = fft.ToHalf(serialFor, y[2*lo*m:][:2*count*m], x, fft.Rows{Outer: count, Inner: 1}, half) // it cannot fail
		})
	}
	r, err := rowsAlong(c, in, h.Axis)
	if err != nil {
		return err
	}
	sizes := fft.Rows{Outer: r.outer, Inner: r.inner, Stream: stream}
	return fft.ToHalf(c.For, y, elems[T](r.base, in.Numel()), sizes, half)
}

// framesToHalf transforms frames of signals: dims are signals, frames and the elements of one.
func framesToHalf[T floats](c *backend.Ctx, half fft.Half, y []T, base unsafe.Pointer, dims, strides []int, stream bool) error {
	const large = 1 << 17 // elements of the frames of a signal: its frames run at the same time, else several signals
	frames, m := dims[1], half.N/2+1
	signal := func(run fft.For, i int) error {
		x := elems[T](unsafe.Add(base, i*strides[0]*int(unsafe.Sizeof(T(0)))), (frames-1)*strides[1]+half.N)
		rows := fft.Rows{Outer: frames, Inner: 1, Step: strides[1], Stream: stream}
		return fft.ToHalf(run, y[2*i*frames*m:][:2*frames*m], x, rows, half)
	}
	if frames*half.N < large {
		return each(c, dims[0], func(i int) { _ = signal(serialFor, i) }) // it cannot fail
	}
	for i := range dims[0] {
		if err := signal(c.For, i); err != nil {
			return err
		}
	}
	return nil
}

func fftFromHalf(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	switch {
	case in[0].Numel() == 0:
		return nil
	case out[0].DType == dtype.Float32:
		return fromHalf[float32](c, a.(attr.HalfFFT), out[0], in[0])
	}
	return fromHalf[float64](c, a.(attr.HalfFFT), out[0], in[0])
}

func fromHalf[T floats](c *backend.Ctx, h attr.HalfFFT, out, in backend.View) error {
	y, half := flatFloats[T](out), fft.Half{N: h.N, Inverse: h.Inverse, Scale: h.Scale, Middle: h.Middle}
	if t, ok := scatteredRows(in, h.Axis); ok {
		return eachTile(c, t, func(lo, count int, x []T) {
			_ = fft.FromHalf(serialFor, y[lo*h.N:][:count*h.N], x, fft.Rows{Outer: count, Inner: 1}, half) // it cannot fail
		})
	}
	r, err := rowsAlong(c, in, h.Axis)
	if err != nil {
		return err
	}
	return fft.FromHalf(c.For, y, elems[T](r.base, 2*in.Numel()), fft.Rows{Outer: r.outer, Inner: r.inner}, half)
}
