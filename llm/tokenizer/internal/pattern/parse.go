package pattern

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lucid-go/lucid/internal/fault"
)

const (
	op        = "pattern"
	maxSource = 1 << 14
	maxNodes  = 1 << 16
	maxDepth  = 100
	maxRepeat = 1000
)

// tree is a parsed expression.
type tree struct {
	kind     treeKind
	set      []span  // treeSet
	subs     []*tree // treeSeq, treeAlt; one for the others
	min, max int     // treeRepeat; max < 0: no limit
	mode     repeatMode
	negative bool // treeLook
	behind   bool
	assert   byte // treeAssert
}

type treeKind uint8

const (
	treeSet treeKind = iota
	treeSeq
	treeAlt
	treeRepeat
	treeLook
	treeAtomic
	treeAssert
)

type repeatMode uint8

const (
	greedy repeatMode = iota
	lazy
	possessive
)

type parser struct {
	src   string
	at    int
	fold  bool
	dots  bool // . takes newlines
	depth int
}

func (p *parser) fail(format string, args ...any) {
	fault.Throw(fault.Format, op, "%q at byte %d: "+format, append([]any{p.src, p.at}, args...)...)
}

func (p *parser) more() bool { return p.at < len(p.src) }

func (p *parser) peek(s string) bool { return strings.HasPrefix(p.src[p.at:], s) }

func (p *parser) accept(s string) bool {
	if p.peek(s) {
		p.at += len(s)
		return true
	}
	return false
}

func (p *parser) rune() rune {
	if !p.more() {
		p.fail("the pattern ends early")
	}
	r, n := utf8.DecodeRuneInString(p.src[p.at:])
	p.at += n
	return r
}

// alternatives parses up to ) or the end.
func (p *parser) alternatives() *tree {
	if p.depth++; p.depth > maxDepth {
		p.fail("nested more than %d deep", maxDepth)
	}
	defer func(fold, dots bool) { p.depth--; p.fold, p.dots = fold, dots }(p.fold, p.dots)
	alt := &tree{kind: treeAlt}
	for {
		alt.subs = append(alt.subs, p.sequence())
		if !p.accept("|") {
			break
		}
	}
	if len(alt.subs) == 1 {
		return alt.subs[0]
	}
	return alt
}

func (p *parser) sequence() *tree {
	seq := &tree{kind: treeSeq}
	for p.more() && !p.peek("|") && !p.peek(")") {
		if t := p.atom(); t != nil {
			seq.subs = append(seq.subs, p.repeats(t))
		}
	}
	return seq
}

func (p *parser) repeats(t *tree) *tree {
	for p.more() {
		lo, hi := 0, -1
		switch c := p.src[p.at]; {
		case c == '*':
		case c == '+':
			lo = 1
		case c == '?':
			hi = 1
		case c == '{':
			end := strings.IndexByte(p.src[p.at:], '}')
			if end < 0 || !p.bounds(p.src[p.at+1:p.at+end], &lo, &hi) {
				return t // a plain brace
			}
			p.at += end
		default:
			return t
		}
		counted := p.src[p.at] == '}'
		p.at++
		if t.kind == treeLook || t.kind == treeAssert {
			p.fail("a repeated assertion")
		}
		mode := greedy
		if p.accept("?") {
			mode = lazy
		} else if !counted && p.accept("+") {
			mode = possessive
		}
		t = &tree{kind: treeRepeat, subs: []*tree{t}, min: lo, max: hi, mode: mode}
	}
	return t
}

// bounds reads the inside of {…}; false if it is no repetition.
func (p *parser) bounds(s string, lo, hi *int) bool {
	a, b, comma := strings.Cut(s, ",")
	number := func(s string, def int) (int, bool) {
		if s == "" {
			return def, comma
		}
		n, err := strconv.ParseUint(s, 10, 31)
		return int(n), err == nil
	}
	var ok1, ok2 bool
	*lo, ok1 = number(a, 0)
	if *hi, ok2 = number(b, -1); !comma {
		*hi, ok2 = *lo, true
	}
	if !ok1 || !ok2 || a == "" && b == "" {
		return false
	}
	if *lo > maxRepeat || *hi > maxRepeat || *hi >= 0 && *hi < *lo {
		p.fail("a repetition of %s; counts go up to %d", s, maxRepeat)
	}
	return true
}

