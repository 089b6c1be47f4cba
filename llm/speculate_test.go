package llm

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/lucid-go/lucid"
)

// TestSpeculate asserts that a text with guesses is the text without them, token by token with its probabilities, greedy and sampled,
// whether guesses are right or wrong, past windows and up to the end of the context.
func TestSpeculate(t *testing.T) {
	g := goldens(t)
	load := func(name string) *Model {
		m, err := Load(folder(t, g.Cases[name]))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	other := load("mistral")
	names := []string{"llama", "gemma3", "gpt2", "qwen3"}
	if testing.Short() {
		names = names[:2]
	}
	for _, name := range names {
		m, twin := load(name), load(name)
		prompt := slices.Concat(g.Prompt, g.Prompt, []int{1, 2, 3, 1, 2, 3, 1, 2})
		for i, o := range []Options{{MaxTokens: 40}, {MaxTokens: 40, Temperature: 1.1, Seed: 3, TopP: 0.9, RepetitionPenalty: 1.1}, {}} {
			want := collect(t, m.GenerateIDs(context.Background(), prompt, o))
			for j, s := range []Speculate{{Lookup: 3}, {Draft: other}, {Draft: twin, Tokens: 6}, {Lookup: 2, Draft: twin}} {
				if i == 2 && j != 2 {
					continue
				}
				o.Speculate = s
				if got := collect(t, m.GenerateIDs(context.Background(), prompt, o)); !slices.Equal(got, want) {
					t.Errorf("%s, options %d, guesses %d: %d tokens\n%v\nwant %d\n%v", name, i, j, len(got), got, len(want), want)
				}
			}
		}
	}
}

// TestGuesses asserts that a draft which is the model itself is always right, and saves evaluations.
func TestGuesses(t *testing.T) {
	m, twin := tiny(t), tiny(t)
	steps := 0
	step := m.step
	m.step = func(ids, start, last *lucid.Tensor, caches [][]*lucid.Tensor) *lucid.Tensor {
		steps++
		return step(ids, start, last, caches)
	}
	o := Options{MaxTokens: 41, Speculate: Speculate{Draft: twin}}
	collect(t, m.GenerateIDs(context.Background(), []int{1, 2, 3, 4, 5, 6, 7, 8}, o))
	if steps != 1+8 { // the prompt, then five tokens each
		t.Errorf("%d evaluations", steps)
	}
	for _, c := range []struct {
		ids  []int
		n    int
		want []int
	}{{[]int{1, 2, 3, 4, 1, 2}, 2, []int{3, 4, 1}}, {[]int{1, 2, 3, 4, 9, 2}, 2, []int{3, 4, 9}}, {[]int{1, 2, 3}, 3, nil},
		{[]int{1}, 3, nil}, {[]int{5, 5, 5}, 2, []int{5, 5, 5}}} {
		f := finder{n: c.n}
		if got, _, _ := f.find(c.ids, 0, 3); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.ids, got, c.want)
		}
	}
	special := withTemplate(t, "", "<x>")
	for _, s := range []Speculate{{Tokens: -1}, {Tokens: 4}, {Lookup: -1}, {Lookup: 1000}, {Draft: m}, {Draft: special}} {
		var err error
		for _, err = range m.GenerateIDs(context.Background(), []int{1}, Options{MaxTokens: 2, Speculate: s}) {
			break
		}
		if !errors.Is(err, lucid.ErrValue) {
			t.Errorf("%+v: %v", s, err)
		}
	}
}

// TestRotate asserts that a text that is full goes on as if what it keeps were the prompt, in the memory of its window.
func TestRotate(t *testing.T) {
	m := tiny(t)
	prompt := []int{7, 8, 9, 10, 11}
	r := Rotate{Window: 32, Keep: 4}
	for _, guess := range []Speculate{{}, {Lookup: 2}} {
		got := generated(t, m, prompt, Options{MaxTokens: 150, Rotate: r, IgnoreEnd: true, Speculate: guess})
		text := slices.Clone(prompt)
		var want []int
		for len(want) < 150 {
			if list := r.rotated(text, 32); list != nil {
				text = list
			}
			id := generated(t, m, text, Options{MaxTokens: 1, IgnoreEnd: true})[0]
			want, text = append(want, id), append(text, id)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%+v: %v\nwant %v", guess, got, want)
		}
	}
	// Past the context, which would end the text; a prompt that is longer than the window.
	long := make([]int, 200)
	for i := range long {
		long[i] = i % 250
	}
	c := m.NewCache()
	defer c.Free()
	o := Options{MaxTokens: 200, Rotate: Rotate{Window: 1000, Keep: 2}, IgnoreEnd: true, Cache: c}
	if got := generated(t, m, long, o); len(got) != 200 {
		t.Errorf("%d tokens", len(got))
	}
	if n := m.Config().Context; c.s.capacity > n || c.Tokens() > n {
		t.Errorf("a capacity of %d, %d tokens", c.s.capacity, c.Tokens())
	}
	for _, r := range []Rotate{{Window: -1}, {Keep: 1}, {Window: 10, Keep: 5}, {Window: 100, Keep: -1},
		{Window: 1 << 20, Keep: m.Config().Context}} {
		var err error
		for _, err = range m.GenerateIDs(context.Background(), []int{1}, Options{Rotate: r}) {
			break
		}
		if !errors.Is(err, lucid.ErrValue) {
			t.Errorf("%+v: %v", r, err)
		}
	}
}

// TestAhead asserts that the next token is computed while the reader has the last one, and that a reader who leaves ends it.
func TestAhead(t *testing.T) {
	m := tiny(t)
	began := make(chan bool, 100)
	step := m.step
	m.step = func(ids, start, last *lucid.Tensor, caches [][]*lucid.Tensor) *lucid.Tensor {
		began <- true
		return step(ids, start, last, caches)
	}
	n := 0
	for _, err := range m.GenerateIDs(context.Background(), []int{1, 2, 3, 4, 5, 6, 7, 8}, Options{MaxTokens: 10, IgnoreEnd: true}) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n == 1 {
			<-began // of the prompt
		}
		if n == 3 {
			break
		}
		select {
		case <-began:
		case <-time.After(20 * time.Second):
			t.Fatal("the next token waits for the reader")
		}
	}
	if len(began) != 1 {
		t.Errorf("%d evaluations more", len(began))
	}
}
