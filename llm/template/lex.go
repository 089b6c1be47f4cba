package template

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lucid-go/lucid/internal/fault"
)

const op = "template"

const maxSource = 1 << 20

// token is a piece of a template.
type token struct {
	kind tokenKind
	text string // data, name, operator, number, or the value of a string
	line int
}

type tokenKind uint8

const (
	tokData       tokenKind = iota
	tokExprStart            // {{
	tokExprEnd              // }}
	tokBlockStart           // {%
	tokBlockEnd             // %}
	tokName
	tokString
	tokNumber
	tokOperator
	tokEOF
)

type lexer struct {
	src    string
	at     int
	line   int
	tokens []token
	trim   bool // the next data loses the spaces it begins with
	cut    bool // the next data loses a newline it begins with
}

func (l *lexer) fail(format string, args ...any) {
	fault.Throw(fault.Format, op, "line %d: "+format, append([]any{l.line}, args...)...)
}

func (l *lexer) add(kind tokenKind, text string) {
	l.tokens = append(l.tokens, token{kind, text, l.line})
}

// lex cuts a template into tokens.
func lex(src string) []token {
	src = strings.ReplaceAll(strings.ReplaceAll(src, "\r\n", "\n"), "\r", "\n")
	src = strings.TrimSuffix(src, "\n")
	l := &lexer{src: src, line: 1}
	for l.at < len(src) {
		start := l.at
		open := nextOpen(src, start)
		if open < 0 {
			l.data(src[start:], "")
			break
		}
		tag := src[open : open+2]
		rest := src[open+2:]
		mark := ""
		if strings.HasPrefix(rest, "-") || strings.HasPrefix(rest, "+") {
			mark = rest[:1]
		}
		if mark == "" && tag != "{{" {
			mark = "block" // such a tag at the beginning of a line takes the spaces before it
		}
		l.data(src[start:open], mark)
		l.line += strings.Count(src[start:open], "\n")
		l.at = open + 2
		if mark == "-" || mark == "+" {
			l.at++
		}
		if n := l.raw(open); n > 0 {
			continue
		}
		switch tag {
		case "{#":
			l.comment()
		case "{{":
			l.add(tokExprStart, "")
			l.inside("}}", tokExprEnd)
		default:
			l.add(tokBlockStart, "")
			l.inside("%}", tokBlockEnd)
		}
	}
	l.add(tokEOF, "")
	return l.tokens
}

var (
	rawBegin = regexp.MustCompile(`^{%[-+]?\s*raw\s*(-%}\s*|%})`)
	rawEnd   = regexp.MustCompile(`{%([-+]?)\s*endraw\s*(\+%}|-%}\s*|%}\n?)`)
)

// raw takes the text between {% raw %} and {% endraw %} as it is; 0: that is not the tag at open.
func (l *lexer) raw(open int) int {
	begin := rawBegin.FindString(l.src[open:])
	if begin == "" {
		return 0
	}
	l.line += strings.Count(begin, "\n")
	l.at = open + len(begin)
	end := rawEnd.FindStringSubmatchIndex(l.src[l.at:])
	if end == nil {
		l.fail("a tag raw without its end")
	}
	mark := l.src[l.at+end[2] : l.at+end[3]]
	if mark == "" {
		mark = "block"
	}
	l.data(l.src[l.at:l.at+end[0]], mark)
	l.line += strings.Count(l.src[l.at:l.at+end[1]], "\n")
	l.at += end[1]
	return end[1]
}

func nextOpen(s string, from int) int {
	for i := from; i+1 < len(s); i++ {
		if s[i] == '{' && (s[i+1] == '{' || s[i+1] == '%' || s[i+1] == '#') {
			return i
		}
	}
	return -1
}

// data adds text between tags; mark is how the tag behind it begins.
func (l *lexer) data(s, mark string) {
	begins := l.at == 0 || l.at > 0 && l.src[l.at-1] == '\n' // of a line
	if l.trim {
		s = strings.TrimLeftFunc(s, unicode.IsSpace)
	} else if l.cut && strings.HasPrefix(s, "\n") {
		s, begins = s[1:], true
	}
	l.trim, l.cut = false, false
	switch mark {
	case "-":
		s = strings.TrimRightFunc(s, unicode.IsSpace)
	case "block":
		tail := strings.TrimRight(s, " \t")
		if strings.HasSuffix(tail, "\n") || tail == "" && begins {
			s = tail
		}
	}
	if s != "" {
		l.add(tokData, s)
	}
}

