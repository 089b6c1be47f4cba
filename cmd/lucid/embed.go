package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/lucid-go/lucid/llm"
)

func init() {
	add(&command{name: "embed", args: "<model.gguf or folder> [text...] [flags]",
		short: "print a vector for each text, or for each line of the input", run: runEmbed})
}

// embedBatch is how many texts are embedded between two looks at the input.
const embedBatch = 64

// maxTexts is how many texts may be on the command line.
const maxTexts = 1 << 16

func runEmbed(c *command, args []string, out io.Writer) error {
	f := c.flags()
	var o llm.EmbedOptions
	var load llm.LoadOptions
	f.StringVar(&o.Pooling, "pooling", "", "mean, cls, max or last; default: as the model's files say")
	f.StringVar(&o.Prompt, "prompt", "", "put before each text, such as 'query: '")
	f.BoolVar(&o.Truncate, "truncate", false, "cut texts that are too long")
	f.IntVar(&o.MaxTokens, "max-tokens", 0, "the most tokens of a text; 0: as the model's files say")
	raw := f.Bool("raw", false, "leave vectors as long as they are; default: as the model's files say")
	similar := f.Bool("similar", false, "print how like each text is to the first one, instead of vectors")
	weights := loadFlags(f, &load)
	if err := c.parse(f, args, maxTexts, out); err != nil {
		return err
	}
	if f.NArg() == 0 {
		return &usageError{"lucid embed: which model? give a folder with config.json, or a .gguf file", `lucid embed folder "a text"`}
	}
	path := f.Arg(0)
	if err := weights("embed", path); err != nil {
		return err
	}
	if *raw {
		o.Normalize = new(bool)
	}
	e, err := llm.LoadEmbedder(path, load)
	if err != nil {
		return noModel("embed", path, err)
	}
	w := &vectorWriter{e: e, o: o, out: out, similar: *similar}
	ctx, stop := interruptible()
	defer stop()
	if f.NArg() > 1 {
		err = w.write(ctx, f.Args()[1:])
	} else {
		err = w.lines(ctx, runInput)
	}
	return endedBy(err)
}

// vectorWriter prints vectors as JSON, an object a line.
type vectorWriter struct {
	e       *llm.Embedder
	o       llm.EmbedOptions
	out     io.Writer
	similar bool
	first   []float32
	n       int
}

// lines embeds the lines of an input, some at a time.
func (w *vectorWriter) lines(ctx context.Context, in io.Reader) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxRow)
	var texts []string
	for lines.Scan() {
		if line := strings.TrimSuffix(lines.Text(), "\r"); line != "" {
			texts = append(texts, line)
		}
		if len(texts) == embedBatch {
			if err := w.write(ctx, texts); err != nil {
				return err
			}
			texts = texts[:0]
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	if len(texts) == 0 && w.n == 0 {
		return errors.New("there is no text: name some, or write lines to the input")
	}
	return w.write(ctx, texts)
}

func (w *vectorWriter) write(ctx context.Context, texts []string) error {
	all, err := w.e.Embed(ctx, texts, w.o)
	if err != nil {
		return err
	}
	for i, v := range all {
		if w.first == nil {
			w.first = v
		}
		if w.similar {
			fmt.Fprintf(w.out, "%.4f  %s\n", cosine(w.first, v), texts[i])
		} else if err := json.NewEncoder(w.out).Encode(map[string]any{"index": w.n, "embedding": v}); err != nil {
			return err
		}
		w.n++
	}
	return nil
}

// cosine is that of the angle of two vectors; 0 if one has no length.
func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		ab, aa, bb = ab+x*y, aa+x*x, bb+y*y
	}
	if aa*bb == 0 {
		return 0
	}
	return ab / math.Sqrt(aa*bb)
}
