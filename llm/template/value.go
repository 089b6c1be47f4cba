package template

import (
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lucid-go/lucid/internal/codec/strictjson"
	"github.com/lucid-go/lucid/internal/fault"
)

// Values in a template are nil, bool, int64, float64, string, *list, *Dict, undefined, *namespace, and things to call. Those
// given by a program are converted: any Go integer, []any, []string, map[string]any (its keys in order of the alphabet), and
// slices of maps.

// Dict is a mapping that keeps the order of its keys. The zero value is empty and ready.
type Dict struct {
	keys   []string
	values map[string]any
	call   function // of the variable of a recursive loop
}

// Set adds a key or replaces its value.
func (d *Dict) Set(key string, v any) {
	if d.values == nil {
		d.values = map[string]any{}
	}
	if _, there := d.values[key]; !there {
		d.keys = append(d.keys, key)
	}
	d.values[key] = v
}

// Get returns the value of a key.
func (d *Dict) Get(key string) (any, bool) { v, ok := d.values[key]; return v, ok }

// Keys lists the keys in order. The caller must not change it.
func (d *Dict) Keys() []string { return d.keys }

// list is a sequence of a kind.
type list struct {
	items []any
	kind  listKind
	step  int64 // of a range; its first number is start, its bound stop
	start int64
	stop  int64
}

// keyText is how a mapping stores a key: texts as they are, whole numbers behind a mark that no text begins with.
func keyText(key any) string {
	switch key := key.(type) {
	case string:
		return key
	case int64:
		return numberKey + strconv.FormatInt(key, 10)
	}
	throw("a %s as a key; keys are texts and whole numbers", kindOf(key))
	return ""
}

const numberKey = "\x00\x00int:"

// keyValue is the key of a mapping that keyText stored.
func keyValue(stored string) any {
	if digits, ok := strings.CutPrefix(stored, numberKey); ok {
		if n, err := strconv.ParseInt(digits, 10, 64); err == nil {
			return n
		}
	}
	return stored
}

// markup is a text that the filter safe marked: other texts are escaped as HTML when they are joined to it.
type markup string

// undefined is a name or attribute that is not there.
type undefined struct{ name string }

// namespace is a value whose fields can be set from inside a loop.
type namespace struct{ fields map[string]any }

// function is something to call.
type function func(e *env, a called) any

// called is a list of arguments.
type called struct {
	positional []any
	named      map[string]any
	order      []string // of the names
}

func throw(format string, args ...any) { fault.Throw(fault.Value, op, format, args...) }

// FromJSON reads a JSON text as a value whose objects keep their order.
func FromJSON(data []byte) (v any, err error) {
	err = fault.Catch(func() {
		p, e := strictjson.New(op, data, 64, 1<<20)
		must(e)
		v = readJSON(p)
		must(p.End())
	})
	return v, err
}

func must(err error) {
	if e, ok := err.(*fault.Error); ok {
		panic(e)
	} else if err != nil {
		panic(fault.Wrap(fault.Format, op, err, ""))
	}
}

func readJSON(p *strictjson.Parser) any {
	switch p.Peek() {
	case '{':
		d := &Dict{}
		must(p.Object(func(key string) error { d.Set(key, readJSON(p)); return nil }))
		return d
	case '[':
		l := &list{}
		must(p.Array(func(int) error { l.items = append(l.items, readJSON(p)); return nil }))
		return l
	case '"':
		s, err := p.String()
		must(err)
		return s
	case 't', 'f', 'n':
		raw, err := p.Raw()
		must(err)
		return map[string]any{"true": true, "false": false}[raw]
	}
	s, err := p.Number()
	must(err)
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		throw("the number %s is too large", s)
	}
	return f
}

// fromGo converts a value of a program.
func fromGo(v any, depth int) any {
	if depth > maxDepth {
		throw("a value nested more than %d deep", maxDepth)
	}
	switch v := v.(type) {
	case nil, bool, int64, float64, string, *list:
		return v
	case int:
		return int64(v)
	case int32:
		return int64(v)
	case float32:
		return float64(v)
	case *Dict:
		d := &Dict{}
		for _, k := range v.keys {
			d.Set(k, fromGo(v.values[k], depth+1))
		}
		return d
	case Dict:
		return fromGo(&v, depth)
	case map[string]any:
		return sortedDict(v, depth)
	case map[string]string:
		m := map[string]any{}
		for k, s := range v {
			m[k] = s
		}
		return sortedDict(m, depth)
	case []any:
		return fromSlice(v, depth)
	case []string:
		return fromSlice(v, depth)
	case []map[string]any:
		return fromSlice(v, depth)
	case []map[string]string:
		return fromSlice(v, depth)
	case []*Dict:
		return fromSlice(v, depth)
	}
	throw("a value of type %T; give strings, numbers, bools, slices, maps with text keys, *Dict", v)
	return nil
}

