package format

import (
	"math"
	"strconv"

	"github.com/lucid-go/lucid/internal/dtype"
)

// column is the one notation all printed numbers of a tensor share, and the width they are padded to.
type column struct {
	kind  dtype.Kind
	prec  int
	width int
	whole bool // floats that are all integers print as "1."
	sci   bool
}

// Beyond these, plain notation would be too wide or would show too few digits of the small values.
const (
	sciRatio = 1e3
	sciMax   = 1e8
	sciMin   = 1e-4
)

// newColumn fits a column to n numbers given by at.
//
// For floats only nonzero finite numbers have a say. A lone inf or -0 wider than the rest therefore sticks out of
// its column; so it does in PyTorch.
func newColumn(o Options, kind dtype.Kind, n int, at func(int) dtype.Scalar) column {
	c := column{kind: kind, prec: o.Precision, width: 1, whole: true}
	counts := func(dtype.Scalar) bool { return true }
	if kind == dtype.KindFloat {
		counts = func(s dtype.Scalar) bool { return s.F != 0 && finite(s.F) }
		if !c.fitNotation(o.SciMode, n, at, counts) {
			return c
		}
	}
	var buf []byte
	for i := range n {
		if s := at(i); counts(s) {
			buf = c.appendBare(buf[:0], s)
			c.width = max(c.width, len(buf))
		}
	}
	return c
}

// fitNotation picks whole or fractional, plain or scientific; false means no number had a say. That wins over a
// forced scientific mode: all zeros print as "0.".
func (c *column) fitNotation(force *bool, n int, at func(int) dtype.Scalar, counts func(dtype.Scalar) bool) bool {
	lo, hi := math.Inf(1), 0.0
	for i := range n {
		s := at(i)
		if !counts(s) {
			continue
		}
		lo, hi = min(lo, math.Abs(s.F)), max(hi, math.Abs(s.F))
		c.whole = c.whole && s.F == math.Trunc(s.F)
	}
	if hi == 0 {
		return false
	}
	c.sci = hi/lo > sciRatio || hi > sciMax || lo < sciMin
	if force != nil {
		c.sci = *force
	}
	return true
}

// append writes s padded on the left to the column's width.
func (c *column) append(dst []byte, s dtype.Scalar) []byte {
	start := len(dst)
	dst = c.appendBare(dst, s)
	if pad := c.width - (len(dst) - start); pad > 0 {
		n := len(dst)
		dst = appendSpaces(dst, pad)
		copy(dst[start+pad:], dst[start:n])
		for i := range pad {
			dst[start+i] = ' '
		}
	}
	return dst
}

// appendBare writes s without padding.
func (c *column) appendBare(dst []byte, s dtype.Scalar) []byte {
	switch c.kind {
	case dtype.KindBool:
		if s.I != 0 {
			return append(dst, "True"...)
		}
		return append(dst, "False"...)
	case dtype.KindUint:
		return strconv.AppendUint(dst, uint64(s.I), 10)
	case dtype.KindInt:
		return strconv.AppendInt(dst, s.I, 10)
	}
	switch f := s.F; {
	case math.IsNaN(f):
		return append(dst, "nan"...) // the sign of a NaN is not shown
	case math.IsInf(f, 1):
		return append(dst, "inf"...)
	case math.IsInf(f, -1):
		return append(dst, "-inf"...)
	case c.sci:
		return strconv.AppendFloat(dst, f, 'e', c.prec, 64)
	case c.whole:
		return append(strconv.AppendFloat(dst, f, 'f', 0, 64), '.') // the point says: this is a float
	default:
		return strconv.AppendFloat(dst, f, 'f', c.prec, 64)
	}
}

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

func appendSpaces(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, ' ')
	}
	return dst
}
