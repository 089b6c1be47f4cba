package model

import (
	"math"
	"strings"

	"github.com/lucid-go/lucid/internal/codec/gguf"
	"github.com/lucid-go/lucid/internal/fault"
)

// ReadMetadata reads the description of a model in a GGUF file. As in ParseConfig, a key of the model that is not known is an
// error that names it. It is for packages of this module.
func ReadMetadata(meta *gguf.Metadata, ignore ...string) (c Config, err error) {
	err = fault.Catch(func() { c = readGGUF(meta, ignore) })
	return c, err
}

// inertMetadata are keys that do not change what a model computes from its weights.
var inertMetadata = []string{"vocab_size", "pooling_type", "attention.key_length_swa", "attention.value_length_swa",
	"rope.dimension_count_swa",
	"attention.shared_kv_layers"}

func readGGUF(meta *gguf.Metadata, ignore []string) (c Config) {
	arch := meta.Text("general.architecture", "")
	f := findFamily(func(f *family) bool { return f.gguf != nil && f.archName() == arch })
	if f == nil {
		unknownFamily("the architecture", arch, architectures())
	}
	k := &metadata{meta: meta, prefix: arch + ".", used: map[string]bool{}}
	c.Family = f.name
	c.Layers, c.Hidden, c.Intermediate = k.whole("block_count", 0), k.whole("embedding_length", 0), k.whole("feed_forward_length", 0)
	c.Heads = k.whole("attention.head_count", 0)
	c.KVHeads = k.whole("attention.head_count_kv", c.Heads)
	c.HeadDim = k.whole("attention.key_length", c.Hidden/max(c.Heads, 1))
	value := k.whole("attention.value_length", c.HeadDim)
	if n := k.whole("rope.dimension_count", c.HeadDim); n != c.HeadDim {
		c.RotaryDim = n
	}
	tokens, _ := meta.Get("tokenizer.ggml.tokens")
	c.Vocab, c.Context = k.whole("vocab_size", tokens.Len()), k.whole("context_length", 2048)
	c.Eps = k.number("attention.layer_norm_rms_epsilon", 1e-6)
	c.Activation = "silu"
	c.setQueryScale(float64(c.HeadDim))
	if s := k.number("attention.scale", 0); s != 0 {
		c.QueryScale = s
	}
	c.RoPE = k.rope(c.Context)
	f.gguf(k, &c)
	switch {
	case c.MLA == nil && value != c.HeadDim:
		unsupported("values of %d elements for keys of %d", value, c.HeadDim)
	case c.RotaryDim != 0 && !f.partial:
		unsupported("rotary positions for %d of %d elements", c.RotaryDim, c.HeadDim)
	case c.MoE != nil && c.Intermediate == 0: // files of models without any other MLP
		c.Intermediate = c.MoE.Size
	}
	k.rest(ignore)
	c.check()
	return c
}

// metadata is the keys of one architecture; it remembers what was read.
type metadata struct {
	meta   *gguf.Metadata
	prefix string
	used   map[string]bool
}

func (k *metadata) get(key string) (gguf.Value, bool) {
	k.used[k.prefix+key] = true
	return k.meta.Get(k.prefix + key)
}

func (k *metadata) whole(key string, def int) int {
	v, there := k.get(key)
	if !there {
		return def
	}
	n, ok := v.Int()
	if !ok || n < -1<<40 || n > 1<<40 {
		refuse("%s is no whole number that fits; lists by layer are not supported", k.prefix+key)
	}
	return int(n)
}

func (k *metadata) number(key string, def float64) float64 {
	v, there := k.get(key)
	if !there {
		return def
	}
	if n, ok := v.Int(); ok {
		return float64(n)
	}
	f, ok := v.Float()
	if !ok || math.IsNaN(f) {
		refuse("%s is no number", k.prefix+key)
	}
	return f
}

func (k *metadata) flag(key string, def bool) bool {
	v, there := k.get(key)
	if !there {
		return def
	}
	b, ok := v.Bool()
	if !ok {
		refuse("%s is neither true nor false", k.prefix+key)
	}
	return b
}

func (k *metadata) must(key string, want bool) {
	if v, there := k.get(key); there {
		if b, ok := v.Bool(); !ok || b != want {
			unsupported("%s is not %v", k.prefix+key, want)
		}
	}
}

func (k *metadata) rope(context int) RoPE {
	r := RoPE{Base: k.number("rope.freq_base", 10000)}
	kind := "none"
	if v, there := k.get("rope.scaling.type"); there {
		var ok bool
		if kind, ok = v.Text(); !ok {
			refuse("%srope.scaling.type is no text", k.prefix)
		}
	}
	factor, original := k.number("rope.scaling.factor", 0), k.whole("rope.scaling.original_context_length", context)
	attention := k.number("rope.scaling.attn_factor", 0)
	fast, slow := k.number("rope.scaling.yarn_beta_fast", 32), k.number("rope.scaling.yarn_beta_slow", 1)
	k.get("rope.scaling.finetuned")
	if scale := k.number("rope.scale_linear", 0); factor == 0 && scale != 0 {
		kind, factor = "linear", scale
	}
	switch kind {
	case "none":
	case "linear":
		r.Kind, r.Factor = kind, factor
	case "yarn":
		r.Kind, r.Factor, r.Original, r.BetaFast, r.BetaSlow = kind, factor, original, fast, slow
		if attention != 0 { // there it multiplies the usual factor
			r.Attention = attention * yarnScale(factor, 1)
		}
	default:
		unsupported("%srope.scaling.type is %q; want none, linear or yarn", k.prefix, kind)
	}
	return r
}

func (k *metadata) windowed(c *Config, is func(layer int) bool) {
	c.Windowed = make([]bool, min(max(c.Layers, 0), maxLayers))
	for i := range c.Windowed {
		c.Windowed[i] = is(i)
	}
}

// rest refuses keys of the architecture that were not read.
func (k *metadata) rest(ignore []string) {
	for _, key := range inertMetadata {
		k.used[k.prefix+key] = true
	}
	for _, key := range ignore {
		k.used[key] = true
	}
	for _, key := range k.meta.Keys() {
		if strings.HasPrefix(key, k.prefix) && !k.used[key] {
			unsupported("the key %q is not known and may change the result; LoadOptions.Ignore accepts it", key)
		}
	}
}
