package llm

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
)

// near compares logits with a golden row and returns the largest error.
func near(got, want []float32) (worst float64) {
	for i := range want {
		worst = max(worst, math.Abs(float64(got[i]-want[i]))/(1+math.Abs(float64(want[i]))))
	}
	return worst
}

func row(m *Model, ids []int, at int) []float32 {
	return lucid.ToSlice[float32](m.Forward(lucid.New(ids, 1, len(ids))).At(0, at))
}

func generated(t *testing.T, m *Model, ids []int, o Options) (got []int) {
	t.Helper()
	for tok, err := range m.GenerateIDs(context.Background(), ids, o) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, tok.ID)
	}
	return got
}

// unwritable are cases that GGUF files have no words for, and what the error names.
var unwritable = map[string]string{"gemma2": "QueryScale", "llama_dynamic": "dynamic", "qwen3_moe_dense": "MoE",
	"qwen2_moe_window": "Window", "qwen3_moe_window": "Window"}

// TestFamilies compares logits and greedy tokens of every family with transformers, from a folder and through a GGUF file.
func TestFamilies(t *testing.T) {
	g := goldens(t)
	for name, c := range g.Cases {
		t.Run(name, func(t *testing.T) {
			m, err := Load(folder(t, c))
			if err != nil {
				t.Fatal(err)
			}
			check := func(m *Model) {
				t.Helper()
				for i, at := range g.Positions {
					if e := near(row(m, g.Prompt, at), c.Logits[i]); e > 2e-5 {
						t.Errorf("logits at %d are off by %g", at, e)
					}
				}
				if got := generated(t, m, g.Prompt, Options{MaxTokens: len(c.Greedy)}); !slices.Equal(got, c.Greedy) {
					t.Errorf("greedy tokens %v, want %v", got, c.Greedy)
				}
			}
			check(m)
			path := filepath.Join(t.TempDir(), "m.gguf")
			err = m.Save(path, SaveOptions{})
			if what := unwritable[name]; what != "" {
				if !errors.Is(err, lucid.ErrNotImplemented) || !strings.Contains(err.Error(), what) {
					t.Errorf("saving: %v; want an error that names %s", err, what)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			back, err := Load(path)
			if err != nil {
				t.Fatal(err)
			}
			check(back)
		})
	}
}

// TestFamiliesTell asserts that the golden logits notice each number of a config that they are there for.
func TestFamiliesTell(t *testing.T) {
	g := goldens(t)
	for _, tt := range []struct {
		name, key string
		value     any
	}{
		{"llama", "rms_norm_eps", 1e-2},
		{"llama", "rope_parameters", map[string]any{"rope_type": "default", "rope_theta": 20000.0}},
		{"llama_linear", "rope_parameters", map[string]any{"rope_type": "linear", "factor": 5.0, "rope_theta": 10000.0}},
		{"qwen2_yarn", "rope_parameters", map[string]any{"rope_type": "default", "rope_theta": 10000.0}},
		{"mistral", "sliding_window", 9},
		{"gemma2", "attn_logit_softcapping", 1.0},
		{"gemma2", "final_logit_softcapping", 20.0},
		{"gemma2", "query_pre_attn_scalar", 16},
		{"gemma3", "sliding_window", 9},
		{"mixtral", "num_experts_per_tok", 1},
		{"qwen2_moe", "norm_topk_prob", true},
		{"qwen3_moe", "norm_topk_prob", false},
		{"phi3", "sliding_window", 9},
		{"phi3_long", "original_max_position_embeddings", 64},
		{"smollm3", "no_rope_layers", []int{1, 1, 0, 1, 1}},
		{"gpt_neox", "use_parallel_residual", false},
		{"gpt_neox", "hidden_act", "gelu_new"},
		{"starcoder2", "sliding_window", 9},
		{"deepseek_v2_groups", "topk_group", 3},
		{"deepseek_v2_groups", "routed_scaling_factor", 15.0},
		{"deepseek_v3", "topk_group", 3},
		{"deepseek_v3", "norm_topk_prob", false},
		{"deepseek_v3", "rope_interleave", false},
		{"gpt_oss", "swiglu_limit", 0.05},
		{"gpt_oss", "swiglu_alpha", 1.5},
		{"gpt_oss", "sliding_window", 9},
		{"gpt_oss", "num_experts_per_tok", 3},
	} {
		c := g.Cases[tt.name]
		config := map[string]any{}
		for k, v := range c.Config {
			config[k] = v
		}
		config[tt.key] = tt.value
		if tt.name == "phi3_long" { // the scaling has the same key
			r := maps.Clone(c.Config["rope_parameters"].(map[string]any))
			r[tt.key] = tt.value
			config["rope_parameters"] = r
		}
		m, err := Load(folder(t, goldenCase{Config: config, Shapes: c.Shapes}))
		if err != nil {
			t.Errorf("%s with %s %v: %v", tt.name, tt.key, tt.value, err)
			continue
		}
		last := len(g.Positions) - 1
		if e := near(row(m, g.Prompt, g.Positions[last]), c.Logits[last]); e < 1e-4 {
			t.Errorf("%s with %s %v: the logits are off by %g only", tt.name, tt.key, tt.value, e)
		}
	}
}

// TestSteps asserts that generation gives the tokens that Forward of the whole text gives, beyond one capacity of the cache.
func TestSteps(t *testing.T) {
	for _, name := range []string{"llama", "gemma3"} {
		c := goldens(t).Cases[name]
		config := map[string]any{}
		for k, v := range c.Config {
			config[k] = v
		}
		config["max_position_embeddings"] = 600
		m, err := Load(folder(t, goldenCase{Config: config, Shapes: c.Shapes}))
		if err != nil {
			t.Fatal(err)
		}
		ids := make([]int, 230)
		for i := range ids {
			ids[i] = (i*i*7 + i) % 256
		}
		got := generated(t, m, ids, Options{MaxTokens: 300})
		all := slices.Concat(ids, got)
		logits := m.Forward(lucid.New(all[:len(all)-1], 1, len(all)-1)).ArgMax(-1)
		want := lucid.ToSlice[int64](logits)
		for i, id := range got {
			if int(want[len(ids)-1+i]) != id {
				t.Fatalf("%s: token %d is %d, want %d", name, i, id, want[len(ids)-1+i])
			}
		}
	}
}

// TestTraces asserts that steps are traced once for each size: not for each token, and not for each conversation.
func TestTraces(t *testing.T) {
	m := tiny(t)
	talk := func(seed int) {
		generated(t, m, []int{seed, 2, 3, 4, 5}, Options{MaxTokens: 100, Temperature: 1, Seed: uint64(seed)})
	}
	talk(1)
	first := lucid.Explain(m.step)
	for i := range 3 {
		talk(2 + i)
	}
	if x := lucid.Explain(m.step); x.Traces != first.Traces || x.Traces != 2 || len(x.Inlined) > 0 {
		t.Errorf("%v; want 2 traces: of the prompt and of a token", x)
	}
	for _, p := range first.Memory {
		if p.Results > 256*4 {
			t.Errorf("a step makes %d bytes of results; want the logits alone: the cache is written in place", p.Results)
		}
	}
}

// TestSaveFormats asserts that every format can be read back, and that finer ones are nearer.
func TestSaveFormats(t *testing.T) {
	g := goldens(t)
	m, dir := tiny(t), t.TempDir()
	want := row(m, g.Prompt, 5)
	errs := map[string]float64{"f32": 0, "f16": 2e-3, "bf16": 2e-2, "q8_0": 2e-2, "q5_0": 0.2, "q4_0": 0.4, "q4_1": 0.4, "Q4_K": 2e-2}
	for format, most := range errs {
		path := filepath.Join(dir, format+".gguf")
		if err := m.Save(path, SaveOptions{Format: format}); err != nil {
			t.Errorf("%s: %v", format, err)
			continue
		}
		back, err := Load(path)
		if err != nil {
			t.Errorf("%s: %v", format, err)
			continue
		}
		e := near(row(back, g.Prompt, 5), want)
		if e > most || e == 0 && format != "f32" {
			t.Errorf("%s: the logits are off by %g; want more than 0 and at most %g", format, e, most)
		}
		if got := fmt.Sprint(back.Tokenizer().Encode("Hé")); got != "[72 195 169]" {
			t.Errorf("%s: tokens %s", format, got)
		}
	}
}

// TestShortOfBorder asserts that a text that is shorter than the length from which positions are scaled is generated as Forward, which
// goes by the length of the text, has it: alone, in a batch, and across the border where only one scale follows.
func TestShortOfBorder(t *testing.T) {
	for name, tokens := range map[string]int{"llama_dynamic": 10, "phi3_long": 20} {
		m, err := Load(folder(t, goldens(t).Cases[name]))
		if err != nil {
			t.Fatal(err)
		}
		ids, want := []int{72, 101, 108, 108, 111}, []int(nil)
		for range tokens {
			all := slices.Concat(ids, want)
			want = append(want, int(m.Forward(lucid.New(all, 1, len(all))).At(0, -1).ArgMax(0).Item()))
		}
		o := Options{MaxTokens: tokens, IgnoreEnd: true}
		if got := generated(t, m, ids, o); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
		b, err := m.NewBatcher(BatcherOptions{Sequences: 2})
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for tok, err := range b.GenerateIDs(context.Background(), ids, o) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, tok.ID)
		}
		b.Close()
		if !slices.Equal(got, want) {
			t.Errorf("%s in a batch: %v, want %v", name, got, want)
		}
	}
}
