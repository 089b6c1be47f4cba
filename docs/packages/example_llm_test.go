package packages_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/llm"
)

// alphabetModel writes a Llama as a Hugging Face folder, whose weights are such that it continues every byte with the next one.
func alphabetModel() (dir string) {
	dir, err := os.MkdirTemp("", "alphabet")
	if err != nil {
		panic(err)
	}
	const n = 256
	eye, w := lucid.Eye(n), lucid.NewStateDict()
	w.Set("model.embed_tokens.weight", eye)
	w.Set("lm_head.weight", lucid.Roll(eye, []int{1}, lucid.RollOptions{Dims: []int{0}}))
	for _, name := range []string{"self_attn.q", "self_attn.k", "self_attn.v", "self_attn.o", "mlp.gate", "mlp.up", "mlp.down"} {
		w.Set("model.layers.0."+name+"_proj.weight", lucid.Zeros(n, n))
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
			"intermediate_size": n,
			"num_hidden_layers": 1, "num_attention_heads": 4, "max_position_embeddings": 256},
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

// Generate: pieces of docs/packages/llm.md.
func Example_llmGenerate() {
	dir := alphabetModel()
	defer os.RemoveAll(dir)
	m, err := llm.Load(dir) // or llm.Load("model.gguf")
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	for token, err := range m.Generate(ctx, "abc", llm.Options{MaxTokens: 5}) {
		if err != nil {
			panic(err)
		}
		fmt.Print(token.Text)
	}
	fmt.Println()

	chat := []llm.Message{{Role: "user", Content: "123"}}
	for token, err := range m.Chat(ctx, chat, llm.Options{Stop: []string{"8"}}) {
		if err != nil {
			panic(err)
		}
		fmt.Print(token.Text, token.Finish)
	}
	fmt.Println()
	// Output:
	// defgh
	// 4567stop
}

// Many texts at once: the piece of docs/packages/llm.md.
func Example_llmBatcher() {
	dir, ctx := alphabetModel(), context.Background()
	defer os.RemoveAll(dir)
	m, err := llm.Load(dir)
	if err != nil {
		panic(err)
	}
	b, err := m.NewBatcher(llm.BatcherOptions{Sequences: 8})
	if err != nil {
		panic(err)
	}
	defer b.Close()
	var wg sync.WaitGroup
	texts := make([]string, 3)
	for i, prompt := range []string{"abc", "12", "X"} {
		wg.Go(func() {
			for token, err := range b.Generate(ctx, prompt, llm.Options{MaxTokens: 4}) {
				if err != nil {
					panic(err)
				}
				texts[i] += token.Text
			}
		})
	}
	wg.Wait()
	fmt.Println(texts)
	// Output:
	// [defg 3456 YZ[\]
}

// Save: pieces of docs/packages/llm.md.
func Example_llmSave() {
	dir := alphabetModel()
	defer os.RemoveAll(dir)
	m, err := llm.Load(dir)
	if err != nil {
		panic(err)
	}
	path := filepath.Join(dir, "small.gguf")
	if err := m.Save(path, llm.SaveOptions{Format: "q8_0"}); err != nil {
		panic(err)
	}
	small, err := llm.Load(path)
	if err != nil {
		panic(err)
	}
	ids := small.Tokenizer().Encode("HAL")
	logits := small.Forward(lucid.New(ids, 1, len(ids))) // (batch, tokens, vocabulary)
	next := lucid.ToSlice[int](logits.ArgMax(-1))
	fmt.Println(logits.Shape(), small.Tokenizer().Decode(next))
	// Output:
	// [1 3 256] IBM
}

// Tools: the piece of docs/packages/llm.md.
func Example_llmTools() {
	dir, ctx := alphabetModel(), context.Background()
	defer os.RemoveAll(dir)
	data, _ := json.Marshal(map[string]string{"chat_template": "{% for t in tools %}{{ t.function.name }} {% endfor %}" +
		"answer as <tool_call>{% for m in messages %}{{ m.content }}{% endfor %}"})
	if err := os.WriteFile(filepath.Join(dir, "tokenizer_config.json"), data, 0o644); err != nil {
		panic(err)
	}
	m, err := llm.Load(dir)
	if err != nil {
		panic(err)
	}
	tools := []llm.Tool{{Name: "weather", Description: "of a city", Parameters: json.RawMessage(
		`{"type": "object", "properties": {"city": {"enum": ["Oslo", "Rome"]}}, "required": ["city"]}`)}}
	format, err := m.ToolFormat(llm.ToolUse{Tools: tools, Required: true, Single: true})
	if err != nil {
		panic(err)
	}
	o := llm.Options{MaxTokens: 200}
	if err := format.Apply(&o); err != nil {
		panic(err)
	}
	ids, err := format.PromptIDs(m, []llm.Message{{Role: "user", Content: "Is it cold?"}}, true, tools)
	if err != nil {
		panic(err)
	}
	reader, name, arguments := format.Reader(), "", ""
	for token, err := range m.GenerateIDs(ctx, ids, o) {
		if err != nil {
			panic(err)
		}
		for _, c := range reader.Next(token.Text, token.Finish != "").Calls { // parts of calls
			name, arguments = name+c.Name, arguments+c.Arguments
		}
	}
	var in struct{ City string }
	if err := json.Unmarshal([]byte(arguments), &in); err != nil {
		panic(err)
	}
	fmt.Println(name, in.City)
	// Output:
	// weather Oslo
}

// Caches and guesses: pieces of docs/packages/llm.md.
func Example_llmCaches() {
	dir, ctx := alphabetModel(), context.Background()
	defer os.RemoveAll(dir)
	m, err := llm.Load(dir)
	if err != nil {
		panic(err)
	}
	show := func(o llm.Options, prompt string) {
		for token, err := range m.Generate(ctx, prompt, o) {
			if err != nil {
				panic(err)
			}
			fmt.Print(token.Text)
		}
		fmt.Println()
	}
	cache := m.NewCache(llm.CacheOptions{Bits: 8})
	show(llm.Options{MaxTokens: 3, Cache: cache}, "abc")
	path := filepath.Join(dir, "chat.lucid")
	if err := cache.Save(path); err != nil {
		panic(err)
	}
	again, err := m.OpenCache(path)
	if err != nil {
		panic(err)
	}
	show(llm.Options{MaxTokens: 3, Cache: again}, "abcdefgh")

	show(llm.Options{MaxTokens: 3, Speculate: llm.Speculate{Lookup: 3}}, "hello")
	show(llm.Options{MaxTokens: 3, Rotate: llm.Rotate{Window: 64, Keep: 4}}, "hello")
	best, err := m.Best(ctx, "abc", 2, llm.Options{MaxTokens: 4})
	if err != nil {
		panic(err)
	}
	fmt.Println(best[0].Text, len(best))
	// Output:
	// def
	// ijk
	// pqr
	// pqr
	// defg 2
}
