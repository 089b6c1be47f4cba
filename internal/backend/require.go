package backend

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/fault"
)

// Refused is the error of a value that does not follow a rule.
func Refused(op string, r attr.Rule, v float64) error {
	return fault.New(fault.Value, op, "a value is %v; %s", v, r.Text())
}

// Require panics with that error if a value does not follow the rule.
func Require(d attr.Domain, v float64) {
	if !d.Rule.Allows(v) {
		panic(Refused(d.Op, d.Rule, v))
	}
}

// LeastIndex is the smallest position that a bound allows.
func LeastIndex(b attr.Bound) int64 {
	if b.Strict {
		return 0
	}
	return -int64(b.Size)
}

// RefuseIndex panics because of a position out of bounds.
func RefuseIndex(b attr.Bound, i int64) {
	op := b.Op
	if op == "" {
		op = "index"
	}
	panic(fault.IndexError(op, i, int64(b.Size)))
}
