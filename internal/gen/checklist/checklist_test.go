package checklist

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lucid-go/lucid/internal/testutil"
)

const root = "../../.."

// added are the files that a list adds, by their paths in the tree.
func added(t *testing.T, name string) map[string]string {
	t.Helper()
	files, dir := map[string]string{}, os.DirFS(filepath.Join("testdata", name))
	err := fs.WalkDir(dir, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(dir, p)
		files[strings.TrimSuffix(p, ".txt")] = string(b)
		return err
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("%s adds no files: %v", name, err)
	}
	return files
}

// section is the text below a heading of CONTRIBUTING.md.
func section(t *testing.T, heading string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, text, ok := strings.Cut(string(b), "\n### "+heading+"\n")
	if !ok {
		t.Fatalf("CONTRIBUTING.md has no heading %q", heading)
	}
	text, _, _ = strings.Cut(text, "\n#")
	return text
}

// TestChecklists is the quick form: every file that a list adds or changes is named in CONTRIBUTING.md, by its path or its folder,
// and every row has its position in the tree.
func TestChecklists(t *testing.T) {
	for _, l := range lists {
		t.Run(l.name, func(t *testing.T) {
			text := section(t, l.heading)
			for p, source := range added(t, l.name) {
				if dir := path.Dir(p); dir != "." && !strings.Contains(text, dir) && !strings.Contains(text, path.Dir(dir)) {
					t.Errorf("CONTRIBUTING.md does not name %s, which the list adds a file to", dir)
				}
				if _, err := parser.ParseFile(token.NewFileSet(), p, source, parser.SkipObjectResolution); err != nil {
					t.Error(err)
				}
			}
			for _, r := range l.rows {
				if !strings.Contains(text, r.path) {
					t.Errorf("CONTRIBUTING.md does not name %s, which the list changes", r.path)
				}
				b, err := os.ReadFile(filepath.Join(root, r.path))
				if err != nil || !strings.Contains(string(b), r.before) {
					t.Errorf("%s has no %q (%v)", r.path, r.before, err)
				}
			}
		})
	}
}

// TestFollowChecklists is the long form: it follows each list on a copy of the tree and runs the tests that the list must satisfy.
// Without the list's own test, a new module must fail a test.
func TestFollowChecklists(t *testing.T) {
	if !testutil.Long() {
		t.Skip("LUCID_LONG=1 follows the checklists on a copy of the tree")
	}
	for _, l := range lists {
		t.Run(l.name, func(t *testing.T) {
			dir := copyTree(t)
			for p, text := range added(t, l.name) {
				write(t, filepath.Join(dir, p), text)
			}
			for _, r := range l.rows {
				b, err := os.ReadFile(filepath.Join(dir, r.path))
				if err != nil {
					t.Fatal(err)
				}
				write(t, filepath.Join(dir, r.path), strings.Replace(string(b), r.before, r.text+r.before, 1))
			}
			if l.name == "module" {
				test := filepath.Join(dir, "nn/channel_scale_test.go")
				mustRemove(t, test)
				if out, ok := run(dir, command{"go", "test", "./internal/lint", "-run", "TestModulesAreTested"}); ok ||
					!strings.Contains(out, "NewChannelScale") {
					t.Errorf("a module without a test fails no test:\n%s", out)
				}
				write(t, test, added(t, l.name)["nn/channel_scale_test.go"])
			}
			for _, c := range l.generate {
				if out, ok := run(dir, c); !ok {
					t.Fatalf("%s:\n%s", strings.Join(c, " "), out)
				}
			}
			for _, c := range l.tests {
				// A pattern that matches nothing would pass; one with a slash names a subtest.
				pattern := c[len(c)-1]
				out, ok := run(dir, append(slices.Clone(c), "-v"))
				if !ok || strings.Contains(out, "no tests to run") || strings.Contains(pattern, "/ops/") &&
					!strings.Contains(out, "--- PASS: "+pattern) {
					t.Fatalf("%s:\n%s", strings.Join(c, " "), out)
				}
			}
		})
	}
}

// copyTree copies the files that git knows.
func copyTree(t *testing.T) string {
	t.Helper()
	cmd := exec.Command("git", "ls-files", "-co", "--exclude-standard")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("no git here: %v", err)
	}
	dir := t.TempDir()
	for _, p := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		from, to := filepath.Join(root, p), filepath.Join(dir, p)
		if info, err := os.Lstat(from); err != nil || !info.Mode().IsRegular() {
			continue // deleted, not committed yet
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(to, b, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func mustRemove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

// run reports whether a command went well, and what it printed.
func run(dir string, c command) (string, bool) {
	cmd := exec.Command(c[0], c[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-buildvcs=false -trimpath", "LUCID_LONG=")
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}
