package distributions

import (
	"reflect"
	"sync"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

// registry maps types of constraints to transforms from the real numbers.
type registry struct {
	sync.RWMutex
	table map[reflect.Type]func(c Constraint) Transform
}

var bijections, surjections registry

func (r *registry) add(t reflect.Type, f func(c Constraint) Transform) {
	r.Lock()
	defer r.Unlock()
	if r.table == nil {
		r.table = map[reflect.Type]func(c Constraint) Transform{}
	}
	r.table[t] = f
}

func (r *registry) find(c Constraint) func(c Constraint) Transform {
	r.RLock()
	defer r.RUnlock()
	return r.table[reflect.TypeOf(c)]
}

// RegisterBijectTo adds a bijection from the real numbers to the constraints of a type of one's own.
func RegisterBijectTo[C Constraint](f func(c C) Transform) {
	bijections.add(reflect.TypeFor[C](), func(c Constraint) Transform { return f(c.(C)) })
}

// RegisterTransformTo adds a map from the real numbers to the constraints of a type of one's own; it need not be bijective.
func RegisterTransformTo[C Constraint](f func(c C) Transform) {
	surjections.add(reflect.TypeFor[C](), func(c Constraint) Transform { return f(c.(C)) })
}

// BijectTo returns a bijective transform from the real numbers to a constraint, for densities and Hamiltonian samplers.
func BijectTo(c Constraint) Transform { return mapTo("distributions.BijectTo", c, &bijections) }

// TransformTo returns a transform from the real numbers to a constraint, for parameters that an optimizer moves. It may be
// overparameterised, and is simple: softmax for the simplex.
func TransformTo(c Constraint) Transform { return mapTo("distributions.TransformTo", c, &surjections) }

func mapTo(op string, c Constraint, own *registry) Transform {
	if f := own.find(c); f != nil {
		return f(c)
	}
	switch c {
	case Real:
		return NewComposeTransform()
	case Simplex:
		if own == &surjections {
			return SoftmaxTransform{}
		}
		return StickBreakingTransform{}
	case OpenUnitInterval:
		return SigmoidTransform{}
	case LowerCholesky:
		return LowerCholeskyTransform{}
	case CorrCholesky:
		return CorrCholeskyTransform{}
	case PositiveDefinite, PositiveSemidefinite:
		return PositiveDefiniteTransform{}
	}
	switch c := c.(type) {
	case *bounds:
		if t := c.transform(); t != nil {
			return t
		}
	case *independent:
		return IndependentTransform{mapTo(op, c.base, own), c.dims}
	case *parts:
		list := make([]Transform, len(c.list))
		for i, p := range c.list {
			list[i] = mapTo(op, p, own)
		}
		if c.lengths == nil {
			return NewStackTransform(list, c.dim)
		}
		return NewCatTransform(list, c.dim, c.lengths)
	}
	fault.Throw(fault.NotImplemented, op, "no transform to %v; add one with RegisterBijectTo or RegisterTransformTo", c)
	return nil
}

// transform maps the real numbers between the bounds, nil for integers.
func (c *bounds) transform() Transform {
	switch {
	case c.integer:
		return nil
	case c.high == nil && isNumber(c.low, 0):
		return ExpTransform{}
	case c.high == nil:
		return NewComposeTransform(ExpTransform{}, AffineTransform{Loc: c.low, Scale: 1.0})
	case c.low == nil:
		return NewComposeTransform(ExpTransform{}, AffineTransform{Loc: c.high, Scale: -1.0})
	case isNumber(c.low, 0) && isNumber(c.high, 1):
		return SigmoidTransform{}
	}
	return NewComposeTransform(SigmoidTransform{}, AffineTransform{Loc: c.low, Scale: difference(c.high, c.low)})
}

// isNumber reports whether a bound is the Go number n.
func isNumber(v any, n float64) bool {
	s, ok := dtype.ScalarOf(v)
	return ok && s.Float() == n
}

// difference is a - b of numbers or tensors.
func difference(a, b any) any {
	x, ok := dtype.ScalarOf(a)
	y, both := dtype.ScalarOf(b)
	if ok && both {
		return x.Float() - y.Float()
	}
	return lucid.Sub(a, b)
}
