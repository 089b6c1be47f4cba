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
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended()
	left := b.tree.pool.room() + b.tree.idle
	for _, q := range b.active {
		left -= q.text.need - len(q.text.table)
	}
	for len(b.waiting) > 0 && len(b.active) < b.o.Sequences && !b.closed {
		i := b.fairest()
		q := b.waiting[i]
		if left -= q.text.need; left < 0 {
			break
		}
		q.rest = q.ids
		b.waiting, b.active = slices.Delete(b.waiting, i, i+1), append(b.active, q)
	}
	b.count()
	b.running = len(b.active) > 0
	return b.running
}

// ended takes texts out that ended or whose readers left. Their keys and values stay, for prompts that begin alike.
func (b *Batcher) ended() {
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
		keep := !failed && b.o.PrefixTokens >= 0 && len(q.text.ids) >= b.o.PrefixTokens
		b.tree.end(&q.text, keep)
		if b.draft != nil {
			b.draft.tree.end(&q.guess.draft.text, keep)
		}
		return true
	})
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

// count publishes how much is in use.
func (b *Batcher) count() {
	n := b.tree.pool.used
	for _, q := range b.active {
		n += q.text.need - len(q.text.table)
	}
	b.pages.Store(int64(n))
	b.stored.Store(int64(b.tree.nodes))
}

// begin gives a text what is there of its prompt. The last token is evaluated in any case.
func (b *Batcher) begin(q *sequence) {
	q.pick, q.out = b.m.newSampler(q.o, q.ids), newWriter(b.m.tok, q.o, q.ids)
	q.text.capacity = b.m.capacityFor(len(q.ids) + 1)
	q.guess.begin()
	if b.o.PrefixTokens >= 0 {
		if err := b.tree.begin(&q.text, q.ids[:len(q.ids)-1], max(b.o.PrefixTokens, 1)); err != nil {
			fault.Rethrow(op, err)
		}
	}
	n := len(q.text.ids)
	q.rest, q.had = q.ids[n:], n
	b.mu.Lock()
	b.stats.Reused += int64(n)
	b.mu.Unlock()
}

// took hands out the tokens that scores give, the first and those that were guessed as long as the guesses are right, and says what follows
// them.
func (b *Batcher) took(q *sequence, rows []scores, guesses []int) {
	tried, right, n := len(guesses), 0, 0
	for again := true; again; n++ {
		t, err := q.pick.next(rows[n])
		q.n++
		if err != nil {
			q.rest = nil
			q.fail(err)
			return
		}
		if q.n == 1 {
			t.Cached = q.had
		}
		b.m.finishToken(&t, q.out, q.pick, q.n, len(q.text.ids))
		again = t.mark(guesses)
		if t.Guessed {
			right++
		}
		if again {
			q.text.ids, guesses = append(q.text.ids, t.ID), guesses[1:] // its keys and values are there
		}
		q.rest = []int{t.ID}
		if t.Finish != "" {
			q.rest = nil
		}
		q.give(t)
	}
	q.guess.saw(right, tried)
	b.mu.Lock()
	b.stats.Generated += int64(n)
	b.stats.Guessed += int64(tried)
	b.stats.Right += int64(right)
	b.mu.Unlock()
}

// checkPrompt refuses ids that are outside the vocabulary, of the prompt and of a prediction, and prompts that are empty or too long.
func (m *Model) checkPrompt(ids, prediction []int) {
	c := m.net.Config()
	for _, id := range slices.Concat(ids, prediction) {
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
