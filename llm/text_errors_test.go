package llm

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
)

// TestTextTooSlow asserts that a text which takes a pattern of the files too many steps is an error, and no panic, wherever texts come in;
// and that a folder may have any name.
func TestTextTooSlow(t *testing.T) {
	ctx := context.Background()
	from := folder(t, goldens(t).Cases["llama"])
	dir := filepath.Join(t.TempDir(), "model[v2]")
	tok := maps.Clone(byteTokenizer())
	tok["pre_tokenizer"] = map[string]any{"type": "Sequence", "pretokenizers": []any{
		map[string]any{"type": "Split", "pattern": map[string]any{"Regex": "(a|aa)+b"}, "behavior": "Isolated", "invert": false},
		tok["pre_tokenizer"]}}
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	writeJSON(t, filepath.Join(dir, "tokenizer.json"), tok)
	writeJSON(t, filepath.Join(dir, "tokenizer_config.json"),
		map[string]any{"chat_template": "{% for m in messages %}{{ m.content }}{% endfor %}{% if tools %}<tool_call>{% endif %}"})
	m, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	b := newBatcher(t, m, BatcherOptions{})
	slow := strings.Repeat("a", 100)
	first := func(seq func(func(Token, error) bool)) (err error) {
		for _, err = range seq {
			break
		}
		return err
	}
	for name, f := range map[string]func() error{
		"Generate":         func() error { return first(m.Generate(ctx, slow, Options{MaxTokens: 1})) },
		"Batcher.Generate": func() error { return first(b.Generate(ctx, slow, Options{MaxTokens: 1})) },
		"Chat": func() error {
			return first(m.Chat(ctx, []Message{{Role: "user", Content: slow}}, Options{MaxTokens: 1}))
		},
		"Best": func() error {
			_, err := m.Best(ctx, slow, 1, Options{MaxTokens: 1})
			return err
		},
		"Perplexity": func() error {
			_, err := m.Perplexity(ctx, slow)
			return err
		},
	} {
		if err := f(); !errors.Is(err, lucid.ErrValue) || !strings.Contains(err.Error(), "steps") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := first(m.Generate(ctx, "abc", Options{MaxTokens: 1})); err != nil {
		t.Error(err)
	}
}

// TestReaderPanics asserts that a loop whose body panics does not free keys and values under the step that runs ahead.
func TestReaderPanics(t *testing.T) {
	m := tiny(t)
	c := m.NewCache()
	defer c.Free()
	want := generated(t, m, []int{1, 2, 3}, Options{MaxTokens: 8, IgnoreEnd: true})
	func() {
		defer func() {
			if recover() != "of the reader" {
				t.Error("the panic is lost")
			}
		}()
		for range m.GenerateIDs(context.Background(), []int{1, 2, 3}, Options{MaxTokens: 8, IgnoreEnd: true, Cache: c}) {
			panic("of the reader")
		}
	}()
	if n := c.Tokens(); n != 4 { // the prompt, and the token that was given out: its step ended
		t.Errorf("%d tokens are in the cache", n)
	}
	if got := generated(t, m, []int{1, 2, 3}, Options{MaxTokens: 8, IgnoreEnd: true, Cache: c}); len(got) != len(want) {
		t.Errorf("%v, want %v", got, want)
	}
}
