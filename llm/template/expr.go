package template

import (
	"math"
	"slices"
	"strings"
)

type expr interface{ eval(e *env) any }

type (
	literal   struct{ value any }
	captured  struct{}
	nameExpr  string
	listExpr  []expr
	tupleExpr []expr
	negExpr   struct{ value expr }
	dictExpr  [][2]expr
	condExpr  struct{ test, then, otherwise expr }
	boolExpr  struct {
		left, right expr
		or          bool
	}
	notExpr    struct{ value expr }
	binaryExpr struct {
		operator    string
		left, right expr
	}
	attrExpr struct {
		value expr
		name  string
	}
	indexExpr struct{ value, index expr }
	sliceExpr struct {
		value expr
		parts [3]expr
	}
	namedArg struct {
		name  string
		value expr
	}
	arguments struct {
		positional []expr
		named      []namedArg
		caller     *macroStmt // the body of a call block
	}
	callExpr struct {
		value expr
		args  arguments
		line  int
	}
	filterExpr struct {
		name  string
		f     function
		value expr
		args  arguments
	}
	testExpr struct {
		name  string
		f     function
		value expr
		args  arguments
	}
)

func (x literal) eval(*env) any    { return x.value }
func (captured) eval(e *env) any   { return e.body }
func (x nameExpr) eval(e *env) any { return e.lookup(string(x)) }
func (x notExpr) eval(e *env) any  { return !truth(x.value.eval(e)) }

func (x listExpr) eval(e *env) any {
	l := &list{}
	for _, one := range x {
		e.spend(1)
		l.items = append(l.items, one.eval(e))
	}
	return l
}

func (x tupleExpr) eval(e *env) any {
	l := listExpr(x).eval(e).(*list)
	l.kind = tupleKind
	return l
}

func (x negExpr) eval(e *env) any {
	f, n, isInt, ok := number(x.value.eval(e))
	switch {
	case !ok:
		throw("- of a %s", kindOf(x.value.eval(e)))
	case isInt:
		return e.arithmetic("-", int64(0), n)
	}
	return -f
}

func (x dictExpr) eval(e *env) any {
	d := &Dict{}
	for _, pair := range x {
		e.spend(1)
		d.Set(keyText(pair[0].eval(e)), pair[1].eval(e))
	}
	return d
}

func (x condExpr) eval(e *env) any {
	if truth(x.test.eval(e)) {
		return x.then.eval(e)
	}
	return x.otherwise.eval(e)
}

func (x boolExpr) eval(e *env) any {
	left := x.left.eval(e)
	if truth(left) == x.or {
		return left
	}
	return x.right.eval(e)
}

func (a arguments) eval(e *env) called {
	c := called{named: map[string]any{}}
	for _, x := range a.positional {
		c.positional = append(c.positional, plain(x.eval(e)))
	}
	for _, x := range a.named {
		c.named[x.name] = plain(x.value.eval(e))
	}
	if a.caller != nil {
		c.named["caller"] = a.caller.function(e.scope)
	}
	return c
}

func (x callExpr) eval(e *env) any {
	e.spend(1)
	if a, ok := x.value.(attrExpr); ok { // a method, or a field that can be called
		v := plain(a.value.eval(e))
		if f, ok := method(v, a.name); ok {
			return f(e, x.args.eval(e))
		}
	}
	v := x.value.eval(e)
	f, ok := v.(function)
	if d, is := v.(*Dict); is && d.call != nil {
		f, ok = d.call, true
	}
	if !ok {
		throw("line %d: a %s cannot be called", x.line, kindOf(v))
	}
	return f(e, x.args.eval(e))
}

func (x filterExpr) eval(e *env) any {
	e.spend(1)
	a := x.args.eval(e)
	v := x.value.eval(e)
	if m, ok := v.(markup); ok && (x.name == "escape" || x.name == "e") { // it was escaped before
		return m
	}
	a.positional = append([]any{plain(v)}, a.positional...)
	return x.f(e, a)
}

