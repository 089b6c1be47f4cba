package exec

import (
	"bytes"
	"runtime/pprof"
	"strings"
	"testing"
)

// TestLabels asks that a launch whose modules are known has them as labels in Go's own profiles.
func TestLabels(t *testing.T) {
	var during, after bytes.Buffer
	s := &step{op: "matmul", module: "GPT.Block.Linear"}
	err := labelled(s, func() error { return pprof.Lookup("goroutine").WriteTo(&during, 1) })
	if err != nil {
		t.Fatal(err)
	}
	if err := pprof.Lookup("goroutine").WriteTo(&after, 1); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(during.String(), `"module":"GPT.Block.Linear"`) || strings.Contains(after.String(), "GPT.Block") {
		t.Errorf("labels are missing, or stay:\n%s", during.String())
	}
}
