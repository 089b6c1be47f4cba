package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestGPT(t *testing.T) {
	o := options{steps: 40, width: 32, depth: 1, heads: 2, context: 32, prompt: "The "}
	var b strings.Builder
	loss, err := run(context.Background(), &b, o)
	if err != nil || loss > 3.2 { // of chance: log 95, 4.5
		t.Errorf("loss %.3f, %v; printed:\n%s", loss, err, &b)
	}
	if strings.Count(b.String(), "characters/s") != 5 {
		t.Errorf("printed:\n%s", &b)
	}
	o.text = filepath.Join(t.TempDir(), "short.txt")
	if err := os.WriteFile(o.text, []byte("too short"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := run(context.Background(), &b, o); err == nil || !strings.Contains(err.Error(), "9 characters") {
		t.Errorf("a short text: %v", err)
	}
}
