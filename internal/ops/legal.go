package ops

import (
	"math"
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
)

// Doors check arguments, so Infer and the kernels trust them: kernels read memory by what the attributes say. A graph
// that did not come through the doors, such as one of a file, must pass Legal first.

// claim is a node as somebody claims it to be.
type claim struct {
	op string
	a  attr.Attr
	in []*Node
}

// legal holds the rule of each op that is no elementwise one without attributes; other files of this name add theirs.
var legal = map[string]func(c claim){}

func legalOps(names []string, rule func(c claim)) {
	for _, n := range names {
		legal[n] = rule
	}
}

// notInFiles lists the ops that a file cannot hold, with the reason.
var notInFiles = map[string]string{
	"custom":      "its rules are Go functions",
	"print":       "it calls a Go function",
	"to_device":   "it names a device of this process",
	"data":        "it is made by the engine alone",
	"item":        "it is made by the engine alone",
	"placeholder": "it is made by the engine alone",
}

// Illegal says why no graph from outside may hold an op, "" if one may.
func Illegal(op *graph.Op) string {
	if why := notInFiles[op.Name]; why != "" {
		return why
	}
	if legal[op.Name] == nil && op.Kind != graph.Elementwise {
		return "nothing is known that would check its operands"
	}
	return ""
}

// Legal panics with a typed error unless the op may be recorded over these operands: after it, kernels read and write
// only their operands' memory.
func Legal(op *graph.Op, a attr.Attr, in []*Node) {
	c := claim{op.Name, a, in}
	if why := Illegal(op); why != "" {
		fault.Throw(fault.NotImplemented, op.Name, "cannot come from outside: %s", why)
	}
	for _, x := range in {
		c.must(!x.IsTuple(), "an operand has several values")
	}
	if rule := legal[op.Name]; rule != nil {
		rule(c)
		return
	}
	c.must(a == nil, "has no attributes, not %T", a)
	c.alike(elementwiseInputs(op.Name))
}

// must refuses a claim.
func (c claim) must(ok bool, format string, args ...any) {
	if !ok {
		fault.Throw(fault.Format, c.op, format, args...)
	}
}

func (c claim) inputs(n int) {
	c.must(len(c.in) == n, "has %d inputs, not %d", n, len(c.in))
}

// sameShape asks elementwise operands to have one shape; immediates fit any.
func (c claim) sameShape() {
	s := outShape(c.in...)
	for _, x := range c.in {
		c.must(x.IsConst() || x.Shape().Equal(s), "operands of shapes %v and %v", s, x.Shape())
	}
}

func (c claim) sameDType(in []*Node) {
	for _, x := range in {
		c.must(x.DType() == in[0].DType(), "operands of dtypes %v and %v", in[0].DType(), x.DType())
	}
}

// alike asks for n operands of one shape and dtype.
func (c claim) alike(n int) {
	c.inputs(n)
	c.sameShape()
	c.sameDType(c.in)
}

// attrOf returns the attribute, which must be a T.
func attrOf[T any](c claim) T {
	a, ok := c.a.(T)
	c.must(ok, "has an attribute of type %T, not %T", a, c.a)
	return a
}

func (c claim) axis(axis int, x *Node) {
	c.must(axis >= 0 && axis < x.Rank(), "dim %d of an operand of shape %v", axis, x.Shape())
}

// real asks for numbers that have an order.
func (c claim) real(x *Node) {
	c.must(!x.DType().IsComplex(), "has no meaning for %v", x.DType())
}

// number refuses truth values.
func (c claim) number(x *Node) {
	c.must(x.DType() != dtype.Bool, "has no meaning for %v", x.DType())
}

func (c claim) inexact(x *Node) {
	c.must(x.DType().IsInexact(), "has no meaning for %v", x.DType())
}

func (c claim) floating(x *Node) {
	c.must(x.DType().IsFloat(), "has no meaning for %v", x.DType())
}

// most bounds numbers in attributes, so that a few of them can be multiplied without overflow.
const most = 1 << 31

