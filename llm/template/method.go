package template

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// tests by name. The first argument is the value.
var tests map[string]function

func init() {
	is := func(f func(v any) bool) function {
		return func(_ *env, a called) any { return f(a.positional[0]) }
	}
	with := func(f func(e *env, a, b any) bool) function {
		return func(e *env, a called) any { return f(e, a.positional[0], a.arg(1, "other", nil)) }
	}
	equal := func(e *env, a, b any) bool { return e.equal(a, b, 0) }
	kind := func(names ...string) function {
		return is(func(v any) bool { return slices.Contains(names, kindOf(v)) })
	}
	tests = map[string]function{
		"defined": is(func(v any) bool { return kindOf(v) != "undefined value" }), "undefined": kind("undefined value"),
		"none":   kind("None"),
		"string": kind("string"), "mapping": kind("mapping"), "iterable": kind("string", "list", "mapping", "undefined value"),
		"sequence": is(func(v any) bool {
			l, ok := v.(*list)
			return ok && !l.kind.once() || slices.Contains([]string{"string", "mapping", "undefined value"}, kindOf(v))
		}), "number": kind("int", "float", "bool"), "integer": kind("int"),
		"float": kind("float"), "boolean": kind("bool"), "callable": kind("function", "undefined value"),
		"true": is(func(v any) bool { return v == true }), "false": is(func(v any) bool { return v == false }),
		"even":    is(func(v any) bool { return remainder(v, int64(2)) == 0 }),
		"odd":     is(func(v any) bool { return remainder(v, int64(2)) == 1 }),
		"equalto": with(equal), "eq": with(equal), "sameas": with(same), "ne": with(func(e *env, a, b any) bool { return !equal(e, a, b) }),
		"lt": with((*env).less), "gt": with(func(e *env, a, b any) bool { return e.less(b, a) }),
		"le":          with(func(e *env, a, b any) bool { return equal(e, a, b) || e.less(a, b) }),
		"ge":          with(func(e *env, a, b any) bool { return equal(e, a, b) || e.less(b, a) }),
		"divisibleby": with(func(_ *env, a, b any) bool { return remainder(a, b) == 0 }),
		"escaped":     is(func(v any) bool { _, ok := v.(markup); return ok }),
		"in":          func(e *env, a called) any { return e.contains(a.arg(1, "seq", &list{}), a.positional[0]) },
		"lower":       func(e *env, a called) any { return e.isLower(e.text(a.positional[0])) },
		"upper":       func(e *env, a called) any { return e.isUpper(e.text(a.positional[0])) },
	}
	for name, old := range map[string]string{"==": "eq", "!=": "ne", "<": "lt", "lessthan": "lt", ">": "gt", "greaterthan": "gt",
		"<=": "le",
		">=": "ge"} {
		tests[name] = tests[old]
	}
	tests["filter"] = func(e *env, a called) any { return e.nameIn(filters, a.positional[0]) }
	tests["test"] = func(e *env, a called) any { return e.nameIn(tests, a.positional[0]) }
}

func (e *env) nameIn(all map[string]function, v any) bool {
	name, ok := v.(string)
	e.scan(name)
	_, there := all[name]
	return ok && there
}

// remainder is that of a division of numbers.
func remainder(a, b any) float64 {
	x, xi, isInt, ok1 := number(a)
	y, yi, bothInt, ok2 := number(b)
	if !ok1 || !ok2 {
		throw("a remainder of a %s and a %s", kindOf(a), kindOf(b))
	}
	f, _, _, _ := number(numbers("%", x, y, xi, yi, isInt && bothInt))
	return f
}

// same reports whether two values are one, as Python's is.
func same(e *env, a, b any) bool {
	switch a := a.(type) {
	case *list:
		return any(a) == b || len(a.items) == 0 && a.kind == tupleKind && e.equal(a, b, 0)
	case *Dict:
		return any(a) == b
	case function:
		return false
	}
	return kindOf(a) == kindOf(b) && e.equal(a, b, 0)
}

