package llm

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/llm/tokenizer"
)

// Generation is a whole text that was generated.
type Generation struct {
	IDs     []int
	Text    string
	LogProb float64 // of all tokens together, in the model's own distribution
	Finish  string  // as Token.Finish
}

// maxBest is the most texts of Best.
const maxBest = 64

// Best generates n texts and returns them, the most probable first. With a temperature they are samples, of the seeds from o.Seed on;
// without one they are the n best that a beam search of width n finds.
func (m *Model) Best(ctx context.Context, prompt string, n int, o Options) ([]Generation, error) {
	ids, err := m.promptIDs(prompt, o)
	if err != nil {
		return nil, err
	}
	return m.BestIDs(ctx, ids, n, o)
}

// BestIDs is Best for a prompt that is given as ids.
func (m *Model) BestIDs(ctx context.Context, ids []int, n int, o Options) (list []Generation, err error) {
	caught := fault.Catch(func() {
		o.check()
		m.checkPrompt(ids, o.Prediction)
		if n < 1 || n > maxBest {
			fault.Throw(fault.Value, op, "%d texts; want 1 to %d", n, maxBest)
		}
		if o.Cache != nil || o.Speculate != (Speculate{}) || o.Rotate != (Rotate{}) {
			fault.Throw(fault.NotImplemented, op, "several texts with Options.Cache, Speculate or Rotate; use Generate")
		}
		if o.Temperature == 0 {
			list, err = m.beams(ctx, ids, n, o)
		} else {
			list, err = m.samples(ctx, ids, n, o)
		}
	})
	if caught != nil {
		err = caught
	}
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(list, func(a, b Generation) int { return cmp.Compare(b.LogProb, a.LogProb) })
	return list, nil
}

// samples generates texts together.
func (m *Model) samples(ctx context.Context, ids []int, n int, o Options) ([]Generation, error) {
	most := m.mostTokens(len(ids), o)
	b, err := m.NewBatcher(BatcherOptions{Sequences: n, Queue: n, Bytes: int64(n+1) * m.cacheBytes(m.capacityFor(most), 0)})
	if err != nil {
		return nil, err
	}
	defer b.Close()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	list := make([]Generation, n)
	var wg sync.WaitGroup
	for i := range list {
		wg.Go(func() {
			g, o := &list[i], o
			o.Seed += uint64(i)
			for t, err := range b.GenerateIDs(ctx, ids, o) {
				if err != nil {
					cancel(err)
					return
				}
				g.IDs, g.Text, g.LogProb, g.Finish = append(g.IDs, t.ID), g.Text+t.Text, g.LogProb+t.LogProb, t.Finish
			}
		})
	}
	wg.Wait()
	return list, context.Cause(ctx)
}

// beam is a text that may become one of the best.
type beam struct {
	Generation
	s *session // its tokens but the last one
}

