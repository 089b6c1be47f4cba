package template

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// arg returns an argument by its position behind the value, or by its name; def if it is not given.
func (a called) arg(i int, name string, def any) any {
	if i < len(a.positional) {
		return a.positional[i]
	}
	if v, ok := a.named[name]; ok {
		return v
	}
	return def
}

func (a called) text(i int, name, def string) string {
	v := a.arg(i, name, def)
	s, ok := v.(string)
	if !ok {
		throw("the argument %s is a %s, want a string", name, kindOf(v))
	}
	return s
}

func (a called) whole(i int, name string, def int64) int64 {
	v := a.arg(i, name, def)
	_, n, isInt, _ := number(v)
	if !isInt {
		throw("the argument %s is a %s, want a whole number", name, kindOf(v))
	}
	return n
}

// filters by name. The first argument is the value.
var filters map[string]function

func init() { // not an initialiser: filters and parser refer to each other
	onText := func(f func(string) string) function {
		return func(e *env, a called) any {
			s := f(e.text(a.positional[0]))
			e.take(len(s))
			return s
		}
	}
	filters = map[string]function{
		"tojson": toJSON, "length": length, "count": length, "string": func(e *env, a called) any { return e.text(a.positional[0]) },
		"safe":  func(e *env, a called) any { return markup(e.text(a.positional[0])) },
		"upper": onText(strings.ToUpper), "lower": onText(strings.ToLower), "title": onText(title), "capitalize": onText(capitalize),
		"trim": trimFilter, "default": defaultFilter, "d": defaultFilter, "join": joinFilter, "items": itemsFilter, "dictsort": dictSort,
		"list": func(e *env, a called) any { return &list{items: e.copied(a.positional[0])} }, "replace": replaceFilter,
		"selectattr": pick(true, true), "rejectattr": pick(true, false), "select": pick(false, true), "reject": pick(false, false),
		"map": mapFilter, "first": func(e *env, a called) any { return e.end(a.positional[0], 0) },
		"last": func(e *env, a called) any { return e.end(a.positional[0], -1) },
		"int":  toInt, "float": toFloat, "abs": absFilter, "indent": indentFilter, "reverse": reverseFilter, "sort": sortFilter,
		"unique": uniqueFilter, "escape": onText(escape), "e": onText(escape), "sum": sumFilter, "round": roundFilter,
		"min": extreme(false), "max": extreme(true), "attr": func(_ *env, a called) any {
			return attribute(a.positional[0],
				a.text(1, "name", ""))
		},
	}
}

// end is the first element, or for -1 the last one.
func (e *env) end(v any, i int) any {
	if s, ok := v.(string); ok {
		return e.char(s, int64(i))
	}
	items := e.iterate(v)
	if len(items) == 0 {
		return undefined{"an element of an empty sequence"}
	}
	return items[(i+len(items))%len(items)]
}

// copied lists the elements of a value, for a filter that orders or gives them out.
func (e *env) copied(v any) []any {
	items := e.iterate(v)
	e.spend(len(items))
	return slices.Clone(items)
}

func length(e *env, a called) any {
	switch v := a.positional[0].(type) {
	case string:
		e.scan(v)
		return int64(utf8.RuneCountInString(v))
	case *list:
		if v.lazy {
			throw("what select, reject and map give has no length; use list")
		}
		return int64(len(v.items))
	case *Dict:
		return int64(len(v.keys))
	case undefined:
		return int64(0)
	}
	throw("a %s has no length", kindOf(a.positional[0]))
	return nil
}

