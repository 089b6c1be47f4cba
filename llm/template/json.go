package template

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// toJSON writes a value as Python's json.dumps does, characters as they are.
func toJSON(e *env, a called) any {
	w := jsonWriter{e: e, item: ", ", key: ": ", sort: truth(a.arg(4, "sort_keys", false)), ascii: truth(a.arg(1, "ensure_ascii", false))}
	if v := a.arg(2, "indent", nil); v != nil {
		n := a.whole(2, "indent", 0)
		if n < 0 || n > 100 {
			throw("an indent of %d", n)
		}
		w.indent, w.item, w.lines = strings.Repeat(" ", int(n)), ",", true
	}
	if v, ok := a.arg(3, "separators", nil).(*list); ok && len(v.items) == 2 {
		w.item, w.key = e.text(v.items[0]), e.text(v.items[1])
	}
	w.value(a.positional[0], 0)
	return e.joinPieces(&w.p)
}

type jsonWriter struct {
	e                 *env
	p                 pieces
	item, key, indent string
	lines, sort       bool
	ascii             bool
}

func (w *jsonWriter) value(v any, depth int) {
	w.e.spend(1)
	if depth > maxDepth {
		throw("a value nested more than %d deep", maxDepth)
	}
	switch v := v.(type) {
	case nil:
		w.put("null")
	case bool:
		w.put(strconv.FormatBool(v))
	case int64:
		w.put(strconv.FormatInt(v, 10))
	case float64:
		switch s := floatText(v); s {
		case "inf":
			w.put("Infinity")
		case "-inf":
			w.put("-Infinity")
		case "nan":
			w.put("NaN")
		default:
			w.put(s)
		}
	case string:
		w.text(v)
	case markup:
		w.text(string(v))
	case *list:
		if v.kind > tupleKind {
			throw("a %s cannot be written as JSON; use list", kindNames[v.kind])
		}
		w.group("[", "]", len(v.items), depth, func(i int) { w.value(v.items[i], depth+1) })
	case *Dict:
		keys := v.keys
		if w.sort {
			w.e.elements(len(keys))
			w.e.spend(8 * len(keys))
			keys = slices.Sorted(slices.Values(keys))
		}
		w.group("{", "}", len(keys), depth, func(i int) {
			w.text(strings.TrimPrefix(keys[i], numberKey))
			w.put(w.key)
			w.value(v.values[keys[i]], depth+1)
		})
	default:
		throw("a %s cannot be written as JSON", kindOf(v))
	}
}

func (w *jsonWriter) put(s string) { w.e.put(&w.p, s) }

func (w *jsonWriter) group(open, shut string, n, depth int, one func(i int)) {
	w.put(open)
	line := func(depth int) {
		if !w.lines {
			return
		}
		w.put("\n")
		for i := 0; i < depth && w.indent != ""; i++ {
			w.put(w.indent)
		}
	}
	for i := range n {
		if i > 0 {
			w.put(w.item)
		}
		line(depth + 1)
		one(i)
	}
	if n > 0 {
		line(depth)
	}
	w.put(shut)
}

func (w *jsonWriter) text(s string) {
	const hex = "0123456789abcdef"
	unit := func(u rune) string {
		w.e.spend(1)
		w.e.take(16)
		return string([]byte{'\\', 'u', hex[u>>12&15], hex[u>>8&15], hex[u>>4&15], hex[u&15]})
	}
	w.e.spend(len(s) >> 6)
	w.put(`"`)
	from := 0
	for i, r := range s {
		esc := ""
		switch {
		case r == '"':
			esc = `\"`
		case r == '\\':
			esc = `\\`
		case r == '\n':
			esc = `\n`
		case r == '\r':
			esc = `\r`
		case r == '\t':
			esc = `\t`
		case r == '\b':
			esc = `\b`
		case r == '\f':
			esc = `\f`
		case r < 32 || w.ascii && r > 126 && r < 1<<16:
			esc = unit(r)
		case w.ascii && r >= 1<<16:
			esc = unit(0xd800+(r-1<<16)>>10) + unit(0xdc00+(r-1<<16)&0x3ff)
		case r == utf8.RuneError:
			esc = string(r) // bytes that are no character too
		default:
			continue
		}
		w.e.tick()
		if from < i {
			w.put(s[from:i])
		}
		w.put(esc)
		_, n := utf8.DecodeRuneInString(s[i:])
		from = i + n
	}
	w.put(s[from:])
	w.put(`"`)
}
