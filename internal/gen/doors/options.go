package doors

import (
	"bytes"
	"fmt"
	"go/ast"
	"reflect"
	"slices"
	"sort"
	"strings"
	"unicode"
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
				fl := field{name: n.Name, typ: typeString(f.Type), attr: snake(n.Name),
					comment: strings.TrimSpace(f.Doc.Text() + f.Comment.Text())}
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

// optionType is an options struct as users see it: the optional tensors of a function, then the fields package ops declares.
type optionType struct {
	name, ops string // ops is "" where the op has optional tensors alone
	family    string // of its first function
	tensors   []field
	fields    []field
	owners    []string
}

// hidden are fields that the name of the function decides.
var hidden = map[string]bool{"MaxPoolOptions.ReturnIndices": true}

// counts are numbers for which zero makes no sense, or is the default: a plain number where zero means the default.
var counts = map[string]bool{"Groups": true, "Bins": true, "NumClasses": true, "DivisorOverride": true, "Step": true,
	"BlockSize": true, "CombinationsOptions.R": true, "ExponentialWindowOptions.Tau": true, "FFTFreqOptions.D": true,
	"GaussianWindowOptions.Std": true, "HuberLossOptions.Delta": true, "LobpcgOptions.K": true, "LobpcgOptions.Niter": true,
	"PcaLowrankOptions.Q": true, "SvdLowrankOptions.Q": true, "MultiMarginLossOptions.P": true, "RoPEOptions.Base": true,
	"RoPEOptions.Scale":         true,
	"SliceScatterOptions.Start": true, "SoftplusOptions.Beta": true, "StepOptions.Threshold": true,
	"TensorInvOptions.Ind": true, "VanderOptions.N": true, "LinalgVanderOptions.N": true}

func (t optionType) count(f field) bool {
	return strings.HasPrefix(f.typ, "*") && (counts[f.name] || counts[t.ops+"."+f.name])
}

// initialisms are parts of field names that Go writes in capitals.
var initialisms = map[string]string{"fweights": "FWeights", "aweights": "AWeights", "lhsIndices": "LHSIndices", "rhsIndices": "RHSIndices",
	"maskLhs": "MaskLHS", "maskRhs": "MaskRHS", "atolTensor": "ATolTensor", "rtolTensor": "RTolTensor"}

func fieldName(param string) string {
	if n := initialisms[param]; n != "" {
		return n
	}
	r := []rune(param)
	return string(unicode.ToUpper(r[0])) + string(r[1:])
}

// optionsOf is the public options struct of an op, nil if it has none.
func (src *source) optionsOf(o op) *optionType {
	if o.door == "" || o.optionsName == "-" {
		return nil
	}
	t := &optionType{name: o.optionsName, family: o.family}
	for _, p := range o.params {
		switch {
		case isOptions(p.typ):
			t.ops = p.typ
			for _, f := range src.options[p.typ] {
				if !hidden[p.typ+"."+f.name] {
					t.fields = append(t.fields, f)
				}
			}
		case o.inOptions(p):
			t.tensors = append(t.tensors, field{name: fieldName(p.name), typ: p.typ, attr: p.name})
		}
	}
	if t.ops == "" && t.tensors == nil {
		return nil
	}
	if t.name == "" {
		t.name = t.ops
	}
	if t.name == "" {
		t.name = o.door + "Options"
	}
	return t
}

// inOptions reports whether a parameter is a tensor, or a list of them, that may be left out: users give it in the options. An operand,
// as the bounds of clamp, stays where it is.
func (o op) inOptions(p param) bool {
	return o.optional[p.name] && (p.typ == "*Node" || p.typ == "[]*Node") && !p.variadic
}

// optionTypes lists the options of a package, by name. Functions that share one agree on its fields.
func (src *source) optionTypes(pkg string) ([]optionType, error) {
	all := map[string]*optionType{}
	for _, o := range src.ops {
		if o.pkg != pkg {
			continue
		}
		t := src.optionsOf(o)
		if t == nil {
			continue
		}
		old := all[t.name]
		if old == nil {
			all[t.name], old = t, t
		}
		if old.ops != t.ops || !slices.Equal(old.tensors, t.tensors) {
			return nil, fmt.Errorf("%s in %s: %s would have other fields than for %s; give it a name with //lucid:options",
				t.name, pkg, o.fn, old.owners[0])
		}
		if o.public != "" {
			old.owners = append(old.owners, o.public[strings.LastIndexByte(o.public, '.')+1:])
		} else if old.owners == nil {
			old.owners = append(old.owners, o.fn)
		}
	}
	var list []optionType
	for _, t := range all {
		list = append(list, *t)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].name < list[j].name })
	return list, nil
}

