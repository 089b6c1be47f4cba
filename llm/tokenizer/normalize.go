package tokenizer

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lucid-go/lucid/llm/tokenizer/internal/pattern"
	"golang.org/x/text/unicode/norm"
)

// normalizer rewrites text before it is cut.
type normalizer interface{ normalize(string) string }

type normalizers []normalizer

func (n normalizers) normalize(s string) string {
	for _, one := range n {
		s = one.normalize(s)
	}
	return s
}

// formNormalizer is one of Unicode's normal forms.
type formNormalizer struct{ form norm.Form }

func (n formNormalizer) normalize(s string) string {
	if isASCII(s) {
		return s
	}
	return n.form.String(s)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// funcNormalizer is a plain function.
type funcNormalizer func(string) string

func (f funcNormalizer) normalize(s string) string { return f(s) }

// lower maps every character by itself, without regard to its neighbours.
func lower(s string) string {
	if strings.ContainsRune(s, 'İ') {
		s = strings.ReplaceAll(s, "İ", "i\u0307") // the one character whose small form is two
	}
	return strings.Map(unicode.ToLower, s)
}

// without leaves out the marks of a table: of all kinds for StripAccents, those that take no room for BertNormalizer.
func without(marks *unicode.RangeTable, s string) string {
	if isASCII(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(marks, r) {
			return -1
		}
		return r
	}, s)
}

type stripNormalizer struct{ left, right bool }

func (n stripNormalizer) normalize(s string) string {
	if n.left {
		s = strings.TrimLeftFunc(s, unicode.IsSpace)
	}
	if n.right {
		s = strings.TrimRightFunc(s, unicode.IsSpace)
	}
	return s
}

type prependNormalizer struct{ text string }

func (n prependNormalizer) normalize(s string) string {
	if s == "" {
		return s
	}
	return n.text + s
}

// replaceNormalizer replaces a text, or the matches of a pattern.
type replaceNormalizer struct {
	text string
	expr *pattern.Pattern
	with string
}

func (n replaceNormalizer) normalize(s string) string {
	if n.expr == nil {
		return strings.ReplaceAll(s, n.text, n.with)
	}
	var b strings.Builder
	done := 0
	for from, last := 0, -1; from <= len(s); last = done {
		start, end := n.expr.Find(s, from)
		if start < 0 {
			break
		}
		if start == end && start == last { // nothing, right behind a match, is none
			_, w := utf8.DecodeRuneInString(s[end:])
			from += max(w, 1)
			continue
		}
		b.WriteString(s[done:start])
		b.WriteString(n.with)
		done, from = end, end
		if start == end { // a match of nothing: go on behind the next character
			_, w := utf8.DecodeRuneInString(s[end:])
			from += max(w, 1)
		}
	}
	b.WriteString(s[min(done, len(s)):])
	return b.String()
}

// bertNormalizer is BERT's cleaning.
type bertNormalizer struct{ clean, chinese, accents, lower bool }

func (n bertNormalizer) normalize(s string) string {
	if n.clean {
		s = strings.Map(func(r rune) rune {
			switch {
			case r == 0 || r == utf8.RuneError || isControl(r):
				return -1
			case unicode.IsSpace(r):
				return ' '
			}
			return r
		}, s)
	}
	if n.chinese {
		s = spaceIdeographs(s)
	}
	if n.accents {
		s = without(unicode.Mn, formNormalizer{norm.NFD}.normalize(s))
	}
	if n.lower {
		s = lower(s)
	}
	return s
}

func isControl(r rune) bool {
	if r == '\t' || r == '\n' || r == '\r' {
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co)
}

// nmt is the cleaning of some SentencePiece models: control characters go, breaks of every kind and what has no width are spaces.
func nmt(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 1 && r <= 8, r == 0x0b, r >= 0x0e && r <= 0x1f, r == 0x7f, r == 0x8f, r == 0x9f:
			return -1
		case r == '\t', r == '\n', r == '\f', r == '\r', r == 0x1680, r >= 0x200b && r <= 0x200f, r == 0x2028, r == 0x2029, r == 0x2581,
			r == 0xfeff, r == utf8.RuneError:
			return ' '
		}
		return r
	}, s)
}

// spaceIdeographs puts a space around each Chinese character.
func spaceIdeographs(s string) string {
	if isASCII(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if isIdeograph(r) {
			b.WriteByte(' ')
			b.WriteRune(r)
			b.WriteByte(' ')
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isIdeograph(r rune) bool {
	for _, s := range [...][2]rune{{0x4e00, 0x9fff}, {0x3400, 0x4dbf}, {0x20000, 0x2a6df}, {0x2a700, 0x2b73f}, {0x2b740, 0x2b81f},
		{0x2b920, 0x2ceaf}, {0xf900, 0xfaff}, {0x2f800, 0x2fa1f}} {
		if r >= s[0] && r <= s[1] {
			return true
		}
	}
	return false
}

// dropsLead reports whether a normalizer removes spaces at the beginning of s.
func dropsLead(n normalizer, s string) bool {
	switch n := n.(type) {
	case normalizers:
		for _, one := range n {
			if dropsLead(one, s) {
				return true
			}
			s = one.normalize(s)
		}
	case stripNormalizer:
		return n.left && strings.TrimLeftFunc(s, unicode.IsSpace) != s
	case replaceNormalizer:
		if n.with != "" {
			return false
		} else if n.expr == nil {
			return strings.HasPrefix(s, n.text)
		}
		start, end := n.expr.Find(s, 0)
		return start == 0 && end > 0
	case funcNormalizer, bertNormalizer:
		_, w := utf8.DecodeRuneInString(s)
		return w > 0 && n.normalize(s[:w]) == ""
	}
	return false
}
