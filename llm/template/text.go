package template

import (
	"html"
	"net/url"
	"regexp"
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
	var b strings.Builder
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
	var b strings.Builder
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

// A text without letters is neither.
func isUpper(s string) bool { return s == upper(s) && s != lower(s) }
func isLower(s string) bool { return s == lower(s) && s != upper(s) }

// capitalize makes the first character a capital, and the others small.
func capitalize(s string) string {
	r := []rune(s)
	if len(r) == 0 {
		return s
	}
	return capital(r[0]) + strings.TrimPrefix(lower(s), lower(string(r[:1])))
}

// capital is a character as it begins a word: of one that stands for several the first letter is a capital.
func capital(r rune) string {
	several := []rune(upper(string(r)))
	if len(several) == 1 {
		return string(unicode.ToTitle(r))
	}
	first := slices.IndexFunc(several, isCased)
	return string(several[:first+1]) + lower(string(several[first+1:]))
}

func isCased(r rune) bool {
	return unicode.In(r, unicode.Lu, unicode.Ll, unicode.Lt, unicode.Other_Lowercase, unicode.Other_Uppercase)
}

// title makes every letter behind something else than a letter a capital.
func title(s string) string {
	var b strings.Builder
	inside := false
	for _, r := range s {
		cased := isCased(r)
		switch {
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
	for s != "" {
		n := strings.IndexFunc(s, between)
		if n < 0 {
			n = len(s)
		}
		if word := []rune(s[:n]); n > 0 {
			b.WriteString(upper(string(word[:1])) + lower(string(word[1:])))
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
func lines(s string, keep bool) (out []string) {
	for s != "" {
		n := strings.IndexFunc(s, func(r rune) bool {
			return r >= '\n' && r <= '\r' || r >= 0x1c && r <= 0x1e || r == 0x85 || r == 0x2028 || r == 0x2029
		})
		if n < 0 {
			return append(out, s)
		}
		end := n + len(string([]rune(s[n:])[0]))
		if strings.HasPrefix(s[n:], "\r\n") {
			end = n + 2
		}
		if keep {
			n = end
		}
		out, s = append(out, s[:n]), s[end:]
	}
	return out
}

// words cuts a text at spaces, at most so many times (-1: everywhere), from the left or the right.
func words(s string, most int, fromRight bool) []string {
	all := strings.FieldsFunc(s, isSpace)
	if most < 0 || len(all) <= most+1 {
		if most == 0 && len(all) == 1 { // the end that was not looked at keeps its spaces
			return []string{trimSide(s, fromRight)}
		} else if most < 0 || len(all) <= most {
			return all
		}
	}
	rest := s
	var parts []string
	if fromRight {
		for range most {
			rest = strings.TrimRightFunc(rest, isSpace)
			i := strings.LastIndexFunc(rest, isSpace)
			_, n := lastSpace(rest, i)
			parts, rest = append(parts, rest[i+n:]), rest[:max(i, 0)]
		}
		parts = append(parts, strings.TrimRightFunc(rest, isSpace))
		slices.Reverse(parts)
		return parts
	}
	for range most {
		rest = strings.TrimLeftFunc(rest, isSpace)
		i := strings.IndexFunc(rest, isSpace)
		parts, rest = append(parts, rest[:i]), rest[i:]
	}
	return append(parts, strings.TrimLeftFunc(rest, isSpace))
}

func trimSide(s string, right bool) string {
	if right {
		return strings.TrimRightFunc(s, isSpace)
	}
	return strings.TrimLeftFunc(s, isSpace)
}

// lastSpace is the space at i and its bytes.
func lastSpace(s string, i int) (r rune, n int) {
	r = []rune(s[i:])[0]
	return r, len(string(r))
}

// padded brings a text to a number of characters: side -1 keeps it left, 1 right, 0 in the middle.
func padded(e *env, s string, a called, side int) any {
	width := a.whole(0, "width", 0)
	fill := a.text(1, "fillchar", " ")
	if len([]rune(fill)) != 1 {
		throw("the text is filled with %q; want one character", fill)
	}
	missing := width - int64(len([]rune(s)))
	if missing <= 0 {
		return s
	}
	e.take(int(min(missing, 1<<31)) * len(fill))
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

var wordPattern = regexp.MustCompile(`[\pL\pN\p{Pc}\p{Mn}\p{Mc}]+`)

func wordCount(e *env, a called) any {
	return int64(len(wordPattern.FindAllStringIndex(e.text(a.positional[0]), -1)))
}

func centerFilter(e *env, a called) any {
	return padded(e, e.text(a.positional[0]), called{positional: []any{a.whole(1, "width", 80)}}, 0)
}

func truncateFilter(e *env, a called) any {
	end := a.text(3, "end", "...")
	most, leeway := a.whole(1, "length", 255), a.whole(4, "leeway", 5)
	keep := most - int64(len([]rune(end)))
	if keep < 0 || leeway < 0 {
		throw("a text is cut to %d characters with a leeway of %d; the end alone has %d", most, leeway, int64(len([]rune(end))))
	}
	if length(e, a).(int64) <= most+leeway {
		return a.positional[0]
	}
	text, ok := a.positional[0].(string)
	if !ok {
		throw("truncate of a %s", kindOf(a.positional[0]))
	}
	s := []rune(text)
	cut := string(s[:keep])
	if i := strings.LastIndexByte(cut, ' '); i >= 0 && !truth(a.arg(2, "killwords", false)) {
		cut = cut[:i]
	}
	return cut + end
}

func urlEncode(e *env, a called) any {
	quote := func(v any, query bool) string {
		s := strings.ReplaceAll(url.QueryEscape(e.text(v)), "%7E", "~")
		if !query {
			s = strings.ReplaceAll(strings.ReplaceAll(s, "+", "%20"), "%2F", "/")
		}
		return s
	}
	v := a.positional[0]
	d, ok := v.(*Dict)
	if ok {
		v = pairsOf(d)
	}
	l, ok := v.(*list)
	if !ok {
		return quote(v, false)
	}
	var parts []string
	for _, pair := range l.items {
		p := iterate(pair)
		if len(p) != 2 {
			throw("urlencode of a list; want pairs")
		}
		parts = append(parts, quote(p[0], true)+"="+quote(p[1], true))
	}
	return strings.Join(parts, "&")
}

var tagPattern = regexp.MustCompile(`(?s)<!--.*?-->|<[^>]*>`)

func stripTags(s string) string {
	return html.UnescapeString(strings.Join(strings.FieldsFunc(tagPattern.ReplaceAllString(s, ""), isSpace), " "))
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
	var b strings.Builder
	next := 0
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b.WriteByte(s[i])
			continue
		}
		start := i + 1
		for i++; i < len(s) && strings.IndexByte("-+ #0123456789.", s[i]) >= 0; i++ {
		}
		if i == len(s) {
			throw("a format that ends with %%")
		}
		if s[i] == '%' {
			b.WriteByte('%')
			continue
		}
		if next == len(args) {
			throw("not enough arguments for the format %q", s)
		}
		part := e.conversion(s[start:i], s[i], args[next])
		e.take(len(part))
		b.WriteString(part)
		next++
	}
	if all && next < len(args) {
		throw("not all arguments are used by the format %q", s)
	}
	return b.String()
}
