package llm

import (
	"slices"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
)

// run is the loop of a batcher: until there is nothing to do, it admits texts and makes one step of all whose prompts are read, together
// with parts of prompts.
func (b *Batcher) run() {
	defer b.idle.Done()
	for b.admit() {
		b.step()
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
	for _, s := range b.ended() { // without the lock: copies take a while
		b.keep(s)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
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
	if b.running = len(b.active) > 0; !b.running {
		b.trim(1)
		b.count()
	}
	return b.running
}

// ended takes texts out that ended or whose readers left, and returns the sessions that are worth storing.
func (b *Batcher) ended() (list []*session) {
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
			if failed || b.closed || b.o.PrefixTokens < 0 {
				q.s.free()
			} else {
				list = append(list, q.s)
			}
			q.s = nil
		}
		return true
	})
	return list
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

// keep stores the keys and values of a text that ended, for prompts that begin as it does, and its cache for another text.
func (b *Batcher) keep(s *session) {
	if s.pos >= b.o.PrefixTokens {
		if err := lucid.Try(func() { b.tree.insert(s) }); err != nil { // no memory for it: nothing is lost but time
			s.free()
			return
		}
	}
	if b.spare = append(b.spare, s); len(b.spare) > b.o.Sequences {
		b.trim(b.o.Sequences)
	}
	b.count()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.evict(b.o.Bytes)
}

// count publishes how much is stored.
func (b *Batcher) count() {
	n := b.tree.bytes
	for _, s := range b.spare {
		n += b.m.cacheBytes(s.capacity, s.bits)
	}
	b.storeBytes.Store(n)
	b.stored.Store(int64(b.tree.nodes))
}

// trim frees caches that texts left but for some, those that were not used for the longest time first.
func (b *Batcher) trim(most int) {
	for len(b.spare) > most {
		b.spare[0].free()
		b.spare = b.spare[1:]
	}
}

// evict frees what is stored until all fits into most bytes: caches that texts left, then texts that were not used for the longest time.
func (b *Batcher) evict(most int64) {
	for b.bytes() > most {
		if len(b.spare) > 0 {
			b.trim(len(b.spare) - 1)
		} else if !b.tree.evict() {
			return
		}
		b.count()
	}
}

// newSession returns an empty session with room for some tokens, with a cache that a text left if one fits.
func (b *Batcher) newSession(room int) *session {
	capacity := b.m.capacityFor(room)
	for i, s := range b.spare {
		if s.capacity == capacity {
			b.spare = slices.Delete(b.spare, i, i+1)
			b.count()
			s.pos, s.ids = 0, nil
			return s
		}
	}
	return b.m.newSessionOf(room, b.o.Cache.Bits)
}

// begin gives a text its cache, with what is there of the prompt.
func (b *Batcher) begin(q *sequence) {
	q.pick, q.out = b.m.newSampler(q.o, q.ids), newWriter(b.m.tok, q.o, q.ids)
	if b.o.PrefixTokens >= 0 {
		b.reuse(q)
	}
	if q.s == nil {
		q.s = b.newSession(len(q.ids) + 1)
	}
	if err := q.s.grow(len(q.ids)); err != nil {
		fault.Rethrow(op, err)
	}
	q.rest, q.s.greedy = q.ids[q.s.pos:], q.o.plainGreedy()
}

// reuse looks for the longest beginning of a prompt: in the caches that texts left, which need no copy, in the tree, and in texts under
// way. The last token is evaluated in any case.
func (b *Batcher) reuse(q *sequence) {
	path, n := b.tree.find(q.ids[:len(q.ids)-1])
	var other *session
	for _, o := range b.active {
		if o.s != nil && o != q {
			if m := o.s.shared(q.ids); m > n {
				other, n = o.s, m
			}
		}
	}
	left := -1
	for i, s := range b.spare {
		if m := s.shared(q.ids); m >= n && m > 0 {
			left, n = i, m
		}
	}
	switch {
	case n < max(b.o.PrefixTokens, 1):
		return
	case left >= 0:
		q.s = b.spare[left]
		b.spare = slices.Delete(b.spare, left, left+1)
		b.count()
		q.s.rewind(q.ids)
	case other != nil:
		q.s = b.m.emptySession(len(q.ids)+1, b.o.Cache.Bits)
		q.s.take(other, n)
	default:
		q.s = b.m.emptySession(len(q.ids)+1, b.o.Cache.Bits)
		b.tree.load(q.s, path, n)
	}
	b.mu.Lock()
	b.stats.Reused += int64(n)
	b.mu.Unlock()
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
			rows = m.scoresFor(y, sessions...)
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

// take writes the first n tokens of another session into an empty one.
func (s *session) take(from *session, n int) {
	s.ids = slices.Clone(from.ids[:n])
	s.fill(n, func(i int) []*lucid.Tensor { return []*lucid.Tensor{from.cache[i].Narrow(2, 0, n)} })
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
