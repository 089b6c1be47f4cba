package template

import (
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
	whole := func(v any) int64 { _, n, _, _ := number(v); return n }
	tests = map[string]function{
		"defined": is(func(v any) bool { return kindOf(v) != "undefined value" }), "undefined": kind("undefined value"),
		"none":   kind("None"),
		"string": kind("string"), "mapping": kind("mapping"), "iterable": kind("string", "list", "mapping", "undefined value"),
		"sequence": kind("string", "list", "mapping", "undefined value"), "number": kind("int", "float", "bool"), "integer": kind("int"),
		"float": kind("float"), "boolean": kind("bool"), "callable": kind("function"),
		"true": is(func(v any) bool { return v == true }), "false": is(func(v any) bool { return v == false }),
		"even": is(func(v any) bool { return whole(v)%2 == 0 }), "odd": is(func(v any) bool { return whole(v)%2 != 0 }),
		"equalto": with(equal), "eq": with(equal), "sameas": with(equal),
		"ne": with(func(e *env, a, b any) bool { return !equal(e, a, b) }),
		"lt": with((*env).less), "gt": with(func(e *env, a, b any) bool { return e.less(b, a) }),
		"le":          with(func(e *env, a, b any) bool { return !e.less(b, a) }),
		"ge":          with(func(e *env, a, b any) bool { return !e.less(a, b) }),
		"divisibleby": with(func(_ *env, a, b any) bool { return whole(b) != 0 && whole(a)%whole(b) == 0 }),
		"in":          func(e *env, a called) any { return e.contains(a.arg(1, "seq", &list{}), a.positional[0]) },
		"lower":       is(func(v any) bool { s, ok := v.(string); return ok && s == strings.ToLower(s) }),
		"upper":       is(func(v any) bool { s, ok := v.(string); return ok && s == strings.ToUpper(s) }),
	}
	tests["=="] = tests["eq"]
	tests["!="] = tests["ne"]
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
	"dict": function(func(_ *env, a called) any {
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
		l := &list{}
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
	e.take(16 * len(format))
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
		return func(e *env, a called) any {
			e.scan(v)
			return f(e, v, a)
		}, true
	case *Dict:
		return dictMethod(v, name)
	case *list:
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
		return func(e *env, _ called) any { return e.pairs(d) }, true
	case "keys":
		return func(e *env, _ called) any { return &list{items: e.iterate(d)} }, true
	case "values":
		return func(e *env, _ called) any {
			e.spend(len(d.keys))
			l := &list{}
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

// made is a method that makes a text as long as its own.
func made(f func(string) string) func(e *env, s string, _ called) any {
	return func(e *env, s string, _ called) any {
		e.take(len(s))
		return f(s)
	}
}

var textMethods = map[string]func(e *env, s string, a called) any{
	"strip": func(_ *env, s string, a called) any {
		return trimBy(trimBy(s, a, strings.TrimLeftFunc), a, strings.TrimRightFunc)
	},
	"lstrip":     func(_ *env, s string, a called) any { return trimBy(s, a, strings.TrimLeftFunc) },
	"rstrip":     func(_ *env, s string, a called) any { return trimBy(s, a, strings.TrimRightFunc) },
	"split":      func(e *env, s string, a called) any { return split(e, s, a, false) },
	"rsplit":     func(e *env, s string, a called) any { return split(e, s, a, true) },
	"upper":      made(strings.ToUpper),
	"lower":      made(strings.ToLower),
	"title":      made(title),
	"capitalize": made(capitalize),
	"startswith": func(_ *env, s string, a called) any {
		return anyOf(a, func(p string) bool { return strings.HasPrefix(s, p) })
	},
	"endswith": func(_ *env, s string, a called) any {
		return anyOf(a, func(p string) bool { return strings.HasSuffix(s, p) })
	},
	"replace": func(e *env, s string, a called) any {
		return e.replaced(s, a.text(0, "old", ""), a.text(1, "new", ""), a.whole(2, "count", -1))
	},
	"join": func(e *env, s string, a called) any {
		return joinFilter(e, called{positional: []any{a.arg(0, "iterable", &list{}), s}})
	},
	"count": func(_ *env, s string, a called) any { return int64(strings.Count(s, a.text(0, "sub", ""))) },
	"find": func(_ *env, s string, a called) any {
		i := strings.Index(s, a.text(0, "sub", ""))
		if i < 0 {
			return int64(-1)
		}
		return int64(utf8.RuneCountInString(s[:i]))
	},
	"isdigit": func(_ *env, s string, _ called) any {
		return s != "" && strings.IndexFunc(s, func(r rune) bool { return !unicode.IsDigit(r) }) < 0
	},
	"isalpha": func(_ *env, s string, _ called) any {
		return s != "" && strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }) < 0
	},
	"isspace":      func(_ *env, s string, _ called) any { return s != "" && strings.TrimSpace(s) == "" },
	"isupper":      func(_ *env, s string, _ called) any { return s == strings.ToUpper(s) && s != strings.ToLower(s) },
	"islower":      func(_ *env, s string, _ called) any { return s == strings.ToLower(s) && s != strings.ToUpper(s) },
	"removeprefix": func(_ *env, s string, a called) any { return strings.TrimPrefix(s, a.text(0, "prefix", "")) },
	"removesuffix": func(_ *env, s string, a called) any { return strings.TrimSuffix(s, a.text(0, "suffix", "")) },
	"splitlines": func(e *env, s string, _ called) any {
		e.spend(len(s)/8 + 1)
		return fromSlice(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }), 0)
	},
	"format": format,
}

func trimBy(s string, a called, side func(string, func(rune) bool) string) string {
	if chars, ok := a.arg(0, "chars", nil).(string); ok {
		return side(s, func(r rune) bool { return strings.ContainsRune(chars, r) })
	}
	return side(s, unicode.IsSpace)
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
		if most >= 0 {
			throw("split by spaces with a limit is not supported")
		}
		return fromSlice(strings.Fields(s), 0)
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
			text := e.text(v)
			e.take(len(text))
			b.WriteString(text)
			i += end
		default:
			b.WriteByte(s[i])
		}
		e.take(1)
	}
	return b.String()
}
