package template

import (
	"math"
	"strconv"
	"strings"
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

func (e *env) listRepr(v *list, depth int) string {
	if v.kind == rangeKind {
		s := "range(" + strconv.FormatInt(v.start, 10) + ", " + strconv.FormatInt(v.stop, 10)
		if v.step != 1 {
			s += ", " + strconv.FormatInt(v.step, 10)
		}
		return s + ")"
	}
	parts := make([]string, len(v.items))
	for i, x := range v.items {
		parts[i] = e.repr(x, depth+1)
	}
	s := strings.Join(parts, ", ")
	switch v.kind {
	case tupleKind:
		if len(parts) == 1 {
			s += ","
		}
		return "(" + s + ")"
	case keysKind, valuesKind, itemsKind:
		return kindNames[v.kind] + "([" + s + "])"
	}
	return "[" + s + "]"
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
	e.spend(len(l.items) * int(n))
	out := &list{kind: l.kind}
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
	items := iterate(a.positional[0])
	e.spend(len(items))
	for len(items) > 0 {
		k := min(int64(len(items)), n)
		one := append([]any(nil), items[:k]...)
		if fill := a.arg(2, "fill_with", nil); fill != nil {
			if n > 1<<16 {
				throw("batches of %d", n)
			}
			e.spend(int(n))
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
	items := iterate(a.positional[0])
	e.spend(len(items) + int(n))
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
	items := append([]any(nil), iterate(a.positional[0])...)
	name, missing := a.arg(1, "attribute", ""), a.arg(2, "default", nil)
	exact := truth(a.arg(3, "case_sensitive", false))
	key := func(v any) any { return fold(path(v, name, missing), exact) }
	sorted(e, items, key, false)
	out := &list{}
	for i := 0; i < len(items); {
		k := i + 1
		for k < len(items) && equal(key(items[i]), key(items[k])) {
			k++
		}
		group := path(items[i], name, missing)
		out.items = append(out.items, tuple(group, &list{items: items[i:k:k]}))
		i = k
	}
	return out
}
