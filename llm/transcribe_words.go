package llm

import (
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/lucid-go/lucid"
	F "github.com/lucid-go/lucid/nn/functional"
)

// Word is a word of a Segment.
type Word struct {
	Start       time.Duration
	End         time.Duration
	Text        string  // with the space before it
	Probability float64 // of its tokens, in the mean
}

// smoothed is over how many positions of the sound attention is smoothed.
const smoothed = 7

// Punctuation that belongs to the word behind it, and to the word before it, as Whisper's authors have it.
const (
	opening = "\"'“¿([{-"
	closing = "\"'.。,，!！?？:：”)]}、"
)

// spaceless are codes of languages that are written without spaces: their words are letters.
var spaceless = []string{"zh", "ja", "th", "lo", "my", "yue"}

// addWords finds when each word of the segments of a part was said. at is where the part begins, n its samples.
func (t *Transcriber) addWords(cross []*lucid.Tensor, list []Segment, language string, o *TranscribeOptions, at, n int) error {
	said := func(s *Segment) []int { // special tokens, which a model may write, are not
		return slices.DeleteFunc(slices.Clone(s.Tokens), func(id int) bool { return id >= t.net.Config().End })
	}
	var text []int
	for i := range list {
		text = append(text, said(&list[i])...)
	}
	if len(text) == 0 {
		return nil
	}
	plain := *o
	plain.NoTimestamps = true
	prompt, _ := t.prompt(language, nil, plain)
	times, sure, err := t.align(cross, prompt, text, max(n/(2*frameSteps), 1))
	if err != nil {
		return err
	}
	from := 0
	for i := range list {
		for _, ids := range t.split(said(&list[i]), slices.Contains(spaceless, language)) {
			to := from + len(ids)
			w := Word{Start: duration(at) + times[from], End: duration(at) + times[to], Text: t.textOf(ids)}
			for _, p := range sure[from:to] {
				w.Probability += p / float64(to-from)
			}
			list[i].Words = append(list[i].Words, w)
			from = to
		}
	}
	return nil
}

// align finds when each token of a text begins and, last, when the text ends, and how probable each is. frames is how many positions of
// the encoder hold sound.
func (t *Transcriber) align(cross []*lucid.Tensor, prompt, text []int, frames int) (times []time.Duration, sure []float64, err error) {
	c := t.net.Config()
	text = text[:min(len(text), c.Context-len(prompt)-1)]
	ids := slices.Concat(prompt, text, []int{c.End})
	last := len(prompt) - 1 // the token before the text
	var matrix []float64
	t.mu.Lock()
	defer t.mu.Unlock()
	err = lucid.Try(func() {
		lucid.NoGrad(func() {
			with := lucid.With{Device: t.net.Placement().Device}
			logits, weights := t.net.Align(with.New(ids, 1, len(ids)), cross, t.rules.aligned, min(frames, c.Frames))
			p := logits.Select(0, 0).Narrow(0, last, len(text)).Narrow(1, 0, min(c.End, c.Vocab)).To(lucid.Float32).Softmax(-1)
			sure = lucid.ToSlice[float64](p.Gather(1, with.New(text, len(text), 1)).To(lucid.Float64))
			// Each head's attention by how it differs between tokens, smoothed, in the mean.
			spread := lucid.Std(weights, lucid.VarOptions{Dim: []int{1}, KeepDim: true, Correction: new(0.0)})
			w := weights.Sub(weights.Mean(1).Unsqueeze(1)).Div(spread)
			matrix = lucid.ToSlice[float64](smooth(w).Mean(0).Narrow(0, last, len(text)+1).To(lucid.Float64))
		})
	})
	if err != nil {
		return nil, nil, err
	}
	for _, at := range warp(matrix, len(text)+1) {
		times = append(times, time.Duration(at)*tick)
	}
	return times, sure, nil
}

// smooth takes the median of each position and those around it.
func smooth(x *lucid.Tensor) *lucid.Tensor {
	const side = smoothed / 2
	if x.Size(-1) <= side {
		return x
	}
	x = F.Pad(x, []int{side, side}, F.PadOptions{Mode: "reflect"})
	median, _ := lucid.Median(x.Unfold(-1, smoothed, 1), lucid.ArgOptions{Dim: new(-1)})
	return median
}

// warp finds the way through a matrix of rows, from the first element to the last, along which the sum is largest: dynamic time warping.
// It returns the column where each row is reached.
func warp(matrix []float64, rows int) []int {
	columns := len(matrix) / rows
	const diagonal, down, right = 0, 1, 2
	cost := make([]float64, columns+1) // of the row before, then of this one
	steps := make([]byte, rows*columns)
	for j := range cost {
		cost[j] = math.Inf(1)
	}
	cost[0] = 0
	for i := range rows {
		before, left := cost[0], math.Inf(1)
		cost[0] = left
		for j := range columns {
			above, step, best := cost[j+1], byte(right), left
			switch {
			case before <= above && before <= left:
				step, best = diagonal, before
			case above <= left:
				step, best = down, above
			}
			before, left = above, best-matrix[i*columns+j]
			cost[j+1], steps[i*columns+j] = left, step
		}
	}
	at := make([]int, rows)
	for i, j := rows-1, columns-1; i >= 0 && j >= 0; {
		at[i] = j
		switch step := steps[i*columns+j]; {
		case i == 0 || j > 0 && step == right:
			j--
		case j == 0 || step == down:
			i--
		default:
			i, j = i-1, j-1
		}
	}
	return at
}

// split cuts tokens into words: before spaces, or, in languages without them, into letters. Punctuation stays with its word.
func (t *Transcriber) split(ids []int, letters bool) (words [][]int) {
	var whole [][]int // tokens that make letters together
	from := 0
	for i := range ids {
		if !strings.ContainsRune(t.textOf(ids[from:i+1]), utf8.RuneError) || i == len(ids)-1 {
			whole, from = append(whole, ids[from:i+1:i+1]), i+1
		}
	}
	blank := false // the last word is spaces alone
	for _, piece := range whole {
		text := t.textOf(piece)
		mark := strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsPunct(r) }) == ""
		begins := len(words) == 0 || letters || (mark || strings.HasPrefix(text, " ")) && !blank
		blank = begins && strings.TrimSpace(text) == ""
		if begins {
			words = append(words, piece)
		} else {
			words[len(words)-1] = append(words[len(words)-1], piece...)
		}
	}
	return t.mergeMarks(words)
}

// mergeMarks puts punctuation to the word that it belongs to.
func (t *Transcriber) mergeMarks(words [][]int) (out [][]int) {
	belongs := func(ids []int, marks string) bool {
		text := strings.TrimSpace(t.textOf(ids))
		return text != "" && strings.Contains(marks, text)
	}
	for i := len(words) - 2; i >= 0; i-- { // opening marks have a space before them
		if strings.HasPrefix(t.textOf(words[i]), " ") && belongs(words[i], opening) {
			words[i+1] = slices.Concat(words[i], words[i+1])
			words = slices.Delete(words, i, i+1)
		}
	}
	for _, w := range words {
		n := len(out) - 1
		if n >= 0 && belongs(w, closing) && !strings.HasPrefix(t.textOf(w), " ") && !strings.HasSuffix(t.textOf(out[n]), " ") {
			out[n] = slices.Concat(out[n], w)
		} else {
			out = append(out, w)
		}
	}
	return out
}
