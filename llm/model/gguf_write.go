package model

import (
	"math"
	"reflect"
	"slices"

	"github.com/lucid-go/lucid/internal/codec/gguf"
	"github.com/lucid-go/lucid/internal/fault"
)

// writer sets keys of one architecture.
type writer struct {
	meta *gguf.Metadata
	arch string
}

func (k *writer) number(key string, v float64) {
	k.meta.Set(k.arch+"."+key, gguf.OfFloat32(float32(v)))
}
func (k *writer) whole(key string, v int) { k.meta.Set(k.arch+"."+key, gguf.OfUint32(uint32(v))) }
func (k *writer) text(key, v string)      { k.meta.Set(k.arch+"."+key, gguf.OfText(v)) }
func (k *writer) flag(key string, v bool) { k.meta.Set(k.arch+"."+key, gguf.OfBool(v)) }

// WriteMetadata describes a model as GGUF files do and returns the name they have for its architecture. What the format has no
// key for is refused. It is for packages of this module.
func WriteMetadata(meta *gguf.Metadata, c *Config) (arch string) {
	f := familyNamed(c.Family)
	if f == nil {
		unknownFamily("the family", c.Family, Families())
	}
	k := &writer{meta, f.archName()}
	meta.Set("general.architecture", gguf.OfText(k.arch))
	k.whole("block_count", c.Layers)
	k.whole("context_length", c.Context)
	k.whole("embedding_length", c.Hidden)
	k.whole("feed_forward_length", c.Intermediate)
	k.whole("attention.head_count", c.Heads)
	if c.LayerNorms {
		k.number("attention.layer_norm_epsilon", c.Eps)
	} else {
		k.number("attention.layer_norm_rms_epsilon", c.Eps)
	}
	if !c.Learned {
		k.attention(c)
	}
	if f.write != nil {
		f.write(k, c)
	}
	checkWritten(meta, c)
	return k.arch
}

func (k *writer) attention(c *Config) {
	k.whole("attention.head_count_kv", c.KVHeads)
	k.whole("attention.key_length", c.HeadDim)
	k.whole("attention.value_length", c.HeadDim)
	k.whole("rope.dimension_count", c.rotaryDim())
	k.number("rope.freq_base", c.RoPE.Base)
	k.rope(&c.RoPE, c.MLA == nil)
	if c.AttentionCap > 0 {
		k.number("attn_logit_softcapping", c.AttentionCap)
	}
	if c.LogitCap > 0 {
		k.number("final_logit_softcapping", c.LogitCap)
	}
	if c.Window > 0 {
		k.whole("attention.sliding_window", c.Window)
	}
	if c.LocalRoPE != nil {
		if c.LocalRoPE.Kind != "" {
			fault.Throw(fault.NotImplemented, op,
				"saving as GGUF: the format has no key for scaled rotary positions of layers with a window")
		}
		k.number("rope.freq_base_swa", c.LocalRoPE.Base)
	}
}

// rope writes the scaling of rotary positions. Latent attention has its factor elsewhere.
func (k *writer) rope(r *RoPE, factor bool) {
	switch r.Kind {
	case "", "llama3": // llama3 is a tensor of divisors
	case "linear":
		k.text("rope.scaling.type", "linear")
		k.number("rope.scaling.factor", r.Factor)
	case "yarn":
		k.text("rope.scaling.type", "yarn")
		k.number("rope.scaling.factor", r.Factor)
		k.whole("rope.scaling.original_context_length", r.Original)
		k.number("rope.scaling.yarn_beta_fast", r.BetaFast)
		k.number("rope.scaling.yarn_beta_slow", r.BetaSlow)
		if r.Attention != 0 && factor {
			k.number("rope.scaling.attn_factor", r.Attention/yarnScale(r.Factor, 1))
		}
	case "longrope": // the divisors are tensors
		scale := r.Attention
		if scale == 0 {
			scale = r.longScale()
		}
		k.number("rope.scaling.attn_factor", scale)
		k.whole("rope.scaling.original_context_length", r.Original)
	default:
		fault.Throw(fault.NotImplemented, op, "saving as GGUF: the format has no key for the scaling %q of rotary positions", r.Kind)
	}
}

// fromTensors are fields that the tensors of a file tell, or that are in its weights.
var fromTensors = []string{"Family", "NormOffset", "Tied", "QKVBias", "OutBias", "MLPBias", "QKNorm", "OneNorm"}

// checkWritten reads the description back: a model that the format has no words for must not be saved as another one.
func checkWritten(meta *gguf.Metadata, c *Config) {
	// Keys that the family does not read are passed over here: what they were to say is a difference below.
	back, want := readGGUF(withVocab(meta, c), meta.Keys()), *c
	if c.Window == 0 { // then no layer has one
		back.Windowed, want.Windowed = nil, nil
	}
	for _, v := range []*Config{&back, &want} {
		r := &v.RoPE
		switch c.RoPE.Kind {
		case "llama3", "longrope": // as tensors
			*r = RoPE{Base: r.Base, Original: r.Original}
			if c.RoPE.Kind == "llama3" {
				r.Original = 0
			}
		case "yarn":
			if r.Attention == 0 {
				r.Attention = yarnScale(r.Factor, 1)
			}
		case "":
			*r = RoPE{Base: r.Base}
		}
		r.queries = 0
		if v.LocalRoPE != nil {
			v.LocalRoPE = &RoPE{Base: v.LocalRoPE.Base}
		}
	}
	a, b := reflect.ValueOf(back), reflect.ValueOf(want)
	for i := range a.NumField() {
		name := a.Type().Field(i).Name
		if a.Field(i).CanInterface() && !slices.Contains(fromTensors, name) && !alike(a.Field(i), b.Field(i)) {
			fault.Throw(fault.NotImplemented, op, "saving as GGUF: the format has no key for %s of %s: %v would be read as %v", name,
				c.Family, print(b.Field(i)), print(a.Field(i)))
		}
	}
}

func print(v reflect.Value) any {
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		return v.Elem()
	}
	return v
}

// alike compares values, numbers as float32.
func alike(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Float64:
		x, y := a.Float(), b.Float()
		return math.Abs(x-y) <= 1e-6*max(math.Abs(x), math.Abs(y))
	case reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		return alike(a.Elem(), b.Elem())
	case reflect.Struct:
		for i := range a.NumField() {
			if !alike(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Slice:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !alike(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	}
	return a.Equal(b)
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
