package llm

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
)

// TestTranscriptFacts compares what is said of a text with the logits of one pass over all of it.
func TestTranscriptFacts(t *testing.T) {
	_, w := tinyTranscriber(t)
	w.rules.previous, w.rules.silence = 256, 259
	cross, err := w.listen(chirp(16000), 16000)
	if err != nil {
		t.Fatal(err)
	}
	prompt, task := w.prompt("de", []int{'x', 'y', 'z'}, TranscribeOptions{})
	if want := []int{256, 'x', 'y', 'z', 257, 259, 261}; !slices.Equal(prompt, want) || task != 4 {
		t.Fatalf("the prompt is %v, its task at %d; want %v", prompt, task, want)
	}
	text, facts, err := w.write(context.Background(), cross, prompt, task, &TranscribeOptions{}, 0, nil)
	if err != nil || len(text) == 0 {
		t.Fatal(text, err)
	}
	var all [][]float32
	lucid.NoGrad(func() {
		ids := slices.Concat(prompt, text)
		y := w.Module().Decode(lucid.New(ids, 1, len(ids)), lucid.New([]int64{0}, 1), w.Module().NewCache(), cross)
		for i := range ids {
			all = append(all, lucid.ToSlice[float32](y.Narrow(1, i, 1)))
		}
	})
	probability := func(scores []float32, id int) float64 { return math.Exp(float64(scores[id]) - logSum(scores)) }
	if want := probability(all[task], 259); math.Abs(facts.NoSpeechProb-want) > 1e-4*want {
		t.Errorf("silence has the probability %v; want %v", facts.NoSpeechProb, want)
	}
	sum, n := 0.0, 0
	end := w.Config().End
	for i := range len(text) + 1 {
		id := end
		if i < len(text) {
			id = text[i]
		} else if i == w.Config().Context/2-(len(prompt)-task) { // cut off
			break
		}
		scores := slices.Clone(all[len(prompt)-1+i])
		w.rules.allow(scores, text[:i], end, true)
		sum, n = sum+math.Log(probability(scores, id)), n+1
	}
	if want := sum / float64(n); math.Abs(facts.AvgLogProb-want) > 1e-3 {
		t.Errorf("tokens have the log-probability %v; want %v", facts.AvgLogProb, want)
	}
	half := w.Config().Context / 2
	if long, at := w.prompt("de", make([]int, 4*half), TranscribeOptions{}); at != half || long[0] != 256 || len(long) != half+3 {
		t.Errorf("%d tokens, the task at %d, of a long text before", len(long), at)
	}
	for text, want := range map[string][2]float64{"": {0, 0}, "so it goes": {0.3, 1}, strings.Repeat("and so on ", 30): {10, 30}} {
		if c := compression(text); c < want[0] || c > want[1] {
			t.Errorf("%.20q is compressed by %v; want %v", text, c, want)
		}
	}
}

// TestTranscriptTemperatures: texts that are not good are written again, by chance that a seed decides; silence stays silent.
func TestTranscriptTemperatures(t *testing.T) {
	_, w := tinyTranscriber(t)
	w.rules.previous, w.rules.silence = 256, 259
	ctx, sound := context.Background(), Audio{chirp(24000), 16000}
	infinity := math.Inf(1)
	hear := func(o TranscribeOptions) *Transcript {
		o.Language = "en"
		got, err := w.Transcribe(ctx, sound, o)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	at := func(tr *Transcript) float64 {
		if len(tr.Segments) == 0 {
			t.Fatalf("no segments: %+v", tr)
		}
		return tr.Segments[0].Temperature
	}
	any := TranscribeOptions{CompressionRatioThreshold: infinity, LogProbThreshold: -infinity}
	greedy := hear(any)
	if at(greedy) != 0 || hear(TranscribeOptions{Temperatures: []float64{0}}).Text != greedy.Text {
		t.Errorf("a text that is good was not the greedy one: %+v", greedy)
	}
	never := TranscribeOptions{LogProbThreshold: infinity, NoSpeechThreshold: infinity, Seed: 3}
	chance := hear(never)
	if at(chance) != 1 || chance.Text == greedy.Text || chance.Text != hear(never).Text {
		t.Errorf("%q at %v, then %q; greedy %q", chance.Text, at(chance), hear(never).Text, greedy.Text)
	}
	never.Seed = 4
	if hear(never).Text == chance.Text {
		t.Error("another seed has the same text")
	}
	repeats := any
	repeats.CompressionRatioThreshold, repeats.Temperatures = 1e-9, []float64{0, 0.7}
	if got := hear(repeats); at(got) != 0.7 {
		t.Errorf("a text that repeats itself was taken at %v", at(got))
	}
	if got := hear(TranscribeOptions{NoSpeechThreshold: 1e-9, LogProbThreshold: infinity}); len(got.Segments) != 0 || got.Text != "" {
		t.Errorf("silence is %+v", got)
	}
	told := any
	told.Prompt, told.Context = "Newton's rings", true
	if got := hear(told); got.Text == greedy.Text {
		t.Error("a prompt changed nothing")
	}
	for _, o := range []TranscribeOptions{{Temperatures: []float64{}}, {Temperatures: []float64{-1}}, {Temperatures: []float64{infinity}},
		{LogProbThreshold: math.NaN()}} {
		if _, err := w.Transcribe(ctx, sound, o); !errors.Is(err, lucid.ErrValue) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	broken := w.Module().DecoderNorm.Weight
	lucid.NoGrad(func() { broken.Assign(lucid.FullLike(broken, math.NaN())) })
	if got, err := w.Transcribe(ctx, sound, any); !errors.Is(err, lucid.ErrValue) {
		t.Errorf("scores that are no numbers: %+v, %v", got, err)
	}
	w.rules.previous = -1
	if _, err := w.Transcribe(ctx, sound, told); !errors.Is(err, lucid.ErrNotImplemented) {
		t.Error(err)
	}
}
