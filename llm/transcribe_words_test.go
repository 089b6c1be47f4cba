package llm

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestAlign compares when tokens are said, and how probable they are, with transformers.
func TestAlign(t *testing.T) {
	g, w := tinyTranscriber(t)
	if want := [][2]int{{1, 0}, {1, 1}}; !slices.Equal(w.rules.aligned, want) {
		t.Errorf("heads %v; want %v", w.rules.aligned, want)
	}
	w.rules.aligned = g.Aligned.Heads
	cross, err := w.listen(chirp(16000), 16000)
	if err != nil {
		t.Fatal(err)
	}
	times, sure, err := w.align(cross, g.Aligned.Prompt, g.Aligned.Text, g.Aligned.Frames)
	if err != nil {
		t.Fatal(err)
	}
	var want []time.Duration
	for _, at := range g.Aligned.At {
		want = append(want, time.Duration(at)*tick)
	}
	if !slices.Equal(times, want) {
		t.Errorf("tokens are said at %v; want %v", times, want)
	}
	for i, p := range g.Aligned.Sure {
		if len(sure) != len(g.Aligned.Sure) || math.Abs(sure[i]-p) > 1e-3*p {
			t.Fatalf("tokens have the probabilities %v; want %v", sure, g.Aligned.Sure)
		}
	}
	if times, _, err := w.align(cross, g.Aligned.Prompt, g.Aligned.Text, 1); err != nil || slices.Max(times) != 0 {
		t.Errorf("of one position: %v, %v", times, err)
	}
}

// TestWarp finds the way by hand.
func TestWarp(t *testing.T) {
	for _, tt := range []struct {
		matrix []float64
		want   []int
	}{
		{[]float64{5, 1, 0, 0, 0, 5, 5, 0, 0, 0, -1, 9}, []int{0, 1, 3}},
		{[]float64{1, 1, 1}, []int{0, 0, 0}},
		{[]float64{0, 0, 7, 0, 0, 0, 0, 0, 3}, []int{0, 2, 2}},
	} {
		if got := warp(tt.matrix, 3); !slices.Equal(got, tt.want) {
			t.Errorf("%v: %v; want %v", tt.matrix, got, tt.want)
		}
	}
}

// TestWords cuts texts into words.
func TestWords(t *testing.T) {
	_, w := tinyTranscriber(t)
	bytes := func(s string) (ids []int) {
		for _, b := range []byte(s) {
			ids = append(ids, w.Tokenizer().Encode(string(rune(b)))...)
		}
		return ids
	}
	for text, want := range map[string]string{
		" Light, he said, is \"white\".": " Light,| he| said,| is| \"white\".", "no space": "no| space", " (so) it goes": " (so)| it| goes",
		"": "", "...": "...",
	} {
		var got []string
		for _, ids := range w.split(bytes(text), false) {
			got = append(got, w.textOf(ids))
		}
		if s := strings.Join(got, "|"); s != want {
			t.Errorf("%q is %q; want %q", text, s, want)
		}
	}
	cross, err := w.listen(chirp(16000), 16000)
	if err != nil {
		t.Fatal(err)
	}
	marked := []Segment{{Tokens: append(bytes("so"), w.Config().End+1)}, {Tokens: append([]int{w.Config().End + 2}, bytes(" it")...)}}
	if err := w.addWords(cross, marked, "en", &TranscribeOptions{}, 0, 16000); err != nil || len(marked[0].Words) != 1 ||
		len(marked[1].Words) != 1 || marked[1].Words[0].Text != " it" {
		t.Errorf("with special tokens: %+v, %v", marked, err)
	}
	o := TranscribeOptions{Language: "en", Words: true, CompressionRatioThreshold: math.Inf(1), LogProbThreshold: math.Inf(-1)}
	got, err := w.Transcribe(context.Background(), Audio{chirp(40000), 16000}, o)
	if err != nil || len(got.Segments) == 0 {
		t.Fatalf("%+v, %v", got, err)
	}
	last := time.Duration(0)
	for _, s := range got.Segments {
		text := ""
		for _, word := range s.Words {
			if word.Start < s.Part || word.End < word.Start || word.End > s.Part+time.Second || !(word.Probability >= 0) {
				t.Errorf("%+v behind %v", word, last)
			}
			text, last = text+word.Text, word.End
		}
		if strings.ToValidUTF8(text, "") != strings.ToValidUTF8(s.Text, "") {
			t.Errorf("the words are %q; want %q", text, s.Text)
		}
	}
}
