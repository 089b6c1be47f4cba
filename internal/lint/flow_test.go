package lint

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

var internalPath = regexp.MustCompile("`(internal/[a-z0-9/]+)`")

// flowFaults compares the page with the folders of the project: each folder of Go code next to the root or in internal is named in the
// table, and each path of internal is a folder.
func flowFaults(page string, folders map[string]bool) (bad []string) {
	for dir := range folders {
		if !strings.Contains(page, "`"+dir+"`") {
			bad = append(bad, dir+" is not in the table of docs/flow.md")
		}
	}
	for _, m := range internalPath.FindAllStringSubmatch(page, -1) {
		if s, err := os.Stat("../../" + m[1]); err != nil || !s.IsDir() {
			bad = append(bad, "docs/flow.md names "+m[1]+", which is no folder")
		}
	}
	return bad
}

// TestFlow: docs/flow.md names every folder, and no folder that is not there.
func TestFlow(t *testing.T) {
	page, folders := "", map[string]bool{}
	for _, f := range files(t) {
		if f.path == "docs/flow.md" {
			page = f.text
		}
		parts := strings.Split(f.dir(), "/")
		if f.ext() != ".go" || parts[0] == "." || parts[0] == "docs" {
			continue
		}
		if parts[0] == "internal" {
			parts[0] += "/" + parts[1]
		}
		folders[parts[0]] = true
	}
	if len(folders) < 30 {
		t.Fatalf("found %d folders; the project has more", len(folders))
	}
	for _, b := range flowFaults(page, folders) {
		t.Error(b)
	}
	got := flowFaults("`internal/nowhere`", map[string]bool{"nn": true})
	if len(got) != 2 {
		t.Errorf("planted two faults, found %v", got)
	}
}
