package distributions

import (
	"fmt"
	"slices"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
)

// A parameter of a distribution: its last event dimensions belong to one distribution, those in front broadcast.
type parameter struct {
	name   string
	value  any
	domain Constraint
	event  int
}

// par is a parameter whose every element is one of a distribution.
func par(name string, value any, domain Constraint) parameter {
	return parameter{name: name, value: value, domain: domain}
}

// family is what a constructor knows about its distribution before its parameters are read.
type family struct {
	name       string
	noValidate bool
	args       map[string]Constraint
}

// of makes a family with the options of a constructor.
func of(name string, opts []Options) *family {
	f := &family{name: name}
	f.noValidate = door.Option(f.op(), opts).NoValidate
	return f
}

func (f *family) op() string { return "distributions.New" + f.name }

// tensors brings parameters to one dtype and to one batch shape, and checks them.
func (f *family) tensors(params ...parameter) (values []*lucid.Tensor, batch []int) {
	d := lucid.DType(dtype.Invalid)
	for _, p := range params {
		if t, ok := p.value.(*lucid.Tensor); ok && t != nil && t.DType().IsFloat() {
			if d == dtype.Invalid {
				d = t.DType()
			} else {
				d = lucid.PromoteTypes(d, t.DType())
			}
		}
	}
	if d == dtype.Invalid {
		d = lucid.DefaultDType()
	}
	values = make([]*lucid.Tensor, len(params))
	for i, p := range params {
		values[i] = f.tensor(p, d)
		s := values[i].Shape()
		if len(s) < p.event {
			fault.Throw(fault.Shape, f.op(), "%s has shape %v; want at least %d dimensions", p.name, s, p.event)
		}
		batch = f.broadcast(batch, s[:len(s)-p.event], p.name)
	}
	for i, p := range params {
		s := values[i].Shape()
		if full := slices.Concat(batch, s[len(s)-p.event:]); !slices.Equal(s, full) {
			values[i] = values[i].BroadcastTo(full...)
		}
		f.check(p.name, values[i], p.domain)
	}
	return values, slices.Clip(batch)
}

func (f *family) broadcast(a, b []int, name string) (s []int) {
	if err := lucid.Try(func() { s = lucid.BroadcastShapes(a, b) }); err != nil {
		fault.Throw(fault.Shape, f.op(), "%s has batch shape %v, which does not broadcast with %v", name, b, a)
	}
	return s
}

func (f *family) tensor(p parameter, d lucid.DType) *lucid.Tensor {
	switch v := p.value.(type) {
	case *lucid.Tensor:
		if v == nil {
			break
		}
		if v.DType().IsComplex() {
			fault.Throw(fault.DType, f.op(), "%s is %v; want real numbers", p.name, v.DType())
		}
		if v.DType() != d {
			v = v.To(d)
		}
		return v
	case nil:
	default:
		if s, ok := dtype.ScalarOf(v); ok && s.Kind != dtype.KindComplex {
			return lucid.With{DType: d}.Scalar(v)
		}
		fault.Throw(fault.Value, f.op(), "%s is a %T; want a tensor or a real number", p.name, v)
	}
	fault.Throw(fault.Value, f.op(), "%s is missing; give a tensor or a number", p.name)
	return nil
}

// check refuses a parameter outside its domain.
func (f *family) check(name string, x *lucid.Tensor, domain Constraint) {
	if f.args == nil {
		f.args = map[string]Constraint{}
	}
	f.args[name] = domain
	if !f.noValidate {
		refuseOutside(f.op(), name, x, domain)
	}
}

// known reports whether a tensor's numbers can be read: inside a trace they do not exist yet.
func known(x *lucid.Tensor) bool {
	n := (*graph.Array)(x).Acquire()
	defer n.Unref()
	return n.Trace() == nil
}

// refuseOutside throws an error with the first value outside a domain. It reads the values, unless they are traced.
func refuseOutside(op, name string, x *lucid.Tensor, domain Constraint) {
	if !known(x) {
		return
	}
	lucid.NoGrad(func() {
		ok := domain.Check(x)
		if !known(ok) || lucid.ItemAs[bool](ok.All()) {
			return
		}
		good := lucid.ToSlice[bool](ok.Contiguous())
		at := slices.Index(good, false)
		index := unravel(at, ok.Shape())
		value := x
		if s := x.Shape(); !slices.Equal(s, ok.Shape()) { // the domain may have more dimensions
			full := slices.Concat(ok.Shape(), s[len(s)-domain.EventDim():])
			lucid.Try(func() { value = x.BroadcastTo(full...) })
		}
		if len(index) > 0 {
			args := make([]any, len(index))
			for i, v := range index {
				args[i] = v
			}
			value = value.At(args...)
		}
		text := fmt.Sprintf("shape %v", value.Shape())
		if value.NumElement() == 1 {
			text = fmt.Sprint(value.To(lucid.Float64).Item())
		} else if value.NumElement() <= 16 {
			text = fmt.Sprint(value)
		}
		where := ""
		if len(index) > 0 {
			where = fmt.Sprintf(" at %v", index)
		}
		fault.Throw(fault.Value, op, "%s is %s%s; want %s", name, text, where, domain)
	})
}

