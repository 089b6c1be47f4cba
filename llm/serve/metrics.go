package serve

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// metrics count requests, in the form that Prometheus reads.
type metrics struct {
	mu         sync.Mutex
	requests   map[requestKind]int64
	seconds    histogram
	first      histogram // seconds to the first token
	between    histogram // seconds between tokens
	prompt     int64
	completion int64
}

type requestKind struct {
	path   string
	status int
}

// histogram counts observations up to bounds.
type histogram struct {
	mu     sync.Mutex
	bounds []float64
	counts []int64
	sum    float64
	n      int64
}

func newHistogram() histogram {
	b := []float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60}
	return histogram{bounds: b, counts: make([]int64, len(b))}
}

func (h *histogram) observe(v float64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, b := range h.bounds {
		if v <= b {
			h.counts[i]++
		}
	}
	h.sum += v
	h.n++
}

func (h *histogram) write(w io.Writer, name, help string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s histogram\n", name, help, name)
	for i, b := range h.bounds {
		fmt.Fprintf(w, "%s_bucket{le=%q} %d\n", name, strconv.FormatFloat(b, 'g', -1, 64), h.counts[i])
	}
	fmt.Fprintf(w, "%s_bucket{le=\"+Inf\"} %d\n%s_sum %v\n%s_count %d\n", name, h.n, name, h.sum, name, h.n)
}

func newMetrics() *metrics {
	return &metrics{requests: map[requestKind]int64{}, seconds: newHistogram(), first: newHistogram(), between: newHistogram()}
}

func (m *metrics) done(path string, status int, took time.Duration) {
	m.mu.Lock()
	m.requests[requestKind{path, status}]++
	m.mu.Unlock()
	m.seconds.observe(took.Seconds())
}

func (m *metrics) tokens(u usage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.prompt += int64(u.Prompt)
	m.completion += int64(u.Completion)
}

func (s *Server) writeMetrics(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	m := s.metrics
	m.mu.Lock()
	keys := slices.SortedFunc(maps.Keys(m.requests), func(a, b requestKind) int {
		return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.status, b.status))
	})
	fmt.Fprint(w, "# HELP lucid_requests_total Requests by path and status.\n# TYPE lucid_requests_total counter\n")
	for _, k := range keys {
		fmt.Fprintf(w, "lucid_requests_total{path=%q,status=\"%d\"} %d\n", k.path, k.status, m.requests[k])
	}
	fmt.Fprintf(w, "# HELP lucid_prompt_tokens_total Tokens of prompts.\n# TYPE lucid_prompt_tokens_total counter\n"+
		"lucid_prompt_tokens_total %d\n", m.prompt)
	fmt.Fprintf(w, "# HELP lucid_completion_tokens_total Tokens generated.\n# TYPE lucid_completion_tokens_total counter\n"+
		"lucid_completion_tokens_total %d\n", m.completion)
	m.mu.Unlock()
	m.seconds.write(w, "lucid_request_seconds", "Seconds of a request.")
	m.first.write(w, "lucid_first_token_seconds", "Seconds from a request to its first token.")
	m.between.write(w, "lucid_between_tokens_seconds", "Seconds between two tokens of an answer.")
	for _, g := range []struct {
		name, help string
		value      func(m *served) int64
	}{
		{"lucid_active_sequences", "Texts that are generated now.", func(m *served) int64 { return int64(m.b.Stats().Active) }},
		{"lucid_waiting_sequences", "Texts that wait.", func(m *served) int64 { return int64(m.b.Stats().Waiting) }},
		{"lucid_weight_bytes", "Memory of the weights of models that are loaded.", func(m *served) int64 { return m.bytes }},
		{"lucid_loads", "How often the model was loaded.", func(m *served) int64 { return m.loads }},
		{"lucid_cache_bytes", "Memory of keys and values.", func(m *served) int64 { return m.b.Stats().Bytes }},
		{"lucid_reused_tokens", "Tokens of prompts that an earlier text had evaluated.",
			func(m *served) int64 { return m.b.Stats().Reused }},
		{"lucid_guessed_tokens", "Tokens that were guessed ahead and evaluated.", func(m *served) int64 { return m.b.Stats().Guessed }},
		{"lucid_right_guesses", "Guesses that became tokens of their texts.", func(m *served) int64 { return m.b.Stats().Right }},
		{"lucid_steps", "Evaluations of the model.", func(m *served) int64 { return m.b.Stats().Steps }},
	} {
		fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s gauge\n", g.name, g.help, g.name)
		s.models.each(func(m *served) { fmt.Fprintf(w, "%s{model=%q} %d\n", g.name, m.name, g.value(m)) })
	}
}
