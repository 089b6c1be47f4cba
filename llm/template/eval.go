package template

import (
	"slices"
	"time"

	"github.com/lucid-go/lucid/internal/fault"
)

// Options bounds a rendering. Zero fields mean their defaults.
type Options struct {
	MaxSteps  int       // evaluated parts, and elements and pieces of text looked at; 2,000,000
	MaxOutput int       // bytes of the output, and of the texts and lists on the way; 1<<26
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
	e := &env{out: &pieces{}, steps: o.MaxSteps, room: o.MaxOutput, now: o.Now}
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
	return e.out.whole(), nil
}

// scope holds the variables of a loop round, a macro call or the template.
type scope struct {
	vars     map[string]any
	outer    *scope
	retained bool // a macro or a loop that calls itself sees it after its end
}

// keep marks a scope that something keeps.
func (s *scope) keep() {
	for ; s != nil && !s.retained; s = s.outer {
		s.retained = true
	}
}

// env is the state of one rendering.
type env struct {
	scope *scope
	out   *pieces
	steps int
	room  int // bytes that may still be made, output and texts on the way
	depth int
	nest  int // expressions inside each other
	ticks uint
	free  []*scope // left by rounds and calls
	now   time.Time
	body  string // what a block of set or filter rendered
}

func (e *env) write(s string) { e.put(e.out, s) }

func (e *env) lookup(name string) any {
	v := e.find(name)
	if l, ok := v.(*loopRound); ok {
		return l.mapping(e)
	}
	return v
}

// find is lookup, with the variable loop as it is.
func (e *env) find(name string) any {
	for s, hops := e.scope, 0; s != nil; s, hops = s.outer, hops+1 {
		e.spend(hops&1 + len(name)>>8)
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
	e.spend(1)
	s := &scope{}
	if n := len(e.free); n > 0 {
		s, e.free = e.free[n-1], e.free[:n-1]
	} else {
		s.vars = map[string]any{}
	}
	s.outer = outer
	e.scope = s
	f()
	e.scope = before
	if !s.retained && len(s.vars) < 64 {
		clear(s.vars)
		e.free = append(e.free, s)
	}
	e.depth--
}

// capture returns what f writes.
func (e *env) capture(f func()) string {
	before := e.out
	e.out = &pieces{}
	f()
	s := e.joinPieces(e.out)
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
		recursive       bool
	}
	withStmt struct {
		names  []string
		values []expr
		body   []stmt
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
		uses     map[string]bool // names in the body
	}
)

func (s dataStmt) run(e *env) jump   { e.write(string(s)); return "" }
func (s outputStmt) run(e *env) jump { e.write(e.text(s.value.eval(e))); return "" }
func (s groupStmt) run(e *env) jump  { return e.run(s) }
func (s jumpStmt) run(*env) jump     { return jump(s) }

func (s ifStmt) run(e *env) jump {
	e.down()
	defer e.up()
	if truth(s.test.eval(e)) {
		return e.run(s.then)
	}
	return e.run(s.otherwise)
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
	e.scope.vars[s.name] = s.function(e, e.scope)
	return ""
}

// function is the macro, whose body sees the variables of home.
func (s macroStmt) function(e *env, home *scope) function {
	home.keep()
	e.take(scopeSize) // who keeps the macro keeps its variables
	return func(e *env, a called) any {
		n := len(s.params)
		e.spend(n + len(a.order)*(1+n/32))
		if len(a.positional) > n && !s.uses["varargs"] {
			throw("the macro %s takes %d arguments, got %d", s.name, n, len(a.positional))
		}
		caller, hasCaller := a.named["caller"]
		more := &Dict{}
		for _, name := range a.order {
			k := slices.Index(s.params, name)
			switch {
			case k >= 0 && k < len(a.positional):
				throw("the macro %s has two values for %q", s.name, name)
			case k < 0 && (name == "caller" && s.uses["caller"]):
			case k < 0 && !s.uses["kwargs"]:
				throw("the macro %s has no parameter %q", s.name, name)
			case k < 0:
				e.take(pairSize)
				more.Set(name, a.named[name])
			}
		}
		return e.capture(func() {
			e.inside(home, func() {
				vars := e.scope.vars
				if s.uses["caller"] {
					if vars["caller"] = any(undefined{"caller"}); hasCaller {
						vars["caller"] = caller
					}
				}
				if s.uses["varargs"] {
					vars["varargs"] = tuple(a.positional[min(n, len(a.positional)):]...)
				}
				if s.uses["kwargs"] {
					vars["kwargs"] = more
				}
				for i, name := range s.params {
					if i < len(a.positional) {
						vars[name] = a.positional[i]
					} else if v, ok := a.named[name]; ok {
						vars[name] = v
					} else if s.defaults[i] != nil {
						vars[name] = s.defaults[i].eval(e)
					} else {
						vars[name] = undefined{name}
					}
				}
				e.run(s.body)
			})
		})
	}
}
