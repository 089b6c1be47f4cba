package llm

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
)

// TestCacheFile asserts that a text goes on from a file as it does from memory, for both kinds of caches, and that files that are
// damaged, cut or of another model are refused.
func TestCacheFile(t *testing.T) {
	m := tiny(t)
	for _, bits := range []int{0, 8} {
		c := m.NewCache(CacheOptions{Bits: bits})
		path := filepath.Join(t.TempDir(), "chat.lucid")
		if err := c.Save(path); !errors.Is(err, lucid.ErrValue) {
			t.Errorf("an empty cache: %v", err)
		}
		prompt := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
		first := generated(t, m, prompt, Options{MaxTokens: 20, Cache: c})
		if err := c.Save(path); err != nil {
			t.Fatal(err)
		}
		next := append(slices.Concat(prompt, first), 50, 51)
		want := collect(t, m.GenerateIDs(context.Background(), next, Options{MaxTokens: 20, Cache: c, TopLogProbs: 2}))
		again, err := tiny(t).OpenCache(path)
		if err != nil {
			t.Fatal(err)
		}
		if n := again.Tokens(); n < len(prompt)+19 {
			t.Errorf("%d tokens are in the file", n)
		}
		got := collect(t, again.m.GenerateIDs(context.Background(), next, Options{MaxTokens: 20, Cache: again, TopLogProbs: 2}))
		if !slices.Equal(got, want) {
			t.Errorf("%d bits: %v\nwant %v", bits, got, want)
		}
		other, err := Load(folder(t, goldens(t).Cases["mistral"]))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := other.OpenCache(path); !errors.Is(err, lucid.ErrValue) {
			t.Errorf("another model: %v", err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range []int{0, 20, len(data) / 3, len(data) / 2, len(data) - 5} {
			bad := slices.Clone(data)
			bad[at] ^= 4
			for _, b := range [][]byte{bad, data[:at]} {
				if err := os.WriteFile(path, b, 0o644); err != nil {
					t.Fatal(err)
				}
				if _, err := m.OpenCache(path); err == nil {
					t.Errorf("a file with a wrong byte at %d, or cut there, was opened", at)
				}
			}
		}
	}
	if _, err := m.OpenCache("x.gguf"); !errors.Is(err, lucid.ErrFormat) {
		t.Errorf("%v", err)
	}
	if lucid.Try(func() { m.NewCache(CacheOptions{Bits: 3}) }) == nil {
		t.Error("3 bits")
	}
	// What the checksum cannot tell: a file made on purpose.
	c := m.NewCache()
	generated(t, m, []int{1, 2, 3}, Options{MaxTokens: 2, Cache: c})
	for name, change := range map[string]func(d *lucid.StateDict){
		"ids":   func(d *lucid.StateDict) { d.Set(cacheIDs, lucid.New([]int32{-1, 2, 3, 4}, 4)) },
		"dtype": func(d *lucid.StateDict) { d.Set(cacheIDs, lucid.New([]float32{1, 2, 3, 4}, 4)) },
		"long":  func(d *lucid.StateDict) { d.Set(cacheIDs, lucid.New(make([]int32, 1000), 1000)) },
		"shape": func(d *lucid.StateDict) { d.Set("0", lucid.Zeros(1, 2, 1, 8)) },
		"more":  func(d *lucid.StateDict) { d.Set("more", lucid.Zeros(1)) },
	} {
		path := filepath.Join(t.TempDir(), "x.lucid")
		if err := c.Save(path); err != nil {
			t.Fatal(err)
		}
		d, err := lucid.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		change(d)
		if err := lucid.Save(path, d); err != nil {
			t.Fatal(err)
		}
		if _, err := m.OpenCache(path); err == nil {
			t.Errorf("%s: opened", name)
		}
	}
}

// TestCacheBits asserts that keys and values of 8 bits change logits a little only, for every family of attention, and that texts of a
// batcher with them are the same alone and together.
func TestCacheBits(t *testing.T) {
	g := goldens(t)
	for _, name := range []string{"llama", "gemma2", "gpt2"} {
		m, err := Load(folder(t, g.Cases[name]))
		if err != nil {
			t.Fatal(err)
		}
		ids := make([]int, 60)
		for i := range ids {
			ids[i] = (i*37 + 11) % 256
		}
		logits := func(bits int) []float32 {
			s := m.newSessionOf(len(ids), bits)
			defer s.free()
			var y scores
			for _, part := range [][]int{ids[:33], ids[33:50], ids[50:]} {
				if y, err = s.feed(context.Background(), part); err != nil {
					t.Fatal(err)
				}
			}
			return y.logits
		}
		a, b := logits(0), logits(8)
		most, far := 0.0, 0.0
		for i := range a {
			most, far = max(most, math.Abs(float64(a[i]))), max(far, math.Abs(float64(a[i]-b[i])))
		}
		if t.Logf("%s: logits up to %.2f differ by %.4f", name, most, far); far > 0.05*most || far == 0 {
			t.Errorf("%s: logits up to %v differ by %v", name, most, far)
		}
	}
	m := tiny(t)
	batch := newBatcher(t, m, BatcherOptions{Cache: CacheOptions{Bits: 8}, Sequences: 3})
	prompt := func(i int) []int { return append(slices.Clone(g.Prompt), i, 2, 3) }
	done := make(chan bool)
	for i := range 3 {
		go func() {
			defer func() { done <- true }()
			o := Options{MaxTokens: 12, Cache: m.NewCache(CacheOptions{Bits: 8})}
			want := collect(t, m.GenerateIDs(context.Background(), prompt(i), o))
			if got := collect(t, batch.GenerateIDs(context.Background(), prompt(i), Options{MaxTokens: 12})); !slices.Equal(got, want) {
				t.Errorf("%v, want %v", got, want)
			}
		}()
	}
	for range 3 {
		<-done
	}
	if s := settled(batch); s.Bytes*2 > newBatcher(t, m, BatcherOptions{}).m.cacheBytes(128, 0)*3 {
		t.Errorf("%d bytes", s.Bytes)
	}
}

// TestCachedTokens asserts that the first token says how much of the prompt was there: of a cache, and of the texts of a batcher.
func TestCachedTokens(t *testing.T) {
	m := tiny(t)
	c, prompt := m.NewCache(), make([]int, 30)
	for i := range prompt {
		prompt[i] = i + 1
	}
	b := newBatcher(t, m, BatcherOptions{})
	for i, want := range []int{0, 20, 29} {
		ids := prompt
		if i == 0 {
			ids = slices.Concat(prompt[:20], []int{99})
		}
		alone := collectTokens(t, m.GenerateIDs(context.Background(), ids, Options{MaxTokens: 3, IgnoreEnd: true, Cache: c}))
		batched := collectTokens(t, b.GenerateIDs(context.Background(), ids, Options{MaxTokens: 3, IgnoreEnd: true}))
		for _, list := range [][]Token{alone, batched} {
			if list[0].Cached != want || list[1].Cached != 0 || list[2].Cached != 0 {
				t.Errorf("%d: %+v, want %d cached tokens", i, list, want)
			}
		}
	}
}
