package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A file is one text of the project.
type file struct {
	path      string // from the root, with slashes
	text      string
	generated bool
}

var generatedHeader = regexp.MustCompile(`(?m)\A(?:// )?(?:<!-- )?Code generated .* DO NOT EDIT\.`)

var readAll = sync.OnceValues(func() ([]file, error) { return read(os.DirFS("../..")) })

// files lists every text of the project but for test data, which is what other programs wrote.
func files(t *testing.T) []file {
	t.Helper()
	all, err := readAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 100 {
		t.Fatalf("found %d files; the project has more", len(all))
	}
	return all
}

var texts = []string{".go", ".s", ".md", ".py", ".cu", ".cc", ".sh", ".mod", ".txt", ".yml", ".yaml", ""}

func read(root fs.FS) (all []file, err error) {
	err = fs.WalkDir(root, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			hidden := strings.HasPrefix(d.Name(), ".") && p != "." && p != ".ci"
			if hidden || d.Name() == "testdata" || d.Name() == "__pycache__" {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() || !slices.Contains(texts, path.Ext(p)) && d.Name() != ".gitignore" {
			return nil
		}
		b, err := fs.ReadFile(root, p)
		if err != nil {
			return err
		}
		if n := min(len(b), 512); strings.ContainsRune(string(b[:n]), 0) {
			return nil // a built program
		}
		all = append(all, file{p, string(b), generatedHeader.Match(b)})
		return nil
	})
	return all, err
}

func (f file) ext() string { return path.Ext(f.path) }
func (f file) test() bool  { return strings.HasSuffix(f.path, "_test.go") }
func (f file) dir() string { return path.Dir(f.path) }
func (f file) lines() int  { return strings.Count(f.text, "\n") }
func (f file) under(trees ...string) bool {
	return slices.ContainsFunc(trees, func(t string) bool { return strings.HasPrefix(f.path, t+"/") })
}

// parse reads a Go file with its comments.
func (f file) parse(t *testing.T) (*token.FileSet, *ast.File) {
	t.Helper()
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, f.path, f.text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return set, tree
}
