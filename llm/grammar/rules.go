package grammar

import (
	"unicode/utf8"

	"github.com/lucid-go/lucid/internal/fault"
)

// Limits that keep a grammar from taking memory or time without bound.
const (
	maxElements = 1 << 18 // of all rules together
	maxRepeat   = 2000    // of a bounded repetition
	maxNesting  = 200     // of groups and schemas
	maxText     = 1 << 18 // bytes of a grammar's source
)

// element is one step of an alternative: a byte from lo to hi, or a rule.
type element struct {
	lo, hi byte
	rule   int32 // -1: a byte
}

// sequence is elements one behind the other; alternatives are sequences of which one holds.
type sequence []element

// builder collects rules. Rule 0 is the whole text.
type builder struct {
	rules [][]sequence
	names []string
	size  int
	made  int              // elements of repetitions, which become part of rules
	pairs map[string]int32 // rules made before, by what they are of
}

func newBuilder() *builder { return &builder{pairs: map[string]int32{}} }

// declare makes a rule that is set later.
func (b *builder) declare(name string) int32 {
	b.rules, b.names = append(b.rules, nil), append(b.names, name)
	return int32(len(b.rules) - 1)
}

// set gives a rule its alternatives.
func (b *builder) set(rule int32, alternatives ...sequence) {
	for _, a := range alternatives {
		if b.size += len(a) + 1; b.size > maxElements {
			fault.Throw(fault.OutOfMemory, op, "the grammar has more than %d elements", maxElements)
		}
	}
	b.rules[rule] = alternatives
}

// either is a sequence of one rule with alternatives.
func (b *builder) either(alternatives ...sequence) sequence {
	if len(alternatives) == 1 {
		return alternatives[0]
	}
	r := b.declare("")
	b.set(r, alternatives...)
	return ref(r)
}

func ref(rule int32) sequence { return sequence{{rule: rule}} }

// lit is a text.
func lit(s string) (q sequence) {
	for i := range len(s) {
		q = append(q, element{s[i], s[i], -1})
	}
	return q
}

func join(parts ...sequence) (q sequence) {
	for _, p := range parts {
		q = append(q, p...)
	}
	return q
}

// many is from least to most copies; most -1: any number.
func (b *builder) many(x sequence, least, most int) sequence {
	if least > maxRepeat || most > maxRepeat {
		fault.Throw(fault.NotImplemented, op, "a repetition of %d; want at most %d", max(least, most), maxRepeat)
	}
	if len(x) > 1 && (least > 1 || most > 1) { // copies of a reference, not of the elements
		r := b.declare("")
		b.set(r, x)
		x = ref(r)
	}
	if b.made += least * len(x); b.made > maxElements {
		fault.Throw(fault.OutOfMemory, op, "the grammar has more than %d elements", maxElements)
	}
	var q sequence
	for range least {
		q = append(q, x...)
	}
	if most < 0 {
		r := b.declare("")
		b.set(r, join(x, ref(r)), sequence{})
		return append(q, ref(r)...)
	}
	// Each optional copy holds the next one, so that no text has two readings.
	var tail sequence
	for range most - least {
		r := b.declare("")
		b.set(r, join(x, tail), sequence{})
		tail = ref(r)
	}
	return append(q, tail...)
}

// class is a character of ranges of runes, written as the bytes of UTF-8. Surrogates are left out.
func (b *builder) class(ranges ...[2]rune) sequence {
	var all []sequence
	for _, r := range ranges {
		for _, cut := range [][2]rune{{0, 0xD7FF}, {0xE000, utf8.MaxRune}} {
			lo, hi := max(r[0], cut[0]), min(r[1], cut[1])
			if lo <= hi {
				all = utf8Ranges(all, lo, hi)
			}
		}
	}
	if all == nil {
		fault.Throw(fault.Value, op, "a class of characters is empty")
	}
	return b.either(all...)
}

// utf8Ranges appends sequences of byte ranges that are the encodings of lo to hi.
func utf8Ranges(out []sequence, lo, hi rune) []sequence {
	for _, last := range []rune{0x7F, 0x7FF, 0xFFFF} { // one length at a time
		if lo <= last && hi > last {
			return utf8Ranges(utf8Ranges(out, lo, last), last+1, hi)
		}
	}
	n := utf8.RuneLen(lo)
	for i := 1; i < n; i++ { // whole blocks of trailing bytes
		m := rune(1)<<(6*i) - 1
		if lo&^m != hi&^m {
			if lo&m != 0 {
				return utf8Ranges(utf8Ranges(out, lo, lo|m), lo|m+1, hi)
			}
			if hi&m != m {
				return utf8Ranges(utf8Ranges(out, lo, hi&^m-1), hi&^m, hi)
			}
		}
	}
	var x, y [utf8.UTFMax]byte
	utf8.EncodeRune(x[:], lo)
	utf8.EncodeRune(y[:], hi)
	var q sequence
	for i := range n {
		q = append(q, element{x[i], y[i], -1})
	}
	return append(out, q)
}

// except is the complement of ranges.
func except(ranges [][2]rune) (out [][2]rune) {
	covered := make([][2]rune, len(ranges))
	copy(covered, ranges)
	next := rune(0)
	for next <= utf8.MaxRune {
		end, skip := rune(utf8.MaxRune), rune(-1)
		for _, r := range covered {
			if r[0] <= next && r[1] >= next {
				skip = max(skip, r[1])
			} else if r[0] > next {
				end = min(end, r[0]-1)
			}
		}
		if skip >= 0 {
			next = skip + 1
			continue
		}
		out = append(out, [2]rune{next, end})
		next = end + 1
	}
	return out
}
