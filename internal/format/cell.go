package format

import (
	"bytes"

	"github.com/lucid-go/lucid/internal/dtype"
)

// cells writes elements of one dtype: one column, or two for the parts of complex numbers.
type cells struct {
	re      column
	im      column
	complex bool
}

// newCells fits columns to the shown elements. Each part of a complex tensor is fitted on its own, so one may be
// scientific and the other not.
func newCells(o Options, d dtype.DType, vals []dtype.Scalar) cells {
	at := func(i int) dtype.Scalar { return vals[i] }
	if !d.IsComplex() {
		return cells{re: newColumn(o, d.Kind(), len(vals), at)}
	}
	return cells{
		re:      newColumn(o, dtype.KindFloat, len(vals), at),
		im:      newColumn(o, dtype.KindFloat, len(vals), func(i int) dtype.Scalar { return imagPart(vals[i]) }),
		complex: true,
	}
}

// width is what line breaking reckons with; a complex cell has a "j" but its sign counts for nothing.
func (c *cells) width() int {
	if c.complex {
		return c.re.width + c.im.width + 1
	}
	return c.re.width
}

// append writes one element. The imaginary part loses its padding, so that sign and digits stand together.
func (c *cells) append(dst []byte, s dtype.Scalar) []byte {
	dst = c.re.append(dst, s)
	if !c.complex {
		return dst
	}
	part := bytes.TrimLeft(c.im.append(nil, imagPart(s)), " ")
	if part[0] != '-' {
		dst = append(dst, '+')
	}
	return append(append(dst, part...), 'j')
}

func imagPart(s dtype.Scalar) dtype.Scalar { return dtype.Scalar{Kind: dtype.KindFloat, F: s.G} }

// conform brings s to the kind of d, so that a caller may give a Go number for an element of any dtype.
func conform(d dtype.DType, s dtype.Scalar) dtype.Scalar {
	k := d.Kind()
	if s.Kind == k {
		return s
	}
	z := dtype.Scalar{Kind: k}
	switch k {
	case dtype.KindBool:
		if s.I != 0 || s.F != 0 || s.G != 0 {
			z.I = 1
		}
	case dtype.KindUint:
		z.I = s.I
		if s.Kind >= dtype.KindFloat {
			z.I = int64(dtype.TruncUint(s.F))
		}
	case dtype.KindInt:
		z.I = s.Int()
	default:
		z.F, z.G = s.Float(), s.G
	}
	return z
}
