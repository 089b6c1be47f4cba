package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lucid-go/lucid/llm"
	"github.com/lucid-go/lucid/llm/grammar"
)

const chatPath = "/v1/chat/completions"

func decode(t testing.TB, text string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
}

// alone is what the library generates for the messages of chat.
func alone(t testing.TB, o llm.Options) (text string, n int) {
	t.Helper()
	for tok, err := range tinyModel().Chat(context.Background(), []llm.Message{{Role: "user", Content: "hi"}}, o) {
		if err != nil {
			t.Fatal(err)
		}
		text += tok.Text
		n++
	}
	return text, n
}

func TestChat(t *testing.T) {
	h, _ := start(t, Options{})
	code, body, _ := post(t, h.URL, chatPath, chat(`"temperature": 0, "logprobs": true, "top_logprobs": 2`))
	var a chatAnswer
	decode(t, body, &a)
	want, _ := alone(t, llm.Options{MaxTokens: 5})
	c := a.Choices[0]
	if code != 200 || a.Object != "chat.completion" || *c.Message.Content != want || *c.Finish != "length" || *a.Usage != (usage{Prompt: 20,
		Completion: 5, Total: 25, Guesses: a.Usage.Guesses}) {
		t.Errorf("%d %s, want %q", code, body, want)
	}
	if len(c.LogProbs.Content) != 5 || len(c.LogProbs.Content[0].Top) != 2 ||
		c.LogProbs.Content[0].LogProb != c.LogProbs.Content[0].Top[0].LogProb {
		t.Errorf("%+v", c.LogProbs)
	}
	// n answers, each with its own seed.
	_, body, _ = post(t, h.URL, chatPath, chat(`"seed": 3, "n": 3, "temperature": 1.5`))
	decode(t, body, &a)
	for i, c := range a.Choices {
		if want, _ := alone(t, llm.Options{MaxTokens: 5, Temperature: 1.5, Seed: uint64(3 + i)}); *c.Message.Content != want ||
			c.Index != i {
			t.Errorf("answer %d is %q, want %q", i, *c.Message.Content, want)
		}
	}
	if len(a.Choices) != 3 || a.Usage.Completion != 15 {
		t.Errorf("%s", body)
	}
	// Parts of texts; a developer is a system message.
	code, body, _ = post(t, h.URL, chatPath, `{"messages": [{"role": "developer", "content": "x"}, {"role": "user", "content": [
		{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}], "max_completion_tokens": 1}`)
	decode(t, body, &a)
	if code != 200 || a.Usage.Prompt != len("system: x\nuser: ab\nassistant: ") {
		t.Errorf("%d %s", code, body)
	}
}

func TestStream(t *testing.T) {
	h, _ := start(t, Options{})
	code, body, head := post(t, h.URL, chatPath, chat(`"temperature": 0, "stream": true, "stream_options": {"include_usage": true}`))
	parts := strings.Split(strings.TrimSuffix(body, "\n\n"), "\n\n")
	want, _ := alone(t, llm.Options{MaxTokens: 5})
	text, finish, last := "", "", chatAnswer{}
	for i, p := range parts[:len(parts)-1] {
		var a chatAnswer
		decode(t, strings.TrimPrefix(p, "data: "), &a)
		for _, c := range a.Choices {
			text += *c.Delta.Content
			if c.Finish != nil {
				finish = *c.Finish
			}
			if (i == 0) != (c.Delta.Role == "assistant") {
				t.Errorf("part %d: %s", i, p)
			}
		}
		last = a
	}
	if code != 200 || head.Get("Content-Type") != "text/event-stream" || text != want || finish != "length" ||
		parts[len(parts)-1] != "data: [DONE]" {
		t.Errorf("%d %q, want %q: %s", code, text, want, body)
	}
	if len(last.Choices) != 0 || last.Usage == nil || last.Usage.Completion != 5 {
		t.Errorf("the last part is %+v", last)
	}
}

