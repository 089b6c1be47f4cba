package template

import "github.com/lucid-go/lucid/internal/fault"

func (p *parser) withBlock() stmt {
	var s withStmt
	for p.peek().kind != tokBlockEnd {
		if len(s.names) > 0 {
			p.expect(",")
		}
		s.names = append(s.names, p.name())
		p.expect("=")
		s.values = append(s.values, p.expr())
	}
	p.blockEnd()
	s.body, _ = p.body("endwith")
	p.blockEnd()
	return s
}

// callBlock calls a macro that has the body as its macro caller.
func (p *parser) callBlock() stmt {
	m := macroStmt{name: "caller"}
	if p.accept("(") {
		p.parameters(&m)
	}
	line := p.peek().line
	call, ok := p.filters(p.unary()).(callExpr)
	if !ok {
		fault.Throw(fault.Format, op, "line %d: want a call in the tag {%% call %%}", line)
	}
	p.blockEnd()
	p.macroBody(&m, "endcall")
	p.blockEnd()
	call.args.caller = &m
	return outputStmt{call}
}

func (p *parser) macroBlock() stmt {
	m := macroStmt{name: p.name()}
	p.expect("(")
	p.parameters(&m)
	p.blockEnd()
	p.macroBody(&m, "endmacro")
	if p.peek().kind == tokName {
		p.at++ // the name may stand behind endmacro
	}
	p.blockEnd()
	return m
}

// macroBody parses a body with no loop around it, and notes which variables of macros it uses.
func (p *parser) macroBody(m *macroStmt, end string) {
	loops, uses := p.loops, p.uses
	p.loops, p.uses = 0, map[string]bool{}
	m.body, _ = p.body(end)
	m.uses = p.uses
	p.loops, p.uses = loops, uses
}

func (p *parser) parameters(m *macroStmt) {
	for !p.accept(")") {
		if len(m.params) > 0 {
			p.expect(",")
		}
		m.params = append(m.params, p.name())
		var def expr
		if p.accept("=") {
			def = p.expr()
		}
		m.defaults = append(m.defaults, def)
	}
}
