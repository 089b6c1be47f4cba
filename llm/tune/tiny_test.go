package tune

import (
	"encoding/json"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/llm"
)

// The tiny model of the tests: two layers, a token a byte. scripts/golden_tune/make.py computes the same weights.
const (
	tinyVocab, tinyDim, tinyHidden, tinyHeads, tinyKV, tinyLayers = 256, 32, 48, 4, 2, 2
)

// value is element i of the weight of a name.
func value(name string, i int) float32 {
	x := crc32.ChecksumIEEE([]byte(name)) + uint32(i)*2654435761
	x = (x ^ x>>16) * 0x85EBCA6B
	x = (x ^ x>>13) * 0xC2B2AE35
	x ^= x >> 16
	return (float32(x>>8)/(1<<24) - 0.5) * 0.4
}

func filled(name string, sizes ...int) *lucid.Tensor {
	n := 1
	for _, s := range sizes {
		n *= s
	}
	v := make([]float32, n)
	for i := range v {
		if v[i] = value(name, i); strings.HasSuffix(name, "norm.weight") {
			v[i]++
		}
	}
	return lucid.New(v, sizes...)
}

// tinyFolder writes the model as a Hugging Face folder.
func tinyFolder(t testing.TB) string {
	t.Helper()
	dir, w := t.TempDir(), lucid.NewStateDict()
	put := func(name string, sizes ...int) { w.Set(name, filled(name, sizes...)) }
	put("model.embed_tokens.weight", tinyVocab, tinyDim)
	for i := range tinyLayers {
		p := "model.layers." + string(rune('0'+i)) + "."
		put(p+"self_attn.q_proj.weight", tinyDim, tinyDim)
		put(p+"self_attn.k_proj.weight", tinyDim/tinyHeads*tinyKV, tinyDim)
		put(p+"self_attn.v_proj.weight", tinyDim/tinyHeads*tinyKV, tinyDim)
		put(p+"self_attn.o_proj.weight", tinyDim, tinyDim)
		put(p+"mlp.gate_proj.weight", tinyHidden, tinyDim)
		put(p+"mlp.up_proj.weight", tinyHidden, tinyDim)
		put(p+"mlp.down_proj.weight", tinyDim, tinyHidden)
		put(p+"input_layernorm.weight", tinyDim)
		put(p+"post_attention_layernorm.weight", tinyDim)
	}
	put("model.norm.weight", tinyDim)
	put("lm_head.weight", tinyVocab, tinyDim)
	if err := lucid.Save(filepath.Join(dir, "model.safetensors"), w); err != nil {
		t.Fatal(err)
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
		"config.json": map[string]any{"model_type": "llama", "architectures": []string{"LlamaForCausalLM"}, "vocab_size": tinyVocab,
			"hidden_size":       tinyDim,
			"intermediate_size": tinyHidden, "num_hidden_layers": tinyLayers, "num_attention_heads": tinyHeads,
			"num_key_value_heads": tinyKV, "rms_norm_eps": 1e-5, "max_position_embeddings": 128, "tie_word_embeddings": false},
		"tokenizer.json": map[string]any{"pre_tokenizer": map[string]any{"type": "ByteLevel", "add_prefix_space": false},
			"decoder": map[string]any{"type": "ByteLevel"}, "model": map[string]any{"type": "BPE", "vocab": words, "merges": []string{}}},
		"tokenizer_config.json": map[string]any{"chat_template": "{% for m in messages %}{{ m['role'] + ': ' + m['content'] + '\n' }}" +
			"{% endfor %}{% if add_generation_prompt %}{{ 'assistant: ' }}{% endif %}"},
	} {
		data, err := json.Marshal(v)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func tiny(t testing.TB) *llm.Model {
	t.Helper()
	m, err := llm.Load(tinyFolder(t))
	if err != nil {
		t.Fatal(err)
	}
	return m
}
