package lint

import (
	"strings"
	"testing"
)

// TestCgo asks that the C library alone has cgo, behind its build tag: without that the module builds with no C compiler.
func TestCgo(t *testing.T) {
	found := 0
	for _, f := range files(t) {
		if f.ext() != ".go" || !strings.Contains(f.text, "\nimport \"C\"\n") {
			continue
		}
		if found++; f.dir() != "cmd/liblucid" {
			t.Errorf(`%s imports "C"; only cmd/liblucid may`, f.path)
		}
	}
	if found == 0 {
		t.Error("no file of cmd/liblucid was read")
	}
	for _, f := range files(t) {
		if f.dir() == "cmd/liblucid" && f.ext() == ".go" && !strings.HasPrefix(f.text, "//go:build liblucid\n") {
			t.Errorf("%s has no build tag liblucid in its first line", f.path)
		}
	}
}
