package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/cmd/lucid/internal/plot"
	"github.com/lucid-go/lucid/cmd/lucid/internal/progress"
	"github.com/lucid-go/lucid/llm"
	"github.com/lucid-go/lucid/llm/tune"
)

func init() {
	add(&command{name: "tune", args: "<model.gguf or folder> --data examples.jsonl [flags]",
		short: "teach a language model with an adapter (LoRA, DoRA), or all of its weights", run: runTune})
}

// tuneFlags is the command line of tune.
type tuneFlags struct {
	path    string
	data    string
	held    string
	out     string
	load    llm.LoadOptions
	adapter tune.LoRAOptions
	o       tune.Options
}

func (t *tuneFlags) parse(c *command, args []string, out io.Writer) error {
	f := c.flags()
	f.StringVar(&t.data, "data", "",
		"examples: a JSON object a line, with text, messages, prompt and completion, or prompt, chosen, rejected; "+
			"or a .txt file")
	f.StringVar(&t.held, "validation", "", "examples that are not learned, in the same form")
	f.StringVar(&t.out, "adapter", "adapter", "the folder the adapter is saved to; with --full the .gguf file of the model")
	f.IntVar(&t.o.Steps, "steps", 200, "how often the weights change")
	f.Float64Var(&t.o.LR, "lr", 1e-4, "learning rate")
	f.IntVar(&t.o.Batch, "batch", 1, "examples of a step")
	f.IntVar(&t.o.Accumulate, "accumulate", 1, "batches whose gradients are added before a step")
	f.IntVar(&t.o.Length, "length", 0, "the most tokens of an example; 0: 512, or the context")
	f.StringVar(&t.o.Schedule, "schedule", "constant", "of the learning rate: constant, linear or cosine")
	f.IntVar(&t.o.WarmUp, "warm-up", 0, "steps in which the learning rate grows")
	f.Float64Var(&t.o.WeightDecay, "weight-decay", 0, "of AdamW")
	f.Float64Var(&t.o.Clip, "clip", 0, "the largest norm of the gradient; 0: no limit")
	f.Uint64Var(&t.o.Seed, "seed", 1, "of the random numbers")
	f.BoolVar(&t.o.Pack, "pack", false, "several examples in a row")
	f.BoolVar(&t.o.Checkpointing, "checkpointing", false, "less memory for more time; with --quantized it is the default")
	f.BoolVar(&t.o.KeepActivations, "keep-activations", false, "with --quantized: no checkpointing")
	f.BoolVar(&t.o.LearnPrompts, "learn-prompts", false, "learn prompts and messages of users too")
	f.StringVar(&t.o.Loss, "loss", "cross_entropy", "cross_entropy, or dpo to learn preferences")
	f.Float64Var(&t.o.Beta, "beta", 0.1, "of dpo")
	f.IntVar(&t.o.Every, "every", 0, "steps between validations and samples; 0: a tenth of the steps")
	sample := f.String("sample", "", "a prompt that is continued while the model learns")
	f.StringVar(&t.o.State, "state", "", "a .lucid file the run is saved to, to go on from")
	f.BoolVar(&t.o.Resume, "resume", false, "go on from --state")
	f.BoolVar(&t.o.Full, "full", false, "tune all weights instead of an adapter")
	f.IntVar(&t.adapter.Rank, "rank", 8, "of the adapter")
	f.Float64Var(&t.adapter.Alpha, "alpha", 0, "the adapter is multiplied by alpha/rank; 0: rank")
	f.Float64Var(&t.adapter.Dropout, "dropout", 0, "share of inputs that are dropped")
	f.BoolVar(&t.adapter.DoRA, "dora", false, "learn lengths of rows apart from their directions")
	targets := f.String("targets", "q_proj,v_proj", "layers with an adapter, separated by commas; ** stands for any part of a name")
	f.BoolVar(&t.load.Quantized, "quantized", false, "leave the matrices of a GGUF file in its blocks (QLoRA)")
	dtype := f.String("dtype", "float32", "of the weights in memory: float32, bfloat16 or float16")
	device := f.String("device", "cpu", deviceHelp)
	if err := fromEnvironment(f, "LUCID_TUNE_"); err != nil {
		return &usageError{"lucid tune: " + err.Error(), "lucid tune --help"}
	}
	if err := c.parse(f, args, 1, out); err != nil {
		return err
	}
	if f.NArg() == 0 || t.data == "" {
		return &usageError{"lucid tune: which model, and which examples?", "lucid tune model.gguf --data examples.jsonl"}
	}
	if t.o.Full && !strings.HasSuffix(t.out, ".gguf") {
		return &usageError{"lucid tune: --full saves a model; name a .gguf file",
			"lucid tune model --full --adapter tuned.gguf --data examples.jsonl"}
	}
	t.path, t.adapter.Targets = f.Arg(0), strings.Split(*targets, ",")
	if *sample != "" {
		t.o.Samples = []string{*sample}
	}
	var err error
	if t.load.DType, err = parseWeights("tune", *dtype); err != nil {
		return err
	}
	t.load.Device, err = parseDevice("tune", *device)
	return err
}

