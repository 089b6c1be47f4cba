package doors

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
)

// public gives the type a function shows for a type of package ops.
func public(t string) string {
	switch t {
	case "*Node":
		return "*Tensor"
	case "[]*Node":
		return "[]*Tensor"
	case "Operand":
		return "any"
	case "[]Operand":
		return "[]any"
	case "dtype.DType":
		return "DType"
	}
	return t
}

func isOptions(t string) bool { return strings.HasSuffix(t, "Options") }

// comment writes a doc comment for another name.
func (o op) comment(b *bytes.Buffer, name string) {
	for i, line := range strings.Split(o.doc, "\n") {
		if i == 0 {
			line = name + strings.TrimPrefix(line, o.fn)
		}
		fmt.Fprintf(b, "//%s\n", strings.TrimRight(" "+line, " "))
	}
}

// body writes the conversion of the arguments, the call and the conversion of the results. expr maps the function's
// parameters to Go expressions of public type; op is the name the conversions outside the root take, for errors.
func (o op) body(b *bytes.Buffer, op string, expr func(p param) string) {
	if op != "" {
		op = fmt.Sprintf("%q, ", op)
	}
	var call, after []string
	for i, p := range o.params {
		e := expr(p)
		v := fmt.Sprintf("a%d", i)
		switch {
		case p.typ == "*Node" && !p.variadic && o.optional[p.name]:
			if e == "nil" {
				call = append(call, e)
				continue
			}
			fmt.Fprintf(b, "\t%s := acquireMaybe(%s)\n", v, e)
			after = append(after, fmt.Sprintf("release(%s)", v))
			call = append(call, v)
		case p.typ == "*Node" && !p.variadic:
			fmt.Fprintf(b, "\t%s := acquire(%s%s)\n", v, op, e)
			after = append(after, fmt.Sprintf("release(%s)", v))
			call = append(call, v)
		case p.typ == "Operand" && !p.variadic:
			fmt.Fprintf(b, "\t%s := acquireAny(%s%s)\n", v, op, e)
			after = append(after, fmt.Sprintf("releaseAny(%s)", v))
			call = append(call, v)
		case p.typ == "[]*Node" || p.typ == "*Node" && p.variadic:
			fmt.Fprintf(b, "\t%s := acquireAll(%s%s)\n", v, op, e)
			after = append(after, fmt.Sprintf("releaseAll(%s)", v))
			if p.variadic {
				v += "..."
			}
			call = append(call, v)
		case p.variadic && !isOptions(p.typ):
			call = append(call, e+"...")
		default:
			call = append(call, e)
		}
	}
	var res []string
	for i := range o.results {
		res = append(res, fmt.Sprintf("r%d", i))
	}
	fmt.Fprintf(b, "\t%s := ops.%s(%s)\n", strings.Join(res, ", "), o.fn, strings.Join(call, ", "))
	for _, a := range after {
		fmt.Fprintf(b, "\t%s\n", a)
	}
}

func (o op) returns(b *bytes.Buffer) {
	var res []string
	one, all := "wrap", "wrapAll"
	if o.view {
		one, all = "wrapView", "wrapViews"
	}
	for i, t := range o.results {
		switch t {
		case "*Node":
			res = append(res, fmt.Sprintf("%s(r%d)", one, i))
		case "[]*Node":
			res = append(res, fmt.Sprintf("%s(r%d)", all, i))
		default:
			res = append(res, fmt.Sprintf("r%d", i))
		}
	}
	fmt.Fprintf(b, "\treturn %s\n}\n\n", strings.Join(res, ", "))
}

func (o op) resultList(show func(string) string) string {
	if len(o.results) == 1 && o.resNames[0] == "" {
		return show(o.results[0])
	}
	var names, types []string
	for i, t := range o.results {
		names, types = append(names, o.resNames[i]), append(types, show(t))
	}
	return "(" + group(names, types) + ")"
}

// group writes parameters, those of one type that follow each other as a, b T.
func group(names, types []string) string {
	var list []string
	for i := range names {
		if i+1 < len(names) && names[i] != "" && types[i] == types[i+1] && !strings.HasPrefix(types[i], "...") {
			list = append(list, names[i])
			continue
		}
		list = append(list, strings.TrimSpace(names[i]+" "+types[i]))
	}
	return strings.Join(list, ", ")
}

