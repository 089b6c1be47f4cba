package llm

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/codec/gguf"
	"github.com/lucid-go/lucid/internal/ggml"
	"github.com/lucid-go/lucid/llm/model"
	"github.com/lucid-go/lucid/nn"
)

// TestFamilyGradients compares gradients through experts, latent attention and sinks with differences of the loss.
func TestFamilyGradients(t *testing.T) {
	g := goldens(t)
	for name, weights := range map[string][]string{
		"mixtral":     {"layers.0.mlp.gate.weight", "layers.0.mlp.experts.up_proj.weight", "layers.1.mlp.experts.down_proj.weight"},
		"deepseek_v3": {"layers.1.mlp.gate.weight", "layers.0.self_attn.kv_b_proj.weight", "layers.1.mlp.shared_experts.up_proj.weight"},
		"gpt_oss":     {"layers.0.self_attn.sinks", "layers.0.mlp.experts.gate_proj.bias", "layers.0.self_attn.k_proj.weight"},
		"olmo2":       {"layers.0.self_attn.q_norm.weight"},
	} {
		m, err := Load(folder(t, g.Cases[name]))
		if err != nil {
			t.Fatal(err)
		}
		net, ids := m.Module(), lucid.New(g.Prompt, 1, len(g.Prompt))
		loss := func() *lucid.Tensor { return net.Forward(ids).Square().Mean() }
		params := nn.FilterAndMap(net, func(_ string, t *lucid.Tensor) bool { return t.DType().IsFloat() }, nil)
		for _, path := range weights {
			params["model."+path].RequiresGrad_(true)
		}
		loss().Backward()
		for _, path := range weights {
			w := params["model."+path]
			if w.Grad() == nil {
				t.Errorf("%s: no gradient of %s", name, path)
				continue
			}
			grad := lucid.ToSlice[float32](w.Grad())
			old := slices.Clone(lucid.ToSlice[float32](w))
			norm := 0.0
			for _, v := range grad {
				norm += float64(v) * float64(v)
			}
			if norm = math.Sqrt(norm); norm < 1e-3 {
				t.Errorf("%s: the gradient of %s has the norm %g", name, path, norm)
				continue
			}
			at := func(step float64) float64 { // along the gradient
				moved := slices.Clone(old)
				for i := range moved {
					moved[i] += float32(step * float64(grad[i]) / norm)
				}
				var y float64
				lucid.NoGrad(func() {
					w.Assign(lucid.New(moved, w.Shape()...))
					y = loss().Item()
				})
				return y
			}
			const step = 1e-3 // small: a token that changes its expert is a jump
			slope := (at(step) - at(-step)) / (2 * step)
			at(0)
			if math.Abs(slope-norm) > 0.02*norm+5e-4 {
				t.Errorf("%s: the slope along the gradient of %s is %g, want %g", name, path, slope, norm)
			}
		}
	}
}

// TestNewerDeepSeekFiles reads a file in which the matrix of a latent vector is two, as llama.cpp writes them now.
func TestNewerDeepSeekFiles(t *testing.T) {
	g := goldens(t)
	c := g.Cases["deepseek_v3"]
	m, err := Load(folder(t, c))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := m.Save(filepath.Join(dir, "old.gguf"), SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	f, err := gguf.Open(filepath.Join(dir, "old.gguf"), gguf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	config := m.Config()
	a, meta := config.MLA, f.Metadata()
	for key, v := range map[string]int{"head_count_kv": 1, "key_length": a.KVRank + a.Rope, "value_length": a.KVRank,
		"key_length_mla": a.Nope + a.Rope, "value_length_mla": a.Value} {
		meta.Set("deepseek2.attention."+key, gguf.OfUint32(uint32(v)))
	}
	var list []gguf.Tensor
	for _, info := range f.Infos() {
		data, err := f.Data(info.Name)
		if err != nil {
			t.Fatal(err)
		}
		base, latent := strings.CutSuffix(info.Name, "attn_kv_b.weight")
		if !latent {
			list = append(list, gguf.Tensor{Name: info.Name, Type: info.Type, Shape: info.Shape, Data: data})
			continue
		}
		values, err := f.Floats(info.Name)
		if err != nil {
			t.Fatal(err)
		}
		w := lucid.New(values, config.Heads, a.Nope+a.Value, a.KVRank)
		k, v := w.Narrow(1, 0, a.Nope).Transpose(1, 2).Contiguous(), w.Narrow(1, a.Nope, a.Value).Contiguous()
		for name, x := range map[string]*lucid.Tensor{"attn_k_b.weight": k, "attn_v_b.weight": v} {
			data := floatBytes(lucid.ToSlice[float32](x))
			list = append(list, gguf.Tensor{Name: base + name, Type: ggml.F32, Shape: x.Shape(), Data: data})
		}
	}
	path := filepath.Join(dir, "new.gguf")
	if err := gguf.Write(path, meta, list); err != nil {
		t.Fatal(err)
	}
	back, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, at := range g.Positions {
		if e := near(row(back, g.Prompt, at), c.Logits[i]); e > 2e-5 {
			t.Errorf("logits at %d are off by %g", at, e)
		}
	}
}

// TestFamilyTraces asserts that steps of models with experts or latent attention are traced once for each size, and that
// results are written over their caches.
func TestFamilyTraces(t *testing.T) {
	for _, name := range []string{"mixtral", "deepseek_v3", "gpt_oss"} {
		m, err := Load(folder(t, goldens(t).Cases[name]))
		if err != nil {
			t.Fatal(err)
		}
		for i := range 2 {
			generated(t, m, []int{i, 2, 3, 4, 5}, Options{MaxTokens: 20, Temperature: 1, Seed: uint64(i)})
		}
		x := lucid.Explain(m.step)
		if x.Traces != 2 || len(x.Inlined) > 0 {
			t.Errorf("%s: %v; want 2 traces: of the prompt and of a token", name, x)
		}
		for _, p := range x.Memory {
			if p.Results > 256*4 {
				t.Errorf("%s: a step makes %d bytes of results; want the logits alone", name, p.Results)
			}
		}
	}
	if c := (&model.Config{Layers: 61, Heads: 128, MLA: &model.MLA{KVRank: 512, Rope: 64}}); c.CacheElements() != 61*576 {
		t.Errorf("%d elements for each position of DeepSeek V3's cache", c.CacheElements())
	}
}
