package grammar

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// Most of a JSON text is inside strings, where most tokens are allowed. Those are found without a walk over all tokens: plain characters
// are the ones that need no escape there. A state in which all of them lead to one other state is told by the grammar's elements; then
// tokens of plain characters are a bitmap, and of the others only what follows their plain characters is walked.

// isPlain reports whether a character stands for itself in a JSON string.
func isPlain(r rune) bool {
	return r >= ' ' && r != '"' && r != '\\' && r != 0x7F && r <= utf8.MaxRune && (r < 0xD800 || r > 0xDFFF)
}

// plainRanges are the plain characters.
var plainRanges = [][2]rune{{' ', '!'}, {'#', '['}, {']', '~'}, {0x80, 0xD7FF}, {0xE000, utf8.MaxRune}}

// maxPlain is the most plain characters at the beginning of a token that are told apart.
const maxPlain = 64

// plainTokens are the tokens of a vocabulary by the plain characters they begin with.
type plainTokens struct {
	most  int         // the most plain characters of any token
	whole [][]uint64  // bitmaps of tokens with 1 to i+1 plain characters and nothing else
	rest  []tokenTree // what follows i plain characters in the others
	any   tokenTree   // what follows plain characters, whatever their number
}

func newPlainTokens(list []entry, size int) (p plainTokens) {
	var rest [maxPlain + 1][]entry
	var count [maxPlain + 1][]int32
	var all []entry
	for _, e := range list {
		n, text := 0, e.text
		for len(text) > 0 && n < maxPlain {
			r, size := utf8.DecodeRune(text)
			if !isPlain(r) || r == utf8.RuneError && size == 1 {
				break
			}
			text, n = text[size:], n+1
		}
		if p.most = max(p.most, n); len(text) == 0 {
			count[n] = append(count[n], e.id)
			continue
		}
		rest[n] = append(rest[n], entry{text, e.id})
		all = append(all, entry{text, e.id})
	}
	bits := make([]uint64, (size+63)/64)
	for n := 1; n <= p.most; n++ {
		for _, id := range count[n] {
			bits[id/64] |= 1 << (id % 64)
		}
		p.whole = append(p.whole, slices.Clone(bits))
	}
	for n := range p.most + 1 {
		p.rest = append(p.rest, newTree(rest[n]))
	}
	p.any = newTree(all)
	return p
}

// markPlain finds the rules that any plain character is one of.
func (g *Grammar) markPlain() {
	g.plain = make([]int32, len(g.code))
	for i := range g.plain {
		g.plain[i] = -1
	}
	for rule, starts := range g.starts {
		if g.coversPlain(starts) {
			for _, at := range starts {
				g.plain[at] = int32(rule)
			}
		}
	}
}

// coversPlain reports whether alternatives are characters, the plain ones among them.
func (g *Grammar) coversPlain(starts []int32) bool {
	var list [][2]rune
	for _, at := range starts {
		var lo, hi []byte
		for ; g.code[at].rule == -1; at++ {
			lo, hi = append(lo, g.code[at].lo), append(hi, g.code[at].hi)
		}
		if g.code[at].rule != end || len(lo) == 0 || len(lo) > utf8.UTFMax {
			return false
		}
		first, n := utf8.DecodeRune(lo)
		last, m := utf8.DecodeRune(hi)
		if n != len(lo) || m != len(hi) || n != m || first == utf8.RuneError || last == utf8.RuneError {
			return false
		}
		varies := false
		for i := range lo { // bytes behind one that varies must be all that can follow, else there are gaps
			if varies && (lo[i] != 0x80 || hi[i] != 0xBF) {
				return false
			}
			varies = varies || lo[i] != hi[i]
		}
		list = append(list, [2]rune{first, last})
	}
	slices.SortFunc(list, func(a, b [2]rune) int { return cmp.Compare(a[0], b[0]) })
	for _, want := range plainRanges {
		next := want[0]
		for _, r := range list {
			if r[0] <= next && r[1] >= next {
				next = r[1] + 1
			}
		}
		if next <= want[1] {
			return false
		}
	}
	return true
}

// mixed stands for a state in which plain characters lead to several others, or some of them to none.
var mixed = &state{}

// plainNext is the state behind any plain character: dead if none may come, mixed if they differ.
func (g *Grammar) plainNext(s *state) *state {
	if s.after != nil {
		return s.after
	}
	s.after = mixed
	var up *frame
	rule, n := int32(-1), 0
	for _, f := range s.tops {
		e := g.code[f.at]
		r := g.plain[f.at]
		switch {
		case r >= 0 && (rule < 0 || rule == r && up == f.up):
			rule, up = r, f.up
			n++
		case e.hi >= 0x80 || e.lo <= '!' && e.hi >= ' ' || e.lo <= '[' && e.hi >= '#' || e.lo <= '~' && e.hi >= ']':
			return s.after // another reading takes some of them
		}
	}
	switch {
	case rule < 0:
		s.after = dead
	case n == len(g.starts[rule]):
		s.after = dead
		if up != nil {
			s.after = g.closure([]*frame{up})
		} else {
			s.after = g.intern(nil, true)
		}
	}
	return s.after
}

// plainMask sets the bits of tokens if the state takes plain characters alike, as far as tokens go. Else it reports false.
func (g *Grammar) plainMask(s *state, p *plainTokens, mask []uint64) bool {
	chain := []*state{s}
	for n := 0; n < p.most; n++ {
		next := g.plainNext(s)
		if next == mixed {
			return false
		}
		if next == s {
			if n > 0 {
				return false // some characters, then any number: too rare to be worth it
			}
			or(mask, p.whole[p.most-1])
			g.walk(s, &p.any, mask)
			return true
		}
		if next == dead {
			break
		}
		s = next
		chain = append(chain, s)
	}
	if len(chain) == 1 {
		return false // none may come: a walk over all tokens ends soon
	}
	or(mask, p.whole[min(len(chain)-1, p.most)-1])
	for n, s := range chain {
		g.walk(s, &p.rest[n], mask)
	}
	return true
}

func or(mask, bits []uint64) {
	for i, b := range bits {
		mask[i] |= b
	}
}
