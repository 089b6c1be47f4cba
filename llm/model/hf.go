package model

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/lucid-go/lucid/internal/fault"
)

// ParseConfig reads a config.json. A key that it does not know may change what the model computes, so it is an error that names
// the key, unless its value is null or it is one of ignore.
func ParseConfig(data []byte, ignore ...string) (c Config, err error) {
	err = fault.Catch(func() {
		var values map[string]any
		if err := json.Unmarshal(data, &values); err != nil {
			refuse("config.json: %v", err)
		}
		c = readHF(&keys{where: "config.json", values: values, used: map[string]bool{}}, ignore)
	})
	return c, err
}

// inert are keys that do not change what a model computes from its weights.
var inert = []string{"architectures", "model_type", "torch_dtype", "dtype", "transformers_version", "use_cache", "initializer_range",
	"attention_dropout", "bos_token_id", "eos_token_id", "pad_token_id", "unk_token_id", "sep_token_id", "cache_implementation",
	"is_llama_config", "max_window_layers", "resid_pdrop", "embd_pdrop", "attn_pdrop",
	"return_dict", "output_hidden_states", "output_attentions", "chunk_size_feed_forward", "is_encoder_decoder", "is_decoder",
	"id2label", "label2id", "problem_type", "num_labels", "name_or_path", "tokenizer_class", "unsloth_fixed", "unsloth_version",
	"transformers.js_config", "auto_map", "output_router_logits", "router_aux_loss_coef", "router_jitter_noise", "hidden_dropout",
	"residual_dropout", "embedding_dropout", "classifier_dropout"}

func readHF(k *keys, ignore []string) (c Config) {
	var f *family
	if classes, ok := k.values["architectures"].([]any); ok && len(classes) > 0 {
		class, _ := classes[0].(string)
		if f = findFamily(func(f *family) bool { return slices.Contains(f.classes, class) }); f == nil {
			unknownFamily("the architecture", class, Families())
		}
	} else {
		kind := k.text("model_type", "")
		if f = findFamily(func(f *family) bool { return f.name == kind }); f == nil {
			unknownFamily("the model_type", kind, Families())
		}
	}
	c.Family = f.name
	c.Layers, c.Hidden, c.Intermediate = k.whole("num_hidden_layers", 0), k.whole("hidden_size", 0), k.whole("intermediate_size", 0)
	c.Heads = k.whole("num_attention_heads", 0)
	c.KVHeads = k.whole("num_key_value_heads", c.Heads)
	c.HeadDim = k.whole("head_dim", c.Hidden/max(c.Heads, 1))
	c.Vocab, c.Context = k.whole("vocab_size", 0), k.whole("max_position_embeddings", 2048)
	c.Eps = k.number("rms_norm_eps", 1e-6)
	c.Activation = activation(k.text("hidden_act", "silu"))
	c.Tied = k.flag("tie_word_embeddings", false)
	c.setQueryScale(float64(c.HeadDim))
	c.RoPE = k.rope(10000)
	if r := &c.RoPE; r.Kind == "dynamic" && r.Factor >= 1 && r.Factor < 1<<10 { // texts may be longer than those of training
		c.Context = max(c.Context, int(r.Factor*float64(min(r.Original, maxContext))))
	}
	f.hf(k, &c)
	c.partial(f)
	k.rest(slices.Concat(inert, ignore))
	c.check()
	return c
}

// partial takes from the scaling of rotary positions which part of each head rotates.
func (c *Config) partial(f *family) {
	switch p := c.RoPE.partial; {
	case p == 0 || p == 1:
	case !f.partial:
		unsupported("config.json: partial_rotary_factor is %v; only 1 is supported for %s", p, f.name)
	case !(p > 0 && p < 1):
		refuse("config.json: partial_rotary_factor is %v; want a number from 0 to 1", p)
	default:
		c.RotaryDim = int(float64(c.HeadDim) * p)
	}
	c.RoPE.partial = 0
}

// activation gives one name to each function.
func activation(name string) string {
	switch name {
	case "swish":
		return "silu"
	case "gelu_new", "gelu_fast":
		return "gelu_pytorch_tanh"
	}
	return name
}

// keys is an object of config.json; it remembers what was read.
type keys struct {
	where  string
	values map[string]any
	used   map[string]bool
}

// get returns a value; null is the same as none.
func (k *keys) get(key string) any {
	k.used[key] = true
	return k.values[key]
}

func (k *keys) wrong(key string, v any, want string) {
	refuse("%s: %s is %v; want %s", k.where, key, v, want)
}

func (k *keys) whole(key string, def int) int {
	v := k.get(key)
	if v == nil {
		return def
	}
	f, ok := v.(float64)
	if !ok || f != math.Trunc(f) || math.Abs(f) > 1<<40 {
		k.wrong(key, v, "a whole number")
	}
	return int(f)
}

func (k *keys) number(key string, def float64) float64 {
	v := k.get(key)
	if v == nil {
		return def
	}
	f, ok := v.(float64)
	if !ok {
		k.wrong(key, v, "a number")
	}
	return f
}

func (k *keys) text(key, def string) string {
	v := k.get(key)
	if v == nil {
		return def
	}
	s, ok := v.(string)
	if !ok {
		k.wrong(key, v, "a text")
	}
	return s
}

func (k *keys) flag(key string, def bool) bool {
	v := k.get(key)
	if v == nil {
		return def
	}
	b, ok := v.(bool)
	if !ok {
		k.wrong(key, v, "true or false")
	}
	return b
}

// object returns an object inside, nil if there is none.
func (k *keys) object(key string) *keys {
	v := k.get(key)
	if v == nil {
		return nil
	}
	m, ok := v.(map[string]any)
	if !ok {
		k.wrong(key, v, "an object")
	}
	return &keys{where: k.where + ": " + key, values: m, used: map[string]bool{}}
}