func TestCompletions(t *testing.T) {
	h, _ := start(t, Options{})
	var a textAnswer
	code, body, _ := post(t, h.URL, "/v1/completions",
		`{"prompt": ["ab", "cd"], "temperature": 0, "max_tokens": 3, "echo": true, "logprobs": 2}`)
	decode(t, body, &a)
	if code != 200 || len(a.Choices) != 2 || !strings.HasPrefix(a.Choices[1].Text, "cd") || len(a.Choices[0].LogProbs.Top) != 3 {
		t.Errorf("%d %s", code, body)
	}
	_, body, _ = post(t, h.URL, "/v1/completions", `{"prompt": [97, 98], "temperature": 0, "max_tokens": 3}`)
	var ids textAnswer
	decode(t, body, &ids)
	if "ab"+ids.Choices[0].Text != a.Choices[0].Text {
		t.Errorf("%s", body)
	}
	// A stop text is not given out.
	var s textAnswer
	stop := string([]rune(ids.Choices[0].Text)[1:2])
	_, body, _ = post(t, h.URL, "/v1/completions", fmt.Sprintf(`{"prompt": "ab", "temperature": 0, "max_tokens": 3, "stop": %q}`, stop))
	decode(t, body, &s)
	if want, _, _ := strings.Cut(ids.Choices[0].Text, stop); s.Choices[0].Text != want || *s.Choices[0].Finish != "stop" {
		t.Errorf("%s, want %q", body, want)
	}
	code, body, _ = post(t, h.URL, "/v1/completions", `{"prompt": "ab", "stream": true, "max_tokens": 2}`)
	if code != 200 || !strings.HasSuffix(body, "data: [DONE]\n\n") {
		t.Errorf("%d %s", code, body)
	}
}

// TestFormats asserts that answers are as the request wants them.
func TestFormats(t *testing.T) {
	h, _ := start(t, Options{})
	schema := `{"type": "object", "properties": {"age": {"type": "integer"}, "kind": {"enum": ["a", "b"]}}, "required": ["age", "kind"]}`
	for i := range 20 {
		var a chatAnswer
		code, body, _ := post(t, h.URL, chatPath, strings.Replace(chat(fmt.Sprintf(`"seed": %d, "response_format": {"type": "json_schema",
			"json_schema": {"name": "x", "strict": true, "schema": %s}}`, i, schema)), `"max_tokens": 5`, `"max_tokens": 200`, 1))
		decode(t, body, &a)
		var v struct {
			Age  *int64
			Kind string
		}
		decode(t, *a.Choices[0].Message.Content, &v)
		if code != 200 || v.Age == nil || v.Kind != "a" && v.Kind != "b" || *a.Choices[0].Finish != "stop" {
			t.Errorf("%s", body)
		}
	}
	var a chatAnswer
	_, body, _ := post(t, h.URL, chatPath, chat(`"grammar": "root ::= \"yes\" | \"no\""`))
	decode(t, body, &a)
	if g, _ := grammar.Regex("yes|no"); !g.Matches(*a.Choices[0].Message.Content) {
		t.Errorf("%s", body)
	}
	_, body, _ = post(t, h.URL, chatPath, chat(`"response_format": {"type": "json_object"}`))
	decode(t, body, &a)
	if !strings.HasPrefix(*a.Choices[0].Message.Content, "{") {
		t.Errorf("%s", body)
	}
}

