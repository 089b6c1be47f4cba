package model

import (
	"math"

	"github.com/lucid-go/lucid/internal/codec/gguf"
	"github.com/lucid-go/lucid/internal/fault"
)

// WriteMetadata describes a model as GGUF files do and returns the name they have for its architecture. What the format has no
// key for is refused. It is for packages of this module.
func WriteMetadata(meta *gguf.Metadata, c *Config) (arch string) {
	arch = c.Family
	if arch == "mistral" {
		arch = "llama"
	}
	number := func(key string, v float64) { meta.Set(arch+"."+key, gguf.OfFloat32(float32(v))) }
	whole := func(key string, v int) { meta.Set(arch+"."+key, gguf.OfUint32(uint32(v))) }
	meta.Set("general.architecture", gguf.OfText(arch))
	whole("block_count", c.Layers)
	whole("context_length", c.Context)
	whole("embedding_length", c.Hidden)
	whole("feed_forward_length", c.Intermediate)
	whole("attention.head_count", c.Heads)
	if c.LayerNorms {
		number("attention.layer_norm_epsilon", c.Eps)
	} else {
		number("attention.layer_norm_rms_epsilon", c.Eps)
	}
	if c.Learned {
		checkWritten(meta, c)
		return arch
	}
	whole("attention.head_count_kv", c.KVHeads)
	whole("attention.key_length", c.HeadDim)
	whole("attention.value_length", c.HeadDim)
	whole("rope.dimension_count", c.HeadDim)
	number("rope.freq_base", c.RoPE.Base)
	switch r := &c.RoPE; r.Kind {
	case "", "llama3": // llama3 is a tensor of divisors
	case "linear":
		meta.Set(arch+".rope.scaling.type", gguf.OfText("linear"))
		number("rope.scaling.factor", r.Factor)
	case "yarn":
		meta.Set(arch+".rope.scaling.type", gguf.OfText("yarn"))
		number("rope.scaling.factor", r.Factor)
		whole("rope.scaling.original_context_length", r.Original)
		number("rope.scaling.yarn_beta_fast", r.BetaFast)
		number("rope.scaling.yarn_beta_slow", r.BetaSlow)
		if r.NoTruncate {
			fault.Throw(fault.NotImplemented, op, "saving as GGUF: the format has no key for yarn without truncation")
		}
		if r.Attention != 0 {
			number("rope.scaling.attn_factor", r.Attention/yarnScale(r.Factor, 1))
		}
	}
	if c.AttentionCap > 0 {
		number("attn_logit_softcapping", c.AttentionCap)
	}
	if c.LogitCap > 0 {
		number("final_logit_softcapping", c.LogitCap)
	}
	if c.Window > 0 {
		whole("attention.sliding_window", c.Window)
	}
	if c.LocalRoPE != nil {
		if c.LocalRoPE.Kind != "" {
			fault.Throw(fault.NotImplemented, op, "saving as GGUF: the format has no key for scaled rotary positions of layers with a window")
		}
		number("rope.freq_base_swa", c.LocalRoPE.Base)
	}
	checkWritten(meta, c)
	return arch
}

// checkWritten reads the description back: a model that the format has no words for must not be saved as another one.
func checkWritten(meta *gguf.Metadata, c *Config) {
	back := readGGUF(withVocab(meta, c), nil)
	same := len(back.Windowed) == len(c.Windowed) || c.Window == 0
	for i := range min(len(back.Windowed), len(c.Windowed)) {
		same = same && back.windowed(i) == c.windowed(i)
	}
	switch {
	case !same:
		fault.Throw(fault.NotImplemented, op, "saving as GGUF: layers of %s have windows in another order than the format knows", c.Family)
	case math.Abs(back.QueryScale-c.QueryScale) > 1e-9:
		fault.Throw(fault.NotImplemented, op, "saving as GGUF: the format has no key for the scale %v of queries", c.QueryScale)
	case back.Activation != c.Activation:
		fault.Throw(fault.NotImplemented, op, "saving as GGUF: the format has no key for the activation %q", c.Activation)
	case back.AttentionCap != float64(float32(c.AttentionCap)) || back.LogitCap != float64(float32(c.LogitCap)):
		fault.Throw(fault.NotImplemented, op, "saving as GGUF: the format has no key for %s without caps", c.Family)
	}
}

// withVocab adds the size of the vocabulary, which a tokenizer gives in a whole file.
func withVocab(meta *gguf.Metadata, c *Config) *gguf.Metadata {
	full := &gguf.Metadata{}
	for _, key := range meta.Keys() {
		v, _ := meta.Get(key)
		full.Set(key, v)
	}
	full.Set(meta.Text("general.architecture", "")+".vocab_size", gguf.OfUint32(uint32(c.Vocab)))
	return full
}