// must refuses any other value of a key than want or null.
func (k *keys) must(key string, want any) {
	if v := k.get(key); v != nil && v != want {
		unsupported("%s: %s is %v; only %v is supported", k.where, key, v, want)
	}
}

// rest refuses keys that were not read. Keys that begin with _ are notes of the program that wrote the file.
func (k *keys) rest(ignore []string) {
	for _, key := range slices.Sorted(maps.Keys(k.values)) {
		if !k.used[key] && k.values[key] != nil && !strings.HasPrefix(key, "_") && !slices.Contains(ignore, key) {
			unsupported("%s: the key %q is not known and may change the result; LoadOptions.Ignore accepts it", k.where, key)
		}
	}
}

// rope reads rope_theta with rope_scaling, or rope_parameters, which newer files have instead of both.
func (k *keys) rope(base float64) RoPE {
	r := RoPE{Base: k.number("rope_theta", base)}
	if v := k.values["partial_rotary_factor"]; v != nil {
		r.partial = k.number("partial_rotary_factor", 1)
	}
	s := k.object("rope_parameters")
	if s == nil {
		s = k.object("rope_scaling")
	} else {
		k.get("rope_scaling")
	}
	if s == nil || s.values["full_attention"] != nil || s.values["sliding_attention"] != nil {
		return r
	}
	return s.scaled(r, k.whole("max_position_embeddings", 2048), k.whole("original_max_position_embeddings", 0))
}

// scaled reads the scaling of rotary positions. original is the context the model was trained with, if the file says so elsewhere.
func (k *keys) scaled(r RoPE, context, original int) RoPE {
	r.Base = k.number("rope_theta", r.Base)
	r.Kind = k.text("rope_type", k.text("type", "default"))
	k.get("type")
	switch r.Kind {
	case "default":
		r.Kind = ""
		k.get("factor")
		k.get("original_max_position_embeddings")
	case "linear":
		r.Factor = k.number("factor", 0)
	case "dynamic":
		r.Factor, r.Original = k.number("factor", 0), k.whole("original_max_position_embeddings", context)
	case "llama3":
		r.Factor, r.LowFreq, r.HighFreq = k.number("factor", 0), k.number("low_freq_factor", 0), k.number("high_freq_factor", 0)
		r.Original = k.whole("original_max_position_embeddings", 0)
	case "yarn":
		k.yarn(&r, context)
	case "longrope", "su":
		r.Kind = "longrope"
		if original == 0 {
			original = context
		}
		r.Original = k.whole("original_max_position_embeddings", original)
		r.Factor = k.number("factor", float64(context)/float64(max(r.Original, 1)))
		r.Short, r.Long = k.numbers("short_factor"), k.numbers("long_factor")
		r.Attention = k.number("attention_factor", 0)
	}
	if v := k.number("partial_rotary_factor", 0); v != 0 {
		r.partial = v
	}
	k.rest(nil)
	return r
}

func (k *keys) yarn(r *RoPE, context int) {
	r.Factor, r.Original = k.number("factor", 0), k.whole("original_max_position_embeddings", context)
	r.BetaFast, r.BetaSlow = k.number("beta_fast", 32), k.number("beta_slow", 1)
	r.NoTruncate = !k.flag("truncate", true)
	r.Attention = k.number("attention_factor", 0)
	m, all := k.number("mscale", 0), k.number("mscale_all_dim", 0)
	if r.Attention == 0 && m != 0 && all != 0 {
		r.Attention = yarnScale(r.Factor, m) / yarnScale(r.Factor, all)
	}
	if all != 0 {
		r.queries = yarnScale(r.Factor, all)
	}
}

// wholes reads a list of whole numbers; nil if there is none.
func (k *keys) wholes(key string) []int {
	v := k.get(key)
	if v == nil {
		return nil
	}
	list, ok := v.([]any)
	if !ok || len(list) > maxWidth {
		k.wrong(key, v, "a list of whole numbers")
	}
	out := make([]int, len(list))
	for i, x := range list {
		f, ok := x.(float64)
		if !ok || f != math.Trunc(f) || math.Abs(f) > 1<<40 {
			k.wrong(key, x, "whole numbers")
		}
		out[i] = int(f)
	}
	return out
}

// numbers reads a list of numbers.
func (k *keys) numbers(key string) []float32 {
	v := k.get(key)
	list, ok := v.([]any)
	if !ok || len(list) > maxWidth {
		k.wrong(key, v, "a list of numbers")
	}
	out := make([]float32, len(list))
	for i, x := range list {
		f, ok := x.(float64)
		if !ok {
			k.wrong(key, x, "numbers")
		}
		out[i] = float32(f)
	}
	return out
}

// layerTypes reads layer_types, or says of each layer by its number whether it has a window.
func (k *keys) layerTypes(c *Config, windowed func(layer int) bool) {
	c.Windowed = make([]bool, min(max(c.Layers, 0), maxLayers))
	for i := range c.Windowed {
		c.Windowed[i] = windowed(i)
	}
	v := k.get("layer_types")
	if v == nil {
		return
	}
	list, ok := v.([]any)
	if !ok || len(list) != len(c.Windowed) {
		k.wrong("layer_types", v, "a list with a kind for each layer")
	}
	for i, kind := range list {
		switch kind {
		case "full_attention":
			c.Windowed[i] = false
		case "sliding_attention":
			c.Windowed[i] = true
		default:
			unsupported("%s: a layer of type %v; want full_attention or sliding_attention", k.where, kind)
		}
	}
}
