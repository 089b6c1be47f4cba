package ops

import (
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/shape"
)

// LinspaceOptions says what dtype the result has; zero: the default float, or complex if an end is.
type LinspaceOptions struct {
	DType dtype.DType // zero: the default float
}

// Linspace returns steps numbers from start to end, both included, evenly spaced. The second half is counted back from
// end, so that end is met exactly. Integers are cut towards zero.
//
//lucid:name linspace
func Linspace(start, end any, steps int, o LinspaceOptions) *Node {
	d, work := spaceType("linspace", start, end, o.DType)
	return Cast(linspace("linspace", start, end, steps, d, work), d)
}

// spaceType is the dtype of an evenly spaced sequence, and the one it is computed in.
func spaceType(op string, start, end any, d dtype.DType) (of, work dtype.DType) {
	cplx := false
	for _, v := range []any{start, end} {
		s, ok := dtype.ScalarOf(v)
		if !ok {
			fault.Throw(fault.DType, op, "an end is a %T; want a number", v)
		}
		cplx = cplx || s.Kind == dtype.KindComplex
	}
	switch {
	case d == dtype.Invalid && cplx:
		d = DefaultFloat().Complex()
	case d == dtype.Invalid:
		d = DefaultFloat()
	case d == dtype.Bool || cplx && !d.IsComplex():
		fault.Throw(fault.DType, op, "dtype %v does not hold a sequence from %v to %v", d, start, end)
	}
	if d.IsComplex() {
		return d, dtype.Complex128
	}
	return d, dtype.Float64
}

func linspace(op string, start, end any, steps int, d, work dtype.DType) *Node {
	if steps < 0 {
		fault.Throw(fault.Value, op, "steps is %d; want 0 or more", steps)
	}
	first, last := endOf(d, start), endOf(d, end)
	if steps < 2 {
		return FullOf(shape.Of(op, steps), work, first)
	}
	step := (last.Complex() - first.Complex()) / complex(float64(steps-1), 0)
	i := Cast(ArangeOf(dtype.Scalar{Kind: dtype.KindInt}, dtype.Scalar{Kind: dtype.KindInt, I: 1}, steps, dtype.Float64), work)
	at := func(x *Node, from dtype.Scalar) *Node {
		by := scalar(work, dtype.Scalar{Kind: dtype.KindComplex, F: real(step), G: imag(step)})
		return Add(Mul(x, by), scalar(work, from))
	}
	back := Sub(i, float64(steps-1))
	return Where(Lt(realPart(i), float64(steps/2)), at(i, first), at(back, last))
}

func realPart(x *Node) *Node {
	if x.DType().IsComplex() {
		return Real(x)
	}
	return x
}

// endOf reads an end of the sequence; for an integer dtype it is cut to an integer first.
func endOf(d dtype.DType, v any) dtype.Scalar {
	s, _ := dtype.ScalarOf(v)
	if d.IsInteger() {
		return dtype.Scalar{Kind: dtype.KindFloat, F: float64(s.Int())}
	}
	return s
}

// LogspaceOptions says the base (nil: 10) and the dtype of the result.
type LogspaceOptions struct {
	Base  *float64
	DType dtype.DType // zero: the default float
}

// Logspace returns base raised to steps exponents, evenly spaced from start to end.
//
//lucid:name logspace
func Logspace(start, end any, steps int, o LogspaceOptions) *Node {
	base := 10.0
	if o.Base != nil {
		base = *o.Base
	}
	d, work := spaceType("logspace", start, end, o.DType)
	exps := linspace("logspace", start, end, steps, d, work)
	return Cast(Pow(Number(work, base), exps), d)
}

// EyeOptions says how many columns there are (nil: as many as rows) and the dtype; zero: the default float.
type EyeOptions struct {
	M     *int
	DType dtype.DType // zero: the default float
}

// Eye returns a matrix of n rows with ones on its diagonal and zeros elsewhere.
//
//lucid:name eye
//lucid:alias identity
func Eye(n int, o EyeOptions) *Node {
	m, d := n, o.DType
	if o.M != nil {
		m = *o.M
	}
	if d == dtype.Invalid {
		d = DefaultFloat()
	}
	if n < 0 || m < 0 {
		fault.Throw(fault.Value, "eye", "%d rows and %d columns; want 0 or more", n, m)
	}
	return Cast(Eq(Reshape(Arange64(n), n, 1), Arange64(m)), d)
}
