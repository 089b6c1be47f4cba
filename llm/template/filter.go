package template

import (
	"math"
	"slices"
	"strconv"
	"strings"
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
	onText := func(f func(string) string, copies int) function {
		return func(e *env, a called) any {
			s := e.text(a.positional[0])
			e.walk(s, copies)
			return f(s)
		}
	}
	filters = map[string]function{
		"tojson": toJSON, "length": length, "count": length, "string": func(e *env, a called) any { return e.text(a.positional[0]) },
		"safe":  func(e *env, a called) any { return markup(e.text(a.positional[0])) },
		"upper": onText(upper, 1), "lower": onText(lower, 1), "title": onText(titleFilter, 2), "capitalize": onText(capitalize, 2),
		"trim": trimFilter, "default": defaultFilter, "d": defaultFilter, "join": joinFilter, "items": itemsFilter, "dictsort": dictSort,
		"list": func(e *env, a called) any { return &list{items: e.copied(a.positional[0])} }, "replace": replaceFilter,
		"selectattr": pick(true, true), "rejectattr": pick(true, false), "select": pick(false, true), "reject": pick(false, false),
		"map": mapFilter, "first": func(e *env, a called) any { return e.end(a.positional[0], 0) },
		"last": lastFilter,
		"int":  toInt, "float": toFloat, "abs": absFilter, "indent": indentFilter, "reverse": reverseFilter, "sort": sortFilter,
		"unique": uniqueFilter, "escape": escapeFilter, "e": escapeFilter, "sum": sumFilter, "round": roundFilter,
		"min": extreme(false), "max": extreme(true), "batch": batchFilter, "slice": sliceFilter, "groupby": groupFilter,
		"wordcount": wordCount, "center": centerFilter, "truncate": truncateFilter, "urlencode": urlEncode, "format": formatFilter,
		"striptags": stripTags, "filesizeformat": fileSize,
		"forceescape": func(e *env, a called) any { return markup(e.escape(e.text(a.positional[0]))) },
		"attr":        attrFilter,
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
	e.elements(len(items))
	return slices.Clone(items)
}

func lastFilter(e *env, a called) any {
	if l, ok := a.positional[0].(*list); ok && l.kind == lazyKind {
		throw("what select, reject and map give has no last element; use list")
	}
	return e.end(a.positional[0], -1)
}

func length(e *env, a called) any {
	switch v := a.positional[0].(type) {
	case string:
		e.scan(v)
		return int64(utf8.RuneCountInString(v))
	case *list:
		if v.kind == lazyKind {
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

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;")

func (e *env) escape(s string) string {
	e.spend(len(s) >> 6)
	n := 0
	for i := range len(s) {
		switch s[i] {
		case '&', '"', '\'':
			n += 4
		case '<', '>':
			n += 3
		}
	}
	if n == 0 {
		return s
	}
	e.spend(n >> 4)
	e.take(len(s) + n)
	return escaper.Replace(s)
}

func trimFilter(e *env, a called) any {
	return e.trimBy(e.text(a.positional[0]), a.arg(1, "chars", nil), true, true)
}

func defaultFilter(_ *env, a called) any {
	v := a.positional[0]
	if _, missing := v.(undefined); missing || truth(a.arg(2, "boolean", false)) && !truth(v) {
		return a.arg(1, "default_value", "")
	}
	return v
}

func joinFilter(e *env, a called) any {
	var p pieces
	between, name := e.text(a.arg(1, "d", "")), a.arg(2, "attribute", nil)
	for i, v := range e.iterate(a.positional[0]) {
		e.spend(1)
		if i > 0 {
			e.put(&p, between)
		}
		e.put(&p, e.text(e.path(v, name, nil)))
	}
	return e.joinPieces(&p)
}

func (e *env) pairs(d *Dict) *list {
	e.spend(len(d.keys))
	e.take(pairSize * (len(d.keys) + 1))
	l := &list{items: make([]any, 0, len(d.keys))}
	for _, k := range d.keys {
		l.items = append(l.items, tuple(keyValue(k), d.values[k]))
	}
	return l
}

func itemsFilter(e *env, a called) any {
	switch v := a.positional[0].(type) {
	case *Dict:
		l := e.pairs(v)
		l.kind = lazyKind
		return l
	case undefined:
		return &list{kind: lazyKind}
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
	exact := truth(a.arg(1, "case_sensitive", false))
	e.sorted(pairs, func(v any) any { return e.fold(v.(*list).items[by], exact) }, truth(a.arg(3, "reverse", false)))
	return &list{items: pairs}
}

// fold makes the order of texts one without regard to case.
func (e *env) fold(v any, exact bool) any {
	if s, ok := v.(string); ok && !exact {
		e.walk(s, 1)
		return lower(s)
	}
	return v
}

// sorted orders the items by their keys, and returns the keys in that order.
func (e *env) sorted(items []any, key func(any) any, reverse bool) []any {
	type keyed struct{ key, v any }
	e.elements(2 * len(items))
	all := make([]keyed, len(items))
	for i, v := range items {
		all[i] = keyed{key(v), v}
	}
	slices.SortStableFunc(all, func(x, y keyed) int {
		a, b := x.key, y.key
		if reverse {
			a, b = b, a
		}
		switch {
		case e.equal(a, b, 0):
			return 0
		case e.less(a, b):
			return -1
		case e.less(b, a):
			return 1
		}
		return 0
	})
	keys := make([]any, len(items))
	for i, k := range all {
		keys[i], items[i] = k.key, k.v
	}
	return keys
}

func sortFilter(e *env, a called) any {
	items := e.copied(a.positional[0])
	exact := truth(a.arg(2, "case_sensitive", false))
	names, by := a.arg(3, "attribute", nil).(string)
	e.sorted(items, func(v any) any {
		if !by {
			return e.fold(v, exact)
		}
		keys := &list{}
		e.take(pairSize)
		for name := range strings.SplitSeq(names, ",") {
			e.elements(1)
			keys.items = append(keys.items, e.fold(e.path(v, name, nil), exact))
		}
		return keys
	}, truth(a.arg(1, "reverse", false)))
	return &list{items: items}
}

func uniqueFilter(e *env, a called) any {
	out, seen := &list{kind: lazyKind}, []any{}
	exact, name := truth(a.arg(1, "case_sensitive", false)), a.arg(2, "attribute", nil)
	for _, v := range e.iterate(a.positional[0]) {
		e.spend(1)
		key := e.fold(e.path(v, name, nil), exact)
		switch l := key.(type) {
		case *Dict:
			throw("unique of mappings; name an attribute")
		case *list:
			if l.kind == plainKind {
				throw("unique of lists; name an attribute")
			}
		}
		if !slices.ContainsFunc(seen, func(x any) bool { return e.equal(x, key, 0) }) {
			e.elements(2)
			seen, out.items = append(seen, key), append(out.items, v)
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
	n := strings.Count(s, old)
	if most >= 0 {
		n = int(min(int64(n), most))
	}
	e.spend(n >> 2)
	if n > 0 {
		e.take(len(s))
		e.take(times(n, max(0, len(with)-len(old))))
	}
	return strings.Replace(s, old, with, n)
}

// pick makes select, reject and their forms by an attribute.
func pick(byAttr, want bool) function {
	return func(e *env, a called) any {
		out := &list{kind: lazyKind}
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
				throw("the test %.40q is not supported", name)
			}
			rest = a.positional[at+1:]
		}
		items := e.iterateSome(a.positional[0])
		e.elements(len(items))
		out.items = make([]any, 0, len(items))
		for _, v := range items {
			e.spend(1 + len(rest))
			x := v
			if byAttr {
				x = e.path(v, a.arg(1, "attribute", ""), nil)
			}
			is := truth(x)
			if test != nil {
				e.take(elementSize * (1 + len(rest)))
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

// path follows attributes with dots between, numbers among them; nil is the value itself. Where there is none it goes on with missing,
// if that is not nil.
func (e *env) path(v, name, missing any) any {
	var parts []any
	switch name := name.(type) {
	case nil:
		return v
	case int64:
		parts = []any{name}
	case string:
		e.scan(name)
		e.elements(2 + strings.Count(name, "."))
		if name != "" && name[0] > '9' && strings.IndexByte(name, '.') < 0 {
			if v = e.element(v, name); missing != nil && kindOf(v) == "undefined value" {
				return missing
			}
			return v
		}
		for part := range strings.SplitSeq(name, ".") {
			if n, ok := pathNumber(part); ok {
				parts = append(parts, n)
			} else {
				parts = append(parts, part)
			}
		}
	default:
		throw("an attribute is a %s, want a string", kindOf(name))
	}
	for _, part := range parts {
		v = e.element(v, part)
		if _, ok := v.(undefined); ok && missing != nil {
			v = missing
		}
	}
	return v
}

// pathNumber reads a part of a path as a number.
func pathNumber(part string) (int64, bool) {
	if len(part) > 19 {
		return 0, false
	}
	n, err := strconv.ParseInt(part, 10, 64)
	return n, err == nil && n >= 0
}

func mapFilter(e *env, a called) any {
	out := &list{kind: lazyKind}
	name, byAttr := a.named["attribute"]
	items := e.iterateSome(a.positional[0])
	e.elements(len(items))
	out.items = make([]any, 0, len(items))
	for _, v := range items {
		e.spend(1)
		if byAttr {
			v = e.path(v, name, a.arg(1<<30, "default", nil))
		} else {
			f, ok := filters[a.text(1, "filter", "")]
			if !ok {
				throw("the filter %.40q is not supported", a.text(1, "filter", ""))
			}
			rest := a.positional[min(2, len(a.positional)):]
			e.elements(1 + len(rest))
			e.take(elementSize)
			e.down()
			v = f(e, called{positional: append([]any{v}, rest...), named: a.named, order: a.order})
			e.up()
		}
		e.take(elementSize)
		out.items = append(out.items, v)
	}
	return out
}

// attrFilter finds methods and fields of namespaces, not keys.
func attrFilter(e *env, a called) any {
	name := a.text(1, "name", "")
	if f, ok := method(a.positional[0], name); ok {
		return f
	} else if _, ok := a.positional[0].(*Dict); ok {
		return undefined{name}
	}
	return e.attribute(a.positional[0], name)
}

func escapeFilter(e *env, a called) any {
	return markup(e.escape(e.text(a.positional[0])))
}

func toInt(e *env, a called) any {
	whole := func(f float64) any {
		if math.Abs(f) >= 1<<63 {
			throw("the number %s is too large", floatText(f))
		}
		return int64(f)
	}
	switch v := a.positional[0].(type) {
	case undefined:
		throw("%.40q is undefined; it is no number", v.name)
	case string:
		e.walk(v, 4)
		base := a.whole(2, "base", 10)
		if base != 0 && (base < 2 || base > 36) {
			break
		}
		if n, ok := parseWhole(v, int(base)); ok {
			return n
		}
		if f, ok := parseReal(v); ok && !math.IsInf(f, 0) && !math.IsNaN(f) {
			return whole(f)
		}
	default:
		if f, n, isInt, ok := number(v); isInt {
			return n
		} else if ok && !math.IsInf(f, 0) && !math.IsNaN(f) {
			return whole(f)
		}
	}
	return a.arg(1, "default", int64(0))
}

func toFloat(e *env, a called) any {
	switch v := a.positional[0].(type) {
	case undefined:
		throw("%.40q is undefined; it is no number", v.name)
	case string:
		e.walk(v, 4)
		if f, ok := parseReal(v); ok {
			return f
		}
	default:
		if f, _, _, ok := number(v); ok {
			return f
		}
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
	f, n, isInt, ok := number(a.positional[0])
	if !ok {
		throw("round of a %s", kindOf(a.positional[0]))
	}
	digits := a.whole(1, "precision", 0)
	if digits < -300 || digits > 300 {
		throw("round to %d digits", digits)
	}
	scale := math.Pow(10, float64(digits))
	switch method := a.text(2, "method", "common"); {
	case method == "ceil":
		return math.Ceil(f*scale) / scale
	case method == "floor":
		return math.Floor(f*scale) / scale
	case method != "common":
		throw("round by %.40q; want common, ceil or floor", method)
	case isInt && digits >= 0:
		return n
	case isInt:
		return int64(math.RoundToEven(f*scale) / scale)
	case digits < 0:
		return math.RoundToEven(f*scale) / scale
	}
	r, err := strconv.ParseFloat(strconv.FormatFloat(f, 'f', int(digits), 64), 64) // the decimal digits are exact, and round to even
	if err != nil {
		return f
	}
	return r
}

func sumFilter(e *env, a called) any {
	total := a.arg(2, "start", int64(0))
	for _, v := range e.iterate(a.positional[0]) {
		e.spend(1)
		total = e.arithmetic("+", total, e.path(v, a.arg(1, "attribute", nil), nil))
	}
	return total
}

func extreme(largest bool) function {
	return func(e *env, a called) any {
		items := e.iterate(a.positional[0])
		exact, name := truth(a.arg(1, "case_sensitive", false)), a.arg(2, "attribute", nil)
		best := e.end(&list{items: items}, 0)
		var most any
		for i, v := range items {
			e.spend(1)
			k := e.fold(e.path(v, name, nil), exact)
			if i == 0 || largest && e.less(most, k) || !largest && e.less(k, most) {
				best, most = v, k
			}
		}
		return best
	}
}

func indentFilter(e *env, a called) any {
	s, ok := plain(a.positional[0]).(string)
	if !ok {
		throw("indent of a %s", kindOf(a.positional[0]))
	}
	pad, ok := a.arg(1, "width", int64(4)).(string)
	if !ok {
		n := a.whole(1, "width", 4)
		if n < 0 || n > 1000 {
			throw("an indent of %d", n)
		}
		pad = strings.Repeat(" ", int(n))
	}
	first, blank := truth(a.arg(2, "first", false)), truth(a.arg(3, "blank", false))
	var p pieces
	e.take(len(s) + 1)
	begins := true
	for line := range e.lines(s+"\n", false) {
		e.spend(1)
		if !begins {
			e.put(&p, "\n")
		}
		if !begins && (line != "" || blank) || begins && first {
			e.put(&p, pad)
		}
		e.put(&p, line)
		begins = false
	}
	return e.joinPieces(&p)
}
