package llm

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/llm/grammar"
)

// counted reads a text as collect does, and counts its guesses: those that were right, and those that were not.
func counted(t testing.TB, seq func(func(Token, error) bool)) (all []string, ids []int, right, missed int) {
	t.Helper()
	all = collect(t, func(yield func(Token, error) bool) {
		seq(func(tok Token, err error) bool {
			ids, missed = append(ids, tok.ID), missed+tok.Missed
			if tok.Guessed {
				right++
			}
			return yield(tok, err)
		})
	})
	return all, ids, right, missed
}

// guessOptions are requests of every kind that changes how a token is chosen, or where a text ends.
func guessOptions(t testing.TB) []Options {
	t.Helper()
	digits, err := grammar.GBNF(`root ::= ([a-f] [0-9]?)+`)
	if err != nil {
		t.Fatal(err)
	}
	sampled := Options{MaxTokens: 40, Temperature: 0.7, Seed: 5, TopP: 0.9, TopLogProbs: 2}
	penalties := Options{MaxTokens: 40, RepetitionPenalty: 1.3, PresencePenalty: 0.5, FrequencyPenalty: 0.2, PenaltyWindow: 9,
		DRY: DRY{Multiplier: 0.3}, LogitBias: map[int]float64{3: 2, 7: 5}}
	mirostat := Options{MaxTokens: 40, Temperature: 1, Mirostat: 3, Seed: 9}
	xtc := Options{MaxTokens: 40, Temperature: 0.5, XTC: 0.5, Seed: 11, MinP: 0.01}
	seen := Options{MaxTokens: 40, Temperature: 0.3, TopK: 5, Seed: 2, Processors: []func([]int, []float32){func(ids []int, y []float32) {
		y[(ids[len(ids)-1]+len(ids))%len(y)] += 1
	}}}
	return []Options{{MaxTokens: 40, IgnoreEnd: true}, {MaxTokens: 3}, {MaxTokens: 50, Stop: []string{"a", "e", "\x10"}}, sampled,
		penalties, mirostat, xtc, seen, {MaxTokens: 30, Grammar: digits}, {MaxTokens: 30, Grammar: digits, Temperature: 1, Seed: 4}, {}}
}

// spoiled is a text with other tokens here and there.
func spoiled(ids []int, rng *rand.Rand) []int {
	list := slices.Clone(ids)
	for i := range list {
		if rng.IntN(6) == 0 {
			list[i] = rng.IntN(256)
		}
	}
	return list
}

// TestBatchedGuesses asserts that a text with guesses is the one without them, whatever chooses its tokens and wherever the guesses come
// from, right ones and wrong ones, over the ends of blocks and up to the end of the context.
func TestBatchedGuesses(t *testing.T) {
	g := goldens(t)
	names := caseNames(t, "llama", "gemma3", "gpt2", "mixtral", "phi3_long")
	if testing.Short() {
		names = names[:3]
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			load := func(name string) *Model {
				m, err := Load(folder(t, g.Cases[name]))
				if err != nil {
					t.Fatal(err)
				}
				return m
			}
			m, options := load(name), guessOptions(t)
			if n := m.Config().Context; n < 128 {
				t.Skipf("a context of %d", n)
			}
			rng := rand.New(rand.NewPCG(1, 2))
			prompts, want, texts := make([][]int, len(options)), make([][]string, len(options)), make([][]int, len(options))
			for i, o := range options {
				prompts[i] = slices.Concat(g.Prompt, g.Prompt)
				for range rng.IntN(30) {
					prompts[i] = append(prompts[i], rng.IntN(256))
				}
				want[i], texts[i], _, _ = counted(t, m.GenerateIDs(context.Background(), prompts[i], o))
			}
			sources := []Speculate{{Lookup: 8}, {}, {Lookup: 2, Tokens: 3}, {Draft: load(name)}, {Draft: load("mistral"), Lookup: 4}}
			if testing.Short() {
				sources = slices.Delete(sources, 2, 4)
			}
			for _, s := range sources {
				for _, together := range []int{1, 3} {
					b := newBatcher(t, m, BatcherOptions{Sequences: together, Chunk: 16, Speculate: &s, Bytes: 64 << 20})
					var mu sync.Mutex
					var wg sync.WaitGroup
					if b.draft != nil {
						b.draft.cost = 0 // it would not pay: it is as large
					}
					right, missed := 0, 0
					for i, o := range options {
						if len(options) > 6 && testing.Short() && (i+together)%2 == 0 {
							continue
						}
						o.Prediction = spoiled(texts[i], rng)
						if s.Draft != nil {
							o.Prediction = nil
						}
						wg.Go(func() {
							got, _, r, n := counted(t, b.GenerateIDs(context.Background(), prompts[i], o))
							if !slices.Equal(got, want[i]) {
								t.Errorf("%+v, %d together, options %d:\n%v\nalone:\n%v", s, together, i, got, want[i])
							}
							mu.Lock()
							defer mu.Unlock()
							right, missed = right+r, missed+n
						})
					}
					wg.Wait()
					x := settled(b)
					t.Logf("%d together, lookup %d, draft %v: %d tokens in %d steps, %d of %d guesses", together, s.Lookup, s.Draft != nil,
						x.Generated, x.Steps, right, right+missed)
					if x.Right != int64(right) || x.Guessed != int64(right+missed) || right == 0 || missed == 0 && s.Draft == nil {
						t.Errorf("%d right and %d wrong guesses, counted %+v", right, missed, x)
					}
				}
			}
		})
	}
}

