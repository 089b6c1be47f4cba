package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/llm"
)

// tinyModel is a Llama of two layers with random weights and a token a byte, shared by the tests.
var tinyModel = sync.OnceValue(func() *llm.Model {
	return newTiny(plainTemplate)
})

const plainTemplate = "{% for m in messages %}{{ m['role'] + ': ' + m['content'] + '\n' }}" +
	"{% endfor %}{% if add_generation_prompt %}{{ 'assistant: ' }}{% endif %}"

// toolModel is the same with a template that has tools.
var toolModel = sync.OnceValue(func() *llm.Model {
	return newTiny("{% if tools %}{% for t in tools %}{{ t | tojson }}{% endfor %}<tool_call>{% endif %}" +
		"{% for m in messages %}{{ m.role }}: {{ m.content or '' }}" +
		"{% for c in m.tool_calls or [] %}<tool_call>\n{{ c.function | tojson }}\n</tool_call>{% endfor %}" +
		"\n{% endfor %}{% if add_generation_prompt %}assistant: {% endif %}")
})

func newTiny(template string) *llm.Model {
	dir, err := os.MkdirTemp("", "serve")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	const vocab, dim, hidden, heads, kv, layers = 256, 32, 64, 4, 2, 2
	g, w := lucid.With{Generator: lucid.NewGenerator(1)}, lucid.NewStateDict()
	put := func(name string, sizes ...int) { w.Set(name, g.Randn(sizes...).Mul(0.3)) }
	put("model.embed_tokens.weight", vocab, dim)
	for i := range layers {
		p := fmt.Sprintf("model.layers.%d.", i)
		put(p+"self_attn.q_proj.weight", dim, dim)
		put(p+"self_attn.k_proj.weight", dim/heads*kv, dim)
		put(p+"self_attn.v_proj.weight", dim/heads*kv, dim)
		put(p+"self_attn.o_proj.weight", dim, dim)
		put(p+"mlp.gate_proj.weight", hidden, dim)
		put(p+"mlp.up_proj.weight", hidden, dim)
		put(p+"mlp.down_proj.weight", dim, hidden)
		w.Set(p+"input_layernorm.weight", lucid.Ones(dim))
		w.Set(p+"post_attention_layernorm.weight", lucid.Ones(dim))
	}
	w.Set("model.norm.weight", lucid.Ones(dim))
	put("lm_head.weight", vocab, dim)
	if err := lucid.Save(filepath.Join(dir, "model.safetensors"), w); err != nil {
		panic(err)
	}
	words, n := map[string]int{}, 0
	for b := range 256 {
		r := rune(b)
		if !(b >= '!' && b <= '~' || b >= 0xa1 && b <= 0xac || b >= 0xae) {
			r = rune(256 + n)
			n++
		}
		words[string(r)] = b
	}
	for name, v := range map[string]any{
		"config.json": map[string]any{"architectures": []string{"LlamaForCausalLM"}, "vocab_size": vocab, "hidden_size": dim,
			"intermediate_size": hidden, "num_hidden_layers": layers, "num_attention_heads": heads, "num_key_value_heads": kv,
			"max_position_embeddings": 2048, "tie_word_embeddings": false},
		"tokenizer.json": map[string]any{"pre_tokenizer": map[string]any{"type": "ByteLevel", "add_prefix_space": false},
			"decoder": map[string]any{"type": "ByteLevel"}, "model": map[string]any{"type": "BPE", "vocab": words, "merges": []string{}}},
		"tokenizer_config.json": map[string]any{"chat_template": template},
	} {
		data, _ := json.Marshal(v)
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			panic(err)
		}
	}
	m, err := llm.Load(dir)
	if err != nil {
		panic(err)
	}
	return m
}

// start serves the tiny model.
func start(t testing.TB, o Options) (*httptest.Server, *Server) {
	t.Helper()
	s := New(map[string]*llm.Model{"tiny": tinyModel()}, o)
	h := httptest.NewServer(s)
	t.Cleanup(func() {
		h.Close()
		s.Close()
	})
	return h, s
}

// post sends a body and returns status, answer and headers.
func post(t testing.TB, url, path, body string, head ...string) (int, string, http.Header) {
	t.Helper()
	r, err := http.NewRequest("POST", url+path, bytes.NewBufferString(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(head); i += 2 {
		if r.Header.Set(head[i], head[i+1]); head[i] == "Host" {
			r.Host = head[i+1]
		}
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	data, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	return a.StatusCode, string(data), a.Header
}

// chat is the body of a request with some fields more.
func chat(fields string) string {
	if fields != "" && !strings.HasPrefix(fields, ",") {
		fields = ", " + fields
	}
	return `{"model": "tiny", "messages": [{"role": "user", "content": "hi"}], "max_tokens": 5` + fields + `}`
}
