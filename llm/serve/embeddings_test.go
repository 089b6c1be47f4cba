package serve

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/llm"
)

// tinyEmbedder is an encoder of one layer with random weights and a token a byte.
var tinyEmbedder = sync.OnceValue(func() *llm.Embedder {
	dir, err := os.MkdirTemp("", "serve")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	g, w := lucid.With{Generator: lucid.NewGenerator(2)}, lucid.NewStateDict()
	put := func(name string, sizes ...int) { w.Set(name, g.Randn(sizes...).Mul(0.3)) }
	put("embeddings.word_embeddings.weight", 256, 16)
	put("embeddings.position_embeddings.weight", 64, 16)
	put("embeddings.token_type_embeddings.weight", 2, 16)
	for _, p := range []string{"embeddings.LayerNorm", "encoder.layer.0.attention.output.LayerNorm", "encoder.layer.0.output.LayerNorm"} {
		put(p+".weight", 16)
		put(p+".bias", 16)
	}
	for _, p := range []string{"attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense",
		"intermediate.dense", "output.dense"} {
		put("encoder.layer.0."+p+".weight", 16, 16)
		put("encoder.layer.0."+p+".bias", 16)
	}
	if err := lucid.Save(filepath.Join(dir, "model.safetensors"), w); err != nil {
		panic(err)
	}
	words := map[string]int{}
	for b := range 256 {
		words[fmt.Sprintf("<0x%02X>", b)] = b
	}
	for name, v := range map[string]any{
		"config.json": map[string]any{"architectures": []string{"BertModel"}, "vocab_size": 256, "hidden_size": 16, "intermediate_size": 16,
			"num_hidden_layers": 1, "num_attention_heads": 2, "max_position_embeddings": 64},
		"tokenizer.json": map[string]any{"model": map[string]any{"type": "BPE", "byte_fallback": true, "vocab": words,
			"merges": []string{}}},
	} {
		data, _ := json.Marshal(v)
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			panic(err)
		}
	}
	e, err := llm.LoadEmbedder(dir)
	if err != nil {
		panic(err)
	}
	return e
})

func startEmbedder(t testing.TB, o Options) (*httptest.Server, *Server) {
	t.Helper()
	o.Embedders = map[string]*llm.Embedder{"vectors": tinyEmbedder()}
	return start(t, o)
}

const embedPath = "/v1/embeddings"

type vectors struct {
	Object, Model string
	Data          []struct {
		Object    string
		Index     int
		Embedding json.RawMessage
	}
	Usage struct {
		Prompt int `json:"prompt_tokens"`
		Total  int `json:"total_tokens"`
	}
}

// TestEmbeddings asserts that every form of input gives the library's vectors, as numbers and as bytes.
func TestEmbeddings(t *testing.T) {
	h, _ := startEmbedder(t, Options{})
	want, err := tinyEmbedder().Embed(context.Background(), []string{"abc", "hi"}, llm.EmbedOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		body   string
		want   [][]float32
		tokens int
	}{
		{`{"model": "vectors", "input": "abc"}`, want[:1], 3},
		{`{"input": ["abc", "hi"], "user": "me"}`, want, 5},
		{`{"model": "vectors", "input": [97, 98, 99]}`, want[:1], 3},
		{`{"model": "vectors", "input": [[97, 98, 99], [104, 105]], "encoding_format": "float"}`, want, 5},
		{`{"model": "vectors", "input": "abc", "encoding_format": "base64", "dimensions": 16}`, want[:1], 3},
	} {
		code, body, _ := post(t, h.URL, embedPath, tt.body)
		var got vectors
		if err := json.Unmarshal([]byte(body), &got); code != 200 || err != nil || got.Object != "list" || got.Model != "vectors" ||
			len(got.Data) != len(tt.want) || got.Usage.Prompt != tt.tokens || got.Usage.Total != tt.tokens {
			t.Fatalf("%s: %d %s", tt.body, code, body)
		}
		for i, d := range got.Data {
			var v []float32
			if strings.Contains(tt.body, "base64") {
				var text string
				if err := json.Unmarshal(d.Embedding, &text); err != nil {
					t.Fatal(err)
				}
				data, _ := base64.StdEncoding.DecodeString(text)
				if string(data) != string(floatBytes(tt.want[i])) {
					t.Errorf("%s: other bytes", tt.body)
				}
				continue
			}
			err := json.Unmarshal(d.Embedding, &v)
			if err != nil || d.Index != i || d.Object != "embedding" || !slices.Equal(v, tt.want[i]) {
				t.Errorf("%s: %v, want %v", tt.body, v, tt.want[i])
			}
		}
	}
}

