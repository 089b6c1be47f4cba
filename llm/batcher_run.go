package llm

import (
	"cmp"
	"slices"
	"sync"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
)

// run is the loop of a batcher: until there is nothing to do, it admits texts, reads a part of one prompt and makes one step of
// all texts whose prompts are read.
func (b *Batcher) run() {
	defer b.idle.Done()
	for b.admit() {
		b.guard(b.active, func() { b.prompt() })
		ready := slices.DeleteFunc(slices.Clone(b.active), func(q *sequence) bool { return q.s == nil || len(q.rest) != 1 || q.n == 0 })
		b.guard(ready, func() { b.decode(ready) })
	}
}

// guard makes an error of the engine the end of the texts it belongs to.
func (b *Batcher) guard(list []*sequence, f func()) {
	if err := lucid.Try(f); err != nil {
		for _, q := range list {
			q.fail(err)
		}
	}
}

// admit lets texts go that ended or whose readers left, and takes new ones as long as they fit. It reports whether there is
// something to do.
func (b *Batcher) admit() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.active = slices.DeleteFunc(b.active, func(q *sequence) bool {
		q.mu.Lock()
		failed := q.err != nil
		q.mu.Unlock()
		ended := q.n > 0 && q.rest == nil
		if !failed && !ended && !q.left && q.ctx.Err() == nil {
			return false
		}
		if err := q.ctx.Err(); err != nil {
			q.fail(err)
		}
		if q.s != nil {
			b.keep(q.s, failed)
			q.s = nil
		}
		return true
	})
	for len(b.waiting) > 0 && len(b.active) < b.o.Sequences && !b.closed {
		i := b.fairest()
		q := b.waiting[i]
		b.evict(b.o.Bytes - q.bytes)
		if b.bytes()+q.bytes > b.o.Bytes {
			break
		}
		q.rest = q.ids
		b.waiting, b.active = slices.Delete(b.waiting, i, i+1), append(b.active, q)
	}
	b.running = len(b.active) > 0
	return b.running
}

// fairest is the text that waits for the longest time of a client with the fewest texts under way.
func (b *Batcher) fairest() (at int) {
	count := map[string]int{}
	for _, q := range b.active {
		count[q.o.Client]++
	}
	for i, q := range b.waiting {
		if count[q.o.Client] < count[b.waiting[at].o.Client] {
			at = i
		}
	}
	return at
}

// keep stores the keys of a text that ended, for prompts that begin as it does.
func (b *Batcher) keep(s *session, failed bool) {
	if failed || b.closed || b.o.PrefixTokens < 0 || s.pos < b.o.PrefixTokens {
		s.free()
		return
	}
	b.stored = append(b.stored, s)
}

// evict frees stored texts, the ones that were not used for the longest time first, until all fit into most bytes.
func (b *Batcher) evict(most int64) {
	for len(b.stored) > 0 && b.bytes() > most {
		b.stored[0].free()
		b.stored = b.stored[1:]
	}
}

// prompt reads a part of the first prompt that is not read.
func (b *Batcher) prompt() {
	i := slices.IndexFunc(b.active, func(q *sequence) bool { return q.n == 0 })
	if i < 0 {
		return
	}
	q := b.active[i]
	if q.s == nil {
		b.begin(q)
	}
	part := q.rest
	if most := b.o.Chunk; len(part) > most {
		part = part[:most]
	}
	y, err := q.s.feed(q.ctx, part)
	b.mu.Lock()
	b.stats.Prompt += int64(len(part))
	b.stats.Steps++
	b.mu.Unlock()
	if err != nil {
		q.fail(err)
		return
	}
	if q.rest = q.rest[len(part):]; len(q.rest) == 0 {
		b.took(q, y)
	}
}

