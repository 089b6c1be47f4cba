package template

import (
	"html"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Texts as Python treats them.

func isSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }

// capitals are the characters whose capital is several characters.
var capitals = map[rune]string{'ß': "SS", 'ŉ': "ʼN", 'ǰ': "J\u030c", 'ΐ': "Ϊ\u0301", 'ΰ': "Ϋ\u0301",
	'և': "ԵՒ", 'ẖ': "H\u0331", 'ẗ': "T\u0308",
	'ẘ': "W\u030a", 'ẙ': "Y\u030a", 'ẚ': "Aʾ", 'ﬀ': "FF", 'ﬁ': "FI", 'ﬂ': "FL", 'ﬃ': "FFI", 'ﬄ': "FFL", 'ﬅ': "ST", 'ﬆ': "ST"}

func upper(s string) string {
	if isASCII(s) {
		return strings.ToUpper(s)
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		if c, ok := capitals[r]; ok {
			b.WriteString(c)
		} else {
			b.WriteRune(unicode.ToUpper(r))
		}
	}
	return b.String()
}

// lower makes all characters small. A capital sigma at the end of a word has a form of its own.
func lower(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	var b strings.Builder
	b.Grow(len(s))
	for i, r := range s {
		switch {
		case r == 'İ':
			b.WriteString("i\u0307")
		case r == 'Σ' && endsWord(s[:i], s[i+len("Σ"):]):
			b.WriteRune('ς')
		default:
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// endsWord reports whether letters are before a sigma, and none behind it.
func endsWord(before, behind string) bool {
	skip := func(r rune) bool {
		return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk) || strings.ContainsRune("'.:·’", r)
	}
	before, behind = strings.TrimRightFunc(before, skip), strings.TrimLeftFunc(behind, skip)
	last, n := utf8.DecodeLastRuneInString(before)
	first, m := utf8.DecodeRuneInString(behind)
	return n > 0 && isCased(last) && (m == 0 || !isCased(first))
}

// foldCase is a text without regard to case.
func foldCase(s string) string { return strings.ReplaceAll(lower(upper(s)), "ς", "σ") }

// changes reports whether a character of the text has another form as a capital, or as a small letter.
func (e *env) changes(s string, capital bool) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		e.tick()
		switch {
		case r == 'İ':
			return !capital
		case capital:
			_, several := capitals[r]
			return several || unicode.ToUpper(r) != r
		}
		return unicode.ToLower(r) != r
	})
}

// A text without letters is neither.
func (e *env) isUpper(s string) bool { return !e.changes(s, true) && e.changes(s, false) }
func (e *env) isLower(s string) bool { return !e.changes(s, false) && e.changes(s, true) }
func (e *env) hasCase(s string) bool { return e.changes(s, false) || e.changes(s, true) }

// capitalize makes the first character a capital, and the others small.
func capitalize(s string) string {
	if s == "" {
		return s
	}
	r, _ := utf8.DecodeRuneInString(s)
	return capital(r) + strings.TrimPrefix(lower(s), lower(string(r)))
}

// capital is a character as it begins a word: of one that stands for several the first letter is a capital.
func capital(r rune) string {
	if r < utf8.RuneSelf {
		return string(unicode.ToUpper(r))
	}
	several := []rune(upper(string(r)))
	if len(several) == 1 {
		return string(unicode.ToTitle(r))
	}
	first := slices.IndexFunc(several, isCased)
	return string(several[:first+1]) + lower(string(several[first+1:]))
}

func isCased(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	return unicode.In(r, unicode.Lu, unicode.Ll, unicode.Lt, unicode.Other_Lowercase, unicode.Other_Uppercase)
}

// title makes every letter behind something else than a letter a capital.
func title(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	inside := false
	for _, r := range s {
		cased := isCased(r)
		switch {
		case cased && r < utf8.RuneSelf && inside:
			b.WriteByte(byte(r) | 0x20)
		case cased && r < utf8.RuneSelf:
			b.WriteByte(byte(r) &^ 0x20)
		case cased && inside:
			b.WriteString(lower(string(r)))
		case cased:
			b.WriteString(capital(r))
		default:
			b.WriteRune(r)
		}
		inside = cased
	}
	return b.String()
}

// titleFilter makes the first character of every word a capital: words end at spaces, hyphens and opening brackets.
func titleFilter(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for s != "" {
		n := strings.IndexFunc(s, between)
		if n < 0 {
			n = len(s)
		}
		if n > 0 {
			r, size := utf8.DecodeRuneInString(s)
			b.WriteString(upper(string(r)))
			b.WriteString(lower(s[size:n]))
		}
		s = s[n:]
		n = strings.IndexFunc(s, func(r rune) bool { return !between(r) })
		if n < 0 {
			n = len(s)
		}
		b.WriteString(s[:n])
		s = s[n:]
	}
	return b.String()
}

func between(r rune) bool { return isSpace(r) || strings.ContainsRune("-({[<", r) }