// examples reads a file of JSON lines, or a text.
func examples(path string) (tune.Data, error) {
	if path == "" || !strings.HasSuffix(path, ".txt") {
		if path == "" {
			return tune.Data{}, nil
		}
		return tune.OpenData(path)
	}
	data, err := os.ReadFile(path)
	return tune.Text(string(data)), err
}

func runTune(c *command, args []string, out io.Writer) error {
	t := &tuneFlags{}
	if err := t.parse(c, args, out); err != nil {
		return err
	}
	data, err := examples(t.data)
	if err != nil {
		return err
	}
	if t.o.Validation, err = examples(t.held); err != nil {
		return err
	}
	m, err := loadNamed(t.path, t.load)
	if err != nil {
		return noModel("tune", t.path, err)
	}
	lucid.Seed(t.o.Seed)
	var a *tune.Adapter
	if !t.o.Full {
		if a, err = tune.LoRA(m, t.adapter); err != nil {
			return err
		}
		fmt.Fprintf(out, "an adapter of %d parameters in %d layers; %d examples\n", a.NumParameters(), len(a.Layers()), data.Len())
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	report, err := t.fit(ctx, m, data, out)
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	if len(report.Losses) > 0 {
		if err := t.save(m, a, report, out); err != nil {
			return err
		}
	}
	if err != nil {
		return errInterrupted
	}
	return nil
}

// fit shows a bar while the model learns.
func (t *tuneFlags) fit(ctx context.Context, m *llm.Model, data tune.Data, out io.Writer) (tune.Report, error) {
	bar := progress.New(out, progress.Terminal(out), 0, t.o.Steps, "tokens")
	t.o.Progress = func(p tune.Progress) {
		bar.Step(p.Tokens, fmt.Sprintf("loss %.4f", p.Loss))
		line := ""
		if p.Validation != nil {
			line = fmt.Sprintf("  validation %.4f", *p.Validation)
		}
		for prompt, text := range p.Samples {
			line += fmt.Sprintf("  %q", prompt+text)
		}
		if line != "" {
			bar.Line("step %d/%d  loss %.4f%s", p.Step, p.Steps, p.Loss, line)
		}
	}
	defer bar.Clear()
	return tune.Fit(ctx, m, data, t.o)
}

// save writes the adapter, or the model, and a plot of the losses.
func (t *tuneFlags) save(m *llm.Model, a *tune.Adapter, r tune.Report, out io.Writer) error {
	var err error
	picture := filepath.Join(t.out, "loss.svg")
	if a != nil {
		err = a.Save(t.out)
	} else {
		picture = strings.TrimSuffix(t.out, ".gguf") + ".svg"
		err = m.Save(t.out, llm.SaveOptions{})
	}
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := plot.SVG(&b, plot.Run{Title: "tuning of " + filepath.Base(t.path), Loss: r.Losses}); err != nil {
		return err
	}
	if err := os.WriteFile(picture, b.Bytes(), 0o644); err != nil {
		return err
	}
	fmt.Fprintf(out, "loss %.4f after %d steps, %.4f at first; saved to %s\n", r.Final, len(r.Losses), r.First, t.out)
	if a != nil {
		fmt.Fprintf(out, "try it: %s run %s --adapter %s; put it into the weights: %s fuse %s %s tuned.gguf\n", self(), t.path, t.out,
			self(),
			t.path, t.out)
	}
	return nil
}
