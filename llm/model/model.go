package model

import (
	"slices"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/nn"
)

// Model is a decoder with a head that gives logits over the vocabulary.
type Model struct {
	nn.Base
	Body   *Decoder `nn:"model"`
	LMHead nn.Layer `nn:"lm_head"` // nil: the embeddings are the head
	config Config

	version    lucid.GuardCell // changes when a layer is replaced
	checkpoint bool
}

// Decoder is embeddings, layers and a norm.
type Decoder struct {
	nn.Base
	EmbedTokens    nn.Layer      // an nn.Embedding, or a QuantEmbedding
	EmbedPositions *nn.Embedding // nil: positions are rotations
	Layers         []*Layer
	Norm           nn.Layer
}

// Config returns what the model is made of. The caller must not change its slices.
func (m *Model) Config() Config { return m.config }

// pass is what all layers of one evaluation share. Index 0 is for layers without a window, 1 for those with one.
type pass struct {
	at     *lucid.Tensor // positions, int64 of (T)
	angles [2]angles
	masks  [2]*lucid.Tensor // bool, true where a key is seen; nil: causal
	rows   []row            // sequences with caches, whose tokens are next to each other; nil: no caches
	pages  *pages           // sequences in a pool; nil: none
}

// row is a sequence in a step of several.
type row struct {
	tokens int              // of the step
	masks  [2]*lucid.Tensor // (tokens, capacity)
	cache  []*lucid.Tensor  // as NewCache has it
	start  *lucid.Tensor    // position of the first token, int64 of (1)
}

// store writes new keys or values behind those of earlier positions and returns all.
func (r *row) store(i int, x *lucid.Tensor) *lucid.Tensor {
	if r.cache[0].DType() == lucid.Int8 {
		return r.storeQuantized(i, x)
	}
	return r.cache[i].Assign(r.cache[i].DynamicSliceUpdate(x, r.start, []int{2}))
}

// angles rotate pairs: an element of the first half of what rotates and one of the second. cos is (T, 1, pairs), sin (T, 2, pairs),
// negative for the first half.
type angles struct{ cos, sin *lucid.Tensor }

// rotate rotates the first elements of each head, in float32 with one rounding at the end. As one elementwise program: the other
// element of a pair is read through a view.
func (a angles) rotate(x *lucid.Tensor) *lucid.Tensor {
	n, all := 2*a.cos.Size(-1), x.Size(-1)
	dims := slices.Clone(x.Shape())
	dims[len(dims)-1] = n
	pairs := x.Narrow(-1, 0, n).Reshape(append(dims[:len(dims)-1:len(dims)-1], 2, n/2)...)
	y := pairs.Mul(a.cos).Add(pairs.Flip(-2).Mul(a.sin)).To(x.DType()).Reshape(dims...)
	if n == all {
		return y
	}
	return lucid.Cat([]*lucid.Tensor{y, x.Narrow(-1, n, all-n)}, -1)
}

// anglesAt computes them for positions, float32 of (T, 1), of texts of a length.
func anglesAt(r *RoPE, dim, length int, positions *lucid.Tensor) angles {
	freq, scale := r.frequencies(dim, length)
	return anglesFor(positions, lucid.With{Device: positions.Device()}.New(freq, 1, dim/2), scale)
}

// anglesFor computes them for frequencies, (1 or T, pairs).
func anglesFor(positions, freq *lucid.Tensor, scale float64) angles {
	a := positions.Mul(freq).Unsqueeze(1)
	cos, sin := a.Cos(), a.Sin()
	if scale != 1 {
		cos, sin = cos.Mul(scale), sin.Mul(scale)
	}
	return angles{cos, lucid.Cat([]*lucid.Tensor{sin.Neg(), sin}, 1)}
}

// anglesOfLengths is anglesAt where each position, int64 of (T, 1), is of a text of its own length, int64 of (T, 1).
func (r *RoPE) anglesOfLengths(dim int, positions, lengths *lucid.Tensor) angles {
	with := lucid.With{Device: positions.Device()}
	freq, scale := r.frequencies(dim, r.Original)
	f := with.New(freq, 1, dim/2)
	if r.Kind == "longrope" {
		long, _ := r.frequencies(dim, r.Original+1)
		f = lucid.Where(lengths.Gt(r.Original), with.New(long, 1, dim/2), f)
	} else {
		over := lengths.Maximum(r.Original).To(lucid.Float32).Div(float64(r.Original))
		grown := over.Mul(r.Factor).Sub(r.Factor - 1).Log().Mul(float64(dim) / float64(dim-2)) // of the logarithm of the base
		exponents := make([]float32, dim/2)
		for i := range exponents {
			exponents[i] = -float32(2*i) / float32(dim)
		}
		f = f.Mul(grown.Mul(with.New(exponents, 1, dim/2)).Exp())
	}
	return anglesFor(positions.To(lucid.Float32), f, scale)
}

// span is some positions, next to each other, of a text that is, or may become, of a length.
type span struct{ tokens, length int }

