package grammar

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// maxInteger is the largest number that a grammar writes: of 15 digits, so that every reader has it exactly.
const maxInteger = 999_999_999_999_999

// boundKeys limit a number.
var boundKeys = []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}

// integer is the whole numbers between the bounds of a schema.
func (s *schemas) integer(path string, o *object) sequence {
	lo, hi, bounded := int64(-maxInteger), int64(maxInteger), false
	for _, key := range boundKeys {
		v, there := o.values[key]
		if !there {
			continue
		}
		n, _ := v.(json.Number)
		x, err := strconv.ParseFloat(string(n), 64)
		if err != nil || math.Abs(x) > maxInteger {
			bad(path, "%s is %v; want a number of at most 15 digits", key, v)
		}
		switch bounded = true; key {
		case "minimum":
			lo = max(lo, int64(math.Ceil(x)))
		case "maximum":
			hi = min(hi, int64(math.Floor(x)))
		case "exclusiveMinimum":
			lo = max(lo, int64(math.Floor(x))+1)
		case "exclusiveMaximum":
			hi = min(hi, int64(math.Ceil(x))-1)
		}
	}
	if !bounded {
		return s.b.anyInteger()
	}
	if lo > hi {
		bad(path, "no whole number is within the bounds")
	}
	return s.b.integers(lo, hi)
}

// integers is the whole numbers from lo to hi.
func (b *builder) integers(lo, hi int64) sequence {
	var all []sequence
	if lo < 0 {
		for _, q := range b.positive(max(1, -hi), -lo) {
			all = append(all, join(lit("-"), q))
		}
	}
	if lo <= 0 && hi >= 0 {
		all = append(all, lit("0"))
	}
	return b.either(append(all, b.positive(max(1, lo), hi)...)...)
}

// positive is the numbers from lo, which is at least 1, to hi: an alternative for each length.
func (b *builder) positive(lo, hi int64) (all []sequence) {
	for lo <= hi {
		digits := len(strconv.FormatInt(lo, 10))
		last := min(hi, int64(math.Pow10(digits))-1)
		all = append(all, b.between(strconv.FormatInt(lo, 10), strconv.FormatInt(last, 10)))
		lo = last + 1
	}
	return all
}

// between is the digits of equal number from lo to hi.
func (b *builder) between(lo, hi string) sequence {
	n := len(lo) - 1
	zeros, nines := strings.Repeat("0", max(n, 0)), strings.Repeat("9", max(n, 0))
	switch {
	case lo == "":
		return nil
	case lo[1:] == zeros && hi[1:] == nines:
		return join(b.class([2]rune{rune(lo[0]), rune(hi[0])}), b.many(b.class([2]rune{'0', '9'}), n, n))
	case lo[0] == hi[0]:
		return join(lit(lo[:1]), b.between(lo[1:], hi[1:]))
	}
	all := []sequence{join(lit(lo[:1]), b.between(lo[1:], nines))}
	if from, to := lo[0]+1, hi[0]-1; from <= to {
		all = append(all, b.between(string(from)+zeros, string(to)+nines))
	}
	return b.either(append(all, join(lit(hi[:1]), b.between(zeros, hi[1:])))...)
}