func title(s string) string {
	begins := true
	return strings.Map(func(r rune) rune {
		defer func() { begins = !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' }()
		if begins {
			return unicode.ToUpper(r)
		}
		return unicode.ToLower(r)
	}, s)
}

func capitalize(s string) string {
	r := []rune(strings.ToLower(s))
	if len(r) > 0 {
		r[0] = unicode.ToUpper(r[0])
	}
	return string(r)
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;")

func escape(s string) string { return escaper.Replace(s) }

func trimFilter(e *env, a called) any {
	s := e.text(a.positional[0])
	if chars, ok := a.arg(1, "chars", nil).(string); ok {
		return strings.Trim(s, chars)
	}
	return strings.TrimFunc(s, unicode.IsSpace)
}

func defaultFilter(_ *env, a called) any {
	v := a.positional[0]
	if _, missing := v.(undefined); missing || truth(a.arg(2, "boolean", false)) && !truth(v) {
		return a.arg(1, "default_value", "")
	}
	return v
}

func joinFilter(e *env, a called) any {
	var parts []string
	between := e.text(a.arg(1, "d", ""))
	for _, v := range e.iterate(a.positional[0]) {
		if name, ok := a.arg(2, "attribute", nil).(string); ok {
			v = attribute(v, name)
		}
		s := e.text(v)
		e.take(len(s) + len(between))
		parts = append(parts, s)
	}
	return strings.Join(parts, between)
}

func (e *env) pairs(d *Dict) *list {
	e.spend(len(d.keys))
	l := &list{}
	for _, k := range d.keys {
		l.items = append(l.items, &list{items: []any{keyValue(k), d.values[k]}})
	}
	return l
}

func itemsFilter(e *env, a called) any {
	switch v := a.positional[0].(type) {
	case *Dict:
		return e.pairs(v)
	case undefined:
		return &list{}
	}
	throw("a %s has no items", kindOf(a.positional[0]))
	return nil
}

func dictSort(e *env, a called) any {
	d, ok := a.positional[0].(*Dict)
	if !ok {
		throw("dictsort of a %s", kindOf(a.positional[0]))
	}
	pairs, by := e.pairs(d).items, 0
	if a.text(2, "by", "key") == "value" {
		by = 1
	}
	sorted(e, pairs, func(v any) any { return e.fold(v.(*list).items[by], truth(a.arg(1, "case_sensitive", false))) }, truth(a.arg(3,
		"reverse", false)))
	return &list{items: pairs}
}

// fold makes the order of texts one without regard to case.
func (e *env) fold(v any, exact bool) any {
	if s, ok := v.(string); ok && !exact {
		e.scan(s)
		return strings.ToLower(s)
	}
	return v
}

func sorted(e *env, items []any, key func(any) any, reverse bool) {
	e.spend(len(items) * 8)
	slices.SortStableFunc(items, func(x, y any) int {
		a, b := key(x), key(y)
		if reverse {
			a, b = b, a
		}
		switch {
		case e.less(a, b):
			return -1
		case e.less(b, a):
			return 1
		}
		return 0
	})
}

func sortFilter(e *env, a called) any {
	items := e.copied(a.positional[0])
	name, by := a.arg(3, "attribute", nil).(string)
	sorted(e, items, func(v any) any {
		if by {
			v = attribute(v, name)
		}
		return e.fold(v, truth(a.arg(2, "case_sensitive", false)))
	}, truth(a.arg(1, "reverse", false)))
	return &list{items: items}
}

func uniqueFilter(e *env, a called) any {
	out := &list{}
	for _, v := range e.iterate(a.positional[0]) {
		e.spend(1)
		if !slices.ContainsFunc(out.items, func(x any) bool { return e.equal(e.fold(x, false), e.fold(v, false), 0) }) {
			out.items = append(out.items, v)
		}
	}
	return out
}

func replaceFilter(e *env, a called) any {
	return e.replaced(e.text(a.positional[0]), e.text(a.arg(1, "old", "")), e.text(a.arg(2, "new", "")), a.whole(3, "count", -1))
}

// replaced is a text with some parts of it replaced: at most most, all if that is negative.
func (e *env) replaced(s, old, with string, most int64) string {
	e.scan(s)
	n := int64(strings.Count(s, old))
	if most >= 0 {
		n = min(n, most)
	}
	e.take(len(s) + int(n)*max(0, len(with)-len(old)))
	return strings.Replace(s, old, with, int(n))
}

// pick makes select, reject and their forms by an attribute.
func pick(byAttr, want bool) function {
	return func(e *env, a called) any {
		out := &list{lazy: true}
		at := 1
		if byAttr {
			at = 2
		}
		var test function
		var rest []any
		if at < len(a.positional) {
			name := e.text(a.positional[at])
			var ok bool
			if test, ok = tests[name]; !ok {
				throw("the test %q is not supported", name)
			}
			rest = a.positional[at+1:]
		}
		for _, v := range e.iterateSome(a.positional[0]) {
			e.spend(1)
			x := v
			if byAttr {
				x = path(v, a.text(1, "attribute", ""))
			}
			is := truth(x)
			if test != nil {
				is = truth(test(e, called{positional: append([]any{x}, rest...)}))
			}
			if is == want {
				out.items = append(out.items, v)
			}
		}
		return out
	}
}

// iterateSome is iterate, with nothing for what is not true.
func (e *env) iterateSome(v any) []any {
	if !truth(v) {
		return nil
	}
	return e.iterate(v)
}

// path follows attributes with dots between.
func path(v any, name string) any {
	for part := range strings.SplitSeq(name, ".") {
		v = attribute(v, part)
	}
	return v
}

func mapFilter(e *env, a called) any {
	out := &list{lazy: true}
	name, byAttr := a.named["attribute"].(string)
	for _, v := range e.iterateSome(a.positional[0]) {
		e.spend(1)
		if byAttr {
			if v = path(v, name); v == (undefined{name}) {
				v = a.arg(1<<30, "default", v)
			}
		} else {
			f, ok := filters[a.text(1, "filter", "")]
			if !ok {
				throw("the filter %q is not supported", a.text(1, "filter", ""))
			}
			v = f(e, called{positional: append([]any{v}, a.positional[2:]...), named: a.named})
		}
		out.items = append(out.items, v)
	}
	return out
}

func toInt(_ *env, a called) any {
	switch v := a.positional[0].(type) {
	case string:
		if n, err := strconv.ParseInt(strings.TrimSpace(v), 10, 64); err == nil {
			return n
		}
		if f, err := strconv.ParseFloat(strings.TrimSpace(v), 64); err == nil && math.Abs(f) < 1<<62 {
			return int64(f)
		}
	default:
		if f, n, isInt, ok := number(v); isInt {
			return n
		} else if ok && math.Abs(f) < 1<<62 {
			return int64(f)
		}
	}
	return a.arg(1, "default", int64(0))
}

func toFloat(_ *env, a called) any {
	if s, ok := a.positional[0].(string); ok {
		if f, err := strconv.ParseFloat(strings.TrimSpace(s), 64); err == nil {
			return f
		}
	} else if f, _, _, ok := number(a.positional[0]); ok {
		return f
	}
	return a.arg(1, "default", 0.0)
}

func absFilter(_ *env, a called) any {
	f, n, isInt, ok := number(a.positional[0])
	if !ok {
		throw("abs of a %s", kindOf(a.positional[0]))
	}
	if isInt {
		return max(n, -n)
	}
	return math.Abs(f)
}

func roundFilter(_ *env, a called) any {
	f, _, _, ok := number(a.positional[0])
	scale := math.Pow(10, float64(a.whole(1, "precision", 0)))
	if method := a.text(2, "method", "common"); !ok || method != "common" {
		throw("round of a %s by %q", kindOf(a.positional[0]), method)
	}
	return math.RoundToEven(f*scale) / scale
}

func sumFilter(e *env, a called) any {
	var total any = int64(0)
	for _, v := range e.iterate(a.positional[0]) {
		e.spend(1)
		if name, ok := a.arg(1, "attribute", nil).(string); ok {
			v = attribute(v, name)
		}
		total = e.arithmetic("+", total, v)
	}
	return total
}

func extreme(largest bool) function {
	return func(e *env, a called) any {
		items := e.iterate(a.positional[0])
		best := e.end(&list{items: items}, 0)
		for i, v := range items {
			e.spend(1)
			if i > 0 && e.less(best, v) == largest && !e.equal(best, v, 0) {
				best = v
			}
		}
		return best
	}
}

func indentFilter(e *env, a called) any {
	s := e.text(a.positional[0])
	pad, ok := a.arg(1, "width", int64(4)).(string)
	if !ok {
		n := a.whole(1, "width", 4)
		if n < 0 || n > 1000 {
			throw("an indent of %d", n)
		}
		pad = strings.Repeat(" ", int(n))
	}
	e.scan(s)
	lines := strings.Split(s, "\n")
	e.spend(len(lines))
	for i := range lines {
		if i == 0 && !truth(a.arg(2, "first", false)) || i > 0 && lines[i] == "" && !truth(a.arg(3, "blank", false)) {
			continue
		}
		e.take(len(pad))
		lines[i] = pad + lines[i]
	}
	e.take(len(s))
	return strings.Join(lines, "\n")
}

func reverseFilter(e *env, a called) any {
	items := e.copied(a.positional[0])
	slices.Reverse(items)
	if _, ok := a.positional[0].(string); ok {
		return e.together(items)
	}
	return &list{items: items}
}

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

// fits refuses a text that is longer than what may still be made, before it is.
func (w *jsonWriter) fits(more int) {
	if len(w.b)+more > w.e.room {
		w.e.take(len(w.b) + more)
	}
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
		w.b = append(w.b, floatText(v)...)
	case string:
		w.text(v)
	case *list:
		if v.lazy {
			throw("what select, reject and map give cannot be written as JSON; use list")
		}
		w.group('[', ']', len(v.items), depth, func(i int) { w.value(v.items[i], depth+1) })
	case *Dict:
		keys := v.keys
		if w.sort {
			keys = slices.Sorted(slices.Values(keys))
		}
		w.group('{', '}', len(keys), depth, func(i int) {
			w.fits(len(w.key))
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
		if w.fits(len(w.item) + len(w.indent)*depth); w.lines {
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
	w.fits(len(s))
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
