package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/par"
)

func init() { register(backend.Table{"class_nll_grad": classNLLGrad}) }

// classNLLRows are the operands of class_nll_grad that have one element for each row.
type classNLLRows[T floats] struct {
	lse, s, g []T
	target    []int64
	n, inner  int
}

// classNLLGrad computes exp(x - lse)·s and takes g off at the target, row by row along the last dimension, class by class
// along another.
func classNLLGrad(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	if out[0].Numel() == 0 {
		return nil
	}
	if in[0].DType == dtype.Float64 {
		load := func(v backend.View) ([]float64, error) {
			p, err := dense(c, v)
			return elems[float64](p, v.Numel()), err
		}
		r, err := classNLLOperands(c, a, in, load)
		if err != nil {
			return err
		}
		x, err := load(in[0])
		if err != nil {
			return err
		}
		z := outOf[float64](out[0])
		if r.inner > 1 {
			return r.columns(c, z, x, simd.SubF64, simd.ExpF64, simd.MulF64)
		}
		return r.each(c, z, x, simd.ExpF64)
	}
	r, err := classNLLOperands(c, a, in, func(v backend.View) ([]float32, error) { return denseF32(c, v) })
	if err != nil {
		return err
	}
	half := in[0].DType != dtype.Float32
	x, err := denseF32(c, in[0])
	if err != nil {
		return err
	}
	z := x
	if !half {
		z = outOf[float32](out[0])
	}
	if r.inner > 1 {
		err = r.columns(c, z, x, simd.SubF32, simd.ExpF32, simd.MulF32)
	} else {
		err = classNLLGradRows(c, r, unsafe.Pointer(unsafe.SliceData(z)), unsafe.Pointer(unsafe.SliceData(x)))
	}
	if err != nil || !half {
		return err
	}
	return storeHalf(c, out[0], x)
}

func classNLLOperands[T floats](c *backend.Ctx, a attr.Attr, in []backend.View,
	load func(backend.View) ([]T, error)) (*classNLLRows[T], error) {
	axis, dims := a.(attr.Axis).Axis, in[0].Shape.Dims()
	r := &classNLLRows[T]{n: dims[axis], inner: volume(dims[axis+1:])}
	t, err := dense(c, in[2])
	if err != nil {
		return nil, err
	}
	r.target = elems[int64](t, in[2].Numel())
	for _, k := range r.target {
		if k < 0 || k >= int64(r.n) {
			return nil, fault.New(fault.Index, "cross_entropy", "target %d is out of range for %d classes", k, r.n)
		}
	}
	for i, p := range map[int]*[]T{1: &r.lse, 3: &r.s, 4: &r.g} {
		if *p, err = load(in[i]); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// each is the way of float64 along the last dimension, by pieces of rows.
func (r *classNLLRows[T]) each(c *backend.Ctx, z, x []T, exp func(z, x []T)) error {
	const piece = 1 << 12
	pieces := ceil(r.n, piece)
	group := max(1, piece/r.n)
	return c.For(ceil(len(r.lse), group)*pieces, func(b int) {
		lo := b % pieces * piece
		m := min(piece, r.n-lo)
		for i := b / pieces * group; i < min((b/pieces+1)*group, len(r.lse)); i++ {
			out, in, lse, s := z[i*r.n+lo:][:m], x[i*r.n+lo:][:m], r.lse[i], r.s[i]
			for k, v := range in {
				out[k] = v - lse
			}
			exp(out, out)
			for k := range out {
				out[k] *= s
			}
			if k := int(r.target[i]) - lo; k >= 0 && k < m {
				out[k] -= r.g[i]
			}
		}
	})
}

// columns is the way along another dimension than the last: neighbours are of different rows, whose numbers are vectors. z may be x.
func (r *classNLLRows[T]) columns(c *backend.Ctx, z, x []T, sub func(z, x, y []T), exp func(z, x []T), mul func(z, x, y []T)) error {
	wide := min(r.inner, tileElems)
	tiles, classes := ceil(r.inner, wide), max(1, blockElems/2/wide)
	pieces := ceil(r.n, classes)
	return c.For(len(x)/(r.n*r.inner)*pieces*tiles, func(b int) {
		o, first, lo := b/(pieces*tiles), b/tiles%pieces*classes, b%tiles*wide
		last, w := min(first+classes, r.n), min(wide, r.inner-lo)
		row := o*r.inner + lo
		lse, s := r.lse[row:row+w], r.s[row:row+w]
		pace := par.NewPace()
		for k := first; k < last; k++ {
			at := (o*r.n+k)*r.inner + lo
			out := z[at : at+w]
			sub(out, x[at:at+w], lse)
			exp(out, out)
			mul(out, out, s)
			pace.StepElems(w)
		}
		for i, k := range r.target[row : row+w] {
			if k := int(k); k >= first && k < last {
				z[(o*r.n+k)*r.inner+lo+i] -= r.g[row+i]
			}
		}
	})
}

// classNLLGradRows is the way of float32 along the last dimension; long rows are cut into pieces.
func classNLLGradRows(c *backend.Ctx, r *classNLLRows[float32], z, x unsafe.Pointer) error {
	rows, piece := len(r.lse), min(r.n, softmaxElems)
	pieces := (r.n + piece - 1) / piece
	group := max(1, softmaxElems/r.n)
	stream := streams(rows, r.n) && z != x
	return c.For((rows+group-1)/group*pieces, func(b int) {
		lo := b % pieces * piece
		m := min(piece, r.n-lo)
		for i := b / pieces * group; i < min((b/pieces+1)*group, rows); i++ {
			at := 4 * (i*r.n + lo)
			out, in := elems[float32](unsafe.Add(z, at), m), elems[float32](unsafe.Add(x, at), m)
			if stream {
				simd.ExpSubTimesStreamF32(out, in, in, r.lse[i], r.s[i])
				simd.Fence()
			} else {
				simd.ExpSubTimesF32(out, in, r.lse[i], r.s[i])
			}
			if k := int(r.target[i]) - lo; k >= 0 && k < m {
				out[k] -= r.g[i]
			}
		}
	})
}
