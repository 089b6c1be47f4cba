package llm

import (
	"context"
	"math"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
)

// perplexityWindow is how many tokens are evaluated together.
const perplexityWindow = 512

// Perplexity is the exponential of the mean negative log-likelihood of a text's tokens. The text is cut into windows of 512 tokens
// (or the context, if that is smaller) that do not overlap; the first token of each is given, not predicted.
func (m *Model) Perplexity(ctx context.Context, text string) (float64, error) {
	ids := m.tok.Encode(text)
	if len(ids) < 2 {
		return 0, fault.New(fault.Value, op, "the text has %d tokens; want at least 2", len(ids))
	}
	size := min(perplexityWindow, m.net.Config().Context)
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
	}
	return math.Exp(sum / float64(n)), nil
}
