package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/par"
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
		if inner == 1 {
			return gradRows64(c, outOf[float64](out[0]), elems[float64](g, n), elems[float64](y, n), dims[axis])
		}
		return gradColumns(c, columnsF64, outOf[float64](out[0]), elems[float64](g, n), elems[float64](y, n), outer, dims[axis], inner)
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
		return gradColumns(c, columnsF32, outOf[float32](out[0]), g, y, outer, dims[axis], inner)
	}
	z := make([]float32, len(g))
	if err := gradColumns(c, columnsF32, z, g, y, outer, dims[axis], inner); err != nil {
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

// gradRows64 is softmaxGradRows for float64.
func gradRows64(c *backend.Ctx, z, g, y []float64, n int) error {
	per := max(1, softmaxElems/n)
	return c.For(ceil(len(z)/n, per), func(b int) {
		pace := par.NewPace()
		for r := b * per; r < min((b+1)*per, len(z)/n); r++ {
			z, g, y := z[r*n:(r+1)*n], g[r*n:(r+1)*n], y[r*n:(r+1)*n]
			s := simd.DotF64(g, y)
			for k, v := range y {
				z[k] = v * (g[k] - s)
			}
			pace.StepElems(2 * n)
		}
	})
}

// columnMath are the vector routines of a dtype that gradColumns uses.
type columnMath[T floats] struct{ add, sub, mul func(z, x, y []T) }

var (
	columnsF32 = columnMath[float32]{simd.AddF32, simd.SubF32, simd.MulF32}
	columnsF64 = columnMath[float64]{simd.AddF64, simd.SubF64, simd.MulF64}
)

// gradColumns works down groups of columns of (outer, n, inner).
func gradColumns[T floats](c *backend.Ctx, m columnMath[T], z, g, y []T, outer, n, inner int) error {
	const few = 16 // columns below which a loop is faster than the routines
	w := min(inner, max(softmaxCols, softmaxElems/n))
	tiles := (inner + w - 1) / w
	return c.For(outer*tiles, func(b int) {
		from := b % tiles * w
		cols := min(w, inner-from)
		buf := make([]T, 2*cols)
		sums, t := buf[:cols], buf[cols:]
		base := b/tiles*n*inner + from
		pace := par.NewPace()
		for k := range n {
			at := base + k*inner
			gk, yk := g[at:at+cols], y[at:at+cols]
			if cols < few {
				for i, v := range gk {
					sums[i] += v * yk[i]
				}
				continue
			}
			m.mul(t, gk, yk)
			m.add(sums, sums, t)
			pace.StepElems(cols)
		}
		for k := range n {
			at := base + k*inner
			zk, gk, yk := z[at:at+cols], g[at:at+cols], y[at:at+cols]
			if cols < few {
				for i, s := range sums {
					zk[i] = yk[i] * (gk[i] - s)
				}
				continue
			}
			m.sub(t, gk, sums)
			m.mul(zk, yk, t)
			pace.StepElems(cols)
		}
	})
}

func init() { register(backend.Table{"softmax_grad": softmaxGrad}) }
