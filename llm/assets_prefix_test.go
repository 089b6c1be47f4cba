package llm

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestAssetsPrefix measures the time to the first token of a prompt whose first 1,000 tokens an earlier text had. It needs the files
// of scripts/assets/fetch.py in LUCID_ASSETS.
func TestAssetsPrefix(t *testing.T) {
	dir := os.Getenv("LUCID_ASSETS")
	if dir == "" {
		t.Skip("LUCID_ASSETS is not set; see scripts/assets/fetch.py")
	}
	m, err := Load(filepath.Join(dir, "smollm2-135m-instruct.gguf"), LoadOptions{Quantized: true})
	if err != nil {
		t.Fatal(err)
	}
	b := newBatcher(t, m, BatcherOptions{})
	prefix := make([]int, 1000)
	for i := range prefix {
		prefix[i] = 100 + (i*7919)%40_000
	}
	first := func(tail ...int) time.Duration {
		begun, took := time.Now(), time.Duration(0)
		ids := append(slices.Clone(prefix), tail...)
		for _, err := range b.GenerateIDs(context.Background(), ids, Options{MaxTokens: 8, IgnoreEnd: true}) {
			if err != nil {
				t.Fatal(err)
			}
			if took == 0 {
				took = time.Since(begun)
			}
		}
		return took
	}
	whole := first(5, 6, 7, 8)
	var list []time.Duration
	for i := range 8 {
		settled(b)
		list = append(list, first(1000+i, 6, 7, 8))
	}
	best := slices.Min(list)
	t.Logf("whole prompt %v; behind a shared prefix %v", whole, list)
	if best > 30*time.Millisecond {
		t.Errorf("the first token comes after %v, want 30 ms", best)
	}
}
