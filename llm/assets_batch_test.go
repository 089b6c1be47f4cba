package llm

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// BenchmarkAssetsBatch generates texts of several clients at once with a real model: tokens a second of all of them, and those of the
// prompts. It needs qwen2.5-coder-0.5b.gguf of scripts/assets/fetch.py in LUCID_ASSETS.
func BenchmarkAssetsBatch(b *testing.B) {
	dir := os.Getenv("LUCID_ASSETS")
	if dir == "" {
		b.Skip("LUCID_ASSETS is not set; see scripts/assets/fetch.py")
	}
	m, err := Load(filepath.Join(dir, "qwen2.5-coder-0.5b.gguf"), LoadOptions{Quantized: true})
	if err != nil {
		b.Fatal(err)
	}
	seed := 0
	for _, clients := range []int{1, 8, 32} {
		for _, words := range []int{64, 1} {
			b.Run(fmt.Sprintf("clients=%d/prompt=%d", clients, words), func(b *testing.B) {
				batcher, err := m.NewBatcher(BatcherOptions{Sequences: clients, Bytes: 4 << 30})
				if err != nil {
					b.Fatal(err)
				}
				defer batcher.Close()
				round := func(tokens int) {
					var wg sync.WaitGroup
					for range clients {
						seed++
						ids := make([]int, words)
						for i := range ids {
							ids[i] = 1000 + (seed*7919+i*104729)%100_000
						}
						wg.Go(func() {
							o := Options{MaxTokens: tokens, IgnoreEnd: true}
							for _, err := range batcher.GenerateIDs(context.Background(), ids, o) {
								if err != nil {
									b.Error(err)
								}
							}
						})
					}
					wg.Wait()
				}
				round(4)
				for b.Loop() {
					round(32)
				}
				b.ReportMetric(float64(b.N*clients*32)/b.Elapsed().Seconds(), "tokens/s")
			})
		}
	}
}