// beams is a beam search. A text that ended stays among the best only as long as no longer one is more probable.
func (m *Model) beams(ctx context.Context, ids []int, n int, o Options) (done []Generation, err error) {
	if o.RepetitionPenalty != 0 || o.PresencePenalty != 0 || o.FrequencyPenalty != 0 || o.DRY.Multiplier != 0 || o.LogitBias != nil ||
		o.Processors != nil || o.Grammar != nil {
		return nil, fault.New(fault.NotImplemented, op, "a beam search with penalties, biases, processors or a grammar; set a Temperature")
	}
	first := m.newSession(len(ids) + 1)
	list := []beam{{s: first}}
	defer func() {
		for _, b := range list {
			b.s.free()
		}
	}()
	y, err := first.feed(ctx, ids)
	if err != nil {
		return nil, err
	}
	rows := []scores{y}
	for step := 1; ; step++ {
		next, ended := m.expand(list, rows, n, step, o)
		done = append(done, ended...)
		slices.SortStableFunc(done, func(a, b Generation) int { return cmp.Compare(b.LogProb, a.LogProb) })
		done = done[:min(n, len(done))]
		list = m.follow(list, next)
		if len(list) == 0 || len(done) == n && done[n-1].LogProb >= list[0].LogProb { // probabilities only fall
			return done, nil
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		sessions, last := make([]*session, len(list)), make([]int, len(list))
		for i, b := range list {
			if err := b.s.grow(b.s.pos + 1); err != nil {
				return nil, err
			}
			sessions[i], last[i] = b.s, b.IDs[len(b.IDs)-1]
		}
		if rows, err = m.stepAll(sessions, last); err != nil {
			return nil, err
		}
		for i, b := range list {
			b.s.pos, b.s.ids = b.s.pos+1, append(b.s.ids, last[i])
		}
	}
}

// expand returns the n best texts that are one token longer, with the sessions they come from, and those of them that ended.
func (m *Model) expand(list []beam, rows []scores, n, step int, o Options) (next []beam, ended []Generation) {
	var all []beam
	pick := &sampler{}
	for i, b := range list {
		for _, c := range pick.first(rows[i].logits, min(n+len(m.ends), len(rows[i].logits))) {
			all = append(all, beam{Generation{append(slices.Clone(b.IDs), c.id), "", b.LogProb + c.v - rows[i].sum, ""}, b.s})
		}
	}
	slices.SortStableFunc(all, func(a, b beam) int { return cmp.Compare(b.LogProb, a.LogProb) })
	for _, b := range all {
		if len(next) == n {
			break
		}
		last := b.IDs[len(b.IDs)-1]
		text := b.IDs
		switch {
		case !o.IgnoreEnd && slices.Contains(m.ends, last):
			b.Finish, text = "end", b.IDs[:len(b.IDs)-1]
		case step == o.MaxTokens:
			b.Finish = "length"
		case b.s.pos+1 > m.net.Config().Context-1:
			b.Finish = "context"
		}
		b.Text = m.tok.DecodeWith(text, tokenizer.DecodeOptions{SkipSpecial: true})
		for _, s := range o.Stop {
			if i := strings.Index(b.Text, s); i >= 0 {
				b.Text, b.Finish = b.Text[:i], "stop"
			}
		}
		if b.Finish != "" {
			ended = append(ended, b.Generation)
			if len(ended) >= n {
				break
			}
			continue
		}
		next = append(next, b)
	}
	return next, ended
}

// follow gives each text a session of its own: the first that comes from one has it, others copy it.
func (m *Model) follow(old, next []beam) []beam {
	taken := map[*session]bool{}
	for i := range next {
		from := next[i].s
		if !taken[from] {
			taken[from] = true
			continue
		}
		next[i].s = from.clone()
	}
	for _, b := range old {
		if !taken[b.s] {
			b.s.free()
		}
	}
	return next
}

// clone is the same text with a cache of its own.
func (s *session) clone() *session {
	c, parts := &session{m: s.m, capacity: s.capacity, bits: s.bits, ids: slices.Clone(s.ids)}, make([]*lucid.Tensor, len(s.cache))
	for i, t := range s.cache {
		parts[i] = t.Narrow(2, 0, s.pos)
	}
	c.fill(parts)
	return c
}

// stepAll appends an id to each session and returns the scores of what follows.
func (m *Model) stepAll(sessions []*session, ids []int) (rows []scores, err error) {
	n := len(sessions)
	in, start, last := make([]int64, n), make([]int64, n), make([]int64, n)
	caches := make([][]*lucid.Tensor, n)
	for i, s := range sessions {
		in[i], start[i], caches[i] = int64(ids[i]), int64(s.pos), s.cache
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	err = lucid.Try(func() {
		lucid.NoGrad(func() {
			w := lucid.With{Device: sessions[0].cache[0].Device()}
			y := m.step(w.New(in, n, 1), w.New(start, n), w.New(last, n), caches)
			rows = scoresOf(y)
			y.Free()
		})
	})
	return rows, err
}
