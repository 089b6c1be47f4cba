package llm

import (
	"cmp"
	"slices"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
)

// A step of some rows takes little longer than one of a single row, since the weights are read once either way. While few texts are
// generated, a batcher fills these rows with guesses of what follows; a text takes as many of them as are right. The more texts there are
// the less room there is: then a step has no guesses.

// guessSizes are the positions that a text with guesses has in a step. Few sizes make few kinds of steps.
var guessSizes = []int{2, 4, 8, 16}

// maxGuessRows is how many rows a step with guesses has at most. From there on it takes as long as it has rows.
const maxGuessRows = 16

// rowCosts are the times of steps with 1, 2, 4, 8 and 16 rows whose logits are all wanted, as multiples of one row's. They were measured on
// models of 0.5 and 1.5 billion parameters in 4 to 8 bits.
var rowCosts = []struct{ rows, cost float64 }{{1, 1}, {2, 1.1}, {4, 1.35}, {8, 1.8}, {16, 3.1}}

// rowCost is the time of a step.
func rowCost(rows int) float64 {
	n := float64(rows)
	for i := 1; i < len(rowCosts); i++ {
		if a, b := rowCosts[i-1], rowCosts[i]; n <= b.rows {
			return a.cost + (b.cost-a.cost)*(n-a.rows)/(b.rows-a.rows)
		}
	}
	last := rowCosts[len(rowCosts)-1]
	return last.cost * n / last.rows
}

// leastGain is how much faster guesses must make a step, by what is known of those before, to be tried.
const leastGain = 1.04

// Guesses are of kinds which are right more or less often: by the length of what is repeated before them, those of a prediction, and those
// of a draft.
const (
	guessShort = iota
	guessLonger
	guessLong
	guessPredicted
	guessDraft
	guessKinds
)

// shares are how often guesses of a kind are taken to be right before any was seen.
var shares = [guessKinds]float64{0.3, 0.6, 0.8, 0.8, 0.7}

// share counts guesses of a kind: those that were looked at, up to the first wrong one of a step, and the right ones among them.
type share struct{ right, seen float64 }

const (
	firstSeen = 3.0  // what is taken for granted counts as so many guesses
	mostSeen  = 10.0 // however many were right, a few wrong ones show
	fading    = 0.85 // what was seen counts less with each step
	forgiving = 0.02 // how fast guesses that are not tried, since they were wrong, come to be taken for as good as new ones
)

// guessing is what a batcher knows about guesses for one text.
type guessing struct {
	find  finder
	found []int // what was found in the text, or in its prediction
	kind  int
	list  []int // for the next step
	known [guessKinds]share
	draft draftText
}

// begin starts with what is taken for granted.
func (g *guessing) begin() {
	for i, s := range shares {
		g.known[i] = share{s * firstSeen, firstSeen}
	}
}

// likely is the share of guesses of the kind at hand that are right.
func (g *guessing) likely() float64 { return g.known[g.kind].right / g.known[g.kind].seen }

// expected is how many of k guesses are right.
func (g *guessing) expected(k int) (sum float64) {
	p := g.likely()
	for each := p; k > 0; k-- {
		sum += each
		each *= p
	}
	return sum
}

// saw takes note of what became of guesses.
func (g *guessing) saw(right, tried int) {
	if tried == 0 {
		return
	}
	s := &g.known[g.kind]
	s.right = s.right*fading + float64(right)
	s.seen = s.seen*fading + float64(min(right+1, tried))
	if s.seen > mostSeen {
		s.right, s.seen = s.right*mostSeen/s.seen, mostSeen
	}
}

// passed takes note that guesses were not worth a try.
func (g *guessing) passed() {
	s := &g.known[g.kind]
	s.right += forgiving * (shares[g.kind]*firstSeen - s.right)
	s.seen += forgiving * (firstSeen - s.seen)
}

// checkGuesses fills BatcherOptions.Speculate and refuses what makes no sense.
func (m *Model) checkGuesses(o *BatcherOptions) error {
	if o.Speculate == nil {
		o.Speculate = &Speculate{}
		if m.net.Placement().Device == lucid.CPU {
			o.Speculate.Lookup = 16
		}
		return nil
	}
	s := *o.Speculate
	o.Speculate = &s
	if err := fault.Catch(s.check); err != nil || s.Draft == nil {
		return err
	}
	return m.checkDraft(s.Draft)
}

