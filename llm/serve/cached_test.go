package serve

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/lucid-go/lucid/llm"
)

// TestCachedTokens asserts that usage says how many tokens of a prompt came from an earlier text: of chats, completions and responses,
// whole and as events. A byte is a token here, and the last one of a prompt is always evaluated.
func TestCachedTokens(t *testing.T) {
	h, _ := start(t, Options{})
	// cached is cached_tokens of the only usage in an answer, -1 for none.
	cached := func(path, body string) int {
		t.Helper()
		code, text, _ := post(t, h.URL, path, body)
		if code != 200 {
			t.Fatalf("%s: %d %s", path, code, text)
		}
		_, rest, found := strings.Cut(text, `"cached_tokens":`)
		n := -1
		if _, err := fmt.Sscanf(rest, "%d", &n); found && err != nil || strings.Contains(rest, "cached_tokens") {
			t.Errorf("%s: %s", path, text)
		}
		return n
	}
	word := func(letter string) string { return strings.Repeat(letter, 40) }
	chatOf := func(text, more string) string {
		return fmt.Sprintf(`{"messages": [{"role": "user", "content": %q}], "max_tokens": 2, "temperature": 0%s}`, text, more)
	}
	const around = len("user: \nassistant: ")
	events := `, "stream": true, "stream_options": {"include_usage": true}`
	for i, c := range []struct {
		path, body  string
		least, most int
	}{
		{chatPath, chatOf(word("a"), ""), 0, len("user: ")},
		{chatPath, chatOf(word("a"), ""), 40 + around - 1, 40 + around - 1},
		{chatPath, chatOf(word("a"), events), 40 + around - 1, 40 + around - 1},
		{chatPath, chatOf(word("a"), `, "stream": true`), -1, -1},
		{chatPath, chatOf(word("a")+"b", `, "n": 3`), 40, 40 + around - 1}, // of the prompt, not of each answer
		{chatPath, chatOf(word("c"), `, "n": 2`), 0, len("user: ")},
		{responsesPath, fmt.Sprintf(`{"input": %q, "max_output_tokens": 1}`, word("a")), 40 + around - 1, 40 + around - 1},
		{"/v1/completions", fmt.Sprintf(`{"prompt": %q, "max_tokens": 1}`, word("d")), 0, 0},
		{"/v1/completions", fmt.Sprintf(`{"prompt": [%q, %q], "max_tokens": 1}`, word("d")+"x", word("d")+"y"), 80, 80},
		{"/v1/completions", fmt.Sprintf(`{"prompt": %q, "max_tokens": 1%s}`, word("d")+"x", events), 40, 40},
	} {
		if got := cached(c.path, c.body); got < c.least || got > c.most {
			t.Errorf("%d: %s %s: %d cached tokens, want %d to %d", i, c.path, c.body, got, c.least, c.most)
		}
	}
	h, _ = start(t, Options{Batcher: llm.BatcherOptions{PrefixTokens: -1}})
	for range 2 {
		if got := cached(chatPath, chatOf(word("a"), "")); got != 0 {
			t.Errorf("%d cached tokens of a server that stores none", got)
		}
	}
	var a struct {
		Usage struct {
			Details *struct{} `json:"prompt_tokens_details"`
		}
	}
	_, text, _ := post(t, h.URL, chatPath, chatOf("x", ""))
	if err := json.Unmarshal([]byte(text), &a); err != nil || a.Usage.Details == nil {
		t.Errorf("%v %s", err, text)
	}
}
