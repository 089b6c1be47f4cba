package template

import (
	"slices"
	"strconv"
	"strings"

	"github.com/lucid-go/lucid/internal/fault"
)

const maxDepth = 200

type parser struct {
	tokens []token
	at     int
	depth  int
	loops  int
	uses   map[string]bool // names in the macro
}

func (p *parser) peek() token { return p.tokens[p.at] }

func (p *parser) next() token {
	t := p.tokens[p.at]
	if t.kind != tokEOF {
		p.at++
	}
	return t
}

func (p *parser) fail(format string, args ...any) {
	fault.Throw(fault.Format, op, "line %d: "+format, append([]any{p.peek().line}, args...)...)
}

// is reports whether the next token is that operator.
func (p *parser) is(operator string) bool {
	t := p.peek()
	return t.kind == tokOperator && t.text == operator
}

func (p *parser) accept(operator string) bool {
	if p.is(operator) {
		p.at++
		return true
	}
	return false
}

func (p *parser) expect(operator string) {
	if !p.accept(operator) {
		p.fail("found %q where %q was expected", p.peek().text, operator)
	}
}

// word reports whether the next token is that name, and takes it.
func (p *parser) word(name string) bool {
	if t := p.peek(); t.kind == tokName && t.text == name {
		p.at++
		return true
	}
	return false
}

func (p *parser) name() string {
	t := p.next()
	if t.kind != tokName {
		p.at--
		p.fail("found %q where a name was expected", t.text)
	}
	return t.text
}

func (p *parser) enter() func() {
	if p.depth++; p.depth > maxDepth {
		p.fail("nested more than %d deep", maxDepth)
	}
	return func() { p.depth-- }
}

func (p *parser) blockEnd() {
	if t := p.next(); t.kind != tokBlockEnd {
		p.at--
		p.fail("found %q where the tag should end", t.text)
	}
}

// body parses up to a block tag of one of the names, which it takes; the rest of that tag is left.
func (p *parser) body(ends ...string) (list []stmt, end string) {
	defer p.enter()()
	for {
		switch t := p.next(); t.kind {
		case tokData:
			list = append(list, dataStmt(t.text))
		case tokExprStart:
			list = append(list, outputStmt{p.tuple()})
			if t := p.next(); t.kind != tokExprEnd {
				p.at--
				p.fail("found %q where the expression should end", t.text)
			}
		case tokBlockStart:
			name := p.name()
			if slices.Contains(ends, name) {
				return list, name
			}
			list = append(list, p.block(name))
		case tokEOF:
			if len(ends) > 0 {
				p.fail("the template ends where {%% %s %%} was expected", ends[len(ends)-1])
			}
			return list, ""
		default:
			p.fail("an unexpected tag")
		}
	}
}

func (p *parser) block(name string) stmt {
	switch name {
	case "if":
		return p.ifBlock()
	case "for":
		return p.forBlock()
	case "set":
		return p.setBlock()
	case "macro":
		return p.macroBlock()
	case "break", "continue":
		if p.loops == 0 {
			p.fail("%s outside a loop", name)
		}
		p.blockEnd()
		return jumpStmt(name)
	case "with":
		return p.withBlock()
	case "call":
		return p.callBlock()
	case "generation": // marks what a model wrote; it renders as it is
		p.blockEnd()
		list, _ := p.body("endgeneration")
		p.blockEnd()
		return groupStmt(list)
	case "filter":
		f := p.filterCall(captured{})
		p.blockEnd()
		list, _ := p.body("endfilter")
		p.blockEnd()
		return filterStmt{f, list}
	}
	fault.Throw(fault.NotImplemented, op, "line %d: the tag {%% %s %%} is not supported", p.peek().line, name)
	return nil
}

func (p *parser) ifBlock() stmt {
	s := ifStmt{test: p.tuple()}
	p.blockEnd()
	var end string
	s.then, end = p.body("elif", "else", "endif")
	switch end {
	case "elif":
		s.otherwise = []stmt{p.ifBlock()}
		return s
	case "else":
		p.blockEnd()
		s.otherwise, _ = p.body("endif")
	}
	p.blockEnd()
	return s
}

func (p *parser) targets() (names []string) {
	paren := p.accept("(")
	names = []string{p.name()}
	for p.accept(",") {
		names = append(names, p.name())
	}
	if paren {
		p.expect(")")
	}
	return names
}