func (x testExpr) eval(e *env) any {
	e.spend(1)
	a := x.args.eval(e)
	v := x.value.eval(e)
	if x.name != "escaped" {
		v = plain(v)
	}
	a.positional = append([]any{v}, a.positional...)
	return x.f(e, a)
}

// eval finds methods before keys, as Python does; a subscript finds keys alone.
func (x attrExpr) eval(e *env) any {
	v := x.value.eval(e)
	if f, ok := method(v, x.name); ok {
		return f
	}
	return attribute(v, x.name)
}

// attribute returns the field of that name.
func attribute(v any, name string) any {
	switch v := v.(type) {
	case *Dict:
		if got, ok := v.values[name]; ok {
			return got
		}
	case *namespace:
		if got, ok := v.fields[name]; ok {
			return got
		}
	case undefined:
		throw("%q is undefined; it has no %q", v.name, name)
	}
	return undefined{name}
}

func (x indexExpr) eval(e *env) any { return element(plain(x.value.eval(e)), plain(x.index.eval(e))) }

// element is what an index or a key finds.
func element(v, i any) any {
	if name, ok := i.(string); ok {
		return attribute(v, name)
	}
	_, n, isInt, _ := number(i)
	if u, ok := v.(undefined); ok {
		throw("%q is undefined; it has no elements", u.name)
	}
	if !isInt {
		return undefined{kindOf(i)}
	}
	var items []any
	switch v := v.(type) {
	case *list:
		if !v.kind.once() {
			items = v.items
		}
	case string:
		items = iterate(v)
	case *Dict:
		return attribute(v, keyText(n))
	}
	if n < 0 {
		n += int64(len(items))
	}
	if n < 0 || n >= int64(len(items)) {
		return undefined{"an element"}
	}
	return items[n]
}

func (x sliceExpr) eval(e *env) any {
	v := plain(x.value.eval(e))
	part := func(i int) (int64, bool) {
		if x.parts[i] == nil {
			return 0, false
		}
		p := x.parts[i].eval(e)
		if p == nil {
			return 0, false
		}
		_, n, isInt, _ := number(p)
		if !isInt {
			throw("a slice by a %s", kindOf(p))
		}
		return n, true
	}
	kind := plainKind
	switch l := v.(type) {
	case *list:
		if kind = l.kind; kind.once() {
			return undefined{"a part of " + kindNames[kind]}
		}
	case string, undefined:
	default:
		return undefined{"a part of a " + kindOf(v)}
	}
	if u, ok := v.(undefined); ok {
		throw("%q is undefined; it has no parts", u.name)
	}
	items := iterate(v)
	size := int64(len(items))
	step, given := part(2)
	if !given {
		step = 1
	}
	if step == 0 {
		throw("a slice with a step of 0")
	}
	low, high := int64(0), size
	if step < 0 {
		low, high = -1, size-1
	}
	bound := func(i int, def int64) int64 {
		n, given := part(i)
		if !given {
			return def
		}
		if n < 0 {
			n += size
		}
		return min(max(n, low), high)
	}
	from, to := bound(0, map[bool]int64{true: low, false: high}[step > 0]), bound(1, map[bool]int64{true: high, false: low}[step > 0])
	out := []any{}
	for i := from; step > 0 && i < to || step < 0 && i > to; i += step {
		e.spend(1)
		out = append(out, items[i])
	}
	if _, ok := v.(string); ok {
		var b strings.Builder
		for _, s := range out {
			b.WriteString(s.(string))
		}
		return b.String()
	}
	if kind == rangeKind {
		kind = plainKind
	}
	return &list{items: out, kind: kind}
}

func (x binaryExpr) eval(e *env) any {
	e.spend(1)
	a, b := x.left.eval(e), x.right.eval(e)
	if x.operator == "+" && marked(a, b) { // ~ joins plain texts
		return e.joined(a, b)
	}
	a, b = plain(a), plain(b)
	switch x.operator {
	case "==":
		return equal(a, b)
	case "!=":
		return !equal(a, b)
	case "<":
		return less(a, b)
	case ">":
		return less(b, a)
	case "<=":
		return !less(b, a)
	case ">=":
		return !less(a, b)
	case "in":
		return e.contains(b, a)
	case "not in":
		return !e.contains(b, a)
	case "~":
		s := e.text(a) + e.text(b)
		e.take(len(s))
		return s
	}
	return e.arithmetic(x.operator, a, b)
}

