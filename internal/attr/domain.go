package attr

import "math"

// Rule is what a value must be.
type Rule uint8

// The rules. Those that begin with Some are for the largest value of a distribution.
const (
	Probability Rule = iota
	Weight
	SomeWeight
	SomeLogit
	NotNegative
	Finite
	Envelope
	Finished
)

// Domain is a rule that an op's values must follow, and the op: values are known only when they are computed.
type Domain struct {
	Op   string
	Rule Rule
}

// Bounds are the smallest and the largest value the rule allows; NaN is never allowed.
func (r Rule) Bounds() (low, high float64) {
	switch r {
	case Probability:
		return 0, 1
	case Weight:
		return 0, math.MaxFloat64
	case SomeWeight:
		return math.SmallestNonzeroFloat64, math.Inf(1)
	case SomeLogit:
		return -math.MaxFloat64, math.Inf(1)
	case Finite:
		return -math.MaxFloat64, math.MaxFloat64
	case Envelope:
		return 1e-11, math.Inf(1)
	case Finished:
		return 0, 0
	}
	return 0, math.Inf(1)
}

// Valid reports whether the rule is one of those here.
func (r Rule) Valid() bool { return r <= Finished }

// Allows reports whether a value follows the rule.
func (r Rule) Allows(v float64) bool {
	low, high := r.Bounds()
	return v >= low && v <= high
}

// Text says what a value should be.
func (r Rule) Text() string {
	switch r {
	case Probability:
		return "a probability must be between 0 and 1"
	case Weight:
		return "a weight must be finite and not negative"
	case SomeWeight:
		return "a distribution needs a weight above 0"
	case Finite:
		return "the range of the data must be finite"
	case Envelope:
		return "the squares of overlapping windows must add up to more than 1e-11 everywhere; take a smaller hop_length or another window"
	case Finished:
		return "the condition still holds after MaxSteps rounds; a gradient in reverse mode needs a larger MaxSteps, or Scan"
	case SomeLogit:
		return "a distribution needs a logit above -Inf, and none that is NaN"
	}
	return "it must not be negative or NaN"
}
