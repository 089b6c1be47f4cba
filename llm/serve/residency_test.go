package serve

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/llm"
)

// startSources serves models that are loaded when they are asked for; loads counts, by name.
func startSources(t testing.TB, resident float64, names string) (h *httptest.Server, s *Server, loads map[string]*atomic.Int64) {
	t.Helper()
	one := tinyModel().Bytes()
	sources := map[string]Source{}
	loads = map[string]*atomic.Int64{}
	for _, name := range strings.Fields(names) {
		loads[name] = new(atomic.Int64)
		sources[name] = Source{Bytes: one, Pin: name == "pinned", Load: func() (*llm.Model, error) {
			if n := loads[name].Add(1); name == "bad" && n == 1 {
				return nil, errors.New("no such file /secret/path")
			}
			return newTiny("{% for m in messages %}{{ m.content }}{% endfor %}"), nil
		}}
	}
	s = NewFrom(sources, Options{Resident: int64(resident * float64(one))})
	h = httptest.NewServer(s)
	t.Cleanup(func() {
		h.Close()
		s.Close()
	})
	return h, s, loads
}

func ask(t testing.TB, h *httptest.Server, model string) (int, string, http.Header) {
	t.Helper()
	return post(t, h.URL, chatPath, strings.Replace(chat(`"temperature": 0`), `"tiny"`, `"`+model+`"`, 1))
}

// TestResidency asserts that the model which was not used for the longest time makes room, that models come back with the same
// answers, and that their memory is freed.
func TestResidency(t *testing.T) {
	h, s, loads := startSources(t, 2.5, "a b c")
	first := map[string]string{}
	bytes := int64(0)
	for i, name := range strings.Fields("a b a c b a c a b c a b c") {
		code, answer, _ := ask(t, h, name)
		var a chatAnswer
		decode(t, answer, &a)
		text := *a.Choices[0].Message.Content
		if code != 200 || first[name] != "" && first[name] != text {
			t.Fatalf("%s: %d %q, first %q", name, code, text, first[name])
		}
		first[name] = text
		switch i {
		case 3: // b went, a stayed
			if got := s.models.list; got["b"].m != nil || got["a"].m == nil || loads["a"].Load() != 1 {
				t.Error("the wrong model made room")
			}
			collect()
			bytes = int64(lucid.MemoryStats(lucid.CPU).Allocated)
		}
	}
	if n := loads["a"].Load() + loads["b"].Load() + loads["c"].Load(); n != 11 { // all but two of the requests
		t.Errorf("%d loads", n)
	}
	collect()
	if grew := int64(lucid.MemoryStats(lucid.CPU).Allocated) - bytes; grew > tinyModel().Bytes()/2 {
		t.Errorf("%d bytes more are in use after models came and went", grew)
	}
	r, err := http.Get(h.URL + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if text := readAll(r); strings.Count(text, "lucid_weight_bytes{") != 2 {
		t.Errorf("%s", text)
	}
}

// TestSingleLoad asserts that many requests for a model load it once, that a failure is theirs alone, and that it names no paths.
func TestSingleLoad(t *testing.T) {
	h, _, loads := startSources(t, 0, "a bad")
	var wg sync.WaitGroup
	for range 12 {
		wg.Go(func() {
			if code, answer, _ := ask(t, h, "a"); code != 200 {
				t.Errorf("%d %s", code, answer)
			}
		})
	}
	wg.Wait()
	if n := loads["a"].Load(); n != 1 {
		t.Errorf("%d loads", n)
	}
	if code, answer, _ := ask(t, h, "bad"); code != 500 || strings.Contains(answer, "secret") ||
		!strings.Contains(answer, "model_not_loaded") {
		t.Errorf("%d %s", code, answer)
	}
	if code, answer, _ := ask(t, h, "bad"); code != 200 {
		t.Errorf("the second time: %d %s", code, answer)
	}
}

// TestModelInUse asserts that a model that generates is not dropped: another one has to wait.
func TestModelInUse(t *testing.T) {
	h, s, _ := startSources(t, 1.5, "a b pinned")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	body := strings.NewReplacer(`"tiny"`, `"a"`, `: 5`, `: 1900`).Replace(chat(`"stream": true`))
	r, _ := http.NewRequestWithContext(ctx, "POST", h.URL+chatPath, strings.NewReader(body))
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	if code, answer, head := ask(t, h, "b"); code != 503 || head.Get("Retry-After") == "" {
		t.Errorf("%d %s", code, answer)
	}
	cancel()
	code, answer := 503, ""
	for end := time.Now().Add(10 * time.Second); code == 503 && time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		code, answer, _ = ask(t, h, "b")
	}
	if code != 200 {
		t.Errorf("afterwards: %d %s", code, answer)
	}
	if code, answer, _ := ask(t, h, "pinned"); code != 200 {
		t.Errorf("%d %s", code, answer)
	}
	if code, _, _ := ask(t, h, "b"); code != 503 {
		t.Errorf("a pinned model was dropped: %d", code)
	}
	s.Close()
	if code, _, _ := ask(t, h, "b"); code != 503 {
		t.Errorf("closed: %d", code)
	}
	large := NewFrom(map[string]Source{"x": {Load: func() (*llm.Model, error) { return nil, nil }, Bytes: 100}}, Options{Resident: 50})
	defer large.Close()
	if _, _, err := large.models.acquire(context.Background(), "x"); !errors.Is(err, lucid.ErrOutOfMemory) {
		t.Errorf("%v", err)
	}
	if lucid.Try(func() { NewFrom(map[string]Source{"x": {}}, Options{}) }) == nil {
		t.Error("a source without Load")
	}
}

// TestRoomMade asserts that a model which is larger than its files makes room behind it, and that no model goes where that is of no use.
func TestRoomMade(t *testing.T) {
	h, s, _ := startSources(t, 2.5, "a b c")
	r := s.models
	one := tinyModel().Bytes()
	r.list["c"].source.Bytes = one / 4 // as its files seem
	for _, name := range []string{"a", "b", "c"} {
		if code, answer, _ := ask(t, h, name); code != 200 {
			t.Fatalf("%s: %d %s", name, code, answer)
		}
	}
	if r.list["a"].m != nil || r.list["b"].m == nil || r.list["c"].m == nil {
		t.Error("the model that was used least did not make room for one that is larger than its files")
	}
	_, release, err := r.acquire(context.Background(), "b")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	r.mu.Lock()
	r.list["a"].source.Bytes = 2 * one // it does not fit next to b, with or without c
	r.mu.Unlock()
	if code, answer, _ := ask(t, h, "a"); code != 503 {
		t.Errorf("%d %s", code, answer)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.list["c"].m == nil {
		t.Error("a model went in vain")
	}
}
