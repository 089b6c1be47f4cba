package serve

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lucid-go/lucid/llm"
)

// long is the long form of the tests: the numbers of requests and clients, and bounds on times, which a machine that does something else
// cannot hold to.
var long = os.Getenv("LUCID_LONG") == "1"

// some is the number of the long form, of the usual one or of the short one.
func some(most, usual, short int) int {
	switch {
	case long:
		return most
	case testing.Short():
		return short
	}
	return usual
}

// resident is the memory of the process, 0 if the system does not tell.
func resident() int64 {
	data, err := os.ReadFile("/proc/self/statm")
	if fields := strings.Fields(string(data)); err == nil && len(fields) > 1 {
		pages, _ := strconv.ParseInt(fields[1], 10, 64)
		return pages * int64(os.Getpagesize())
	}
	return 0
}

// descriptors is the number of open files, 0 if the system does not tell.
func descriptors() int {
	list, _ := os.ReadDir("/proc/self/fd")
	return len(list)
}

// textOfStream joins what the events of a chat add.
func textOfStream(t testing.TB, body string) (text string) {
	t.Helper()
	for _, p := range strings.Split(strings.TrimSuffix(body, "data: [DONE]\n\n"), "\n\n") {
		if p != "" {
			var a chatAnswer
			decode(t, strings.TrimPrefix(p, "data: "), &a)
			text += *a.Choices[0].Delta.Content
		}
	}
	return text
}

