package template

import (
	"math"
	"slices"
	"strconv"
	"strings"
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
		"tojson": toJSON, "length": length, "count": length, "string": onText(func(s string) string { return s }),
		"safe":  func(e *env, a called) any { return markup(e.text(a.positional[0])) },
		"upper": onText(upper), "lower": onText(lower), "title": onText(titleFilter), "capitalize": onText(capitalize),
		"trim": trimFilter, "default": defaultFilter, "d": defaultFilter, "join": joinFilter, "items": itemsFilter, "dictsort": dictSort,
		"list": func(_ *env, a called) any { return &list{items: slices.Clone(iterate(a.positional[0]))} }, "replace": replaceFilter,
		"selectattr": pick(true, true), "rejectattr": pick(true, false), "select": pick(false, true), "reject": pick(false, false),
		"map": mapFilter, "first": func(_ *env, a called) any { return end(iterate(a.positional[0]), 0) },
		"last": lastFilter,
		"int":  toInt, "float": toFloat, "abs": absFilter, "indent": indentFilter, "reverse": reverseFilter, "sort": sortFilter,
		"unique": uniqueFilter, "escape": escapeFilter, "e": escapeFilter, "sum": sumFilter, "round": roundFilter,
		"min": extreme(false), "max": extreme(true), "batch": batchFilter, "slice": sliceFilter, "groupby": groupFilter,
		"wordcount": wordCount, "center": centerFilter, "truncate": truncateFilter, "urlencode": urlEncode, "format": formatFilter,
		"striptags": onText(stripTags), "filesizeformat": fileSize,
		"forceescape": func(e *env, a called) any { return markup(escape(e.text(a.positional[0]))) },
		"attr":        attrFilter,
	}
}

func end(items []any, i int) any {
	if i < 0 || i >= len(items) {
		return undefined{"an element of an empty sequence"}
	}
	return items[i]
}

func lastFilter(_ *env, a called) any {
	if l, ok := a.positional[0].(*list); ok && l.kind == lazyKind {
		throw("what select, reject and map give has no last element; use list")
	}
	s := iterate(a.positional[0])
	return end(s, len(s)-1)
}

