package llm

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/llm/model"
)

// TestQuantizedExperts asserts that models with experts, or with several matrices in one tensor, give in blocks what they give
// dequantised, and in the fast way the same bits token by token alone and next to others.
func TestQuantizedExperts(t *testing.T) {
	g := goldens(t)
	for _, name := range []string{"mixtral", "qwen2_moe", "phi3", "deepseek_v3", "gpt_oss"} {
		m, err := Load(folder(t, g.Cases[name]))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "m.gguf")
		if err := m.Save(path, SaveOptions{Format: "q8_0"}); err != nil {
			t.Fatal(err)
		}
		load := func(o LoadOptions) *Model {
			m, err := Load(path, o)
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		plain, exact, fast := load(LoadOptions{}), load(LoadOptions{Quantized: true, Exact: true}), load(LoadOptions{Quantized: true})
		lucid.NoGrad(func() {
			for _, at := range g.Positions {
				want := row(plain, g.Prompt, at)
				if e := near(row(exact, g.Prompt, at), want); e > 2e-5 {
					t.Errorf("%s: logits at %d are off by %g", name, at, e)
				}
				if e := near(row(fast, g.Prompt, at), want); e == 0 || e > 0.05 {
					t.Errorf("%s: logits of the fast way at %d are off by %g", name, at, e)
				}
			}
			single, cache := fedIn(fast.Module(), g.Prompt, 1)
			nextToOthers(t, fast.Module(), g.Prompt, cache, single[len(g.Prompt)-1])
		})
		if l, ok := fast.Module().Body.Layers[1].MLP.(*model.SparseMLP); ok {
			if _, ok := l.Experts.GateProj.(*model.QuantExperts); !ok {
				t.Errorf("%s: experts are no blocks", name)
			}
		} else if name != "phi3" {
			t.Errorf("%s: no experts", name)
		}
	}
	// The tensors of Phi-3 that have several matrices are in blocks too.
	var kinds []string
	for name, l := range loaded(t, g.Cases["phi3"]).Module().Linears() {
		if _, ok := l.(*model.QuantLinear); !ok {
			kinds = append(kinds, name)
		}
	}
	if slices.ContainsFunc(kinds, func(name string) bool { return name[len(name)-9:] != "down_proj" }) { // 48 elements are no whole blocks
		t.Errorf("no blocks: %v", kinds)
	}
}

// loaded saves a case in q8_0 and loads it in blocks.
func loaded(t *testing.T, c goldenCase) *Model {
	t.Helper()
	m, err := Load(folder(t, c))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "m.gguf")
	if err := m.Save(path, SaveOptions{Format: "q8_0"}); err != nil {
		t.Fatal(err)
	}
	if m, err = Load(path, LoadOptions{Quantized: true}); err != nil {
		t.Fatal(err)
	}
	return m
}
