package model

import (
	"iter"
	"strconv"
	"strings"

	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/nn"
)

// linears lists where the products with matrices are, by name.
func (m *Model) linears() iter.Seq2[string, *nn.Layer] {
	return func(yield func(string, *nn.Layer) bool) {
		for i, l := range m.Body.Layers {
			p, a := "model.layers."+strconv.Itoa(i)+".", l.SelfAttn
			for _, s := range []struct {
				name string
				at   *nn.Layer
			}{
				{"self_attn.q_proj", &a.QProj}, {"self_attn.k_proj", &a.KProj}, {"self_attn.v_proj", &a.VProj},
				{"self_attn.o_proj", &a.OProj},
				{"mlp.gate_proj", &l.MLP.GateProj}, {"mlp.up_proj", &l.MLP.UpProj}, {"mlp.down_proj", &l.MLP.DownProj},
			} {
				if *s.at != nil && !yield(p+s.name, s.at) {
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
	switch name[strings.LastIndexByte(name, '.')+1:] {
	case "q_proj":
		return c.Hidden, c.Heads * c.HeadDim
	case "k_proj", "v_proj":
		return c.Hidden, c.KVHeads * c.HeadDim
	case "o_proj":
		return c.Heads * c.HeadDim, c.Hidden
	case "gate_proj", "up_proj":
		return c.Hidden, c.Intermediate
	case "down_proj":
		return c.Intermediate, c.Hidden
	case "lm_head":
		return c.Hidden, c.Vocab
	}
	fault.Throw(fault.Value, op, "there is no layer %q", name)
	return 0, 0
}