// globals are the functions of every template.
var globals = map[string]any{
	"raise_exception": function(func(e *env, a called) any {
		throw("the template raises: %.65536s", e.text(a.arg(0, "message", "")))
		return nil
	}),
	"namespace": function(func(e *env, a called) any {
		e.take(scopeSize)
		ns := &namespace{map[string]any{}}
		for _, v := range a.positional {
			if d, ok := v.(*Dict); ok {
				e.spend(len(d.keys))
				e.take(pairSize * len(d.keys))
				for _, k := range d.keys {
					ns.fields[k] = d.values[k]
				}
			}
		}
		for k, v := range a.named {
			ns.fields[k] = v
		}
		return ns
	}),
	"dict": function(func(e *env, a called) any {
		e.take(pairSize * (1 + len(a.order)))
		d := &Dict{}
		for _, name := range a.order {
			d.Set(name, a.named[name])
		}
		return d
	}),
	"range": function(func(e *env, a called) any {
		from, to, step := int64(0), a.whole(0, "stop", 0), a.whole(2, "step", 1)
		if len(a.positional) > 1 {
			from, to = to, a.whole(1, "stop", 0)
		}
		if step == 0 {
			throw("a range with a step of 0")
		}
		l := &list{kind: rangeKind, start: from, stop: to, step: step}
		n := uint64(0)
		if step > 0 && from < to {
			n = (uint64(to)-uint64(from)-1)/uint64(step) + 1
		} else if step < 0 && from > to {
			n = (uint64(from)-uint64(to)-1)/-uint64(step) + 1
		}
		e.elements(int(min(n, math.MaxInt)))
		l.items = make([]any, n)
		for i := range l.items {
			l.items[i] = from + int64(i)*step
		}
		return l
	}),
	"strftime_now": function(func(e *env, a called) any { return strftime(e, a.text(0, "format", "")) }),
}

// strftime writes the time by a format of C's; letters that no template uses are an error.
func strftime(e *env, format string) string {
	layouts := map[byte]string{'Y': "2006", 'm': "01", 'd': "02", 'b': "Jan", 'B': "January", 'H': "15", 'M': "04", 'S': "05",
		'y': "06", 'A': "Monday",
		'a': "Mon", 'I': "03", 'p': "PM", 'j': "002", 'Z': "MST", 'z': "-0700", 'F': "2006-01-02", 'T': "15:04:05"}
	var b strings.Builder
	e.spend(len(format))
	e.take(times(len(format), 32))
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		i++
		if format[i] == '-' && i+1 < len(format) { // without leading zeros
			i++
			b.WriteString(strings.TrimLeft(e.now.Format(layouts[format[i]]), "0"))
		} else if layout, ok := layouts[format[i]]; ok {
			b.WriteString(e.now.Format(layout))
		} else if format[i] == '%' {
			b.WriteByte('%')
		} else {
			throw("strftime_now has no %%%c", format[i])
		}
	}
	return b.String()
}

// method returns the method of a value: those of Python that change nothing.
func method(v any, name string) (function, bool) {
	switch v := v.(type) {
	case string:
		f, ok := textMethods[name]
		if !ok {
			return nil, false
		}
		return func(e *env, a called) any { return f(e, v, a) }, true
	case *Dict:
		return dictMethod(v, name)
	case *list:
		if v.kind.once() || v.kind == rangeKind {
			return nil, false
		}
		switch name {
		case "index", "count":
			return func(e *env, a called) any {
				n := 0
				for i, x := range v.items {
					if e.equal(x, a.arg(0, "value", nil), 0) {
						if n++; name == "index" {
							return int64(i)
						}
					}
				}
				if name == "index" {
					throw("the value is not in the list")
				}
				return int64(n)
			}, true
		case "append", "pop", "insert", "extend", "remove", "sort", "reverse", "clear":
			return func(*env, called) any { throw("a list cannot be changed by %s", name); return nil }, true
		}
	}
	return nil, false
}

