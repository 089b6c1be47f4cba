package model

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"

	"github.com/lucid-go/lucid/internal/fault"
)

// writable are the families whose config.json WriteConfig writes.
var writable = []string{"llama", "qwen2", "qwen3"}

// WriteConfig describes a model as a config.json does. What it cannot say is refused: the text is read back and compared. dtype is
// that of the weights, in the words of config.json.
func WriteConfig(c Config, dtype string) (text []byte, err error) {
	err = fault.Catch(func() {
		f := findFamily(func(f *family) bool { return f.name == c.Family })
		if f == nil || !slices.Contains(writable, c.Family) {
			unsupported("writing a config.json for the family %s; want one of %q", c.Family, writable)
		}
		if c.RoPE.Divisors != nil {
			unsupported("writing a config.json: the file has divisors of rotary frequencies, which it has no key for")
		}
		m := map[string]any{"architectures": f.classes[:1], "model_type": f.name, "num_hidden_layers": c.Layers, "hidden_size": c.Hidden,
			"intermediate_size": c.Intermediate, "num_attention_heads": c.Heads, "num_key_value_heads": c.KVHeads, "head_dim": c.HeadDim,
			"vocab_size": c.Vocab, "max_position_embeddings": c.Context, "rms_norm_eps": number(c.Eps), "hidden_act": c.Activation,
			"tie_word_embeddings": c.Tied, "rope_theta": number(c.RoPE.Base), "torch_dtype": dtype}
		if f.name != "qwen2" {
			m["attention_bias"] = c.QKVBias
		}
		if f.name == "llama" {
			m["mlp_bias"] = c.MLPBias
		}
		if s := ropeScaling(&c.RoPE); s != nil {
			m["rope_scaling"] = s
		}
		if text, err = json.MarshalIndent(m, "", "  "); err != nil {
			fault.Rethrow(op, err)
		}
		back, err := ParseConfig(text)
		if err != nil {
			fault.Rethrow(op, err)
		}
		if name := difference(back, c); name != "" {
			unsupported("writing a config.json: the model's %s has no key there", name)
		}
	})
	return text, err
}

// number is the shortest that is the same float32, which is what GGUF files store.
func number(v float64) json.Number { return json.Number(strconv.FormatFloat(v, 'g', -1, 32)) }

func ropeScaling(r *RoPE) map[string]any {
	switch r.Kind {
	case "linear":
		return map[string]any{"rope_type": "linear", "factor": number(r.Factor)}
	case "llama3":
		return map[string]any{"rope_type": "llama3", "factor": number(r.Factor), "low_freq_factor": number(r.LowFreq),
			"high_freq_factor": number(r.HighFreq), "original_max_position_embeddings": r.Original}
	case "yarn":
		s := map[string]any{"rope_type": "yarn", "factor": number(r.Factor), "original_max_position_embeddings": r.Original,
			"beta_fast": number(r.BetaFast), "beta_slow": number(r.BetaSlow), "truncate": !r.NoTruncate}
		if r.Attention != 0 {
			s["attention_factor"] = number(r.Attention)
		}
		return s
	}
	return nil
}

// difference names the first field in which two configs differ, "" if there is none. A window that no layer has does not count.
func difference(a, b Config) string {
	if a.Window == 0 && b.Window == 0 {
		a.Windowed, b.Windowed = nil, nil
	}
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	for i := range x.NumField() {
		if !alike(x.Field(i), y.Field(i)) {
			return x.Type().Field(i).Name
		}
	}
	return ""
}
