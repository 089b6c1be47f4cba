package distributions

import (
	"fmt"

	"github.com/lucid-go/lucid"
)

// Constraint is a set of values: the support of a distribution, or the domain of a parameter.
type Constraint interface {
	fmt.Stringer
	// Check reports which values are inside, one bool for each event.
	Check(x *lucid.Tensor) *lucid.Tensor
	// EventDim is how many dimensions one value has.
	EventDim() int
	// IsDiscrete reports whether the set is one of separate points.
	IsDiscrete() bool
}

// predicate is a constraint on single elements that has no parameters.
type predicate struct {
	text     string
	discrete bool
	check    func(x *lucid.Tensor) *lucid.Tensor
}

func (c *predicate) String() string                      { return c.text }
func (c *predicate) EventDim() int                       { return 0 }
func (c *predicate) IsDiscrete() bool                    { return c.discrete }
func (c *predicate) Check(x *lucid.Tensor) *lucid.Tensor { return c.check(x) }

// Constraints on single elements.
var (
	// Real is every number but NaN.
	Real Constraint = &predicate{text: "a real number", check: func(x *lucid.Tensor) *lucid.Tensor { return lucid.Eq(x, x) }}
	// Boolean is 0 or 1.
	Boolean Constraint = &predicate{text: "0 or 1", discrete: true, check: func(x *lucid.Tensor) *lucid.Tensor {
		return lucid.LogicalOr(lucid.Eq(x, 0), lucid.Eq(x, 1))
	}}
	// NonNegativeInteger is 0, 1, 2 and so on.
	NonNegativeInteger Constraint = &integersFrom{0}
	// PositiveInteger is 1, 2 and so on.
	PositiveInteger Constraint = &integersFrom{1}
	// Positive is more than 0.
	Positive = GreaterThan(0.0)
	// NonNegative is 0 or more.
	NonNegative = GreaterThanEq(0.0)
	// UnitInterval is from 0 to 1, both included.
	UnitInterval = Interval(0.0, 1.0)
	// OpenUnitInterval is from 0 to 1 without both ends.
	OpenUnitInterval Constraint = &predicate{text: "more than 0 and less than 1", check: func(x *lucid.Tensor) *lucid.Tensor {
		return lucid.LogicalAnd(lucid.Gt(x, 0.0), lucid.Lt(x, 1.0))
	}}
	// Dependent is a set that depends on other values; it cannot be checked.
	Dependent Constraint = &predicate{text: "what other parameters allow", check: func(x *lucid.Tensor) *lucid.Tensor {
		return lucid.OnesLike(x).Bool()
	}}
)

type integersFrom struct{ least int }

func (c *integersFrom) String() string   { return fmt.Sprintf("an integer of at least %d", c.least) }
func (c *integersFrom) EventDim() int    { return 0 }
func (c *integersFrom) IsDiscrete() bool { return true }
func (c *integersFrom) Check(x *lucid.Tensor) *lucid.Tensor {
	return lucid.LogicalAnd(whole(x), lucid.Ge(x, c.least))
}

// whole reports which elements are integers.
func whole(x *lucid.Tensor) *lucid.Tensor {
	if !x.DType().IsFloat() {
		return lucid.OnesLike(x).Bool()
	}
	return lucid.Eq(x.Sub(x.Floor()), 0.0) // infinite numbers are none
}

// bounds are constraints between numbers or tensors; nil is no bound.
type bounds struct {
	low, high         any
	openLow, openHigh bool
	integer           bool
}

// GreaterThan is the numbers above a bound, a number or a tensor.
func GreaterThan(low any) Constraint { return &bounds{low: low, openLow: true} }

// GreaterThanEq is a bound and the numbers above it.
func GreaterThanEq(low any) Constraint { return &bounds{low: low} }

// LessThan is the numbers below a bound.
func LessThan(high any) Constraint { return &bounds{high: high, openHigh: true} }

// Interval is the numbers from low to high, both included.
func Interval(low, high any) Constraint { return &bounds{low: low, high: high} }

// HalfOpenInterval is the numbers from low to high, without high.
func HalfOpenInterval(low, high any) Constraint { return &bounds{low: low, high: high, openHigh: true} }

// IntegerInterval is the integers from low to high, both included.
func IntegerInterval(low, high any) Constraint { return &bounds{low: low, high: high, integer: true} }

func (c *bounds) String() string {
	kind := "a number"
	if c.integer {
		kind = "an integer"
	}
	low, high := "of at least ", "at most "
	if c.openLow {
		low = "of more than "
	}
	if c.openHigh {
		high = "less than "
	}
	switch {
	case c.low == nil:
		return kind + " of " + high + boundText(c.high)
	case c.high == nil:
		return kind + " " + low + boundText(c.low)
	}
	return kind + " " + low + boundText(c.low) + " and " + high + boundText(c.high)
}

func boundText(v any) string {
	t, ok := v.(*lucid.Tensor)
	switch {
	case !ok:
		return fmt.Sprint(v)
	case t.NumElement() > 16 || !known(t):
		return fmt.Sprintf("a tensor of shape %v", t.Shape())
	case t.NumElement() == 1:
		return fmt.Sprint(t.To(lucid.Float64).Item())
	}
	return fmt.Sprint(t)
}

func (c *bounds) EventDim() int    { return 0 }
func (c *bounds) IsDiscrete() bool { return c.integer }

func (c *bounds) Check(x *lucid.Tensor) *lucid.Tensor {
	var ok *lucid.Tensor
	and := func(y *lucid.Tensor) {
		if ok == nil {
			ok = y
			return
		}
		ok = lucid.LogicalAnd(ok, y)
	}
	if c.integer {
		and(whole(x))
	}
	if c.low != nil {
		if c.openLow {
			and(lucid.Gt(x, c.low))
		} else {
			and(lucid.Ge(x, c.low))
		}
	}
	if c.high != nil {
		if c.openHigh {
			and(lucid.Lt(x, c.high))
		} else {
			and(lucid.Le(x, c.high))
		}
	}
	return ok
}