// function writes a function: its options behind the other parameters, with the tensors that may be left out among them. One
// in lower case is for code written by hand: it takes what the op takes.
func (src *source) function(b *bytes.Buffer, o op, show func(string) string, pkg string) {
	t := src.optionsOf(o)
	byHand := unicode.IsLower(rune(o.door[0]))
	if byHand {
		t = nil
	}
	var names, types []string
	options := ""
	for _, p := range o.params {
		typ := show(p.typ)
		switch {
		case isOptions(p.typ) && byHand:
			typ = "ops." + p.typ
		case isOptions(p.typ):
			options = p.name
			continue
		case !byHand && o.inOptions(p):
			continue
		case p.variadic:
			typ = "..." + typ
		}
		names, types = append(names, p.name), append(types, typ)
	}
	if t != nil {
		if options == "" {
			options = "o"
		}
		names, types = append(names, options), append(types, "..."+t.name)
	}
	o.comment(b, o.door)
	fmt.Fprintf(b, "func %s(%s) %s {\n", o.door, group(names, types), o.resultList(show))
	given := options
	if t != nil && len(t.tensors) > 0 {
		given = "opt"
		fmt.Fprintf(b, "\topt := option(%q, %s)\n", o.name, options)
	} else if t != nil {
		given = fmt.Sprintf("option(%q, %s)", o.name, options)
	}
	op := o.name
	if pkg == "." {
		op = ""
	}
	o.body(b, op, func(p param) string {
		switch {
		case isOptions(p.typ) && !byHand:
			return given + ".op()"
		case !byHand && o.inOptions(p):
			return given + "." + fieldName(p.name)
		}
		return p.name
	})
	o.returns(b)
}

// methods writes the methods of Tensor. A reduction has a second one that keeps the dimensions it reduces.
func (src *source) methods(b *bytes.Buffer, o op) {
	for _, m := range o.methods {
		src.method(b, o, m, false)
		if o.keepsDim(src) {
			src.method(b, o, m, true)
		}
	}
	if o.inplace {
		src.inPlace(b, o)
	}
}

// keepsDim reports whether the options can ask for reduced dimensions to stay.
func (o op) keepsDim(src *source) bool {
	for _, p := range o.params {
		for _, f := range src.options[p.typ] {
			if f.name == "KeepDim" {
				return true
			}
		}
	}
	return false
}

func (src *source) method(b *bytes.Buffer, o op, m method, keep bool) {
	name := m.name
	if keep {
		name += "Keep"
		fmt.Fprintf(b, "// %s is %s with the reduced dimensions as dimensions of size 1.\n", name, m.name)
	} else {
		o.comment(b, name)
	}
	o.methodHead(b, m, name, o.resultList(public))
	o.body(b, "", src.methodExpr(o, m, keep))
	o.returns(b)
}

// methodHead writes the signature: the function's parameters behind the receiver, without options, or those given.
func (o op) methodHead(b *bytes.Buffer, m method, name, results string) {
	ps := m.params
	if !m.given {
		ps = nil
		for _, p := range o.params[1:] {
			if !isOptions(p.typ) && !o.inOptions(p) {
				ps = append(ps, p)
			}
		}
	}
	var names, types []string
	for _, p := range ps {
		t := public(p.typ)
		if p.variadic {
			t = "..." + t
		}
		names, types = append(names, p.name), append(types, t)
	}
	fmt.Fprintf(b, "func (%s *Tensor) %s(%s) %s {\n", o.params[0].name, name, group(names, types), results)
}

// methodExpr fills the function's arguments from the method's: by name, options by their fields' attribute names.
func (src *source) methodExpr(o op, m method, keep bool) func(param) string {
	return func(p param) string {
		if !isOptions(p.typ) {
			for _, q := range m.params {
				if q.name == p.name && q.typ == "int" && p.typ == "[]int" && !p.variadic {
					return "[]int{" + q.name + "}"
				}
			}
			if o.inOptions(p) && !hasParam(m.params, p.name) || m.given && o.optional[p.name] && !hasParam(m.params, p.name) {
				return "nil"
			}
			return p.name
		}
		var set []string
		for _, q := range m.params {
			if !hasParam(o.params, q.name) {
				set = append(set, src.optionField(p.typ, q))
			}
		}
		if keep {
			set = append(set, "KeepDim: true")
		}
		return fmt.Sprintf("ops.%s{%s}", p.typ, joined(set))
	}
}

func hasParam(ps []param, name string) bool {
	for _, p := range ps {
		if p.name == name {
			return true
		}
	}
	return false
}

func (src *source) optionField(typ string, q param) string {
	for _, f := range src.options[typ] {
		if f.attr == q.name || f.attr == snake(q.name) {
			v := q.name
			if strings.HasPrefix(f.typ, "*") && !strings.HasPrefix(q.typ, "*") {
				v = "&" + v
			}
			return f.name + ": " + v
		}
	}
	panic(fmt.Sprintf("no field of %s has the attribute %q", typ, q.name))
}

func (src *source) inPlace(b *bytes.Buffer, o op) {
	m := method{name: o.fn}
	if len(o.methods) > 0 {
		m = o.methods[0]
	}
	if o.inplaceForm != nil {
		m = *o.inplaceForm
	}
	if len(o.methods) > 0 || o.inplaceForm == nil {
		fmt.Fprintf(b, "// %s_ is %s in place: the handle shows the result, and is returned.\n", m.name, m.name)
	} else {
		o.comment(b, m.name+"_")
		b.WriteString("// The handle shows them, and is returned.\n")
	}
	o.methodHead(b, m, m.name+"_", "*Tensor")
	o.body(b, "", src.methodExpr(o, m, false))
	fmt.Fprintf(b, "\treturn %s.rebind(%q, r0)\n}\n\n", o.params[0].name, o.name)
}
