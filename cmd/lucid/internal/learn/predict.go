package learn

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/data"
	"github.com/lucid-go/lucid/nn"
)

// Predictor is a trained model.
type Predictor struct {
	Config Config
	Spec   Spec
	scores func(x *lucid.Tensor) *lucid.Tensor
}

// Load reads the model of a checkpoint.
func Load(path string) (*Predictor, error) {
	d, m, err := open(path)
	if err != nil {
		return nil, err
	}
	model, err := newModel(m.Config, m.Spec)
	if err != nil {
		return nil, err
	}
	if err := nn.LoadStateDict(model, d.Prefix("model.")); err != nil {
		return nil, err
	}
	nn.Eval(model)
	return &Predictor{m.Config, m.Spec, lucid.Compile(model.Forward)}, nil
}

// Class is one answer of a model, and how probable it holds it.
type Class struct {
	Name        string  `json:"class"`
	Probability float64 `json:"probability"`
}

// Image classifies a PNG or JPEG file. It is shrunk to the size the model knows; dark on light becomes light on dark
// where the model knows that, and inverted says so.
func (p *Predictor) Image(path string) (classes []Class, inverted bool, err error) {
	if len(p.Spec.Shape) != 3 {
		return nil, false, hint("lucid predict 1,2,3", "the model reads rows of %d numbers, not images", p.Spec.Shape[0])
	}
	x, err := data.ReadImage(path, data.ImageOptions{Channels: p.Spec.Shape[0], Height: p.Spec.Shape[1], Width: p.Spec.Shape[2]})
	if err != nil {
		return nil, false, err
	}
	x = x.To(lucid.Float32)
	if dark := borderOf(x).Item() < 127.5; dark != p.Spec.Inverted {
		x, inverted = x.Rsub(255), true
	}
	classes, err = p.classify(x.Mul(p.Spec.Peak / 255))
	return classes, inverted, err
}

// Held is an example that was held out when a model was trained, and what the model says of it.
type Held struct {
	Truth   string  // its class, or the number
	Pixels  [][]int // of an image, from 0 to 8: how light each is; nil for a row
	Classes []Class
	Number  *float64 // what a regression predicts; then there are no Classes
}

// Held asks the model about the n-th example it never saw, from 1, of the data it was trained on.
func (p *Predictor) Held(n int) (h Held, err error) {
	if p.Config.Text() {
		return h, hint(`lucid predict "The "`, "the model writes; give it a prompt")
	}
	k, err := load(p.Config)
	if err != nil {
		return h, err
	}
	if n < 1 || n > k.test.Len() {
		return h, hint("lucid predict --held 1", "there is no held out example %d; there are %d", n, k.test.Len())
	}
	x, err := k.test.Get(n - 1)
	if err != nil {
		return h, err
	}
	err = lucid.Try(func() {
		if p.Regression() {
			h.Truth = strconv.FormatFloat(x[1].Item(), 'g', -1, 32)
			return
		}
		h.Truth = p.Spec.Classes[int(x[1].Item())]
	})
	if err != nil {
		return h, err
	}
	if p.Regression() {
		v, err := p.number(x[0])
		h.Number = &v
		return h, err
	}
	if len(p.Spec.Shape) == 3 {
		h.Pixels = p.light(x[0])
	}
	h.Classes, err = p.classify(x[0])
	return h, err
}

// light returns how light the pixels of an image are, from 0 to 8, at most 32 × 32 of them.
func (p *Predictor) light(x *lucid.Tensor) (rows [][]int) {
	x = x.To(lucid.Float32).Reshape(p.Spec.Shape...).Mean(0)
	v, w := lucid.ToSlice[float64](x), x.Size(1)
	step := max((max(x.Size(0), w)+31)/32, 1)
	for y := 0; y < x.Size(0); y += step {
		var row []int
		for i := 0; i < w; i += step {
			row = append(row, min(max(int(v[y*w+i]/p.Spec.Peak*8+0.5), 0), 8))
		}
		rows = append(rows, row)
	}
	return rows
}

// Regression reports whether the model predicts a number.
func (p *Predictor) Regression() bool { return p.Spec.Target != nil }

// Row classifies numbers, separated by commas or spaces.
func (p *Predictor) Row(text string) ([]Class, error) {
	x, err := p.row(text)
	if err != nil {
		return nil, err
	}
	return p.classify(x)
}

// Number predicts the target of a row of numbers, separated by commas or spaces.
func (p *Predictor) Number(text string) (float64, error) {
	x, err := p.row(text)
	if err != nil {
		return 0, err
	}
	return p.number(x)
}

// number predicts the target of an example.
func (p *Predictor) number(x *lucid.Tensor) (v float64, err error) {
	err = lucid.Try(func() {
		lucid.NoGrad(func() { v = p.Spec.Target.value(p.scores(x.Unsqueeze(0)).Item()) })
	})
	if err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
		return v, hint("lucid predict --held 1", "the model gives %v: the row is far from what it learned from", v)
	}
	return v, err
}

