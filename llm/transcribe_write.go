package llm

import (
	"bytes"
	"compress/zlib"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/llm/tokenizer"
)

// Facts say how sure a Transcriber was of a text.
type Facts struct {
	Temperature      float64 // at which it was written
	AvgLogProb       float64 // of its tokens and the end
	CompressionRatio float64 // bytes of the text by those of it compressed: high if it repeats itself
	NoSpeechProb     float64 // of silence, by the model; 0 if it does not know
}

// defaultTemperatures are those that Whisper was published with.
var defaultTemperatures = []float64{0, 0.2, 0.4, 0.6, 0.8, 1}

// forgetful is the temperature beyond which a text is no context for the next one.
const forgetful = 0.5

// check fills in defaults and refuses what cannot be.
func (o *TranscribeOptions) check(r *transcriptRules) error {
	def := func(v *float64, to float64) {
		if *v == 0 {
			*v = to
		}
	}
	def(&o.CompressionRatioThreshold, 2.4)
	def(&o.LogProbThreshold, -1)
	def(&o.NoSpeechThreshold, 0.6)
	if o.Temperatures == nil {
		o.Temperatures = defaultTemperatures
	}
	for _, v := range append(slices.Clone(o.Temperatures), o.CompressionRatioThreshold, o.LogProbThreshold, o.NoSpeechThreshold) {
		if math.IsNaN(v) {
			return fault.New(fault.Value, op, "a temperature or a threshold of a transcript is NaN")
		}
	}
	def(&o.LengthPenalty, 1)
	switch {
	case o.BeamSize < 0 || o.BeamSize > maxBeams:
		return fault.New(fault.Value, op, "BeamSize is %d; want 0 to %d", o.BeamSize, maxBeams)
	case !(o.Patience >= 0 && o.Patience <= maxBeams):
		return fault.New(fault.Value, op, "Patience is %v; want 0 to %d", o.Patience, maxBeams)
	case !(o.LengthPenalty >= -1 && o.LengthPenalty <= 100):
		return fault.New(fault.Value, op, "LengthPenalty is %v; want -1 to 100", o.LengthPenalty)
	case o.BeamSize < 2 && o.Patience != 0:
		return fault.New(fault.Value, op, "Patience is %v without a BeamSize", o.Patience)
	case len(o.Temperatures) == 0 || slices.Min(o.Temperatures) < 0 || math.IsInf(slices.Max(o.Temperatures), 1):
		return fault.New(fault.Value, op, "temperatures of a transcript are %v; want at least one, finite and not negative", o.Temperatures)
	case (o.Context || o.Prompt != "") && r.previous < 0:
		return fault.New(fault.NotImplemented, op, "the tokenizer has no <|startofprev|>; leave Prompt and Context")
	}
	return nil
}

// good reports whether a text is taken as it is.
func (f Facts) good(o *TranscribeOptions) bool {
	return f.silent(o) || f.CompressionRatio <= o.CompressionRatioThreshold && f.AvgLogProb >= o.LogProbThreshold
}

// silent reports whether nothing was said: the model says so, and does not believe its text.
func (f Facts) silent(o *TranscribeOptions) bool {
	return f.NoSpeechProb > o.NoSpeechThreshold && f.AvgLogProb < o.LogProbThreshold
}

// prompt is what a text begins with: the words before it, then what is to be done, which begins at task.
func (t *Transcriber) prompt(language string, before []int, o TranscribeOptions) (ids []int, task int) {
	if n := min(len(before), t.net.Config().Context/2-1); n > 0 {
		ids = append([]int{t.rules.previous}, before[len(before)-n:]...)
	}
	task = len(ids)
	ids = append(ids, t.net.Config().Start)
	if t.rules.languages != nil {
		kind := t.rules.transcribe
		if o.Translate {
			kind = t.rules.translate
		}
		ids = append(ids, t.rules.languages[language], kind)
	}
	if o.NoTimestamps {
		ids = append(ids, t.rules.noTimes)
	}
	return ids, task
}

// words are the tokens of a prompt in words.
func (t *Transcriber) words(text string) []int {
	if text = strings.TrimSpace(text); text == "" {
		return nil
	}
	return t.tok.EncodeWith(" "+text, tokenizer.EncodeOptions{NoAdded: true, SpecialAsText: true})
}

