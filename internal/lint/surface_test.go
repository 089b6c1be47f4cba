package lint

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// sharedNames are function names that two public packages have, each with its reason. Everything else has one home.
var sharedNames = map[string]string{
	"Beta":         "random draws from a distribution, special has the function: PyTorch's and SciPy's own words",
	"Binomial":     "random draws by a key what lucid draws by the default generator",
	"Poisson":      "random draws by a key what lucid draws by the default generator",
	"Cond":         "a branch of a graph in package lucid; the condition number in linalg",
	"Polar":        "complex numbers from length and angle in package lucid; a decomposition in linalg",
	"Vander":       "falling powers of one vector in package lucid; rising powers of a batch of them in linalg",
	"Call":         "lucid calls an op by name, nn a module as PyTorch's m(x) does",
	"Bernoulli":    "random draws by a key what lucid draws by the default generator",
	"Eval":         "lucid computes tensors, nn ends training: PyTorch's and MLX's own words",
	"Einsum":       "lucid names axes by letters, einops by words: NumPy's and the Python package's own words",
	"Map":          "lucid maps a function over the slices of tensors, tree over the tensors of a tree: JAX's own words",
	"New":          "lucid makes a tensor, llm/serve a server: as Go's packages do",
	"Open":         "each opens files of its own kind, as Go's packages do",
	"Normal":       "random draws by a key what lucid draws by the default generator",
	"Normalize":    "data/transforms makes a transform of images of what nn/functional computes",
	"Pad":          "data/transforms makes a transform of images of what nn/functional computes",
	"RandInt":      "random draws by a key what lucid draws by the default generator",
	"Split":        "random makes keys, lucid parts of a tensor: JAX's, MLX's and PyTorch's own words",
	"Flatten":      "tree lists the tensors of a tree, lucid the elements of a tensor: MLX's and PyTorch's own words",
	"Unflatten":    "the opposite of Flatten in both",
	"Stack":        "tree stacks trees leaf by leaf as lucid stacks tensors",
	"Reduce":       "tree folds the tensors of a tree, einops the dimensions of a tensor",
	"ValueAndGrad": "lucid differentiates by arguments, nn by the parameters of a module: MLX's own words",
	"Load":         "llm loads a model of files that describe one, lucid tensors: mlx-lm's and PyTorch's own words",
}

// published reports whether users import the package of a file.
func (f file) published() bool {
	return f.ext() == ".go" && !f.test() && !f.under("internal", "cmd", "examples", "scripts", "bench", "docs") &&
		!strings.Contains("/"+f.dir(), "/internal/")
}

// surface is the exported names of the public packages.
type surface struct {
	functions map[string][]string        // name → packages
	casings   map[string]map[string]bool // a name in lower case, without New and Options → its forms
	bad       []string
}

func newSurface() *surface {
	return &surface{functions: map[string][]string{}, casings: map[string]map[string]bool{}}
}

// add reads a file.
func (s *surface) add(dir string, tree *ast.File) {
	for _, d := range tree.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if !d.Name.IsExported() || d.Recv != nil && !exportedReceiver(d) {
				continue
			}
			s.cased(d.Name.Name)
			if d.Recv == nil {
				s.functions[d.Name.Name] = append(s.functions[d.Name.Name], dir)
				if of := aliasOf(d); of != "" {
					s.bad = append(s.bad, fmt.Sprintf("%s.%s is %s under another name; ops answer to other names through Call",
						dir, d.Name.Name, of))
				}
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if t, ok := spec.(*ast.TypeSpec); ok && t.Name.IsExported() {
					s.cased(t.Name.Name)
					s.alias(dir, t)
					s.fields(dir, t)
				}
			}
		}
	}
}

// cased notes how a name is written.
func (s *surface) cased(name string) {
	name = strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(name, "New"), "_"), "Options")
	key := strings.ToLower(name)
	if key == "" {
		return
	}
	if s.casings[key] == nil {
		s.casings[key] = map[string]bool{}
	}
	s.casings[key][name] = true
}

// aliases are the types that are an internal package's under another name, each with its reason.
var aliases = map[string]string{
	"DType": "every layer switches on dtypes; a second type would be converted in each function. Its comment lists the methods",
	"Error": "errors.As must find one type, whichever package made the error. Its comment lists the fields",
}

// alias refuses types of which go doc shows neither fields nor methods.
func (s *surface) alias(dir string, t *ast.TypeSpec) {
	if t.Assign.IsValid() && aliases[t.Name.Name] == "" {
		s.bad = append(s.bad, fmt.Sprintf("%s.%s is an alias; go doc shows no fields: declare a struct", dir, t.Name.Name))
	}
}