// lines cuts a text at line ends of every kind; keep leaves them on the lines.
func (e *env) lines(s string, keep bool) iter.Seq[string] {
	ends := func(r rune) bool {
		e.tick()
		return r >= '\n' && r <= '\r' || r >= 0x1c && r <= 0x1e || r == 0x85 || r == 0x2028 || r == 0x2029
	}
	return func(yield func(string) bool) {
		for s != "" {
			n := strings.IndexFunc(s, ends)
			if n < 0 {
				yield(s)
				return
			}
			_, size := utf8.DecodeRuneInString(s[n:])
			end := n + size
			if strings.HasPrefix(s[n:], "\r\n") {
				end = n + 2
			}
			if keep {
				n = end
			}
			if !yield(s[:n]) {
				return
			}
			s = s[end:]
		}
	}
}

// words cuts a text at spaces, at most so many times, from the left or the right. The end that was not looked at keeps its spaces.
func (e *env) words(s string, most int, fromRight bool) []string {
	space := func(r rune) bool { e.tick(); return isSpace(r) }
	var out []string
	for ; ; most-- {
		e.elements(1)
		e.take(2 * elementSize)
		if fromRight {
			s = strings.TrimRightFunc(s, space)
		} else {
			s = strings.TrimLeftFunc(s, space)
		}
		if s == "" {
			break
		}
		i := -1
		if most > 0 && fromRight {
			i = strings.LastIndexFunc(s, space)
		} else if most > 0 {
			i = strings.IndexFunc(s, space)
		}
		if i < 0 {
			out = append(out, s)
			break
		}
		if fromRight {
			_, n := utf8.DecodeRuneInString(s[i:])
			out, s = append(out, s[i+n:]), s[:i]
		} else {
			out, s = append(out, s[:i]), s[i:]
		}
	}
	if fromRight {
		slices.Reverse(out)
	}
	return out
}

// padded brings a text to a number of characters: side -1 keeps it left, 1 right, 0 in the middle.
func padded(e *env, s string, a called, side int) any {
	width := a.whole(0, "width", 0)
	fill := a.text(1, "fillchar", " ")
	if len(fill) > utf8.UTFMax || utf8.RuneCountInString(fill) != 1 {
		throw("the text is filled with %.40q; want one character", fill)
	}
	e.scan(s)
	n := int64(utf8.RuneCountInString(s))
	if width <= n {
		return s
	}
	missing := width - n
	e.take(times(int(missing), 2*len(fill)))
	e.take(len(s))
	left := int64(0)
	switch side {
	case 0:
		left = missing/2 + missing&width&1
	case 1:
		left = missing
	}
	return strings.Repeat(fill, int(left)) + s + strings.Repeat(fill, int(missing-left))
}

// parseWhole reads a whole number as Python's int does.
func parseWhole(s string, base int) (int64, bool) {
	s = strings.TrimFunc(s, isSpace)
	sign := ""
	if strings.HasPrefix(s, "-") || strings.HasPrefix(s, "+") {
		sign, s = s[:1], s[1:]
	}
	prefix := map[int]string{2: "0b", 8: "0o", 16: "0x"}[base]
	if prefix != "" && len(s) > 2 && strings.EqualFold(s[:2], prefix) {
		s = strings.TrimPrefix(s[2:], "_")
	}
	s, ok := withoutMarks(s)
	if !ok || strings.HasPrefix(s, "-") || strings.HasPrefix(s, "+") {
		return 0, false
	}
	n, err := strconv.ParseInt(sign+s, base, 64)
	return n, err == nil
}

// withoutMarks takes out the underscores between digits.
func withoutMarks(s string) (string, bool) {
	if strings.HasPrefix(s, "_") || strings.HasSuffix(s, "_") || strings.Contains(s, "__") {
		return "", false
	}
	return strings.ReplaceAll(s, "_", ""), true
}

// parseReal reads a number as Python's float does.
func parseReal(s string) (float64, bool) {
	s, ok := withoutMarks(strings.TrimFunc(s, isSpace))
	if !ok || strings.ContainsAny(s, "xXpP") {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	if ne, is := err.(*strconv.NumError); is && ne.Err == strconv.ErrRange {
		return f, true
	}
	return f, err == nil
}

func wordCount(e *env, a called) any {
	n, inside := int64(0), false
	for _, r := range e.text(a.positional[0]) {
		e.tick()
		in := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' ||
			r >= utf8.RuneSelf && unicode.In(r, unicode.L, unicode.N, unicode.Pc, unicode.Mn, unicode.Mc)
		if in && !inside {
			n++
		}
		inside = in
	}
	return n
}

func centerFilter(e *env, a called) any {
	return padded(e, e.text(a.positional[0]), called{positional: []any{a.whole(1, "width", 80)}}, 0)
}

func truncateFilter(e *env, a called) any {
	end := a.text(3, "end", "...")
	most, leeway := a.whole(1, "length", 255), a.whole(4, "leeway", 5)
	e.scan(end)
	n := int64(utf8.RuneCountInString(end))
	if most < n || leeway < 0 {
		throw("a text is cut to %d characters with a leeway of %d; the end alone has %d", most, leeway, n)
	}
	if size := length(e, a).(int64); size <= most || size-most <= leeway {
		return a.positional[0]
	}
	text, ok := a.positional[0].(string)
	if !ok {
		throw("truncate of a %s", kindOf(a.positional[0]))
	}
	cut := text[:e.position(text, most-n)]
	e.scan(cut)
	if i := strings.LastIndexByte(cut, ' '); i >= 0 && !truth(a.arg(2, "killwords", false)) {
		cut = cut[:i]
	}
	e.take(len(cut) + len(end))
	return cut + end
}

// putQuoted writes a text as a part of an address; those of a query have + for spaces.
func (e *env) putQuoted(p *pieces, s string, query bool) {
	e.spend(len(s) >> 6)
	const hex = "0123456789ABCDEF"
	from := 0
	for i := range len(s) {
		c := s[i]
		esc := ""
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-_.~", c) >= 0, c == '/' && !query:
			continue
		case c == ' ' && query:
			esc = "+"
		default:
			esc = string([]byte{'%', hex[c>>4], hex[c&15]})
		}
		e.spend(1)
		e.take(16)
		e.put(p, s[from:i])
		e.put(p, esc)
		from = i + 1
	}
	e.put(p, s[from:])
}

