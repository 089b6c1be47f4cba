package llm

import (
	"slices"
)

// drafter writes ahead of the texts of a batcher with a smaller model. Its keys and values are in a pool of its own, which has as many
// blocks: a text for which there is room has room here.
type drafter struct {
	m    *Model
	tree *prefixTree
	cost float64 // time of a step, as a multiple of the model's
}

// draftOverhead is by how much a step of a draft takes longer than its bytes say.
const draftOverhead = 1.2

// draftText is a text as the draft knows it.
type draftText struct {
	text   pagedText
	ahead  []int // tokens behind it that were evaluated as guesses
	rest   []int // what is to be evaluated next
	begun  bool
	failed bool // there are no more guesses for the text
}

// time is how long k guesses of some texts take, as a multiple of a step of the model: the first step has a token more.
func (d *drafter) time(k, texts int) float64 {
	return d.cost * (rowCost(2*texts) + float64(k-1)*rowCost(texts))
}

// able reports whether the draft can guess for a text: it may have a shorter context.
func (d *drafter) able(q *sequence) bool {
	return !q.guess.draft.failed && len(q.pick.ids)+maxGuessRows <= d.m.net.Config().Context
}

// guess sets guesses for texts, at most k. A draft that did not read all of a text yet reads a part of it instead.
func (d *drafter) guess(texts []*sequence, k int, b *Batcher) {
	failed := func(list []*sequence, err error) {
		for _, q := range list {
			q.guess.draft.failed, q.guess.list = true, nil
		}
	}
	left, useful := 4*b.o.Chunk, 0
	var ready []*sequence
	for _, q := range texts {
		useful = max(useful, b.most(q, k+1))
		if err := d.follow(q, b.o.PrefixTokens); err != nil {
			failed([]*sequence{q}, err)
			continue
		}
		x := &q.guess.draft
		for len(x.rest) > 2 && left > 0 { // a prompt, or what was written without guesses
			n := min(len(x.rest)-1, left, partSizes[0])
			if _, err := d.step([]*sequence{q}, n); err != nil {
				failed([]*sequence{q}, err)
				break
			}
			left -= n
			x.text.ids, x.ahead = append(x.text.ids, x.ahead...), nil // it is the text itself
		}
		if !x.failed && len(x.rest) <= 2 {
			ready = append(ready, q)
		}
	}
	for i := 0; i < useful && len(ready) > 0; i++ {
		rows, err := d.step(ready, 2)
		if err != nil {
			failed(ready, err)
			return
		}
		for j, q := range ready {
			next := rows[j].few[0].id
			q.guess.list, q.guess.draft.rest = append(q.guess.list, next), []int{next}
		}
	}
	for _, q := range ready {
		q.guess.list = q.guess.list[:min(len(q.guess.list), b.most(q, k+1))]
		if i := slices.IndexFunc(q.guess.list, func(id int) bool { return id >= b.m.net.Config().Vocab }); i >= 0 {
			q.guess.list = q.guess.list[:i]
		}
	}
}

// follow brings the draft to where a text is: what it guessed right is evaluated already, the rest of it is still to be. The last token is
// evaluated in any case.
func (d *drafter) follow(q *sequence, prefix int) error {
	x, ids := &q.guess.draft, q.pick.ids
	if !x.begun {
		x.begun, x.text.need = true, q.text.need
		if prefix >= 0 {
			if err := d.tree.begin(&x.text, ids[:len(ids)-1], max(prefix, 1)); err != nil {
				return err
			}
		}
	}
	at := len(x.text.ids)
	n := common(x.ahead, ids[at:len(ids)-1])
	x.text.ids, x.ahead = append(x.text.ids, ids[at:at+n]...), nil
	x.rest = slices.Clone(ids[at+n:])
	if prefix >= 0 {
		d.tree.publish(&x.text)
	}
	return nil
}

// step evaluates the next tokens of texts, at most so many of each, and returns the scores behind them. They count as guesses.
func (d *drafter) step(texts []*sequence, most int) ([]scores, error) {
	size := 1
	for _, q := range texts {
		size = max(size, min(len(q.guess.draft.rest), most))
	}
	size = partSize(size, partSizes[0])
	var list []part
	for _, q := range texts {
		x := &q.guess.draft
		at := len(x.text.ids) + len(x.ahead)
		x.text.capacity = max(x.text.capacity, d.m.capacityFor(at+size))
		own := min(size, x.text.capacity-at)
		ids := x.rest[:min(len(x.rest), most, own)]
		if err := d.tree.reserve(&x.text, at+len(ids)); err != nil {
			return nil, err
		}
		list = append(list, part{q: q, text: &x.text, at: at, ids: ids, size: own, keys: x.text.capacity, rows: 1, o: &draftOptions})
	}
	slices.SortStableFunc(list, byKind)
	rows, err := stepParts(d.m, d.tree.pool, list)
	if err != nil {
		return nil, err
	}
	sorted := make([]scores, len(texts))
	for i, p := range list {
		x := &p.q.guess.draft
		x.ahead, x.rest = append(x.ahead, p.ids...), x.rest[len(p.ids):]
		sorted[slices.Index(texts, p.q)] = rows[i]
	}
	return sorted, nil
}

// draftOptions are those of a draft: its most probable token.
var draftOptions Options

func (d *drafter) close() {
	for d.tree.evict() {
	}
	d.tree.pool.close()
}