func sortedDict(m map[string]any, depth int) *Dict {
	d := &Dict{}
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		d.Set(k, fromGo(m[k], depth+1))
	}
	return d
}

func fromSlice[T any](s []T, depth int) *list {
	l := &list{items: make([]any, len(s))}
	for i, v := range s {
		l.items[i] = fromGo(v, depth+1)
	}
	return l
}

func truth(v any) bool {
	switch v := v.(type) {
	case nil, undefined:
		return false
	case bool:
		return v
	case int64:
		return v != 0
	case float64:
		return v != 0
	case string:
		return v != ""
	case *list:
		return len(v.items) > 0
	case *Dict:
		return len(v.keys) > 0
	case markup:
		return v != ""
	}
	return true
}

// text is the value as Python's str writes it.
func (e *env) text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case markup:
		return string(v)
	case int64:
		e.take(20)
		return strconv.FormatInt(v, 10)
	}
	return e.written(v)
}

// written is the value as Python's repr writes it.
func (e *env) written(v any) string {
	var p pieces
	e.repr(&p, v, 0)
	return e.joinPieces(&p)
}

func (e *env) repr(p *pieces, v any, depth int) {
	e.spend(1)
	if depth > maxDepth {
		throw("a value nested more than %d deep", maxDepth)
	}
	switch v := v.(type) {
	case nil:
		e.put(p, "None")
	case bool:
		if v {
			e.put(p, "True")
		} else {
			e.put(p, "False")
		}
	case int64:
		e.put(p, strconv.FormatInt(v, 10))
	case float64:
		e.put(p, floatText(v))
	case undefined:
		if depth > 0 {
			e.put(p, "Undefined")
		}
	case markup:
		e.put(p, "Markup(")
		e.quote(p, string(v))
		e.put(p, ")")
	case string:
		e.quote(p, v)
	case *list:
		e.listRepr(p, v, depth)
	case *Dict:
		e.put(p, "{")
		for i, k := range v.keys {
			if i > 0 {
				e.put(p, ", ")
			}
			e.repr(p, keyValue(k), depth+1)
			e.put(p, ": ")
			e.repr(p, v.values[k], depth+1)
		}
		e.put(p, "}")
	default:
		throw("a %s cannot be written as text", kindOf(v))
	}
}

