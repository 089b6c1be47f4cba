package llm

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lucid-go/lucid"
)

// BenchmarkModel measures generation with the GGUF files in LUCID_MODELS, or those of scripts/assets/fetch.py in LUCID_ASSETS: tokens
// a second of prompts of 512 tokens and of the 64 tokens behind them, the best of all rounds, and the speed of reading memory in the
// same rounds.
func BenchmarkModel(b *testing.B) {
	files := strings.Fields(os.Getenv("LUCID_MODELS"))
	if dir := os.Getenv("LUCID_ASSETS"); len(files) == 0 && dir != "" {
		files = []string{filepath.Join(dir, "smollm2-135m-instruct.gguf"), filepath.Join(dir, "gemma3-270m.gguf")}
	}
	if len(files) == 0 {
		b.Skip("neither LUCID_MODELS nor LUCID_ASSETS is set; see scripts/assets/fetch.py")
	}
	for _, file := range files {
		b.Run(filepath.Base(file), func(b *testing.B) {
			m, err := Load(file, LoadOptions{Quantized: true})
			if err != nil {
				b.Fatal(err)
			}
			info, err := os.Stat(file)
			if err != nil {
				b.Fatal(err)
			}
			prompt := make([]int, 512)
			for i := range prompt {
				prompt[i] = 100 + i*7%1000
			}
			words := int(max(info.Size(), 256<<20) / 4)
			data := lucid.New(make([]float32, words), words)
			const tokens, window = 64, 4
			for range 2 { // traces, tiles
				timed(b, m, prompt[:4], tokens, window)
			}
			b.Run("prefill", func(b *testing.B) {
				best := 0.0
				for b.Loop() {
					first, _ := timed(b, m, prompt, 1, 1)
					best = max(best, float64(len(prompt))/first)
				}
				b.ReportMetric(best, "tokens/s")
			})
			for _, n := range []int{4, len(prompt)} {
				b.Run("decode behind "+strconv.Itoa(n), func(b *testing.B) {
					best, probe := 0.0, 0.0
					for b.Loop() {
						probe = max(probe, readSpeed(b, data))
						_, least := timed(b, m, prompt[:n], tokens, window)
						best = max(best, window/least)
					}
					b.ReportMetric(best, "tokens/s")
					b.ReportMetric(probe/1e9, "probe-GB/s")
					b.ReportMetric(100*best*float64(info.Size())/probe, "%probe")
				})
			}
			b.Run("decode of 8 texts", func(b *testing.B) { benchmarkBatch(b, m, prompt[:4], 32, window) })
		})
	}
}

// benchmarkBatch reports the tokens a second of eight texts that are continued together.
func benchmarkBatch(b *testing.B, m *Model, prompt []int, tokens, window int) {
	best := 0.0
	for b.Loop() {
		sessions, ids := make([]*session, 8), make([]int, 8)
		for i := range sessions {
			s := m.newSession(256)
			sessions[i], ids[i] = s, 100+i
			if _, err := s.feed(context.Background(), prompt); err != nil {
				b.Fatal(err)
			}
		}
		begun, times := time.Now(), make([]float64, 0, tokens)
		for range tokens {
			rows, err := m.stepAll(sessions, ids)
			if err != nil {
				b.Fatal(err)
			}
			for i, s := range sessions {
				s.pos++
				ids[i] = largest(rows[i].logits)
			}
			times = append(times, time.Since(begun).Seconds())
		}
		best = max(best, float64(len(sessions)*window)/shortest(times, window))
		for _, s := range sessions {
			s.free()
		}
	}
	b.ReportMetric(best, "tokens/s")
}

// shortest is how long the fastest window of some steps took: other programs may be running.
func shortest(times []float64, window int) float64 {
	best := math.Inf(1)
	for i := window; i < len(times); i++ {
		best = min(best, times[i]-times[i-window])
	}
	return best
}

// timed is how long the first token takes, and how long a window of the tokens behind it at best.
func timed(b *testing.B, m *Model, prompt []int, tokens, window int) (first, best float64) {
	begun, times := time.Now(), make([]float64, 0, tokens+1)
	for _, err := range m.GenerateIDs(context.Background(), prompt, Options{MaxTokens: tokens + 1, IgnoreEnd: true}) {
		if err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(begun).Seconds())
	}
	return times[0], shortest(times, window)
}

// readSpeed is how many bytes a second all threads read together, by a sum.
func readSpeed(b *testing.B, data *lucid.Tensor) float64 {
	begun := time.Now()
	if err := lucid.Eval(data.Sum()); err != nil {
		b.Fatal(err)
	}
	return float64(4*data.Size(0)) / time.Since(begun).Seconds()
}

// BenchmarkEmbedder measures the folder with an encoder in LUCID_EMBEDDER: texts of 128 tokens a second, one at a time and 32 together,
// the best of all rounds.
func BenchmarkEmbedder(b *testing.B) {
	dir := os.Getenv("LUCID_EMBEDDER")
	if dir == "" {
		b.Skip("LUCID_EMBEDDER is not set; see scripts/assets/embed_speed.py")
	}
	e, err := LoadEmbedder(dir)
	if err != nil {
		b.Fatal(err)
	}
	for _, batch := range []int{1, 32} {
		b.Run(strconv.Itoa(batch), func(b *testing.B) {
			ids := make([][]int, batch)
			for i := range ids {
				ids[i] = make([]int, 128)
				for j := range ids[i] {
					ids[i][j] = 1000 + (i*131+j*7)%20000
				}
			}
			best := 0.0
			for b.Loop() {
				begun := time.Now()
				if _, err := e.EmbedIDs(context.Background(), ids, EmbedOptions{}); err != nil {
					b.Fatal(err)
				}
				best = max(best, float64(batch)/time.Since(begun).Seconds())
			}
			b.ReportMetric(best, "texts/s")
		})
	}
}
