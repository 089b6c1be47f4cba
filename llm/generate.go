package llm

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/llm/tokenizer"
)

// Token is one step of a generation.
type Token struct {
	ID      int
	Text    string      // what is complete by this token: often its own text, sometimes "" or more
	LogProb float64     // logarithm of its probability, before temperature and penalties
	Top     []TokenProb // the most probable tokens, if Options.TopLogProbs asks for them
	// Guessed says that the token was guessed, and evaluated together with the one before it; Missed is how many guesses were evaluated for
	// it and for what follows it, and were wrong.
	Guessed bool
	Missed  int
	// Cached, of the first token, is how many tokens of the prompt were not evaluated, because an earlier text began alike.
	Cached int
	// Finish is set on the last token: "end" (the model ended the text), "stop" (a text of Options.Stop), "length" (MaxTokens)
	// or "context" (the context is full).
	Finish string
}

// Generate continues a prompt, token by token. The loop may be left at any time. Texts of tokens joined are the continuation;
// none ends inside a character. An error, or the end of ctx, is the last thing the loop sees.
func (m *Model) Generate(ctx context.Context, prompt string, o Options) iter.Seq2[Token, error] {
	return func(yield func(Token, error) bool) {
		err := fault.Catch(o.check)
		var ids []int
		if err == nil {
			ids, err = m.promptIDs(prompt, o)
		}
		if err != nil {
			yield(Token{}, err)
			return
		}
		m.continued(ctx, ids, o)(yield)
	}
}

// encode is EncodeWith for texts of others: a text that takes a pattern of the files too many steps is an error.
func (m *Model) encode(text string, o tokenizer.EncodeOptions) (ids []int, err error) {
	err = fault.Catch(func() { ids = m.tok.EncodeWith(text, o) })
	return ids, err
}

// promptIDs are the ids of a prompt.
func (m *Model) promptIDs(prompt string, o Options) ([]int, error) {
	return m.encode(prompt, tokenizer.EncodeOptions{NoAdded: o.NoAdded, SpecialAsText: o.SpecialAsText})
}

// mostTokens is how long a text with a prompt of n tokens may become.
func (m *Model) mostTokens(n int, o Options) int {
	most := m.net.Config().Context
	if o.MaxTokens > 0 && o.MaxTokens < most {
		most = min(most, n+o.MaxTokens)
	}
	return most
}

// GenerateIDs continues a text that is given as ids.
func (m *Model) GenerateIDs(ctx context.Context, ids []int, o Options) iter.Seq2[Token, error] {
	return func(yield func(Token, error) bool) {
		if err := fault.Catch(o.check); err != nil {
			yield(Token{}, err)
			return
		}
		m.continued(ctx, ids, o)(yield)
	}
}

// continued is the loop behind both.
func (m *Model) continued(ctx context.Context, ids []int, o Options) iter.Seq2[Token, error] {
	return func(yield func(Token, error) bool) {
		window := 0
		err := fault.Catch(func() {
			window = o.Rotate.window(m.net.Config().Context)
			if list := o.Rotate.rotated(ids, window); list != nil {
				ids = list
			}
			m.checkPrompt(ids, o.Prediction)
		})
		if err != nil {
			yield(Token{}, err)
			return
		}
		room := m.roomFor(len(ids), min(o.MaxTokens, firstCapacity))
		s, rest, done, err := m.begin(ids, room, o.Cache)
		if err != nil {
			yield(Token{}, err)
			return
		}
		defer done()
		w := &writing{m: m, s: s, o: o, window: window, out: newWriter(m.tok, o, ids), pick: m.newSampler(o, ids), yield: yield,
			cached: len(ids) - len(rest)}
		if w.guess, err = m.newGuesser(o, len(ids)); err != nil {
			yield(Token{}, err)
			return
		}
		if w.guess != nil {
			defer w.guess.free()
		}
		if w.guess == nil {
			s.texts = []*Options{&w.o}
			defer func() { s.texts = nil }()
		}
		if err := w.run(ctx, rest); err != nil {
			yield(Token{}, err)
		}
	}
}

// writing is a generation under way.
type writing struct {
	m      *Model
	s      *session
	o      Options
	window int // tokens after which the text is rotated; 0: never
	out    *writer
	pick   *sampler
	guess  *guesser // nil: none
	yield  func(Token, error) bool
	n      int // tokens so far
	cached int // tokens of the prompt that were there
}