func (p *parser) forBlock() stmt {
	s := forStmt{names: p.targets()}
	if !p.word("in") {
		p.fail("a loop without in")
	}
	s.list = p.or() // no conditional expression: its if is the loop's
	if p.is(",") {
		several := tupleExpr{s.list}
		for p.accept(",") {
			several = append(several, p.or())
		}
		s.list = several
	}
	if p.word("if") {
		s.test = p.expr()
	}
	s.recursive = p.word("recursive")
	p.blockEnd()
	p.loops++
	var end string
	s.body, end = p.body("else", "endfor")
	p.loops--
	if end == "else" {
		p.blockEnd()
		s.otherwise, _ = p.body("endfor")
	}
	p.blockEnd()
	return s
}

func (p *parser) setBlock() stmt {
	names := p.targets()
	field := ""
	if len(names) == 1 && p.accept(".") {
		field = p.name()
	}
	if p.accept("=") {
		s := setStmt{names: names, field: field, value: p.tuple()}
		p.blockEnd()
		return s
	}
	s := setStmt{names: names, field: field, value: captured{}}
	for p.accept("|") {
		s.value = p.filterCall(s.value)
	}
	p.blockEnd()
	s.body, _ = p.body("endset")
	s.block = true
	p.blockEnd()
	return s
}

// tuple parses an expression, or several with commas between.
func (p *parser) tuple() expr {
	first := p.expr()
	if !p.is(",") {
		return first
	}
	list := tupleExpr{first}
	for p.accept(",") {
		if k := p.peek().kind; k == tokExprEnd || k == tokBlockEnd || p.is(")") {
			break
		}
		list = append(list, p.expr())
	}
	return list
}

// expr parses an expression with a conditional.
func (p *parser) expr() expr {
	defer p.enter()()
	value := p.or()
	for p.word("if") {
		test := p.or()
		var otherwise expr = literal{undefined{"the result of an if without else"}}
		if p.word("else") {
			otherwise = p.expr()
		}
		value = condExpr{test, value, otherwise}
	}
	return value
}

func (p *parser) or() expr {
	left := p.and()
	for p.word("or") {
		left = boolExpr{left, p.and(), true}
	}
	return left
}

func (p *parser) and() expr {
	left := p.not()
	for p.word("and") {
		left = boolExpr{left, p.not(), false}
	}
	return left
}

func (p *parser) not() expr {
	if p.word("not") {
		defer p.enter()()
		return notExpr{p.not()}
	}
	return p.comparison()
}

func (p *parser) comparison() expr {
	left := p.sum()
	var chain expr
	for {
		operator := ""
		t := p.peek()
		switch {
		case t.kind == tokOperator && slices.Contains([]string{"==", "!=", "<", ">", "<=", ">="}, t.text):
			operator = p.next().text
		case t.kind == tokName && t.text == "in":
			p.at++
			operator = "in"
		case t.kind == tokName && t.text == "not" && p.tokens[p.at+1].kind == tokName && p.tokens[p.at+1].text == "in":
			p.at += 2
			operator = "not in"
		default:
			if chain != nil {
				return chain
			}
			return left
		}
		right := p.sum()
		var one expr = binaryExpr{operator, left, right}
		if chain != nil {
			one = boolExpr{chain, one, false}
		}
		chain, left = one, right
	}
}

func (p *parser) binary(operand func() expr, operators ...string) expr {
	left := operand()
	for {
		t := p.peek()
		if t.kind != tokOperator || !slices.Contains(operators, t.text) {
			return left
		}
		p.at++
		left = binaryExpr{t.text, left, operand()}
	}
}

func (p *parser) sum() expr     { return p.binary(p.concat, "+", "-") }
func (p *parser) concat() expr  { return p.binary(p.product, "~") }
func (p *parser) product() expr { return p.binary(p.power, "*", "/", "//", "%") }
func (p *parser) power() expr {
	return p.binary(func() expr { return p.filters(p.unary()) }, "**")
}

// unary parses a sign; filters behind it hold for the signed value.
func (p *parser) unary() expr {
	defer p.enter()()
	switch {
	case p.accept("-"):
		return p.postfix(negExpr{p.unary()})
	case p.accept("+"):
		return p.postfix(p.unary())
	}
	return p.postfix(p.primary())
}

// filters parses what follows a value: filters and tests.
func (p *parser) filters(e expr) expr {
	for {
		switch {
		case p.accept("|"):
			e = p.filterCall(e)
		case p.word("is"):
			not := p.word("not")
			e = p.test(e)
			if not {
				e = notExpr{e}
			}
		case p.is(".") || p.is("[") || p.is("("):
			e = p.postfix(e)
		default:
			return e
		}
	}
}

// missing is what a template does not need as long as it does not call it: many ask whether it is there, or never get to it.
func missing(what, name string, line int) function {
	return func(*env, called) any {
		fault.Throw(fault.NotImplemented, op, "line %d: the %s %q is not supported", line, what, name)
		return nil
	}
}

