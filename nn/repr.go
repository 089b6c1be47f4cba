package nn

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/lucid-go/lucid"
)

// ExtraRepr is a module that says what it is besides the modules inside: what stands in the brackets when it is printed.
type ExtraRepr interface {
	Module
	ExtraRepr() string
}

// described is a module of this package that does.
type described interface{ extra() string }

// Repr returns m as PyTorch prints modules: a line for each module inside, by its name, indented. Modules of this
// package print so by themselves; one of your own does with func (m *Net) String() string { return nn.Repr(m) }, and
// shows more with ExtraRepr.
func Repr(m Module) string {
	if l, ok := m.(lazyLayer); ok {
		made, name := l.shown()
		if made == nil {
			return "Lazy" + name + "()"
		}
		return Repr(made)
	}
	return bracketed(typeName(m), extraOf(m), parts(m), isList(m))
}

// String says how to print a module of one's own, whose type Base does not know.
func (b *Base) String() string {
	return "nn.Base (print nn.Repr(m), or give the module: func (m *Net) String() string { return nn.Repr(m) })"
}

func typeName(m Module) string {
	t := reflect.TypeOf(m)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	name, _, _ := strings.Cut(t.Name(), "[")
	return name
}

func isList(m Module) bool { _, ok := m.(*ModuleList); return ok }

func extraOf(m Module) string {
	if e, ok := m.(ExtraRepr); ok {
		return e.ExtraRepr()
	}
	if e, ok := m.(described); ok {
		return e.extra()
	}
	return ""
}

// part is what stands under a name in a module: a module, the text of a parameter, or the rest of names that begin alike.
type part struct {
	name string
	text string
}

// parts lists what is directly inside m, also what is inside twice. What slices and maps of modules hold is put
// together, as if they were a ModuleList or a ModuleDict.
func parts(m Module) []part {
	var names []string
	var texts []string
	w := walker{again: true}
	w.module = func(name string, c Module) {
		if len(w.open) == 2 && c != m {
			if name == "" { // part of m itself, as an embedded module is
				for _, p := range parts(c) {
					names, texts = append(names, p.name), append(texts, p.text)
				}
				return
			}
			names, texts = append(names, name), append(texts, Repr(c))
		}
	}
	switch m.(type) {
	case *ParameterList, *ParameterDict:
		w.tensor = func(name string, t *lucid.Tensor, _ field) {
			names, texts = append(names, name), append(texts, parameterText(t))
		}
	}
	w.visit(m)
	return grouped(names, texts)
}

func parameterText(t *lucid.Tensor) string {
	sizes := strings.Trim(strings.ReplaceAll(fmt.Sprint(t.Shape()), " ", "x"), "[]")
	return fmt.Sprintf("Parameter containing: [%v of size %s]", t.DType(), sizes)
}

// grouped puts names with the same first part together.
func grouped(names, texts []string) (list []part) {
	for i := 0; i < len(names); {
		first, _, deep := strings.Cut(names[i], ".")
		if !deep {
			list = append(list, part{first, texts[i]})
			i++
			continue
		}
		var inner, innerTexts []string
		numbers := true
		for ; i < len(names) && strings.HasPrefix(names[i], first+"."); i++ {
			rest := names[i][len(first)+1:]
			head, _, _ := strings.Cut(rest, ".")
			_, err := strconv.Atoi(head)
			numbers = numbers && err == nil
			inner, innerTexts = append(inner, rest), append(innerTexts, texts[i])
		}
		kind := "ModuleDict"
		if numbers {
			kind = "ModuleList"
		}
		list = append(list, part{first, bracketed(kind, "", grouped(inner, innerTexts), numbers)})
	}
	return list
}

// bracketed writes a module around its parts; those of a list that are alike stand in one line.
func bracketed(name, extra string, list []part, fold bool) string {
	if len(list) == 0 && !strings.Contains(extra, "\n") {
		return name + "(" + extra + ")"
	}
	var b strings.Builder
	b.WriteString(name + "(\n")
	if extra != "" {
		b.WriteString(indent(extra) + "\n")
	}
	for i := 0; i < len(list); {
		n := 1
		for fold && i+n < len(list) && list[i+n].text == list[i].text {
			n++
		}
		line := "(" + list[i].name + "): " + list[i].text
		if n > 1 {
			line = fmt.Sprintf("(%s-%s): %d x %s", list[i].name, list[i+n-1].name, n, list[i].text)
		}
		b.WriteString(indent(line) + "\n")
		i += n
	}
	return b.String() + ")"
}

func indent(s string) string { return "  " + strings.ReplaceAll(s, "\n", "\n  ") }
