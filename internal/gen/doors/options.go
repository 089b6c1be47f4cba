package doors

import (
	"bytes"
	"fmt"
	"go/ast"
	"reflect"
	"slices"
	"sort"
	"strings"
)

func parseOptions(src *source, d *ast.GenDecl) {
	for _, s := range d.Specs {
		t, ok := s.(*ast.TypeSpec)
		if !ok || !strings.HasSuffix(t.Name.Name, "Options") {
			continue
		}
		st, ok := t.Type.(*ast.StructType)
		if !ok {
			continue
		}
		var fields []field
		for _, f := range st.Fields.List {
			for _, n := range f.Names {
				fl := field{name: n.Name, typ: typeString(f.Type), attr: snake(n.Name), comment: strings.TrimSpace(f.Comment.Text() + f.Doc.Text())}
				if f.Tag != nil {
					tag := reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("lucid")
					name, flag, _ := strings.Cut(tag, ",")
					if name != "" {
						fl.attr = name
					}
					fl.not = flag == "not"
				}
				fields = append(fields, fl)
			}
		}
		src.options[t.Name.Name] = fields
		doc := t.Doc.Text()
		if doc == "" {
			doc = d.Doc.Text()
		}
		src.optionDocs[t.Name.Name] = strings.TrimSpace(doc)
	}
}

// optionAliases writes the options' public names. The structs are declared in a package users cannot read, and go doc
// shows nothing of what is behind an alias: so the fields stand in the comment.
func (src *source) optionAliases(b *bytes.Buffer) {
	var names []string
	for n := range src.options {
		names = append(names, n)
	}
	sort.Strings(names)
	b.WriteString("// Options of the functions, as package ops declares them.\ntype (\n")
	for i, n := range names {
		if i > 0 {
			b.WriteString("\n")
		}
		for line := range strings.SplitSeq(src.optionDoc(n), "\n") {
			if line != "" && line[0] != '\t' { // code stands behind a tab
				line = " " + line
			}
			b.WriteString("\t//" + line + "\n")
		}
		fmt.Fprintf(b, "\t%s = ops.%s\n", n, n)
	}
	b.WriteString(")\n\n")
}

// optionDoc is what go doc shows of an options struct: what is written above it, or whose options they are, and its fields.
func (src *source) optionDoc(name string) string {
	doc := src.optionDocs[name]
	if doc == "" {
		doc = name + " are options" + src.ownersOf(name) + "; the zero value is PyTorch's default."
	}
	typeOf := func(f field) string {
		return strings.NewReplacer("*Node", "*Tensor", "dtype.DType", "DType").Replace(f.typ)
	}
	width, types := 0, 0
	for _, f := range src.options[name] {
		width, types = max(width, len(f.name)), max(types, len(typeOf(f)))
	}
	doc += "\n"
	for _, f := range src.options[name] {
		comment := strings.ReplaceAll(f.comment, "\n", " ")
		if comment == "" && f.not {
			comment = f.attr + "=False"
		}
		if comment != "" {
			comment = " // " + comment
		}
		doc += strings.TrimRight(fmt.Sprintf("\n\t%-*s %-*s%s", width, f.name, types, typeOf(f), comment), " ")
	}
	return doc
}

// ownersOf names the public functions that take these options, or the first of them where there are many.
func (src *source) ownersOf(name string) string {
	const most = 6
	var owners []string
	for _, o := range src.ops {
		if o.door != "" && slices.ContainsFunc(o.params, func(p param) bool { return p.typ == name }) {
			owners = append(owners, o.door)
		}
	}
	sort.Strings(owners)
	switch n := len(owners); {
	case n == 0:
		return ""
	case n == 1:
		return " of " + owners[0]
	case n > most:
		return fmt.Sprintf(" of %s and %d more", strings.Join(owners[:most], ", "), n-most)
	default:
		return " of " + strings.Join(owners[:n-1], ", ") + " and " + owners[n-1]
	}
}