// TestGuessesOfBytes asserts that guesses change nothing where keys and values are int8.
func TestGuessesOfBytes(t *testing.T) {
	m := tiny(t)
	o := Options{MaxTokens: 60, IgnoreEnd: true}
	var all [2][]string
	right := 0
	for i, s := range []*Speculate{{}, {Lookup: 8}} {
		b := newBatcher(t, m, BatcherOptions{Speculate: s, Cache: CacheOptions{Bits: 8}})
		all[i], _, right, _ = counted(t, b.GenerateIDs(context.Background(), []int{1, 2, 3, 4, 1, 2, 3, 4, 1, 2}, o))
	}
	if !slices.Equal(all[0], all[1]) || right == 0 {
		t.Errorf("%d right guesses: %v\nwithout guesses %v", right, all[1], all[0])
	}
}

// TestPredicted asserts that a prediction that comes true saves most of the steps, in a batch and alone, and that one of which nothing
// comes true costs few.
func TestPredicted(t *testing.T) {
	m := tiny(t)
	o := Options{MaxTokens: 60, IgnoreEnd: true, Temperature: 3, Seed: 1} // no repetitions
	prompt := []int{1, 2, 3, 4, 5, 6, 7, 8}
	want, ids, _, _ := counted(t, m.GenerateIDs(context.Background(), prompt, o))
	o.Prediction = ids
	got, _, right, missed := counted(t, m.GenerateIDs(context.Background(), prompt, o))
	if !slices.Equal(got, want) || right < 45 || missed > 4 {
		t.Errorf("alone: %d right, %d wrong\n%v\nwant\n%v", right, missed, got, want)
	}
	for _, c := range []struct {
		shift, least, most int
	}{{0, 5, 12}, {1, 50, 60}} {
		o.Prediction = slices.Clone(ids)
		for i := range o.Prediction {
			o.Prediction[i] = (ids[i] + c.shift) % 256
		}
		b := newBatcher(t, m, BatcherOptions{})
		if got, _, _, _ := counted(t, b.GenerateIDs(context.Background(), prompt, o)); !slices.Equal(got, want) {
			t.Errorf("%v\nwant\n%v", got, want)
		}
		if x := settled(b); int(x.Steps) < c.least || int(x.Steps) > c.most {
			t.Errorf("shifted by %d: %+v", c.shift, x)
		}
	}
}

// TestGuessesPay asserts that texts which repeat themselves are guessed while they are few, and that many are not; that what is wrong is
// given up, and tried again later.
func TestGuessesPay(t *testing.T) {
	b := newBatcher(t, tiny(t), BatcherOptions{Sequences: 64})
	texts := func(n int) (list []*sequence) {
		for range n {
			q := &sequence{ids: []int{1}, pick: &sampler{}}
			for i := range 40 {
				q.pick.ids = append(q.pick.ids, i%13)
			}
			q.text.ids, q.text.capacity = q.pick.ids[:39], 128
			q.guess.begin()
			list = append(list, q)
		}
		return list
	}
	one := texts(1)
	b.guesses(one)
	for range 20 {
		one[0].guess.saw(7, 7)
	}
	if size := b.guesses(one); size != 16 || len(one[0].guess.list) != 15 || one[0].guess.list[0] != 1 {
		t.Errorf("a text that repeats itself: %d positions, %v", size, one[0].guess.list)
	}
	for range 20 {
		one[0].guess.saw(0, 7)
	}
	if size := b.guesses(one); size != 0 {
		t.Errorf("wrong guesses go on: %d positions", size)
	}
	again := 0
	for again < 1000 && b.guesses(one) == 0 {
		again++
	}
	if again < 5 || again > 200 {
		t.Errorf("wrong guesses are tried again after %d steps", again)
	}
	for _, n := range []int{16, 32} {
		if size := b.guesses(texts(n)); size != 0 {
			t.Errorf("%d texts have %d positions each", n, size)
		}
	}
	two := texts(2)
	if size := b.guesses(two); size < 4 || size > 8 || len(two[1].guess.list) != size-1 {
		t.Errorf("two texts have %d positions each", size)
	}
	two[0].o.MaxTokens, two[0].n = 6, 4 // one guess is left to be of use
	if b.guesses(two); len(two[0].guess.list) > 1 {
		t.Errorf("guesses behind the end: %v", two[0].guess.list)
	}
}

