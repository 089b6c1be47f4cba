package llm

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
)

// scored is the logarithm of the probability of a continuation, by one evaluation of the whole text.
func scored(m *Model, prompt, ids []int) (sum float64) {
	all := slices.Concat(prompt, ids)
	lucid.NoGrad(func() {
		y := m.Forward(lucid.New(all, 1, len(all))).LogSoftmax(-1)
		v := lucid.ToSlice[float32](y)
		for i, id := range ids {
			sum += float64(v[(len(prompt)+i-1)*m.Config().Vocab+id])
		}
	})
	return sum
}

// TestBest asserts that the texts of a beam search differ, are in order, have the probabilities they say, and are at least as probable as
// the greedy one; and that all continuations of two tokens are searched if the beams are wide enough.
func TestBest(t *testing.T) {
	m := tiny(t)
	prompt := []int{1, 2, 3}
	greedy := generated(t, m, prompt, Options{MaxTokens: 8, IgnoreEnd: true})
	one, err := m.BestIDs(context.Background(), prompt, 1, Options{MaxTokens: 8, IgnoreEnd: true})
	if err != nil || !slices.Equal(one[0].IDs, greedy) {
		t.Errorf("one beam: %v %v, want %v", one, err, greedy)
	}
	list, err := m.BestIDs(context.Background(), prompt, 5, Options{MaxTokens: 8, IgnoreEnd: true})
	if err != nil || len(list) != 5 || list[0].LogProb < scored(m, prompt, greedy)-1e-4 {
		t.Fatalf("%v %v", list, err)
	}
	for i, g := range list {
		if want := scored(m, prompt, g.IDs); math.Abs(want-g.LogProb) > 1e-3 || g.Finish != "length" ||
			i > 0 && (g.LogProb > list[i-1].LogProb || slices.Equal(g.IDs, list[i-1].IDs)) {
			t.Errorf("text %d: %+v, want %v", i, g, want)
		}
	}
	wide, err := m.BestIDs(context.Background(), prompt, 64, Options{MaxTokens: 2, IgnoreEnd: true})
	if err != nil {
		t.Fatal(err)
	}
	best := math.Inf(-1)
	for a := range 256 {
		var v []float32
		lucid.NoGrad(func() { v = lucid.ToSlice[float32](m.Forward(lucid.New([]int{1, 2, 3, a}, 1, 4)).LogSoftmax(-1)) })
		best = max(best, float64(v[2*256+a])+float64(slices.Max(v[3*256:])))
	}
	if math.Abs(wide[0].LogProb-best) > 1e-3 {
		t.Errorf("%v, the best of all is %v", wide[0].LogProb, best)
	}
	// Samples are those of the seeds.
	samples, err := m.BestIDs(context.Background(), prompt, 4, Options{MaxTokens: 6, Temperature: 1, Seed: 10})
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint64(4) {
		want := generated(t, m, prompt, Options{MaxTokens: 6, Temperature: 1, Seed: 10 + i})
		if !slices.ContainsFunc(samples, func(g Generation) bool { return slices.Equal(g.IDs, want) }) {
			t.Errorf("seed %d: %v is not among %v", 10+i, want, samples)
		}
	}
	for i, c := range []struct {
		n int
		o Options
	}{{0, Options{}}, {100, Options{}}, {2, Options{RepetitionPenalty: 2}}, {2, Options{Rotate: Rotate{Window: 50}}},
		{1, Options{MaxTokens: -1}}} {
		_, err := m.BestIDs(context.Background(), prompt, c.n, c.o)
		if !errors.Is(err, lucid.ErrValue) && !errors.Is(err, lucid.ErrNotImplemented) {
			t.Errorf("case %d: %v", i, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, o := range []Options{{}, {Temperature: 1}} {
		if _, err := m.BestIDs(ctx, prompt, 2, o); !errors.Is(err, context.Canceled) {
			t.Errorf("canceled: %v", err)
		}
	}
	if _, err := m.Best(context.Background(), "abc", 2, Options{MaxTokens: 120, Stop: []string{"x"}}); err != nil {
		t.Error(err)
	}
}
