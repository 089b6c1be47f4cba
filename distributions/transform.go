package distributions

import (
	"fmt"
	"slices"
	"sync"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
)

// Transform is a differentiable map between two sets of values, with the logarithm of its change of volume.
type Transform interface {
	fmt.Stringer
	// Domain and Codomain are the sets of arguments and results.
	Domain() Constraint
	Codomain() Constraint
	// Bijective reports whether every result has one argument.
	Bijective() bool
	// Sign is 1 for an increasing map of numbers, -1 for a decreasing one, 0 where neither is known.
	Sign() int
	// Forward maps arguments to results, Inverse maps results back.
	Forward(x *lucid.Tensor) *lucid.Tensor
	Inverse(y *lucid.Tensor) *lucid.Tensor
	// LogAbsDetJacobian is log |det dy/dx| of an argument and its result, one number for each event of the domain.
	LogAbsDetJacobian(x, y *lucid.Tensor) *lucid.Tensor
	// ForwardShape and InverseShape map shapes as Forward and Inverse map values.
	ForwardShape(shape []int) []int
	InverseShape(shape []int) []int
}

// elementwise is what maps of single numbers have in common.
type elementwise struct{}

func (elementwise) Bijective() bool            { return true }
func (elementwise) Sign() int                  { return 1 }
func (elementwise) Domain() Constraint         { return Real }
func (elementwise) ForwardShape(s []int) []int { return s }
func (elementwise) InverseShape(s []int) []int { return s }

// notInvertible throws the error of a map whose volume has no change to speak of.
func noJacobian(t Transform) *lucid.Tensor {
	fault.Throw(fault.NotImplemented, "distributions.LogAbsDetJacobian",
		"%v is not bijective, so it has none; use a bijective transform", t)
	return nil
}

// inverse is a transform read backwards.
type inverse struct{ t Transform }

// InverseTransform is the inverse of a bijective transform.
func InverseTransform(t Transform) Transform {
	if i, ok := t.(inverse); ok {
		return i.t
	}
	return inverse{t}
}

func (i inverse) String() string                        { return fmt.Sprintf("Inv(%v)", i.t) }
func (i inverse) Domain() Constraint                    { return i.t.Codomain() }
func (i inverse) Codomain() Constraint                  { return i.t.Domain() }
func (i inverse) Bijective() bool                       { return i.t.Bijective() }
func (i inverse) Sign() int                             { return i.t.Sign() }
func (i inverse) Forward(x *lucid.Tensor) *lucid.Tensor { return i.t.Inverse(x) }
func (i inverse) Inverse(y *lucid.Tensor) *lucid.Tensor { return i.t.Forward(y) }
func (i inverse) LogAbsDetJacobian(x, y *lucid.Tensor) *lucid.Tensor {
	return i.t.LogAbsDetJacobian(y, x).Neg()
}
func (i inverse) ForwardShape(s []int) []int { return i.t.InverseShape(s) }
func (i inverse) InverseShape(s []int) []int { return i.t.ForwardShape(s) }

// CachedTransform remembers its last argument with its result, so that the inverse of a result just computed is the argument itself,
// not a rounded one. It is safe for concurrent use.
type CachedTransform struct {
	Transform
	mu     sync.Mutex
	x, y   *lucid.Tensor
	xn, yn *graph.Node
}

// Cached returns a transform with a cache of one pair.
func Cached(t Transform) *CachedTransform { return &CachedTransform{Transform: t} }

// shown is the value that a handle shows now.
func shown(t *lucid.Tensor) *graph.Node {
	n := (*graph.Array)(t).Acquire()
	defer n.Unref()
	return n
}

func (c *CachedTransform) store(x, y *lucid.Tensor) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.x, c.y, c.xn, c.yn = x, y, shown(x), shown(y)
}

// Forward returns the result of the last call, if the argument is the same tensor with the same value.
func (c *CachedTransform) Forward(x *lucid.Tensor) *lucid.Tensor {
	c.mu.Lock()
	if x == c.x && x != nil && shown(x) == c.xn && shown(c.y) == c.yn {
		defer c.mu.Unlock()
		return c.y
	}
	c.mu.Unlock()
	y := c.Transform.Forward(x)
	if known(x) {
		c.store(x, y)
	}
	return y
}

// Inverse returns the argument of the last call, if this is its result.
func (c *CachedTransform) Inverse(y *lucid.Tensor) *lucid.Tensor {
	c.mu.Lock()
	if y == c.y && y != nil && shown(y) == c.yn && shown(c.x) == c.xn {
		defer c.mu.Unlock()
		return c.x
	}
	c.mu.Unlock()
	x := c.Transform.Inverse(y)
	if known(y) {
		c.store(x, y)
	}
	return x
}

// ComposeTransform applies transforms one after the other, the first one first.
type ComposeTransform struct{ Parts []Transform }

// NewComposeTransform makes a transform that applies parts in order. Without parts it is the identity.
func NewComposeTransform(parts ...Transform) ComposeTransform {
	return ComposeTransform{slices.Clone(parts)}
}

