package lint

import (
	"go/ast"
	"slices"
	"testing"
)

// constructors lists the exported functions New… of a folder, and those that its tests name.
func constructors(t *testing.T, all []file, dir string) (made, tested []string) {
	for _, f := range all {
		if f.ext() != ".go" || f.dir() != dir {
			continue
		}
		_, tree := f.parse(t)
		if !f.test() {
			for _, d := range tree.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && isConstructor(fn.Name.Name) {
					made = append(made, fn.Name.Name)
				}
			}
			continue
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && isConstructor(id.Name) {
				tested = append(tested, id.Name)
			}
			return true
		})
	}
	return made, tested
}

func isConstructor(name string) bool {
	return len(name) > 3 && name[:3] == "New" && ast.IsExported(name)
}

// TestModulesAreTested asks for a test of every constructor of package nn: golden values (nn/parity_cases_test.go), or a test of its own.
func TestModulesAreTested(t *testing.T) {
	made, tested := constructors(t, files(t), "nn")
	if len(made) < 150 {
		t.Fatalf("found %d constructors in nn; there are more", len(made))
	}
	for _, name := range made {
		if !slices.Contains(tested, name) {
			t.Errorf("no test of package nn names %s; add golden values or a test", name)
		}
	}
}

// TestModulesAreTestedSees plants a constructor that no test names.
func TestModulesAreTestedSees(t *testing.T) {
	made, tested := constructors(t, []file{
		{path: "nn/a.go", text: "package nn\nfunc NewA() {}\nfunc NewB() {}\nfunc newC() {}\nfunc (m M) NewD() {}\n"},
		{path: "nn/a_test.go", text: "package nn_test\nfunc f() { nn.NewA() /* NewB */ }\n"},
		{path: "nn/utils/b.go", text: "package utils\nfunc NewE() {}\n"},
	}, "nn")
	if !slices.Equal(made, []string{"NewA", "NewB"}) || !slices.Equal(tested, []string{"NewA"}) {
		t.Errorf("%v, %v", made, tested)
	}
}
