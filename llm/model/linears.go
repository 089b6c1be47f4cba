package model

import (
	"iter"
	"strconv"
	"strings"

	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/nn"
)

// linear is where a product with a matrix is, and its name in a block.
type linear struct {
	name string
	at   *nn.Layer
}

func (m *Attention) linears() []linear {
	return []linear{{"q_proj", &m.QProj}, {"k_proj", &m.KProj}, {"v_proj", &m.VProj}, {"o_proj", &m.OProj}}
}

func (m *LatentAttention) linears() []linear {
	return []linear{{"q_proj", &m.QProj}, {"q_a_proj", &m.QAProj}, {"q_b_proj", &m.QBProj},
		{"kv_a_proj_with_mqa", &m.KVAProjWithMQA}, {"o_proj", &m.OProj}}
}

func (m *MLP) linears() []linear {
	return []linear{{"gate_proj", &m.GateProj}, {"up_proj", &m.UpProj}, {"down_proj", &m.DownProj}}
}

// linears are those that all tokens go through; experts are no layers of their own.
func (m *SparseMLP) linears() (list []linear) {
	if m.SharedExperts != nil {
		for _, l := range m.SharedExperts.linears() {
			list = append(list, linear{"shared_experts." + l.name, l.at})
		}
	}
	return append(list, linear{"shared_expert_gate", &m.SharedExpertGate})
}

// linears lists where the products with matrices are, by name.
func (m *Model) linears() iter.Seq2[string, *nn.Layer] {
	return func(yield func(string, *nn.Layer) bool) {
		for i, l := range m.Body.Layers {
			p := "model.layers." + strconv.Itoa(i) + "."
			for _, s := range l.SelfAttn.linears() {
				if *s.at != nil && !yield(p+"self_attn."+s.name, s.at) {
					return
				}
			}
			for _, s := range l.MLP.(interface{ linears() []linear }).linears() {
				if *s.at != nil && !yield(p+"mlp."+s.name, s.at) {
					return
				}
			}
		}
		if m.LMHead != nil {
			yield("lm_head", &m.LMHead)
		}
	}
}

// Linears returns the layers that multiply by a matrix, by name: model.layers.0.self_attn.q_proj, …, lm_head.
func (m *Model) Linears() iter.Seq2[string, nn.Layer] {
	return func(yield func(string, nn.Layer) bool) {
		for name, at := range m.linears() {
			if !yield(name, *at) {
				return
			}
		}
	}
}

// SetLinear replaces a layer of Linears, as adapters do. Compiled steps are traced anew.
func (m *Model) SetLinear(name string, l nn.Layer) {
	for n, at := range m.linears() {
		if n == name {
			*at = l
			m.version.SetReason("layers of the model or their checkpointing changed")
			m.version.Store(m.version.Load() + 1)
			return
		}
	}
	fault.Throw(fault.Value, op, "there is no layer %q", name)
}

// SetCheckpointing says whether layers keep nothing for the gradient but their inputs, and compute the rest again: less memory
// for a third more work.
func (m *Model) SetCheckpointing(on bool) {
	m.checkpoint = on
	m.version.SetReason("layers of the model or their checkpointing changed")
	m.version.Store(m.version.Load() + 1)
}

// LinearSize returns the width of the input and of the output of a layer of Linears.
func (c *Config) LinearSize(name string) (in, out int) {
	size := c.Intermediate
	if c.MoE != nil && strings.Contains(name, ".shared_experts.") {
		size = c.MoE.Shared
	}
	value, latent := c.HeadDim, MLA{}
	if c.MLA != nil {
		value, latent = c.MLA.Value, *c.MLA
	}
	switch name[strings.LastIndexByte(name, '.')+1:] {
	case "q_proj":
		return c.Hidden, c.Heads * c.HeadDim
	case "k_proj", "v_proj":
		return c.Hidden, c.KVHeads * c.HeadDim
	case "o_proj":
		return c.Heads * value, c.Hidden
	case "q_a_proj":
		return c.Hidden, latent.QRank
	case "q_b_proj":
		return latent.QRank, c.Heads * c.HeadDim
	case "kv_a_proj_with_mqa":
		return c.Hidden, latent.KVRank + latent.Rope
	case "gate_proj", "up_proj":
		return c.Hidden, size
	case "down_proj":
		return size, c.Hidden
	case "shared_expert_gate":
		return c.Hidden, 1
	case "lm_head":
		return c.Hidden, c.Vocab
	}
	fault.Throw(fault.Value, op, "there is no layer %q", name)
	return 0, 0
}
