package docs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/llm"
)

// lettersModel writes a small encoder as a Hugging Face folder. Its vectors tell which letters a text has, and little of their order.
func lettersModel() (dir string) {
	dir, err := os.MkdirTemp("", "letters")
	if err != nil {
		panic(err)
	}
	const n, h = 256, 32
	w, g := lucid.NewStateDict(), lucid.With{Generator: lucid.NewGenerator(1)}
	w.Set("embeddings.word_embeddings.weight", g.Randn(n, h))
	w.Set("embeddings.position_embeddings.weight", g.Randn(64, h).Mul(0.01))
	w.Set("embeddings.token_type_embeddings.weight", lucid.Zeros(2, h))
	for _, p := range []string{"embeddings.LayerNorm", "encoder.layer.0.attention.output.LayerNorm", "encoder.layer.0.output.LayerNorm"} {
		w.Set(p+".weight", lucid.Ones(h))
		w.Set(p+".bias", lucid.Zeros(h))
	}
	for _, p := range []string{"attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense",
		"intermediate.dense", "output.dense"} {
		w.Set("encoder.layer.0."+p+".weight", lucid.Zeros(h, h))
		w.Set("encoder.layer.0."+p+".bias", lucid.Zeros(h))
	}
	if err := lucid.Save(filepath.Join(dir, "model.safetensors"), w); err != nil {
		panic(err)
	}
	words := map[string]int{}
	for b := range n {
		words[fmt.Sprintf("<0x%02X>", b)] = b
	}
	for name, v := range map[string]any{
		"config.json": map[string]any{"architectures": []string{"BertModel"}, "vocab_size": n, "hidden_size": h, "intermediate_size": h,
			"num_hidden_layers": 1, "num_attention_heads": 4, "max_position_embeddings": 64},
		"tokenizer.json": map[string]any{"model": map[string]any{"type": "BPE", "byte_fallback": true, "vocab": words,
			"merges": []string{}}},
	} {
		data, _ := json.Marshal(v)
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			panic(err)
		}
	}
	return dir
}

// Search: pieces of docs/embeddings.md.
func Example_embeddings() {
	dir := lettersModel()
	defer os.RemoveAll(dir)
	e, err := llm.LoadEmbedder(dir) // all-MiniLM-L6-v2, BGE, E5, MPNet, …, or a .gguf file
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	texts := []string{"the cat sat", "go run main.go", "a cat, a mat"}
	vectors, err := e.Embed(ctx, texts, llm.EmbedOptions{})
	if err != nil {
		panic(err)
	}
	fmt.Println(len(vectors), len(vectors[0]), e.MaxTokens())

	query, err := e.Embed(ctx, []string{"cats at that mat"}, llm.EmbedOptions{Prompt: ""})
	if err != nil {
		panic(err)
	}
	// Vectors have length 1: their product is the cosine of their angle.
	all := lucid.MatMul(lucid.New(slices.Concat(vectors...), len(texts), e.Size()), lucid.New(query[0], e.Size()))
	best := int(all.ArgMax(0).Item())
	fmt.Println(texts[best])

	long := string(slices.Repeat([]byte("x"), 100))
	_, err = e.Embed(ctx, []string{long}, llm.EmbedOptions{})
	fmt.Println(err)
	_, err = e.Embed(ctx, []string{long}, llm.EmbedOptions{Truncate: true})
	fmt.Println(err)
	// Output:
	// 3 32 64
	// the cat sat
	// lucid: llm: a text of 100 tokens; want at most 64; EmbedOptions.Truncate cuts it
	// <nil>
}
