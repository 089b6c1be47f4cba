package llm

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/llm/tokenizer"
)

// TranscribeOptions say how sound is written down. The zero value finds out the language and writes it with times.
type TranscribeOptions struct {
	// Language is the code of what is spoken, such as en; "": the likeliest one of the first 30 seconds.
	Language string
	// Translate writes English, whatever is spoken.
	Translate bool
	// NoTimestamps writes a text alone. Sound is then cut every 30 seconds, also inside of words.
	NoTimestamps bool
	// Words finds when each word is said. It costs another look at the text.
	Words bool
	// Prompt is text that the sound might go on from: names to expect, and how to spell. Without Context it is for the first 30 seconds.
	Prompt string
	// Context lets the model see what it wrote before: names and style stay, but a mistake may be repeated.
	Context bool
	// Temperatures are tried in turn until a text is good; nil: 0, 0.2, … 1. At 0 the likeliest token comes every time.
	Temperatures []float64
	// BeamSize is how many texts a search keeps at a temperature of 0; 0 and 1: the likeliest token comes every time.
	BeamSize int
	// Patience ends a search when BeamSize·Patience texts ended; 0: when no text under way is better than the BeamSize best that ended.
	Patience float64
	// LengthPenalty makes a search take longer texts, if it is larger: the logarithm of a text's probability is divided by its length to
	// this power; 0: 1, -1: it is not divided.
	LengthPenalty float64
	// Seed decides at other temperatures: the same seed writes the same text.
	Seed uint64
	// CompressionRatioThreshold is the largest CompressionRatio of a good text; 0: 2.4, infinity: any is good.
	CompressionRatioThreshold float64
	// LogProbThreshold is the least AvgLogProb of a good text; 0: -1, minus infinity: any is good.
	LogProbThreshold float64
	// NoSpeechThreshold is the NoSpeechProb beyond which nothing was said, if AvgLogProb is less than its threshold too; 0: 0.6, 1: never.
	NoSpeechThreshold float64
	// Progress is called after each segment with what was heard of the whole; nil: not.
	Progress func(done, total time.Duration)
}

// Segment is a part of a transcript.
type Segment struct {
	Start  time.Duration
	End    time.Duration
	Text   string
	Tokens []int         // without those of times
	Part   time.Duration // where the 30 seconds begin that it was heard in
	Words  []Word        // with TranscribeOptions.Words
	Facts
}

// Transcript is what was said.
type Transcript struct {
	Text     string
	Language string // code; "" if the model knows English alone
	Duration time.Duration
	Segments []Segment // without times, one for each 30 seconds
}

// tick is how far the tokens of times are apart.
const tick = 20 * time.Millisecond

// Transcribe writes down what is said in a sound. Sound with another number of samples a second than 16,000 is resampled.
func (t *Transcriber) Transcribe(ctx context.Context, sound Audio, o TranscribeOptions) (*Transcript, error) {
	sound, err := sound.Resample(soundRate)
	if err != nil {
		return nil, err
	}
	if t.rules.languages == nil && (o.Translate || o.Language != "" && o.Language != "en") {
		return nil, fault.New(fault.NotImplemented, op, "the model writes English alone; it translates nothing and knows no language %q",
			o.Language)
	}
	if _, ok := t.rules.languages[o.Language]; o.Language != "" && t.rules.languages != nil && !ok {
		return nil, fault.New(fault.Value, op, "the model does not know the language %.20q; want one of %q", o.Language, t.Languages())
	}
	if o.Translate && t.rules.translate < 0 {
		return nil, fault.New(fault.Format, op, "the tokenizer has no <|translate|>")
	}
	if err := o.check(&t.rules); err != nil {
		return nil, err
	}
	before := t.words(o.Prompt)
	out := &Transcript{Language: o.Language, Duration: duration(len(sound.Samples))}
	window := 2 * t.net.Config().Frames * frameSteps
	var text strings.Builder
	for at := 0; at < len(sound.Samples); {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		part := sound.Samples[at:min(at+window, len(sound.Samples))]
		cross, err := t.listen(part, window)
		if err != nil {
			return nil, err
		}
		if out.Language == "" && t.rules.languages != nil {
			if out.Language, err = t.detect(cross); err != nil {
				return nil, err
			}
		}
		ids, facts, err := t.hear(ctx, cross, out.Language, before, at, &o)
		if err != nil {
			return nil, err
		}
		if !o.Context {
			before = nil
		}
		used := len(part)
		if !facts.silent(&o) {
			var segments []Segment
			segments, used = t.segments(ids, at, len(part), window)
			if o.Words {
				if err := t.addWords(cross, segments, out.Language, &o, at, len(part)); err != nil {
					return nil, err
				}
			}
			for _, s := range segments {
				s.Part, s.Facts = duration(at), facts
				text.WriteString(s.Text)
				out.Segments = append(out.Segments, s)
				if o.Context {
					before = append(before, s.Tokens...)
				}
			}
		}
		for _, c := range cross {
			c.Free()
		}
		if facts.Temperature > forgetful {
			before = nil
		}
		at += used
		if o.Progress != nil {
			o.Progress(duration(min(at, len(sound.Samples))), out.Duration)
		}
	}
	out.Text = strings.TrimSpace(text.String())
	return out, nil
}

