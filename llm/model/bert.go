package model

import (
	"slices"
	"strings"

	"github.com/lucid-go/lucid"
)

func init() {
	families = append(families,
		&family{name: "bert", classes: []string{"BertModel", "BertForMaskedLM", "BertForPreTraining"}, hf: bertHF, gguf: bertGGUF,
			weights: encoderSource},
		&family{name: "roberta", classes: []string{"RobertaModel", "RobertaForMaskedLM"}, hf: robertaHF,
			weights: encoderSource},
		&family{name: "xlm-roberta", classes: []string{"XLMRobertaModel", "XLMRobertaForMaskedLM"}, hf: robertaHF,
			weights: encoderSource})
}

// encoder says what all encoders have.
func (c *Config) encoder() {
	c.Encoder, c.LayerNorms, c.Learned, c.PlainMLP, c.Tied = true, true, true, true, true
	c.QKVBias, c.OutBias, c.MLPBias = true, true, true
	c.KVHeads = c.Heads
	c.HeadDim = c.Hidden / max(c.Heads, 1)
	c.setQueryScale(float64(c.HeadDim))
	if c.HeadDim*c.Heads != c.Hidden {
		refuse("a width of %d is no multiple of %d heads", c.Hidden, c.Heads)
	}
}

// encoderHF reads the keys that all encoders have.
func (k *keys) encoderHF(c *Config) {
	c.Eps = k.number("layer_norm_eps", 1e-12)
	c.Activation = activation(k.text("hidden_act", "gelu"))
	c.Context = k.whole("max_position_embeddings", 512)
	k.must("position_embedding_type", "absolute")
	k.must("is_decoder", false)
	k.must("add_cross_attention", false)
	for _, key := range []string{"hidden_dropout_prob", "attention_probs_dropout_prob", "gradient_checkpointing", "classifier_dropout",
		"pooler_fc_size", "pooler_num_attention_heads", "pooler_num_fc_layers", "pooler_size_per_head", "pooler_type", "directionality",
		"tie_word_embeddings"} {
		k.get(key) // of training and of other heads
	}
	c.encoder()
}

func bertHF(k *keys, c *Config) {
	c.TokenTypes = k.whole("type_vocab_size", 2)
	k.encoderHF(c)
}

// robertaHF is BERT whose positions begin behind that of padding.
func robertaHF(k *keys, c *Config) {
	bertHF(k, c)
	c.padPositions(k.whole("pad_token_id", 1))
}

// padPositions counts positions from the row behind that of padding tokens.
func (c *Config) padPositions(pad int) {
	if pad < 0 || pad+1 >= c.Context {
		refuse("pad_token_id is %d; want a row of the %d positions", pad, c.Context)
	}
	c.PadPosition, c.FirstPosition = true, pad+1
	c.Context -= c.FirstPosition
}

func bertGGUF(k *metadata, c *Config) {
	c.Eps = k.number("attention.layer_norm_epsilon", 1e-12)
	c.Activation = "gelu"
	c.TokenTypes = int(k.meta.Int("tokenizer.ggml.token_type_count", 2))
	k.must("attention.causal", false)
	k.get("pooling_type")
	c.encoder()
}

// encoderNames are parts of names in a layer: here, in BERT's checkpoints, in MPNet's, and in GGUF files.
var encoderNames = [][4]string{
	{"q_proj", "attention.self.query", "attention.attn.q", "attn_q"}, {"k_proj", "attention.self.key", "attention.attn.k", "attn_k"},
	{"v_proj", "attention.self.value", "attention.attn.v", "attn_v"},
	{"o_proj", "attention.output.dense", "attention.attn.o", "attn_output"},
	{"attn_norm", "attention.output.LayerNorm", "attention.LayerNorm", "attn_output_norm"},
	{"mlp.up_proj", "intermediate.dense", "intermediate.dense", "ffn_up"},
	{"mlp.down_proj", "output.dense", "output.dense", "ffn_down"},
	{"mlp_norm", "output.LayerNorm", "output.LayerNorm", "layer_output_norm"},
}

// encoderTables are names outside of layers: here, in checkpoints, and in GGUF files.
var encoderTables = [][3]string{
	{"embed_tokens", "embeddings.word_embeddings", "token_embd"}, {"embed_positions", "embeddings.position_embeddings", "position_embd"},
	{"embed_types", "embeddings.token_type_embeddings", "token_types"}, {"embed_norm", "embeddings.LayerNorm", "token_embd_norm"},
	{"relative_bias", "encoder.relative_attention_bias", ""},
}

// encoderName is the name that checkpoints (gguf: GGUF files) have for a weight of an encoder, "" if they have none.
func (c *Config) encoderName(name string, gguf bool) string {
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return ""
	}
	part, kind := name[:dot], name[dot:]
	for _, n := range encoderTables {
		switch {
		case n[0] != part:
		case gguf && n[2] == "":
			return ""
		case gguf:
			return n[2] + kind
		default:
			return n[1] + kind
		}
	}
	rest, ok := strings.CutPrefix(part, "layers.")
	layer, part, found := strings.Cut(rest, ".")
	i := slices.IndexFunc(encoderNames, func(n [4]string) bool { return n[0] == part })
	switch {
	case !ok || !found || i < 0:
		return ""
	case gguf:
		return "blk." + layer + "." + encoderNames[i][3] + kind
	case c.Family == "mpnet":
		return "encoder.layer." + layer + "." + encoderNames[i][2] + kind
	}
	return "encoder.layer." + layer + "." + encoderNames[i][1] + kind
}

// checkpointSource shows the weights of an encoder's checkpoint by the names of Encoder's fields.
type checkpointSource struct {
	Source
	c      *Config
	prefix string // of names: bert., for a checkpoint that has a head too
}

// encoderSource finds out how names begin. A GGUF file has the names of the fields already.
func encoderSource(c *Config, w Source) Source {
	for _, prefix := range []string{"", strings.ReplaceAll(c.Family, "xlm-", "") + "."} {
		if w.Has(prefix + "embeddings.word_embeddings.weight") {
			return checkpointSource{w, c, prefix}
		}
	}
	return w
}

// Tensor returns a weight.
func (w checkpointSource) Tensor(name string, shape ...int) *lucid.Tensor {
	stored := w.prefix + w.c.encoderName(name, false)
	if !w.Has(stored) { // the first checkpoints have other names for the parts of norms
		old := strings.NewReplacer("LayerNorm.weight", "LayerNorm.gamma", "LayerNorm.bias", "LayerNorm.beta").Replace(stored)
		if w.Has(old) {
			stored = old
		}
	}
	return w.Source.Tensor(stored, shape...)
}

// UnusedByEncoder reports whether a tensor of an encoder's checkpoint belongs to a head, or is a table that programs compute.
func UnusedByEncoder(name string) bool {
	for _, prefix := range []string{"bert.", "roberta.", "mpnet."} {
		name = strings.TrimPrefix(name, prefix)
	}
	return strings.HasPrefix(name, "pooler.") || strings.HasPrefix(name, "cls.") || strings.HasPrefix(name, "lm_head.") ||
		strings.HasSuffix(name, "position_ids")
}
