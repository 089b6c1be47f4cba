package template

import (
	"slices"
	"strings"
	"time"

	"github.com/lucid-go/lucid/internal/fault"
)

// Options bounds a rendering. Zero fields mean their defaults.
type Options struct {
	MaxSteps  int       // evaluated parts; 2,000,000
	MaxOutput int       // bytes; 1<<26
	Now       time.Time // what strftime_now shows; the time of the call
}

// Template is a parsed template. It is immutable and safe for concurrent use.
type Template struct {
	source string
	body   []stmt
}

// Parse reads a template.
func Parse(source string) (t *Template, err error) {
	if len(source) > maxSource {
		return nil, fault.New(fault.Format, op, "a template of %d bytes, more than %d", len(source), maxSource)
	}
	err = fault.Catch(func() {
		p := &parser{tokens: lex(source)}
		body, _ := p.body()
		t = &Template{source, body}
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}

// Source returns the text the template was parsed from.
func (t *Template) Source() string { return t.source }

// Render evaluates the template with the variables. An exception that the template raises is an error of kind Value.
func (t *Template) Render(vars map[string]any, o Options) (out string, err error) {
	e := &env{out: &strings.Builder{}, steps: o.MaxSteps, room: o.MaxOutput, now: o.Now}
	if e.steps <= 0 {
		e.steps = 2_000_000
	}
	if e.room <= 0 {
		e.room = 1 << 26
	}
	if e.now.IsZero() {
		e.now = time.Now()
	}
	err = fault.Catch(func() {
		e.scope = &scope{vars: map[string]any{}}
		for name, f := range globals {
			e.scope.vars[name] = f
		}
		for name, v := range vars {
			e.scope.vars[name] = fromGo(v, 0)
		}
		e.run(t.body)
	})
	if err != nil {
		return "", err
	}
	return e.out.String(), nil
}

// scope holds the variables of a loop round, a macro call or the template.
type scope struct {
	vars  map[string]any
	outer *scope
}

// env is the state of one rendering.
type env struct {
	scope *scope
	out   *strings.Builder
	steps int
	room  int // bytes that may still be made, output and texts on the way
	depth int
	now   time.Time
	body  string // what a block of set or filter rendered
}

func (e *env) spend(n int) {
	if e.steps -= n; e.steps < 0 {
		throw("the template takes too many steps; raise Options.MaxSteps if that is right")
	}
}

// scan spends what it takes to look at a whole text.
func (e *env) scan(s string) { e.spend(len(s) >> 10) }

// take claims n bytes of text, before they are made.
func (e *env) take(n int) {
	if e.room -= n; e.room < 0 {
		throw("the template writes too much; raise Options.MaxOutput if that is right")
	}
}

func (e *env) write(s string) {
	e.take(len(s))
	e.out.WriteString(s)
}

func (e *env) lookup(name string) any {
	for s := e.scope; s != nil; s = s.outer {
		if v, ok := s.vars[name]; ok {
			return v
		}
	}
	return undefined{name}
}

// inside runs f in a scope of its own.
func (e *env) inside(outer *scope, f func()) {
	if e.depth++; e.depth > maxDepth {
		throw("macros and loops nest more than %d deep", maxDepth)
	}
	before := e.scope
	e.scope = &scope{vars: map[string]any{}, outer: outer}
	f()
	e.scope = before
	e.depth--
}

// capture returns what f writes.
func (e *env) capture(f func()) string {
	before := e.out
	e.out = &strings.Builder{}
	f()
	s := e.out.String()
	e.out = before
	return s
}

// jump is how a body was left: "", break or continue.
type jump string

func (e *env) run(body []stmt) jump {
	for _, s := range body {
		e.spend(1)
		if j := s.run(e); j != "" {
			return j
		}
	}
	return ""
}

type stmt interface{ run(e *env) jump }

type (
	dataStmt   string
	outputStmt struct{ value expr }
	groupStmt  []stmt
	jumpStmt   string
	ifStmt     struct {
		test            expr
		then, otherwise []stmt
	}
	forStmt struct {
		names           []string
		list, test      expr
		body, otherwise []stmt
	}
	setStmt struct {
		names []string
		field string
		value expr
		body  []stmt
		block bool
	}
	filterStmt struct {
		filter expr
		body   []stmt
	}
	macroStmt struct {
		name     string
		params   []string
		defaults []expr
		body     []stmt
	}
)

func (s dataStmt) run(e *env) jump   { e.write(string(s)); return "" }
func (s outputStmt) run(e *env) jump { e.write(e.text(s.value.eval(e))); return "" }
func (s groupStmt) run(e *env) jump  { return e.run(s) }
func (s jumpStmt) run(*env) jump     { return jump(s) }

func (s ifStmt) run(e *env) jump {
	if truth(s.test.eval(e)) {
		return e.run(s.then)
	}
	return e.run(s.otherwise)
}

func (s forStmt) run(e *env) (out jump) {
	items := e.iterate(s.list.eval(e))
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
	for i, v := range items { // nothing changes a list
		e.spend(1)
		var j jump
		e.inside(outer, func() {
			e.bind(s.names, v)
			e.scope.vars["loop"] = loopOf(items, i)
			j = e.run(s.body)
		})
		if j == "break" {
			break
		}
	}
	return ""
}

// loopOf is the variable loop in round i.
func loopOf(items []any, i int) any {
	d := &Dict{}
	n := len(items)
	for _, f := range []struct {
		key string
		v   int
	}{{"index", i + 1}, {"index0", i}, {"revindex", n - i}, {"revindex0", n - i - 1}, {"length", n}, {"depth", 1}, {"depth0", 0}} {
		d.Set(f.key, int64(f.v))
	}
	d.Set("first", i == 0)
	d.Set("last", i == n-1)
	if i > 0 {
		d.Set("previtem", items[i-1])
	}
	if i+1 < n {
		d.Set("nextitem", items[i+1])
	}
	d.Set("cycle", function(func(_ *env, a called) any {
		if len(a.positional) == 0 {
			throw("loop.cycle without values")
		}
		return a.positional[i%len(a.positional)]
	}))
	return d
}

// bind assigns a value to a name, or its elements to several.
func (e *env) bind(names []string, v any) {
	if len(names) == 1 {
		e.scope.vars[names[0]] = v
		return
	}
	items := e.iterate(v)
	if len(items) != len(names) {
		throw("%d values for %d names", len(items), len(names))
	}
	for i, name := range names {
		e.scope.vars[name] = items[i]
	}
}

func (s setStmt) run(e *env) jump {
	if s.block {
		before := e.body
		body := e.capture(func() { e.inside(e.scope, func() { e.run(s.body) }) })
		e.body = body
		defer func() { e.body = before }()
	}
	v := s.value.eval(e)
	if s.field == "" {
		e.bind(s.names, v)
		return ""
	}
	ns, ok := e.lookup(s.names[0]).(*namespace)
	if !ok {
		throw("%s is no namespace: its field %s cannot be set", s.names[0], s.field)
	}
	ns.fields[s.field] = v
	return ""
}

func (s filterStmt) run(e *env) jump {
	before := e.body
	body := e.capture(func() { e.inside(e.scope, func() { e.run(s.body) }) })
	e.body = body
	e.write(e.text(s.filter.eval(e)))
	e.body = before
	return ""
}

func (s macroStmt) run(e *env) jump {
	home := e.scope
	e.scope.vars[s.name] = function(func(e *env, a called) any {
		if len(a.positional) > len(s.params) {
			throw("the macro %s takes %d arguments, got %d", s.name, len(s.params), len(a.positional))
		}
		for name := range a.named {
			if !slices.Contains(s.params, name) {
				throw("the macro %s has no parameter %q", s.name, name)
			}
		}
		return e.capture(func() {
			e.inside(home, func() {
				for i, name := range s.params {
					if i < len(a.positional) {
						e.scope.vars[name] = a.positional[i]
					} else if v, ok := a.named[name]; ok {
						e.scope.vars[name] = v
					} else if s.defaults[i] != nil {
						e.scope.vars[name] = s.defaults[i].eval(e)
					} else {
						e.scope.vars[name] = undefined{name}
					}
				}
				e.run(s.body)
			})
		})
	})
	return ""
}
