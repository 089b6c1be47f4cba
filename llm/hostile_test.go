package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/codec/gguf"
	"github.com/lucid-go/lucid/llm/model"
)

// TestConfigRefused changes one thing of a good folder at a time.
func TestConfigRefused(t *testing.T) {
	c := goldens(t).Cases["llama"]
	dir := folder(t, c)
	for _, tt := range []struct {
		key   string
		value any
		says  string
		kind  error
	}{
		{"residual_multiplier", 0.5, `"residual_multiplier"`, lucid.ErrNotImplemented},
		{"quantization_config", map[string]any{"bits": 4}, `"quantization_config"`, lucid.ErrNotImplemented},
		{"architectures", []string{"MambaForCausalLM"}, "MambaForCausalLM", lucid.ErrNotImplemented},
		{"hidden_act", "mish", "mish", lucid.ErrNotImplemented},
		{"pretraining_tp", 2, "pretraining_tp", lucid.ErrNotImplemented},
		{"num_hidden_layers", -1, "layers", lucid.ErrFormat},
		{"num_hidden_layers", 1 << 30, "layers", lucid.ErrFormat},
		{"num_hidden_layers", 4, "model.layers.3", lucid.ErrFormat},
		{"num_hidden_layers", 2, "model.layers.2", lucid.ErrNotImplemented},
		{"hidden_size", 1.5, "hidden_size", lucid.ErrFormat},
		{"hidden_size", "32", "hidden_size", lucid.ErrFormat},
		{"hidden_size", 64, "[256 32]", lucid.ErrFormat},
		{"num_attention_heads", 0, "heads", lucid.ErrFormat},
		{"num_key_value_heads", 3, "multiple", lucid.ErrFormat},
		{"vocab_size", 1 << 40, "vocabulary", lucid.ErrFormat},
		{"vocab_size", 200, "256 tokens", lucid.ErrFormat},
		{"tie_word_embeddings", true, "", nil},
		{"rms_norm_eps", -1, "epsilon", lucid.ErrFormat},
		{"rope_parameters", map[string]any{"rope_type": "mrope"}, "mrope", lucid.ErrNotImplemented},
		{"rope_parameters", map[string]any{"rope_type": "longrope"}, "short_factor", lucid.ErrFormat},
		{"rope_parameters", map[string]any{"rope_type": "longrope", "short_factor": []any{1, 1, 1, 1}, "long_factor": []any{1, 1, 0, 1}},
			"factor", lucid.ErrFormat},
		{"rope_parameters", map[string]any{"rope_type": "longrope", "short_factor": []any{1, 1}, "long_factor": []any{1, 1, 1, 1}},
			"2 and 4 numbers", lucid.ErrFormat},
		{"rope_parameters", map[string]any{"rope_type": "dynamic", "factor": 0.5}, "dynamic", lucid.ErrFormat},
		{"rope_parameters", map[string]any{"rope_type": "default", "partial_rotary_factor": 0.5}, "partial_rotary_factor",
			lucid.ErrNotImplemented},
		{"rope_parameters", map[string]any{"rope_type": "linear", "factor": 0}, "factor", lucid.ErrFormat},
		{"rope_parameters", map[string]any{"rope_type": "default", "rope_theta": 0}, "base", lucid.ErrFormat},
		{"rope_parameters", 7, "rope_parameters", lucid.ErrFormat},
		{"eos_token_id", 256, "256", lucid.ErrFormat},
		{"eos_token_id", "end", "eos_token_id", lucid.ErrFormat},
		{"unknown_key", nil, "", nil},
	} {
		config := maps.Clone(c.Config)
		config[tt.key] = tt.value
		writeJSON(t, filepath.Join(dir, "config.json"), config)
		_, err := Load(dir)
		if tt.kind == nil {
			if err != nil {
				t.Errorf("%s %v: %v", tt.key, tt.value, err)
			}
		} else if !errors.Is(err, tt.kind) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s %v: %v; want %v with %q", tt.key, tt.value, err, tt.kind, tt.says)
		}
	}
	config := maps.Clone(c.Config)
	config["residual_multiplier"] = 1.0
	writeJSON(t, filepath.Join(dir, "config.json"), config)
	if _, err := Load(dir, LoadOptions{Ignore: []string{"residual_multiplier"}}); err != nil {
		t.Errorf("with the key ignored: %v", err)
	}
	if _, err := Load(dir, LoadOptions{DType: lucid.Int32}); !errors.Is(err, lucid.ErrDType) {
		t.Errorf("int32 weights: %v", err)
	}
}