// fields refuses options without comments.
func (s *surface) fields(dir string, t *ast.TypeSpec) {
	if !strings.HasSuffix(t.Name.Name, "Options") {
		return
	}
	st, ok := t.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, f := range st.Fields.List {
		if f.Doc != nil || f.Comment != nil {
			continue
		}
		for _, n := range f.Names {
			if n.IsExported() {
				s.bad = append(s.bad, fmt.Sprintf("%s.%s.%s has no comment; say what it is and what its zero means",
					dir, t.Name.Name, n.Name))
			}
		}
	}
}

// aliasOf names the exported function that a function hands all its parameters to, in their order; "" if it does more.
func aliasOf(d *ast.FuncDecl) string {
	if d.Body == nil || len(d.Body.List) != 1 {
		return ""
	}
	r, ok := d.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(r.Results) != 1 {
		return ""
	}
	c, ok := r.Results[0].(*ast.CallExpr)
	if !ok {
		return ""
	}
	var name, pkg string
	switch f := c.Fun.(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		x, ok := f.X.(*ast.Ident)
		if !ok || !slices.Contains([]string{"lucid", "F", "nn", "linalg", "special", "random", "optim"}, x.Name) {
			return "" // a function of an internal package has no other name for users
		}
		name, pkg = f.Sel.Name, x.Name+"."
	}
	if name == "" || !ast.IsExported(name) {
		return ""
	}
	var params, args []string
	for _, p := range d.Type.Params.List {
		for _, n := range p.Names {
			params = append(params, n.Name)
		}
	}
	for _, a := range c.Args {
		x, ok := a.(*ast.Ident)
		if !ok {
			return ""
		}
		args = append(args, x.Name)
	}
	if !slices.Equal(params, args) || slices.Contains(params, strings.TrimSuffix(pkg, ".")) {
		return ""
	}
	return pkg + name
}

// faults lists what is wrong with all that was read.
func (s *surface) faults(shared map[string]string) []string {
	bad := s.bad
	for name, homes := range s.functions {
		if len(homes) > 1 && shared[name] == "" {
			bad = append(bad, fmt.Sprintf("%s is a function of %s; a function has one home", name, strings.Join(homes, " and ")))
		}
	}
	for _, forms := range s.casings {
		if len(forms) > 1 {
			var list []string
			for f := range forms {
				list = append(list, f)
			}
			slices.Sort(list)
			bad = append(bad, fmt.Sprintf("%s are one name in %d spellings", strings.Join(list, " and "), len(list)))
		}
	}
	slices.Sort(bad)
	return bad
}

// TestSurface: every function has one home and one name, every name one spelling, every field of options a comment.
func TestSurface(t *testing.T) {
	s := newSurface()
	for _, f := range files(t) {
		if f.published() {
			_, tree := f.parse(t)
			s.add(f.dir(), tree)
		}
	}
	if n := len(s.functions); n < 500 {
		t.Fatalf("found %d public functions; the project has more", n)
	}
	root := 0
	for _, homes := range s.functions {
		if slices.Contains(homes, ".") {
			root++
		}
	}
	if root >= 400 {
		t.Errorf("the root has %d functions; want fewer than 400: a subject has a package", root)
	}
	for _, b := range s.faults(sharedNames) {
		t.Error(b)
	}
	for name := range sharedNames {
		if len(s.functions[name]) < 2 {
			t.Errorf("sharedNames lists %s, which %v has", name, s.functions[name])
		}
	}
}

// TestSurfaceSeesFaults plants one of each.
func TestSurfaceSeesFaults(t *testing.T) {
	s := newSurface()
	for dir, text := range map[string]string{
		"a": `package a

// AOptions are options.
type AOptions struct {
	Told   int // what it is
	Untold int
}

type BOptions = c.Options

type Stats = c.Stats

func Twice(x int) int { return x }

func Relu(x int) int { return x }
`,
		"b": `package b

func Twice(x int) int { return x + 1 }

func ReLU(x int) int { return x + 2 }

func Cat(xs []int, dim int) int { return 0 }

func Concat(xs []int, dim int) int { return Cat(xs, dim) }

func More(xs []int) int { return Cat(xs, 1) }
`} {
		_, tree := file{path: dir + "/x.go", text: text}.parse(t)
		s.add(dir, tree)
	}
	got := strings.Join(s.faults(nil), "\n")
	for _, want := range []string{"a.AOptions.Untold", "a.BOptions is an alias", "a.Stats is an alias",
		"Twice is a function of", "ReLU and Relu",
		"b.Concat is Cat"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
	if strings.Count(got, "\n") != 5 {
		t.Errorf("more than was planted:\n%s", got)
	}
}
