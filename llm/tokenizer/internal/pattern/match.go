package pattern

import (
	"unicode/utf8"

	"github.com/lucid-go/lucid/internal/fault"
)

// A match may take stepsPlus steps and stepsPerByte for each byte of the text.
const (
	stepsPlus    = 1 << 16
	stepsPerByte = 64
	maxRecursion = 1 << 13
)

type matcher struct {
	s     string
	left  int // steps
	depth int
	last  []int
}

// Find returns the first match at or after from: the leftmost, of those the first in the order of the alternatives. start is -1
// if there is none. It throws when the match takes too many steps.
func (p *Pattern) Find(s string, from int) (start, end int) {
	m := matcher{s: s, left: stepsPlus + stepsPerByte*(len(s)-from)}
	if p.stars > 0 {
		m.last = make([]int, p.stars)
	}
	for at := from; at <= len(s); {
		if end := m.run(p.start, at); end >= 0 {
			return at, end
		}
		if at == len(s) {
			break
		}
		_, n := decode(s[at:])
		at += n
	}
	return -1, -1
}

func decode(s string) (rune, int) {
	if s[0] < utf8.RuneSelf {
		return rune(s[0]), 1
	}
	return utf8.DecodeRuneInString(s)
}

func (m *matcher) spend(n int) {
	if m.left -= n; m.left < 0 {
		fault.Throw(fault.Value, op, "a match over %d bytes takes too many steps; simplify the pattern or cut the text", len(m.s))
	}
}

// run follows the program from n at byte at; it returns the end of the match, or -1.
func (m *matcher) run(n *node, at int) int {
	if m.depth++; m.depth > maxRecursion {
		fault.Throw(fault.Value, op, "a match over %d bytes nests too deep; simplify the pattern or cut the text", len(m.s))
	}
	end := m.follow(n, at)
	m.depth--
	return end
}

func (m *matcher) follow(n *node, at int) int {
	for {
		m.spend(1)
		switch n.kind {
		case nodeAccept:
			return at
		case nodeClass:
			if at >= len(m.s) {
				return -1
			}
			r, w := decode(m.s[at:])
			if !n.class.has(r) {
				return -1
			}
			at += w
		case nodeRun:
			end, more := m.repeat(n, at)
			if !more {
				return end
			}
			at = end
		case nodeAlt:
			return m.alternatives(n, at)
		case nodeEnter:
			m.last[n.star] = -1
		case nodeStar:
			return m.star(n, at)
		case nodeLook, nodeBehind:
			if m.look(n, at) == n.negative {
				return -1
			}
		case nodeAtomic:
			if at = m.run(n.sub, at); at < 0 {
				return -1
			}
		case nodeAssert:
			if !m.holds(n.assert, at) {
				return -1
			}
		}
		n = n.next
	}
}

func (m *matcher) alternatives(n *node, at int) int {
	for i := range n.alts {
		b := &n.alts[i]
		if at < len(m.s) {
			if c := m.s[at]; c >= 128 && !b.other || c < 128 && b.ascii[c>>6]>>(c&63)&1 == 0 {
				continue
			}
		}
		if end := m.run(b.first, at); end >= 0 {
			return end
		}
	}
	return -1
}

// repeat matches a repeated class. more: go on at the next node from end; else end is the result of the whole match.
func (m *matcher) repeat(n *node, at int) (end int, more bool) {
	if n.mode == lazy {
		return m.lazyRun(n, at), false
	}
	s, c, count := m.s, n.class, 0
	first := at
	floor := at // where the least count is reached
	for at < len(s) && count != n.max {
		w := 1
		if b := s[at]; b < utf8.RuneSelf {
			if c.ascii[b>>6]>>(b&63)&1 == 0 {
				break
			}
		} else {
			var r rune
			if r, w = utf8.DecodeRuneInString(s[at:]); !c.has(r) {
				break
			}
		}
		at += w
		if count++; count == n.min {
			floor = at
		}
	}
	if count < n.min {
		return -1, false
	}
	m.spend((at - first) >> 4)
	if n.mode == possessive || n.next.kind == nodeAccept || at == floor {
		return at, true
	}
	for {
		if end := m.run(n.next, at); end >= 0 || at <= floor {
			return end, false
		}
		_, w := utf8.DecodeLastRuneInString(s[:at])
		at -= w
		m.spend(1)
	}
}

func (m *matcher) lazyRun(n *node, at int) int {
	for count := 0; ; count++ {
		if count >= n.min {
			if end := m.run(n.next, at); end >= 0 {
				return end
			}
		}
		if count == n.max || at >= len(m.s) {
			return -1
		}
		r, w := decode(m.s[at:])
		if !n.class.has(r) {
			return -1
		}
		at += w
		m.spend(1)
	}
}

// star matches one more round of a repeated group, or what follows it. A round that takes nothing ends the repetition.
func (m *matcher) star(n *node, at int) int {
	before := m.last[n.star]
	if at == before {
		return m.run(n.next, at)
	}
	if n.mode == lazy {
		if end := m.run(n.next, at); end >= 0 {
			return end
		}
	}
	m.last[n.star] = at
	if end := m.run(n.sub, at); end >= 0 {
		return end
	}
	m.last[n.star] = before
	if n.mode == lazy {
		return -1
	}
	return m.run(n.next, at)
}

func (m *matcher) look(n *node, at int) bool {
	if n.kind == nodeLook {
		return m.run(n.sub, at) >= 0
	}
	from := at
	for range n.width {
		if from == 0 {
			return false
		}
		_, w := utf8.DecodeLastRuneInString(m.s[:from])
		from -= w
	}
	return m.run(n.sub, from) == at
}

var wordSet = newClass(wordChars())

func (m *matcher) holds(assert byte, at int) bool {
	s := m.s
	switch assert {
	case '^':
		return at == 0 || s[at-1] == '\n'
	case '$':
		return at == len(s) || s[at] == '\n'
	case 'A':
		return at == 0
	case 'z':
		return at == len(s)
	case 'Z':
		return at == len(s) || at == len(s)-1 && s[at] == '\n'
	}
	before, after := false, false
	if at > 0 {
		r, _ := utf8.DecodeLastRuneInString(s[:at])
		before = wordSet.has(r)
	}
	if at < len(s) {
		r, _ := decode(s[at:])
		after = wordSet.has(r)
	}
	return (before != after) == (assert == 'b')
}
