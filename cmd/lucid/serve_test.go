package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTuneFuse teaches the model a text, uses the adapter, and puts it into the weights.
func TestTuneFuse(t *testing.T) {
	model, dir := nextByteModel(t, ""), t.TempDir()
	data := filepath.Join(dir, "examples.jsonl")
	if err := os.WriteFile(data, []byte(`{"text": "qaqaqaqaqaqa"}`+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	adapter := filepath.Join(dir, "adapter")
	args := []string{"tune", model, "--data", data, "--steps", "60", "--lr", "0.05", "--targets", "lm_head", "--adapter", adapter,
		"--sample", "q",
		"--state", filepath.Join(dir, "state.lucid")}
	status, out, errs := lucidRun(args...)
	if status != 0 || !strings.Contains(out, "saved to "+adapter) {
		t.Fatalf("status %d, %q %q", status, out, errs)
	}
	if _, err := os.Stat(filepath.Join(adapter, "loss.svg")); err != nil {
		t.Error(err)
	}
	status, out, errs = lucidRun(append(args, "--steps", "65", "--resume")...)
	if status != 0 || !strings.Contains(out, "after 65 steps") {
		t.Errorf("resumed: status %d, %q %q", status, out, errs)
	}
	run := func(args ...string) string {
		status, out, errs := lucidRun(append([]string{"run"}, args...)...)
		if status != 0 {
			t.Errorf("%v: status %d, %q", args, status, errs)
		}
		return out
	}
	if out := run(model, "q", "--quiet", "--max-tokens", "3", "--adapter", adapter); out != "aqa\n" {
		t.Errorf("with the adapter: %q", out)
	}
	for _, to := range []string{filepath.Join(dir, "tuned.gguf"), filepath.Join(dir, "tuned")} {
		if status, out, errs := lucidRun("fuse", model, adapter, to); status != 0 || !strings.Contains(out, "1 layers fused") {
			t.Errorf("fuse: status %d, %q %q", status, out, errs)
		}
		if out := run(to, "q", "--quiet", "--max-tokens", "3"); out != "aqa\n" {
			t.Errorf("fused: %q", out)
		}
	}
}

func TestServeMistakes(t *testing.T) {
	model := nextByteModel(t, "")
	for _, tt := range []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{"serve"}, 2, "which model"}, {[]string{"serve", "none.gguf"}, 2, "there is no model at none.gguf"},
		{[]string{"serve", model, "--host", "0.0.0.0"}, 2, "set a key"}, {[]string{"serve", model, "--port", "99999"}, 2, "0 to 65535"},
		{[]string{"serve", model, "--log", "xml"}, 2, "text, json or none"}, {[]string{"serve", model, model}, 2, "two models are named"},
		{[]string{"serve", model, "--sequences", "-1", "--port", "0"}, 1, "Sequences is -1"},
		{[]string{"serve", model, "--draft", "none.gguf"}, 2, "there is no model at none.gguf"},
		{[]string{"serve", "a=" + model, "b=" + model, "--draft", model}, 2, "--draft is for one model"},
		{[]string{"serve", model, "--lookup", "-1", "--port", "0"}, 1, "Lookup is -1"},
		{[]string{"serve", model, "--guesses", "3", "--port", "0"}, 1, "Tokens is 3"},
		{[]string{"tune", model}, 2, "which examples"}, {[]string{"tune", model, "--data", "none.jsonl"}, 1, "none.jsonl"},
		{[]string{"tune", model, "--data", "x", "--full"}, 2, ".gguf"}, {[]string{"fuse", model}, 2, "lucid fuse"},
		{[]string{"fuse", model, "none", "x.gguf"}, 1, "none"}, {[]string{"fuse", model, "none", "x", "--format", "q8_0"}, 2, "--format"},
	} {
		if status, _, errs := lucidRun(tt.args...); status != tt.status || !strings.Contains(errs, tt.says) {
			t.Errorf("%v: status %d, %q; want %d with %q", tt.args, status, errs, tt.status, tt.says)
		}
	}
	t.Setenv("LUCID_SERVE_PORT", "many")
	if status, _, errs := lucidRun("serve", model); status != 2 || !strings.Contains(errs, "LUCID_SERVE_PORT") {
		t.Errorf("status %d, %q", status, errs)
	}
}

// TestServeModel serves a model by flags and environment, loaded at once or when it is asked for, and stops.
func TestServeModel(t *testing.T) {
	for _, memory := range []string{"0", "10"} {
		serveOnce(t, "--memory-mb", memory)
	}
	serveOnce(t, "--draft", nextByteModel(t, ""), "--guesses", "3", "--lookup", "0")
}

// serving starts a server of a small model. stop stops it, and gives what it ended with.
func serving(t *testing.T, flags ...string) (url string, stop func() error) {
	t.Helper()
	model := nextByteModel(t, "{% for m in messages %}{{ m.content }}{% endfor %}")
	t.Setenv("LUCID_SERVE_KEY", "secret,other")
	s := &serveFlags{}
	if err := s.parse(find("serve"), append([]string{"abc=" + model, "--port", "0", "--log", "none"}, flags...), io.Discard); err != nil {
		t.Fatal(err)
	}
	start, err := s.prepare()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	r, w := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- s.serve(ctx, start, w) }()
	line := make([]byte, 200)
	n, err := r.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`http://[0-9.:]+`).FindString(string(line[:n])), func() error {
		cancel()
		return <-done
	}
}

// TestServeStops stops a server while answers are being written: they are written to their ends, and what comes later finds no server.
func TestServeStops(t *testing.T) {
	url, stop := serving(t, "--sequences", "2")
	const tokens = 60
	ask := func() (*http.Response, error) {
		q, _ := http.NewRequest("POST", url+"/v1/completions", strings.NewReader(
			`{"model": "abc", "prompt": "0", "max_tokens": 60, "temperature": 0, "stream": true, "ignore_eos": true}`))
		q.Header.Set("Authorization", "Bearer secret")
		return http.DefaultClient.Do(q)
	}
	var streams []*bufio.Reader
	for range 4 { // two are written, two wait
		a, err := ask()
		if err != nil || a.StatusCode != 200 {
			t.Fatal(a, err)
		}
		defer a.Body.Close()
		streams = append(streams, bufio.NewReader(a.Body))
	}
	if _, err := streams[0].ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- stop() }()
	for i, r := range streams {
		all, err := io.ReadAll(r)
		events := strings.Count(string(all), "data: {")
		if i > 0 { // the first event of the first one was read
			events--
		}
		if err != nil || !strings.HasSuffix(strings.TrimSpace(string(all)), "data: [DONE]") || events < tokens/2 {
			t.Errorf("answer %d has %d events and ends with %v: %.300s", i, events, err, all)
		}
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if a, err := ask(); err == nil {
		a.Body.Close()
		t.Errorf("a server that stopped answers %d", a.StatusCode)
	}
}

func serveOnce(t *testing.T, flags ...string) {
	url, stop := serving(t, flags...)
	q, _ := http.NewRequest("POST", url+"/v1/chat/completions", strings.NewReader(
		`{"model": "abc", "messages": [{"role": "user", "content": "456"}], "max_tokens": 2, "temperature": 0}`))
	q.Header.Set("Authorization", "Bearer other")
	a, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	var answer struct {
		Choices []struct{ Message struct{ Content string } }
	}
	if err := json.NewDecoder(a.Body).Decode(&answer); err != nil || answer.Choices[0].Message.Content != "78" {
		t.Errorf("%d %v %+v", a.StatusCode, err, answer)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}