func (e *env) contains(all, v any) bool {
	switch all := all.(type) {
	case string:
		s, ok := v.(string)
		if !ok {
			throw("a %s cannot be in a string", kindOf(v))
		}
		return strings.Contains(all, s)
	case *Dict:
		switch v.(type) {
		case string, int64:
			_, there := all.values[keyText(v)]
			return there
		}
		return false
	}
	items := iterate(all)
	e.spend(len(items))
	return slices.ContainsFunc(items, func(x any) bool { return equal(x, v) })
}

func (e *env) arithmetic(operator string, a, b any) any {
	x, xi, isInt, ok1 := number(a)
	y, yi, bothInt, ok2 := number(b)
	if ok1 && ok2 {
		return numbers(operator, x, y, xi, yi, isInt && bothInt)
	}
	switch s := a.(type) {
	case string:
		if t, ok := b.(string); ok && operator == "+" {
			e.take(len(s) + len(t))
			return s + t
		}
		if operator == "*" && bothInt {
			n := max(yi, 0)
			if n > 0 && int64(len(s)) > math.MaxInt32/n {
				throw("a text repeated %d times", n)
			}
			e.take(len(s) * int(n))
			return strings.Repeat(s, int(n))
		}
	case *list:
		if t, ok := b.(*list); ok && operator == "+" && s.kind == t.kind && s.kind <= tupleKind {
			e.spend(len(s.items) + len(t.items))
			return &list{items: slices.Concat(s.items, t.items), kind: s.kind}
		}
		if operator == "*" && bothInt {
			return e.repeated(s, yi)
		}
	}
	if operator == "*" && isInt {
		switch b.(type) {
		case string, *list:
			return e.arithmetic("*", b, xi)
		}
	}
	if s, ok := a.(string); ok && operator == "%" {
		if l, ok := b.(*list); ok && l.kind == tupleKind {
			return e.printf(s, l.items, true)
		}
		switch b.(type) {
		case *list, *Dict, undefined:
			return e.printf(s, []any{b}, false)
		}
		return e.printf(s, []any{b}, true)
	}
	throw("%s of a %s and a %s", operator, kindOf(a), kindOf(b))
	return nil
}

func numbers(operator string, x, y float64, xi, yi int64, whole bool) any {
	switch operator {
	case "+", "-", "*":
		if !whole {
			return map[string]float64{"+": x + y, "-": x - y, "*": x * y}[operator]
		}
		n := map[string]int64{"+": xi + yi, "-": xi - yi, "*": xi * yi}[operator]
		if f := map[string]float64{"+": x + y, "-": x - y, "*": x * y}[operator]; math.Abs(f-float64(n)) > 1<<62 {
			throw("a whole number of more than 64 bits")
		}
		return n
	case "**":
		if !whole || yi < 0 {
			if x == 0 && y < 0 {
				throw("a division by zero")
			}
			return math.Pow(x, y)
		}
		if p := math.Pow(x, y); math.Abs(p) > 1<<62 {
			throw("a whole number of more than 64 bits")
		}
		p := int64(1)
		for ; yi > 0; yi >>= 1 {
			if yi&1 != 0 {
				p *= xi
			}
			xi *= xi
		}
		return p
	}
	if y == 0 {
		throw("a division by zero")
	}
	switch {
	case operator == "/":
		return x / y
	case whole && operator == "//":
		q := xi / yi
		if xi%yi != 0 && (xi < 0) != (yi < 0) {
			q--
		}
		return q
	case whole:
		m := xi % yi
		if m != 0 && (m < 0) != (yi < 0) {
			m += yi
		}
		return m
	case operator == "//":
		return math.Floor(x / y)
	}
	return x - y*math.Floor(x/y)
}
