package doors

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
	"unicode"
)

// param is a parameter of an op function.
type param struct {
	name, typ string
	variadic  bool
}

// field is a field of an options struct.
type field struct {
	name, typ, attr string
	not             bool   // the attribute says the opposite
	comment         string // behind the field, without slashes
}

// op is a marked function.
type op struct {
	name           string // lower_snake
	family         string // its subject
	fn             string // in package ops
	pkg, door      string // the function's package, "." being the root, and its name; "" if none. Lower case is for hand-written code
	public         string // the name users know, "." and all, "" if none
	optionsName    string // public name of the options, "-" if they stay unseen
	methods        []method
	inplace        bool
	inplaceForm    *method           // its signature, where it is not that of the method
	view           bool              // results are views, as in PyTorch
	amp            string            // of a function written with other ops: float32, half, promote
	random         string            // why a function written with other ops does not give the same bits each time
	noGrad, noVMap string            // why a function written with other ops has no gradient, or cannot be vectorised
	optional       map[string]bool   // tensors and operands that may be nil
	aliases        []string          // other names in calls
	defaults       map[string]string // values of parameters that a call by name may leave out
	doc            string
	params         []param
	results        []string
	resNames       []string
}

// method is a method to be written: its name and, if its parameters differ from the function's, those.
type method struct {
	name   string
	params []param
	given  bool
}

type source struct {
	ops        []op
	options    map[string][]field
	optionDocs map[string]string // what is written above an options struct
}

// parse reads package ops.
func parse(dir string) (*source, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	src := &source{options: map[string][]field{}, optionDocs: map[string]string{}}
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		text, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(token.NewFileSet(), f, text, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && d.Doc != nil && strings.Contains(allComments(d.Doc), "lucid:") {
					o, err := parseOp(d)
					if err != nil {
						return nil, fmt.Errorf("%s: %s: %w", f, d.Name.Name, err)
					}
					if o.family, err = familyOf(strings.TrimSuffix(filepath.Base(f), ".go")); err != nil {
						return nil, err
					}
					src.ops = append(src.ops, o)
				}
			case *ast.GenDecl:
				parseOptions(src, d)
			}
		}
	}
	sort.Slice(src.ops, func(i, j int) bool { return src.ops[i].fn < src.ops[j].fn })
	return src, nil
}

func allComments(g *ast.CommentGroup) string {
	s := ""
	for _, c := range g.List {
		s += c.Text + "\n"
	}
	return s
}

func parseOp(d *ast.FuncDecl) (op, error) {
	o := op{fn: d.Name.Name, name: snake(d.Name.Name)}
	var doc []string
	for _, c := range d.Doc.List {
		text, isMark := strings.CutPrefix(c.Text, "//lucid:")
		if !isMark {
			doc = append(doc, strings.TrimPrefix(strings.TrimPrefix(c.Text, "//"), " "))
			continue
		}
		verb, rest, _ := strings.Cut(text, " ")
		rest = strings.TrimSpace(rest)
		switch verb {
		case "func":
			if err := o.home(".", rest); err != nil {
				return o, err
			}
		case "name":
			o.name = rest
		case "pkg":
			pkg, door, _ := strings.Cut(rest, " ")
			if err := o.home(pkg, door); err != nil {
				return o, err
			}
		case "options":
			o.optionsName = rest
		case "method":
			o.methods = append(o.methods, parseMethod(o.fn, rest))
		case "optional":
			o.optional = map[string]bool{}
			for _, n := range strings.Fields(rest) {
				o.optional[n] = true
			}
		case "default":
			o.defaults = map[string]string{}
			for _, f := range strings.Fields(rest) {
				n, v, _ := strings.Cut(f, "=")
				o.defaults[n] = v
			}
		case "alias":
			o.aliases = append(o.aliases, strings.Fields(rest)...)
		case "amp":
			o.amp = rest
		case "nondeterministic":
			o.random = rest
		case "nograd":
			o.noGrad = rest
		case "novmap":
			o.noVMap = rest
		case "inplace":
			o.inplace = true
			if rest != "" {
				m := parseMethod(o.fn, rest)
				o.inplaceForm = &m
			}
		case "view":
			o.view = true
		default:
			return o, fmt.Errorf("unknown mark %q", c.Text)
		}
	}
	o.doc = strings.TrimSpace(strings.Join(doc, "\n"))
	if o.doc == "" {
		return o, fmt.Errorf("has no doc comment")
	}
	for _, p := range d.Type.Params.List {
		t := typeString(p.Type)
		for _, n := range p.Names {
			o.params = append(o.params, param{n.Name, strings.TrimPrefix(t, "..."), strings.HasPrefix(t, "...")})
		}
	}
	for _, r := range d.Type.Results.List {
		names := []string{""}
		if len(r.Names) > 0 {
			names = nil
			for _, n := range r.Names {
				names = append(names, n.Name)
			}
		}
		for _, n := range names {
			o.results = append(o.results, typeString(r.Type))
			o.resNames = append(o.resNames, n)
		}
	}
	return o, nil
}

// parseMethod reads a signature behind a mark; without one it is the function's.
func parseMethod(fn, signature string) method {
	m := method{name: fn}
	if signature == "" {
		return m
	}
	name, args, has := strings.Cut(signature, "(")
	m.name = name
	if has {
		m.given = true
		m.params = parseParams(strings.TrimSuffix(args, ")"))
	}
	return m
}

// home sets the one package where users find the function: a name, or the name of a function for hand-written code and the
// public one behind it.
func (o *op) home(pkg, names string) error {
	if o.pkg != "" {
		return fmt.Errorf("lives in %s and in %s; a function has one home", o.pkg, pkg)
	}
	door, public, _ := strings.Cut(names, " ")
	if door == "" {
		door = o.fn
	}
	if unicode.IsUpper(rune(door[0])) {
		public = door
	}
	if public != "" && pkg != "." {
		public = path.Base(pkg) + "." + public
	}
	o.pkg, o.door, o.public = pkg, door, public
	return nil
}

func parseParams(s string) []param {
	var out []param
	for _, p := range strings.Split(s, ",") {
		f := strings.Fields(p)
		if len(f) == 2 {
			out = append(out, param{f[0], strings.TrimPrefix(f[1], "..."), strings.HasPrefix(f[1], "...")})
		}
	}
	return out
}

func typeString(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return "*" + typeString(e.X)
	case *ast.ArrayType:
		if e.Len != nil {
			return "[" + e.Len.(*ast.BasicLit).Value + "]" + typeString(e.Elt)
		}
		return "[]" + typeString(e.Elt)
	case *ast.MapType:
		return "map[" + typeString(e.Key) + "]" + typeString(e.Value)
	case *ast.Ellipsis:
		return "..." + typeString(e.Elt)
	case *ast.SelectorExpr:
		return typeString(e.X) + "." + e.Sel.Name
	}
	return fmt.Sprintf("%T", e)
}

// snake converts CamelCase to lower_snake.
func snake(s string) string {
	switch s {
	case "KeepDim", "Keepdim":
		return "keepdim"
	case "DType":
		return "dtype"
	}
	var b strings.Builder
	r := []rune(s)
	for i, c := range r {
		if unicode.IsUpper(c) && i > 0 && (!unicode.IsUpper(r[i-1]) || i+1 < len(r) && unicode.IsLower(r[i+1])) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}
