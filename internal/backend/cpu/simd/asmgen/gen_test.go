package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestUpToDate fails if a generated file differs from what this program writes.
func TestUpToDate(t *testing.T) {
	for name, src := range outputs() {
		old, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !bytes.Equal(old, src) {
			t.Errorf("%s differs: run go run . -write", name)
		}
	}
}
