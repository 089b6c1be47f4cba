package llm

import (
	"cmp"
	"slices"
	"sync"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/llm/model"
)

// part is what a step does for one text: some tokens of its prompt, or the token that was generated last, and guesses of what follows it.
type part struct {
	q    *sequence
	text *pagedText
	o    *Options // what its scores are for
	at   int      // tokens before
	ids  []int
	size int  // positions of the step: ids and padding
	keys int  // positions it may see
	rows int  // scores: of the last of ids, or of all positions
	want bool // a token follows
}

// byKind orders parts by their sizes: kinds of steps are few then.
func byKind(x, y part) int { return cmp.Or(cmp.Compare(y.size, x.size), cmp.Compare(y.keys, x.keys)) }

// reads reports whether a text has a prompt to read, or to read again.
func (q *sequence) reads() bool { return q.n == 0 || len(q.rest) > 1 }

// step continues all texts whose prompts are read by a token, and reads parts of prompts. Both are one evaluation of the model: weights
// are read once for all.
func (b *Batcher) step() {
	var list []part
	size := b.guesses(b.written())
	for _, q := range b.active {
		if q.reads() {
			continue
		}
		b.guard([]*sequence{q}, func() { // an error is the end of this text alone
			ids, own := q.rest, 1
			if g := q.guess.list; len(g) > 0 {
				ids, own, q.guess.list = slices.Concat(q.rest, g), size, nil
			}
			if p := b.part(q, ids, own); !q.reads() {
				list = append(list, p)
			}
		})
	}
	list = b.prompts(list)
	if len(list) == 0 {
		return
	}
	slices.SortStableFunc(list, byKind)
	rows, err := stepParts(b.m, b.tree.pool, list)
	if err != nil {
		for _, p := range list {
			p.q.fail(err)
		}
		return
	}
	var wg sync.WaitGroup
	for _, p := range list {
		known, guesses := p.ids, []int(nil)
		if n := len(p.q.rest); n < len(known) {
			known, guesses = p.ids[:n], p.ids[n:]
		}
		p.q.text.ids, p.q.rest = append(p.q.text.ids, known...), p.q.rest[len(known):]
		own := rows[:p.rows]
		if rows = rows[p.rows:]; p.want {
			// Apart: a large vocabulary takes a while to sample from.
			wg.Go(func() { b.guard([]*sequence{p.q}, func() { b.took(p.q, own, guesses) }) })
		}
	}
	wg.Wait()
	for _, p := range list {
		if b.o.PrefixTokens >= 0 {
			b.tree.publish(&p.q.text)
		}
	}
}

// written are the texts that are continued by a token, none if a prompt is to be read: it takes all the room of a step.
func (b *Batcher) written() []*sequence {
	if slices.ContainsFunc(b.active, (*sequence).reads) {
		return nil
	}
	return b.active
}

// part makes room for the next tokens of a text. Where rotary positions change with its length, the text may have to be read again.
func (b *Batcher) part(q *sequence, ids []int, size int) part {
	t, c := &q.text, b.m.net.Config()
	rows, n := 1, len(t.ids)+len(ids)
	if len(ids) > len(q.rest) { // with guesses, all of whose positions are looked at
		rows, n = size, len(t.ids)+size
	}
	if was := t.capacity; n > was {
		if t.capacity = b.m.capacityFor(n); c.Rescaled(was, t.capacity) {
			q.rest, t.ids, q.had = slices.Concat(t.ids, q.rest), nil, 0
			return part{}
		}
	}
	if err := b.tree.reserve(t, len(t.ids)+len(ids)); err != nil {
		fault.Rethrow(op, err)
	}
	return part{q, t, &q.o, len(t.ids), ids, size, t.capacity, rows, len(ids) >= len(q.rest)}
}

// prompts adds parts of prompts to a step, those of texts that came first before others: while texts are written one of at most Chunk
// tokens, as those who read wait for the step; else several of one size, four times as many tokens in all. Other mixtures would make steps
// of many kinds, and each kind is traced once, which takes longer than a step.
func (b *Batcher) prompts(list []part) []part {
	left, n, size := b.o.Chunk, 0, 0
	alone := len(list) == 0
	if alone {
		left *= 4
	}
	for _, q := range b.active {
		if !q.reads() || left <= 0 || size > 0 && !alone {
			continue
		}
		b.guard([]*sequence{q}, func() {
			if q.out == nil {
				b.begin(q)
			}
			own := partSize(min(len(q.rest), left), q.text.capacity-len(q.text.ids))
			if size > 0 && own != size {
				return
			}
			size = own
			ids := q.rest[:min(size, left, len(q.rest))]
			list = append(list, b.part(q, ids, size))
			left -= len(ids)
			n += len(ids)
		})
	}
	b.mu.Lock()
	b.stats.Prompt += int64(n)
	if len(list) > 0 {
		b.stats.Steps++
	}
	b.mu.Unlock()
	return list
}

// stepParts evaluates parts of several texts and returns the scores of what follows each.
func stepParts(m *Model, pool *pagePool, list []part) (rows []scores, err error) {
	var positions, slots, last []int64
	var texts []*Options
	for _, p := range list {
		at, first := p.at, len(positions)+len(p.ids)-1
		if p.rows > 1 {
			first = len(positions)
		}
		for i := range p.rows { // of all parts, wanted or not: kinds of steps are fewer
			last, texts = append(last, int64(first+i)), append(texts, p.o)
		}
		for j := range p.size {
			slot := j % model.PageTokens // padding goes to block 0
			if j < len(p.ids) {
				slot = p.text.table[(at+j)/model.PageTokens]*model.PageTokens + (at+j)%model.PageTokens
			}
			positions, slots = append(positions, int64(at+j)), append(slots, int64(slot))
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	err = lucid.Try(func() {
		lucid.NoGrad(func() {
			w := lucid.With{Device: pool.tensors[0].Device()}
			n := len(positions)
			y := m.stepPaged(m.groups(w, list), w.New(positions, n), w.New(slots, n), w.New(last, len(last)), pool.tensors)
			rows = m.scoresFor(y, texts)
			y.Free()
		})
	})
	return rows, err
}

// groups are the texts of a step by the size of their parts, and where rotary positions depend on it by their capacity.
func (m *Model) groups(w lucid.With, list []part) (groups []model.Paged) {
	c := m.net.Config()
	for from, to := 0, 0; from < len(list); from = to {
		keys, size := list[from].keys, list[from].size // the largest of the group: parts are sorted
		for to < len(list) && list[to].size == size && (list[to].keys == keys || !c.LengthScaled()) {
			to++
		}
		each := pagesOf(keys)
		var ids []int64
		table := make([]int64, (to-from)*each) // what is behind the end of a text is block 0
		for i, p := range list[from:to] {
			ids = append(ids, padded(p.ids, size)...)
			for j, block := range p.text.table {
				table[i*each+j] = int64(block)
			}
		}
		groups = append(groups, model.Paged{IDs: w.New(ids, to-from, size), Table: w.New(table, to-from, each), Keys: keys})
	}
	return groups
}

// padded is ids, and token 0 behind them up to a size.
func padded(ids []int, size int) []int64 {
	part := make([]int64, size)
	for i, id := range ids {
		part[i] = int64(id)
	}
	return part
}