func dictMethod(d *Dict, name string) (function, bool) {
	switch name {
	case "items":
		return func(e *env, _ called) any {
			l := e.pairs(d)
			l.kind = itemsKind
			return l
		}, true
	case "keys":
		return func(e *env, _ called) any { return &list{items: e.iterate(d), kind: keysKind} }, true
	case "values":
		return func(e *env, _ called) any {
			e.elements(len(d.keys))
			l := &list{kind: valuesKind, items: make([]any, 0, len(d.keys))}
			for _, k := range d.keys {
				l.items = append(l.items, d.values[k])
			}
			return l
		}, true
	case "get":
		return func(e *env, a called) any {
			switch key := a.arg(0, "key", nil).(type) {
			case string, int64:
				text := keyText(key)
				e.spend(len(text) >> 8)
				if v, there := d.values[text]; there {
					return v
				}
			}
			return a.arg(1, "default", nil)
		}, true
	case "pop", "update", "setdefault", "clear", "popitem":
		return func(*env, called) any { throw("a mapping cannot be changed by %s", name); return nil }, true
	}
	return nil, false
}

// made is a method that makes so many copies of its text on the way.
func made(f func(string) string, copies int) func(e *env, s string, _ called) any {
	return func(e *env, s string, _ called) any {
		e.walk(s, copies)
		return f(s)
	}
}

// stripped is a method that takes characters off the sides of a text.
func stripped(left, right bool) func(e *env, s string, a called) any {
	return func(e *env, s string, a called) any { return e.trimBy(s, a.arg(0, "chars", nil), left, right) }
}

var textMethods = map[string]func(e *env, s string, a called) any{
	"strip": stripped(true, true), "lstrip": stripped(true, false), "rstrip": stripped(false, true),
	"split":      func(e *env, s string, a called) any { return split(e, s, a, false) },
	"rsplit":     func(e *env, s string, a called) any { return split(e, s, a, true) },
	"upper":      made(upper, 1),
	"lower":      made(lower, 1),
	"casefold":   made(foldCase, 3),
	"swapcase":   made(swapCase, 1),
	"title":      made(title, 1),
	"capitalize": made(capitalize, 2),
	"startswith": func(e *env, s string, a called) any {
		return e.anyOf(a, func(p string) bool { return strings.HasPrefix(s, p) })
	},
	"endswith": func(e *env, s string, a called) any {
		return e.anyOf(a, func(p string) bool { return strings.HasSuffix(s, p) })
	},
	"replace": func(e *env, s string, a called) any {
		return e.replaced(s, a.text(0, "old", ""), a.text(1, "new", ""), a.whole(2, "count", -1))
	},
	"join": func(e *env, s string, a called) any {
		return joinFilter(e, called{positional: []any{a.arg(0, "iterable", &list{}), s}})
	},
	"count": func(e *env, s string, a called) any {
		part, _ := e.span(s, a)
		e.scan(part)
		n := strings.Count(part, a.text(0, "sub", ""))
		e.spend(n >> 4)
		return int64(n)
	},
	"find":   func(e *env, s string, a called) any { return e.indexOf(s, a, strings.Index) },
	"rfind":  func(e *env, s string, a called) any { return e.indexOf(s, a, strings.LastIndex) },
	"index":  func(e *env, s string, a called) any { return found(e.indexOf(s, a, strings.Index)) },
	"rindex": func(e *env, s string, a called) any { return found(e.indexOf(s, a, strings.LastIndex)) },

	"partition":  func(e *env, s string, a called) any { return partition(e, s, a, false) },
	"rpartition": func(e *env, s string, a called) any { return partition(e, s, a, true) },
	"center":     func(e *env, s string, a called) any { return padded(e, s, a, 0) },
	"ljust":      func(e *env, s string, a called) any { return padded(e, s, a, -1) },
	"rjust":      func(e *env, s string, a called) any { return padded(e, s, a, 1) },
	"zfill": func(e *env, s string, a called) any {
		sign, width := "", a.whole(0, "width", 0)
		if s != "" && (s[0] == '-' || s[0] == '+') {
			sign = s[:1]
			width = max(width, 1) - 1
		}
		digits := padded(e, s[len(sign):], called{positional: []any{width, "0"}}, 1).(string)
		e.take(len(digits) + 1)
		return sign + digits
	},
	"expandtabs": expandTabs,
	"isalnum":    isAll(func(r rune) bool { return unicode.IsLetter(r) || isNumeric(r) }),
	"isnumeric":  isAll(isNumeric),
	"isdecimal":  isAll(unicode.IsDigit),
	"isdigit": isAll(func(r rune) bool {
		return unicode.IsDigit(r) || strings.ContainsRune("²³¹⁰⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉", r) || r >= '①' && r <= '⑨'
	}),
	"isalpha": isAll(unicode.IsLetter),
	"isspace": isAll(isSpace),
	"isascii": func(e *env, s string, _ called) any {
		e.spend(len(s) >> 6)
		return isASCII(s)
	},
	"istitle": func(e *env, s string, _ called) any {
		e.walk(s, 1)
		return e.hasCase(s) && s == title(s)
	},
	"isupper":      func(e *env, s string, _ called) any { return e.isUpper(s) },
	"islower":      func(e *env, s string, _ called) any { return e.isLower(s) },
	"removeprefix": func(_ *env, s string, a called) any { return strings.TrimPrefix(s, a.text(0, "prefix", "")) },
	"removesuffix": func(_ *env, s string, a called) any { return strings.TrimSuffix(s, a.text(0, "suffix", "")) },
	"splitlines": func(e *env, s string, a called) any {
		var out []string
		for line := range e.lines(s, truth(a.arg(0, "keepends", false))) {
			e.elements(1)
			e.take(2 * elementSize)
			out = append(out, line)
		}
		return e.texts(out)
	},
	"format": format,
}