func (p *parser) filterCall(e expr) expr {
	name := p.name()
	f, ok := filters[name]
	if !ok {
		f = missing("filter", name, p.peek().line)
	}
	call := filterExpr{name: name, f: f, value: e}
	if p.accept("(") {
		call.args = p.arguments()
	}
	return call
}

// keywords can follow a test, and are not its argument.
var keywords = []string{"and", "or", "not", "in", "is", "if", "else", "recursive"}

func (p *parser) test(e expr) expr {
	name := p.name()
	if name == "in" {
		return binaryExpr{"in", e, p.postfix(p.primary())}
	}
	f, ok := tests[name]
	if !ok {
		f = missing("test", name, p.peek().line)
	}
	t := testExpr{name: name, f: f, value: e}
	if p.accept("(") {
		t.args = p.arguments()
	} else if k := p.peek(); k.kind == tokString || k.kind == tokNumber || k.kind == tokOperator && (k.text == "[" || k.text == "{") ||
		k.kind == tokName && !slices.Contains(keywords, k.text) {
		t.args.positional = []expr{p.postfix(p.primary())}
	}
	return t
}

func (p *parser) arguments() (a arguments) {
	for !p.accept(")") {
		if len(a.positional)+len(a.named) > 0 {
			p.expect(",")
			if p.accept(")") {
				break
			}
		}
		t := p.peek()
		if n := p.tokens[min(p.at+1, len(p.tokens)-1)]; t.kind == tokName && n.kind == tokOperator && n.text == "=" {
			p.at += 2
			a.named = append(a.named, namedArg{t.text, p.expr()})
			continue
		}
		a.positional = append(a.positional, p.expr())
	}
	return a
}

// postfix parses attributes, subscripts and calls.
func (p *parser) postfix(e expr) expr {
	for {
		switch {
		case p.accept("."):
			t := p.next()
			if t.kind != tokName && t.kind != tokNumber {
				p.fail("an attribute without a name")
			}
			if t.kind == tokNumber {
				n, _ := strconv.ParseInt(t.text, 10, 64)
				e = indexExpr{e, literal{n}}
			} else {
				e = attrExpr{e, t.text}
			}
		case p.accept("["):
			e = p.subscript(e)
		case p.accept("("):
			e = callExpr{e, p.arguments(), p.peek().line}
		default:
			return e
		}
	}
}

func (p *parser) subscript(e expr) expr {
	var parts [3]expr
	n := 0
	for ; !p.is("]"); n++ {
		if n == 3 {
			p.fail("a slice with too many parts")
		}
		if !p.is(":") {
			parts[n] = p.tuple()
		}
		if p.is("]") {
			n++
			break
		}
		p.expect(":")
		if p.is("]") {
			n += 2
			break
		}
	}
	p.expect("]")
	switch {
	case n == 1 && parts[0] != nil:
		return indexExpr{e, parts[0]}
	case n == 0:
		p.fail("an empty subscript")
	}
	return sliceExpr{e, parts}
}

func (p *parser) primary() expr {
	defer p.enter()()
	switch t := p.next(); t.kind {
	case tokString:
		parts := []string{t.text}
		for p.peek().kind == tokString {
			parts = append(parts, p.next().text)
		}
		return literal{strings.Join(parts, "")}
	case tokNumber:
		if n, err := strconv.ParseInt(t.text, 10, 64); err == nil {
			return literal{n}
		}
		f, err := strconv.ParseFloat(t.text, 64)
		if err != nil {
			p.fail("the number %s is too large", t.text)
		}
		return literal{f}
	case tokName:
		switch t.text {
		case "true", "True":
			return literal{true}
		case "false", "False":
			return literal{false}
		case "none", "None":
			return literal{nil}
		}
		if p.uses != nil {
			p.uses[t.text] = true
		}
		return nameExpr(t.text)
	case tokOperator:
		switch t.text {
		case "(":
			if p.accept(")") {
				return tupleExpr{}
			}
			e := p.tuple()
			p.expect(")")
			return e
		case "[":
			list := listExpr{}
			for !p.accept("]") {
				if len(list) > 0 {
					p.expect(",")
					if p.accept("]") {
						break
					}
				}
				list = append(list, p.expr())
			}
			return list
		case "{":
			return p.dict()
		}
	}
	p.at--
	p.fail("an unexpected %q", p.peek().text)
	return nil
}

func (p *parser) dict() expr {
	d := dictExpr{}
	for !p.accept("}") {
		if len(d) > 0 {
			p.expect(",")
			if p.accept("}") {
				break
			}
		}
		key := p.expr()
		p.expect(":")
		d = append(d, [2]expr{key, p.expr()})
	}
	return d
}
