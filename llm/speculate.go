package llm

import (
	"context"
	"slices"

	"github.com/lucid-go/lucid/internal/fault"
)

// Speculate says where guesses of the next tokens come from. The model evaluates them together, as it does the tokens of a prompt, and
// chooses every token itself: the text is the one it would write without them, for the same seed.
type Speculate struct {
	// Draft is a smaller model with the same tokens, which writes ahead; nil: none.
	Draft *Model
	// Lookup takes guesses from the text: what followed the last so many tokens where they were before; 0: none.
	Lookup int
	Tokens int // guesses for one evaluation; 0: 4
}

const (
	maxGuesses = 64
	maxLookup  = 64
)

func (s *Speculate) check() {
	if s.Tokens < 0 || s.Tokens > maxGuesses {
		fault.Throw(fault.Value, op, "Speculate.Tokens is %d; want 0 to %d", s.Tokens, maxGuesses)
	}
	if s.Lookup < 0 || s.Lookup > maxLookup {
		fault.Throw(fault.Value, op, "Speculate.Lookup is %d; want 0 to %d", s.Lookup, maxLookup)
	}
	if s.Tokens > 0 && s.Draft == nil && s.Lookup == 0 {
		fault.Throw(fault.Value, op, "Speculate.Tokens is %d without a Draft or a Lookup", s.Tokens)
	}
}

// guesser guesses the tokens of one text.
type guesser struct {
	o      Speculate
	m      *Model
	find   finder
	prompt int      // tokens
	draft  *session // nil: none
}

// newGuesser returns nil if no guesses are asked for.
func (m *Model) newGuesser(all Options, prompt int) (*guesser, error) {
	o := all.Speculate
	if o.Draft == nil && o.Lookup == 0 && len(all.Prediction) == 0 {
		return nil, nil
	}
	if o.Tokens == 0 {
		o.Tokens = 4
	}
	g := &guesser{o: o, m: m, prompt: prompt, find: finder{n: o.Lookup, prediction: all.Prediction}}
	if d := o.Draft; d != nil {
		if err := m.checkDraft(d); err != nil {
			return nil, err
		}
		if err := fault.Catch(func() { g.draft = d.newSession(d.roomFor(prompt, firstCapacity)) }); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// checkDraft refuses a draft whose ids mean other tokens.
func (m *Model) checkDraft(d *Model) error {
	if d == m {
		return fault.New(fault.Value, op, "Speculate.Draft is the model itself; want a smaller one")
	}
	n := m.tok.Size()
	if d.tok.Size() != n {
		return fault.New(fault.Value, op, "Speculate.Draft has %d tokens, the model %d", d.tok.Size(), n)
	}
	for id := range n {
		a, _ := m.tok.Token(id)
		if b, _ := d.tok.Token(id); a != b {
			return fault.New(fault.Value, op, "the token %d of Speculate.Draft is %q, of the model %q", id, b, a)
		}
	}
	return nil
}

func (g *guesser) free() {
	if g.draft != nil {
		g.draft.free()
	}
}

// guess returns tokens that may follow a text. A draft that fails, as at the end of its context, guesses nothing.
func (g *guesser) guess(ctx context.Context, ids []int) (list []int) {
	list, _, _ = g.find.find(ids, g.prompt, g.o.Tokens)
	if g.draft == nil || len(list) > 0 || len(ids)+g.o.Tokens >= g.o.Draft.net.Config().Context {
		return list
	}
	rest := g.draft.rewind(ids)
	for len(list) < g.o.Tokens {
		y, err := g.draft.feed(ctx, rest)
		if err != nil {
			return list
		}
		next := largest(y.logits)
		if next >= g.m.net.Config().Vocab {
			return list
		}
		list = append(list, next)
		rest = []int{next}
	}
	return list
}

// verify evaluates a token and guesses of what follows it, and returns the scores behind each.
func (s *session) verify(ctx context.Context, id int, guesses []int, size int) ([]scores, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := s.grow(s.pos + size); err != nil {
		return nil, err
	}
	part := make([]int64, size) // of one size, so that it is traced once: padded with token 0
	part[0] = int64(id)
	last := make([]int64, size)
	for i, g := range guesses {
		part[i+1], last[i+1] = int64(g), int64(i+1)
	}
	return s.run(part, last, true)
}

// next evaluates a token that was chosen, with at most so many guesses of what follows. each is called with the scores of every position,
// in turn, and the guesses from there on, and returns the token it took, whether it was guessed and whether to go on. next returns what
// each did last.
func (g *guesser) next(ctx context.Context, s *session, id, most int, each func(scores, []int) (int, bool, bool)) (again bool, last int,
	err error) {
	guesses := g.guess(ctx, append(slices.Clone(s.ids), id))
	guesses = guesses[:min(most, len(guesses))]
	size := g.o.Tokens + 1
	c := s.m.net.Config()
	// Where positions depend on the capacity of the cache, it must grow when it would without guesses.
	if len(guesses) == 0 || s.pos+size > c.Context || s.pos+size > s.capacity && c.LengthScaled() {
		y, err := s.feed(ctx, []int{id})
		if err != nil {
			return false, 0, err
		}
		last, _, again = each(y, nil)
		return again, last, nil
	}
	rows, err := s.verify(ctx, id, guesses, size)
	if err != nil {
		return false, 0, err
	}
	s.pos, s.ids = s.pos+1, append(s.ids, id)
	for i, right := 0, true; ; i++ {
		if last, right, again = each(rows[i], guesses[i:]); !again || !right {
			return again, last, nil
		}
		s.pos, s.ids = s.pos+1, append(s.ids, last) // its keys and values are there
	}
}
