package packages_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/lucid-go/lucid/llm"
	"github.com/lucid-go/lucid/llm/serve"
)

// Serve: the piece of docs/packages/llm-serve.md.
func Example_llmServe() {
	dir := alphabetModel()
	defer os.RemoveAll(dir)
	m, err := llm.Load(dir)
	if err != nil {
		panic(err)
	}
	server := serve.New(map[string]*llm.Model{"abc": m}, serve.Options{Keys: []string{"secret"}})
	defer server.Close()
	listener := httptest.NewServer(server) // or http.Server{Addr: "127.0.0.1:8080", Handler: server}
	defer listener.Close()
	sources := map[string]serve.Source{"abc": {Load: func() (*llm.Model, error) { return llm.Load(dir) }, Bytes: 2 << 20}}
	lazy := serve.NewFrom(sources, serve.Options{Resident: 1 << 30})
	defer lazy.Close()
	body := `{"model": "abc", "messages": [{"role": "user", "content": "xyz"}], "max_tokens": 3, "temperature": 0}`
	r, _ := http.NewRequest("POST", listener.URL+"/v1/chat/completions", strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer secret")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		panic(err)
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	_, choices, _ := strings.Cut(string(text), `"choices":`)
	choices, _, _ = strings.Cut(choices, `,"usage"`)
	fmt.Println(answer.StatusCode, choices)
	// Output:
	// 200 [{"index":0,"message":{"role":"assistant","content":"{|}"},"logprobs":null,"finish_reason":"length"}]
}
