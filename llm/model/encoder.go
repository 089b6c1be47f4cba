package model

import (
	"math"
	"strconv"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/nn"
)

// Encoder gives a vector for each token of a text; each token sees all others. BERT, RoBERTa and MPNet are made of it.
type Encoder struct {
	nn.Base
	EmbedTokens    nn.Layer
	EmbedPositions *nn.Embedding
	EmbedTypes     *nn.Embedding // nil: none; all tokens are of type 0
	EmbedNorm      *LayerNorm
	Layers         []*EncoderLayer
	RelativeBias   *nn.Embedding // (buckets, heads) of numbers added to scores by distance; nil: none
	config         Config
}

// EncoderLayer is attention and an MLP, each followed by a norm of its sum with its input.
type EncoderLayer struct {
	nn.Base
	QProj    nn.Layer
	KProj    nn.Layer
	VProj    nn.Layer
	OProj    nn.Layer
	AttnNorm *LayerNorm
	MLP      *MLP `nn:"mlp"`
	MLPNorm  *LayerNorm
	c        *Config
}

// BuildEncoder makes an encoder of weights.
func BuildEncoder(c Config, weights Source) (m *Encoder, err error) {
	err = fault.Catch(func() {
		c.check()
		if !c.Encoder {
			fault.Throw(fault.Value, op, "a model of family %s is no encoder; Build makes it", c.Family)
		}
		m = &Encoder{config: c}
		m.build(encoderSource(&c, weights))
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

func (m *Encoder) build(w Source) {
	c := &m.config
	norm := func(name string) *LayerNorm {
		return &LayerNorm{Weight: w.Tensor(name+".weight", c.Hidden), Bias: w.Tensor(name+".bias", c.Hidden), Eps: c.Eps}
	}
	m.EmbedTokens = newEmbedding(w, "embed_tokens.weight", c.Vocab, c.Hidden)
	m.EmbedPositions = &nn.Embedding{Weight: w.Tensor("embed_positions.weight", c.Context+c.FirstPosition, c.Hidden)}
	if c.TokenTypes > 0 {
		m.EmbedTypes = &nn.Embedding{Weight: w.Tensor("embed_types.weight", c.TokenTypes, c.Hidden)}
	}
	m.EmbedNorm = norm("embed_norm")
	if c.Buckets > 0 {
		m.RelativeBias = &nn.Embedding{Weight: w.Tensor("relative_bias.weight", c.Buckets, c.Heads)}
	}
	for i := range c.Layers {
		p := "layers." + strconv.Itoa(i) + "."
		m.Layers = append(m.Layers, &EncoderLayer{c: c,
			QProj:    newLinear(w, p+"q_proj", c.Hidden, c.Hidden, true),
			KProj:    newLinear(w, p+"k_proj", c.Hidden, c.Hidden, true),
			VProj:    newLinear(w, p+"v_proj", c.Hidden, c.Hidden, true),
			OProj:    newLinear(w, p+"o_proj", c.Hidden, c.Hidden, true),
			AttnNorm: norm(p + "attn_norm"),
			MLP: &MLP{Activation: c.Activation,
				UpProj:   newLinear(w, p+"mlp.up_proj", c.Hidden, c.Intermediate, true),
				DownProj: newLinear(w, p+"mlp.down_proj", c.Intermediate, c.Hidden, true)},
			MLPNorm: norm(p + "mlp_norm"),
		})
	}
	nn.Eval(m)
}

// Config returns what the encoder is made of.
func (m *Encoder) Config() Config { return m.config }

// Placement is the dtype of activations and their device.
func (m *Encoder) Placement() lucid.With {
	w := m.EmbedPositions.Weight
	return lucid.With{DType: w.DType(), Device: w.Device()}
}

// Forward takes ids and their positions, integers of (B, T), to vectors of (B, T, hidden). lengths are integers of (B): a token
// sees the first lengths[b] of its row, and what is behind them is padding. Positions are rows of the table of positions.
func (m *Encoder) Forward(ids, positions, lengths *lucid.Tensor) *lucid.Tensor {
	if ids.Dim() != 2 || !ids.DType().IsInteger() || lengths.Dim() != 1 || lengths.Size(0) != ids.Size(0) {
		fault.Throw(fault.Shape, op, "ids are %v of %v with lengths of %v; want integers of (batch, tokens) and of (batch)", ids.DType(),
			ids.Shape(), lengths.Shape())
	}
	x := m.EmbedTokens.Forward(ids).Add(m.EmbedPositions.Forward(positions))
	if m.EmbedTypes != nil {
		x = x.Add(nn.Use(m.EmbedTypes, m.EmbedTypes.Weight).Narrow(0, 0, 1))
	}
	x = m.EmbedNorm.Forward(x)
	mask := Padding(lengths, ids.Size(1)).Unsqueeze(1).Unsqueeze(1)
	if m.RelativeBias != nil {
		mask = lucid.Where(mask, m.relativeBias(ids.Size(1)), math.Inf(-1))
	}
	for _, l := range m.Layers {
		x = l.Forward(x, mask)
	}
	return x
}

// Padding is bool of (B, T): true for the first lengths[b] of T tokens.
func Padding(lengths *lucid.Tensor, t int) *lucid.Tensor {
	at := lucid.With{DType: lengths.DType(), Device: lengths.Device()}.Arange(t)
	return at.Unsqueeze(0).Lt(lengths.Unsqueeze(1))
}

// relativeBias is (1, heads, T, T).
func (m *Encoder) relativeBias(t int) *lucid.Tensor {
	w := nn.Use(m.RelativeBias, m.RelativeBias.Weight)
	rows := make([]int64, 0, t*t)
	for q := range t {
		for k := range t {
			rows = append(rows, int64(bucket(k-q, m.config.Buckets)))
		}
	}
	b := w.IndexSelect(0, lucid.With{Device: w.Device()}.New(rows, t*t))
	return b.Reshape(t, t, m.config.Heads).Permute(2, 0, 1).Contiguous().Unsqueeze(0)
}

// bucketDistance is the distance from which on all are in one bucket.
const bucketDistance = 128

// bucket is the row for the distance of a key from a query: one for each of the near ones, then wider ones.
func bucket(distance, buckets int) int {
	half, row := buckets/2, 0
	if distance > 0 {
		row = half
	}
	n := max(distance, -distance)
	if near := half / 2; n >= near {
		// In float32, as the programs that trained the models compute it: other roundings are other rows at the borders.
		log := float32(math.Log(float64(float32(n) / float32(near))))
		n = min(half-1, near+int(log/float32(math.Log(bucketDistance/float64(near)))*float32(half-near)))
	}
	return row + n
}

// Forward takes x of (B, T, hidden) to the same shape. mask is bool, true for keys that are seen, or numbers added to scores.
func (m *EncoderLayer) Forward(x, mask *lucid.Tensor) *lucid.Tensor {
	c, b, t := m.c, x.Size(0), x.Size(1)
	heads := func(l nn.Layer) *lucid.Tensor { return l.Forward(x).Reshape(b, t, c.Heads, c.HeadDim).Transpose(1, 2) }
	y := attend(heads(m.QProj), heads(m.KProj), heads(m.VProj), mask, false, c.QueryScale)
	x = m.AttnNorm.Forward(x.Add(m.OProj.Forward(y.Transpose(1, 2).Reshape(b, t, c.Hidden))))
	return m.MLPNorm.Forward(x.Add(m.MLP.Forward(x)))
}
