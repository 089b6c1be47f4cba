package llm

import (
	"context"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/lucid-go/lucid"
)

// TestGreedyWhereLogitsAre: the token that is chosen where the logits are is the one that is chosen of logits that were read, with the same
// probability, alone and in a batch.
func TestGreedyWhereLogitsAre(t *testing.T) {
	m := tiny(t)
	read := func(o Options) (ids []int, probs []float64) {
		for tok, err := range m.Generate(context.Background(), "The quick brown fox", o) {
			if err != nil {
				t.Fatal(err)
			}
			ids, probs = append(ids, tok.ID), append(probs, tok.LogProb)
		}
		return ids, probs
	}
	plain := Options{MaxTokens: 24, IgnoreEnd: true}
	other := plain
	other.TopLogProbs = 1 // for which logits are read
	if vocabulary := m.Config().Vocab; plain.wanted(vocabulary) != 1 || other.wanted(vocabulary) != 0 {
		t.Fatal("the options do not choose the two ways")
	}
	ids, probs := read(plain)
	wantIDs, wantProbs := read(other)
	b := newBatcher(t, m, BatcherOptions{})
	n := 0
	for tok, err := range b.Generate(context.Background(), "The quick brown fox", plain) {
		if err != nil {
			t.Fatal(err)
		}
		if tok.ID != wantIDs[n] || tok.LogProb != wantProbs[n] {
			t.Fatalf("token %d of a batch is %d with %v, want %d with %v", n, tok.ID, tok.LogProb, wantIDs[n], wantProbs[n])
		}
		n++
	}
	if len(ids) != 24 || n != 24 {
		t.Fatalf("%d and %d tokens, want 24", len(ids), n)
	}
	for i := range ids {
		if ids[i] != wantIDs[i] || probs[i] != wantProbs[i] {
			t.Fatalf("token %d is %d with %v, want %d with %v", i, ids[i], probs[i], wantIDs[i], wantProbs[i])
		}
	}
}

// TestSampledWhereLogitsAre: tokens that are chosen of the few candidates found where the logits are, alone and next to texts with other
// options, are those chosen of logits that were read.
func TestSampledWhereLogitsAre(t *testing.T) {
	m := tiny(t)
	vocabulary := m.Config().Vocab
	cases := []struct {
		o      Options
		wanted int
	}{
		{Options{}, 1},
		{Options{Temperature: 1, TopK: 40}, 40},
		{Options{Temperature: 0.7, TopK: 8, TopP: 0.9, MinP: 0.05}, 8},
		{Options{Temperature: 1.5, TopK: 100, Typical: 0.8, XTC: 0.5}, 100},
		{Options{Temperature: 1, TopK: vocabulary}, 0},
		{Options{Temperature: 1, TopP: 0.9}, 0},
		{Options{Temperature: 1, TopK: 40, PresencePenalty: 1}, 0},
		{Options{Temperature: 1, Mirostat: 3}, 0},
	}
	b := newBatcher(t, m, BatcherOptions{})
	var wg sync.WaitGroup
	for i, c := range cases {
		c.o.MaxTokens, c.o.IgnoreEnd, c.o.Seed = 24, true, uint64(i)
		if got := c.o.wanted(vocabulary); got != c.wanted {
			t.Errorf("%+v: %d tokens are wanted, want %d", c.o, got, c.wanted)
		}
		read := c.o
		read.Processors = append(read.Processors, func([]int, []float32) {}) // for which logits are read
		want := chosen(t, m.Generate(context.Background(), "The quick brown fox", read))
		if got := chosen(t, m.Generate(context.Background(), "The quick brown fox", c.o)); !slices.Equal(got, want) {
			t.Errorf("%+v: tokens %v, want %v", c.o, got, want)
		}
		wg.Go(func() {
			if got := chosen(t, b.Generate(context.Background(), "The quick brown fox", c.o)); !slices.Equal(got, want) {
				t.Errorf("%+v, in a batch: tokens %v, want %v", c.o, got, want)
			}
		})
	}
	wg.Wait()
}

// chosen are the tokens of a text with their probabilities.
func chosen(t *testing.T, text iter.Seq2[Token, error]) (list []TokenProb) {
	for tok, err := range text {
		if err != nil {
			t.Error(err)
		}
		list = append(list, TokenProb{tok.ID, tok.LogProb})
	}
	return list
}

// TestScoresFor compares tokens chosen of a few candidates with those of all logits, with ties, with values that are no numbers, and where
// MinP leaves more than were found.
func TestScoresFor(t *testing.T) {
	m := tiny(t)
	const rows, vocabulary = 6, 5000
	logits := make([]float32, rows*vocabulary)
	r := rand.New(rand.NewPCG(3, 4))
	for i := range logits {
		logits[i] = float32(math.Round(4*r.NormFloat64())) / 2 // many are equal
	}
	logits[2*vocabulary+17] = float32(math.NaN())
	logits[3*vocabulary+99] = float32(math.Inf(1))
	for _, c := range []struct {
		o   Options
		few bool
	}{
		{Options{Temperature: 0.8, TopK: 50}, true},
		{Options{Temperature: 2, TopK: 1000, TopP: 0.9}, true},
		{Options{Temperature: 0.2, MinP: 0.3}, true},
		{Options{Temperature: 3, MinP: 0.01}, false},
		{Options{}, true},
	} {
		for row := range rows {
			own := logits[row*vocabulary : (row+1)*vocabulary]
			y := m.scoresFor(lucid.New(own, 1, vocabulary), []*Options{&c.o})[0]
			want := c.few || row == 3 // behind infinity nothing is left
			if row == 2 {
				want = c.o.Temperature == 0
			}
			if few := y.logits == nil; few != want {
				t.Errorf("%+v, row %d: few candidates are %v", c.o, row, few)
			}
			for seed := range uint64(20) {
				c.o.Seed = seed
				want, err := m.newSampler(c.o, nil).next(scores{logits: own, sum: y.sum})
				got, err2 := m.newSampler(c.o, nil).next(y)
				if err != nil || err2 != nil || got.ID != want.ID && row != 2 || row != 2 && row != 3 && got.LogProb != want.LogProb {
					t.Fatalf("%+v, row %d: %v %v, want %v %v", c.o, row, got, err2, want, err)
				}
			}
		}
	}
}
