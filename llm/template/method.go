package template

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// tests by name. The first argument is the value.
var tests map[string]function

func init() {
	is := func(f func(v any) bool) function {
		return func(_ *env, a called) any { return f(a.positional[0]) }
	}
	with := func(f func(a, b any) bool) function {
		return func(_ *env, a called) any { return f(a.positional[0], a.arg(1, "other", nil)) }
	}
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
		"equalto": with(equal), "eq": with(equal), "sameas": with(same), "ne": with(func(a, b any) bool { return !equal(a, b) }),
		"lt": with(less), "gt": with(func(a, b any) bool { return less(b, a) }),
		"le":          with(func(a, b any) bool { return equal(a, b) || less(a, b) }),
		"ge":          with(func(a, b any) bool { return equal(a, b) || less(b, a) }),
		"divisibleby": with(func(a, b any) bool { return remainder(a, b) == 0 }),
		"escaped":     is(func(v any) bool { _, ok := v.(markup); return ok }),
		"in":          func(e *env, a called) any { return e.contains(a.arg(1, "seq", &list{}), a.positional[0]) },
		"lower":       func(e *env, a called) any { return isLower(e.text(a.positional[0])) },
		"upper":       func(e *env, a called) any { return isUpper(e.text(a.positional[0])) },
	}
	for name, old := range map[string]string{"==": "eq", "!=": "ne", "<": "lt", "lessthan": "lt", ">": "gt", "greaterthan": "gt",
		"<=": "le",
		">=": "ge"} {
		tests[name] = tests[old]
	}
	tests["filter"] = func(_ *env, a called) any { return nameIn(filters, a.positional[0]) }
	tests["test"] = func(_ *env, a called) any { return nameIn(tests, a.positional[0]) }
}