// unravel is the index of element i of a tensor.
func unravel(i int, shape []int) []int {
	index := make([]int, len(shape))
	for d := len(shape) - 1; d >= 0; d-- {
		index[d] = i % shape[d]
		i /= shape[d]
	}
	return index
}

// value makes a tensor of the argument of LogProb, CDF or ICDF, checks that it fits and that it is in a domain, and converts it to
// the dtype of like.
func (b *Base) value(method string, v any, like *lucid.Tensor, domain Constraint) *lucid.Tensor {
	x := b.tensor(method, v, like)
	event := b.spec.EventShape
	s := x.Shape()
	if len(s) < len(event) || !slices.Equal(s[len(s)-len(event):], event) {
		fault.Throw(fault.Shape, b.op(method), "a value of shape %v does not end in the event shape %v", s, event)
	}
	if err := lucid.Try(func() { lucid.BroadcastShapes(s, b.extended(nil)) }); err != nil {
		fault.Throw(fault.Shape, b.op(method), "a value of shape %v does not broadcast with batch shape %v and event shape %v",
			s, b.spec.BatchShape, event)
	}
	if !b.spec.NoValidate {
		refuseOutside(b.op(method), "the value", x, domain)
	}
	if d := like.DType(); x.DType() != d {
		if !x.DType().IsFloat() || x.Dim() == 0 {
			x = x.To(d)
		}
	}
	return x
}

func (b *Base) tensor(method string, v any, like *lucid.Tensor) *lucid.Tensor {
	switch v := v.(type) {
	case *lucid.Tensor:
		if v != nil {
			return v
		}
	case nil:
	default:
		if s, ok := dtype.ScalarOf(v); ok && s.Kind != dtype.KindComplex {
			return lucid.With{DType: like.DType()}.Scalar(v)
		}
		fault.Throw(fault.Value, b.op(method), "a value of type %T; want a tensor or a real number", v)
	}
	fault.Throw(fault.Value, b.op(method), "the value is nil; give a tensor or a number")
	return nil
}

// supported is value for arguments in the support.
func (b *Base) supported(method string, v any, like *lucid.Tensor) *lucid.Tensor {
	return b.value(method, v, like, b.spec.Support)
}

// limited is value for the argument of CDF: 0, where densities of positive numbers end, is below all of them.
func (b *Base) limited(v any, like *lucid.Tensor) *lucid.Tensor {
	domain := b.spec.Support
	if domain == Positive {
		domain = NonNegative
	}
	return b.value("CDF", v, like, domain)
}

// quantile is value for the argument of ICDF.
func (b *Base) quantile(v any, like *lucid.Tensor) *lucid.Tensor {
	return b.value("ICDF", v, like, UnitInterval)
}

// expanded broadcasts a parameter to a batch shape, its last event dimensions staying.
func expanded(x *lucid.Tensor, batch []int, event int) *lucid.Tensor {
	s := x.Shape()
	return x.BroadcastTo(slices.Concat(batch, s[len(s)-event:])...)
}

// unchecked are the options of a distribution made of parameters that were checked already.
var unchecked = Options{NoValidate: true}

// base makes the Base of a distribution. expand makes it from parameters that need no check; values are checked as before.
func (f *family) base(s Spec, expand func(batch []int) Distribution) Base {
	s.Name, s.NoValidate, s.ArgConstraints = f.name, f.noValidate, f.args
	s.Expand = func(batch []int) Distribution {
		f.broadcast(batch, s.BatchShape, "the distribution")
		d := expand(batch)
		checkValues(d, !f.noValidate)
		return d
	}
	return NewBase(s)
}

// checkValues says whether a distribution checks its values.
func checkValues(d Distribution, on bool) {
	if h, ok := d.(interface{ base() *Base }); ok {
		h.base().spec.NoValidate = !on
	}
}

func (b *Base) base() *Base { return b }

// sumRight sums the last n dimensions.
func sumRight(x *lucid.Tensor, n int) *lucid.Tensor {
	if n == 0 {
		return x
	}
	dims := make([]int, n)
	for i := range dims {
		dims[i] = -1 - i
	}
	return x.Sum(dims...)
}

// full is a tensor of one value with the dtype and device of like.
func full(like *lucid.Tensor, batch []int, v float64) *lucid.Tensor {
	return lucid.With{DType: like.DType(), Device: like.Device()}.Full(batch, v)
}
