package llm

import (
	"cmp"
	"math"
	"slices"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
)

// Where nothing changes the logits, and the next token is the most probable one or one of a few of the most probable, those are found where
// the logits are: on a GPU the logits are not copied to the host, and nowhere are they copied twice. The few go through the filters as they
// would have behind a search of all: the token is the same.

// candidateSizes are how many are found; a compiled function has each.
var candidateSizes = []int{64, 256, 1024}

// minPCandidates are found first where MinP alone decides which tokens are left.
const minPCandidates = 256

// unchanged reports whether logits are those of the model, and no others than those of the next token are asked for.
func (o *Options) unchanged() bool {
	return (o.RepetitionPenalty == 0 || o.RepetitionPenalty == 1) && o.PresencePenalty == 0 && o.FrequencyPenalty == 0 &&
		o.DRY.Multiplier == 0 && len(o.LogitBias) == 0 && len(o.Processors) == 0 && o.Grammar == nil && o.TopLogProbs == 0
}

// wanted is how many of the most probable tokens of a vocabulary are enough to choose one: 1 for the most probable one itself, 0 if all are
// needed.
func (o *Options) wanted(vocabulary int) int {
	switch {
	case !o.unchanged() || o.Mirostat > 0:
		return 0
	case o.Temperature == 0:
		return 1
	case o.TopK > 0 && o.TopK < vocabulary && o.TopK <= mostFirst:
		return o.TopK
	case o.TopK == 0 && o.MinP > 0 && (o.TopP == 0 || o.TopP == 1) && minPCandidates < vocabulary:
		return minPCandidates // unless complete says that they are not enough
	}
	return 0
}

// complete reports whether tokens behind the most probable few, in order, cannot be chosen.
func (o *Options) complete(few []candidate) bool {
	if o.Temperature == 0 || o.TopK > 0 {
		return true
	}
	x := (few[len(few)-1].v - few[0].v) / o.Temperature
	return x < least || math.Exp(x) < o.MinP
}

// best is, for each row of logits, the first token with the largest one, that one, and the logarithm of the sum of all exponentials.
// Ids are exact in float32: no vocabulary has 2²⁴ tokens.
func best(logits *lucid.Tensor) *lucid.Tensor {
	f := logits.To(lucid.Float32)
	top := lucid.Amax(f, lucid.ReduceOptions{Dim: []int{-1}})
	return lucid.Stack([]*lucid.Tensor{f.ArgMax(-1).To(lucid.Float32), top, f.LogSumExp(-1)}, 1)
}

// bestFew is best for n tokens: their ids, in order, then their logits, then that logarithm.
func bestFew(n int) func(logits *lucid.Tensor) *lucid.Tensor {
	return func(logits *lucid.Tensor) *lucid.Tensor {
		f := logits.To(lucid.Float32)
		values, ids := f.TopK(min(n, f.Size(-1)))
		return lucid.Cat([]*lucid.Tensor{ids.To(lucid.Float32), values, f.LogSumExp(-1).Unsqueeze(1)}, 1)
	}
}

// scoresFor reads rows of logits, those of texts with such options: no more than they need, or all if that was not enough. All rows are of
// one text if one is given.
func (m *Model) scoresFor(logits *lucid.Tensor, texts []*Options) []scores {
	n := 1
	if len(texts) == 0 {
		return scoresOf(logits)
	}
	for _, o := range texts {
		w := o.wanted(logits.Size(-1))
		if n = max(n, w); w == 0 {
			return scoresOf(logits)
		}
	}
	find := m.best
	if n > 1 {
		at, _ := slices.BinarySearch(candidateSizes, n)
		find = m.bestFew[at]
	}
	y := find(logits)
	if err := lucid.Eval(y); err != nil {
		fault.Rethrow(op, err)
	}
	width := y.Size(1)
	n = width / 2
	all, list := lucid.ToSlice[float32](y), make([]scores, y.Size(0))
	y.Free()
	for i := range list {
		row := all[i*width : (i+1)*width]
		s := scores{sum: float64(row[2*n]), few: make([]candidate, n)}
		for j := range s.few {
			s.few[j] = candidate{int(row[j]), float64(row[n+j])}
		}
		// Numbers count as smaller than NaN here, and NaN for nothing in a search of all.
		if nan := s.few[0].v != s.few[0].v; n > 1 && (nan || !texts[min(i, len(texts)-1)].complete(s.few)) {
			return scoresOf(logits)
		}
		list[i] = s
	}
	return list
}

// amongFew chooses one of the most probable tokens, which are in order, and returns it with its logit.
func (s *sampler) amongFew(few []candidate) candidate {
	if s.o.Temperature == 0 {
		return few[0]
	}
	p := s.pick[:0]
	if k := s.o.TopK; k > 0 {
		p = append(p, few[:k]...)
	} else {
		p = append(p, few...)
		slices.SortFunc(p, func(a, b candidate) int { return cmp.Compare(a.id, b.id) }) // as all tokens are
	}
	id := s.draw(s.filter(s.scaled(p)))
	return few[slices.IndexFunc(few, func(c candidate) bool { return c.id == id })]
}