func nameIn(all map[string]function, v any) bool {
	name, ok := v.(string)
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
func same(a, b any) bool {
	switch a := a.(type) {
	case *list:
		return any(a) == b || len(a.items) == 0 && a.kind == tupleKind && equal(a, b)
	case *Dict:
		return any(a) == b
	case function:
		return false
	}
	return kindOf(a) == kindOf(b) && equal(a, b)
}

// globals are the functions of every template.
var globals = map[string]any{
	"raise_exception": function(func(e *env, a called) any {
		throw("the template raises: %s", e.text(a.arg(0, "message", "")))
		return nil
	}),
	"namespace": function(func(_ *env, a called) any {
		ns := &namespace{map[string]any{}}
		for _, v := range a.positional {
			if d, ok := v.(*Dict); ok {
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
	"dict": function(func(_ *env, a called) any { return sortedDict(a.named, 0) }),
	"range": function(func(e *env, a called) any {
		from, to, step := int64(0), a.whole(0, "stop", 0), a.whole(2, "step", 1)
		if len(a.positional) > 1 {
			from, to = to, a.whole(1, "stop", 0)
		}
		if step == 0 {
			throw("a range with a step of 0")
		}
		l := &list{kind: rangeKind, start: from, stop: to, step: step}
		for i := from; step > 0 && i < to || step < 0 && i > to; i += step {
			e.spend(1)
			l.items = append(l.items, i)
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
				e.spend(len(v.items))
				n := 0
				for i, x := range v.items {
					if equal(x, a.arg(0, "value", nil)) {
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
		return func(*env, called) any {
			l := pairsOf(d)
			l.kind = itemsKind
			return l
		}, true
	case "keys":
		return func(*env, called) any { return &list{items: iterate(d), kind: keysKind} }, true
	case "values":
		return func(*env, called) any {
			l := &list{kind: valuesKind}
			for _, k := range d.keys {
				l.items = append(l.items, d.values[k])
			}
			return l
		}, true
	case "get":
		return func(e *env, a called) any {
			switch key := a.arg(0, "key", nil).(type) {
			case string, int64:
				if v, there := d.values[keyText(key)]; there {
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

var textMethods = map[string]func(e *env, s string, a called) any{
	"strip": func(_ *env, s string, a called) any {
		return trimBy(trimBy(s, a, strings.TrimLeftFunc), a, strings.TrimRightFunc)
	},
	"lstrip":     func(_ *env, s string, a called) any { return trimBy(s, a, strings.TrimLeftFunc) },
	"rstrip":     func(_ *env, s string, a called) any { return trimBy(s, a, strings.TrimRightFunc) },
	"split":      func(e *env, s string, a called) any { return split(e, s, a, false) },
	"rsplit":     func(e *env, s string, a called) any { return split(e, s, a, true) },
	"upper":      func(_ *env, s string, _ called) any { return upper(s) },
	"lower":      func(_ *env, s string, _ called) any { return lower(s) },
	"casefold":   func(_ *env, s string, _ called) any { return foldCase(s) },
	"swapcase":   func(_ *env, s string, _ called) any { return swapCase(s) },
	"title":      func(_ *env, s string, _ called) any { return title(s) },
	"capitalize": func(_ *env, s string, _ called) any { return capitalize(s) },
	"startswith": func(_ *env, s string, a called) any {
		return anyOf(a, func(p string) bool { return strings.HasPrefix(s, p) })
	},
	"endswith": func(_ *env, s string, a called) any {
		return anyOf(a, func(p string) bool { return strings.HasSuffix(s, p) })
	},
	"replace": func(e *env, s string, a called) any {
		out := strings.Replace(s, a.text(0, "old", ""), a.text(1, "new", ""), int(a.whole(2, "count", -1)))
		e.take(len(out))
		return out
	},
	"join": func(e *env, s string, a called) any {
		return joinFilter(e, called{positional: []any{a.arg(0, "iterable", &list{}), s}})
	},
	"count": func(_ *env, s string, a called) any {
		part, _ := span(s, a)
		return int64(strings.Count(part, a.text(0, "sub", "")))
	},
	"find":  func(_ *env, s string, a called) any { return find(s, a, strings.Index) },
	"rfind": func(_ *env, s string, a called) any { return find(s, a, strings.LastIndex) },
	"index": func(_ *env, s string, a called) any {
		return found(find(s, a, strings.Index))
	},
	"rindex": func(_ *env, s string, a called) any {
		return found(find(s, a, strings.LastIndex))
	},
	"partition":  func(_ *env, s string, a called) any { return partition(s, a, false) },
	"rpartition": func(_ *env, s string, a called) any { return partition(s, a, true) },
	"center":     func(e *env, s string, a called) any { return padded(e, s, a, 0) },
	"ljust":      func(e *env, s string, a called) any { return padded(e, s, a, -1) },
	"rjust":      func(e *env, s string, a called) any { return padded(e, s, a, 1) },
	"zfill": func(e *env, s string, a called) any {
		sign := ""
		if s != "" && (s[0] == '-' || s[0] == '+') {
			sign = s[:1]
		}
		width := a.whole(0, "width", 0) - int64(len(sign))
		return sign + padded(e, s[len(sign):], called{positional: []any{width, "0"}}, 1).(string)
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
	"isascii": func(_ *env, s string, _ called) any {
		return strings.IndexFunc(s, func(r rune) bool { return r > unicode.MaxASCII }) < 0
	},
	"istitle":      func(_ *env, s string, _ called) any { return s == title(s) && lower(s) != upper(s) },
	"isupper":      func(_ *env, s string, _ called) any { return isUpper(s) },
	"islower":      func(_ *env, s string, _ called) any { return isLower(s) },
	"removeprefix": func(_ *env, s string, a called) any { return strings.TrimPrefix(s, a.text(0, "prefix", "")) },
	"removesuffix": func(_ *env, s string, a called) any { return strings.TrimSuffix(s, a.text(0, "suffix", "")) },
	"splitlines": func(_ *env, s string, a called) any {
		return fromSlice(lines(s, truth(a.arg(0, "keepends", false))), 0)
	},
	"format": format,
}

func isAll(f func(r rune) bool) func(*env, string, called) any {
	return func(_ *env, s string, _ called) any {
		return s != "" && strings.IndexFunc(s, func(r rune) bool { return !f(r) }) < 0
	}
}

// isNumeric reports whether a character is a number: ideographs of numbers are, too.
func isNumeric(r rune) bool {
	return unicode.IsNumber(r) || strings.ContainsRune("零〇一二三四五六七八九十百千万億兆", r)
}

func swapCase(s string) string {
	var b strings.Builder
	for _, r := range s {
		if c := string(r); c == lower(c) {
			b.WriteString(upper(c))
		} else {
			b.WriteString(lower(c))
		}
	}
	return b.String()
}

// span is the part of a text that the arguments start and end leave, and the number of characters before it.
func span(s string, a called) (part string, before int) {
	r := []rune(s)
	bound := func(i int, name string, def int) int {
		v := a.arg(i, name, nil)
		if v == nil {
			return def
		}
		n := int(a.whole(i, name, 0))
		if n < 0 {
			n += len(r)
		}
		return min(max(n, 0), len(r))
	}
	from, to := bound(1, "start", 0), bound(2, "end", len(r))
	return string(r[from:max(from, to)]), from
}

func find(s string, a called, index func(s, sub string) int) any {
	part, before := span(s, a)
	i := index(part, a.text(0, "sub", ""))
	if i < 0 {
		return int64(-1)
	}
	return int64(before + len([]rune(part[:i])))
}

func found(i any) any {
	if i == int64(-1) {
		throw("the text is not in the other")
	}
	return i
}

func partition(s string, a called, fromRight bool) any {
	sep := a.text(0, "sep", "")
	if sep == "" {
		throw("a partition by nothing")
	}
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
	var b strings.Builder
	column := int64(0)
	for _, r := range s {
		switch {
		case r == '\t' && size > 0:
			n := size - column%size
			e.take(int(min(n, 1<<31)))
			b.WriteString(strings.Repeat(" ", int(n)))
			column += n
		case r == '\t':
		case r == '\n' || r == '\r':
			b.WriteRune(r)
			column = 0
		default:
			b.WriteRune(r)
			column++
		}
	}
	return b.String()
}

func trimBy(s string, a called, side func(string, func(rune) bool) string) string {
	if chars, ok := a.arg(0, "chars", nil).(string); ok {
		return side(s, func(r rune) bool { return strings.ContainsRune(chars, r) })
	}
	return side(s, isSpace)
}

// anyOf tests the argument, or each of several.
func anyOf(a called, f func(string) bool) bool {
	v := a.arg(0, "prefix", nil)
	if l, ok := v.(*list); ok {
		return slices.ContainsFunc(l.items, func(x any) bool { s, ok := x.(string); return ok && f(s) })
	}
	s, ok := v.(string)
	if !ok {
		throw("the argument is a %s, want a string", kindOf(v))
	}
	return f(s)
}

func split(e *env, s string, a called, fromRight bool) any {
	e.spend(len(s)/8 + 1)
	most := int(a.whole(1, "maxsplit", -1))
	sep, given := a.arg(0, "sep", nil).(string)
	if !given {
		return fromSlice(words(s, most, fromRight), 0)
	}
	if sep == "" {
		throw("a split by nothing")
	}
	parts := strings.Split(s, sep)
	if most >= 0 && len(parts) > most+1 {
		if fromRight {
			cut := len(parts) - most
			parts = append([]string{strings.Join(parts[:cut], sep)}, parts[cut:]...)
		} else {
			parts = append(parts[:most:most], strings.Join(parts[most:], sep))
		}
	}
	return fromSlice(parts, 0)
}

// format fills {} and {name} in a text; formats behind a colon are not supported.
func format(e *env, s string, a called) any {
	var b strings.Builder
	n := 0
	for i := 0; i < len(s); i++ {
		switch {
		case strings.HasPrefix(s[i:], "{{"), strings.HasPrefix(s[i:], "}}"):
			b.WriteByte(s[i])
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
				throw("the format has no argument for {%s}", name)
			}
			b.WriteString(e.text(v))
			i += end
		default:
			b.WriteByte(s[i])
		}
		e.take(1)
	}
	return b.String()
}
