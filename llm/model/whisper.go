package model

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
)

// WhisperConfig is what tells one Whisper from another.
type WhisperConfig struct {
	Mels          int // bands of the spectrogram
	Frames        int // positions of the encoder: half the frames of the spectrogram
	Context       int // the most tokens of a text
	Vocab         int
	Hidden        int
	EncoderLayers int
	EncoderHeads  int
	EncoderMLP    int
	DecoderLayers int
	DecoderHeads  int
	DecoderMLP    int
	Start         int // the token a text begins with
	End           int // the token a text ends with
	EmbedScale    bool
	Activation    string
}

// whisperInert are keys of config.json that do not change what is computed from the weights.
var whisperInert = []string{"dropout", "activation_dropout", "encoder_layerdrop", "decoder_layerdrop", "init_std", "num_hidden_layers",
	"apply_spec_augment", "mask_time_prob", "mask_time_length", "mask_time_min_masks", "mask_feature_prob", "mask_feature_length",
	"mask_feature_min_masks", "median_filter_width", "use_weighted_layer_sum", "classifier_proj_size", "suppress_tokens",
	"begin_suppress_tokens", "forced_decoder_ids", "max_length", "num_beams", "max_time", "feature_size"}

// ParseWhisperConfig reads the config.json of a Whisper. As in ParseConfig, a key that is not known is an error that names it.
func ParseWhisperConfig(data []byte, ignore ...string) (c WhisperConfig, err error) {
	err = fault.Catch(func() {
		var values map[string]any
		if err := json.Unmarshal(data, &values); err != nil {
			refuse("config.json: %v", err)
		}
		k := &keys{where: "config.json", values: values, used: map[string]bool{}}
		if kind := k.text("model_type", ""); kind != "whisper" {
			unsupported("the model_type %q; want whisper", kind)
		}
		c = WhisperConfig{Mels: k.whole("num_mel_bins", 80), Frames: k.whole("max_source_positions", 1500),
			Context: k.whole("max_target_positions", 448), Vocab: k.whole("vocab_size", 51865), Hidden: k.whole("d_model", 384),
			EncoderLayers: k.whole("encoder_layers", 4), EncoderHeads: k.whole("encoder_attention_heads", 6),
			EncoderMLP: k.whole("encoder_ffn_dim", 1536), DecoderLayers: k.whole("decoder_layers", 4),
			DecoderHeads: k.whole("decoder_attention_heads", 6), DecoderMLP: k.whole("decoder_ffn_dim", 1536),
			Start: k.whole("decoder_start_token_id", 50257), End: k.whole("eos_token_id", 50256),
			EmbedScale: k.flag("scale_embedding", false),
			Activation: activation(k.text("activation_function", "gelu"))}
		k.must("tie_word_embeddings", true)
		k.rest(slices.Concat(inert, whisperInert, ignore))
		c.check()
	})
	return c, err
}

func (c *WhisperConfig) check() {
	for _, n := range []struct {
		name  string
		value int
		most  int
	}{
		{"mel bands", c.Mels, 1024}, {"positions of the encoder", c.Frames, maxWidth}, {"tokens", c.Context, maxWidth},
		{"vocabulary", c.Vocab, maxVocab}, {"width", c.Hidden, maxWidth}, {"encoder layers", c.EncoderLayers, maxLayers},
		{"encoder heads", c.EncoderHeads, c.Hidden}, {"encoder MLP", c.EncoderMLP, maxWidth},
		{"decoder layers", c.DecoderLayers, maxLayers},
		{"decoder heads", c.DecoderHeads, c.Hidden}, {"decoder MLP", c.DecoderMLP, maxWidth},
	} {
		if n.value < 1 || n.value > n.most {
			refuse("the number of %s is %d; want 1 to %d", n.name, n.value, n.most)
		}
	}
	switch {
	case c.Hidden%c.EncoderHeads != 0 || c.Hidden%c.DecoderHeads != 0:
		refuse("a width of %d is no multiple of %d and %d heads", c.Hidden, c.EncoderHeads, c.DecoderHeads)
	case c.Start < 0 || c.Start >= c.Vocab || c.End < 0 || c.End >= c.Vocab:
		refuse("the tokens %d and %d begin and end a text; the vocabulary has %d", c.Start, c.End, c.Vocab)
	case !slices.Contains(activations, c.Activation):
		unsupported("the activation %q; want one of %q", c.Activation, activations)
	}
}