// guesses sets guessing.list of the texts for which guesses pay in the next step, and returns the positions that they have in it. Each of
// texts is continued by one token.
func (b *Batcher) guesses(texts []*sequence) (size int) {
	n := len(texts)
	if n == 0 || n >= maxGuessRows {
		return 0
	}
	var able []*sequence
	for _, q := range texts {
		if b.find(q) {
			able = append(able, q)
		}
	}
	slices.SortStableFunc(able, func(x, y *sequence) int { return cmp.Compare(y.guess.likely(), x.guess.likely()) })
	best, count := leastGain, 0
	for _, s := range guessSizes {
		tokens, drafted := float64(n), 0
		for i, q := range able {
			k := b.most(q, s)
			if n+(i+1)*(s-1) > maxGuessRows || k == 0 {
				break
			}
			if q.guess.kind == guessDraft {
				drafted++
			}
			tokens += q.guess.expected(k)
			cost := rowCost(n + (i+1)*(s-1))
			if drafted > 0 {
				cost += b.draft.time(s-1, drafted)
			}
			if gain := tokens / float64(n) / (cost / rowCost(n)); gain > best {
				best, size, count = gain, s, i+1
			}
		}
	}
	for _, q := range able[count:] {
		q.guess.passed()
	}
	var drafts []*sequence
	for _, q := range able[:count] {
		if q.guess.kind == guessDraft {
			drafts = append(drafts, q)
			continue
		}
		q.guess.list = q.guess.found[:b.most(q, size)]
	}
	if len(drafts) > 0 {
		b.draft.guess(drafts, size-1, b)
	}
	return size
}

// find looks for guesses of what follows a text, and reports whether there are any.
func (b *Batcher) find(q *sequence) bool {
	g, o := &q.guess, b.o.Speculate
	g.find.n, g.find.prediction = o.Lookup, q.o.Prediction
	most := guessSizes[len(guessSizes)-1] - 1
	var same int
	var predicted bool
	// Of the text itself when the token that was chosen last is part of it, as it is of the sampler's.
	g.found, same, predicted = g.find.find(q.pick.ids, len(q.ids), most)
	switch {
	case len(g.found) == 0:
		g.kind = guessDraft
	case predicted:
		g.kind = guessPredicted
	case same < 3:
		g.kind = guessShort
	case same < 8:
		g.kind = guessLonger
	default:
		g.kind = guessLong
	}
	if b.draft == nil || !b.draft.able(q) {
		return len(g.found) > 0
	}
	found, kind := b.alone(q), g.kind
	if g.kind = guessDraft; len(g.found) > 0 && found >= b.alone(q) {
		g.kind = kind
	}
	return true
}

// alone is how much faster guesses of the kind at hand would make a text that is generated alone.
func (b *Batcher) alone(q *sequence) (gain float64) {
	for _, s := range guessSizes {
		cost := rowCost(s)
		if q.guess.kind == guessDraft {
			cost += b.draft.time(s-1, 1)
		}
		gain = max(gain, (1+q.guess.expected(b.most(q, s)))/cost)
	}
	return gain
}

// most is how many guesses a text can have in a part of some positions: no more than are left of the tokens it may have, for which it has
// room, and none if its cache would have to grow where rotary positions depend on that.
func (b *Batcher) most(q *sequence, size int) int {
	c, room := b.m.net.Config(), 0
	if room = c.Context; c.LengthScaled() {
		room = q.text.capacity
	}
	if len(q.text.ids)+size > room {
		return 0
	}
	n := size - 1
	if b.o.Speculate.Tokens > 0 {
		n = min(n, b.o.Speculate.Tokens)
	}
	if q.guess.kind != guessDraft {
		n = min(n, len(q.guess.found))
	}
	if q.o.MaxTokens > 0 {
		n = min(n, q.o.MaxTokens-q.n-1)
	}
	return max(0, n)
}