// hear writes a part of a sound down, at one temperature after the other until the text is good. at is where the part begins.
func (t *Transcriber) hear(ctx context.Context, cross []*lucid.Tensor, language string, before []int, at int, o *TranscribeOptions) (
	ids []int, f Facts, err error) {
	prompt, task := t.prompt(language, before, *o)
	for _, temperature := range o.Temperatures {
		random := rand.New(rand.NewPCG(o.Seed, uint64(at)))
		if ids, f, err = t.write(ctx, cross, prompt, task, o, temperature, random); err != nil || f.good(o) {
			break
		}
	}
	return ids, f, err
}

// write generates the tokens of a part, without the prompt and the end.
func (t *Transcriber) write(ctx context.Context, cross []*lucid.Tensor, prompt []int, task int, o *TranscribeOptions, temperature float64,
	random *rand.Rand) (text []int, f Facts, err error) {
	d := t.newDecoder(cross)
	defer func() {
		if d != nil {
			d.free()
		}
	}()
	f.Temperature = temperature
	most := t.net.Config().Context/2 - (len(prompt) - task) // the other half is for what went before
	scores, err := d.next(prompt[:task+1])
	if err == nil && t.rules.silence >= 0 {
		f.NoSpeechProb = math.Exp(float64(scores[t.rules.silence]) - logSum(scores))
	}
	if rest := prompt[task+1:]; err == nil && len(rest) > 0 {
		scores, err = d.next(rest)
	}
	s := spoken{d: d, scores: scores}
	switch {
	case err != nil:
	case o.BeamSize > 1 && temperature == 0 && most > 0:
		d = nil // the search frees it
		s, err = t.beams(ctx, &s, most, o)
	default:
		err = t.chosen(ctx, &s, most, !o.NoTimestamps, temperature, random)
	}
	if err != nil {
		return nil, f, err
	}
	f.AvgLogProb = s.sum / float64(max(s.tokens, 1))
	f.CompressionRatio = compression(t.textOf(s.text))
	return s.text, f, nil
}

// chosen continues a text by one token after the other.
func (t *Transcriber) chosen(ctx context.Context, s *spoken, most int, times bool, temperature float64, random *rand.Rand) (err error) {
	end := t.net.Config().End
	for err == nil && len(s.text) < most {
		if err := ctx.Err(); err != nil {
			return err
		}
		t.rules.allow(s.scores, s.text, end, times)
		all := logSum(s.scores)
		if math.IsInf(all, -1) {
			break
		}
		if math.IsNaN(all) {
			return notFinite(len(s.text))
		}
		id := choose(s.scores, temperature, random)
		s.sum, s.tokens = s.sum+float64(s.scores[id])-all, s.tokens+1
		if id == end {
			break
		}
		s.text = append(s.text, id)
		s.scores, err = s.d.next([]int{id})
	}
	return err
}

// notFinite is the error of scores that are no numbers.
func notFinite(token int) error {
	return fault.New(fault.Value, op, "the scores of token %d of a text are not finite; load the model with a DType of more range, or "+
		"look for weights that are not finite", token)
}

// choose takes the likeliest token, or one by chance if the temperature is not 0.
func choose(scores []float32, temperature float64, random *rand.Rand) (best int) {
	top := math.Inf(-1)
	for id, v := range scores {
		w := float64(v)
		if temperature > 0 { // by Gumbel's distribution
			w = w/temperature - math.Log(-math.Log(random.Float64()))
		}
		if w > top {
			best, top = id, w
		}
	}
	return best
}

// textOf is a text without its times.
func (t *Transcriber) textOf(ids []int) string {
	ids = slices.DeleteFunc(slices.Clone(ids), func(id int) bool { return id >= t.rules.firstTime })
	return t.tok.DecodeWith(ids, tokenizer.DecodeOptions{SkipSpecial: true})
}

// compression is how many times smaller a text is compressed.
func compression(text string) float64 {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, _ = w.Write([]byte(text)) // a buffer takes all
	_ = w.Close()
	return float64(len(text)) / float64(b.Len())
}
