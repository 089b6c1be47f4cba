package template

import "slices"

func (s forStmt) run(e *env) jump { return s.over(e, s.list.eval(e), 0) }

// over runs the loop over a value; depth counts how often a recursive loop has called itself.
func (s forStmt) over(e *env, v any, depth int) jump {
	items := iterate(v)
	outer := e.scope
	if s.test != nil {
		var some []any
		for _, v := range items {
			e.inside(outer, func() {
				e.spend(1)
				e.bind(s.names, v)
				if truth(s.test.eval(e)) {
					some = append(some, v)
				}
			})
		}
		items = some
	}
	if len(items) == 0 {
		return e.run(s.otherwise)
	}
	items = slices.Clone(items)
	whole := false
	state := &loop{forStmt: s, items: items, depth: depth, outer: outer}
	for state.at = range items {
		e.spend(1)
		var j jump
		e.inside(outer, func() {
			e.bind(s.names, items[state.at])
			e.scope.vars["loop"] = state.variable()
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

// variable is the variable loop in a round.
func (l *loop) variable() any {
	d := &Dict{}
	n, i := len(l.items), l.at
	for key, v := range map[string]int{"index": i + 1, "index0": i, "revindex": n - i, "revindex0": n - i - 1, "length": n,
		"depth": l.depth + 1, "depth0": l.depth} {
		d.Set(key, int64(v))
	}
	d.Set("first", i == 0)
	d.Set("last", i == n-1)
	if i > 0 {
		d.Set("previtem", l.items[i-1])
	}
	if i+1 < n {
		d.Set("nextitem", l.items[i+1])
	}
	d.Set("cycle", function(func(_ *env, a called) any {
		if len(a.positional) == 0 {
			throw("loop.cycle without values")
		}
		return a.positional[i%len(a.positional)]
	}))
	d.Set("changed", function(func(_ *env, a called) any {
		changed := l.last == nil || !slices.EqualFunc(l.last, a.positional, equal)
		l.last = append([]any{}, a.positional...)
		return changed
	}))
	if l.recursive {
		d.call = func(e *env, a called) any {
			return e.capture(func() {
				e.inside(l.outer, func() { l.over(e, a.arg(0, "iterable", &list{}), l.depth+1) })
			})
		}
	}
	return d
}

func (s withStmt) run(e *env) (out jump) {
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