// TestBatchedSpeculateRefuses asserts that a batcher says what is wrong with its source of guesses.
func TestBatchedSpeculateRefuses(t *testing.T) {
	m := tiny(t)
	for _, s := range []Speculate{{Lookup: -1}, {Lookup: 65}, {Tokens: 3}, {Lookup: 2, Tokens: 65}, {Draft: m},
		{Draft: withTemplate(t, "", "<x>")}} {
		if _, err := m.NewBatcher(BatcherOptions{Speculate: &s}); !errors.Is(err, lucid.ErrValue) {
			t.Errorf("%+v: %v", s, err)
		}
	}
	d := tiny(t)
	if _, err := m.NewBatcher(BatcherOptions{Speculate: &Speculate{Draft: d}, Bytes: m.pageBytes(0) + 1}); !errors.Is(err, lucid.ErrValue) {
		t.Errorf("memory for the model alone: %v", err)
	}
	b := newBatcher(t, m, BatcherOptions{})
	for _, o := range []Options{{Speculate: Speculate{Lookup: 2}}, {Prediction: []int{-1}}, {Prediction: []int{256}}} {
		var err error
		for _, err = range b.GenerateIDs(context.Background(), []int{1}, o) {
			break
		}
		if err == nil {
			t.Errorf("%+v was accepted", o)
		}
		if o.Prediction == nil {
			continue
		}
		for _, err = range m.GenerateIDs(context.Background(), []int{1}, o) {
			break
		}
		if !errors.Is(err, lucid.ErrIndex) {
			t.Errorf("%+v alone: %v", o, err)
		}
	}
}

// TestFinder asserts where guesses are found.
func TestFinder(t *testing.T) {
	for i, c := range []struct {
		f         finder
		ids       []int
		prompt    int
		want      []int
		same      int
		predicted bool
	}{
		{finder{n: 4}, []int{1, 2, 3, 9, 2, 3, 8, 1, 2, 3}, 0, []int{9, 2, 3, 8}, 3, false},     // the longest, not the last
		{finder{n: 2}, []int{1, 2, 3, 9, 2, 3, 8, 1, 2, 3}, 0, []int{8, 1, 2, 3}, 2, false},     // both are of two tokens
		{finder{n: 4}, []int{5, 6, 7, 6, 7}, 0, []int{6, 7, 6, 7}, 2, false},                    // into itself
		{finder{prediction: []int{4, 5, 6, 7}}, []int{1, 4}, 1, []int{5, 6, 7}, 64, true},       // its beginning
		{finder{prediction: []int{4, 5, 6, 5, 8}}, []int{1, 2, 5}, 1, []int{6, 5, 8}, 1, true},  // the first of two
		{finder{prediction: []int{4, 5, 6, 5, 8}, at: 2}, []int{1, 2, 5}, 1, []int{8}, 1, true}, // behind the last place
		{finder{prediction: []int{4, 5}}, []int{1, 4, 5}, 1, nil, 0, false},                     // it is at its end
		{finder{n: 3, prediction: []int{9, 3}}, []int{1, 2, 3, 7, 1, 2, 3}, 6, []int{7, 1, 2, 3}, 3, false},
		{finder{n: 3}, nil, 0, nil, 0, false},
	} {
		list, same, predicted := c.f.find(c.ids, c.prompt, 4)
		if !slices.Equal(list, c.want) || len(list) > 0 && (same != c.same || predicted != c.predicted) {
			t.Errorf("%d: %v, %d, %v; want %v, %d, %v", i, list, same, predicted, c.want, c.same, c.predicted)
		}
	}
}

// BenchmarkFinder is the time of a look through a long text.
func BenchmarkFinder(b *testing.B) {
	ids := make([]int, 32768)
	for i := range ids {
		ids[i] = i * i % 1013
	}
	f := finder{n: 16, prediction: ids[:16384]}
	for b.Loop() {
		f.find(ids, 20000, 15)
	}
}
