package llm

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/llm/grammar"
)

// TestGoldenSamplers compares the probabilities that the filters leave with those of transformers.
func TestGoldenSamplers(t *testing.T) {
	data, err := os.ReadFile("testdata/samplers.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Options       Options
		Logits        []float32
		IDs           []int
		Probabilities []float64
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	m := tiny(t)
	for i, c := range cases {
		s := m.newSampler(c.Options, c.IDs)
		logits := slices.Clone(c.Logits)
		s.adjust(logits)
		p := s.filter(s.scaled(s.candidates(logits)))
		sum, got := total(p), make([]float64, len(logits))
		for _, x := range p {
			got[x.id] = x.v / sum
		}
		for id := range got {
			if math.Abs(got[id]-c.Probabilities[id]) > 2e-6 {
				t.Errorf("case %d, %+v: token %d has %v, want %v", i, c.Options, id, got[id], c.Probabilities[id])
				break
			}
		}
	}
	if len(cases) < 20 {
		t.Errorf("%d cases", len(cases))
	}
}

// TestPenalties checks the other changes of logits by hand.
func TestPenalties(t *testing.T) {
	m := tiny(t)
	adjusted := func(o Options, prompt []int, generated ...int) []float32 {
		s := m.newSampler(o, prompt)
		s.ids = append(s.ids, generated...)
		logits := make([]float32, 10)
		s.adjust(logits)
		return logits
	}
	// Presence and frequency count what was generated, not the prompt.
	if got := adjusted(Options{PresencePenalty: 1, FrequencyPenalty: 0.5}, []int{1, 1}, 2, 2, 3); !slices.Equal(got, []float32{0, 0, -2,
		-1.5, 0, 0, 0, 0, 0, 0}) {
		t.Errorf("presence and frequency: %v", got)
	}
	if got := adjusted(Options{FrequencyPenalty: 1, PenaltyWindow: 2}, nil, 2, 2, 3); !slices.Equal(got[:4], []float32{0, 0, -1, -1}) {
		t.Errorf("the last two: %v", got)
	}
	if got := adjusted(Options{LogitBias: map[int]float64{4: -3, 5: math.Inf(-1), 99: 1}}, nil); got[4] != -3 ||
		!math.IsInf(float64(got[5]), -1) {
		t.Errorf("bias: %v", got)
	}
	seen := []int(nil)
	double := func(ids []int, logits []float32) { seen, logits[0] = slices.Clone(ids), 7 }
	if got := adjusted(Options{Processors: []func([]int, []float32){double}}, []int{8}, 9); got[0] != 7 || !slices.Equal(seen, []int{8,
		9}) {
		t.Errorf("a processor: %v saw %v", got, seen)
	}
	// 1 2 3 4 … 1 2 3: 4 would make the repetition of three tokens longer.
	dry := DRY{Multiplier: 0.8}
	if got := adjusted(Options{DRY: dry}, []int{1, 2, 3, 4, 0, 1, 2, 3}); math.Abs(float64(got[4])+0.8*1.75) > 1e-6 || got[0] != 0 {
		t.Errorf("DRY: %v", got)
	}
	if got := adjusted(Options{DRY: dry}, []int{1, 2, 4, 0, 1, 2}); math.Abs(float64(got[4])+0.8) > 1e-6 {
		t.Errorf("DRY at the allowed length: %v", got)
	}
	if got := adjusted(Options{DRY: dry}, []int{2, 4, 0, 2}); got[4] != 0 {
		t.Errorf("DRY below the allowed length: %v", got)
	}
	dry.Breakers = []string{"\x02"}
	if got := adjusted(Options{DRY: dry}, []int{1, 2, 3, 4, 0, 1, 2, 3}); got[4] != 0 {
		t.Errorf("DRY over a breaker: %v", got)
	}
}

// TestXTCMirostat checks llama.cpp's definitions where they can be seen by eye.
func TestXTCMirostat(t *testing.T) {
	m := tiny(t)
	logits := make([]float32, 5)
	for i, p := range []float64{0.4, 0.3, 0.2, 0.06, 0.04} {
		logits[i] = float32(math.Log(p))
	}
	left := func(o Options) (ids []int) {
		s := m.newSampler(o, nil)
		for _, c := range s.filter(s.scaled(s.candidates(logits))) {
			ids = append(ids, c.id)
		}
		slices.Sort(ids)
		return ids
	}
	for bound, want := range map[float64][]int{0.1: {2, 3, 4}, 0.25: {1, 2, 3, 4}, 0.35: {0, 1, 2, 3, 4}, 0.6: {0, 1, 2, 3, 4}} {
		if got := left(Options{Temperature: 1, XTC: 1, XTCThreshold: bound}); !slices.Equal(got, want) {
			t.Errorf("threshold %v leaves %v, want %v", bound, got, want)
		}
	}
	// Mirostat begins with a bound of twice its aim: 2 bits leave the first two tokens, of 4/7 and 3/7.
	for seed := range uint64(20) {
		s := m.newSampler(Options{Temperature: 1, Mirostat: 1, Seed: seed}, nil)
		tok, err := s.next(scores{logits: logits, sum: logSumExp(logits)})
		if err != nil || tok.ID > 1 {
			t.Fatalf("mirostat takes %d, %v", tok.ID, err)
		}
		if want := 2 - 0.1*(-math.Log2([]float64{4. / 7, 3. / 7}[tok.ID])-1); math.Abs(s.mu-want) > 1e-6 {
			t.Errorf("mirostat's bound is %v after token %d, want %v", s.mu, tok.ID, want)
		}
	}
}

// TestGrammar generates texts that a grammar describes, alone and in a batch.
func TestGrammar(t *testing.T) {
	m := tiny(t)
	g, err := grammar.Regex(`[0-9]{3}-(red|blue)`)
	if err != nil {
		t.Fatal(err)
	}
	b := newBatcher(t, m, BatcherOptions{})
	for seed := range uint64(10) {
		o, text, finish := Options{Temperature: 2, Seed: seed, Grammar: g, MaxTokens: 40}, "", ""
		for tok, err := range m.Generate(context.Background(), "x", o) {
			if err != nil {
				t.Fatal(err)
			}
			text += tok.Text
			finish = tok.Finish
		}
		if !g.Matches(text) || finish != "end" {
			t.Errorf("%q, finish %q", text, finish)
		}
		alone := collect(t, m.Generate(context.Background(), "x", o))
		if got := collect(t, b.Generate(context.Background(), "x", o)); !slices.Equal(got, alone) {
			t.Errorf("in a batch %v, alone %v", got, alone)
		}
	}
	greek, err := grammar.GBNF(`root ::= "α" [β-δ]* "\n"`)
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for tok, err := range m.Generate(context.Background(), "x", Options{Temperature: 1, Grammar: greek, MaxTokens: 60, Seed: 4}) {
		if err != nil {
			t.Fatal(err)
		}
		text += tok.Text
	}
	if !strings.HasPrefix(text, "α") {
		t.Errorf("%q", text)
	}
	for _, o := range []Options{{Typical: 2}, {XTC: -1}, {XTCThreshold: 2}, {Mirostat: 5}, {Mirostat: -1}, {PenaltyWindow: -1},
		{TopLogProbs: 5000},
		{DRY: DRY{Multiplier: -1}}, {DRY: DRY{Base: 0.5}}, {DRY: DRY{Breakers: []string{""}}}, {LogitBias: map[int]float64{-1: 1}},
		{PresencePenalty: math.NaN()}, {FrequencyPenalty: math.Inf(1)}, {LogitBias: map[int]float64{1: math.NaN()}},
		{Temperature: 1, Mirostat: 5, TopK: 3}} {
		for _, err := range m.Generate(context.Background(), "a", o) {
			if !errors.Is(err, lucid.ErrValue) {
				t.Errorf("%+v: %v", o, err)
			}
		}
	}
}

func logSumExp(list []float32) float64 {
	most := float64(list[largest(list)])
	sum := 0.0
	for _, v := range list {
		sum += math.Exp(float64(v) - most)
	}
	return most + math.Log(sum)
}