func TestFilesRefused(t *testing.T) {
	dir := t.TempDir()
	if _, err := Load(filepath.Join(dir, "none.gguf")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := Load(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an empty folder: %v", err)
	}
	text := filepath.Join(dir, "a.txt")
	if err := os.WriteFile(text, []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(text); !errors.Is(err, lucid.ErrFormat) {
		t.Errorf("a text file: %v", err)
	}
	m := tiny(t)
	if err := m.Save(text, SaveOptions{}); !errors.Is(err, lucid.ErrValue) {
		t.Errorf("saved as text: %v", err)
	}
	for _, format := range []string{"q9_0", "q2_k", "i32", "f64"} {
		if err := m.Save(filepath.Join(dir, "a.gguf"), SaveOptions{Format: format}); !errors.Is(err, lucid.ErrValue) {
			t.Errorf("format %s: %v", format, err)
		}
	}
}

// TestGGUFRefused changes metadata and tensors of a good file, and cuts it at many lengths.
func TestGGUFRefused(t *testing.T) {
	m, path := tiny(t), filepath.Join(t.TempDir(), "m.gguf")
	if err := m.Save(path, SaveOptions{Format: "q8_0"}); err != nil {
		t.Fatal(err)
	}
	c := m.Config()
	write := func(change func(meta *gguf.Metadata), drop, rename string) error {
		meta, tensors := m.metadata(&c, parseFormat("q8_0")), m.stored(&c, parseFormat("q8_0"), SaveOptions{})
		change(meta)
		var rest []gguf.Tensor
		for _, t := range tensors {
			if t.Name == rename {
				t.Name = "other." + rename
			}
			if t.Name != drop {
				rest = append(rest, t)
			}
		}
		if err := gguf.Write(path, meta, rest); err != nil {
			t.Fatal(err)
		}
		_, err := Load(path)
		return err
	}
	set := func(key string, v gguf.Value) func(*gguf.Metadata) { return func(m *gguf.Metadata) { m.Set(key, v) } }
	none := func(*gguf.Metadata) {}
	if err := write(none, "", ""); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"architecture": write(set("general.architecture", gguf.OfText("mamba")), "", ""),
		"experts":      write(set("llama.expert_count", gguf.OfUint32(8)), "", ""),
		"layers":       write(set("llama.block_count", gguf.OfUint32(math.MaxUint32)), "", ""),
		"more layers":  write(set("llama.block_count", gguf.OfUint32(4)), "", ""),
		"list":         write(set("llama.attention.head_count", gguf.OfInts(gguf.Int32, []int64{4, 4, 4})), "", ""),
		"text":         write(set("llama.embedding_length", gguf.OfText("32")), "", ""),
		"nan":          write(set("llama.rope.freq_base", gguf.OfFloat32(float32(math.NaN()))), "", ""),
		"rope":         write(set("llama.rope.scaling.type", gguf.OfText("longrope")), "", ""),
		"partial":      write(set("llama.rope.dimension_count", gguf.OfUint32(4)), "", ""),
		"missing":      write(none, "blk.1.attn_q.weight", ""),
		"more":         write(none, "", "output_norm.weight"),
	} {
		if !errors.Is(err, lucid.ErrFormat) && !errors.Is(err, lucid.ErrNotImplemented) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := write(none, "", ""); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; n < len(data)-40; n += 1 + len(data)/60 {
		if err := os.WriteFile(path, data[:n], 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(path); err == nil {
			t.Errorf("a file cut at %d of %d bytes was read", n, len(data))
		}
	}
}

// TestGGUFDamaged flips bits of a good file: it is refused with a typed error, or what it describes runs.
func TestGGUFDamaged(t *testing.T) {
	m, path := tiny(t), filepath.Join(t.TempDir(), "m.gguf")
	if err := m.Save(path, SaveOptions{Format: "q8_0"}); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	header := len(good) - int(m.Info().Parameters) // blocks of q8_0 take more than a byte for each
	rng := rand.New(rand.NewPCG(1, 2))
	rounds := 400
	if testing.Short() {
		rounds = 60
	}
	for i := range rounds {
		data := bytes.Clone(good)
		for range 1 + i%3 {
			data[rng.IntN(header)] ^= 1 << rng.IntN(8)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		got, err := Load(path)
		if err == nil {
			for _, err = range got.GenerateIDs(context.Background(), []int{1, 2, 3}, Options{MaxTokens: 2}) {
			}
		}
		if err != nil && !errors.As(err, new(*lucid.Error)) {
			t.Errorf("round %d: an error of type %T: %v", i, err, err)
		}
	}
}

// FuzzConfig asserts that no config.json makes ParseConfig panic.
func FuzzConfig(f *testing.F) {
	g, err := readGolden()
	if err != nil {
		f.Fatal(err)
	}
	for _, c := range g.Cases {
		data, err := json.Marshal(c.Config)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := model.ParseConfig(data)
		if err == nil && (c.Layers < 1 || c.Hidden < 1 || c.HeadDim < 1 || c.Heads%c.KVHeads != 0) {
			t.Errorf("accepted %+v", c)
		}
	})
}