// begin gives a text its cache: one that was stored, a copy of one that begins alike, or an empty one.
func (b *Batcher) begin(q *sequence) {
	q.pick, q.out = b.m.newSampler(q.o, q.ids), newWriter(b.m.tok, q.o, q.ids)
	b.mu.Lock()
	best, most, at := (*session)(nil), max(b.o.PrefixTokens, 1)-1, -1
	look := func(s *session, i int) {
		if n := s.shared(q.ids); n > most {
			best, most, at = s, n, i
		}
	}
	if b.o.PrefixTokens >= 0 {
		for i, s := range b.stored {
			look(s, i)
		}
		for _, o := range b.active {
			if o.s != nil {
				look(o.s, -1)
			}
		}
	}
	switch {
	case best == nil:
		q.s = b.m.newSession(len(q.ids) + 1)
	case at >= 0 && most >= best.pos-1: // nothing of it is lost to others
		b.stored = slices.Delete(b.stored, at, at+1)
		q.s = best
	default:
		if at >= 0 { // used now
			b.stored = append(slices.Delete(b.stored, at, at+1), best)
		}
		q.s = best.copy(most, len(q.ids)+1)
	}
	if best != nil {
		b.stats.Reused += int64(most)
	}
	b.mu.Unlock()
	q.rest = q.s.rewind(q.ids)
}

// took hands out the token that scores give, and says what follows it.
func (b *Batcher) took(q *sequence, y scores) {
	t, err := q.pick.next(y)
	q.n++
	if err != nil {
		q.rest = nil
		q.fail(err)
		return
	}
	b.m.finishToken(&t, q.out, q.pick, q.n, q.s.pos)
	q.rest = []int{t.ID}
	if t.Finish != "" {
		q.rest = nil
	}
	b.mu.Lock()
	b.stats.Generated++
	b.mu.Unlock()
	q.give(t)
}

// decode computes the next token of texts.
func (b *Batcher) decode(list []*sequence) {
	if len(list) == 0 {
		return
	}
	// Kinds of steps are few if rows are in the order of their capacities.
	for _, q := range list {
		q.s.grow(q.s.pos + 1)
	}
	slices.SortStableFunc(list, func(x, y *sequence) int { return cmp.Compare(y.s.capacity, x.s.capacity) })
	sessions, ids := make([]*session, len(list)), make([]int, len(list))
	for i, q := range list {
		sessions[i], ids[i] = q.s, q.rest[0]
	}
	rows, err := b.m.stepAll(sessions, ids)
	if err != nil {
		fault.Rethrow(op, err)
	}
	b.mu.Lock()
	b.stats.Steps++
	b.mu.Unlock()
	var wg sync.WaitGroup
	for i, q := range list { // a large vocabulary takes a while to sample from
		q.s.pos++
		q.s.ids = append(q.s.ids, ids[i])
		wg.Go(func() { b.guard([]*sequence{q}, func() { b.took(q, rows[i]) }) })
	}
	wg.Wait()
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

// shared is how many tokens of the session a prompt can take over: the last token of the prompt is evaluated in any case.
func (s *session) shared(ids []int) (n int) {
	for n < len(ids)-1 && n < s.pos && ids[n] == s.ids[n] {
		n++
	}
	return n
}

// copy returns a session with the first n tokens of s, and room for some.
func (s *session) copy(n, room int) *session {
	c := s.m.newSession(max(room, n))
	c.pos, c.ids = n, slices.Clone(s.ids[:n])
	lucid.NoGrad(func() {
		for i, t := range s.cache {
			start := lucid.With{Device: t.Device()}.New([]int64{0}, 1)
			c.cache[i].Assign(c.cache[i].DynamicSliceUpdate(t.Narrow(2, 0, n), start, []int{2})).Eval()
		}
	})
	return c
}

// checkPrompt refuses ids that are outside the vocabulary, and prompts that are empty or too long.
func (m *Model) checkPrompt(ids []int) {
	c := m.net.Config()
	for _, id := range ids {
		if id < 0 || id >= c.Vocab {
			fault.Throw(fault.Index, op, "the id %d is outside the vocabulary of %d", id, c.Vocab)
		}
	}
	switch {
	case len(ids) == 0:
		fault.Throw(fault.Value, op, "the prompt has no tokens; want at least one")
	case len(ids) > c.Context:
		fault.Throw(fault.Value, op, "the prompt has %d tokens; the model has a context of %d", len(ids), c.Context)
	}
}
