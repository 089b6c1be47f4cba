package llm

import (
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/llm/model"
	"github.com/lucid-go/lucid/llm/tokenizer"
)

// Transcriber is a Whisper with its tokenizer: it writes down what is said. Its methods are safe for concurrent use.
type Transcriber struct {
	net     *model.Whisper
	tok     *tokenizer.Tokenizer
	rules   transcriptRules
	filters *lucid.Tensor
	encode  func(mel *lucid.Tensor) []*lucid.Tensor
	step    func(ids, start *lucid.Tensor, cache, cross []*lucid.Tensor) *lucid.Tensor
	mu      sync.Mutex // compiled functions run for one text at a time
}

// transcriptRules is what files say of how a text is written.
type transcriptRules struct {
	languages  map[string]int // tokens, by codes such as en; nil: English alone
	transcribe int
	translate  int
	previous   int      // the text before follows; -1: there is none
	silence    int      // nothing is said; -1: there is none
	noTimes    int      // no timestamps follow
	firstTime  int      // the token of 0.00 seconds; those behind it are 0.02 seconds apart each
	lastFirst  int      // how many of those may be the first token of a text, less one
	aligned    [][2]int // layers of the decoder and their heads that show when a token is said
	suppress   []int    // never written
	begin      []int    // not written first
}

// LoadTranscriber reads the Whisper at path: a folder with config.json, generation_config.json, preprocessor_config.json, .safetensors
// files (or pytorch_model.bin) and tokenizer.json as Hugging Face has them.
func LoadTranscriber(path string, opts ...LoadOptions) (*Transcriber, error) {
	return loading("llm.LoadTranscriber", location{path: path}, opts, loadTranscriber)
}

// IsTranscriber reports whether path is a folder whose config.json is a Whisper's.
func IsTranscriber(path string) bool { return location{path: path}.isTranscriber() }

func (p location) isTranscriber() bool {
	var c struct {
		Type string `json:"model_type"`
	}
	return p.in("config.json").readJSON(&c) == nil && c.Type == "whisper"
}

// refuseTranscriber is for functions that read other models.
func refuseTranscriber(dir location) error {
	if !dir.isTranscriber() {
		return nil
	}
	return fault.New(fault.NotImplemented, op, "a Whisper writes down sound; llm.LoadTranscriber, or lucid transcribe, reads it")
}

func loadTranscriber(dir location, o LoadOptions) (*Transcriber, error) {
	if st, err := dir.stat(); err != nil {
		return nil, codec.IOError(op, err)
	} else if !st.IsDir() || o.Quantized {
		return nil, fault.New(fault.NotImplemented, op, "Whisper is read from a folder with config.json, and not quantized")
	}
	data, err := dir.in("config.json").read(maxJSON)
	if err != nil {
		return nil, err
	}
	c, err := model.ParseWhisperConfig(data, o.Ignore...)
	if err != nil {
		return nil, err
	}
	t := &Transcriber{}
	if t.tok, err = dir.tokenizer(); err != nil {
		return nil, err
	}
	if n := t.tok.Size(); n > c.Vocab {
		return nil, fault.New(fault.Format, op, "the tokenizer has %d tokens, the model %d", n, c.Vocab)
	}
	if err := t.readRules(dir, c); err != nil {
		return nil, err
	}
	w, err := openWeights(dir, o)
	if err != nil {
		return nil, err
	}
	defer w.close()
	lucid.NoGrad(func() { t.net, err = model.BuildWhisper(c, w) })
	if err != nil {
		return nil, err
	}
	if err := w.unread("whisper", func(name string) bool { return name == "proj_out.weight" }); err != nil { // the embeddings
		return nil, err
	}
	t.filters = melFilters(c.Mels).Eval()
	t.encode = lucid.Compile(func(mel *lucid.Tensor) []*lucid.Tensor { return t.net.Cross(t.net.Encode(mel)) },
		lucid.CompileOptions{Name: "llm.listen", MaxCache: maxTraces})
	t.step = lucid.Compile(t.net.Step, lucid.CompileOptions{Name: "llm.write", MaxCache: maxTraces})
	return t, nil
}