// Whisper is an encoder of sound and a decoder of text that attends to it.
type Whisper struct {
	nn.Base
	Conv1            *WhisperConv
	Conv2            *WhisperConv
	EncoderPositions *nn.Embedding
	EncoderLayers    []*WhisperLayer
	EncoderNorm      *LayerNorm
	EmbedTokens      *nn.Embedding
	DecoderPositions *nn.Embedding
	DecoderLayers    []*WhisperLayer
	DecoderNorm      *LayerNorm
	config           WhisperConfig
}

// WhisperConv is a convolution over three frames.
type WhisperConv struct {
	nn.Base
	Weight *lucid.Tensor // (hidden, bands, 3)
	Bias   *lucid.Tensor
	stride int
}

// Forward takes (1, bands, frames) to (1, hidden, frames over the stride).
func (m *WhisperConv) Forward(x *lucid.Tensor) *lucid.Tensor {
	o := F.ConvOptions{Bias: nn.Use(m, m.Bias), Padding: 1, Stride: []int{m.stride}}
	return activate("gelu", F.Conv1d(x, nn.Use(m, m.Weight), o))
}

// WhisperLayer is a layer of the encoder, or, with Cross, of the decoder.
type WhisperLayer struct {
	nn.Base
	SelfAttn  *WhisperAttention
	SelfNorm  *LayerNorm
	Cross     *WhisperAttention // nil: none
	CrossNorm *LayerNorm
	MLP       *MLP `nn:"mlp"`
	MLPNorm   *LayerNorm
}

// WhisperAttention is attention with as many key heads as query heads.
type WhisperAttention struct {
	nn.Base
	QProj nn.Layer
	KProj nn.Layer
	VProj nn.Layer
	OProj nn.Layer
	heads int
}