// newPass prepares the evaluation of positions, int64 of (T), with angles and no masks. They are those of the spans in turn.
func (m *Model) newPass(positions *lucid.Tensor, spans ...span) *pass {
	c, p := &m.config, &pass{at: positions}
	if c.Learned {
		return p
	}
	at := positions.To(lucid.Float32).Unsqueeze(1)
	p.angles[0] = anglesOf(&c.RoPE, c.rotaryDim(), at, spans)
	p.angles[1] = p.angles[0]
	if c.LocalRoPE != nil {
		p.angles[1] = anglesOf(c.LocalRoPE, c.rotaryDim(), at, spans)
	}
	return p
}

// anglesOf is anglesAt for texts of several lengths, one behind the other.
func anglesOf(r *RoPE, dim int, positions *lucid.Tensor, spans []span) angles {
	if !r.byLength() || len(spans) == 1 {
		return anglesAt(r, dim, spans[0].length, positions)
	}
	var cos, sin []*lucid.Tensor
	at := 0
	for _, s := range spans {
		a := anglesAt(r, dim, s.length, positions.Narrow(0, at, s.tokens))
		cos, sin, at = append(cos, a.cos), append(sin, a.sin), at+s.tokens
	}
	return angles{lucid.Cat(cos, 0), lucid.Cat(sin, 0)}
}

// masksOf say which keys, at positions k, queries at positions q see: index 0 without a window, 1 with it.
func (m *Model) masksOf(q, k *lucid.Tensor) (masks [2]*lucid.Tensor) {
	past := k.Le(q)
	masks[0], masks[1] = past, past
	if w := m.config.Window; w > 0 {
		masks[1] = past.LogicalAnd(k.Gt(q.Sub(w)))
	}
	return masks
}

// hidden gives the normed result of the last layer, (B, T, hidden).
func (m *Model) hidden(ids *lucid.Tensor, p *pass) *lucid.Tensor {
	x := m.Body.EmbedTokens.Forward(ids)
	if s := m.config.EmbedScale; s != 0 {
		x = x.Mul(s)
	}
	if e := m.Body.EmbedPositions; e != nil {
		x = x.Add(e.Forward(p.at))
	}
	m.version.Load()
	for _, l := range m.Body.Layers {
		if m.checkpoint && p.rows == nil && p.pages == nil {
			x = lucid.Checkpoint(func(x *lucid.Tensor) *lucid.Tensor { return l.Forward(x, p) })(x)
		} else {
			x = l.Forward(x, p)
		}
	}
	return m.Body.Norm.Forward(x)
}

// project multiplies with the embeddings.
func (m *Decoder) project(h *lucid.Tensor) *lucid.Tensor {
	if q, ok := m.EmbedTokens.(*QuantEmbedding); ok {
		return q.Project(h)
	}
	e := m.EmbedTokens.(*nn.Embedding)
	return project(h, nn.Use(e, e.Weight))
}

// Placement is the dtype of activations and caches, and their device.
func (m *Model) Placement() lucid.With {
	if q, ok := m.Body.EmbedTokens.(*QuantEmbedding); ok {
		return lucid.With{DType: lucid.Float32, Device: q.Weight.Device()}
	}
	w := m.Body.EmbedTokens.(*nn.Embedding).Weight
	return lucid.With{DType: w.DType(), Device: w.Device()}
}

// InBlocks reports whether matrices are in the block format of a GGUF file.
func (m *Model) InBlocks() bool {
	_, blocks := m.Body.EmbedTokens.(*QuantEmbedding)
	return blocks
}

// head gives logits.
func (m *Model) head(h *lucid.Tensor) *lucid.Tensor {
	if m.LMHead == nil {
		h = m.Body.project(h)
	} else {
		h = m.LMHead.Forward(h)
	}
	return capped(h, m.config.LogitCap)
}

// Forward takes ids, integers of (B, T), to logits of (B, T, vocabulary).
func (m *Model) Forward(ids *lucid.Tensor) *lucid.Tensor { return m.head(m.Hidden(ids)) }

// Hidden takes ids, integers of (B, T), to the normed vectors of the last layer, (B, T, hidden). A token does not see those behind it, so
// that rows may be padded at their ends.
func (m *Model) Hidden(ids *lucid.Tensor) *lucid.Tensor {
	t := m.checkIDs(ids)
	if t > m.config.Context {
		fault.Throw(fault.Value, op, "%d tokens; the model has a context of %d", t, m.config.Context)
	}
	positions := lucid.With{DType: lucid.Int64, Device: ids.Device()}.Arange(t)
	p, c := m.newPass(positions, span{t, t}), &m.config
	if c.AttentionCap > 0 || c.Window > 0 && t > c.Window { // else the causal mask of the primitive is enough
		p.masks = m.masksOf(positions.Unsqueeze(1), positions.Unsqueeze(0))
		if c.AttentionCap == 0 {
			p.masks[0] = nil
		}
	}
	return m.hidden(ids, p)
}

