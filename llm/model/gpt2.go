package model

import (
	"strings"

	"github.com/lucid-go/lucid"
)

func init() {
	families = append(families, &family{name: "gpt2", classes: []string{"GPT2LMHeadModel"}, hf: gpt2HF, gguf: gpt2GGUF,
		weights: gpt2Weights, fused: true})
}

func (c *Config) gpt2() {
	c.LayerNorms, c.Learned, c.PlainMLP = true, true, true
	c.QKVBias, c.OutBias, c.MLPBias = true, true, true
	c.KVHeads = c.Heads
	c.HeadDim = c.Hidden / max(c.Heads, 1)
	c.setQueryScale(float64(c.HeadDim))
}

func gpt2HF(k *keys, c *Config) {
	c.Layers, c.Hidden, c.Heads = k.whole("n_layer", 0), k.whole("n_embd", 0), k.whole("n_head", 0)
	c.Context = k.whole("n_positions", 1024)
	c.Intermediate = k.whole("n_inner", 4*c.Hidden)
	c.Eps = k.number("layer_norm_epsilon", 1e-5)
	c.Activation = activation(k.text("activation_function", "gelu_new"))
	c.Tied = k.flag("tie_word_embeddings", true)
	c.gpt2()
	k.whole("n_ctx", c.Context) // the same as n_positions
	k.must("scale_attn_weights", true)
	k.must("scale_attn_by_inverse_layer_idx", false)
	k.must("reorder_and_upcast_attn", false)
	k.must("add_cross_attention", false)
	for _, key := range []string{"summary_activation", "summary_first_dropout", "summary_proj_to_labels", "summary_type",
		"summary_use_proj", "task_specific_params"} {
		k.get(key) // of other heads
	}
}

func gpt2GGUF(k *metadata, c *Config) {
	c.Eps = k.number("attention.layer_norm_epsilon", 1e-5)
	c.Activation = "gelu_pytorch_tanh"
	c.gpt2()
}

// gpt2Names are parts of names in a layer: here, and in GPT-2's checkpoints.
var gpt2Names = [][2]string{{"input_layernorm", "ln_1"}, {"post_attention_layernorm", "ln_2"}, {"self_attn.o_proj", "attn.c_proj"},
	{"mlp.up_proj", "mlp.c_fc"}, {"mlp.down_proj", "mlp.c_proj"}}

// gpt2Source shows GPT-2's weights by the names and in the form of the other families: its matrices are transposed, and those of
// queries, keys and values are one.
type gpt2Source struct {
	Source
	prefix string // of names; files of the first releases have none
}

func gpt2Weights(_ *Config, w Source) Source {
	switch {
	case w.Has("transformer.wte.weight"):
		return gpt2Source{w, "transformer."}
	case w.Has("wte.weight"):
		return gpt2Source{w, ""}
	}
	return w // of a GGUF file
}

// Tensor returns a weight.
func (w gpt2Source) Tensor(name string, shape ...int) *lucid.Tensor {
	switch name {
	case "model.embed_tokens.weight":
		return w.Source.Tensor(w.prefix+"wte.weight", shape...)
	case "model.embed_positions.weight":
		return w.Source.Tensor(w.prefix+"wpe.weight", shape...)
	case "model.norm.weight", "model.norm.bias":
		return w.Source.Tensor(w.prefix+"ln_f"+strings.TrimPrefix(name, "model.norm"), shape...)
	case "lm_head.weight":
		return w.Source.Tensor(name, shape...)
	}
	layer, part, _ := strings.Cut(strings.TrimPrefix(name, "model.layers."), ".")
	dot := strings.LastIndexByte(part, '.')
	part, kind := part[:dot], part[dot:]
	for _, n := range gpt2Names {
		if n[0] == part {
			return w.matrix("h."+layer+"."+n[1]+kind, shape)
		}
	}
	// One of queries, keys and values: a third of the rows.
	i := strings.Index("qkv", strings.TrimPrefix(part, "self_attn.")[:1])
	whole := append([]int{3 * shape[0]}, shape[1:]...)
	return w.matrix("h."+layer+".attn.c_attn"+kind, whole).Narrow(0, i*shape[0], shape[0]).Contiguous().Eval()
}

// matrix returns a weight, a matrix transposed.
func (w gpt2Source) matrix(name string, shape []int) *lucid.Tensor {
	if len(shape) == 1 {
		return w.Source.Tensor(w.prefix+name, shape...)
	}
	return w.Source.Tensor(w.prefix+name, shape[1], shape[0]).Transpose(0, 1).Contiguous().Eval()
}