// write writes the struct, and its conversion to what package ops declares.
func (t optionType) write(b *bytes.Buffer, src *source, show func(string) string) error {
	for line := range strings.SplitSeq(src.optionDoc(t), "\n") {
		if line != "" && line[0] != '\t' { // code stands behind a tab
			line = " " + line
		}
		b.WriteString("//" + line + "\n")
	}
	fmt.Fprintf(b, "type %s struct {\n", t.name)
	for _, f := range t.tensors {
		doc := tensorDocs[t.name+"."+f.name]
		if doc == "" {
			doc = tensorDocs[f.name]
		}
		if doc == "" {
			return fmt.Errorf("%s.%s has no comment; say what it is in internal/gen/doors/tensors.go", t.name, f.name)
		}
		fmt.Fprintf(b, "\t%s %s // %s\n", f.name, show(f.typ), doc)
	}
	for _, f := range t.fields {
		typ := show(f.typ)
		if t.count(f) {
			typ = strings.TrimPrefix(typ, "*")
		}
		comment := strings.ReplaceAll(f.comment, "\n", " ")
		if t.count(f) {
			comment = strings.ReplaceAll(comment, "nil:", "0:")
		}
		if comment == "" {
			return fmt.Errorf("ops.%s.%s has no comment; say what it is and what its zero means", t.ops, f.name)
		}
		if len(f.name)+len(typ)+len(comment) > 110 {
			for _, line := range wrapText(comment, 110) {
				fmt.Fprintf(b, "\t// %s\n", line)
			}
			fmt.Fprintf(b, "\t%s %s\n", f.name, typ)
			continue
		}
		fmt.Fprintf(b, "\t%s %s // %s\n", f.name, typ, comment)
	}
	b.WriteString("}\n\n")
	if t.ops == "" {
		return nil
	}
	var set []string
	for _, f := range t.fields {
		v := "o." + f.name
		if t.count(f) {
			v = "door.NonZero(" + v + ")"
		}
		set = append(set, f.name+": "+v)
	}
	fmt.Fprintf(b, "func (o %s) op() ops.%s { return ops.%s{%s} }\n\n", t.name, t.ops, t.ops, joined(set))
	return nil
}

// wrapText breaks a text into lines.
func wrapText(s string, width int) (lines []string) {
	line := ""
	for w := range strings.FieldsSeq(s) {
		if line != "" && len(line)+1+len(w) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimSpace(line + " " + w)
	}
	return append(lines, line)
}

// optionDoc says whose options they are. What package ops says above its struct is for its readers: here the fields speak, but
// for what is true of all lists.
func (src *source) optionDoc(t optionType) string {
	doc := t.name + " are the options of " + list(t.owners) + "; the zero value is PyTorch's default."
	if i := strings.Index(src.optionDocs[t.ops], "A list "); i >= 0 {
		doc += " " + src.optionDocs[t.ops][i:]
	}
	return strings.Join(wrapText(doc, 130), "\n")
}

// list names functions, or the first of them where there are many.
func list(names []string) string {
	const most = 6
	sort.Strings(names)
	switch n := len(names); {
	case n == 1:
		return names[0]
	case n > most:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), n-most)
	default:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
}
