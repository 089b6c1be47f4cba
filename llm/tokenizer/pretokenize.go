package tokenizer

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// preTokenizer cuts segments into pieces that no token crosses. It writes them to out and returns both slices, the result
// first.
type preTokenizer interface {
	split(in, out []segment) (result, spare []segment)
}

type preTokenizers []preTokenizer

func (p preTokenizers) split(in, out []segment) (result, spare []segment) {
	for _, one := range p {
		in, out = one.split(in, out[:0])
	}
	return in, out
}

// behavior says what becomes of a match of a splitter.
type behavior uint8

const (
	isolated behavior = iota
	removed
	withPrevious
	withNext
	contiguous
)

// finder returns the first match in s from a byte on, -1 if there is none.
type finder interface {
	Find(s string, from int) (start, end int)
}

// splitter cuts by the matches of a finder.
type splitter struct {
	find   finder
	act    behavior
	invert bool // the text between matches is what counts as a match
}

func (p splitter) split(in, out []segment) (result, spare []segment) {
	for _, s := range in {
		out = p.one(s, out)
	}
	return out, in
}

func (p splitter) one(s segment, out []segment) []segment {
	text := s.text
	begun := len(out)
	add := func(from, to int) {
		if from < to {
			out = append(out, segment{text[from:to], s.first && from == 0})
		}
	}
	pending := 0  // start of what is not yet given out
	last := false // the part before was a match
	part := func(from, to int, match bool) {
		if from == to {
			return
		}
		match = match != p.invert
		switch p.act {
		case isolated:
			add(from, to)
		case removed:
			if !match {
				add(from, to)
			}
		case withPrevious: // a match joins what is before it; only one does
			if match && !last && len(out) > begun {
				tail := &out[len(out)-1]
				tail.text = text[from-len(tail.text) : to]
			} else {
				add(from, to)
			}
		case withNext:
			if match {
				if last {
					add(pending, from)
				}
				pending = from
			} else {
				if !last {
					pending = from
				}
				add(pending, to)
				pending = to
			}
		case contiguous:
			if match == last && len(out) > begun {
				tail := &out[len(out)-1]
				tail.text = text[from-len(tail.text) : to]
			} else {
				add(from, to)
			}
		}
		last = match
	}
	done := 0
	for from := 0; from < len(text); {
		start, end := p.find.Find(text, from)
		if start < 0 {
			break
		}
		if start == end { // a match of nothing cuts, and the search goes on behind the next character
			part(done, start, false)
			done = start
			_, w := decodeAt(text, end)
			from = end + w
			continue
		}
		part(done, start, false)
		part(start, end, true)
		done, from = end, end
	}
	part(done, len(text), false)
	if p.act == withNext && last {
		add(pending, len(text))
	}
	return out
}

func decodeAt(s string, at int) (rune, int) {
	if at >= len(s) {
		return 0, 1
	}
	r, n := utf8.DecodeRuneInString(s[at:])
	return r, n
}

// textFinder finds a fixed text.
type textFinder string

// Find returns the first match from from on.
func (t textFinder) Find(s string, from int) (start, end int) {
	i := strings.Index(s[from:], string(t))
	if i < 0 || t == "" {
		return -1, -1
	}
	return from + i, from + i + len(t)
}

// runeFinder finds single characters.
type runeFinder func(r rune) bool

// Find returns the first match from from on.
func (f runeFinder) Find(s string, from int) (start, end int) {
	for i, r := range s[from:] {
		if f(r) {
			_, n := utf8.DecodeRuneInString(s[from+i:])
			return from + i, from + i + n
		}
	}
	return -1, -1
}

// byteLevelSplit writes the bytes as characters, unless the model takes them raw, after an optional cut.
type byteLevelSplit struct {
	prefixSpace bool
	cut         finder // nil: not cut
	raw         bool
}

func (p *byteLevelSplit) split(in, out []segment) (result, spare []segment) {
	for _, s := range in {
		if p.prefixSpace && !strings.HasPrefix(s.text, " ") {
			s.text = " " + s.text
		}
		if p.cut != nil {
			out = splitter{find: p.cut}.one(s, out)
		} else {
			out = append(out, s)
		}
	}
	if !p.raw {
		for i := range out {
			out[i].text = toByteLevel(out[i].text)
		}
	}
	return out, in
}

// metaspaceSplit writes spaces as a visible character and cuts before it.
type metaspaceSplit struct {
	mark   string
	always bool // put one before every segment
	first  bool // put one before the text
	cut    bool
}

func (p metaspaceSplit) split(in, out []segment) (result, spare []segment) {
	for _, s := range in {
		s.text = strings.ReplaceAll(s.text, " ", p.mark)
		if (p.always || p.first && s.first) && !strings.HasPrefix(s.text, p.mark) {
			s.text = p.mark + s.text
		}
		if p.cut {
			out = splitter{find: textFinder(p.mark), act: withNext}.one(s, out)
		} else {
			out = append(out, s)
		}
	}
	return out, in
}

// lengthSplit cuts into pieces of a number of characters.
type lengthSplit int

func (p lengthSplit) split(in, out []segment) (result, spare []segment) {
	for _, s := range in {
		start, n := 0, 0
		for i := range s.text {
			if n == int(p) {
				out = append(out, segment{s.text[start:i], s.first && start == 0})
				start, n = i, 0
			}
			n++
		}
		out = append(out, segment{s.text[start:], s.first && start == 0})
	}
	return out, in
}

// scriptSplit cuts where the script changes; spaces belong to what is before them, and those that begin a segment are left out.
type scriptSplit struct{}

func (scriptSplit) split(in, out []segment) (result, spare []segment) {
	for _, s := range in {
		start, last := -1, ""
		for i, r := range s.text {
			script := scriptOf(r)
			if script == "" || script == last {
				continue
			}
			if start >= 0 {
				out = append(out, segment{s.text[start:i], s.first && start == 0})
			}
			start, last = i, script
		}
		if start >= 0 {
			out = append(out, segment{s.text[start:], s.first && start == 0})
		}
	}
	return out, in
}

// scriptOf names the script of a character; Japanese is one, and a space has none.
func scriptOf(r rune) string {
	switch {
	case r == ' ':
		return ""
	case r == 'ー' || unicode.In(r, unicode.Hiragana, unicode.Katakana):
		return "Han"
	case r < utf8.RuneSelf && unicode.IsLetter(r):
		return "Latin"
	case r < utf8.RuneSelf:
		return "Common"
	}
	for name, table := range unicode.Scripts {
		if unicode.Is(table, r) {
			return name
		}
	}
	return ""
}

func wantsFirst(p preTokenizer) bool {
	switch p := p.(type) {
	case preTokenizers:
		return slices.ContainsFunc(p, wantsFirst)
	case metaspaceSplit:
		return p.first
	}
	return false
}

func isPunctuation(r rune) bool {
	if r < 128 {
		return r >= '!' && r <= '/' || r >= ':' && r <= '@' || r >= '[' && r <= '`' || r >= '{' && r <= '~'
	}
	return unicode.Is(unicode.P, r)
}

// The patterns of well-known vocabularies.
const (
	gpt2Expr = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
	wordSet  = `\p{L}\p{Nl}\p{Other_Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}`
	wordExpr = `[` + wordSet + `]+|[^\s` + wordSet + `]+`
)
