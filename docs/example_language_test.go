package docs_test

import (
	"context"
	"encoding/json"
	"fmt"
	gonet "net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/llm"
	"github.com/lucid-go/lucid/llm/serve"
	"github.com/lucid-go/lucid/llm/tune"
)

// languageModel writes a small Llama as a Hugging Face folder: random, or one that continues every byte with the next one.
func languageModel(random bool) (dir string) {
	dir, err := os.MkdirTemp("", "language")
	if err != nil {
		panic(err)
	}
	const n = 256
	eye, w, g := lucid.Eye(n), lucid.NewStateDict(), lucid.With{Generator: lucid.NewGenerator(1)}
	w.Set("model.embed_tokens.weight", eye)
	w.Set("lm_head.weight", lucid.Roll(eye, []int{1}, lucid.RollOptions{Dims: []int{0}}))
	for _, name := range []string{"self_attn.q", "self_attn.k", "self_attn.v", "self_attn.o", "mlp.gate", "mlp.up", "mlp.down"} {
		w.Set("model.layers.0."+name+"_proj.weight", lucid.Zeros(n, n))
	}
	for name := range w.All() {
		if random {
			w.Set(name, g.Randn(n, n).Mul(0.1))
		}
	}
	for _, name := range []string{"model.layers.0.input_layernorm", "model.layers.0.post_attention_layernorm", "model.norm"} {
		w.Set(name+".weight", lucid.Ones(n))
	}
	if err := lucid.Save(filepath.Join(dir, "model.safetensors"), w); err != nil {
		panic(err)
	}
	words, other := map[string]int{}, 0 // a token a byte, as byte-level tokenizers show bytes
	for b := range n {
		r := rune(b)
		if !(b >= '!' && b <= '~' || b >= 0xa1 && b <= 0xac || b >= 0xae) {
			r = rune(n + other)
			other++
		}
		words[string(r)] = b
	}
	for name, v := range map[string]any{
		"config.json": map[string]any{"architectures": []string{"LlamaForCausalLM"}, "vocab_size": n, "hidden_size": n,
			"intermediate_size": n, "num_hidden_layers": 1, "num_attention_heads": 4, "max_position_embeddings": 64},
		"tokenizer.json": map[string]any{"pre_tokenizer": map[string]any{"type": "ByteLevel", "add_prefix_space": false},
			"decoder": map[string]any{"type": "ByteLevel"}, "model": map[string]any{"type": "BPE", "vocab": words, "merges": []string{}}},
		"tokenizer_config.json": map[string]any{"chat_template": "{% for m in messages %}{{ m.content }}{% endfor %}"},
	} {
		data, _ := json.Marshal(v)
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			panic(err)
		}
	}
	return dir
}

// Learn a text: the piece of docs/tuning.md.
func Example_tuning() {
	dir, ctx := languageModel(true), context.Background()
	defer os.RemoveAll(dir)
	m, err := llm.Load(dir) // a .gguf file, or a folder from Hugging Face
	if err != nil {
		panic(err)
	}
	if _, err := tune.LoRA(m, tune.LoRAOptions{Rank: 8, Targets: []string{"q_proj", "v_proj", "down_proj"}}); err != nil {
		panic(err)
	}
	data := tune.Completions(
		tune.Completion{Prompt: "capital of France?", Completion: "Paris"},
		tune.Completion{Prompt: "capital of Peru?", Completion: "Lima"})
	report, err := tune.Fit(ctx, m, data, tune.Options{Steps: 120, LR: 0.02, Batch: 2})
	if err != nil {
		panic(err)
	}
	fmt.Println(report.Final < 0.1*report.First)
	for token := range m.Chat(ctx, []llm.Message{{Role: "user", Content: "capital of Peru?"}}, llm.Options{MaxTokens: 4}) {
		fmt.Print(token.Text)
	}
	fmt.Println()
	// Output:
	// true
	// Lima
}

// In your program: the piece of docs/serving.md.
func Example_serving() {
	dir := languageModel(false)
	defer os.RemoveAll(dir)
	m, err := llm.Load(dir)
	if err != nil {
		panic(err)
	}
	listener, err := gonet.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	server := serve.New(map[string]*llm.Model{"tiny": m}, serve.Options{Batcher: llm.BatcherOptions{Sequences: 16}})
	web := &http.Server{Handler: server, ReadHeaderTimeout: 10 * time.Second}
	go web.Serve(listener)

	r, err := http.Post("http://"+listener.Addr().String()+"/v1/chat/completions", "application/json",
		strings.NewReader(`{"model": "tiny", "messages": [{"role": "user", "content": "abc"}], "max_tokens": 4, "temperature": 0}`))
	if err != nil {
		panic(err)
	}
	defer r.Body.Close()
	var answer struct {
		Choices []struct{ Message struct{ Content string } }
	}
	if err := json.NewDecoder(r.Body).Decode(&answer); err != nil {
		panic(err)
	}
	fmt.Println(r.StatusCode, answer.Choices[0].Message.Content)

	// A graceful stop: no new requests, those under way end, then the memory is freed.
	web.Shutdown(context.Background())
	server.Shutdown(context.Background())
	// Output:
	// 200 defg
}