func urlEncode(e *env, a called) any {
	var p pieces
	v := a.positional[0]
	d, ok := v.(*Dict)
	if ok {
		v = e.pairs(d)
	}
	l, ok := v.(*list)
	if !ok {
		e.putQuoted(&p, e.text(v), false)
		return e.joinPieces(&p)
	}
	for i, pair := range l.items {
		e.spend(1)
		two := e.iterate(pair)
		if len(two) != 2 {
			throw("urlencode of a list; want pairs")
		}
		if i > 0 {
			e.put(&p, "&")
		}
		e.putQuoted(&p, e.text(two[0]), true)
		e.put(&p, "=")
		e.putQuoted(&p, e.text(two[1]), true)
	}
	return e.joinPieces(&p)
}

// stripTags takes out comments and tags, and makes every space one blank.
func stripTags(e *env, a called) any {
	s := e.text(a.positional[0])
	e.walk(s, 4)
	var b strings.Builder
	b.Grow(len(s))
	comments := true // there are ends of comments ahead
	for s != "" {
		i := strings.IndexByte(s, '<')
		if i < 0 {
			break
		}
		b.WriteString(s[:i])
		s = s[i:]
		if comments && strings.HasPrefix(s, "<!--") {
			if n := strings.Index(s[4:], "-->"); n >= 0 {
				s = s[4+n+3:]
				continue
			}
			comments = false
		}
		n := strings.IndexByte(s, '>')
		if n < 0 {
			break
		}
		e.spend(1)
		s = s[n+1:]
	}
	b.WriteString(s)
	text := b.String()
	var out strings.Builder
	out.Grow(len(text))
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { e.tick(); return isSpace(r) }) {
		if out.Len() > 0 {
			out.WriteByte(' ')
		}
		out.WriteString(word)
	}
	return html.UnescapeString(out.String())
}

func fileSize(e *env, a called) any {
	v, ok := toFloat(e, called{positional: []any{a.positional[0], nil}}).(float64)
	if !ok {
		throw("filesizeformat of a %s that is no number", kindOf(a.positional[0]))
	}
	base, names := 1000.0, "kMGTPEZY"
	tail := "B"
	if truth(a.arg(1, "binary", false)) {
		base, names, tail = 1024, "KMGTPEZY", "iB"
	}
	switch {
	case v == 1:
		return "1 Byte"
	case v < base:
		return strconv.FormatInt(int64(v), 10) + " Bytes"
	}
	unit, i := base*base, 0
	for ; v >= unit && i < len(names)-1; i++ {
		unit *= base
	}
	return strconv.FormatFloat(base*v/unit, 'f', 1, 64) + " " + names[i:i+1] + tail
}

func formatFilter(e *env, a called) any {
	if len(a.named) > 0 {
		throw("the filter format takes no named arguments")
	}
	return e.printf(e.text(a.positional[0]), a.positional[1:], true)
}

// printf is Python's % of a text: %s, %r, %d, %i, %x, %o, %f, %e, %c with flags, width and precision. all: every argument must be used.
func (e *env) printf(s string, args []any, all bool) string {
	var p pieces
	e.spend(len(s) >> 5)
	next := 0
	for i := 0; i < len(s); i++ {
		e.tick()
		if s[i] != '%' {
			e.put(&p, s[i:i+1])
			continue
		}
		start := i + 1
		for i++; i < len(s) && strings.IndexByte("-+ #0123456789.", s[i]) >= 0; i++ {
		}
		if i == len(s) {
			throw("a format that ends with %%")
		}
		if s[i] == '%' {
			e.put(&p, "%")
			continue
		}
		if next == len(args) {
			throw("not enough arguments for the format %.40q", s)
		}
		part := e.conversion(s[start:i], s[i], args[next])
		e.put(&p, part)
		next++
	}
	if all && next < len(args) {
		throw("not all arguments are used by the format %.40q", s)
	}
	return e.joinPieces(&p)
}