// quote writes a string as Python does.
func (e *env) quote(p *pieces, s string) {
	e.spend(len(s) >> 5)
	q := "'"
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		q = `"`
	}
	e.put(p, q)
	from := 0
	for i, r := range s {
		if r >= ' ' && r <= '~' && r != '\\' && r != rune(q[0]) {
			continue
		}
		e.spend(1)
		e.take(16)
		esc := ""
		switch {
		case r == rune(q[0]) || r == '\\':
			esc = `\` + string(r)
		case r == '\n':
			esc = `\n`
		case r == '\r':
			esc = `\r`
		case r == '\t':
			esc = `\t`
		case r != utf8.RuneError && unicode.IsPrint(r):
			continue
		case r == utf8.RuneError: // bytes that are no character too
			esc = string(r)
		case r > 0xffff:
			esc = escapeHex(`\U`, r, 8)
		case r > 0xff:
			esc = escapeHex(`\u`, r, 4)
		default:
			esc = escapeHex(`\x`, r, 2)
		}
		if from < i {
			e.put(p, s[from:i])
		}
		e.put(p, esc)
		_, n := utf8.DecodeRuneInString(s[i:])
		from = i + n
	}
	e.put(p, s[from:])
	e.put(p, q)
}

func escapeHex(prefix string, r rune, digits int) string {
	s := strconv.FormatInt(int64(r), 16)
	return prefix + "00000000"[:max(digits-len(s), 0)] + s
}

func floatText(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	case math.IsNaN(f):
		return "nan"
	}
	if a := math.Abs(f); a != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "None"
	case bool:
		return "bool"
	case int64:
		return "int"
	case float64:
		return "float"
	case string, markup:
		return "string"
	case *list:
		return "list"
	case *Dict:
		return "mapping"
	case undefined:
		return "undefined value"
	case *namespace:
		return "namespace"
	}
	return "function"
}

// number returns a number as a float; a bool counts as one.
func number(v any) (f float64, whole int64, isInt, ok bool) {
	switch v := v.(type) {
	case bool:
		if v {
			return 1, 1, true, true
		}
		return 0, 0, true, true
	case int64:
		return float64(v), v, true, true
	case float64:
		return v, 0, false, true
	}
	return 0, 0, false, false
}

// equal compares values; those that are no data, such as functions, are equal to nothing.
func (e *env) equal(a, b any, depth int) bool {
	e.spend(1)
	if depth > maxDepth {
		throw("a value nested more than %d deep", maxDepth)
	}
	a, b = plain(a), plain(b)
	if x, xi, isInt, ok := number(a); ok {
		y, yi, bothInt, ok := number(b)
		if isInt && bothInt {
			return ok && xi == yi
		}
		return ok && x == y
	}
	switch a := a.(type) {
	case nil:
		return b == nil
	case string:
		s, ok := b.(string)
		if ok && len(a) == len(s) {
			e.spend(len(s) >> 10)
		}
		return ok && a == s
	case undefined:
		_, ok := b.(undefined)
		return ok
	case *namespace:
		n, ok := b.(*namespace)
		return ok && a == n
	case *list:
		l, ok := b.(*list)
		return ok && (a == l || a.kind == l.kind && !a.kind.once() &&
			slices.EqualFunc(a.items, l.items, func(x, y any) bool { return e.equal(x, y, depth+1) }))
	case *Dict:
		d, ok := b.(*Dict)
		if !ok || len(a.keys) != len(d.keys) {
			return false
		}
		for _, k := range a.keys {
			e.spend(len(k) >> 8)
			if v, there := d.values[k]; !there || !e.equal(a.values[k], v, depth+1) {
				return false
			}
		}
		return true
	}
	return false
}

// less orders numbers, strings, and lists by their first elements that differ.
func (e *env) less(a, b any) bool {
	e.spend(1)
	if l, ok := a.(*list); ok {
		if m, ok := b.(*list); ok && l.kind == m.kind && l.kind <= tupleKind {
			for i, x := range l.items {
				if i == len(m.items) {
					return false
				} else if !e.equal(x, m.items[i], 0) {
					return e.less(x, m.items[i])
				}
			}
			return len(l.items) < len(m.items)
		}
	}
	if x, _, _, ok := number(a); ok {
		if y, _, _, ok := number(b); ok {
			return x < y
		}
	}
	s, ok1 := a.(string)
	t, ok2 := b.(string)
	if !ok1 || !ok2 {
		throw("a %s and a %s have no order", kindOf(a), kindOf(b))
	}
	e.spend(min(len(s), len(t)) >> 10)
	return s < t
}

// iterate lists the elements of a value: of a mapping its keys, of a string its characters.
func (e *env) iterate(v any) []any {
	switch v := v.(type) {
	case *list:
		return v.items
	case *Dict:
		e.elements(len(v.keys))
		out := make([]any, len(v.keys))
		for i, k := range v.keys {
			out[i] = keyValue(k)
		}
		return out
	case string:
		e.scan(v)
		n := utf8.RuneCountInString(v)
		e.elements(n)
		out := make([]any, 0, n)
		for v != "" {
			_, n := utf8.DecodeRuneInString(v)
			out, v = append(out, v[:n]), v[n:]
		}
		return out
	case markup:
		return e.iterate(string(v))
	case undefined:
		return nil
	}
	throw("a %s cannot be iterated over", kindOf(v))
	return nil
}

// plain takes the mark off a text.
func plain(v any) any {
	if m, ok := v.(markup); ok {
		return string(m)
	}
	return v
}

// joined is two texts of which at least one is marked.
func (e *env) joined(a, b any) any {
	part := func(v any) string {
		if m, ok := v.(markup); ok {
			return string(m)
		}
		return e.escape(e.text(v))
	}
	s, t := part(a), part(b)
	e.take(len(s) + len(t))
	return markup(s + t)
}

func marked(a, b any) bool {
	_, ok1 := a.(markup)
	_, ok2 := b.(markup)
	return ok1 || ok2
}
