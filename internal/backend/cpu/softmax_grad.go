package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/dtype"
)

// softmaxGrad is y·(g - Σ g·y) along one dimension. Rows along the last dimension use the vector routines; others are
// summed column by column in the order of memory.
func softmaxGrad(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	if out[0].Numel() == 0 {
		return nil
	}
	dims, axis := in[0].Shape.Dims(), a.(attr.Axis).Axis
	outer, inner := aroundAxis(dims, axis)
	if in[0].DType == dtype.Float64 {
		g, err := dense(c, in[0])
		if err != nil {
			return err
		}
		y, err := dense(c, in[1])
		if err != nil {
			return err
		}
		n := in[0].Numel()
		return gradColumns(c, outOf[float64](out[0]), elems[float64](g, n), elems[float64](y, n), outer, dims[axis], inner)
	}
	if inner == 1 {
		return softmaxGradRows(c, out[0], in, outer, dims[axis])
	}
	g, err := denseF32(c, in[0])
	if err != nil {
		return err
	}
	y, err := denseF32(c, in[1])
	if err != nil {
		return err
	}
	if in[0].DType == dtype.Float32 {
		return gradColumns(c, outOf[float32](out[0]), g, y, outer, dims[axis], inner)
	}
	z := make([]float32, len(g))
	if err := gradColumns(c, z, g, y, outer, dims[axis], inner); err != nil {
		return err
	}
	return storeHalf(c, out[0], z)
}

func softmaxGradRows(c *backend.Ctx, out backend.View, in []backend.View, rows, n int) error {
	g, err := dense(c, in[0])
	if err != nil {
		return err
	}
	y, err := dense(c, in[1])
	if err != nil {
		return err
	}
	past := in[0].DType == dtype.Float32 && streams(rows, n)
	row := func(z, g, y, next []float32) {
		s := simd.DotF32(g, y)
		if past {
			simd.SubTimesStreamF32(z, g, y, next, s)
		} else {
			simd.SubTimesF32(z, g, y, s)
		}
	}
	z, d := unsafe.Pointer(unsafe.SliceData(out.Bytes())), in[0].DType
	per := max(1, softmaxElems/n)
	return c.For((rows+per-1)/per, func(b int) {
		withScratch(2*n, func(t []float32) {
			for r := b * per; r < min((b+1)*per, rows); r++ {
				at := r * n * d.Size()
				if d == dtype.Float32 {
					ahead := min(r+1, rows-1) * n * 4
					row(elems[float32](unsafe.Add(z, at), n), elems[float32](unsafe.Add(g, at), n), elems[float32](unsafe.Add(y, at), n),
						elems[float32](unsafe.Add(g, ahead), n))
					continue
				}
				widener(d)(t[:n], unsafe.Add(g, at))
				widener(d)(t[n:], unsafe.Add(y, at))
				row(t[:n], t[:n], t[n:], nil)
				narrower(d)(unsafe.Add(z, at), t[:n])
			}
		})
		if past {
			simd.Fence()
		}
	})
}

// gradColumns works down groups of columns of (outer, n, inner).
func gradColumns[T floats](c *backend.Ctx, z, g, y []T, outer, n, inner int) error {
	w := min(inner, max(softmaxCols, softmaxElems/n))
	tiles := (inner + w - 1) / w
	return c.For(outer*tiles, func(b int) {
		from := b % tiles * w
		cols := min(w, inner-from)
		sums := make([]T, cols)
		base := b/tiles*n*inner + from
		for k := range n {
			at := base + k*inner
			for i, v := range g[at : at+cols] {
				sums[i] += v * y[at+i]
			}
		}
		for k := range n {
			at := base + k*inner
			for i, s := range sums {
				z[at+i] = y[at+i] * (g[at+i] - s)
			}
		}
	})
}

func init() { register(backend.Table{"softmax_grad": softmaxGrad}) }