// run generates tokens until there is a reason to stop.
func (w *writing) run(ctx context.Context, rest []int) error {
	y, err := w.s.feed(ctx, rest)
	if err != nil {
		return err
	}
	var fail error
	for {
		t, err := w.choose(y)
		if err != nil {
			return err
		}
		last := t.Finish != ""
		if w.guess == nil {
			// The next token is computed while the reader has this one.
			if last {
				w.yield(t, nil)
				return nil
			}
			next, goes := w.yieldAhead(ctx, t)
			if !goes {
				return nil
			}
			if y, err = next.y, next.err; err != nil {
				return err
			}
			continue
		}
		if !w.yield(t, nil) || last {
			return nil
		}
		for again, id := true, t.ID; ; {
			if list := w.rotate(id); list != nil {
				if y, err = w.s.feed(ctx, w.s.rewind(list)); err != nil {
					return err
				}
				break
			}
			again, id, err = w.guess.next(ctx, w.s, id, w.guesses(), func(y scores, guesses []int) (int, bool, bool) {
				t, err := w.choose(y)
				if fail = err; err != nil {
					return 0, false, false
				}
				right := t.mark(guesses)
				return t.ID, right, w.yield(t, nil) && t.Finish == ""
			})
			if err = cmp.Or(err, fail); err != nil || !again {
				return err
			}
		}
	}
}

// guesses is how many guesses fit before the text is rotated.
func (w *writing) guesses() int {
	if w.window == 0 {
		return maxGuesses
	}
	return max(0, w.window-len(w.s.ids)-2)
}

// ahead are the scores behind a token.
type ahead struct {
	y   scores
	err error
}

// yieldAhead gives a token out while what follows it is computed. The session is free when it returns, also if the reader panics.
func (w *writing) yieldAhead(ctx context.Context, t Token) (next ahead, goes bool) {
	done := make(chan ahead, 1)
	go func() { done <- w.ahead(ctx, t.ID) }()
	defer func() { next = <-done }()
	return next, w.yield(t, nil)
}

// ahead evaluates a token, or what the text goes on with if it is full.
func (w *writing) ahead(ctx context.Context, id int) (a ahead) {
	caught := lucid.Try(func() {
		rest := []int{id}
		if list := w.rotate(id); list != nil {
			rest = w.s.rewind(list)
		}
		a.y, a.err = w.s.feed(ctx, rest)
	})
	a.err = cmp.Or(caught, a.err)
	return a
}

// rotate is what the text goes on with if it is full with one more token, else nil.
func (w *writing) rotate(id int) []int {
	if w.window == 0 || len(w.s.ids)+1 < w.window {
		return nil
	}
	return w.o.Rotate.rotated(append(slices.Clone(w.s.ids), id), w.window)
}

// choose takes the next token.
func (w *writing) choose(y scores) (Token, error) {
	t, err := w.pick.next(y)
	if err != nil {
		return t, err
	}
	if w.n++; w.n == 1 {
		t.Cached = w.cached
	}
	pos := w.s.pos
	if w.window > 0 { // there is always room
		pos = 0
	}
	w.m.finishToken(&t, w.out, w.pick, w.n, pos)
	return t, nil
}

// tokenText is the text of a token alone.
func (m *Model) tokenText(id int) string { return m.tok.Decode([]int{id}) }

// finishToken sets the text of the n-th token, and why it is the last one. pos tokens are in the cache.
func (m *Model) finishToken(t *Token, out *writer, pick *sampler, n, pos int) {
	o, ended := &pick.o, false
	switch {
	case !o.IgnoreEnd && slices.Contains(m.ends, t.ID):
		t.Finish, ended = "end", true
	case pick.complete():
		t.Finish = "end"
	case n == o.MaxTokens:
		t.Finish = "length"
	case pos == m.net.Config().Context:
		t.Finish = "context"
	}
	var stopped bool
	if t.Text, stopped = out.next(t.ID, t.Finish != "", ended); stopped {
		t.Finish = "stop"
	}
}

// writer makes text of tokens. It holds back what may be the beginning of a stop text.
type writer struct {
	tok    *tokenizer.Tokenizer
	stream *tokenizer.Stream
	stop   []string
	show   []int
	held   string
}

func newWriter(t *tokenizer.Tokenizer, o Options, prompt []int) *writer {
	w := &writer{tok: t, stream: t.Stream(tokenizer.DecodeOptions{SkipSpecial: true}), stop: o.Stop, show: o.ShowSpecial}
	for _, id := range prompt[max(0, len(prompt)-16):] { // a tokenizer may write the first token of a text in another way
		w.stream.Next(id)
	}
	return w
}

// next takes a token and returns the text that is certain by it. last: no token follows. end: the token itself has no text.
func (w *writer) next(id int, last, end bool) (text string, stopped bool) {
	switch {
	case end:
	case slices.Contains(w.show, id):
		text, _ := w.tok.Token(id)
		w.held += w.stream.Flush() + text
	default:
		w.held += w.stream.Next(id)
	}
	if last {
		w.held += w.stream.Flush()
	}
	at := -1
	for _, s := range w.stop {
		if i := strings.Index(w.held, s); i >= 0 && (at < 0 || i < at) {
			at = i
		}
	}
	if at >= 0 {
		return w.held[:at], true
	}
	keep := 0
	if !last {
		for _, s := range w.stop {
			for n := min(len(s)-1, len(w.held)); n > keep; n-- {
				if strings.HasSuffix(w.held, s[:n]) {
					keep = n
				}
			}
		}
	}
	text = w.held[:len(w.held)-keep]
	w.held = w.held[len(text):]
	return text, false
}
