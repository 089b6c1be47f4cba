package template

import (
	"slices"
	"strconv"
	"strings"
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
	e.take(len(w.b))
	return string(w.b)
}

type jsonWriter struct {
	e                 *env
	b                 []byte
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
		w.b = append(w.b, "null"...)
	case bool:
		w.b = strconv.AppendBool(w.b, v)
	case int64:
		w.b = strconv.AppendInt(w.b, v, 10)
	case float64:
		switch s := floatText(v); s {
		case "inf":
			w.b = append(w.b, "Infinity"...)
		case "-inf":
			w.b = append(w.b, "-Infinity"...)
		case "nan":
			w.b = append(w.b, "NaN"...)
		default:
			w.b = append(w.b, s...)
		}
	case string:
		w.text(v)
	case markup:
		w.text(string(v))
	case *list:
		if v.kind > tupleKind {
			throw("a %s cannot be written as JSON; use list", kindNames[v.kind])
		}
		w.group('[', ']', len(v.items), depth, func(i int) { w.value(v.items[i], depth+1) })
	case *Dict:
		keys := v.keys
		if w.sort {
			keys = slices.Sorted(slices.Values(keys))
		}
		w.group('{', '}', len(keys), depth, func(i int) {
			w.text(strings.TrimPrefix(keys[i], numberKey))
			w.b = append(w.b, w.key...)
			w.value(v.values[keys[i]], depth+1)
		})
	default:
		throw("a %s cannot be written as JSON", kindOf(v))
	}
}

func (w *jsonWriter) group(open, shut byte, n, depth int, one func(i int)) {
	w.b = append(w.b, open)
	line := func(depth int) {
		if w.lines {
			w.b = append(append(w.b, '\n'), strings.Repeat(w.indent, depth)...)
		}
	}
	for i := range n {
		if i > 0 {
			w.b = append(w.b, w.item...)
		}
		line(depth + 1)
		one(i)
	}
	if n > 0 {
		line(depth)
	}
	w.b = append(w.b, shut)
}

func (w *jsonWriter) text(s string) {
	const hex = "0123456789abcdef"
	short := map[rune]string{'"': `\"`, '\\': `\\`, '\n': `\n`, '\r': `\r`, '\t': `\t`, '\b': `\b`, '\f': `\f`}
	unit := func(u rune) {
		w.b = append(w.b, '\\', 'u', hex[u>>12&15], hex[u>>8&15], hex[u>>4&15], hex[u&15])
	}
	w.b = append(w.b, '"')
	for _, r := range s {
		switch esc, ok := short[r]; {
		case ok:
			w.b = append(w.b, esc...)
		case r < 32 || w.ascii && r > 126 && r < 1<<16:
			unit(r)
		case w.ascii && r >= 1<<16:
			unit(0xd800 + (r-1<<16)>>10)
			unit(0xdc00 + (r-1<<16)&0x3ff)
		default:
			w.b = append(w.b, string(r)...)
		}
	}
	w.b = append(w.b, '"')
}
