package serve

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lucid-go/lucid/llm"
)

func readAll(r *http.Response) string {
	data, _ := io.ReadAll(r.Body)
	return string(data)
}

// TestFields gives every field of the tables values that no request should have: all are refused with a 400 that names the field, or
// are within its limits.
func TestFields(t *testing.T) {
	h, _ := start(t, Options{})
	deep := strings.Repeat("[", 20) + strings.Repeat("]", 20)
	values := []string{`-1`, `2147483648`, `9223372036854775808`, `-9223372036854775809`, `NaN`, `1e308`, `1e999`, `-1e308`, `"text"`,
		`{"a": 1}`, `[1]`,
		`1.5`, `0.0000001`, `true`, `""`, `[]`, deep, `"` + strings.Repeat("x", 100_000) + `"`, `["` + strings.Repeat("y", 10_000) + `"]`,
		`[null]`, `[[]]`}
	// What is within limits: by field, how its values begin.
	fine := map[string][]string{"seed": {"-1", "2147483648"}, "temperature": {"1.5", "0.0000001"}, "top_p": {"0.0000001"},
		"min_p":     {"0.0000001"},
		"typical_p": {"0.0000001"}, "xtc_probability": {"0.0000001"}, "xtc_threshold": {"0.0000001"}, "dry_base": {"1.5"},
		"mirostat_tau": {"1.5", "0.0000001"},
		"mirostat_eta": {"1.5", "0.0000001"}, "repetition_penalty": {"1.5"}, "presence_penalty": {"-1", "1.5", "0.0000001"},
		"frequency_penalty": {"-1", "1.5", "0.0000001"}, "dry_multiplier": {"1.5", "0.0000001"}, "stop": {`"text"`, "[]"},
		"stream":     {"true"},
		"ignore_eos": {"true"}, "logprobs": {"true"}, "echo": {"true"}, "tools": {"[]"}, "functions": {"[]"},
		"parallel_tool_calls": {"true"},
		"suffix":              {`""`}, "prompt": {`"text"`, "[1]", `"xxx`, `["yyy`}, "user": {""}, "metadata": {""},
		"safety_identifier": {""},
		"prompt_cache_key":  {""}, "input": {`"text"`, `"xxx`, `""`}, "instructions": {`"text"`, `"xxx`, `""`}, "include": {"[]"}}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range 5 { // what the first requests take stays
		post(t, h.URL, chatPath, chat(`"logprobs": true, "n": 8, "response_format": {"type": "json_object"}`))
	}
	collect()
	slowest, was := time.Duration(0), resident()
	for path, table := range map[string][]field{chatPath: chatFields(8), "/v1/completions": textFields(8),
		responsesPath: responseFields()} {
		for _, f := range table {
			for _, v := range values {
				body := map[string]json.RawMessage{"max_tokens": json.RawMessage("1"),
					"messages": json.RawMessage(`[{"role": "user", "content": "x"}]`)}
				switch path {
				case "/v1/completions":
					delete(body, "messages")
					body["prompt"] = json.RawMessage(`"x"`)
				case responsesPath:
					body = map[string]json.RawMessage{"max_output_tokens": json.RawMessage("1"), "input": json.RawMessage(`"x"`)}
				}
				body[f.name] = json.RawMessage(v)
				text := "{"
				for name, raw := range body {
					text += fmt.Sprintf("%q: %s,", name, raw)
				}
				begun := time.Now()
				code, answer, _ := post(t, h.URL, path, strings.TrimSuffix(text, ",")+"}")
				slowest = max(slowest, time.Since(begun))
				ok := false
				for _, p := range fine[f.name] {
					ok = ok || strings.HasPrefix(v, p) && !strings.HasPrefix(v, p+"0") && (p != "-1" || v == "-1") && (p != `""` ||
						v == `""`) || p == ""
				}
				if f.name == "model" && (code == 404 || v == `""` && code == 200) {
					continue
				}
				if ok && code == 200 || v == "NaN" && code == 400 {
					continue
				}
				if f.name == "max_tokens" && v == "2147483648" && code == 400 {
					continue
				}
				if code != 400 || !strings.Contains(answer, f.name) {
					if ok && code == 400 && strings.Contains(answer, "llm:") { // two fields that do not go together
						continue
					}
					t.Errorf("%s: %s = %.40s: %d %.200s", path, f.name, v, code, answer)
				}
			}
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	collect()
	grew := resident() - was
	t.Logf("slowest %v, heap grew by %d KiB, resident memory by %d KiB", slowest, (int64(after.HeapAlloc)-int64(before.HeapAlloc))/1024,
		grew/1024)
	if long && (slowest > 100*time.Millisecond || grew > 16<<20) {
		t.Errorf("the slowest took %v, memory grew by %d bytes", slowest, grew)
	}
	if after.HeapAlloc > before.HeapAlloc+16<<20 {
		t.Errorf("the heap grew from %d to %d", before.HeapAlloc, after.HeapAlloc)
	}
}

// TestBounds goes one step beyond the limits of numbers.
func TestBounds(t *testing.T) {
	h, _ := start(t, Options{MaxTokens: 50})
	for field, codes := range map[string]map[string]int{
		"n":            {"0": 400, "1": 200, "8": 200, "9": 400, "1000000": 400},
		"temperature":  {"-0.001": 400, "0": 200, "2": 200, "2.001": 400},
		"top_logprobs": {"0": 200, "20": 200, "21": 400},
		"max_tokens":   {"0": 400, "1": 200, "50": 200, "51": 400},
		"top_p":        {"0": 200, "1": 200, "1.01": 400},
		"logit_bias":   {`{"5": 100}`: 200, `{"5": 101}`: 400, `{"-5": 1}`: 400, `{"x": 1}`: 400, `{"5": "1"}`: 400},
		"stop":         {`["a", "b"]`: 200, `["", "b"]`: 400, `[` + strings.Repeat(`"a",`, 16) + `"b"]`: 400, `[1]`: 400},
		"tool_choice":  {`"none"`: 200, `"required"`: 400, `"auto"`: 200, `{"type": "function", "function": {"name": "f"}}`: 400},
		"response_format": {`{"type": "text"}`: 200, `{"type": "other"}`: 400, `{"type": "json_schema"}`: 400,
			`{"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "number", "minimum": 3}}}`: 400},
		"prediction": {`null`: 200, `{"type": "content", "content": "x"}`: 200, `{"type": "content"}`: 400, `{"content": "x"}`: 400,
			`{"type": "content", "content": [{"type": "text", "text": "x"}]}`: 200, `{"type": "content", "content": [5]}`: 400,
			`{"type": "content", "content": 5}`: 400, `{"type": "other", "content": "x"}`: 400,
			`{"type": "content", "content": "x", "more": 1}`:                                    400,
			`{"type": "content", "content": "` + strings.Repeat("x", maxPrediction) + `"}`:      200,
			`{"type": "content", "content": "` + strings.Repeat("x", maxPrediction+1) + `"}`:    400,
			`{"type": "content", "content": "` + strings.Repeat("x", 7*maxPrediction) + `"}`:    400,
			`{"type": "content", "content": "` + strings.Repeat(`\u00e9`, maxPrediction) + `"}`: 400},
		"grammar":        {`"root ::= \"a\""`: 200, `"root ::="`: 400, `"nothing"`: 400},
		"stream_options": {`{"include_usage": true}`: 200, `{"other": true}`: 400},
		"unheard_of":     {`1`: 400},
		"tools":          {`[]`: 200, `[{"type": "function", "function": {"name": "f"}}]`: 400},
	} {
		for value, want := range codes {
			more := ""
			if field == "top_logprobs" {
				more = `, "logprobs": true`
			}
			body := fmt.Sprintf(`{"messages": [{"role": "user", "content": "x"}], %q: %s%s}`, field, value, more)
			if field != "max_tokens" {
				body = strings.Replace(body, "{", `{"max_tokens": 2, `, 1)
			}
			if code, answer, _ := post(t, h.URL, chatPath, body); code != want {
				t.Errorf("%s = %.60s: %d %.200s", field, value, code, answer)
			}
		}
	}
	for _, m := range []string{`{}`, `[]`, `[{}]`, `[{"role": "user"}]`, `[{"role": "tool", "content": "x"}]`,
		`[{"role": "user", "content": 5}]`, `[null]`,
		`[{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "http://127.0.0.1/"}}]}]`,
		`[{"role": "user", "content": [5]}]`,
		`[{"role": "user", "content": "x", "name": "y z"}]`, `"x"`,
		`[{"role": "user", "content": "x", "tool_call_id": "1"}]`, `[{"role": "user", "content": "x", "tool_calls": []}]`,
		`[{"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{"}}]}]`,
		`[{"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": {}}}]}]`,
		`[{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]}]`,
		`[{"role": "assistant", "refusal": "no"}]`} {
		if code, answer, _ := post(t, h.URL, chatPath, `{"messages": `+m+`}`); code != 400 || !strings.Contains(answer, "messages") {
			t.Errorf("%s: %d %s", m, code, answer)
		}
	}
	for _, p := range []string{`{}`, `[{}]`, `[1.5]`, `[-1]`, `[256]`, `["a", 1]`, `""`, `[]`, `[[], []]`, `[` + strings.Repeat(`"a",`,
		40) + `"b"]`} {
		if code, answer, _ := post(t, h.URL, "/v1/completions", `{"max_tokens": 1, "prompt": `+p+`}`); code != 400 {
			t.Errorf("prompt %.40s: %d %s", p, code, answer)
		}
	}
}

// TestBodies sends what is no request at all.
func TestBodies(t *testing.T) {
	h, _ := start(t, Options{MaxBody: 1 << 20})
	for name, c := range map[string]struct {
		body string
		want int
	}{
		"empty": {"", 400}, "text": {"hello", 400}, "array": {"[]", 400}, "null": {"null", 400}, "half": {`{"a": `, 400},
		"bytes": {"{\"a\": \"\xff\"}", 400},
		"deep":  {`{"messages": ` + strings.Repeat("[", 100_000), 400}, "values": {`{"a": [` + strings.Repeat("1,", 400_000) + `1]}`, 400},
		"large": {`{"a": "` + strings.Repeat("x", 2<<20) + `"}`, 413}, "name": {`{"` + strings.Repeat("n", 100_000) + `": 1}`, 400},
	} {
		begun := time.Now()
		code, answer, _ := post(t, h.URL, chatPath, c.body)
		if code != c.want || len(answer) > 1000 {
			t.Errorf("%s: %d %.200s", name, code, answer)
		}
		if took := time.Since(begun); took > 2*time.Second {
			t.Errorf("%s took %v", name, took)
		}
	}
	// A gigabyte that is only promised, and one that comes without a length.
	r, _ := http.NewRequest("POST", h.URL+chatPath, io.LimitReader(zeros{}, 1<<30))
	r.ContentLength = 1 << 30
	if a, err := http.DefaultClient.Do(r); err == nil && a.StatusCode != 413 {
		t.Errorf("a gigabyte: %d", a.StatusCode)
	}
	r, _ = http.NewRequest("POST", h.URL+chatPath, io.LimitReader(zeros{}, 1<<30))
	if a, err := http.DefaultClient.Do(r); err == nil && a.StatusCode != 413 {
		t.Errorf("a gigabyte in chunks: %d", a.StatusCode)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

// TestWhoAsks checks keys, hosts and origins.
func TestWhoAsks(t *testing.T) {
	h, _ := start(t, Options{Keys: []string{"one", "two"}, Origins: []string{"https://chat.example"}})
	body := chat("")
	for name, c := range map[string]struct {
		head []string
		want int
	}{
		"no key": {nil, 401}, "wrong key": {[]string{"Authorization", "Bearer three"}, 401}, "empty key": {[]string{"Authorization",
			"Bearer "}, 401},
		"no bearer": {[]string{"Authorization", "one"}, 401}, "first key": {[]string{"Authorization", "Bearer one"}, 200},
		"second key": {[]string{"X-Api-Key", "two"}, 200},
		"rebinding":  {[]string{"Authorization", "Bearer one", "Host", "evil.example:8080"}, 403},
		"near name":  {[]string{"Authorization", "Bearer one", "Host", "localhost.evil.example"}, 403},
		"an address": {[]string{"Authorization", "Bearer one", "Host", "192.168.1.5"}, 403},
		"localhost":  {[]string{"Authorization", "Bearer one", "Host", "localhost:1234"}, 200},
		"loopback 6": {[]string{"Authorization", "Bearer one", "Host", "[::1]:80"}, 200},
		"a page":     {[]string{"Authorization", "Bearer one", "Origin", "https://evil.example"}, 403},
		"null page":  {[]string{"Authorization", "Bearer one", "Origin", "null"}, 403},
		"our page":   {[]string{"Authorization", "Bearer one", "Origin", h.URL}, 200},
		"a friend":   {[]string{"Authorization", "Bearer one", "Origin", "https://chat.example"}, 200},
	} {
		code, answer, head := post(t, h.URL, chatPath, body, c.head...)
		if code != c.want {
			t.Errorf("%s: %d %s", name, code, answer)
		}
		if allowed := head.Get("Access-Control-Allow-Origin"); allowed == "*" ||
			(name == "a friend") != (allowed == "https://chat.example") {
			t.Errorf("%s: the answer allows %q", name, allowed)
		}
	}
	for path, want := range map[string]int{"/health": 200, "/v1/models": 200, "/metrics": 401, "/v1/models/tiny": 401} {
		r, err := http.Get(h.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = r.Body.Close()
		if r.StatusCode != want {
			t.Errorf("%s: %d", path, r.StatusCode)
		}
	}
	r, _ := http.NewRequest("OPTIONS", h.URL+chatPath, nil)
	r.Header.Set("Origin", "https://chat.example")
	a, err := http.DefaultClient.Do(r)
	if err != nil || a.StatusCode != 204 || a.Header.Get("Access-Control-Allow-Methods") == "" {
		t.Errorf("preflight: %v %v", a, err)
	}
	all, _ := start(t, Options{Hosts: []string{"*"}})
	if code, _, _ := post(t, all.URL, chatPath, body, "Host", "any.example"); code != 200 {
		t.Errorf("all hosts: %d", code)
	}
}

// TestGoroutines asserts that requests leave nothing behind.
func TestGoroutines(t *testing.T) {
	h, _ := start(t, Options{})
	post(t, h.URL, chatPath, chat(""))
	http.DefaultClient.CloseIdleConnections()
	time.Sleep(50 * time.Millisecond)
	before := runtime.NumGoroutine()
	n := 300
	if testing.Short() {
		n = 60
	}
	for range n {
		post(t, h.URL, chatPath, chat(`"n": 2`))
	}
	http.DefaultClient.CloseIdleConnections()
	for i := 0; runtime.NumGoroutine() > before && i < 200; i++ {
		time.Sleep(10 * time.Millisecond)
	}
	if after := runtime.NumGoroutine(); after > before+1 {
		t.Errorf("%d goroutines before, %d after %d requests", before, after, n)
	}
}

// TestSlowClients opens connections that send half of a request and wait: others are served meanwhile, and the slow ones are ended.
func TestSlowClients(t *testing.T) {
	h, _ := start(t, Options{Stall: 500 * time.Millisecond})
	body := chat("")
	var slow []net.Conn
	for range some(10_000, 200, 200) {
		c, err := net.Dial("tcp", h.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", chatPath, len(body), body[:len(body)/2])
		slow = append(slow, c)
	}
	if code, answer, _ := post(t, h.URL, chatPath, body); code != 200 {
		t.Errorf("next to slow clients: %d %s", code, answer)
	}
	for _, c := range slow {
		_ = c.SetReadDeadline(time.Now().Add(20 * time.Second))
		text, err := io.ReadAll(io.LimitReader(c, 1<<12))
		if err != nil || !strings.Contains(string(text), " 400 ") {
			t.Fatalf("a slow client got %q, %v", text, err)
		}
	}
}

// TestMemory asserts that what can never fit is refused, and that what fits runs one behind the other.
func TestMemory(t *testing.T) {
	h, s := start(t, Options{Batcher: llm.BatcherOptions{Bytes: 600 << 10}}) // 256 bytes a token: 2 layers, 2 heads of 8 numbers, twice
	code, answer, _ := post(t, h.URL, chatPath, strings.Replace(chat(""), `: 5`, `: 2000`, 1))
	if code != 200 {
		t.Errorf("%d %s", code, answer)
	}
	if n := s.models.list["tiny"].b.Stats().Bytes; n > 600<<10 {
		t.Errorf("%d bytes are in use", n)
	}
	small, _ := start(t, Options{Batcher: llm.BatcherOptions{Bytes: 100 << 10}})
	code, answer, _ = post(t, small.URL, chatPath, strings.Replace(chat(""), `: 5`, `: 2000`, 1))
	if code != 400 || !strings.Contains(answer, "bytes of keys and values") {
		t.Errorf("%d %s", code, answer)
	}
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() {
			if code, answer, _ := post(t, small.URL, chatPath, chat("")); code != 200 {
				t.Errorf("%d %s", code, answer)
			}
		})
	}
	wg.Wait()
}
