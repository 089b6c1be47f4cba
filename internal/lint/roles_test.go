package lint

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/lucid-go/lucid/internal/graph"
)

// nameComparisons lists where a file compares a field called Name or op with the name of an op.
func nameComparisons(set *token.FileSet, f *ast.File) (bad []string) {
	field := func(e ast.Expr) bool {
		s, ok := e.(*ast.SelectorExpr)
		return ok && (s.Sel.Name == "Name" || s.Sel.Name == "op")
	}
	opName := func(e ast.Expr) bool {
		l, ok := e.(*ast.BasicLit)
		if !ok || l.Kind != token.STRING {
			return false
		}
		name, _ := strconv.Unquote(l.Value)
		return graph.Lookup(name) != nil
	}
	report := func(n ast.Node) {
		at := set.Position(n.Pos())
		bad = append(bad, fmt.Sprintf("%s:%d: compares the name of an op; ask for its Kind, its Role or another field of the declaration",
			at.Filename, at.Line))
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if (n.Op == token.EQL || n.Op == token.NEQ) && (field(n.X) && opName(n.Y) || field(n.Y) && opName(n.X)) {
				report(n)
			}
		case *ast.SwitchStmt:
			if n.Tag == nil || !field(n.Tag) {
				return true
			}
			for _, c := range n.Body.List {
				for _, e := range c.(*ast.CaseClause).List {
					if opName(e) {
						report(e)
					}
				}
			}
		}
		return true
	})
	return bad
}

// TestPassesAskRoles refuses passes that look for ops by name: an op that is added would be missing from such a list.
func TestPassesAskRoles(t *testing.T) {
	for _, dir := range []string{".", "internal/graph", "internal/ops", "internal/exec", "internal/transform",
		"internal/compile", "internal/export"} {
		files, err := filepath.Glob(filepath.Join("../..", dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", dir, err)
		}
		set := token.NewFileSet()
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range nameComparisons(set, f) {
				t.Error(b)
			}
		}
	}
}

// TestPassesAskRolesSees plants comparisons.
func TestPassesAskRolesSees(t *testing.T) {
	const planted = `package p
func f(n node, s step) {
	if n.Op().Name == "cast" || "reshape" != s.op || n.Op().Name == "no op is called so" { }
	switch n.Op().Name {
	case "other":
	case "cat", "permute":
	}
}`
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, "planted.go", planted, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	if got := nameComparisons(set, f); len(got) != 4 {
		t.Errorf("%q", got)
	}
}
