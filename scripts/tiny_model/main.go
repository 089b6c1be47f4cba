// Command tiny_model makes the model of package tiny: random weights, which read Newton's Opticks some eighteen times. It takes about ten
// minutes on two cores. Ctrl-C saves the run; the same command goes on with it.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/data/sets"
	"github.com/lucid-go/lucid/llm"
	"github.com/lucid-go/lucid/llm/tune"
)

// The shape of the model, as config.json says it.
const (
	width  = 128
	layers = 5
	heads  = 4
	shared = 2 // heads of keys and values
	inner  = 384
	length = 512 // tokens of a text
)

func main() {
	out := flag.String("out", "opticks.gguf", "the file to write")
	state := flag.String("state", "opticks.lucid", "where the run is stored until it is done")
	steps := flag.Int("steps", 2400, "how often the weights change")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *out, *state, *steps); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out, state string, steps int) error {
	parent, err := os.MkdirTemp("", "tiny")
	if err != nil {
		return err
	}
	defer os.RemoveAll(parent)
	dir := filepath.Join(parent, "opticks") // the name that the file will have inside
	if err := errors.Join(os.Mkdir(dir, 0o755), untrained(dir)); err != nil {
		return err
	}
	m, err := llm.Load(dir)
	if err != nil {
		return err
	}
	book, err := sets.Opticks()
	if err != nil {
		return err
	}
	held := len(book) * 19 / 20
	var texts []string
	for part := range 4 { // examples are cut from the beginning: so there are four beginnings
		texts = append(texts, string(book[part*length/4:held]))
	}
	_, there := os.Stat(state)
	begun, last := time.Now(), 0
	_, err = tune.Fit(ctx, m, tune.Text(texts...), tune.Options{Full: true, Steps: steps, LR: 3e-3, Schedule: "cosine", WarmUp: steps / 20,
		WeightDecay: 0.05, Clip: 1, Batch: 8, Length: length, State: state, SaveEvery: 100, Resume: there == nil,
		Validation: tune.Text(string(book[held:])), Every: 200, Samples: []string{"The "}, Sampling: llm.Options{MaxTokens: 80},
		Progress: func(p tune.Progress) {
			if last == 0 {
				last = p.Step
			}
			if p.Validation != nil {
				fmt.Printf("\nstep %d: loss %.3f, of what was held out %.3f: %q\n", p.Step, p.Loss, *p.Validation, p.Samples["The "])
			} else if p.Step%10 == 0 {
				each := time.Since(begun) / time.Duration(p.Step-last+1)
				left := each * time.Duration(p.Steps-p.Step)
				fmt.Printf("\rstep %d/%d  loss %.3f  %v left ", p.Step, p.Steps, p.Loss, left.Round(time.Second))
			}
		}})
	if err != nil {
		return err
	}
	if err := m.Save(out, llm.SaveOptions{Format: "q8_0"}); err != nil {
		return err
	}
	return os.Remove(state)
}

// untrained writes a folder as Hugging Face has them: a small Llama of random weights, and a tokenizer with a token for each byte.
func untrained(dir string) error {
	config := map[string]any{"model_type": "llama", "architectures": []string{"LlamaForCausalLM"}, "hidden_size": width,
		"num_hidden_layers": layers, "num_attention_heads": heads, "num_key_value_heads": shared, "intermediate_size": inner,
		"vocab_size": 256, "max_position_embeddings": length, "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "hidden_act": "silu",
		"tie_word_embeddings": true}
	d, r := lucid.NewStateDict(), rand.New(rand.NewPCG(1, 2))
	set := func(name string, deviation float64, shape ...int) {
		n := 1
		for _, s := range shape {
			n *= s
		}
		v := make([]float32, n)
		for i := range v {
			if v[i] = 1; deviation > 0 {
				v[i] = float32(deviation * r.NormFloat64())
			}
		}
		d.Set(name, lucid.New(v, shape...))
	}
	const deviation = 0.04
	set("model.embed_tokens.weight", deviation, 256, width)
	set("model.norm.weight", 0, width)
	for i := range layers {
		at := fmt.Sprintf("model.layers.%d.", i)
		set(at+"input_layernorm.weight", 0, width)
		set(at+"post_attention_layernorm.weight", 0, width)
		set(at+"self_attn.q_proj.weight", deviation, width, width)
		set(at+"self_attn.k_proj.weight", deviation, width/heads*shared, width)
		set(at+"self_attn.v_proj.weight", deviation, width/heads*shared, width)
		set(at+"self_attn.o_proj.weight", deviation/3, width, width)
		set(at+"mlp.gate_proj.weight", deviation, inner, width)
		set(at+"mlp.up_proj.weight", deviation, inner, width)
		set(at+"mlp.down_proj.weight", deviation/3, width, inner)
	}
	return errors.Join(lucid.Save(filepath.Join(dir, "model.safetensors"), d), write(dir, "config.json", config),
		write(dir, "tokenizer.json", bytesTokenizer()))
}

// bytesTokenizer is a tokenizer.json with a token for each byte. Bytes that print stand for themselves, the others for characters
// from U+0100 on, as in all byte-level vocabularies.
func bytesTokenizer() map[string]any {
	words, n := map[string]int{}, 0
	for b := range 256 {
		c := rune(b)
		if !(b >= '!' && b <= '~' || b >= 0xa1 && b <= 0xac || b >= 0xae) {
			c = rune(256 + n)
			n++
		}
		words[string(c)] = b
	}
	return map[string]any{"version": "1.0", "added_tokens": []any{}, "normalizer": nil, "post_processor": nil,
		"pre_tokenizer": map[string]any{"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": false},
		"decoder":       map[string]any{"type": "ByteLevel"},
		"model":         map[string]any{"type": "BPE", "vocab": words, "merges": []string{}}}
}

func write(dir, name string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name), text, 0o644)
}
