package llm

import (
	"context"
	"math"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/llm/tokenizer"
)

// perplexityWindow is how many tokens are evaluated together.
const perplexityWindow = 512

// PerplexityOptions say how a text is evaluated.
type PerplexityOptions struct {
	// Window is how many tokens are evaluated together; 0: 512, or the context, if that is smaller.
	Window int
	// Progress is called after each window, with the tokens so far, those of the text, and the perplexity so far; nil: not.
	Progress func(done, total int, perplexity float64)
}

// Perplexity is the exponential of the mean negative log-likelihood of a text's tokens. The text is cut into windows of 512 tokens
// (or the context, if that is smaller) that do not overlap; the first token of each is given, not predicted.
func (m *Model) Perplexity(ctx context.Context, text string, opts ...PerplexityOptions) (float64, error) {
	var o PerplexityOptions
	if err := fault.Catch(func() { o = door.Option("llm.Perplexity", opts) }); err != nil {
		return 0, err
	}
	ids, err := m.encode(text, tokenizer.EncodeOptions{})
	if err != nil {
		return 0, err
	}
	if len(ids) < 2 {
		return 0, fault.New(fault.Value, op, "the text has %d tokens; want at least 2", len(ids))
	}
	size := min(perplexityWindow, m.net.Config().Context)
	if o.Window != 0 {
		size = o.Window
	}
	if most := m.net.Config().Context; size < 2 || size > most {
		return 0, fault.New(fault.Value, op, "PerplexityOptions.Window is %d; want 2 to the context of %d", size, most)
	}
	total := len(ids)
	sum, n := 0.0, 0
	for len(ids) > 1 {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		part := ids[:min(size, len(ids))]
		ids = ids[len(part):]
		if len(part) < 2 {
			break
		}
		err := lucid.Try(func() {
			lucid.NoGrad(func() {
				last := len(part) - 1
				w := lucid.With{Device: m.net.Placement().Device}
				logits := m.Forward(w.New(part[:last], 1, last)).Reshape(last, -1).To(lucid.Float32)
				p := logits.LogSoftmax(-1).Gather(-1, w.New(part[1:], last, 1))
				sum -= p.Sum().Item()
				n += last
			})
		})
		if err != nil {
			return 0, err
		}
		if o.Progress != nil {
			o.Progress(total-len(ids), total, math.Exp(sum/float64(n)))
		}
	}
	return math.Exp(sum / float64(n)), nil
}