func TestModelsHealthPage(t *testing.T) {
	h, s := start(t, Options{})
	get := func(path string) (int, string, http.Header) {
		r, err := http.Get(h.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		var b strings.Builder
		_, _ = fmt.Fprint(&b, readAll(r))
		return r.StatusCode, b.String(), r.Header
	}
	if code, body, _ := get("/v1/models"); code != 200 || !strings.Contains(body, `"id":"tiny"`) {
		t.Errorf("%d %s", code, body)
	}
	for path, want := range map[string]int{"/v1/models/tiny": 200, "/v1/models/..%2f..%2fetc%2fpasswd": 404, "/nothing": 404,
		"/health":              200,
		"/v1/chat/completions": 405} {
		if code, body, _ := get(path); code != want {
			t.Errorf("%s: %d %s", path, code, body)
		}
	}
	post(t, h.URL, chatPath, chat(""))
	if code, body, _ := get("/metrics"); code != 200 || !strings.Contains(body,
		`lucid_requests_total{path="/v1/chat/completions",status="200"} 1`) ||
		!strings.Contains(body, "lucid_completion_tokens_total 5") || !strings.Contains(body, "lucid_first_token_seconds_count 1") {
		t.Errorf("%d %s", code, body)
	}
	if code, body, head := get("/"); code != 200 || !strings.Contains(body, "<script>") ||
		!strings.Contains(head.Get("Content-Security-Policy"), "sha256-") {
		t.Errorf("%d %v", code, head)
	}
	code, body, _ := post(t, h.URL, "/v1/embeddings", `{"model": "tiny", "input": "x"}`)
	if code != 400 || !strings.Contains(body, "model_does_not_embed") {
		t.Errorf("%d %s", code, body)
	}
	s.Close()
	if code, _, head := get("/health"); code != 503 || head.Get("Retry-After") == "" {
		t.Errorf("%d %v", code, head)
	}
	if code, body, head := post(t, h.URL, chatPath, chat("")); code != 503 || head.Get("Retry-After") == "" {
		t.Errorf("%d %s", code, body)
	}
}

// TestLeaving asserts that a client that goes away ends its text soon, and that a stop waits for those that stay.
func TestLeaving(t *testing.T) {
	h, s := start(t, Options{})
	b := s.models.list["tiny"].b
	ctx, cancel := context.WithCancel(context.Background())
	r, _ := http.NewRequestWithContext(ctx, "POST", h.URL+chatPath, strings.NewReader(strings.Replace(chat(`"stream": true`), `: 5`,
		`: 1900`, 1)))
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	one := make([]byte, 10)
	if _, err := a.Body.Read(one); err != nil {
		t.Fatal(err)
	}
	cancel()
	left := time.Now()
	for b.Stats().Active > 0 && time.Since(left) < 10*time.Second {
		time.Sleep(time.Millisecond)
	}
	took := time.Since(left)
	_ = a.Body.Close()
	t.Logf("cancelled after %v", took)
	if long && took > 100*time.Millisecond || took > 2*time.Second || b.Stats().Generated > 1800 {
		t.Errorf("the text went on for %v, %d tokens", took, b.Stats().Generated)
	}
	// A stream whose first bytes were read is under way, however fast its text is written.
	body := strings.NewReader(strings.Replace(chat(`"stream": true`), `: 5`, `: 400`, 1))
	stay, err := http.Post(h.URL+chatPath, "application/json", body)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stay.Body.Close() }()
	if _, err := stay.Body.Read(one); err != nil {
		t.Fatal(err)
	}
	stopped := make(chan error, 1)
	go func() { stopped <- s.Shutdown(context.Background()) }()
	rest, err := io.ReadAll(stay.Body)
	if err != nil || !strings.Contains(string(rest), `"finish_reason":"length"`) || !strings.Contains(string(rest), "[DONE]") {
		t.Errorf("a request under way ended with %v after %d bytes", err, len(rest))
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

// TestOverload asserts that what does not fit into the queue is refused at once, with the time to come again.
func TestOverload(t *testing.T) {
	h, s := start(t, Options{Batcher: llm.BatcherOptions{Sequences: 1, Queue: 2}})
	long := strings.Replace(chat(""), `: 5`, `: 1500`, 1)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			r, _ := http.NewRequestWithContext(ctx, "POST", h.URL+chatPath, strings.NewReader(long))
			if a, err := http.DefaultClient.Do(r); err == nil {
				_ = a.Body.Close()
			}
		})
	}
	b := s.models.list["tiny"].b
	full := func() bool { c := b.Stats(); return c.Active == 1 && c.Waiting == 2 } // before the first is active, two waiting are not all
	for i := 0; !full() && i < 5000; i++ {
		time.Sleep(time.Millisecond)
	}
	begun := time.Now()
	code, body, head := post(t, h.URL, chatPath, chat(""))
	if code != 429 || head.Get("Retry-After") == "" || !strings.Contains(body, "rate_limit_error") {
		t.Errorf("%d %s", code, body)
	}
	t.Logf("refused after %v", time.Since(begun))
	cancel()
	wg.Wait()
	for i := 0; b.Stats().Active+b.Stats().Waiting > 0 && i < 5000; i++ {
		time.Sleep(time.Millisecond)
	}
	if code, body, _ := post(t, h.URL, chatPath, chat("")); code != 200 {
		t.Errorf("afterwards: %d %s", code, body)
	}
}

func TestOptionsRefused(t *testing.T) {
	for _, o := range []Options{{MaxBody: -1}, {MaxN: 1000}, {MaxTokens: -1}, {Timeout: -1}, {Keys: []string{""}},
		{Batcher: llm.BatcherOptions{Chunk: -1}}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v was accepted", o)
				}
			}()
			New(map[string]*llm.Model{"tiny": tinyModel()}, o)
		}()
	}
	if !slices.Contains([]float64{finite(math.Inf(-1)), 0}, -9999) {
		t.Error("an infinite number would be no JSON")
	}
}

// TestNoTemplate asserts that a client of a model without chats learns what to ask for.
func TestNoTemplate(t *testing.T) {
	s := New(map[string]*llm.Model{"tiny": newTiny("")}, Options{})
	defer s.Close()
	h := httptest.NewServer(s)
	defer h.Close()
	if code, answer, _ := post(t, h.URL, chatPath, chat(`"n": 1`)); code != 400 || !strings.Contains(answer, "use /v1/completions") {
		t.Errorf("%d %s", code, answer)
	}
}