func isAll(f func(r rune) bool) func(*env, string, called) any {
	return func(e *env, s string, _ called) any {
		return s != "" && strings.IndexFunc(s, func(r rune) bool { e.tick(); return !f(r) }) < 0
	}
}

// isNumeric reports whether a character is a number: ideographs of numbers are, too.
func isNumeric(r rune) bool {
	return unicode.IsNumber(r) || strings.ContainsRune("零〇一二三四五六七八九十百千万億兆", r)
}

func swapCase(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z':
			b.WriteByte(byte(r) ^ 0x20)
		case r < utf8.RuneSelf:
			b.WriteByte(byte(r))
		default:
			if c := string(r); c == lower(c) {
				b.WriteString(upper(c))
			} else {
				b.WriteString(lower(c))
			}
		}
	}
	return b.String()
}

// span is the part of a text that the arguments start and end leave, and the byte where it begins.
func (e *env) span(s string, a called) (part string, before int) {
	bound := func(i int, name string, def int) int {
		if a.arg(i, name, nil) == nil {
			return def
		}
		return e.position(s, a.whole(i, name, 0))
	}
	from, to := bound(1, "start", 0), bound(2, "end", len(s))
	return s[from:max(from, to)], from
}

// indexOf is the number of the character at which a part begins, or -1.
func (e *env) indexOf(s string, a called, index func(s, sub string) int) any {
	part, before := e.span(s, a)
	e.spend(len(part) >> 6)
	i := index(part, a.text(0, "sub", ""))
	if i < 0 {
		return int64(-1)
	}
	e.scan(s[:before+i])
	return int64(utf8.RuneCountInString(s[:before+i]))
}

func found(i any) any {
	if i == int64(-1) {
		throw("the text is not in the other")
	}
	return i
}

func partition(e *env, s string, a called, fromRight bool) any {
	sep := a.text(0, "sep", "")
	if sep == "" {
		throw("a partition by nothing")
	}
	e.spend(len(s) >> 6)
	e.take(2 * pairSize)
	i := strings.Index(s, sep)
	if fromRight {
		i = strings.LastIndex(s, sep)
	}
	switch {
	case i >= 0:
		return tuple(s[:i], sep, s[i+len(sep):])
	case fromRight:
		return tuple("", "", s)
	}
	return tuple(s, "", "")
}

