package tune

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/llm"
)

// realLayers are those of Qwen2.5-Coder-7B, which the real adapter is for.
const realLayers = 28

// allLogits are those of every position.
func allLogits(m *llm.Model, ids []int) (y []float32) {
	lucid.NoGrad(func() { y = lucid.ToSlice[float32](m.Forward(lucid.New(ids, 1, len(ids)))) })
	return y
}

// apart is the largest difference of logits, relative to the largest logit.
func apart(t *testing.T, got, want []float32) float64 {
	t.Helper()
	if len(got) != len(want) || len(want) == 0 {
		t.Fatalf("%d logits, want %d", len(got), len(want))
	}
	return furthest(got, want) / furthest(want, make([]float32, len(want)))
}

// TestAdapterAssets compares logits of a real adapter with those of peft, two of its layers at a time, over a random base of the real
// widths; that one is not among the assets. It needs the adapter of scripts/assets/fetch.py in LUCID_ASSETS, in LUCID_PYTHON a Python
// with torch, transformers and peft, and 2.1 GB in the folder of temporary files.
func TestAdapterAssets(t *testing.T) {
	assets, python := os.Getenv("LUCID_ASSETS"), os.Getenv("LUCID_PYTHON")
	if assets == "" || python == "" {
		t.Skip("LUCID_ASSETS and LUCID_PYTHON are not set; see scripts/assets/fetch.py")
	}
	dir := t.TempDir()
	cmd := exec.Command(python, "../../scripts/assets/adapter.py", filepath.Join(assets, "adapter"), dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Prompts  [][]int
		Base     [][]float32
		Adapters map[string][][]float32
	}
	if err := json.Unmarshal(out, &want); err != nil {
		t.Fatal(err)
	}
	if len(want.Prompts) == 0 || len(want.Adapters) != realLayers/2 {
		t.Fatalf("%d prompts, %d adapters", len(want.Prompts), len(want.Adapters))
	}
	base := filepath.Join(dir, "base")
	putTokenizer(t, base)
	m, err := llm.Load(base)
	if err != nil {
		t.Fatal(err)
	}
	for i, ids := range want.Prompts {
		if d := apart(t, allLogits(m, ids), want.Base[i]); d > 1e-4 {
			t.Errorf("the base: logits of prompt %d differ by %.1e", i, d)
		}
	}
	var a *Adapter
	worst, least := 0.0, math.Inf(1)
	for first := 0; first < realLayers; first += 2 {
		if a != nil {
			a.Remove()
		}
		name := fmt.Sprintf("layers-%d", first)
		if a, err = Load(m, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		for i, ids := range want.Prompts {
			with := want.Adapters[name][i]
			d := apart(t, allLogits(m, ids), with)
			worst, least = max(worst, d), min(least, apart(t, want.Base[i], with))
			if d > 1e-4 {
				t.Errorf("%s: logits of prompt %d differ from peft's by %.1e", name, i, d)
			}
		}
	}
	t.Logf("logits differ from peft's by %.1e; an adapter changes them by %.1e at least", worst, least)
	if least < 100*worst {
		t.Error("the adapters change too little to be seen")
	}
	var with [][]float32
	for _, ids := range want.Prompts {
		with = append(with, allLogits(m, ids))
	}
	if err := a.Fuse(); err != nil {
		t.Fatal(err)
	}
	for i, ids := range want.Prompts {
		d := apart(t, allLogits(m, ids), with[i])
		if t.Logf("fused: logits of prompt %d differ by %.1e", i, d); d > 1e-5 {
			t.Errorf("fused: logits of prompt %d differ by %.1e", i, d)
		}
	}
}

// TestAdapterAssetsWhole reads all layers of the real adapter into a model of the real size but for its vocabulary. The weights are a
// hole in a file, which takes no space on the disk, but 13 GB of memory.
func TestAdapterAssetsWhole(t *testing.T) {
	assets := os.Getenv("LUCID_ASSETS")
	if assets == "" {
		t.Skip("LUCID_ASSETS is not set; see scripts/assets/fetch.py")
	}
	m, err := llm.Load(emptyQwen(t), llm.LoadOptions{Quantized: true})
	if err != nil {
		t.Fatal(err)
	}
	from := filepath.Join(assets, "adapter")
	a, err := Load(m, from)
	if err != nil {
		t.Fatal(err)
	}
	o := a.Options()
	slices.Sort(o.Targets)
	if o.Rank != 16 || o.Alpha != 32 || o.scale() != 2 || o.Dropout != 0.05 || o.DoRA || o.RSLoRA ||
		fmt.Sprint(o.Targets) != "[down_proj gate_proj k_proj o_proj q_proj up_proj v_proj]" {
		t.Errorf("%+v", o)
	}
	if n := len(a.Layers()); n != 7*realLayers || a.NumParameters() != 40_370_176 {
		t.Errorf("%d layers of %d parameters", n, a.NumParameters())
	}
	// What Save writes is what was read: every tensor, under its name.
	to := t.TempDir()
	if err := a.Save(to); err != nil {
		t.Fatal(err)
	}
	theirs, err := lucid.Load(filepath.Join(from, adapterWeights))
	if err != nil {
		t.Fatal(err)
	}
	ours, err := lucid.Load(filepath.Join(to, adapterWeights))
	if err != nil {
		t.Fatal(err)
	}
	names, got := theirs.Names(), ours.Names()
	slices.Sort(names)
	slices.Sort(got)
	if !slices.Equal(got, names) {
		t.Fatalf("saved %d tensors, read %d", len(got), len(names))
	}
	for _, name := range names {
		if !slices.Equal(lucid.ToSlice[float32](ours.Get(name)), lucid.ToSlice[float32](theirs.Get(name))) {
			t.Errorf("%s is not what was read", name)
		}
	}
}

// putTokenizer gives a folder the tokenizer of the tiny model.
func putTokenizer(t *testing.T, dir string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(tinyFolder(t), "tokenizer.json"))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "tokenizer.json"), data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// emptyQwen is a folder with a model in the shape of Qwen2.5-Coder-7B, whose weights are zeros that the file does not store.
func emptyQwen(t *testing.T) string {
	t.Helper()
	const vocab, dim, hidden, heads, kv = 1024, 3584, 18_944, 28, 4
	type entry struct {
		DType   string `json:"dtype"`
		Shape   []int  `json:"shape"`
		Offsets [2]int `json:"data_offsets"`
	}
	header, size := map[string]entry{}, 0
	put := func(name string, shape ...int) {
		bytes := 2
		for _, s := range shape {
			bytes *= s
		}
		header[name] = entry{"BF16", shape, [2]int{size, size + bytes}}
		size += bytes
	}
	put("model.embed_tokens.weight", vocab, dim)
	put("lm_head.weight", vocab, dim)
	put("model.norm.weight", dim)
	for i := range realLayers {
		p := fmt.Sprintf("model.layers.%d.", i)
		for name, out := range map[string]int{"q_proj": dim, "k_proj": dim / heads * kv, "v_proj": dim / heads * kv} {
			put(p+"self_attn."+name+".weight", out, dim)
			put(p+"self_attn."+name+".bias", out)
		}
		put(p+"self_attn.o_proj.weight", dim, dim)
		put(p+"mlp.gate_proj.weight", hidden, dim)
		put(p+"mlp.up_proj.weight", hidden, dim)
		put(p+"mlp.down_proj.weight", dim, hidden)
		put(p+"input_layernorm.weight", dim)
		put(p+"post_attention_layernorm.weight", dim)
	}
	text, err := json.Marshal(header)
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, "       "[:-len(text)&7]...)
	head := append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...)
	config, err := json.Marshal(map[string]any{"model_type": "qwen2", "architectures": []string{"Qwen2ForCausalLM"}, "vocab_size": vocab,
		"hidden_size": dim, "intermediate_size": hidden, "num_hidden_layers": realLayers, "num_attention_heads": heads,
		"num_key_value_heads": kv, "rms_norm_eps": 1e-6, "rope_theta": 1e6, "max_position_embeddings": 32_768,
		"tie_word_embeddings": false})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	putTokenizer(t, dir)
	weights := filepath.Join(dir, "model.safetensors")
	for path, data := range map[string][]byte{weights: head, filepath.Join(dir, "config.json"): config} {
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Truncate(weights, int64(len(head)+size)); err != nil {
		t.Fatal(err)
	}
	return dir
}
