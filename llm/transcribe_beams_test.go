package llm

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
)

// beamCase is a search by transformers.
type beamCase struct {
	Mode  string
	Size  int
	Early bool // it ends when as many texts as there are beams ended
	Power float64
	Score float64
	IDs   []int
}

// TestBeams compares the best texts of searches, and their scores, with transformers. The end is as likely there as what is said most.
func TestBeams(t *testing.T) {
	g, dir := whisperFolder(t, func(table []float32) {
		row := func(id int) []float32 { return table[id*32 : (id+1)*32] }
		for i := range row(256) {
			row(256)[i] = 0.55*row(41)[i] + 0.4*row(100)[i]
		}
	})
	w, err := LoadTranscriber(dir)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	cross, err := w.listen(chirp(16000), 16000)
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Beams) == 0 {
		t.Error("no searches")
	}
	for _, c := range g.Beams {
		if testing.Short() && c.Size > 5 {
			continue
		}
		o := TranscribeOptions{Translate: c.Mode == "plain", NoTimestamps: c.Mode == "plain", BeamSize: c.Size, LengthPenalty: c.Power}
		if c.Early {
			o.Patience = 1
		}
		if c.Power == 0 {
			o.LengthPenalty = -1
		}
		if err := o.check(&w.rules); err != nil {
			t.Fatal(err)
		}
		prompt, task := w.prompt(map[bool]string{true: "en", false: "de"}[c.Mode == "plain"], nil, o)
		first := &spoken{d: w.newDecoder(cross)}
		if first.scores, err = first.d.next(prompt); err != nil {
			t.Fatal(err)
		}
		best, err := w.beams(ctx, first, 20-len(prompt), &o)
		if err != nil {
			t.Fatal(err)
		}
		score := best.own / math.Pow(float64(best.tokens), max(0, o.LengthPenalty))
		if !slices.Equal(best.text, c.IDs) || math.Abs(score-c.Score) > 1e-4*math.Abs(c.Score) {
			t.Errorf("%+v: %v with %v", c, best.text, score)
		}
		if c.Size > 5 {
			continue
		}
		text, f, err := w.write(ctx, cross, prompt, task, &o, 0, nil)
		if err != nil || !slices.Equal(text, c.IDs) || f.AvgLogProb < best.own/float64(best.tokens) || f.AvgLogProb >= 0 {
			t.Errorf("%+v: written %v, %+v, %v", c, text, f, err)
		}
	}
}

// TestBeamOptions asserts that one beam is the likeliest token every time, that a search is for a temperature of 0 alone, and that what
// makes no sense is refused.
func TestBeamOptions(t *testing.T) {
	_, w := tinyTranscriber(t)
	sound := Audio{Rate: 16000, Samples: chirp(40000)}
	text := func(o TranscribeOptions) string {
		t.Helper()
		o.CompressionRatioThreshold, o.LogProbThreshold, o.Language = math.Inf(1), math.Inf(-1), "de"
		out, err := w.Transcribe(context.Background(), sound, o)
		if err != nil {
			t.Fatal(err)
		}
		return out.Text
	}
	if one, none := text(TranscribeOptions{BeamSize: 1}), text(TranscribeOptions{}); one != none {
		t.Errorf("one beam writes %q, none %q", one, none)
	}
	warm := TranscribeOptions{Temperatures: []float64{0.7}, Seed: 3}
	want := text(warm)
	if warm.BeamSize = 5; text(warm) != want {
		t.Error("a search changes what is chosen by chance")
	}
	if five := text(TranscribeOptions{BeamSize: 5}); five != text(TranscribeOptions{BeamSize: 5}) {
		t.Error("two searches write two texts")
	}
	for _, o := range []TranscribeOptions{{BeamSize: -1}, {BeamSize: 65}, {BeamSize: 2, Patience: -1}, {BeamSize: 2, Patience: math.NaN()},
		{Patience: 1}, {BeamSize: 2, LengthPenalty: -2}, {BeamSize: 2, LengthPenalty: math.Inf(1)},
		{BeamSize: 2, LengthPenalty: math.NaN()}} {
		if _, err := w.Transcribe(context.Background(), sound, o); !errors.Is(err, lucid.ErrValue) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := w.Transcribe(ctx, sound, TranscribeOptions{BeamSize: 3}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}