// TestGreedyLoad sends greedy requests at random times to servers with different batches, parts of prompts, memory and models that come
// and go; some clients leave. Each prompt has one answer, whichever server gave it.
func TestGreedyLoad(t *testing.T) {
	one := tinyModel().Bytes()
	source := func() (*llm.Model, error) { return newTiny(plainTemplate), nil }
	servers := []*Server{
		New(map[string]*llm.Model{"a": tinyModel(), "b": tinyModel()}, Options{Batcher: llm.BatcherOptions{Queue: 4096}}),
		New(map[string]*llm.Model{"a": tinyModel(), "b": tinyModel()},
			Options{Batcher: llm.BatcherOptions{Sequences: 3, Chunk: 5, Queue: 4096, PrefixTokens: 3, Bytes: 300 << 10}}),
		New(map[string]*llm.Model{"a": tinyModel(), "b": tinyModel()},
			Options{Batcher: llm.BatcherOptions{Sequences: 16, Chunk: 64, Queue: 4096, PrefixTokens: -1, Speculate: &llm.Speculate{}}}),
		NewFrom(map[string]Source{"a": {Load: source, Bytes: one}, "b": {Load: source, Bytes: one}},
			Options{Resident: one * 3 / 2, Batcher: llm.BatcherOptions{Queue: 4096}}),
		New(map[string]*llm.Model{"a": tinyModel(), "b": tinyModel()}, Options{Batcher: llm.BatcherOptions{Sequences: 2, Queue: 4096,
			Speculate: &llm.Speculate{Draft: newTiny(plainTemplate), Lookup: 3}}}),
	}
	var urls []string
	for _, s := range servers {
		h := httptest.NewServer(s)
		defer s.Close()
		defer h.Close()
		urls = append(urls, h.URL)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var mu sync.Mutex
	answers, count := map[string]map[string]bool{}, 0
	var wg sync.WaitGroup
	gate := make(chan bool, 24)
	for range some(1000, 200, 80) {
		prompt := strings.Repeat("word ", rng.IntN(6)) + strings.Repeat("x", rng.IntN(3)) + "end"
		guess := []string{"", "x", prompt, strings.Repeat("word x ", 20)}[rng.IntN(4)]
		at, name, stream, leaves := rng.IntN(len(urls)), string(rune('a'+rng.IntN(2))), rng.IntN(2) == 0, rng.IntN(8) == 0
		gate <- true
		wg.Go(func() {
			defer func() { <-gate }()
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			if leaves {
				time.AfterFunc(time.Duration(rand.IntN(5))*time.Millisecond, cancel)
			}
			body := fmt.Sprintf(`{"model": %q, "messages": [{"role": "user", "content": %q}], "max_tokens": 12, "temperature": 0,
				"stream": %v, "prediction": {"type": "content", "content": %q}}`, name, prompt, stream, guess)
			for range 200 { // a server with room for one model may ask to come again
				r, _ := http.NewRequestWithContext(ctx, "POST", urls[at]+chatPath, strings.NewReader(body))
				a, err := http.DefaultClient.Do(r)
				if err != nil {
					return // left
				}
				data, err := io.ReadAll(a.Body)
				_ = a.Body.Close()
				if err != nil {
					return
				}
				if a.StatusCode == http.StatusServiceUnavailable && at == 3 {
					time.Sleep(5 * time.Millisecond)
					continue
				}
				if a.StatusCode != 200 {
					t.Errorf("%d %s", a.StatusCode, data)
					return
				}
				text := ""
				if stream {
					text = textOfStream(t, string(data))
				} else {
					var c chatAnswer
					decode(t, string(data), &c)
					text = *c.Choices[0].Message.Content
				}
				mu.Lock()
				defer mu.Unlock()
				if answers[prompt] == nil {
					answers[prompt] = map[string]bool{}
				}
				answers[prompt][text] = true
				count++
				return
			}
		})
	}
	wg.Wait()
	for prompt, list := range answers {
		if len(list) != 1 {
			t.Errorf("%q has %d answers: %v", prompt, len(list), list)
		}
	}
	t.Logf("%d answers to %d prompts", count, len(answers))
	if count < some(1000, 200, 80)/2 {
		t.Errorf("%d answers", count)
	}
}

// TestFlat sends many requests of all kinds and asserts that memory, goroutines and open files do not grow.
func TestFlat(t *testing.T) {
	// Keys and values of 1,000 blocks: earlier texts stay until it is full, so the requests before the first count have to fill it.
	h, s := start(t, Options{Batcher: llm.BatcherOptions{Bytes: 4 << 20}})
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}}
	send := func(i int) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		bodies := []string{chat(""), chat(`"stream": true`), chat(`"n": 2`), chat(`"temperature": 5`), `{"x": `, chat(`"response_format":
			{"type": "json_object"}`), chat(`"seed": ` + strconv.Itoa(i)), `{"messages": [{"role": "user", "content": "` +
			strings.Repeat("y", i%300) + `"}], "max_tokens": 2}`}
		r, _ := http.NewRequestWithContext(ctx, "POST", h.URL+chatPath, strings.NewReader(bodies[i%len(bodies)]))
		if i%50 == 7 {
			time.AfterFunc(time.Millisecond, cancel)
		}
		if a, err := client.Do(r); err == nil {
			_, _ = io.Copy(io.Discard, a.Body)
			_ = a.Body.Close()
		}
	}
	run := func(n int) {
		var wg sync.WaitGroup
		for w := range 8 {
			wg.Go(func() {
				for i := w; i < n; i += 8 {
					send(i)
				}
			})
		}
		wg.Wait()
	}
	settle := func() (int64, int, int) {
		client.CloseIdleConnections()
		for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
			if st := s.models.list["tiny"].b.Stats(); st.Active+st.Waiting == 0 {
				break
			}
		}
		time.Sleep(100 * time.Millisecond)
		collect()
		return resident(), runtime.NumGoroutine(), descriptors()
	}
	n := some(100_000, 1000, 240)
	run(min(n/4, 4000))
	memory, goroutines, files := settle()
	begun := time.Now()
	run(n)
	took := time.Since(begun)
	after, g, f := settle()
	t.Logf("%d requests, %.0f a second: resident %d to %d KiB, %d to %d goroutines, %d to %d files", n, float64(n)/took.Seconds(),
		memory>>10, after>>10, goroutines, g, files, f)
	if g > goroutines+2 || f > files+2 {
		t.Errorf("%d goroutines and %d files became %d and %d", goroutines, files, g, f)
	}
	if grew := after - memory; grew > 24<<20 {
		t.Errorf("memory grew by %d KiB over %d requests", grew>>10, n)
	}
}

// TestOverloadTimes sends ten times what a server takes: the rest is refused at once, and what was taken is not much slower.
func TestOverloadTimes(t *testing.T) {
	h, _ := start(t, Options{Batcher: llm.BatcherOptions{Sequences: 4, Queue: 4}})
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 200}}
	defer client.CloseIdleConnections()
	body := strings.Replace(chat(`"ignore_eos": true`), ": 5", ": 100", 1)
	ask := func() (int, time.Duration) {
		begun := time.Now()
		a, err := client.Post(h.URL+chatPath, "application/json", strings.NewReader(body))
		if err != nil {
			t.Error(err)
			return 0, 0
		}
		_, _ = io.Copy(io.Discard, a.Body)
		_ = a.Body.Close()
		return a.StatusCode, time.Since(begun)
	}
	load := func(clients, each int) (taken, refused []time.Duration) {
		var mu sync.Mutex
		var wg sync.WaitGroup
		for range clients {
			wg.Go(func() {
				for range each {
					code, took := ask()
					mu.Lock()
					switch code {
					case 200:
						taken = append(taken, took)
					case 429:
						refused = append(refused, took)
					default:
						t.Errorf("%d", code)
					}
					mu.Unlock()
					if code == 429 { // a tenth of what Retry-After asks for
						time.Sleep(100 * time.Millisecond)
					}
				}
			})
		}
		wg.Wait()
		slices.Sort(taken)
		slices.Sort(refused)
		return taken, refused
	}
	last := func(list []time.Duration) time.Duration { return list[min(len(list)-1, len(list)*99/100)] }
	ask()
	full, _ := load(8, some(20, 4, 2)) // as many as fit
	taken, refused := load(80, some(40, 6, 3))
	if len(taken) == 0 || len(refused) == 0 {
		t.Fatalf("%d were taken, %d refused", len(taken), len(refused))
	}
	t.Logf("%d taken, 99 %% in %v (%v when full); %d refused, 99 %% in %v, half in %v", len(taken), last(taken), last(full), len(refused),
		last(refused), refused[len(refused)/2])
	if long && (refused[len(refused)/2] > 10*time.Millisecond || last(taken) > 2*last(full)) {
		t.Errorf("too slow")
	}
}

