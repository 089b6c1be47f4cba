package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/fft"
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

// fftAxes transforms one dimension after the other: the first reads the input, the others the result.
func fftAxes[T floats](c *backend.Ctx, f attr.FFT, out, in backend.View) error {
	y, scale := flatFloats[T](out), f.Scale
	if len(y) == 0 {
		return nil
	}
	for _, axis := range f.Axes.Slice() {
		r, err := rowsAlong(c, in, axis)
		if err == nil {
			err = fft.Complex(c.For, y, elems[T](r.base, len(y)), fft.Rows{Outer: r.outer, Inner: r.inner}, r.n, f.Inverse, scale)
		}
		if err != nil {
			return err
		}
		in, scale = out, 1
	}
	return nil
}

func fftToHalf(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	h := a.(attr.HalfFFT)
	r, err := rowsAlong(c, in[0], h.Axis)
	if err != nil || in[0].Numel() == 0 {
		return err
	}
	rows, half := fft.Rows{Outer: r.outer, Inner: r.inner}, fft.Half{N: h.N, Inverse: h.Inverse, Scale: h.Scale, Middle: h.Middle}
	if in[0].DType == dtype.Float32 {
		return fft.ToHalf(c.For, flatFloats[float32](out[0]), elems[float32](r.base, in[0].Numel()), rows, half)
	}
	return fft.ToHalf(c.For, flatFloats[float64](out[0]), elems[float64](r.base, in[0].Numel()), rows, half)
}

func fftFromHalf(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	h := a.(attr.HalfFFT)
	r, err := rowsAlong(c, in[0], h.Axis)
	if err != nil || in[0].Numel() == 0 {
		return err
	}
	rows, half := fft.Rows{Outer: r.outer, Inner: r.inner}, fft.Half{N: h.N, Inverse: h.Inverse, Scale: h.Scale, Middle: h.Middle}
	if out[0].DType == dtype.Float32 {
		return fft.FromHalf(c.For, flatFloats[float32](out[0]), elems[float32](r.base, 2*in[0].Numel()), rows, half)
	}
	return fft.FromHalf(c.For, flatFloats[float64](out[0]), elems[float64](r.base, 2*in[0].Numel()), rows, half)
}
