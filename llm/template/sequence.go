package template

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// listKind is what Python calls a sequence. They print, compare and combine in ways of their own.
type listKind uint8

const (
	plainKind listKind = iota
	tupleKind
	rangeKind
	keysKind
	valuesKind
	itemsKind
	lazyKind // what some filters give out one by one: it has no length and no order
)

// once reports whether a sequence has no elements that can be asked for by their number.
func (k listKind) once() bool { return k >= keysKind }

var kindNames = [...]string{"list", "tuple", "range", "dict_keys", "dict_values", "dict_items", "generator"}

func tuple(items ...any) *list { return &list{items: items, kind: tupleKind} }

func (e *env) listRepr(p *pieces, v *list, depth int) {
	if v.kind == rangeKind {
		s := "range(" + strconv.FormatInt(v.start, 10) + ", " + strconv.FormatInt(v.stop, 10)
		if v.step != 1 {
			s += ", " + strconv.FormatInt(v.step, 10)
		}
		e.put(p, s+")")
		return
	}
	open, shut := "[", "]"
	switch v.kind {
	case tupleKind:
		open, shut = "(", ")"
		if len(v.items) == 1 {
			shut = ",)"
		}
	case keysKind, valuesKind, itemsKind:
		open, shut = kindNames[v.kind]+"([", "])"
	}
	e.put(p, open)
	for i, x := range v.items {
		if i > 0 {
			e.put(p, ", ")
		}
		e.repr(p, x, depth+1)
	}
	e.put(p, shut)
}

// repeated is n times a list.
func (e *env) repeated(l *list, n int64) any {
	if l.kind > tupleKind {
		throw("* of a %s", kindNames[l.kind])
	}
	n = max(n, 0)
	if len(l.items) > 0 && n > math.MaxInt32/int64(len(l.items)) {
		throw("a list repeated %d times", n)
	}
	e.elements(len(l.items)*int(n) + 1)
	if len(l.items) == 0 {
		n = 0
	}
	out := &list{kind: l.kind, items: make([]any, 0, len(l.items)*int(n))}
	for range n {
		out.items = append(out.items, l.items...)
	}
	return out
}

func batchFilter(e *env, a called) any {
	n := a.whole(1, "linecount", 0)
	if n < 1 {
		throw("batches of %d", n)
	}
	out := &list{kind: lazyKind}
	items := e.iterate(a.positional[0])
	for len(items) > 0 {
		k := min(int64(len(items)), n)
		e.elements(int(k))
		e.take(pairSize + elementSize)
		one := append([]any(nil), items[:k]...)
		if fill := a.arg(2, "fill_with", nil); fill != nil && k < n {
			e.elements(int(n - k))
			e.take(times(int(n), elementSize))
			one = slices.Grow(one, int(n-k))
			for int64(len(one)) < n {
				one = append(one, fill)
			}
		}
		out.items, items = append(out.items, &list{items: one}), items[k:]
	}
	return out
}

func sliceFilter(e *env, a called) any {
	n := a.whole(1, "slices", 0)
	if n < 1 || n > 1<<16 {
		throw("%d slices", n)
	}
	items := e.iterate(a.positional[0])
	e.elements(len(items) + int(n))
	e.take(pairSize * int(n))
	each, extra := int64(len(items))/n, int64(len(items))%n
	out := &list{kind: lazyKind}
	fill := a.arg(2, "fill_with", nil)
	for i := range n {
		k := each
		if i < extra {
			k++
		}
		one := append([]any(nil), items[:k]...)
		if fill != nil && i >= extra {
			one = append(one, fill)
		}
		out.items, items = append(out.items, &list{items: one}), items[k:]
	}
	return out
}

// groupFilter gives pairs of a value of an attribute and the elements that have it. They can be asked for as grouper and list too.
func groupFilter(e *env, a called) any {
	items := e.copied(a.positional[0])
	name, missing := a.arg(1, "attribute", ""), a.arg(2, "default", nil)
	exact := truth(a.arg(3, "case_sensitive", false))
	keys := e.sorted(items, func(v any) any { return e.fold(e.path(v, name, missing), exact) }, false)
	out := &list{}
	for i := 0; i < len(items); {
		k := i + 1
		for k < len(items) && e.equal(keys[i], keys[k], 0) {
			k++
		}
		e.elements(3)
		e.take(2 * pairSize)
		group := e.path(items[i], name, missing)
		out.items = append(out.items, tuple(group, &list{items: items[i:k:k]}))
		i = k
	}
	return out
}

func reverseFilter(e *env, a called) any {
	if s, ok := a.positional[0].(string); ok {
		e.walk(s, 2)
		if isASCII(s) {
			b := []byte(s)
			slices.Reverse(b)
			return string(b)
		}
		var b strings.Builder
		b.Grow(len(s))
		for s != "" {
			r, n := utf8.DecodeLastRuneInString(s)
			b.WriteRune(r)
			s = s[:len(s)-n]
		}
		return b.String()
	}
	items := e.copied(a.positional[0])
	slices.Reverse(items)
	return &list{items: items, kind: lazyKind}
}
