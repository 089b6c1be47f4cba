package grammar

import (
	"regexp/syntax"
	"unicode"
	"unicode/utf8"

	"github.com/lucid-go/lucid/internal/fault"
)

// Regex is the texts that a regular expression of Go's syntax matches as a whole.
func Regex(pattern string) (g *Grammar, err error) {
	caught := fault.Catch(func() {
		b := newBuilder()
		root := b.declare("root")
		b.set(root, b.regex(pattern))
		g, err = b.finish()
	})
	if caught != nil {
		return nil, caught
	}
	return g, err
}

// regex adds an expression.
func (b *builder) regex(pattern string) sequence {
	if len(pattern) > maxText {
		fault.Throw(fault.OutOfMemory, op, "the expression has %d bytes; want at most %d", len(pattern), maxText)
	}
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		fault.Throw(fault.Format, op, "%v", err)
	}
	return b.expression(re, true, true)
}

// expression adds a part; first and last: it is at the beginning or the end of the whole, where ^ and $ always hold.
func (b *builder) expression(re *syntax.Regexp, first, last bool) sequence {
	sub := func(i int) sequence { return b.expression(re.Sub[i], false, false) }
	switch re.Op {
	case syntax.OpEmptyMatch:
		return sequence{}
	case syntax.OpLiteral:
		var q sequence
		for _, r := range re.Rune {
			if re.Flags&syntax.FoldCase == 0 {
				q = append(q, lit(string(r))...)
				continue
			}
			ranges := [][2]rune{{r, r}}
			for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
				ranges = append(ranges, [2]rune{f, f})
			}
			q = append(q, b.class(ranges...)...)
		}
		return q
	case syntax.OpCharClass:
		var ranges [][2]rune
		for i := 0; i < len(re.Rune); i += 2 {
			ranges = append(ranges, [2]rune{re.Rune[i], re.Rune[i+1]})
		}
		return b.class(ranges...)
	case syntax.OpAnyCharNotNL:
		return b.class(except([][2]rune{{'\n', '\n'}})...)
	case syntax.OpAnyChar:
		return b.class([2]rune{0, utf8.MaxRune})
	case syntax.OpBeginText:
		if first {
			return sequence{}
		}
	case syntax.OpEndText:
		if last {
			return sequence{}
		}
	case syntax.OpCapture:
		return b.expression(re.Sub[0], first, last)
	case syntax.OpStar:
		return b.many(sub(0), 0, -1)
	case syntax.OpPlus:
		return b.many(sub(0), 1, -1)
	case syntax.OpQuest:
		return b.many(sub(0), 0, 1)
	case syntax.OpRepeat:
		return b.many(sub(0), re.Min, re.Max)
	case syntax.OpConcat:
		var q sequence
		for i, s := range re.Sub {
			q = append(q, b.expression(s, first && i == 0, last && i == len(re.Sub)-1)...)
		}
		return q
	case syntax.OpAlternate:
		var all []sequence
		for _, s := range re.Sub {
			all = append(all, b.expression(s, first, last))
		}
		return b.either(all...)
	}
	fault.Throw(fault.NotImplemented, op, "%q in an expression", re.String())
	return nil
}