// BuildWhisper makes a model of weights by the names of Hugging Face's checkpoints.
func BuildWhisper(c WhisperConfig, w Source) (m *Whisper, err error) {
	err = fault.Catch(func() {
		c.check()
		m = &Whisper{config: c}
		norm := func(name string) *LayerNorm {
			return &LayerNorm{Weight: w.Tensor(name+".weight", c.Hidden), Bias: w.Tensor(name+".bias", c.Hidden), Eps: 1e-5}
		}
		conv := func(name string, in, stride int) *WhisperConv {
			return &WhisperConv{Weight: w.Tensor(name+".weight", c.Hidden, in, 3), Bias: w.Tensor(name+".bias", c.Hidden), stride: stride}
		}
		m.Conv1, m.Conv2 = conv("model.encoder.conv1", c.Mels, 1), conv("model.encoder.conv2", c.Hidden, 2)
		m.EncoderPositions = &nn.Embedding{Weight: w.Tensor("model.encoder.embed_positions.weight", c.Frames, c.Hidden)}
		m.EncoderNorm, m.DecoderNorm = norm("model.encoder.layer_norm"), norm("model.decoder.layer_norm")
		m.EmbedTokens = &nn.Embedding{Weight: w.Tensor("model.decoder.embed_tokens.weight", c.Vocab, c.Hidden)}
		m.DecoderPositions = &nn.Embedding{Weight: w.Tensor("model.decoder.embed_positions.weight", c.Context, c.Hidden)}
		layer := func(p string, heads, wide int) *WhisperLayer {
			return &WhisperLayer{
				SelfAttn: newWhisperAttention(w, p+"self_attn", c.Hidden, heads),
				SelfNorm: norm(p + "self_attn_layer_norm"),
				MLP: &MLP{Activation: c.Activation,
					UpProj:   newLinear(w, p+"fc1", c.Hidden, wide, true),
					DownProj: newLinear(w, p+"fc2", wide, c.Hidden, true)},
				MLPNorm: norm(p + "final_layer_norm"),
			}
		}
		for i := range c.EncoderLayers {
			m.EncoderLayers = append(m.EncoderLayers, layer("model.encoder.layers."+strconv.Itoa(i)+".", c.EncoderHeads, c.EncoderMLP))
		}
		for i := range c.DecoderLayers {
			p := "model.decoder.layers." + strconv.Itoa(i) + "."
			l := layer(p, c.DecoderHeads, c.DecoderMLP)
			l.Cross = newWhisperAttention(w, p+"encoder_attn", c.Hidden, c.DecoderHeads)
			l.CrossNorm = norm(p + "encoder_attn_layer_norm")
			m.DecoderLayers = append(m.DecoderLayers, l)
		}
		nn.Eval(m)
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

func newWhisperAttention(w Source, name string, hidden, heads int) *WhisperAttention {
	return &WhisperAttention{heads: heads, QProj: newLinear(w, name+".q_proj", hidden, hidden, true),
		KProj: newLinear(w, name+".k_proj", hidden, hidden, false), VProj: newLinear(w, name+".v_proj", hidden, hidden, true),
		OProj: newLinear(w, name+".out_proj", hidden, hidden, true)}
}

// Config returns what the model is made of.
func (m *Whisper) Config() WhisperConfig { return m.config }

// Placement is the dtype of activations and their device.
func (m *Whisper) Placement() lucid.With {
	w := m.EmbedTokens.Weight
	return lucid.With{DType: w.DType(), Device: w.Device()}
}

// split makes heads of (B, T, hidden): (B, heads, T, size).
func (m *WhisperAttention) split(x *lucid.Tensor) *lucid.Tensor {
	return x.Reshape(x.Size(0), x.Size(1), m.heads, x.Size(2)/m.heads).Transpose(1, 2)
}

// attend is attention of x to keys and values that are split already. mask is nil for all keys.
func (m *WhisperAttention) attend(x, keys, values, mask *lucid.Tensor) *lucid.Tensor {
	q := m.split(m.QProj.Forward(x))
	y := attend(q, keys, values, mask, false, 1/math.Sqrt(float64(q.Size(3))))
	return m.OProj.Forward(y.Transpose(1, 2).Reshape(x.Size(0), x.Size(1), x.Size(2)))
}

func (m *WhisperLayer) mlp(x *lucid.Tensor) *lucid.Tensor {
	return x.Add(m.MLP.Forward(m.MLPNorm.Forward(x)))
}

// Encode takes a spectrogram, (1, bands, 2·Frames), to vectors of (1, Frames, hidden).
func (m *Whisper) Encode(mel *lucid.Tensor) *lucid.Tensor {
	if c := &m.config; !slices.Equal(mel.Shape(), []int{1, c.Mels, 2 * c.Frames}) {
		fault.Throw(fault.Shape, op, "a spectrogram of %v; want (1, %d, %d)", mel.Shape(), c.Mels, 2*c.Frames)
	}
	x := m.Conv2.Forward(m.Conv1.Forward(mel))
	x = x.Transpose(1, 2).Add(nn.Use(m.EncoderPositions, m.EncoderPositions.Weight))
	for _, l := range m.EncoderLayers {
		h, a := l.SelfNorm.Forward(x), l.SelfAttn
		x = l.mlp(x.Add(a.attend(h, a.split(a.KProj.Forward(h)), a.split(a.VProj.Forward(h)), nil)))
	}
	return m.EncoderNorm.Forward(x)
}

// Cross returns keys and values of the sound for each layer of the decoder in turn: (1, heads, Frames, size).
func (m *Whisper) Cross(sound *lucid.Tensor) (out []*lucid.Tensor) {
	for _, l := range m.DecoderLayers {
		a := l.Cross
		out = append(out, a.split(a.KProj.Forward(sound)).Contiguous(), a.split(a.VProj.Forward(sound)).Contiguous())
	}
	return out
}

// NewCache returns room for the keys and values of a text.
func (m *Whisper) NewCache() (out []*lucid.Tensor) {
	c, with := &m.config, m.Placement()
	for range 2 * c.DecoderLayers {
		out = append(out, with.New(make([]float32, c.Context*c.Hidden), 1, c.DecoderHeads, c.Context, c.Hidden/c.DecoderHeads))
	}
	return out
}

// Step continues a text: ids, (1, T), are at the positions from start, int64 of (1), on. Their keys and values are written to the cache,
// whose tensors are rebound. It returns the logits of the last one, (vocabulary).
func (m *Whisper) Step(ids, start *lucid.Tensor, cache, cross []*lucid.Tensor) *lucid.Tensor {
	h := m.Decode(ids, start, cache, cross)
	return h.Narrow(1, h.Size(1)-1, 1).Reshape(-1)
}

// Decode is Step with the logits of all positions, (1, T, vocabulary).
func (m *Whisper) Decode(ids, start *lucid.Tensor, cache, cross []*lucid.Tensor) *lucid.Tensor {
	return m.decode(ids, start, cache, cross, nil)
}

// Align looks at a text, ids of (1, T), as a whole. It returns its logits, (1, T, vocabulary), and how much each token attends to each of
// the first frames positions of the sound, in heads of the decoder, pairs of a layer and a head: (heads, T, frames).
func (m *Whisper) Align(ids *lucid.Tensor, cross []*lucid.Tensor, heads [][2]int, frames int) (logits, weights *lucid.Tensor) {
	var list []*lucid.Tensor
	start := lucid.With{Device: ids.Device()}.New([]int64{0}, 1)
	logits = m.decode(ids, start, m.NewCache(), cross, func(layer int, x *lucid.Tensor) {
		a := m.DecoderLayers[layer].Cross
		q, k := a.split(a.QProj.Forward(x)), cross[2*layer].Narrow(2, 0, frames)
		for _, h := range heads {
			if h[0] == layer {
				scores := q.Select(1, h[1]).MatMul(k.Select(1, h[1]).Transpose(-1, -2)).To(lucid.Float32)
				list = append(list, scores.Mul(1/math.Sqrt(float64(q.Size(3)))).Softmax(-1))
			}
		}
	})
	return logits, lucid.Cat(list, 0)
}

// decode calls look, unless it is nil, with what asks the sound in each layer.
func (m *Whisper) decode(ids, start *lucid.Tensor, cache, cross []*lucid.Tensor, look func(layer int, x *lucid.Tensor)) *lucid.Tensor {
	w := lucid.With{DType: lucid.Int64, Device: ids.Device()}
	at := w.Arange(ids.Size(1)).Add(start)
	mask := w.Arange(m.config.Context).Unsqueeze(0).Le(at.Unsqueeze(1))
	x := m.EmbedTokens.Forward(ids)
	if m.config.EmbedScale {
		x = x.Mul(math.Sqrt(float64(m.config.Hidden)))
	}
	x = x.Add(m.DecoderPositions.Forward(at))
	for i, l := range m.DecoderLayers {
		h, a := l.SelfNorm.Forward(x), l.SelfAttn
		r := row{cache: cache, start: start}
		keys, values := r.store(2*i, a.split(a.KProj.Forward(h))), r.store(2*i+1, a.split(a.VProj.Forward(h)))
		x = x.Add(a.attend(h, keys, values, mask))
		asking := l.CrossNorm.Forward(x)
		if look != nil {
			look(i, asking)
		}
		x = x.Add(l.Cross.attend(asking, cross[2*i], cross[2*i+1], nil))
		x = l.mlp(x)
	}
	return project(m.DecoderNorm.Forward(x), nn.Use(m.EmbedTokens, m.EmbedTokens.Weight))
}