// readRules finds the tokens that steer a text.
func (t *Transcriber) readRules(dir location, c model.WhisperConfig) error {
	var p struct {
		Size  int `json:"feature_size"`
		FFT   int `json:"n_fft"`
		Hop   int `json:"hop_length"`
		Rate  int `json:"sampling_rate"`
		Noise any `json:"dither"`
	}
	if err := dir.in("preprocessor_config.json").readJSON(&p); err != nil {
		return err
	}
	for _, v := range [][2]int{{p.Size, c.Mels}, {p.FFT, frameSize}, {p.Hop, frameSteps}, {p.Rate, soundRate}} {
		if v[0] != 0 && v[0] != v[1] {
			return fault.New(fault.NotImplemented, op, "preprocessor_config.json has %d where %d is supported", v[0], v[1])
		}
	}
	if d, is := p.Noise.(float64); is && d != 0 {
		return fault.New(fault.NotImplemented, op, "preprocessor_config.json: dither is %v; want 0", d)
	}
	var g struct {
		Languages    map[string]int `json:"lang_to_id"`
		Multilingual *bool          `json:"is_multilingual"`
		NoTimes      *int           `json:"no_timestamps_token_id"`
		LastFirst    *int           `json:"max_initial_timestamp_index"`
		Suppress     []int          `json:"suppress_tokens"`
		Begin        []int          `json:"begin_suppress_tokens"`
		Aligned      [][2]int       `json:"alignment_heads"`
	}
	if err := dir.in("generation_config.json").readJSON(&g); err != nil {
		return err
	}
	r := &t.rules
	id := func(token string) int {
		if n, ok := t.tok.ID(token); ok {
			return n
		}
		return -1
	}
	r.transcribe, r.translate, r.noTimes, r.lastFirst = id("<|transcribe|>"), id("<|translate|>"), id("<|notimestamps|>"), 50
	r.previous, r.silence = id("<|startofprev|>"), max(id("<|nospeech|>"), id("<|nocaptions|>"))
	if g.NoTimes != nil {
		r.noTimes = *g.NoTimes
	}
	if g.LastFirst != nil {
		r.lastFirst = *g.LastFirst
	}
	r.firstTime = r.noTimes + 1
	if r.noTimes < 0 || r.firstTime >= c.Vocab || r.lastFirst < 0 {
		return fault.New(fault.Format, op, "the tokenizer has no <|notimestamps|>, or nothing behind it")
	}
	for _, list := range [][]int{g.Suppress, g.Begin} {
		for _, n := range list {
			if n < -1 || n >= c.Vocab {
				return fault.New(fault.Format, op, "generation_config.json suppresses the token %d; the vocabulary has %d", n, c.Vocab)
			}
		}
	}
	if r.aligned = g.Aligned; len(r.aligned) == 0 { // all of the upper half
		for i := c.DecoderLayers / 2; i < c.DecoderLayers; i++ {
			for h := range c.DecoderHeads {
				r.aligned = append(r.aligned, [2]int{i, h})
			}
		}
	}
	if most := c.DecoderLayers * c.DecoderHeads; len(r.aligned) > most {
		return fault.New(fault.Format, op, "generation_config.json aligns by %d heads; there are %d", len(r.aligned), most)
	}
	for _, h := range r.aligned {
		if h[0] < 0 || h[0] >= c.DecoderLayers || h[1] < 0 || h[1] >= c.DecoderHeads {
			return fault.New(fault.Format, op, "generation_config.json aligns by the head %d of layer %d; there are %d of %d layers",
				h[1], h[0], c.DecoderHeads, c.DecoderLayers)
		}
	}
	none := func(n int) bool { return n < 0 }
	r.suppress, r.begin = slices.DeleteFunc(g.Suppress, none), slices.DeleteFunc(g.Begin, none)
	if g.Multilingual == nil && len(g.Languages) > 0 || g.Multilingual != nil && *g.Multilingual {
		r.languages = map[string]int{}
		for token, n := range g.Languages {
			if n < 0 || n >= c.Vocab {
				return fault.New(fault.Format, op, "generation_config.json has the token %d for %s", n, token)
			}
			r.languages[strings.Trim(token, "<|>")] = n
		}
		if len(r.languages) == 0 || r.transcribe < 0 {
			return fault.New(fault.Format, op, "generation_config.json has no lang_to_id, or the tokenizer no <|transcribe|>")
		}
	}
	return nil
}

// Tokenizer returns the transcriber's tokenizer.
func (t *Transcriber) Tokenizer() *tokenizer.Tokenizer { return t.tok }

// Module returns the network.
func (t *Transcriber) Module() *model.Whisper { return t.net }

// Config returns what the network is made of.
func (t *Transcriber) Config() model.WhisperConfig { return t.net.Config() }

// Languages lists the codes of the languages that the model writes, sorted; none: English alone.
func (t *Transcriber) Languages() (codes []string) {
	for code := range t.rules.languages {
		codes = append(codes, code)
	}
	slices.Sort(codes)
	return codes
}

// allow sets the scores of tokens that may not follow to -inf. text is what was written behind the prompt. The rules of times are those
// Whisper was trained with: they come in pairs around texts, never fall, and one that is likelier in all than any text comes next.
func (r *transcriptRules) allow(scores []float32, text []int, end int, times bool) {
	none := float32(math.Inf(-1))
	forbid := func(from, to int) {
		for i := max(from, 0); i < min(to, len(scores)); i++ {
			scores[i] = none
		}
	}
	for _, id := range r.suppress {
		scores[id] = none
	}
	if len(text) == 0 {
		for _, id := range r.begin {
			scores[id] = none
		}
	}
	if !times {
		return
	}
	scores[r.noTimes] = none
	n := len(text)
	if n == 0 {
		forbid(0, r.firstTime)
		forbid(r.firstTime+r.lastFirst+1, len(scores))
	} else if text[n-1] >= r.firstTime {
		if n < 2 || text[n-2] >= r.firstTime { // a pair: a text follows
			forbid(r.firstTime, len(scores))
		} else { // one: its partner or the end follows
			forbid(0, end)
		}
	}
	for i := n - 1; i >= 0; i-- {
		if text[i] >= r.firstTime {
			last := text[i] + 1 // a text takes some time
			if text[n-1] >= r.firstTime && !(n < 2 || text[n-2] >= r.firstTime) {
				last = text[i] // but the partner may be the same
			}
			forbid(r.firstTime, last)
			break
		}
	}
	if logSum(scores[r.firstTime:]) > float64(slices.Max(scores[:r.firstTime])) {
		forbid(0, r.firstTime)
	}
}

// logSum is the logarithm of the sum of exponentials.
func logSum(list []float32) float64 {
	top := float64(slices.Max(list))
	if math.IsInf(top, -1) {
		return top
	}
	sum := 0.0
	for _, v := range list {
		sum += math.Exp(float64(v) - top)
	}
	return top + math.Log(sum)
}