// TestEmbeddingsRefused asserts that bad requests name what is wrong.
func TestEmbeddingsRefused(t *testing.T) {
	h, _ := startEmbedder(t, Options{})
	long := strings.Repeat("x", 65)
	for _, tt := range []struct {
		body string
		code int
		says string
	}{
		{`{"model": "vectors"}`, 400, "input: is missing"},
		{`{"model": "vectors", "input": null}`, 400, "input: is missing"},
		{`{"model": "vectors", "input": ""}`, 400, "not empty"},
		{`{"model": "vectors", "input": ["a", ""]}`, 400, "not empty"},
		{`{"model": "vectors", "input": []}`, 400, "input"},
		{`{"model": "vectors", "input": [[]]}`, 400, "input"},
		{`{"model": "vectors", "input": {"a": 1}}`, 400, "input"},
		{`{"model": "vectors", "input": [null]}`, 400, "input"},
		{`{"model": "vectors", "input": ["a", 1]}`, 400, "input"},
		{`{"model": "vectors", "input": [1.5]}`, 400, "input"},
		{`{"model": "vectors", "input": [-1]}`, 400, "token -1"},
		{`{"model": "vectors", "input": [256]}`, 400, "vocabulary"},
		{`{"model": "vectors", "input": [9223372036854775808]}`, 400, "input"},
		{`{"model": "vectors", "input": "` + long + `"}`, 400, "65 tokens"},
		{`{"model": "vectors", "input": [` + strings.Repeat("1,", 64) + `1]}`, 400, "65 tokens"},
		{`{"model": "vectors", "input": [` + strings.Repeat(`"a",`, 2048) + `"a"]}`, 400, "2049 texts"},
		{`{"model": "vectors", "input": "a", "encoding_format": "int8"}`, 400, "encoding_format"},
		{`{"model": "vectors", "input": "a", "dimensions": 8}`, 400, "16 elements"},
		{`{"model": "vectors", "input": "a", "dimensions": 0}`, 400, "dimensions"},
		{`{"model": "vectors", "input": "a", "surprise": 0}`, 400, "surprise"},
		{`{"model": "other", "input": "a"}`, 404, "model_not_found"},
		{`{"model": "tiny", "input": "a"}`, 400, "model_does_not_embed"},
		{`[`, 400, "JSON"},
	} {
		if code, body, _ := post(t, h.URL, embedPath, tt.body); code != tt.code || !strings.Contains(body, tt.says) {
			t.Errorf("%.80s: %d %s; want %d with %q", tt.body, code, body, tt.code, tt.says)
		}
	}
	if code, body, _ := post(t, h.URL, chatPath, strings.Replace(chat(""), `"tiny"`, `"vectors"`, 1)); code != 400 ||
		!strings.Contains(body, "model_does_not_generate") {
		t.Errorf("%d %s", code, body)
	}
}

// TestEmbeddingsQueue asserts that requests wait for each other, are refused when too many do, and end when the server does.
func TestEmbeddingsQueue(t *testing.T) {
	h, s := startEmbedder(t, Options{Timeout: 300 * time.Millisecond})
	e := s.embedders["vectors"]
	e.busy <- struct{}{} // as if a request computed
	if code, body, _ := post(t, h.URL, embedPath, `{"input": "abc"}`); code != 504 {
		t.Errorf("%d %s", code, body)
	}
	for range cap(e.queue) {
		e.queue <- struct{}{}
	}
	if code, body, head := post(t, h.URL, embedPath, `{"input": "abc"}`); code != 429 || head.Get("Retry-After") == "" {
		t.Errorf("%d %s", code, body)
	}
	for range cap(e.queue) {
		<-e.queue
	}
	<-e.busy
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if code, body, _ := post(t, h.URL, embedPath, `{"input": ["abc", "d"]}`); code != 200 {
				t.Errorf("%d %s", code, body)
			}
		})
	}
	wg.Wait()
	e.busy <- struct{}{}
	wg.Go(func() {
		if code, body, _ := post(t, h.URL, embedPath, `{"input": "abc"}`); code != 503 { // it waits when the server ends
			t.Errorf("%d %s", code, body)
		}
	})
	for len(e.queue) == 0 {
		time.Sleep(time.Millisecond)
	}
	s.Close()
	wg.Wait()
	<-e.busy
	if code, _, _ := post(t, h.URL, embedPath, `{"input": "abc"}`); code != 503 {
		t.Error(code)
	}
	if err := lucid.Try(func() {
		New(map[string]*llm.Model{"a": tinyModel()}, Options{Embedders: map[string]*llm.Embedder{"a": tinyEmbedder()}})
	}); err == nil {
		t.Error("two models of one name")
	}
}
