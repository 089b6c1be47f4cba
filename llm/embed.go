package llm

import (
	"context"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/llm/model"
	"github.com/lucid-go/lucid/llm/tokenizer"
)

// EmbedOptions say how texts are embedded. The zero value is what the files of the model say.
type EmbedOptions struct {
	// Truncate cuts texts that have more tokens than MaxTokens. Without it such a text is an error.
	Truncate bool
	// MaxTokens is the most tokens of a text; 0: Embedder.MaxTokens. More than the files ask for is allowed, up to the model's positions.
	MaxTokens int
	// Pooling makes one vector of those of the tokens: mean, cls (the first), max (of each element) or last; "": as the files say.
	Pooling string
	// Normalize scales vectors to length 1; nil: as the files say, and true if they say nothing.
	Normalize *bool
	// Prompt is put before each text, such as "query: " for E5; "": the default prompt of the files.
	Prompt string
}

// maxBatchTokens is how many tokens, padding included, are evaluated together: what a layer makes of more is not in a near cache when the
// next one reads it, and stored panels of weights are for as many rows.
const maxBatchTokens = 512

// Embed returns a vector for each text. Texts of like lengths are evaluated together; on a CPU each gets the same bits as alone.
func (e *Embedder) Embed(ctx context.Context, texts []string, o EmbedOptions) ([][]float32, error) {
	ids := make([][]int, len(texts))
	for i, text := range texts {
		var err error
		if ids[i], err = e.Tokens(text, o); err != nil {
			return nil, inText(err, i, len(texts))
		}
	}
	return e.EmbedIDs(ctx, ids, o)
}

// inText says which text an error is about.
func inText(err error, i, n int) error {
	if kind, ok := fault.KindOf(err); ok && n > 1 {
		return fault.Wrap(kind, op, err, "text %s of %d", strconv.Itoa(i), n)
	}
	return err
}

// Tokens returns the ids that Embed evaluates for a text: with the prompt, with what the tokenizer puts before and after a text,
// and cut if that was asked for.
func (e *Embedder) Tokens(text string, o EmbedOptions) (ids []int, err error) {
	limit, err := e.limit(o)
	if err != nil {
		return nil, err
	}
	if o.Prompt == "" {
		o.Prompt = e.files.prompt
	}
	err = fault.Catch(func() {
		ids = e.tok.Encode(o.Prompt + text)
		if len(ids) > limit && o.Truncate {
			ids = cut(ids, e.tok.EncodeWith(o.Prompt+text, tokenizer.EncodeOptions{NoAdded: true}), limit)
		}
	})
	if err == nil && len(ids) > limit {
		err = tooLong(len(ids), limit)
	}
	return ids, err
}

func tooLong(tokens, limit int) error {
	return fault.New(fault.Value, op, "a text of %d tokens; want at most %d; EmbedOptions.Truncate cuts it", tokens, limit)
}

// cut takes tokens off the end of the text, not those that were put behind it.
func cut(ids, text []int, limit int) []int {
	added := len(ids) - len(text)
	if added < 0 || added > limit {
		return ids
	}
	before := 0
	for before < added && !slices.Equal(ids[before:before+len(text)], text) {
		before++
	}
	n := limit - added
	return slices.Concat(ids[:before+n], ids[before+len(text):])
}

// limit is the most tokens of a text.
func (e *Embedder) limit(o EmbedOptions) (int, error) {
	switch n := e.net.Config().Context; {
	case o.MaxTokens < 0 || o.MaxTokens > n:
		return 0, fault.New(fault.Value, op, "EmbedOptions.MaxTokens is %d; want 0 to the model's %d", o.MaxTokens, n)
	case o.MaxTokens > 0:
		return o.MaxTokens, nil
	}
	return e.files.limit, nil
}

