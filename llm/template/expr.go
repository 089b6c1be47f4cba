package template

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"
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

func (x notExpr) eval(e *env) any {
	e.spend(1)
	return !truth(x.value.eval(e))
}

func (x listExpr) eval(e *env) any {
	e.elements(len(x) + 1)
	l := &list{items: make([]any, 0, len(x))}
	for _, one := range x {
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
	e.down()
	defer e.up()
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
	e.take(pairSize)
	for _, pair := range x {
		e.spend(1)
		e.take(pairSize)
		key := keyText(plain(pair[0].eval(e)))
		e.scan(key)
		d.Set(key, pair[1].eval(e))
	}
	return d
}

func (x condExpr) eval(e *env) any {
	e.down()
	defer e.up()
	if truth(x.test.eval(e)) {
		return x.then.eval(e)
	}
	return x.otherwise.eval(e)
}

func (x boolExpr) eval(e *env) any {
	e.down()
	defer e.up()
	left := x.left.eval(e)
	if truth(left) == x.or {
		return left
	}
	return x.right.eval(e)
}

func (a arguments) eval(e *env) called {
	e.spend(len(a.positional) + len(a.named))
	e.take(elementSize * (len(a.positional) + 4*len(a.named)))
	c := called{positional: make([]any, 0, len(a.positional)+1), named: map[string]any{}}
	for _, x := range a.positional {
		c.positional = append(c.positional, plain(x.eval(e)))
	}
	for _, x := range a.named {
		if _, twice := c.named[x.name]; !twice {
			c.order = append(c.order, x.name)
		}
		c.named[x.name] = plain(x.value.eval(e))
	}
	if a.caller != nil {
		if _, twice := c.named["caller"]; !twice {
			c.order = append(c.order, "caller")
		}
		c.named["caller"] = a.caller.function(e, e.scope)
	}
	return c
}

func (x callExpr) eval(e *env) any {
	e.down()
	defer e.up()
	if a, ok := x.value.(attrExpr); ok { // a method, or a field that can be called
		if v, ok := a.loopField(e); ok {
			if f, ok := v.(function); ok {
				return f(e, x.args.eval(e))
			}
		}
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
	e.down()
	defer e.up()
	a := x.args.eval(e)
	v := x.value.eval(e)
	if m, ok := v.(markup); ok && (x.name == "escape" || x.name == "e") { // it was escaped before
		return m
	}
	e.take(elementSize * len(a.positional))
	a.positional = append([]any{plain(v)}, a.positional...)
	return x.f(e, a)
}

func (x testExpr) eval(e *env) any {
	e.down()
	defer e.up()
	a := x.args.eval(e)
	v := x.value.eval(e)
	if x.name != "escaped" {
		v = plain(v)
	}
	e.take(elementSize * len(a.positional))
	a.positional = append([]any{v}, a.positional...)
	return x.f(e, a)
}

// eval finds methods before keys, as Python does; a subscript finds keys alone.
func (x attrExpr) eval(e *env) any {
	e.down()
	defer e.up()
	if v, ok := x.loopField(e); ok {
		return v
	}
	v := x.value.eval(e)
	if f, ok := method(v, x.name); ok {
		return f
	}
	return e.attribute(v, x.name)
}

// loopField is a field of the variable loop, which is at hand without its mapping.
func (x attrExpr) loopField(e *env) (any, bool) {
	if name, ok := x.value.(nameExpr); ok && name == "loop" {
		if l, ok := e.find("loop").(*loopRound); ok {
			return l.field(x.name)
		}
	}
	return nil, false
}

// attribute returns the field of that name.
func (e *env) attribute(v any, name string) any {
	e.spend(len(name) >> 8)
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
		throw("%.40q is undefined; it has no %.40q", v.name, name)
	}
	return undefined{name}
}

func (x indexExpr) eval(e *env) any {
	e.down()
	defer e.up()
	return e.element(plain(x.value.eval(e)), plain(x.index.eval(e)))
}

// element is what an index or a key finds.
func (e *env) element(v, i any) any {
	if name, ok := i.(string); ok {
		return e.attribute(v, name)
	}
	_, n, isInt, _ := number(i)
	if u, ok := v.(undefined); ok {
		throw("%.40q is undefined; it has no elements", u.name)
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
		return e.char(v, n)
	case *Dict:
		return e.attribute(v, keyText(n))
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
	e.down()
	defer e.up()
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
		throw("%.40q is undefined; it has no parts", u.name)
	}
	step, given := part(2)
	if !given {
		step = 1
	}
	if step == 0 {
		throw("a slice with a step of 0")
	}
	text, isText := v.(string)
	if isText && step == 1 {
		from, to := 0, len(text)
		if n, given := part(0); given {
			from = e.position(text, n)
		}
		if n, given := part(1); given {
			to = e.position(text, n)
		}
		return text[min(from, to):to]
	}
	var runes []rune
	var items []any
	if isText {
		runes = e.runes(text)
	} else {
		items = e.iterate(v)
	}
	size := int64(len(runes) + len(items))
	step = min(max(step, -size-1), size+1)
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
	n := 0
	if span := to - from; step > 0 && span > 0 {
		n = int((span + step - 1) / step)
	} else if step < 0 && span < 0 {
		n = int((span + step + 1) / step)
	}
	if isText {
		e.spend(n >> 3)
		e.take(utf8.UTFMax * n)
		var b strings.Builder
		for i := range n {
			b.WriteRune(runes[from+int64(i)*step])
		}
		return b.String()
	}
	if kind == rangeKind {
		kind = plainKind
	}
	e.elements(n + 1)
	out := make([]any, n)
	for i := range out {
		out[i] = items[from+int64(i)*step]
	}
	return &list{items: out, kind: kind}
}

func (x binaryExpr) eval(e *env) any {
	e.down()
	defer e.up()
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
		s, t := e.text(a), e.text(b)
		e.take(len(s) + len(t))
		return s + t
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
			key := keyText(v)
			e.spend(len(key) >> 8)
			_, there := all.values[key]
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
		if t, ok := b.(*list); ok && operator == "+" && s.kind == t.kind && s.kind <= tupleKind {
			e.elements(len(s.items) + len(t.items) + 1)
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
		f, n := x+y, xi+yi
		switch operator {
		case "-":
			f, n = x-y, xi-yi
		case "*":
			f, n = x*y, xi*yi
		}
		if !whole {
			return f
		}
		if math.Abs(f-float64(n)) > 1<<62 {
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