// atom parses one thing that can be repeated; nil for a change of flags.
func (p *parser) atom() *tree {
	switch r := p.rune(); r {
	case '(':
		return p.group()
	case '[':
		return &tree{kind: treeSet, set: p.class()}
	case '.':
		if p.dots {
			return &tree{kind: treeSet, set: []span{{0, unicode.MaxRune}}}
		}
		return &tree{kind: treeSet, set: inverted([]span{{'\n', '\n'}})}
	case '^', '$':
		return &tree{kind: treeAssert, assert: byte(r)}
	case '*', '+', '?':
		p.fail("nothing to repeat")
		return nil
	case '\\':
		if p.more() && strings.IndexByte("AzZbBG", p.src[p.at]) >= 0 {
			c := p.src[p.at]
			if p.at++; c == 'G' {
				p.fail(`\G is not supported`)
			}
			return &tree{kind: treeAssert, assert: c}
		}
		return p.set(p.escape(false))
	default:
		return p.set([]span{{r, r}})
	}
}

func (p *parser) set(set []span) *tree {
	if p.fold {
		set = folded(set)
	}
	return &tree{kind: treeSet, set: set}
}

func (p *parser) group() *tree {
	t := &tree{kind: treeLook}
	switch {
	case p.accept("?:"):
		t = nil
	case p.accept("?>"):
		t.kind = treeAtomic
	case p.accept("?="):
	case p.accept("?!"):
		t.negative = true
	case p.accept("?<="):
		t.behind = true
	case p.accept("?<!"):
		t.behind, t.negative = true, true
	case p.peek("?<") || p.peek("?P<"):
		end := strings.IndexByte(p.src[p.at:], '>')
		if end < 0 {
			p.fail("a group name without >")
		}
		p.at += end + 1
		t = nil
	case p.accept("?#"):
		end := strings.IndexByte(p.src[p.at:], ')')
		if end < 0 {
			p.fail("a comment without )")
		}
		p.at += end + 1
		return nil
	case p.accept("?"):
		return p.flags()
	default:
		t = nil
	}
	body := p.alternatives()
	p.close()
	if t == nil {
		return body
	}
	t.subs = []*tree{body}
	return t
}

func (p *parser) close() {
	if !p.accept(")") {
		p.fail("a group without )")
	}
}

// flags reads (?i) and (?i:…).
func (p *parser) flags() *tree {
	fold, dots, on := p.fold, p.dots, true
	for {
		switch r := p.rune(); r {
		case 'i':
			fold = on
		case 'm', 's':
			dots = on
		case '-':
			on = false
		case ')':
			p.fold, p.dots = fold, dots
			return nil
		case ':':
			oldFold, oldDots := p.fold, p.dots
			p.fold, p.dots = fold, dots
			body := p.alternatives()
			p.fold, p.dots = oldFold, oldDots
			p.close()
			return body
		default:
			p.fail("the flag %q is not supported", r)
		}
	}
}

// class parses a set after its [.
func (p *parser) class() []span {
	if p.depth++; p.depth > maxDepth {
		p.fail("nested more than %d deep", maxDepth)
	}
	defer func() { p.depth-- }()
	negative := p.accept("^")
	var set, cut []span
	both := false
	for first := true; ; first = false {
		if p.accept("]") && !first {
			break
		} else if p.accept("&&") {
			if both {
				set = intersected(cut, set)
			}
			cut, set, both = set, nil, true
			continue
		}
		set = append(set, p.item(first)...)
	}
	if both {
		set = intersected(cut, set)
	}
	if p.fold {
		set = folded(merged(set))
	}
	if negative {
		return inverted(set)
	}
	return merged(set)
}