// ForwardPacked is Forward of several sequences one behind the other in each row of ids. positions, int64 of (T), count from 0 in
// each sequence; segments, int64 of (T), number them: a token sees those of its own sequence only. All rows are cut alike.
func (m *Model) ForwardPacked(ids, positions, segments *lucid.Tensor) *lucid.Tensor {
	return m.head(m.HiddenPacked(ids, positions, segments))
}

// HiddenPacked is Hidden of what ForwardPacked takes.
func (m *Model) HiddenPacked(ids, positions, segments *lucid.Tensor) *lucid.Tensor {
	t := m.checkIDs(ids)
	if positions.Dim() != 1 || positions.Size(0) != t || segments.Dim() != 1 || segments.Size(0) != t {
		fault.Throw(fault.Shape, op, "positions of %v and segments of %v for %d tokens; want (%d)", positions.Shape(),
			segments.Shape(), t, t)
	}
	p, c := m.newPass(positions, span{t, t}), &m.config
	p.masks = m.masksOf(positions.Unsqueeze(1), positions.Unsqueeze(0))
	same := segments.Unsqueeze(1).Eq(segments.Unsqueeze(0))
	if c.RoPE.byLength() { // each sequence has a length of its own
		lengths := lucid.Where(same, positions.Unsqueeze(0), 0).Max(1).Add(1).Unsqueeze(1)
		p.angles[0] = c.RoPE.anglesOfLengths(c.rotaryDim(), positions.Unsqueeze(1), lengths)
		p.angles[1] = p.angles[0]
	}
	for i := range p.masks {
		p.masks[i] = p.masks[i].LogicalAnd(same)
	}
	return m.hidden(ids, p)
}

// checkIDs refuses what are no ids and returns how many tokens a row has.
func (m *Model) checkIDs(ids *lucid.Tensor) int {
	if ids.Dim() != 2 || !ids.DType().IsInteger() {
		fault.Throw(fault.Shape, op, "ids are %v of shape %v; want integers of (batch, tokens)", ids.DType(), ids.Shape())
	}
	return ids.Size(1)
}

// NewCache returns room for what layers remember of capacity positions: for each layer a tensor of keys and one of values,
// (1, heads, capacity, size), or with latent attention one of the vectors that both are made of.
func (m *Model) NewCache(capacity int) (cache []*lucid.Tensor) {
	c, with := &m.config, m.Placement()
	for range c.Layers {
		for _, s := range c.cacheShapes() {
			// Memory of its own for each: tensors that share a constant would be copied at the first step.
			cache = append(cache, with.Zeros(1, s[0], capacity, s[1]).Contiguous())
		}
	}
	if err := lucid.Eval(cache...); err != nil {
		fault.Rethrow(op, err)
	}
	return cache
}

// Step continues sequences: row b of ids, (B, T), is at the positions from start[b] on of the sequence whose keys and values are in
// caches[b]; those of ids are written there, and the tensors are rebound. start and last are int64 of (B). It returns the logits
// of the position last[b] within each row, as (B, vocabulary). If there is one row, last may be several positions of it, for logits of
// (positions, vocabulary). Ids behind it may be padding: the next step writes over their
// keys. A row gets the same bits whatever the other rows are. Where rotary positions depend on the length of a text, they are those of
// the capacity of its cache; see Config.Rescaled.
func (m *Model) Step(ids, start, last *lucid.Tensor, caches [][]*lucid.Tensor) *lucid.Tensor {
	b, t := ids.Size(0), ids.Size(1)
	w := lucid.With{DType: lucid.Int64, Device: ids.Device()}
	positions := start.Unsqueeze(1).Add(w.Arange(t).Unsqueeze(0)).Reshape(b * t)
	counts := make([]int, b)
	for i := range counts {
		counts[i] = t
	}
	h := m.hidden(ids.Reshape(1, b*t), m.cachedPass(positions, counts, caches))
	h = h.IndexSelect(1, last.Add(w.Arange(b).Mul(t)))
	return m.head(h).Reshape(-1, m.config.Vocab)
}

// cachedPass prepares a step: everything but attention takes the tokens of all rows as those of one sequence.
func (m *Model) cachedPass(positions *lucid.Tensor, counts []int, caches [][]*lucid.Tensor) *pass {
	w := lucid.With{DType: lucid.Int64, Device: positions.Device()}
	spans := make([]span, len(caches))
	for i, cache := range caches {
		spans[i] = span{counts[i], cache[0].Size(2)}
	}
	p, at := m.newPass(positions, spans...), 0
	for i, cache := range caches {
		here := positions.Narrow(0, at, counts[i])
		r := row{tokens: counts[i], cache: cache, start: here.Narrow(0, 0, 1)}
		r.masks = m.masksOf(here.Unsqueeze(1), w.Arange(spans[i].length).Unsqueeze(0))
		p.rows, at = append(p.rows, r), at+counts[i]
	}
	return p
}
