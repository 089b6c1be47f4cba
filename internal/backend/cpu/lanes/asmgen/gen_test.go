package asmgen

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lucid-go/lucid/internal/backend/cpu/asmgen/repeat"
)

var generate = flag.Bool("generate", false, "write the files instead of comparing them")

// dir is where the generated files live.
const dir = ".."

func TestFiles(t *testing.T) {
	want := Files()
	repeat.Shorten(want)
	for name, text := range want {
		path := filepath.Join(dir, name)
		if *generate {
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Errorf("%v; run go test -generate", err)
			continue
		}
		if string(got) != text {
			t.Errorf("%s differs from the generator's text at line %d; run go test -generate", name, diffLine(string(got), text))
		}
	}
	// A file that no longer has a source must go.
	old, _ := filepath.Glob(filepath.Join(dir, "*_gen*"))
	for _, path := range old {
		if _, ok := want[filepath.Base(path)]; ok {
			continue
		}
		if !*generate {
			t.Errorf("%s has no source any more; run go test -generate", path)
		} else if err := os.Remove(path); err != nil {
			t.Error(err)
		}
	}
}

func diffLine(a, b string) int {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return i + 1
		}
	}
	return min(len(x), len(y)) + 1
}
