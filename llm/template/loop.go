package template

import "slices"

func (s forStmt) run(e *env) jump { return s.over(e, s.list.eval(e), 0) }

// over runs the loop over a value; depth counts how often a recursive loop has called itself.
func (s forStmt) over(e *env, v any, depth int) jump {
	items := e.iterate(v)
	outer := e.scope
	if s.test != nil {
		var some []any
		for _, v := range items {
			e.inside(outer, func() {
				e.spend(1)
				e.bind(s.names, v)
				if truth(s.test.eval(e)) {
					e.take(elementSize)
					some = append(some, v)
				}
			})
		}
		items = some
	}
	if len(items) == 0 {
		return e.run(s.otherwise)
	}
	whole := false
	state := &loop{forStmt: s, items: items, depth: depth, outer: outer}
	for state.at = range items { // nothing changes a list
		e.spend(1)
		var j jump
		e.inside(outer, func() {
			e.bind(s.names, items[state.at])
			e.scope.vars["loop"] = &loopRound{state, state.at}
			j = e.run(s.body)
		})
		whole = whole || j == ""
		if j == "break" {
			break
		}
	}
	if !whole { // Jinja's loops go to else when no round came to its end
		return e.run(s.otherwise)
	}
	return ""
}

// loop is the state of a loop that its variable loop shows.
type loop struct {
	forStmt
	items     []any
	at, depth int
	outer     *scope
	last      []any // what changed saw
}

// loopRound is the variable loop in a round. It becomes a mapping where it is used as a whole.
type loopRound struct {
	*loop
	i int
}

// loopFields are the fields of the variable loop, in order.
var loopFields = []string{"index", "index0", "revindex", "revindex0", "length", "depth", "depth0", "first", "last", "previtem", "nextitem",
	"cycle", "changed"}

// mapping is the variable as a value.
func (l *loopRound) mapping(e *env) *Dict {
	e.take(4 * scopeSize)
	d := &Dict{}
	for _, name := range loopFields {
		if v, ok := l.field(name); ok {
			d.Set(name, v)
		}
	}
	if l.recursive {
		l.outer.keep()
		d.call = func(e *env, a called) any {
			return e.capture(func() {
				e.inside(l.outer, func() { l.over(e, a.arg(0, "iterable", &list{}), l.depth+1) })
			})
		}
	}
	return d
}

func (l *loopRound) field(name string) (any, bool) {
	n := 0
	switch name {
	case "index":
		n = l.i + 1
	case "index0":
		n = l.i
	case "revindex":
		n = len(l.items) - l.i
	case "revindex0":
		n = len(l.items) - l.i - 1
	case "length":
		n = len(l.items)
	case "depth":
		n = l.depth + 1
	case "depth0":
		n = l.depth
	case "first":
		return l.i == 0, true
	case "last":
		return l.i == len(l.items)-1, true
	case "previtem":
		if l.i > 0 {
			return l.items[l.i-1], true
		}
		return nil, false
	case "nextitem":
		if l.i+1 < len(l.items) {
			return l.items[l.i+1], true
		}
		return nil, false
	case "cycle":
		return function(func(_ *env, a called) any {
			if len(a.positional) == 0 {
				throw("loop.cycle without values")
			}
			return a.positional[l.i%len(a.positional)]
		}), true
	case "changed":
		return function(func(e *env, a called) any {
			same := func(x, y any) bool { return e.equal(x, y, 0) }
			changed := l.last == nil || !slices.EqualFunc(l.last, a.positional, same)
			l.last = append([]any{}, a.positional...)
			return changed
		}), true
	default:
		return nil, false
	}
	return int64(n), true
}

func (s withStmt) run(e *env) (out jump) {
	e.spend(len(s.values))
	e.take(elementSize * len(s.values))
	values := make([]any, len(s.values))
	for i, v := range s.values {
		values[i] = v.eval(e)
	}
	e.inside(e.scope, func() {
		for i, name := range s.names {
			e.scope.vars[name] = values[i]
		}
		out = e.run(s.body)
	})
	return out
}
