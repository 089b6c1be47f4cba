package model

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
	"github.com/lucid-go/lucid/nn"
)

// PageTokens is how many positions a block of a pool has. Texts share whole blocks; larger ones would make longer copies where two texts
// part inside of one.
const PageTokens = 32

// Paged are texts of a step that have as many tokens each.
type Paged struct {
	IDs   *lucid.Tensor // int64 of (texts, tokens)
	Table *lucid.Tensor // int64 of (texts, blocks): the blocks of each text, in its order
	Keys  int           // positions that the longest of them may see
}

// pages is a step over a pool.
type pages struct {
	pool   []*lucid.Tensor
	slots  *lucid.Tensor // where keys and values of all tokens go
	groups []pagedGroup
}

type pagedGroup struct {
	texts, tokens int
	table         *lucid.Tensor
	masks         [2]*lucid.Tensor // (texts, 1, tokens, keys)
	rows          *lucid.Tensor    // where all keys are: (texts·keys); nil until it is asked for
}

// StepPaged continues texts whose keys and values are in blocks of a pool, which NewCache or NewQuantizedCache made: a block is PageTokens
// positions of it. positions, int64, are those of the tokens of all groups in turn, in their texts; slots say where in the pool their keys
// and values are written. last are indices of these tokens, of those whose logits are returned, (indices, vocabulary). A text gets the bits
// of Step over a cache of Keys positions, whatever the others are and wherever its blocks are. Where rotary positions depend on the length
// of a text, they are those of Keys.
func (m *Model) StepPaged(groups []Paged, positions, slots, last *lucid.Tensor, pool []*lucid.Tensor) *lucid.Tensor {
	var ids []*lucid.Tensor
	var spans []span
	n := 0
	for _, g := range groups {
		tokens := g.IDs.Size(0) * g.IDs.Size(1)
		ids, spans, n = append(ids, g.IDs.Reshape(tokens)), append(spans, span{tokens, g.Keys}), n+tokens
	}
	if n == 0 || positions.Size(0) != n || slots.Size(0) != n {
		fault.Throw(fault.Shape, op, "%d tokens with positions of %v and slots of %v; want one of each for a token", n, positions.Shape(),
			slots.Shape())
	}
	p, at := m.newPass(positions, spans...), 0
	p.pages = &pages{pool: pool, slots: slots}
	for _, g := range groups {
		texts, tokens := g.IDs.Size(0), g.IDs.Size(1)
		here := positions.Narrow(0, at, texts*tokens).Reshape(texts, 1, tokens, 1)
		keys := lucid.With{DType: lucid.Int64, Device: positions.Device()}.Arange(g.Keys).Reshape(1, 1, 1, g.Keys)
		p.pages.groups = append(p.pages.groups, pagedGroup{texts: texts, tokens: tokens, table: g.Table, masks: m.masksOf(here, keys)})
		at += texts * tokens
	}
	all := ids[0]
	if len(ids) > 1 {
		all = lucid.Cat(ids, 0)
	}
	h := m.hidden(all.Reshape(1, n), p)
	return m.head(h.IndexSelect(1, last)).Reshape(-1, m.config.Vocab)
}

// CopyPage writes the rows from of a pool, int64, to its rows to, which it returns.
func CopyPage(pool []*lucid.Tensor, from, to *lucid.Tensor) *lucid.Tensor {
	for _, t := range pool {
		t.Assign(t.IndexCopy(2, to, t.IndexSelect(2, from)))
	}
	return to
}

// store writes keys or values of all tokens, (1, heads, tokens, size).
func (p *pages) store(i int, x *lucid.Tensor) {
	t := p.pool[i]
	if t.DType() == lucid.Int8 {
		v, s := quantized(x)
		scale := p.pool[len(p.pool)/2+i]
		scale.Assign(scale.IndexCopy(2, p.slots, s))
		x = v
	}
	t.Assign(t.IndexCopy(2, p.slots, x))
}

// attend lets all texts attend to their keys and values, tensors i and j of the pool; values are the first size elements of their
// vectors. q is (1, heads, tokens, size); the result is (1, tokens, heads·size).
func (p *pages) attend(q *lucid.Tensor, i, j, size, kind int, c *Config, sinks *lucid.Tensor) *lucid.Tensor {
	ys, at := make([]*lucid.Tensor, len(p.groups)), 0
	for n := range p.groups {
		g := &p.groups[n]
		part := q.Narrow(2, at, g.texts*g.tokens).Reshape(q.Size(1), g.texts, g.tokens, q.Size(3)).Transpose(0, 1)
		var y *lucid.Tensor
		if k := p.pool[i]; k.DType() == lucid.Int8 || c.AttentionCap > 0 { // the primitive has neither
			keys, values := p.gathered(g, i, q.DType()), p.gathered(g, j, q.DType()).Narrow(3, 0, size)
			y = attended(part, keys, values, g.masks[kind], c, sinks)
		} else {
			y = pagedAttention(part, k, p.pool[j].Narrow(3, 0, size), g, g.masks[kind], c.QueryScale, sinks)
		}
		ys[n] = y.Transpose(1, 2).Reshape(1, g.texts*g.tokens, -1)
		at += g.texts * g.tokens
	}
	if len(ys) == 1 {
		return ys[0]
	}
	return lucid.Cat(ys, 1)
}

// gathered brings the keys or values of the texts of a group together: (texts, heads, keys, size).
func (p *pages) gathered(g *pagedGroup, i int, d lucid.DType) *lucid.Tensor {
	keys := g.masks[0].Size(3)
	if g.rows == nil {
		in := lucid.With{DType: lucid.Int64, Device: g.table.Device()}.Arange(PageTokens)
		all := g.table.Unsqueeze(2).Mul(PageTokens).Add(in).Reshape(g.texts, -1)
		g.rows = all.Narrow(1, 0, keys).Reshape(g.texts * keys)
	}
	read := func(t *lucid.Tensor) *lucid.Tensor {
		return t.IndexSelect(2, g.rows).Reshape(t.Size(1), g.texts, keys, t.Size(3)).Transpose(0, 1)
	}
	x := read(p.pool[i])
	if x.DType() == lucid.Int8 {
		x = x.To(lucid.Float32).Mul(read(p.pool[len(p.pool)/2+i])).To(d)
	}
	return x
}

func pagedAttention(q, k, v *lucid.Tensor, g *pagedGroup, mask *lucid.Tensor, scale float64, sinks *lucid.Tensor) *lucid.Tensor {
	in := make([]*graph.Node, 6)
	for i, t := range []*lucid.Tensor{q, k, v, g.table, mask, sinks} {
		if t != nil {
			in[i] = (*graph.Array)(t).Acquire()
			defer in[i].Unref()
		}
	}
	return (*lucid.Tensor)(door.Wrap(ops.PagedAttention(in[0], in[1], in[2], in[3], in[4], in[5], PageTokens, scale)))
}

// attended is attention of a kind that a model has.
func attended(q, k, v, mask *lucid.Tensor, c *Config, sinks *lucid.Tensor) *lucid.Tensor {
	switch {
	case c.AttentionCap > 0:
		return cappedAttention(q, k, v, mask, c)
	case sinks != nil:
		return attendWithSinks(q, k, v, mask, mask == nil, c.QueryScale, sinks)
	}
	return attend(q, k, v, mask, mask == nil, c.QueryScale)
}

// sinksOf is the sinks of a layer, nil if it has none.
func (m *Attention) sinksOf() *lucid.Tensor {
	if m.Sinks == nil {
		return nil
	}
	return nn.Use(m, m.Sinks)
}
