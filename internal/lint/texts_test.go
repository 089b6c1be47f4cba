package lint

import (
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Paths that exist on one machine only. A path in quotes that code builds from parts is not one of them.
var machinePaths = []*regexp.Regexp{
	regexp.MustCompile(`(^|[\s"'` + "`" + `(=:])/work/`),
	regexp.MustCompile(`(^|[\s"'` + "`" + `(=:])/(home|Users|root)/[\w.-]+`),
	regexp.MustCompile(`(^|[\s"'` + "`" + `(=:])/tmp/`),
	regexp.MustCompile(`(^|[\s"'` + "`" + `(=:])(\.\./)*shared/`),
	regexp.MustCompile(`[A-Z]:\\Users\\`),
}

// machineWords: each of machinePaths has one of them.
var machineWords = []string{"/work/", "/home/", "Users", "/root/", "/tmp/", "shared/"}

// pathExceptions are lines that must name such a path, by file and a part of the line, each with its reason.
var pathExceptions = map[string][]string{
	"internal/lint/texts_test.go": {"machinePaths", "machineWords", "regexp.MustCompile", "planted"},
}

// machinePath returns what a line names that only one machine has, "" if nothing.
func machinePath(line string) string {
	// The expressions are slow, and most lines have none of their words.
	if !slices.ContainsFunc(machineWords, func(w string) bool { return strings.Contains(line, w) }) {
		return ""
	}
	for _, re := range machinePaths {
		if m := re.FindString(line); m != "" {
			return strings.TrimSpace(m)
		}
	}
	return ""
}

// TestNoMachinePaths keeps the project free of paths that exist on one machine only.
func TestNoMachinePaths(t *testing.T) {
	for _, f := range files(t) {
	line:
		for i, line := range strings.Split(f.text, "\n") {
			m := machinePath(line)
			if m == "" {
				continue
			}
			for _, part := range pathExceptions[f.path] {
				if strings.Contains(line, part) {
					continue line
				}
			}
			t.Errorf("%s:%d names %q, a path on one machine", f.path, i+1, m)
		}
	}
	planted := map[string]bool{
		"see /work/x": true, "open(\"/tmp/a\")": true, "/home/me/x": true, "in shared/NOTES.md": true, // planted
		"is shared/held by": true, "a framework/network": false, "the lock is shared": false, // planted
		"os.TempDir()": false, "t.TempDir()": false, "example.com/tmp/a": false, // planted
	}
	for line, want := range planted {
		if got := machinePath(line) != ""; got != want {
			t.Errorf("%q: %v, want %v", line, got, want)
		}
	}
}

// codeSpan is code inside a line.
var codeSpan = regexp.MustCompile("`[^`\n]+`")

var link = regexp.MustCompile(`\]\(([^)#\s]+)(#[^)]*)?\)`)

// TestLinks asks that a link to a file of the project leads to one.
func TestLinks(t *testing.T) {
	for _, f := range files(t) {
		if f.ext() != ".md" {
			continue
		}
		for _, m := range link.FindAllStringSubmatch(codeSpan.ReplaceAllString(f.text, ""), -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			if _, err := os.Stat(path.Join("../..", f.dir(), m[1])); err != nil {
				t.Errorf("%s links to %s, which is not there", f.path, m[1])
			}
		}
	}
}

// TestFirstScreen keeps the two commands of the README where a reader sees them first, and the checks' own copy of the
// second one true.
func TestFirstScreen(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	screen := strings.Join(strings.SplitN(string(readme), "\n", 25)[:24], "\n")
	for _, command := range []string{"\ngo run ./", "\ngo test "} {
		if !strings.Contains(screen, command) {
			t.Errorf("the first 24 lines of the README have no line that begins with %q", command[1:])
		}
	}
	info, err := os.Stat("../../.ci/run")
	if err != nil || info.Mode()&0o111 == 0 && os.PathSeparator == '/' {
		t.Errorf(".ci/run must be there and executable: %v", err)
	}
}
