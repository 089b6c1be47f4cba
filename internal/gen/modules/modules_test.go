package modules

import (
	"bytes"
	"flag"
	"os"
	"testing"
)

var generate = flag.Bool("generate", false, "write the file")

// TestStrings fails when a module of nn has no String method.
func TestStrings(t *testing.T) {
	const path = "../../../nn/strings_gen.go"
	want, err := Generate("../../../nn")
	if err != nil {
		t.Fatal(err)
	}
	if *generate {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("nn/strings_gen.go is stale; run: go test ./internal/gen/modules -generate (%v)", err)
	}
}
