package main

import (
	"fmt"
	"io"
	"os"

	"github.com/lucid-go/lucid/cmd/lucid/internal/progress"
	"github.com/lucid-go/lucid/llm"
)

func init() {
	add(&command{name: "perplexity", args: "<model.gguf or folder> <text file> [flags]",
		short: "say how well a language model predicts a text: lower is better", run: runPerplexity})
}

func runPerplexity(c *command, args []string, out io.Writer) error {
	f := c.flags()
	var o llm.PerplexityOptions
	var load llm.LoadOptions
	f.IntVar(&o.Window, "window", 0, "tokens that are evaluated together; 0: 512, or the context, if that is smaller")
	most := f.Int("tokens", 0, "the most tokens of the text; 0: all")
	weights := loadFlags(f, &load)
	if err := c.parse(f, args, 2, out); err != nil {
		return err
	}
	if f.NArg() < 2 {
		return &usageError{"lucid perplexity: want a model and a file with a text", "lucid perplexity model.gguf text.txt"}
	}
	path, from := named(f.Arg(0))
	file := f.Arg(1)
	load.FS = from
	if err := weights("perplexity", path); err != nil {
		return err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	m, err := llm.Load(path, load)
	if err != nil {
		return noModel("perplexity", path, err)
	}
	text := string(data)
	if *most > 0 {
		if ids := m.Tokenizer().Encode(text); len(ids) > *most {
			text = m.Tokenizer().Decode(ids[:*most])
		}
	}
	var bar *progress.Bar
	seen := 0
	o.Progress = func(done, total int, p float64) {
		if bar == nil {
			bar = progress.New(out, progress.Terminal(out), 0, (total+done-1)/max(done, 1), "tokens")
		}
		bar.Step(done-seen, fmt.Sprintf("perplexity %.4f", p))
		seen = done
	}
	ctx, stop := interruptible()
	defer stop()
	p, err := m.Perplexity(ctx, text, o)
	if bar != nil {
		bar.Clear()
	}
	if err != nil {
		return endedBy(err)
	}
	fmt.Fprintf(out, "perplexity %.4f over %d tokens\n", p, seen)
	return nil
}