// row reads an example.
func (p *Predictor) row(text string) (*lucid.Tensor, error) {
	fields := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",; \t\r\n", r) })
	want := 1
	for _, n := range p.Spec.Shape {
		want *= n
	}
	if len(fields) != want {
		return nil, hint("lucid predict <image.png>, or a row of numbers with commas between",
			"got %d numbers; the model reads %d", len(fields), want)
	}
	row := make([]float32, want)
	for i, s := range fields {
		v, err := strconv.ParseFloat(s, 32)
		if err != nil {
			return nil, hint("lucid predict <image.png>, or a row of numbers with commas between", "%.40q is no number", s)
		}
		row[i] = float32(v)
	}
	return lucid.New(row, p.Spec.Shape...), nil
}

// classify returns all classes, the most probable first.
func (p *Predictor) classify(x *lucid.Tensor) (classes []Class, err error) {
	err = lucid.Try(func() {
		lucid.NoGrad(func() {
			for i, v := range lucid.ToSlice[float32](p.scores(x.Unsqueeze(0)).Softmax(-1)) {
				classes = append(classes, Class{p.Spec.Classes[i], float64(v)})
			}
		})
	})
	slices.SortStableFunc(classes, func(a, b Class) int {
		switch {
		case a.Probability > b.Probability:
			return -1
		case a.Probability < b.Probability:
			return 1
		}
		return 0
	})
	return classes, err
}

// Complete writes on from a prompt.
func (p *Predictor) Complete(prompt string, length int, temperature float64, seed uint64) (string, error) {
	return complete(p.scores, p.Config.Context, prompt, length, temperature, seed)
}

// Sample lets the model, as it is now, write on from a prompt.
func (t *Trainer) Sample(prompt string, length int, temperature float64, seed uint64) (string, error) {
	nn.Eval(t.model)
	defer nn.Train(t.model)
	return complete(t.scores, t.Config.Context, prompt, length, temperature, seed)
}

// Write is Complete, which hands the text over as it comes: whole characters, until yield returns false.
func (p *Predictor) Write(prompt string, length int, temperature float64, seed uint64, yield func(text string) bool) error {
	var held []byte // the beginning of a character
	err := draw(p.scores, p.Config.Context, prompt, length, temperature, seed, func(b byte) bool {
		if held = append(held, b); !utf8.FullRune(held) {
			return true
		}
		text := printable(held)
		held = held[:0]
		return yield(text)
	})
	if len(held) > 0 && err == nil {
		yield(printable(held))
	}
	return err
}

// complete collects what draw gives.
func complete(scores func(x *lucid.Tensor) *lucid.Tensor, context int, prompt string, length int, temperature float64,
	seed uint64) (string, error) {
	var text []byte
	err := draw(scores, context, prompt, length, temperature, seed, func(b byte) bool {
		text = append(text, b)
		return true
	})
	return printable(text), err
}

// draw draws one byte after the other. The window has a fixed length, so that the model is compiled once; what
// stands after the last byte cannot be seen by those before.
func draw(scores func(x *lucid.Tensor) *lucid.Tensor, context int, prompt string, length int, temperature float64,
	seed uint64, yield func(b byte) bool) error {
	if prompt == "" {
		prompt = "\n"
	}
	text, r := []byte(prompt), rand.New(rand.NewPCG(seed, 0))
	window := make([]int64, context)
	return lucid.Try(func() {
		lucid.NoGrad(func() {
			for range length {
				seen := text[max(0, len(text)-context):]
				for i, b := range seen {
					window[i] = int64(b)
				}
				row := scores(lucid.New(window, 1, context)).At(len(seen) - 1)
				text = append(text, pick(lucid.ToSlice[float32](row), temperature, r))
				if !yield(text[len(text)-1]) {
					return
				}
			}
		})
	})
}

// pick draws a byte by its score, from those at least a hundredth as probable as the best: rare ones are many, and
// would come up too often together.
func pick(scores []float32, temperature float64, r *rand.Rand) byte {
	best := 0
	for i, v := range scores {
		if v > scores[best] {
			best = i
		}
	}
	if temperature <= 0 {
		return byte(best)
	}
	weights, sum := make([]float64, len(scores)), 0.0
	for i, v := range scores {
		if w := math.Exp(float64(v-scores[best]) / temperature); w >= 0.01 {
			weights[i] = w
			sum += w
		}
	}
	u := r.Float64() * sum
	for i, w := range weights {
		if u -= w; u < 0 {
			return byte(i)
		}
	}
	return byte(best)
}

// printable keeps a model from sending commands to a terminal.
func printable(b []byte) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r >= ' ' && r != 0x7f && !(r >= 0x80 && r < 0xa0) {
			return r
		}
		return '\ufffd'
	}, strings.ToValidUTF8(string(b), "\ufffd"))
}