// within asks every number of a list to be at least low, and not huge.
func (c claim) within(v attr.Ints, low int) {
	for i := range v.Len() {
		c.must(v.At(i) >= low && v.At(i) <= most, "the number %d in an attribute", v.At(i))
	}
}

var binaryElementwise = []string{"add", "sub", "mul", "div", "floor_divide", "trunc_divide", "remainder", "fmod", "pow", "atan2", "hypot",
	"maximum", "minimum", "fmax", "fmin", "clamp_max", "clamp_min", "copysign", "nextafter", "logaddexp", "logaddexp2", "xlogy",
	"special_xlog1py", "special_zeta", "gcd", "lcm", "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift",
	"eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or", "logical_xor", "grad_mul"}

func elementwiseInputs(op string) int {
	if slices.Contains(binaryElementwise, op) {
		return 2
	}
	return 1
}

func init() {
	legal["cast"] = func(c claim) {
		c.alike(1)
		c.must(attrOf[attr.Cast](c).To.Valid(), "to no dtype")
	}
	legal["wrap_index"] = func(c claim) {
		c.alike(1)
		c.must(c.in[0].DType() == dtype.Int64 && attrOf[attr.Bound](c).Size >= 0, "of %v", c.in[0].DType())
	}
	legal["require"] = func(c claim) {
		c.alike(2)
		d := c.in[0].DType()
		c.must((d == dtype.Float32 || d == dtype.Float64) && attrOf[attr.Domain](c).Rule.Valid(), "of %v", d)
	}
	legal["softplus"] = func(c claim) {
		c.alike(1)
		attrOf[attr.Softplus](c)
	}
	legal["polygamma"] = func(c claim) {
		c.alike(1)
		n := attrOf[attr.Order](c).N
		c.must(n >= 0 && n < 1<<16, "of order %d", n)
	}
	legal["special_polynomial"] = func(c claim) {
		c.alike(2)
		p := attrOf[attr.Polynomial](c)
		c.must(p.Family <= attr.Legendre && p.Derivative >= 0 && p.Derivative < 1<<16, "%+v", p)
	}
	legal["where"] = func(c claim) {
		c.inputs(3)
		c.none()
		c.sameShape()
		c.must(c.in[0].DType() == dtype.Bool, "a condition of %v", c.in[0].DType())
		c.sameDType(c.in[1:])
	}
	legal["with_grad"] = func(c claim) {
		c.none()
		c.alike(3)
	}
	legal["complex"] = func(c claim) {
		c.none()
		c.alike(2)
		d := c.in[0].DType()
		c.must(d == dtype.Float32 || d == dtype.Float64, "parts of %v", d)
	}
	legal["const"] = func(c claim) {
		c.inputs(0)
		k := attrOf[attr.Const](c)
		c.must(k.DType.Valid() && k.Value.Kind == k.DType.Kind(), "an immediate of %v", k.DType)
	}
	legal["arange"] = func(c claim) {
		c.inputs(0)
		r := attrOf[attr.Arange](c)
		number := func(s dtype.Scalar) bool {
			return s.Kind == dtype.KindInt || s.Kind == dtype.KindFloat || s.Kind == dtype.KindUint
		}
		c.must(r.N >= 0 && (r.DType.IsInteger() || r.DType.IsFloat()) && number(r.Start) && number(r.Step), "%d elements of %v", r.N, r.DType)
	}
	legal["table"] = func(c claim) {
		c.inputs(0)
		t := attrOf[attr.Table](c)
		c.within(t.Dims, 0)
		n := float64(t.DType.Size())
		for i := range t.Dims.Len() {
			n *= float64(t.Dims.At(i))
		}
		c.must(t.DType.Valid() && n == float64(len(t.Data)), "%d bytes for %v of sizes %v", len(t.Data), t.DType, t.Dims)
	}
}

// none asks for no attribute.
func (c claim) none() { c.must(c.a == nil, "has no attributes, not %T", c.a) }

// reach is the lowest and highest place that strides reach from an offset; ok is false if they are beyond all memory.
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
