package llm

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
)

// Where a text takes the most probable token every time and nothing changes the logits, the token is chosen where they are: on a GPU
// they are not copied to the host, and nowhere are they copied twice.

// plainGreedy reports whether the next token is the one with the largest logit, and nothing else of the logits is asked for.
func (o *Options) plainGreedy() bool {
	return o.Temperature == 0 && (o.RepetitionPenalty == 0 || o.RepetitionPenalty == 1) && o.PresencePenalty == 0 &&
		o.FrequencyPenalty == 0 && o.DRY.Multiplier == 0 && len(o.LogitBias) == 0 && len(o.Processors) == 0 && o.Grammar == nil &&
		o.TopLogProbs == 0
}

// best is, for each row of logits, the first token with the largest one, that one, and the logarithm of the sum of all exponentials.
// Ids are exact in float32: no vocabulary has 2²⁴ tokens.
func best(logits *lucid.Tensor) *lucid.Tensor {
	f := logits.To(lucid.Float32)
	top := lucid.Amax(f, lucid.ReduceOptions{Dim: []int{-1}})
	return lucid.Stack([]*lucid.Tensor{f.ArgMax(-1).To(lucid.Float32), top, f.LogSumExp(-1)}, 1)
}

// scoresFor reads rows of logits: the best tokens alone if nothing else is wanted.
func (m *Model) scoresFor(logits *lucid.Tensor, greedy bool) []scores {
	if greedy {
		return m.bestOf(logits)
	}
	return scoresOf(logits)
}

// bestOf reads the best tokens of rows of logits.
func (m *Model) bestOf(logits *lucid.Tensor) []scores {
	y := m.best(logits)
	if err := lucid.Eval(y); err != nil {
		fault.Rethrow(op, err)
	}
	all, list := lucid.ToSlice[float32](y), make([]scores, y.Size(0))
	for i := range list {
		list[i] = scores{best: int(all[3*i]), top: float64(all[3*i+1]), sum: float64(all[3*i+2])}
	}
	y.Free()
	return list
}