// item parses a member of a set: a character, a range, an escape, a nested set.
func (p *parser) item(first bool) []span {
	if first && p.src[p.at-1] == ']' {
		return []span{{']', ']'}} // right after the bracket it stands for itself
	}
	if p.peek("[:") {
		if end := strings.Index(p.src[p.at:], ":]"); end > 0 {
			name, negative := strings.CutPrefix(p.src[p.at+2:p.at+end], "^")
			set, ok := posix(name)
			if !ok {
				p.fail("the class [:%s:] is not known", name)
			}
			p.at += end + 2
			if negative {
				return inverted(set)
			}
			return set
		}
	}
	if p.accept("[") {
		return p.class()
	}
	lo := p.member()
	if len(lo) != 1 || lo[0].lo != lo[0].hi || !p.peek("-") || strings.HasPrefix(p.src[p.at:], "-]") {
		return lo
	}
	p.at++
	hi := p.member()
	if len(hi) != 1 || hi[0].lo != hi[0].hi || hi[0].lo < lo[0].lo {
		p.fail("a bad range in a set")
	}
	return []span{{lo[0].lo, hi[0].lo}}
}

func (p *parser) member() []span {
	r := p.rune()
	if r == '\\' {
		return p.escape(true)
	}
	return []span{{r, r}}
}

// escape parses what follows a backslash.
func (p *parser) escape(inSet bool) []span {
	one := func(r rune) []span { return []span{{r, r}} }
	switch r := p.rune(); r {
	case 'n':
		return one('\n')
	case 'r':
		return one('\r')
	case 't':
		return one('\t')
	case 'f':
		return one('\f')
	case 'v':
		return one('\v')
	case 'a':
		return one('\a')
	case 'e':
		return one(27)
	case '0':
		return one(0)
	case 's':
		return spaces()
	case 'S':
		return inverted(spaces())
	case 'd':
		return digits()
	case 'D':
		return inverted(digits())
	case 'w':
		return wordChars()
	case 'W':
		return inverted(wordChars())
	case 'h':
		return []span{{'0', '9'}, {'a', 'f'}, {'A', 'F'}}
	case 'b':
		if inSet {
			return one('\b')
		}
	case 'x', 'u':
		return one(p.hex(r))
	case 'p', 'P':
		return p.property(r == 'P')
	default:
		if r < 128 && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			p.fail(`\%c is not supported`, r)
		}
		return one(r)
	}
	p.fail("a bad escape")
	return nil
}

func (p *parser) hex(kind rune) rune {
	var digits string
	if p.accept("{") {
		end := strings.IndexByte(p.src[p.at:], '}')
		if end < 0 {
			p.fail("an escape without }")
		}
		digits = p.src[p.at : p.at+end]
		p.at += end + 1
	} else {
		n := 2
		if kind == 'u' {
			n = 4
		}
		if p.at+n > len(p.src) {
			p.fail("an escape that ends early")
		}
		digits = p.src[p.at : p.at+n]
		p.at += n
	}
	v, err := strconv.ParseUint(digits, 16, 32)
	if err != nil || v > unicode.MaxRune {
		p.fail("%q is no code point", digits)
	}
	return rune(v)
}

func (p *parser) property(negative bool) []span {
	var name string
	if p.accept("{") {
		end := strings.IndexByte(p.src[p.at:], '}')
		if end < 0 {
			p.fail("a property without }")
		}
		name = p.src[p.at : p.at+end]
		p.at += end + 1
	} else {
		name = string(p.rune())
	}
	if s, ok := strings.CutPrefix(name, "^"); ok {
		name, negative = s, !negative
	}
	set, ok := property(name)
	if !ok {
		p.fail("the property %q is not known", name)
	}
	if negative {
		return inverted(set)
	}
	return set
}
