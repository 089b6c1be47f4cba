package llm

import (
	"cmp"
	"slices"
	"sync"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
)

// part is what a step does for one text: some tokens of its prompt, or the token that was generated last.
type part struct {
	q    *sequence
	ids  []int
	size int  // positions of the step: ids and padding
	want bool // a token follows
}

// step continues all texts whose prompts are read by a token, and reads parts of prompts. Both are one evaluation of the model: weights
// are read once for all.
func (b *Batcher) step() {
	var list []part
	for _, q := range b.active {
		if q.s != nil && q.n > 0 && len(q.rest) == 1 {
			b.guard([]*sequence{q}, func() { // an error is the end of this text alone
				if err := q.s.grow(q.s.pos + 1); err != nil {
					fault.Rethrow(op, err)
				}
				list = append(list, part{q, q.rest, 1, true})
			})
		}
	}
	list = b.prompts(list)
	if len(list) == 0 {
		return
	}
	// Kinds of steps are few if rows are in the order of their sizes and capacities.
	slices.SortStableFunc(list, func(x, y part) int {
		return cmp.Or(cmp.Compare(y.size, x.size), cmp.Compare(y.q.s.capacity, x.q.s.capacity))
	})
	rows, err := b.m.stepParts(list)
	if err != nil {
		for _, p := range list {
			p.q.fail(err)
		}
		return
	}
	var wg sync.WaitGroup
	for i, p := range list {
		p.q.s.pos += len(p.ids)
		p.q.s.ids = append(p.q.s.ids, p.ids...)
		if p.q.rest = p.q.rest[len(p.ids):]; p.want {
			wg.Go(func() { b.guard([]*sequence{p.q}, func() { b.took(p.q, rows[i]) }) }) // a large vocabulary takes a while to sample from
		}
	}
	wg.Wait()
}

// prompts adds parts of prompts to a step, those of texts that came first before others: while texts are written one of at most Chunk
// tokens, as those who read wait for the step; else several of one size, twice as many tokens in all. Other mixtures would make steps of
// many kinds, and each kind is traced once, which takes longer than a step.
func (b *Batcher) prompts(list []part) []part {
	left, n, size := b.o.Chunk, 0, 0
	alone := len(list) == 0
	if alone {
		left *= 2
	}
	for _, q := range b.active {
		if q.n > 0 || left <= 0 || size > 0 && !alone {
			continue
		}
		b.guard([]*sequence{q}, func() {
			if q.s == nil {
				b.begin(q)
			}
			own := partSize(min(len(q.rest), left), q.s.capacity-q.s.pos)
			if size > 0 && own != size {
				return
			}
			size = own
			ids := q.rest[:min(size, left, len(q.rest))]
			list = append(list, part{q, ids, size, len(ids) == len(q.rest)})
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

// stepParts evaluates parts of several texts and returns the scores of what follows each; there may be none of one that does not
// want them.
func (m *Model) stepParts(list []part) (rows []scores, err error) {
	if list[0].size == 1 { // so are all
		sessions, ids := make([]*session, len(list)), make([]int, len(list))
		for i, p := range list {
			sessions[i], ids[i] = p.q.s, p.ids[0]
		}
		return m.stepAll(sessions, ids)
	}
	if len(list) == 1 {
		p := list[0]
		return p.q.s.run(padded(p.ids, p.size), []int64{int64(len(p.ids) - 1)}, p.want)
	}
	var positions, last []int64
	caches, sessions := make([][]*lucid.Tensor, len(list)), make([]*session, len(list))
	for i, p := range list {
		sessions[i] = p.q.s
		last = append(last, int64(len(positions)+len(p.ids)-1)) // of all: kinds of steps are fewer
		for j := range p.size {
			positions = append(positions, int64(p.q.s.pos+j))
		}
		caches[i] = p.q.s.cache
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	err = lucid.Try(func() {
		lucid.NoGrad(func() {
			w := lucid.With{Device: caches[0][0].Device()}
			ids := make([]*lucid.Tensor, len(list))
			for i, p := range list {
				ids[i] = w.New(padded(p.ids, p.size), p.size)
			}
			y := m.stepRows(ids, w.New(positions, len(positions)), w.New(last, len(last)), caches)
			rows = m.scoresFor(y, sessions...)
			y.Free()
		})
	})
	return rows, err
}

// padded is ids, and token 0 behind them up to a size.
func padded(ids []int, size int) []int64 {
	part := make([]int64, size)
	for i, id := range ids {
		part[i] = int64(id)
	}
	return part
}