func length(_ *env, a called) any {
	switch v := a.positional[0].(type) {
	case string:
		return int64(len([]rune(v)))
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

func escape(s string) string { return escaper.Replace(s) }

func trimFilter(e *env, a called) any {
	s := e.text(a.positional[0])
	if chars, ok := a.arg(1, "chars", nil).(string); ok {
		return strings.Trim(s, chars)
	}
	return strings.TrimFunc(s, isSpace)
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
	for _, v := range iterate(a.positional[0]) {
		parts = append(parts, e.text(path(v, a.arg(2, "attribute", nil), nil)))
	}
	s := strings.Join(parts, e.text(a.arg(1, "d", "")))
	e.take(len(s))
	return s
}

func pairsOf(d *Dict) *list {
	l := &list{}
	for _, k := range d.keys {
		l.items = append(l.items, tuple(keyValue(k), d.values[k]))
	}
	return l
}

func itemsFilter(_ *env, a called) any {
	switch v := a.positional[0].(type) {
	case *Dict:
		l := pairsOf(v)
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
	pairs, by := pairsOf(d).items, 0
	if a.text(2, "by", "key") == "value" {
		by = 1
	}
	sorted(e, pairs, func(v any) any { return fold(v.(*list).items[by], truth(a.arg(1, "case_sensitive", false))) }, truth(a.arg(3,
		"reverse", false)))
	return &list{items: pairs}
}

// fold makes the order of texts one without regard to case.
func fold(v any, exact bool) any {
	if s, ok := v.(string); ok && !exact {
		return lower(s)
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
		case equal(a, b):
			return 0
		case less(a, b):
			return -1
		case less(b, a):
			return 1
		}
		return 0
	})
}

func sortFilter(e *env, a called) any {
	items := slices.Clone(iterate(a.positional[0]))
	exact := truth(a.arg(2, "case_sensitive", false))
	names, by := a.arg(3, "attribute", nil).(string)
	sorted(e, items, func(v any) any {
		if !by {
			return fold(v, exact)
		}
		keys := &list{}
		for name := range strings.SplitSeq(names, ",") {
			keys.items = append(keys.items, fold(path(v, name, nil), exact))
		}
		return keys
	}, truth(a.arg(1, "reverse", false)))
	return &list{items: items}
}

func uniqueFilter(e *env, a called) any {
	out, seen := &list{kind: lazyKind}, []any{}
	exact := truth(a.arg(1, "case_sensitive", false))
	for _, v := range iterate(a.positional[0]) {
		e.spend(len(seen) + 1)
		key := fold(path(v, a.arg(2, "attribute", nil), nil), exact)
		switch l := key.(type) {
		case *Dict:
			throw("unique of mappings; name an attribute")
		case *list:
			if l.kind == plainKind {
				throw("unique of lists; name an attribute")
			}
		}
		if !slices.ContainsFunc(seen, func(x any) bool { return equal(x, key) }) {
			seen, out.items = append(seen, key), append(out.items, v)
		}
	}
	return out
}

func replaceFilter(e *env, a called) any {
	s := strings.Replace(e.text(a.positional[0]), e.text(a.arg(1, "old", "")), e.text(a.arg(2, "new", "")), int(a.whole(3, "count", -1)))
	e.take(len(s))
	return s
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
				throw("the test %q is not supported", name)
			}
			rest = a.positional[at+1:]
		}
		for _, v := range iterateSome(a.positional[0]) {
			e.spend(1)
			x := v
			if byAttr {
				x = path(v, a.arg(1, "attribute", ""), nil)
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
func iterateSome(v any) []any {
	if !truth(v) {
		return nil
	}
	return iterate(v)
}

// path follows attributes with dots between, numbers among them; nil is the value itself. Where there is none it goes on with missing,
// if that is not nil.
func path(v, name, missing any) any {
	var parts []any
	switch name := name.(type) {
	case nil:
		return v
	case int64:
		parts = []any{name}
	case string:
		for part := range strings.SplitSeq(name, ".") {
			if n, err := strconv.ParseInt(part, 10, 64); err == nil && n >= 0 {
				parts = append(parts, n)
			} else {
				parts = append(parts, part)
			}
		}
	default:
		throw("an attribute is a %s, want a string", kindOf(name))
	}
	for _, part := range parts {
		v = element(v, part)
		if _, ok := v.(undefined); ok && missing != nil {
			v = missing
		}
	}
	return v
}

func mapFilter(e *env, a called) any {
	out := &list{kind: lazyKind}
	name, byAttr := a.named["attribute"]
	for _, v := range iterateSome(a.positional[0]) {
		e.spend(1)
		if byAttr {
			v = path(v, name, a.arg(1<<30, "default", nil))
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

// attrFilter finds methods and fields of namespaces, not keys.
func attrFilter(_ *env, a called) any {
	name := a.text(1, "name", "")
	if f, ok := method(a.positional[0], name); ok {
		return f
	} else if _, ok := a.positional[0].(*Dict); ok {
		return undefined{name}
	}
	return attribute(a.positional[0], name)
}

func escapeFilter(e *env, a called) any {
	return markup(escape(e.text(a.positional[0])))
}

func toInt(_ *env, a called) any {
	whole := func(f float64) any {
		if math.Abs(f) >= 1<<63 {
			throw("the number %s is too large", floatText(f))
		}
		return int64(f)
	}
	switch v := a.positional[0].(type) {
	case undefined:
		throw("%q is undefined; it is no number", v.name)
	case string:
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

func toFloat(_ *env, a called) any {
	switch v := a.positional[0].(type) {
	case undefined:
		throw("%q is undefined; it is no number", v.name)
	case string:
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
		throw("round by %q; want common, ceil or floor", method)
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
	for _, v := range iterate(a.positional[0]) {
		total = e.arithmetic("+", total, path(v, a.arg(1, "attribute", nil), nil))
	}
	return total
}

func extreme(largest bool) function {
	return func(_ *env, a called) any {
		items := iterate(a.positional[0])
		key := func(v any) any {
			return fold(path(v, a.arg(2, "attribute", nil), nil), truth(a.arg(1, "case_sensitive", false)))
		}
		best := end(items, 0)
		for i, v := range items {
			if i > 0 && (largest && less(key(best), key(v)) || !largest && less(key(v), key(best))) {
				best = v
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
	parts := lines(s+"\n", false)
	for i := range parts {
		if i > 0 && (parts[i] != "" || truth(a.arg(3, "blank", false))) || i == 0 && truth(a.arg(2, "first", false)) {
			parts[i] = pad + parts[i]
		}
	}
	s = strings.Join(parts, "\n")
	e.take(len(s))
	return s
}

func reverseFilter(_ *env, a called) any {
	items := slices.Clone(iterate(a.positional[0]))
	slices.Reverse(items)
	if _, ok := a.positional[0].(string); ok {
		var b strings.Builder
		for _, s := range items {
			b.WriteString(s.(string))
		}
		return b.String()
	}
	return &list{items: items, kind: lazyKind}
}