// TestSecurityBehaviours are what llama.cpp's tests of its server ask for: paths without a key, keys in both headers, errors of the API's
// form, answers to preflights; and what a web page could do with a name that it made point here.
func TestSecurityBehaviours(t *testing.T) {
	h, _ := start(t, Options{Keys: []string{"sk-this-is-the-secret-key"}, Origins: []string{"https://chat.example"}})
	for i, c := range []struct {
		method, path string
		head         []string
		code         int
		says         string
		answer       []string // a header and what it must be; "" for none
	}{
		{"GET", "/health", nil, 200, "ok", nil},
		{"GET", "/v1/models", nil, 200, "tiny", nil},
		{"POST", chatPath, nil, 401, "authentication_error", []string{"Www-Authenticate", "Bearer"}},
		{"POST", chatPath, []string{"Authorization", "Bearer invalid-key"}, 401, "invalid_api_key", nil},
		{"POST", chatPath, []string{"Authorization", "Bearer sk-this-is-the-secret-key"}, 200, "choices", nil},
		{"POST", chatPath, []string{"X-Api-Key", "sk-this-is-the-secret-key"}, 200, "choices", nil},
		{"POST", "/v1/responses", []string{"Authorization", "Bearer sk-this-is-the-secret-ke"}, 401, "invalid_api_key", nil},
		{"GET", "/metrics", nil, 401, "invalid_api_key", nil},
		{"OPTIONS", chatPath, []string{"Origin", "https://chat.example"}, 204, "",
			[]string{"Access-Control-Allow-Origin", "https://chat.example"}},
		{"OPTIONS", chatPath, []string{"Origin", "https://evil.example"}, 403, "origin", []string{"Access-Control-Allow-Origin", ""}},
		{"POST", chatPath, []string{"Authorization", "Bearer sk-this-is-the-secret-key", "Origin", "https://evil.example"}, 403, "origin",
			[]string{"Access-Control-Allow-Origin", ""}},
		{"POST", chatPath, []string{"Authorization", "Bearer sk-this-is-the-secret-key", "Host", "rebound.evil.example"}, 403, "host", nil},
		{"GET", "/health", []string{"Host", "rebound.evil.example"}, 403, "host", nil},
		{"GET", "/", []string{"Host", "rebound.evil.example"}, 403, "host", nil},
		{"GET", "/v1/models/../../etc/passwd", []string{"Authorization", "Bearer sk-this-is-the-secret-key"}, 404, "", nil},
	} {
		r, err := http.NewRequest(c.method, h.URL+c.path, bytes.NewBufferString(strings.TrimPrefix(chat(""), " ")))
		if err != nil {
			t.Fatal(err)
		}
		if c.method != "POST" {
			r.Body, r.ContentLength = nil, 0
		}
		if c.path == responsesPath {
			r.Body = io.NopCloser(strings.NewReader(`{"input": "x"}`))
			r.ContentLength = -1
		}
		for j := 0; j+1 < len(c.head); j += 2 {
			if r.Header.Set(c.head[j], c.head[j+1]); c.head[j] == "Host" {
				r.Host = c.head[j+1]
			}
		}
		a, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text := readAll(a)
		_ = a.Body.Close()
		if a.StatusCode != c.code || !strings.Contains(text, c.says) {
			t.Errorf("%d: %s %s %v: %d %s", i, c.method, c.path, c.head, a.StatusCode, text)
		}
		if c.answer != nil && a.Header.Get(c.answer[0]) != c.answer[1] {
			t.Errorf("%d: %s is %q, want %q", i, c.answer[0], a.Header.Get(c.answer[0]), c.answer[1])
		}
	}
}
