package lint

import (
	"fmt"
	"go/ast"
	"strings"
	"testing"
)

// longFiles are hand-written files over the limit, each with its reason.
var longFiles = map[string]string{}

// longFuncs are functions over the limit, as path:name, each with its reason.
var longFuncs = map[string]string{
	"internal/test/ops/index_fuzz_test.go:naiveIndex": "the oracle of indexing, which is trusted because it can be read from top to bottom",
}

// fileLimit is the most lines a hand-written file may have, and how many it should stay below.
func fileLimit(f file) (most, aim int) {
	switch {
	case f.test():
		return 800, 400
	case f.ext() == ".s":
		return 800, 300
	case f.ext() == ".go", f.ext() == ".cu":
		return 600, 300
	}
	return 0, 0
}

// funcLimit is the most lines a function may have: a kernel is one loop nest, which does not always come apart.
func funcLimit(f file) int {
	if f.under("internal/backend") && !f.test() {
		return 150
	}
	return 100
}

// oversize lists the files and functions of f over their limits, by the key of their exception.
func oversize(t *testing.T, f file) map[string]string {
	over := map[string]string{}
	if most, _ := fileLimit(f); f.lines() > most && most > 0 {
		over[f.path] = fmt.Sprintf("%s has %d lines, more than %d; split it by subject", f.path, f.lines(), most)
	}
	if f.ext() != ".go" {
		return over
	}
	set, tree := f.parse(t)
	for _, d := range tree.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		if n := set.Position(fn.End()).Line - set.Position(fn.Pos()).Line + 1; n > funcLimit(f) {
			key := f.path + ":" + fn.Name.Name
			over[key] = fmt.Sprintf("%s: %s has %d lines, more than %d; split it", f.path, fn.Name.Name, n, funcLimit(f))
		}
	}
	return over
}

// TestSizes keeps files and functions short enough to be read at once.
func TestSizes(t *testing.T) {
	used := map[string]bool{}
	long := 0
	for _, f := range files(t) {
		if f.generated {
			if f.ext() == ".go" && f.lines() > 2000 {
				t.Errorf("%s is generated and has %d lines, more than 2000; let the generator split it", f.path, f.lines())
			}
			continue
		}
		if _, aim := fileLimit(f); aim > 0 && f.lines() > aim {
			t.Logf("%s has %d lines; aim for %d", f.path, f.lines(), aim)
			long++
		}
		for key, what := range oversize(t, f) {
			if longFiles[key]+longFuncs[key] == "" {
				t.Error(what)
			}
			used[key] = true
		}
	}
	t.Logf("%d files are longer than they should be", long)
	for _, m := range []map[string]string{longFiles, longFuncs} {
		for key := range m {
			if !used[key] {
				t.Errorf("the exception for %s is not needed any more; delete it", key)
			}
		}
	}
}

// TestSizesSeesLongOnes plants a long file and long functions.
func TestSizesSeesLongOnes(t *testing.T) {
	fn := "package p\n\nfunc f() {\n" + strings.Repeat("\t_ = 0\n", 120) + "}\n"
	for _, c := range []struct {
		path, text string
		want       int
	}{
		{"a.go", fn, 1},
		{"internal/backend/cpu/a.go", fn, 0},
		{"internal/backend/cpu/a_test.go", fn, 1},
		{"a.go", "package p\n" + strings.Repeat("\n", 600), 1},
		{"a_test.go", "package p\n" + strings.Repeat("\n", 600), 0},
		{"a.s", strings.Repeat("\n", 801), 1},
		{"a.md", strings.Repeat("\n", 5000), 0},
	} {
		if got := oversize(t, file{path: c.path, text: c.text}); len(got) != c.want {
			t.Errorf("%s: %v, want %d", c.path, got, c.want)
		}
	}
}
