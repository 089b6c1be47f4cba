package ref

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
)

// fn computes one element.
type fn func(a attr.Attr, x []dtype.Scalar) dtype.Scalar

// elementwise makes a kernel of a function of one element of each input.
func elementwise(f fn) backend.Kernel {
	return func(_ *backend.Ctx, a attr.Attr, out, in []backend.View) error {
		z := out[0]
		cs := make([]*cursor, len(in))
		for i, v := range in {
			cs[i] = newCursor(v)
		}
		x := make([]dtype.Scalar, len(in))
		res := make([]dtype.Scalar, z.Numel()) // outputs may share an input's buffer
		for i := range res {
			for k, c := range cs {
				x[k] = in[k].DType.Get(in[k].Buf.Mem, c.off)
				c.next()
			}
			res[i] = f(a, x)
		}
		store(z, res)
		return nil
	}
}

// ffn makes fn of a real function; complex inputs go to c.
func ffn(f func(float64) float64, c func(complex128) complex128) fn {
	return func(_ attr.Attr, x []dtype.Scalar) dtype.Scalar {
		if x[0].Kind == dtype.KindComplex {
			return cmplx128(c(x[0].Complex()))
		}
		return float(f(x[0].Float()))
	}
}

// arith makes fn of a binary function for each kind of number.
func arith(i func(x, y int64) int64, f func(x, y float64) float64, c func(x, y complex128) complex128) fn {
	return func(_ attr.Attr, x []dtype.Scalar) dtype.Scalar {
		switch x[0].Kind {
		case dtype.KindFloat:
			return float(f(x[0].F, x[1].F))
		case dtype.KindComplex:
			return cmplx128(c(x[0].Complex(), x[1].Complex()))
		}
		return dtype.Scalar{Kind: x[0].Kind, I: i(x[0].I, x[1].I)}
	}
}