func (l *lexer) comment() {
	end := strings.Index(l.src[l.at:], "#}")
	if end < 0 {
		l.fail("a comment without #}")
	}
	body := l.src[l.at : l.at+end]
	l.line += strings.Count(body, "\n")
	l.at += end + 2
	l.after(strings.HasSuffix(body, "-"), strings.HasSuffix(body, "+"), true)
}

// after notes what the end of a tag does to the data behind it.
func (l *lexer) after(minus, plus, block bool) {
	l.trim, l.cut = minus, block && !plus
}

var operators = []string{"==", "!=", "<=", ">=", "//", "**", "+", "-", "*", "/", "%", "~", "<", ">", "=", ".", ",", ":", "|", "(",
	")", "[", "]", "{", "}", ";"}

// inside reads the tokens of a tag up to its end.
func (l *lexer) inside(end string, kind tokenKind) {
	depth := 0
	for {
		for l.at < len(l.src) && strings.IndexByte(" \t\n\v\f", l.src[l.at]) >= 0 {
			if l.src[l.at] == '\n' {
				l.line++
			}
			l.at++
		}
		rest := l.src[l.at:]
		if rest == "" {
			l.fail("a tag without %s", end)
		}
		for _, mark := range []string{"", "-", "+"} {
			if depth == 0 && strings.HasPrefix(rest, mark+end) {
				l.at += len(mark) + 2
				l.add(kind, "")
				l.after(mark == "-", mark == "+", kind == tokBlockEnd)
				return
			}
		}
		r, _ := utf8.DecodeRuneInString(rest)
		switch {
		case r == '"' || r == '\'':
			l.text(byte(r))
		case r >= '0' && r <= '9':
			l.number()
		case r == '_' || unicode.IsLetter(r):
			n := strings.IndexFunc(rest, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
			if n < 0 {
				n = len(rest)
			}
			l.at += n
			l.add(tokName, rest[:n])
		default:
			l.operator(rest, &depth)
		}
	}
}

func (l *lexer) operator(rest string, depth *int) {
	for _, o := range operators {
		if strings.HasPrefix(rest, o) {
			switch o {
			case "(", "[", "{":
				*depth++
			case ")", "]", "}":
				*depth--
			}
			l.at += len(o)
			l.add(tokOperator, o)
			return
		}
	}
	l.fail("an unexpected %q", rest[:1])
}

func (l *lexer) number() {
	rest := l.src[l.at:]
	n := 0
	digit := func(i int) bool { return i < len(rest) && rest[i] >= '0' && rest[i] <= '9' }
	for digit(n) || n < len(rest) && (rest[n] == '_' || rest[n] == '.' && digit(n+1)) {
		n++
	}
	if n < len(rest) && (rest[n] == 'e' || rest[n] == 'E') {
		k := n + 1
		if k < len(rest) && (rest[k] == '+' || rest[k] == '-') {
			k++
		}
		if digit(k) {
			for n = k; digit(n); n++ {
			}
		}
	}
	l.at += n
	l.add(tokNumber, strings.ReplaceAll(rest[:n], "_", ""))
}

// text reads a string with Python's escapes.
func (l *lexer) text(quote byte) {
	var b strings.Builder
	i := l.at + 1
	for ; i < len(l.src) && l.src[i] != quote; i++ {
		c := l.src[i]
		if c == '\n' {
			l.line++
		}
		if c != '\\' || i+1 == len(l.src) {
			b.WriteByte(c)
			continue
		}
		i++
		simple := map[byte]string{'n': "\n", 't': "\t", 'r': "\r", '\\': "\\",
			'\'': "'", '"': "\"", 'b': "\b", 'f': "\f", 'v': "\v", 'a': "\a", '0': "\x00", '\n': ""}
		if s, ok := simple[l.src[i]]; ok {
			b.WriteString(s)
			continue
		}
		if n := map[byte]int{'x': 2, 'u': 4, 'U': 8}[l.src[i]]; n > 0 && i+n < len(l.src) {
			v := rune(0)
			for _, h := range l.src[i+1 : i+1+n] {
				d := strings.IndexRune("0123456789abcdef", unicode.ToLower(h))
				if d < 0 {
					l.fail("a bad escape in a string")
				}
				v = v<<4 | rune(d)
			}
			b.WriteRune(v)
			i += n
			continue
		}
		b.WriteByte('\\')
		b.WriteByte(l.src[i])
	}
	if i >= len(l.src) {
		l.fail("a string without its end")
	}
	l.at = i + 1
	l.add(tokString, b.String())
}
