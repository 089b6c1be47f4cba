package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// kernels are the packages whose assembly reads and writes slices.
var kernels = []string{"simd", "gemm", "conv/kernel"}

// fencing are the helpers by which tests put operands next to pages that may not be accessed.
var fencing = []string{"fence", "newArena"}

const kernelsAt = "../backend/cpu/"

// routineHead finds the names of routines, also of those whose text is in a header that several files include.
var routineHead = regexp.MustCompile(`(?m)^(?:TEXT (·?)(\w+)(?:<>)?\(SB\)|#define \w+ (·)(\w+)$)`)

// routines lists the routines of assembly that a package has for an architecture, those that only assembly knows if inner.
func routines(t *testing.T, pkg, arch string, inner bool) (names []string) {
	t.Helper()
	paths, err := filepath.Glob(kernelsAt + pkg + "/*_" + arch + ".s")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range routineHead.FindAllStringSubmatch(string(text), -1) {
			if m[1]+m[3] != "" || inner {
				names = append(names, m[2]+m[4])
			}
		}
	}
	if len(names) < 50 {
		t.Fatalf("%s has %d routines for %s; there are more", pkg, len(names), arch)
	}
	return names
}

// mentions gives, for each function of the Go files of a package that keep lets through, what its body mentions; what is
// mentioned outside functions is under "".
func mentions(t *testing.T, pkg string, keep func(path string) bool) map[string][]string {
	t.Helper()
	paths, err := filepath.Glob(kernelsAt + pkg + "/*.go")
	if err != nil {
		t.Fatal(err)
	}
	of := map[string][]string{}
	for _, p := range paths {
		if !keep(p) {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			name, body := "", ast.Node(d)
			if fn, ok := d.(*ast.FuncDecl); ok {
				if fn.Body == nil {
					continue
				}
				name, body = fn.Name.Name, fn.Body
			}
			ast.Inspect(body, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					of[name] = append(of[name], id.Name)
				}
				return true
			})
		}
	}
	return of
}

// TestAssemblyUsed: no routine is left that no Go code calls or holds.
func TestAssemblyUsed(t *testing.T) {
	for _, pkg := range kernels {
		for _, arch := range []string{"amd64", "arm64"} {
			used := map[string]bool{}
			for _, ids := range mentions(t, pkg, func(p string) bool { return !strings.HasSuffix(p, "_test.go") }) {
				for _, id := range ids {
					used[id] = true
				}
			}
			for _, r := range routines(t, pkg, arch, false) {
				if !used[r] {
					t.Errorf("%s, %s: no Go code mentions %s", pkg, arch, r)
				}
			}
		}
	}
}

// fenced lists the tests of a package that use the helpers in fencing, by whatever way.
func fenced(t *testing.T, pkg string) (tests []string) {
	t.Helper()
	of := mentions(t, pkg, func(p string) bool { return strings.HasSuffix(p, "_test.go") })
	reach := map[string]bool{}
	for _, f := range fencing {
		reach[f] = true
	}
	for grown := true; grown; {
		grown = false
		for name, ids := range of {
			if name != "" && !reach[name] && slices.ContainsFunc(ids, func(id string) bool { return reach[id] }) {
				reach[name], grown = true, true
			}
		}
	}
	for name := range reach {
		if strings.HasPrefix(name, "Test") {
			tests = append(tests, name)
		}
	}
	if len(tests) < 5 {
		t.Fatalf("%s has %d tests with fenced operands; there are more", pkg, len(tests))
	}
	slices.Sort(tests)
	return tests
}
