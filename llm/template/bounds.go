package template

import (
	"math"
	"strings"
	"unicode/utf8"
)

// A template pays for everything before it is made: steps for time, room for bytes. A step is worth some hundred nanoseconds.

const (
	elementSize = 32        // bytes of an element of a list, with its value
	pairSize    = 128       // of a pair of a mapping, or of a list of two
	scopeSize   = 1 << 9    // of the variables that a macro or a namespace keeps
	maxNest     = 5_000     // expressions inside each other in one rendering
	smallPiece  = 1 << 10   // bytes of a text that pieces copies
	chunkPiece  = 32 * 1024 // bytes that pieces collects
)

func (e *env) spend(n int) {
	if n < 0 || n > e.steps {
		throw("the template takes too many steps; raise Options.MaxSteps if that is right")
	}
	e.steps -= n
}

// take claims n bytes of text or of lists, before they are made.
func (e *env) take(n int) {
	if n < 0 || n > e.room {
		throw("the template writes too much; raise Options.MaxOutput if that is right")
	}
	e.room -= n
}

// elements claims a list of n.
func (e *env) elements(n int) {
	e.spend(n)
	e.take(times(n, elementSize))
}

// scan spends what it takes to search a whole text.
func (e *env) scan(s string) { e.spend(len(s) >> 7) }

// walk spends what it takes to treat a text character by character, and claims so many copies of it.
func (e *env) walk(s string, copies int) {
	e.scan(s)
	if isASCII(s) {
		e.spend(len(s)>>6 + copies*(len(s)>>4))
		e.take(times(len(s), copies))
		return
	}
	e.spend(len(s) >> 2)
	e.take(times(len(s), 3*copies)) // capitals can be longer
}

// tick spends a step for eight characters looked at.
func (e *env) tick() {
	if e.ticks++; e.ticks&7 == 0 {
		e.spend(1)
	}
}

// down enters an expression, up leaves it.
func (e *env) down() {
	e.spend(1)
	if e.nest++; e.nest > maxNest {
		throw("expressions nest more than %d deep", maxNest)
	}
}

func (e *env) up() { e.nest-- }

// times is a product of sizes, at most the largest int.
func times(a, b int) int {
	if a > 0 && b > math.MaxInt/a {
		return math.MaxInt
	}
	return a * b
}

func isASCII(s string) bool {
	for len(s) >= 8 {
		if s[0]|s[1]|s[2]|s[3]|s[4]|s[5]|s[6]|s[7] >= utf8.RuneSelf {
			return false
		}
		s = s[8:]
	}
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// pieces collects a text. Large parts are not copied until it is joined.
type pieces struct {
	parts []string
	tail  []byte
	n     int
}

// put adds a text that it claims.
func (e *env) put(p *pieces, s string) {
	e.take(len(s))
	p.n += len(s)
	if len(s) > smallPiece {
		p.flush()
		p.parts = append(p.parts, s)
		return
	}
	if len(p.tail)+len(s) > chunkPiece {
		p.flush()
	}
	p.tail = append(p.tail, s...)
}

func (p *pieces) flush() {
	if len(p.tail) > 0 {
		p.parts = append(p.parts, string(p.tail))
		p.tail = p.tail[:0]
	}
}

// whole is the text.
func (p *pieces) whole() string {
	p.flush()
	if len(p.parts) == 1 {
		return p.parts[0]
	}
	return strings.Join(p.parts, "")
}

// joinPieces is whole; it claims the copy.
func (e *env) joinPieces(p *pieces) string {
	if p.n > len(p.tail) {
		e.take(p.n)
	}
	return p.whole()
}

// position is the byte at which the n-th character of a text begins, counted from its end if n is negative. It costs what it reads.
func (e *env) position(s string, n int64) int {
	at := 0
	if n < 0 {
		for at = len(s); n < 0 && at > 0; n++ {
			e.tick()
			_, size := utf8.DecodeLastRuneInString(s[:at])
			at -= size
		}
		return at
	}
	for ; n > 0 && at < len(s); n-- {
		e.tick()
		size := 1
		if s[at] >= utf8.RuneSelf {
			_, size = utf8.DecodeRuneInString(s[at:])
		}
		at += size
	}
	return at
}

// char is the n-th character of a text, of those from its end on if n is negative.
func (e *env) char(s string, n int64) any {
	if n < -int64(len(s)) || n >= int64(len(s)) {
		return undefined{"an element"}
	}
	at := 0
	if n < 0 {
		if at = len(s); n < -1 {
			at = e.position(s, n+1)
		}
		if at == 0 {
			return undefined{"an element"}
		}
		_, size := utf8.DecodeLastRuneInString(s[:at])
		return s[at-size : at]
	}
	if at = e.position(s, n); at == len(s) {
		return undefined{"an element"}
	}
	_, size := utf8.DecodeRuneInString(s[at:])
	return s[at : at+size]
}

// runes are the characters of a text.
func (e *env) runes(s string) []rune {
	e.walk(s, 0)
	n := utf8.RuneCountInString(s)
	e.take(times(n, 4))
	return []rune(s)
}