// EmbedIDs is Embed of texts that are ids already. Nothing is put before or after them, and none is cut.
func (e *Embedder) EmbedIDs(ctx context.Context, ids [][]int, o EmbedOptions) ([][]float32, error) {
	limit, err := e.limit(o)
	if err != nil {
		return nil, err
	}
	if o.Pooling == "" {
		o.Pooling = e.files.pooling
	}
	if !slices.Contains(poolings, o.Pooling) {
		return nil, fault.New(fault.Value, op, "EmbedOptions.Pooling is %q; want one of %q", o.Pooling, poolings)
	}
	unit := e.files.unit
	if o.Normalize != nil {
		unit = *o.Normalize
	}
	bySize := map[int][]int{}
	for i, text := range ids {
		if err := e.checkIDs(text, limit); err != nil {
			return nil, inText(err, i, len(ids))
		}
		size := paddedSize(len(text), e.net.Config().Context)
		bySize[size] = append(bySize[size], i)
	}
	out := make([][]float32, len(ids))
	for _, size := range slices.Sorted(maps.Keys(bySize)) {
		texts := bySize[size]
		for len(texts) > 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			n := batchSize(len(texts), size)
			if err := e.batch(ids, texts[:n], size, o.Pooling, unit, out); err != nil {
				return nil, err
			}
			texts = texts[n:]
		}
	}
	return out, nil
}

func (e *Embedder) checkIDs(ids []int, limit int) error {
	vocab := e.net.Config().Vocab
	if len(ids) == 0 {
		return fault.New(fault.Value, op, "a text without tokens has no vector")
	}
	if len(ids) > limit {
		return tooLong(len(ids), limit)
	}
	for _, id := range ids {
		if id < 0 || id >= vocab {
			return fault.New(fault.Index, op, "the token %d; the vocabulary has %d", id, vocab)
		}
	}
	return nil
}

// paddedSize is the number of positions a text is evaluated with. It depends on the text alone, so that a batch does not change
// the order of sums; there are few sizes, so that few are traced.
func paddedSize(n, most int) int {
	step := 8
	for limit := 32; n > limit; limit *= 2 {
		step = limit / 4
	}
	return min((n+step-1)/step*step, most)
}

// batchSize is how many of n texts are evaluated together: a power of two, for the same reason.
func batchSize(n, size int) int {
	b := 1
	for 2*b <= n && 2*b*size <= maxBatchTokens {
		b *= 2
	}
	return b
}

// batch evaluates some texts, padded to one size.
func (e *Embedder) batch(ids [][]int, texts []int, size int, pooling string, unit bool, out [][]float32) error {
	c := e.net.Config()
	n := len(texts) * size
	tokens, positions, lengths := make([]int64, n), make([]int64, n), make([]int64, len(texts))
	for b, text := range texts {
		at, next := b*size, int64(c.FirstPosition)
		for i, id := range ids[text] {
			tokens[at+i] = int64(id)
			if c.PadPosition && id == c.FirstPosition-1 {
				positions[at+i] = int64(id)
				continue
			}
			positions[at+i] = next
			next++
		}
		lengths[b] = int64(len(ids[text]))
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return lucid.Try(func() {
		lucid.NoGrad(func() {
			w := lucid.With{Device: e.net.Placement().Device}
			y := e.run(w.New(tokens, len(texts), size), w.New(positions, len(texts), size), w.New(lengths, len(texts)), pooling, unit)
			all := lucid.ToSlice[float32](y)
			y.Free()
			for b, text := range texts {
				out[text] = slices.Clone(all[b*c.Hidden : (b+1)*c.Hidden])
			}
		})
	})
}

// pooled evaluates a batch: (B, hidden) of float32.
func (e *Embedder) pooled(ids, positions, lengths *lucid.Tensor, pooling string, unit bool) *lucid.Tensor {
	h := e.forward(ids, positions, lengths).To(lucid.Float32)
	b, t := ids.Size(0), ids.Size(1)
	var y *lucid.Tensor
	switch pooling {
	case "cls":
		y = h.Narrow(1, 0, 1).Squeeze(1)
	case "last":
		at := lengths.Sub(1).Reshape(b, 1, 1).Expand(b, 1, h.Size(2))
		y = h.Gather(1, at).Squeeze(1)
	case "max":
		y = lucid.Where(model.Padding(lengths, t).Unsqueeze(2), h, math.Inf(-1)).Max(1)
	default:
		y = lucid.Where(model.Padding(lengths, t).Unsqueeze(2), h, 0).Sum(1).Div(lengths.To(lucid.Float32).Unsqueeze(1))
	}
	if unit {
		y = y.Div(y.Square().Sum(-1).Sqrt().ClampMin(1e-12).Unsqueeze(-1))
	}
	return y
}

// forward gives the vectors of tokens.
func (e *Embedder) forward(ids, positions, lengths *lucid.Tensor) *lucid.Tensor {
	if m, ok := e.net.(*model.Encoder); ok {
		return m.Forward(ids, positions, lengths)
	}
	return e.net.(*model.Model).Hidden(ids)
}
