package doors

import (
	"bytes"
	"cmp"
	"fmt"
	"go/format"
	"strconv"
	"strings"
)

// tableFile writes the ops of one family as schemas, by which they are called by name; nil if it has none.
func (src *source) tableFile(family string) ([]byte, error) {
	var b bytes.Buffer
	for _, o := range src.ops {
		if o.family == family {
			src.schema(&b, o)
		}
	}
	if b.Len() == 0 {
		return nil, nil
	}
	text := "func init() {\n\tadd(\n" + b.String() + "\t)\n}\n"
	return format.Source([]byte(header + "package schema\n\n" + imports(text) + text))
}

// lineWidth is about where generated lists and strings begin a new line.
const lineWidth = 110

// literal writes a text as strings, one a line.
func literal(s string) string {
	var parts []string
	for line := range strings.Lines(s) {
		for len(line) > lineWidth {
			at := strings.LastIndexByte(line[:lineWidth], ' ') + 1
			if at == 0 {
				break
			}
			parts, line = append(parts, strconv.Quote(line[:at])), line[at:]
		}
		parts = append(parts, strconv.Quote(line))
	}
	return cmp.Or(strings.Join(parts, " +\n"), `""`)
}

// joined joins the elements of a list, over several lines if they are long.
func joined(list []string) string {
	var b strings.Builder
	at := 0
	for i, s := range list {
		if i > 0 {
			b.WriteByte(',')
			if at += len(s) + 2; at > lineWidth {
				b.WriteByte('\n')
				at = len(s)
			} else {
				b.WriteByte(' ')
			}
		} else {
			at = len(s)
		}
		b.WriteString(s)
	}
	return b.String()
}

func (src *source) schema(b *bytes.Buffer, o op) {
	fmt.Fprintf(b, "\t\tSchema{Name: %q, Door: %q,\n\t\t\tDoc: %s,\n", o.name, o.public, literal(o.doc))
	if o.noGrad != "" || o.noVMap != "" {
		fmt.Fprintf(b, "\t\t\tNoGrad: %q, NoVMap: %q,\n", o.noGrad, o.noVMap)
	}
	if o.amp != "" || o.random != "" {
		fmt.Fprintf(b, "\t\t\tAMP: %q, Random: %q,\n", o.amp, o.random)
	}
	if o.inplace {
		b.WriteString("\t\t\tInPlace: true,\n")
	}
	if o.view {
		b.WriteString("\t\t\tView: true,\n")
	}
	if o.aliases != nil {
		fmt.Fprintf(b, "\t\t\tAliases: %#v,\n", o.aliases)
	}
	var params, args []string
	var pre bytes.Buffer
	for _, p := range o.params {
		switch {
		case isOptions(p.typ):
			fmt.Fprintf(&pre, "\t\t\tvar o ops.%s\n", p.typ)
			for _, f := range src.options[p.typ] {
				params = append(params, fmt.Sprintf("{%q, %q, true}", f.attr, attrType(f.typ)))
				not := ""
				if f.not {
					not = "Not"
				}
				fmt.Fprintf(&pre, "\t\t\tc.option%s(%q, &o.%s)\n", not, f.attr, f.name)
			}
			args = append(args, "o")
		case p.typ == "*Node" && !p.variadic && o.optional[p.name]:
			params = append(params, fmt.Sprintf("{%q, \"tensor\", true}", attrName(p.name)))
			args = append(args, "c.optionalTensor()")
		case p.typ == "*Node" && !p.variadic:
			params = append(params, fmt.Sprintf("{%q, \"tensor\", false}", attrName(p.name)))
			args = append(args, fmt.Sprintf("c.tensor(%q)", attrName(p.name)))
		case p.typ == "Operand" && !p.variadic && o.optional[p.name]:
			params = append(params, fmt.Sprintf("{%q, \"tensor or number\", true}", attrName(p.name)))
			args = append(args, fmt.Sprintf("c.optionalOperand(%q)", attrName(p.name)))
		case p.typ == "Operand" && !p.variadic:
			params = append(params, fmt.Sprintf("{%q, \"tensor or number\", false}", attrName(p.name)))
			args = append(args, fmt.Sprintf("c.operand(%q)", attrName(p.name)))
		case p.typ == "[]*Node" || p.typ == "*Node":
			params = append(params, fmt.Sprintf("{%q, \"tensors\", %v}", attrName(p.name), o.optional[p.name]))
			a := "c.tensors()"
			if p.variadic {
				a += "..."
			}
			args = append(args, a)
		default:
			t := p.typ
			dots := ""
			if p.variadic {
				t, dots = "[]"+t, "..."
			}
			def, optional := o.defaults[p.name]
			params = append(params, fmt.Sprintf("{%q, %q, %v}", attrName(p.name), attrType(t), optional))
			fmt.Fprintf(&pre, "\t\t\tvar v_%s %s\n", p.name, opsType(t))
			ask := "required"
			if optional {
				ask = "option"
				if def != "" {
					fmt.Fprintf(&pre, "\t\t\tv_%s = %s\n", p.name, def)
				}
			}
			fmt.Fprintf(&pre, "\t\t\tc.%s(%q, &v_%s)\n", ask, attrName(p.name), p.name)
			args = append(args, "v_"+p.name+dots)
		}
	}
	fmt.Fprintf(b, "\t\t\tParams: []Param{%s},\n\t\t\tcall: func(c *Caller) []*graph.Node {\n%s", joined(params), pre.String())
	call := fmt.Sprintf("ops.%s(%s)", o.fn, joined(args))
	switch {
	case len(o.results) == 1 && o.results[0] == "*Node":
		fmt.Fprintf(b, "\t\t\treturn []*graph.Node{%s}\n", call)
	case len(o.results) == 1:
		fmt.Fprintf(b, "\t\t\treturn %s\n", call)
	default:
		var rs []string
		for i := range o.results {
			rs = append(rs, fmt.Sprintf("r%d", i))
		}
		l := strings.Join(rs, ", ")
		fmt.Fprintf(b, "\t\t\t%s := %s\n\t\t\treturn []*graph.Node{%s}\n", l, call, l)
	}
	b.WriteString("\t\t}},\n")
}

func opsType(t string) string {
	if strings.HasPrefix(t, "[]Operand") {
		return "[]any"
	}
	return t
}

// attrType names a Go type for readers of the schema.
func attrType(t string) string {
	t = strings.TrimPrefix(t, "*")
	return strings.ReplaceAll(t, "dtype.DType", "dtype")
}

// attrName is a parameter's name in a call: the first operand is PyTorch's "input", a capital such as M stays one.
func attrName(p string) string {
	if p == "x" {
		return "input"
	}
	if len(p) == 1 {
		return p
	}
	return snake(p)
}
