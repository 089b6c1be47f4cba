package lint

import (
	"go/ast"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var goBlock = regexp.MustCompile("(?ms)^```go\n(.*?)^```")

// TestSnippets asks that every piece of Go code in a page runs as a test: it stands, word for word, in an Example or next to one, in an
// example file of the page's folder.
func TestSnippets(t *testing.T) {
	examples := map[string]string{} // folder → all its example files
	for _, f := range files(t) {
		if name := path.Base(f.path); f.test() && strings.HasPrefix(name, "example") && strings.Contains(f.text, "\nfunc Example") {
			examples[f.dir()] += flush(f.text)
		}
	}
	pages, blocks := 0, 0
	for _, f := range files(t) {
		if f.ext() != ".md" {
			continue
		}
		found := goBlock.FindAllStringSubmatch(f.text, -1)
		if len(found) > 0 {
			pages++
		}
		for _, b := range found {
			if blocks++; !strings.Contains(examples[f.dir()], flush(b[1])) {
				t.Errorf("%s shows code that no example file next to it has; copy it into an Example of example_*_test.go:\n%s", f.path,
					b[1])
			}
		}
	}
	if pages < 10 || blocks < 30 {
		t.Errorf("%d pieces of code in %d pages; there were more", blocks, pages)
	}
}

// TestExamplesCheck asks that an Example of the pages says what it prints: without that Go compiles it and does not run it.
func TestExamplesCheck(t *testing.T) {
	for _, f := range files(t) {
		if !f.test() || !strings.HasPrefix(f.path, "docs/") {
			continue
		}
		for _, part := range strings.Split(f.text, "\nfunc Example")[1:] {
			if name, _, _ := strings.Cut(part, "("); !strings.Contains(part, "// Output:") {
				t.Errorf("%s: Example%s has no Output", f.path, name)
			}
		}
	}
}

// flush removes the indentation of every line.
func flush(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimLeft(lines[i], "\t")
	}
	return strings.Join(lines, "\n")
}

// TestPackagePages asks for a page of every public package, and for it in the list.
func TestPackagePages(t *testing.T) {
	list, err := os.ReadFile("../../docs/packages/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for dir := range publicNames(t) {
		name := "lucid"
		if dir != "." {
			name = strings.ReplaceAll(dir, "/", "-")
		}
		if _, err := os.Stat("../../docs/packages/" + name + ".md"); err != nil || !strings.Contains(string(list), "("+name+".md)") {
			t.Errorf("package %s has no page docs/packages/%s.md, or it is not in docs/packages/README.md", dir, name)
		}
	}
}

// publicNames returns the exported names of every public package, by its folder.
func publicNames(t *testing.T) map[string]map[string]bool {
	names := map[string]map[string]bool{}
	for _, f := range files(t) {
		if f.ext() != ".go" || f.test() || f.dir() != "." && !covers([]string{"public"}, f.dir()) || strings.Contains(f.dir(), "internal") {
			continue
		}
		if names[f.dir()] == nil {
			names[f.dir()] = map[string]bool{}
		}
		_, tree := f.parse(t)
		for _, d := range tree.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				names[f.dir()][d.Name.Name] = true // methods too: pages say x.Add
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						names[f.dir()][s.Name.Name] = true
					case *ast.ValueSpec:
						for _, n := range s.Names {
							names[f.dir()][n.Name] = true
						}
					}
				}
			}
		}
	}
	return names
}

// qualified is a name with its package, as in lucid.Grad.
var qualified = regexp.MustCompile(`\b([a-zA-Z]+)\.([A-Z][A-Za-z0-9]*_?)`)

// bareName is an exported name without its package.
var bareName = regexp.MustCompile(`^[A-Z][a-z]+[A-Za-z0-9]*_?$`)

// TestDocNames asks that names in the pages' running text and tables exist: code in blocks is compiled, this is not.
func TestDocNames(t *testing.T) {
	names := publicNames(t)
	dirs := map[string]string{"lucid": ".", "F": "nn/functional", "nninit": "nn/init"}
	for dir := range names {
		if dir != "." {
			dirs[path.Base(dir)] = dir
		}
	}
	checked := 0
	for _, f := range files(t) {
		if f.ext() != ".md" || !strings.HasPrefix(f.path, "docs/tutorial") && !strings.HasPrefix(f.path, "docs/packages") &&
			f.path != "README.md" {
			continue
		}
		text := regexp.MustCompile("(?ms)^```.*?^```").ReplaceAllString(f.text, "")
		for _, line := range strings.Split(text, "\n") {
			if cells := strings.Split(line, "|"); strings.HasPrefix(f.path, "docs/tutorial-") && len(cells) == 4 {
				line = cells[2] // the first column is another language
			}
			for _, span := range codeSpan.FindAllString(line, -1) {
				if word := strings.Trim(span, "`"); bareName.MatchString(word) && strings.HasPrefix(f.path, "docs/packages") {
					checked++
					if !slices.ContainsFunc(slices.Collect(maps.Values(names)), func(n map[string]bool) bool { return n[word] }) {
						t.Errorf("%s says %s, which no public package has", f.path, word)
					}
				}
				for _, m := range qualified.FindAllStringSubmatch(span, -1) {
					dir, ok := dirs[m[1]]
					if !ok {
						continue
					}
					if checked++; !names[dir][m[2]] {
						t.Errorf("%s says %s, which package %s does not have", f.path, m[0], dir)
					}
				}
			}
		}
	}
	if checked < 40 {
		t.Errorf("%d names found in the pages, of packages %v; there were more", checked, slices.Sorted(maps.Keys(names)))
	}
}
