package lint

import (
	"go/ast"
	"testing"
)

// handleMakers are the files that may call graph.Wrap: everything else goes through internal/door, which knows scopes.
var handleMakers = map[string]string{
	"internal/door/door.go":     "is that door",
	"internal/ops/generator.go": "a generator keeps its key for as long as it lives, whatever scope it was made in",
}

// TestHandlesAreMadeInDoor: a handle made elsewhere is not freed with its scope, and its graph may grow without bound.
func TestHandlesAreMadeInDoor(t *testing.T) {
	used := map[string]bool{}
	for _, f := range files(t) {
		if f.ext() != ".go" || f.test() || f.under("internal/graph") {
			continue
		}
		set, tree := f.parse(t)
		ast.Inspect(tree, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok || sel.Sel.Name != "Wrap" {
				return true
			}
			if id, ok := sel.X.(*ast.Ident); ok && id.Name == "graph" {
				if used[f.path] = true; handleMakers[f.path] == "" {
					t.Errorf("%v: graph.Wrap makes a handle that no scope frees; use door.Wrap, or door.Unscoped", set.Position(n.Pos()))
				}
			}
			return true
		})
	}
	for path := range handleMakers {
		if !used[path] {
			t.Errorf("%s makes no handle any more; delete its exception", path)
		}
	}
}
