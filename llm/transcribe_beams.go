package llm

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
)

// maxBeams is the most of TranscribeOptions.BeamSize.
const maxBeams = 64

// spoken is a text under way in a search: the sum of the logarithms of its tokens' probabilities, in the model's own distribution, which
// the search goes by, and among the tokens that were allowed, as AvgLogProb has them.
type spoken struct {
	d      *textDecoder // nil: ended
	scores []float32    // of what follows
	text   []int
	tokens int // with the end
	own    float64
	sum    float64
}

// beams writes a text down as the best one that a search finds: each step keeps the BeamSize best texts that did not end. As transformers
// does it, one that ends counts if it is among the BeamSize best of all.
func (t *Transcriber) beams(ctx context.Context, first *spoken, most int, o *TranscribeOptions) (best spoken, err error) {
	n, end := o.BeamSize, t.net.Config().End
	power := max(0, o.LengthPenalty)
	rank := func(s *spoken) float64 { return s.own / math.Pow(float64(s.tokens), power) }
	byRank := func(x, y spoken) int { return cmp.Compare(rank(&y), rank(&x)) }
	list, ended, all := []spoken{*first}, []spoken(nil), 0
	defer func() {
		for _, s := range list {
			s.d.free()
		}
	}()
	for {
		if err := ctx.Err(); err != nil {
			return best, err
		}
		candidates, err := t.expand(list, 2*n, !o.NoTimestamps)
		if err != nil {
			return best, err
		}
		var next []spoken
		for i, s := range candidates {
			last := s.text[len(s.text)-1]
			if last != end && s.tokens < most {
				if len(next) < n {
					next = append(next, s)
				}
				continue
			}
			if i >= n { // it would be no better than those that go on
				continue
			}
			if s.d = nil; last == end {
				s.text = s.text[:len(s.text)-1]
			}
			ended, all = append(ended, s), all+1
		}
		slices.SortStableFunc(ended, byRank)
		ended = ended[:min(n, len(ended))]
		if list, err = follow(list, next); err != nil {
			return best, err
		}
		full := len(ended) == n && len(list) > 0 && rank(&list[0]) <= rank(&ended[n-1])
		if o.Patience > 0 {
			full = full || all >= int(math.Round(float64(n)*o.Patience))
		}
		if full || len(list) == 0 {
			break
		}
		for i := range list {
			s := &list[i]
			if s.scores, err = s.d.next(s.text[len(s.text)-1:]); err != nil {
				return best, err
			}
		}
	}
	if len(ended) == 0 { // the rules left nothing to write
		return spoken{tokens: first.tokens}, nil
	}
	return ended[0], nil
}

// expand returns the n best texts that are one token longer, in order.
func (t *Transcriber) expand(list []spoken, n int, times bool) (all []spoken, err error) {
	pick, end := &sampler{}, t.net.Config().End
	for i := range list {
		s := &list[i]
		whole := logSum(s.scores)
		t.rules.allow(s.scores, s.text, end, times)
		allowed := logSum(s.scores)
		if math.IsNaN(whole) || math.IsNaN(allowed) {
			return nil, notFinite(len(s.text))
		}
		for _, c := range pick.first(s.scores, min(n, len(s.scores))) {
			if math.IsInf(c.v, -1) {
				break
			}
			all = append(all, spoken{d: s.d, text: append(slices.Clone(s.text), c.id), tokens: s.tokens + 1, own: s.own + c.v - whole,
				sum: s.sum + c.v - allowed})
		}
	}
	slices.SortStableFunc(all, func(x, y spoken) int { return cmp.Compare(y.own, x.own) })
	return all[:min(n, len(all))], nil
}

// follow gives each text a decoder of its own: the first that comes from one has it, others copy it. Those that none comes from are freed.
// If it fails, the old ones stay.
func follow(old, next []spoken) ([]spoken, error) {
	taken := map[*textDecoder]bool{}
	var copies []*textDecoder
	for i := range next {
		from := next[i].d
		if !taken[from] {
			taken[from] = true
			continue
		}
		c, err := from.clone()
		if err != nil {
			for _, c := range copies {
				c.free()
			}
			return old, err
		}
		copies, next[i].d = append(copies, c), c
	}
	for _, s := range old {
		if !taken[s.d] {
			s.d.free()
		}
	}
	return next, nil
}

// clone is the same text with a cache of its own.
func (d *textDecoder) clone() (*textDecoder, error) {
	d.t.mu.Lock()
	defer d.t.mu.Unlock()
	c := &textDecoder{t: d.t, cross: d.cross, at: d.at}
	err := lucid.Try(func() {
		lucid.NoGrad(func() {
			for _, x := range d.cache {
				c.cache = append(c.cache, x.Clone())
			}
			if err := lucid.Eval(c.cache...); err != nil {
				fault.Rethrow(op, err)
			}
		})
	})
	return c, err
}
