package ops

import (
	"math"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
)

// The functions of this package check their arguments, so Infer and the kernels trust them: kernels index memory by what the
// attributes say. A graph that was not recorded by these functions, such as one of a file, must pass Validate first. The
// validate_*.go files hold the rules that declarations name.

// Validate panics with a typed error unless the op may be recorded over these operands: after it, kernels read and write
// only their operands' memory, and there is a kernel for the operands' dtypes.
func Validate(op *graph.Op, a attr.Attr, in []*Node) {
	c := check{op: op.Name, a: a, in: in}
	if op.NotInFiles != "" {
		fault.Throw(fault.NotImplemented, op.Name, "a file cannot hold it: %s", op.NotInFiles)
	}
	c.must(op.Inputs.Takes(len(in)), "has %v inputs, not %d", op.Inputs, len(in))
	for _, x := range in {
		c.must(!x.IsTuple(), "an operand has several values")
		c.must(op.DTypes == 0 || op.DTypes.Has(x.DType()), "an operand of %v; want one of %v", x.DType(), op.DTypes)
	}
	op.Validate(op, a, in)
}

// check is an op over operands that are not trusted yet.
type check struct {
	op string
	a  attr.Attr
	in []*Node
}

// rule makes the Validate of a declaration.
func rule(f func(c check)) func(*graph.Op, attr.Attr, []*Node) {
	return func(op *graph.Op, a attr.Attr, in []*Node) { f(check{op: op.Name, a: a, in: in}) }
}

// alike is the Validate of elementwise ops without attributes: operands of one shape and dtype.
func alike(op *graph.Op, a attr.Attr, in []*Node) {
	c := check{op: op.Name, a: a, in: in}
	c.none()
	c.alike()
}

// must refuses the operands unless ok.
func (c check) must(ok bool, format string, args ...any) {
	if !ok {
		fault.Throw(fault.Format, c.op, format, args...)
	}
}

// inputs asks for n operands, where their number depends on the attribute.
func (c check) inputs(n int) {
	c.must(len(c.in) == n, "has %d inputs, not %d", n, len(c.in))
}

// alike asks for operands of one shape and dtype.
func (c check) alike() {
	c.sameShape()
	c.sameDType(c.in)
}

// sameShape asks elementwise operands to have one shape; immediates fit any.
func (c check) sameShape() {
	s := outShape(c.in...)
	for _, x := range c.in {
		c.must(x.IsConst() || x.Shape().Equal(s), "operands of shapes %v and %v", s, x.Shape())
	}
}

func (c check) sameDType(in []*Node) {
	for _, x := range in {
		c.must(x.DType() == in[0].DType(), "operands of dtypes %v and %v", in[0].DType(), x.DType())
	}
}

// attrOf returns the attribute, which must be a T.
func attrOf[T any](c check) T {
	a, ok := c.a.(T)
	c.must(ok, "has an attribute of type %T, not %T", a, c.a)
	return a
}

func (c check) axis(axis int, x *Node) {
	c.must(axis >= 0 && axis < x.Rank(), "dim %d of an operand of shape %v", axis, x.Shape())
}

// real asks for numbers that have an order.
func (c check) real(x *Node) {
	c.must(!x.DType().IsComplex(), "has no meaning for %v", x.DType())
}

// number refuses truth values.
func (c check) number(x *Node) {
	c.must(x.DType() != dtype.Bool, "has no meaning for %v", x.DType())
}

func (c check) inexact(x *Node) {
	c.must(x.DType().IsInexact(), "has no meaning for %v", x.DType())
}

func (c check) floating(x *Node) {
	c.must(x.DType().IsFloat(), "has no meaning for %v", x.DType())
}

// most bounds numbers in attributes, so that a few of them can be multiplied without overflow.
const most = 1 << 31

// within asks every number of a list to be at least low, and not huge.
func (c check) within(v attr.Ints, low int) {
	for i := range v.Len() {
		c.must(v.At(i) >= low && v.At(i) <= most, "the number %d in an attribute", v.At(i))
	}
}

func validateCast(c check) {
	c.alike()
	c.must(attrOf[attr.Cast](c).To.Valid(), "to no dtype")
}

func validateWrapIndex(c check) {
	c.alike()
	c.must(c.in[0].DType() == dtype.Int64 && attrOf[attr.Bound](c).Size >= 0, "of %v", c.in[0].DType())
}

func validateRequire(c check) {
	c.alike()
	d := c.in[0].DType()
	c.must((d == dtype.Float32 || d == dtype.Float64) && attrOf[attr.Domain](c).Rule.Valid(), "of %v", d)
}

func validateSoftplus(c check) {
	c.alike()
	attrOf[attr.Softplus](c)
}

func validatePolygamma(c check) {
	c.alike()
	n := attrOf[attr.Order](c).N
	c.must(n >= 0 && n < 1<<16, "of order %d", n)
}

func validatePolynomial(c check) {
	c.alike()
	p := attrOf[attr.Polynomial](c)
	c.must(p.Family <= attr.Legendre && p.Derivative >= 0 && p.Derivative < 1<<16, "%+v", p)
}

func validateWhere(c check) {
	c.none()
	c.sameShape()
	c.must(c.in[0].DType() == dtype.Bool, "a condition of %v", c.in[0].DType())
	c.sameDType(c.in[1:])
}

func validateWithGrad(c check) {
	c.none()
	c.alike()
}

func validateComplex(c check) {
	c.none()
	c.alike()
	d := c.in[0].DType()
	c.must(d == dtype.Float32 || d == dtype.Float64, "parts of %v", d)
}

func validateConst(c check) {
	k := attrOf[attr.Const](c)
	c.must(k.DType.Valid() && k.Value.Kind == k.DType.Kind(), "an immediate of %v", k.DType)
}

func validateArange(c check) {
	r := attrOf[attr.Arange](c)
	number := func(s dtype.Scalar) bool {
		return s.Kind == dtype.KindInt || s.Kind == dtype.KindFloat || s.Kind == dtype.KindUint
	}
	c.must(r.N >= 0 && (r.DType.IsInteger() || r.DType.IsFloat()) && number(r.Start) && number(r.Step), "%d elements of %v", r.N, r.DType)
}

func validateTable(c check) {
	t := attrOf[attr.Table](c)
	c.within(t.Dims, 0)
	n := float64(t.DType.Size())
	for i := range t.Dims.Len() {
		n *= float64(t.Dims.At(i))
	}
	c.must(t.DType.Valid() && n == float64(len(t.Data)), "%d bytes for %v of sizes %v", len(t.Data), t.DType, t.Dims)
}

// none asks for no attribute.
func (c check) none() { c.must(c.a == nil, "has no attributes, not %T", c.a) }

// reach is the lowest and highest element that strides reach from an offset; ok is false if they are beyond all memory.
func reach(dims, strides []int, offset int) (lo, hi int, ok bool) {
	l, h := float64(offset), float64(offset)
	for i, d := range dims {
		if d == 0 {
			return 0, 0, true
		}
		far := float64(strides[i]) * float64(d-1)
		l, h = l+math.Min(far, 0), h+math.Max(far, 0)
	}
	return int(l), int(h), l >= 0 && h < 1<<53
}
