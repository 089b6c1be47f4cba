package llm

import (
	"context"
	"testing"
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
	if !plain.plainGreedy() || other.plainGreedy() {
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