// String lists the parts.
func (c ComposeTransform) String() string { return fmt.Sprintf("Compose%v", c.Parts) }

// Domain is that of the first part, with as many event dimensions as later parts need.
func (c ComposeTransform) Domain() Constraint {
	if len(c.Parts) == 0 {
		return Real
	}
	d := c.Parts[0].Domain()
	n := c.Parts[len(c.Parts)-1].Codomain().EventDim()
	for _, p := range slices.Backward(c.Parts) {
		n += p.Domain().EventDim() - p.Codomain().EventDim()
		n = max(n, p.Domain().EventDim())
	}
	return IndependentConstraint(d, n-d.EventDim())
}

// Codomain is that of the last part, with as many event dimensions as earlier parts made.
func (c ComposeTransform) Codomain() Constraint {
	if len(c.Parts) == 0 {
		return Real
	}
	d := c.Parts[len(c.Parts)-1].Codomain()
	n := c.Parts[0].Domain().EventDim()
	for _, p := range c.Parts {
		n += p.Codomain().EventDim() - p.Domain().EventDim()
		n = max(n, p.Codomain().EventDim())
	}
	return IndependentConstraint(d, n-d.EventDim())
}

// Bijective reports whether all parts are.
func (c ComposeTransform) Bijective() bool {
	return !slices.ContainsFunc(c.Parts, func(p Transform) bool { return !p.Bijective() })
}

// Sign is the product of the parts' signs.
func (c ComposeTransform) Sign() int {
	s := 1
	for _, p := range c.Parts {
		s *= p.Sign()
	}
	return s
}

// Forward applies the parts in order.
func (c ComposeTransform) Forward(x *lucid.Tensor) *lucid.Tensor {
	for _, p := range c.Parts {
		x = p.Forward(x)
	}
	return x
}

// Inverse applies the inverses of the parts, the last one first.
func (c ComposeTransform) Inverse(y *lucid.Tensor) *lucid.Tensor {
	for _, p := range slices.Backward(c.Parts) {
		y = p.Inverse(y)
	}
	return y
}

// LogAbsDetJacobian sums those of the parts over the events of the whole.
func (c ComposeTransform) LogAbsDetJacobian(x, y *lucid.Tensor) *lucid.Tensor {
	if len(c.Parts) == 0 {
		return lucid.ZerosLike(x)
	}
	n := c.Domain().EventDim()
	var sum *lucid.Tensor
	for i, p := range c.Parts {
		next := y
		if i < len(c.Parts)-1 {
			next = p.Forward(x)
		}
		term := sumRight(p.LogAbsDetJacobian(x, next), n-p.Domain().EventDim())
		if sum == nil {
			sum = term
		} else {
			sum = sum.Add(term)
		}
		n += p.Codomain().EventDim() - p.Domain().EventDim()
		x = next
	}
	return sum
}

// ForwardShape applies those of the parts.
func (c ComposeTransform) ForwardShape(s []int) []int {
	for _, p := range c.Parts {
		s = p.ForwardShape(s)
	}
	return s
}

// InverseShape applies those of the parts.
func (c ComposeTransform) InverseShape(s []int) []int {
	for _, p := range slices.Backward(c.Parts) {
		s = p.InverseShape(s)
	}
	return s
}

// IndependentTransform makes the last dimensions part of the event.
type IndependentTransform struct {
	Base Transform
	Dims int // how many dimensions
}

// String names the transform.
func (t IndependentTransform) String() string {
	return fmt.Sprintf("Independent(%v, %d)", t.Base, t.Dims)
}

// Domain is that of the base with more event dimensions.
func (t IndependentTransform) Domain() Constraint {
	return IndependentConstraint(t.Base.Domain(), t.Dims)
}

// Codomain is that of the base with more event dimensions.
func (t IndependentTransform) Codomain() Constraint {
	return IndependentConstraint(t.Base.Codomain(), t.Dims)
}

// Bijective is that of the base.
func (t IndependentTransform) Bijective() bool { return t.Base.Bijective() }

// Sign is that of the base.
func (t IndependentTransform) Sign() int { return t.Base.Sign() }

// Forward applies the base.
func (t IndependentTransform) Forward(x *lucid.Tensor) *lucid.Tensor { return t.Base.Forward(x) }

// Inverse applies the inverse of the base.
func (t IndependentTransform) Inverse(y *lucid.Tensor) *lucid.Tensor { return t.Base.Inverse(y) }

// LogAbsDetJacobian sums that of the base over the dimensions.
func (t IndependentTransform) LogAbsDetJacobian(x, y *lucid.Tensor) *lucid.Tensor {
	return sumRight(t.Base.LogAbsDetJacobian(x, y), t.Dims)
}

// ForwardShape is that of the base.
func (t IndependentTransform) ForwardShape(s []int) []int { return t.Base.ForwardShape(s) }

// InverseShape is that of the base.
func (t IndependentTransform) InverseShape(s []int) []int { return t.Base.InverseShape(s) }
