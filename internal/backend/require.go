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

// AllWithin reports whether all elements are from 0 on and below hi: none has its sign set, and all less hi have. That is less work
// than finding the smallest and the largest by vectors, which go through memory.
func AllWithin(x []int64, hi int64) bool {
	var any0, any1 int64
	all0, all1 := int64(-1), int64(-1)
	for ; len(x) >= 4; x = x[4:] {
		a, b, c, d := x[0], x[1], x[2], x[3]
		any0, any1 = any0|a|b, any1|c|d
		all0, all1 = all0&(a-hi)&(b-hi), all1&(c-hi)&(d-hi)
	}
	for _, v := range x {
		any0, all0 = any0|v, all0&(v-hi)
	}
	return any0|any1 >= 0 && all0&all1 < 0
}