func duration(samples int) time.Duration { return time.Duration(samples) * time.Second / soundRate }

// listen evaluates the encoder for a part of a sound, with silence behind it.
func (t *Transcriber) listen(part []float32, window int) (cross []*lucid.Tensor, err error) {
	samples := make([]float32, window)
	copy(samples, part)
	t.mu.Lock()
	defer t.mu.Unlock()
	err = lucid.Try(func() {
		lucid.NoGrad(func() {
			with := t.net.Placement()
			mel := spectrogram(samples, t.filters).To(with.DType).To(with.Device)
			cross = t.encode(mel)
			if err := lucid.Eval(cross...); err != nil {
				fault.Rethrow(op, err)
			}
		})
	})
	return cross, err
}

// textDecoder is a text under way.
type textDecoder struct {
	t     *Transcriber
	cache []*lucid.Tensor
	cross []*lucid.Tensor
	at    int
}

func (t *Transcriber) newDecoder(cross []*lucid.Tensor) *textDecoder {
	return &textDecoder{t: t, cache: t.net.NewCache(), cross: cross}
}

func (d *textDecoder) free() {
	for _, c := range d.cache {
		c.Free()
	}
}

// next takes ids in and returns the scores of what follows.
func (d *textDecoder) next(ids []int) (scores []float32, err error) {
	d.t.mu.Lock()
	defer d.t.mu.Unlock()
	err = lucid.Try(func() {
		lucid.NoGrad(func() {
			w := lucid.With{Device: d.t.net.Placement().Device}
			y := d.t.step(w.New(ids, 1, len(ids)), w.New([]int64{int64(d.at)}, 1), d.cache, d.cross)
			scores = lucid.ToSlice[float32](y.To(lucid.Float32))
			y.Free()
		})
	})
	d.at += len(ids)
	return scores, err
}

// detect finds the likeliest language.
func (t *Transcriber) detect(cross []*lucid.Tensor) (string, error) {
	d := t.newDecoder(cross)
	defer d.free()
	scores, err := d.next([]int{t.net.Config().Start})
	if err != nil {
		return "", err
	}
	best, top := "", float32(math.Inf(-1))
	for _, code := range t.Languages() { // in a fixed order
		if v := scores[t.rules.languages[code]]; v > top {
			best, top = code, v
		}
	}
	return best, nil
}

// segments cuts a text at its times. at is where the part of the sound begins, n its samples; used is how far the next part begins
// behind that.
func (t *Transcriber) segments(ids []int, at, n, window int) (list []Segment, used int) {
	isTime := func(id int) bool { return id >= t.rules.firstTime }
	when := func(id int) time.Duration { return duration(at) + time.Duration(id-t.rules.firstTime)*tick }
	add := func(start, end time.Duration, ids []int) {
		ids = slices.DeleteFunc(slices.Clone(ids), isTime)
		text := t.tok.DecodeWith(ids, tokenizer.DecodeOptions{SkipSpecial: true})
		if strings.TrimSpace(text) != "" && start < duration(at+n) { // behind it there is silence that was added
			list = append(list, Segment{Start: start, End: min(end, duration(at+n)), Text: text, Tokens: ids})
		}
	}
	from, last, pairs := 0, duration(at), false
	for i := 1; i < len(ids); i++ {
		if !isTime(ids[i]) || !isTime(ids[i-1]) {
			continue
		}
		if isTime(ids[from]) { // two next to each other: a text ends and another begins
			last = when(ids[i-1])
			add(when(ids[from]), last, ids[from:i])
			from, pairs = i, true
		}
	}
	k := len(ids)
	ended := k >= 2 && isTime(ids[k-1]) && !isTime(ids[k-2]) // the text ends with one time: nothing is left in the part
	switch {
	case pairs && !ended && n == window: // what follows the last pair is heard again with what comes behind it
		if steps := int((last-duration(at))/tick) * (int(tick) * soundRate / int(time.Second)); steps > 0 {
			return list, steps
		}
	case len(ids) == 0:
	default:
		start, end := duration(at), duration(at+n)
		if isTime(ids[from]) {
			start = when(ids[from])
		}
		if ended {
			end = when(ids[k-1])
		}
		add(start, end, ids[from:])
	}
	return list, n
}
