package grammar

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lucid-go/lucid/internal/fault"
)

// GBNF reads a grammar in llama.cpp's notation: rules such as root ::= "yes" | [0-9]+ item{2,3} # comment. The rule root is the text.
func GBNF(text string) (g *Grammar, err error) {
	caught := fault.Catch(func() {
		if len(text) > maxText {
			fault.Throw(fault.OutOfMemory, op, "the grammar has %d bytes; want at most %d", len(text), maxText)
		}
		p := &gbnf{text: text, b: newBuilder(), known: map[string]int32{}}
		p.rule("root")
		p.skip(true)
		for p.at < len(p.text) {
			p.definition()
			p.skip(true)
		}
		g, err = p.b.finish()
	})
	if caught != nil {
		return nil, caught
	}
	return g, err
}

// gbnf is a reader of the notation.
type gbnf struct {
	text  string
	at    int
	b     *builder
	known map[string]int32
	depth int
}

func (p *gbnf) bad(format string, args ...any) {
	line := 1 + strings.Count(p.text[:min(p.at, len(p.text))], "\n")
	fault.Throw(fault.Format, op, "line %d: "+format, append([]any{line}, args...)...)
}

func (p *gbnf) rule(name string) int32 {
	r, ok := p.known[name]
	if !ok {
		r = p.b.declare(name)
		p.known[name] = r
	}
	return r
}

// skip passes over blanks and comments, and over line ends too if lines.
func (p *gbnf) skip(lines bool) {
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case c == '#':
			for p.at < len(p.text) && p.text[p.at] != '\n' {
				p.at++
			}
		case c == ' ' || c == '\t' || lines && (c == '\n' || c == '\r'):
			p.at++
		default:
			return
		}
	}
}

func (p *gbnf) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

func (p *gbnf) name() string {
	from := p.at
	for p.at < len(p.text) && (p.peek() == '-' || p.peek() == '_' || p.peek() >= '0' && p.peek() <= '9' || letter(p.peek())) {
		p.at++
	}
	if p.at == from {
		p.bad("want a name before %.20q", p.text[from:])
	}
	return p.text[from:p.at]
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func (p *gbnf) definition() {
	name := p.name()
	r := p.rule(name)
	p.skip(false)
	if !strings.HasPrefix(p.text[p.at:], "::=") {
		p.bad("want ::= behind the name %q", name)
	}
	if p.b.rules[r] != nil {
		p.bad("the rule %q is there twice", name)
	}
	p.at += 3
	p.skip(true)
	p.b.set(r, p.alternatives(false)...)
}

// alternatives reads what | separates. inside: within parentheses, where lines may end anywhere.
func (p *gbnf) alternatives(inside bool) (list []sequence) {
	if p.depth++; p.depth > maxNesting {
		p.bad("groups are nested more than %d deep", maxNesting)
	}
	defer func() { p.depth-- }()
	for {
		list = append(list, p.sequence(inside))
		// A rule may go on with | in the next line.
		from := p.at
		p.skip(true)
		if p.peek() != '|' {
			p.at = from
			return list
		}
		p.at++
		p.skip(true)
	}
}

func (p *gbnf) sequence(inside bool) sequence {
	q := sequence{}
	for {
		p.skip(inside)
		var x sequence
		switch c := p.peek(); {
		case c == '"':
			x = p.literal()
		case c == '[':
			x = p.class()
		case c == '.':
			p.at++
			x = p.b.class([2]rune{0, utf8.MaxRune})
		case c == '(':
			p.at++
			p.skip(true)
			x = p.b.either(p.alternatives(true)...)
			p.skip(true)
			if p.peek() != ')' {
				p.bad("want ) before %.20q", p.text[p.at:])
			}
			p.at++
		case letter(c):
			x = ref(p.rule(p.name()))
		default:
			return q
		}
		q = append(q, p.repeated(x)...)
	}
}

// repeated reads *, +, ? and {m,n} behind an item.
func (p *gbnf) repeated(x sequence) sequence {
	for {
		switch p.peek() {
		case '*':
			x = p.b.many(x, 0, -1)
		case '+':
			x = p.b.many(x, 1, -1)
		case '?':
			x = p.b.many(x, 0, 1)
		case '{':
			p.at++
			least := p.number()
			most := least
			if p.peek() == ',' {
				p.at++
				if most = -1; p.peek() != '}' {
					most = p.number()
				}
			}
			if p.peek() != '}' || most >= 0 && most < least {
				p.bad("want {m}, {m,} or {m,n}")
			}
			x = p.b.many(x, least, most)
		default:
			return x
		}
		p.at++
	}
}

func (p *gbnf) number() int {
	from := p.at
	for p.peek() >= '0' && p.peek() <= '9' {
		p.at++
	}
	n, err := strconv.Atoi(p.text[from:p.at])
	if err != nil || n > maxRepeat {
		p.bad("want a number up to %d", maxRepeat)
	}
	return n
}

// char reads a character, which may be escaped.
func (p *gbnf) char() rune {
	r, n := utf8.DecodeRuneInString(p.text[p.at:])
	if n == 0 || r == utf8.RuneError && n == 1 {
		p.bad("the text ends within a literal, or is no UTF-8")
	}
	p.at += n
	if r != '\\' {
		return r
	}
	c := p.peek()
	p.at++
	switch c {
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	case '\\', '"', '[', ']', '-', '^', '/', '.':
		return rune(c)
	case 'x', 'u', 'U':
		digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
		if p.at+digits <= len(p.text) {
			v, err := strconv.ParseUint(p.text[p.at:p.at+digits], 16, 32)
			if err == nil && v <= utf8.MaxRune {
				p.at += digits
				return rune(v)
			}
		}
	}
	p.bad("the escape \\%c is not known", c)
	return 0
}

func (p *gbnf) literal() (q sequence) {
	p.at++
	for p.peek() != '"' {
		q = append(q, lit(string(p.char()))...)
	}
	p.at++
	return q
}

func (p *gbnf) class() sequence {
	p.at++
	negated := p.peek() == '^'
	if negated {
		p.at++
	}
	var ranges [][2]rune
	for p.peek() != ']' {
		lo := p.char()
		hi := lo
		if p.peek() == '-' && p.at+1 < len(p.text) && p.text[p.at+1] != ']' {
			p.at++
			hi = p.char()
		}
		if hi < lo {
			p.bad("the range %q to %q is empty", lo, hi)
		}
		ranges = append(ranges, [2]rune{lo, hi})
	}
	p.at++
	if negated {
		ranges = except(ranges)
	}
	return p.b.class(ranges...)
}