func expandTabs(e *env, s string, a called) any {
	size := a.whole(0, "tabsize", 8)
	var p pieces
	column, from := int64(0), 0
	for i, r := range s {
		e.tick()
		switch r {
		case '\t':
			e.put(&p, s[from:i])
			from = i + 1
			if size > 0 {
				n := size - column%size
				e.take(int(n))
				e.put(&p, strings.Repeat(" ", int(n)))
				column = 0 // the column is a multiple of the size
			}
		case '\n', '\r':
			column = 0
		default:
			column++
		}
	}
	e.put(&p, s[from:])
	return e.joinPieces(&p)
}

// trimBy takes characters off the sides of a text: spaces, if none are given.
func (e *env) trimBy(s string, chars any, left, right bool) string {
	in := isSpace
	if set, ok := chars.(string); ok {
		in = func(r rune) bool { return strings.ContainsRune(set, r) }
		if len(set) > 64 {
			e.elements(len(set))
			all := map[rune]bool{}
			for _, r := range set {
				all[r] = true
			}
			in = func(r rune) bool { return all[r] }
		}
	}
	each := func(r rune) bool { e.tick(); return in(r) }
	if left {
		s = strings.TrimLeftFunc(s, each)
	}
	if right {
		s = strings.TrimRightFunc(s, each)
	}
	return s
}

// anyOf tests the argument, or each of several.
func (e *env) anyOf(a called, f func(string) bool) bool {
	v := a.arg(0, "prefix", nil)
	if l, ok := v.(*list); ok {
		return slices.ContainsFunc(l.items, func(x any) bool { e.spend(1); s, ok := x.(string); return ok && f(s) })
	}
	s, ok := v.(string)
	e.scan(s)
	if !ok {
		throw("the argument is a %s, want a string", kindOf(v))
	}
	return f(s)
}

func split(e *env, s string, a called, fromRight bool) any {
	most := a.whole(1, "maxsplit", -1)
	if most < 0 {
		most = math.MaxInt
	}
	sep, given := a.arg(0, "sep", nil).(string)
	if !given {
		return e.texts(e.words(s, int(most), fromRight))
	}
	if sep == "" {
		throw("a split by nothing")
	}
	e.spend(len(s) >> 6)
	n := int(min(int64(strings.Count(s, sep)), most)) + 1
	e.take(times(n, elementSize))
	if !fromRight {
		return e.texts(strings.SplitN(s, sep, n))
	}
	parts := make([]string, n)
	for n--; n > 0; n-- {
		i := strings.LastIndex(s, sep)
		parts[n], s = s[i+len(sep):], s[:i]
	}
	parts[0] = s
	return e.texts(parts)
}

// texts is a list of texts.
func (e *env) texts(parts []string) any {
	e.elements(len(parts) + 1)
	return fromSlice(parts, 0)
}

// format fills {} and {name} in a text; formats behind a colon are not supported.
func format(e *env, s string, a called) any {
	var p pieces
	n := 0
	for i := 0; i < len(s); i++ {
		e.spend(1 - i&1)
		switch {
		case strings.HasPrefix(s[i:], "{{"), strings.HasPrefix(s[i:], "}}"):
			e.put(&p, s[i:i+1])
			i++
		case s[i] == '{':
			end := strings.IndexByte(s[i:], '}')
			if end < 0 {
				throw("a format with a { alone")
			}
			name := s[i+1 : i+end]
			v, ok := a.named[name]
			if k, err := strconv.Atoi(name); err == nil && k >= 0 && k < len(a.positional) {
				v, ok = a.positional[k], true
			} else if name == "" && n < len(a.positional) {
				v, ok = a.positional[n], true
				n++
			}
			if !ok {
				throw("the format has no argument for {%.40s}", name)
			}
			e.put(&p, e.text(v))
			i += end
		default:
			e.put(&p, s[i:i+1])
		}
	}
	return e.joinPieces(&p)
}
