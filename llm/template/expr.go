package template

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

type expr interface{ eval(e *env) any }

type (
	literal  struct{ value any }
	captured struct{}
	nameExpr string
	listExpr []expr
	dictExpr [][2]expr
	condExpr struct{ test, then, otherwise expr }
	boolExpr struct {
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
		if _, twice := c.named[x.name]; !twice {
			c.order = append(c.order, x.name)
		}
		c.named[x.name] = plain(x.value.eval(e))
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
	f, ok := x.value.eval(e).(function)
	if !ok {
		throw("line %d: a %s cannot be called", x.line, kindOf(x.value.eval(e)))
	}
	return f(e, x.args.eval(e))
}

func (x filterExpr) eval(e *env) any {
	e.spend(1)
	a := x.args.eval(e)
	a.positional = append([]any{plain(x.value.eval(e))}, a.positional...)
	return x.f(e, a)
}

func (x testExpr) eval(e *env) any {
	e.spend(1)
	a := x.args.eval(e)
	a.positional = append([]any{plain(x.value.eval(e))}, a.positional...)
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

func (x indexExpr) eval(e *env) any {
	v, i := plain(x.value.eval(e)), plain(x.index.eval(e))
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
		items = v.items
	case string:
		return e.char(v, n)
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
	s, isText := v.(string)
	var items []any
	size := int64(0)
	if isText {
		e.scan(s)
		size = int64(utf8.RuneCountInString(s))
	} else {
		items = e.iterate(v)
		size = int64(len(items))
	}
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
	if isText && step == 1 {
		return s[offset(s, from):offset(s, max(from, to))]
	}
	if isText {
		items = e.iterate(s)
	}
	out := []any{}
	for i := from; step > 0 && i < to || step < 0 && i > to; i += step {
		e.spend(1)
		out = append(out, items[i])
	}
	if isText {
		return e.together(out)
	}
	return &list{items: out}
}

// offset is the byte at which the n-th character of a text begins.
func offset(s string, n int64) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

// char is the n-th character of a text, of those from its end on if n is negative.
func (e *env) char(s string, n int64) any {
	e.scan(s)
	if n < 0 {
		n += int64(utf8.RuneCountInString(s))
	}
	if n >= 0 {
		if at := offset(s, n); at < len(s) {
			r, _ := utf8.DecodeRuneInString(s[at:])
			return string(r)
		}
	}
	return undefined{"an element"}
}

// together is the text of characters.
func (e *env) together(chars []any) string {
	e.take(len(chars))
	var b strings.Builder
	for _, c := range chars {
		b.WriteString(c.(string))
	}
	return b.String()
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
		return e.equal(a, b, 0)
	case "!=":
		return !e.equal(a, b, 0)
	case "<":
		return e.less(a, b)
	case ">":
		return e.less(b, a)
	case "<=":
		return !e.less(b, a)
	case ">=":
		return !e.less(a, b)
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
		e.scan(all)
		return strings.Contains(all, s)
	case *Dict:
		switch v.(type) {
		case string, int64:
			_, there := all.values[keyText(v)]
			return there
		}
		return false
	}
	return slices.ContainsFunc(e.iterate(all), func(x any) bool { return e.equal(x, v, 0) })
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
		if t, ok := b.(*list); ok && operator == "+" {
			e.spend(len(s.items) + len(t.items))
			return &list{items: slices.Concat(s.items, t.items)}
		}
	}
	throw("%s of a %s and a %s", operator, kindOf(a), kindOf(b))
	return nil
}

func numbers(operator string, x, y float64, xi, yi int64, whole bool) any {
	switch operator {
	case "+":
		if whole {
			return xi + yi
		}
		return x + y
	case "-":
		if whole {
			return xi - yi
		}
		return x - y
	case "*":
		if whole {
			return xi * yi
		}
		return x * y
	case "**":
		p := math.Pow(x, y)
		if whole && yi >= 0 && math.Abs(p) < 1<<53 {
			return int64(p)
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
