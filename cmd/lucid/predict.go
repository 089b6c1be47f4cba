package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/cmd/lucid/internal/learn"
)

func init() {
	add(&command{name: "predict", args: "[--checkpoint file.lucid] [flags] <image.png, row or prompt, or --held number>",
		short: "ask a model that train made: about an image, a row of numbers, or to write on", run: runPredict})
}

// maxRow bounds what is read from standard input.
const maxRow = 1 << 24

// predictFlags is the command line of predict.
type predictFlags struct {
	checkpoint  string
	input       string
	held        int
	length      int
	temperature float64
	seed        uint64
	json        bool
	device      lucid.Device
}

func (p *predictFlags) parse(c *command, args []string, out io.Writer) error {
	f := c.flags()
	f.StringVar(&p.checkpoint, "checkpoint", "", "what train saved; default: the only one of cnn.lucid, mlp.lucid, gpt.lucid that is here")
	f.IntVar(&p.held, "held", 0, "instead of an input: the number of an example the model has not learned from, from 1")
	f.IntVar(&p.length, "length", 200, "bytes to write")
	f.Float64Var(&p.temperature, "temperature", 0.8, "how freely to write; 0: always the most probable byte")
	f.Uint64Var(&p.seed, "seed", 1, "of the random numbers in writing")
	f.BoolVar(&p.json, "json", false, "print JSON: one object")
	device := f.String("device", "cpu", deviceHelp)
	if err := c.parse(f, args, 1, out); err != nil {
		return err
	}
	var err error
	if p.device, err = parseDevice("predict", *device); err != nil {
		return err
	}
	if f.NArg() == 0 && p.held > 0 {
		return p.find()
	}
	if f.NArg() == 0 {
		return &usageError{"lucid predict: about what? give an image, a row of numbers, a prompt, or - to read one",
			"lucid predict digit.png"}
	}
	if p.held != 0 {
		return &usageError{"lucid predict: --held takes a number from 1, and no input with it", "lucid predict --held 1"}
	}
	if p.length < 1 || p.length > 1<<20 || !(p.temperature >= 0) {
		return &usageError{fmt.Sprintf("lucid predict: --length is %d, --temperature %v; want 1 to %d, and no negative number", p.length,
			p.temperature, 1<<20), "lucid predict --help"}
	}
	if p.input = f.Arg(0); p.input == "-" {
		b, err := io.ReadAll(io.LimitReader(os.Stdin, maxRow))
		if err != nil {
			return err
		}
		p.input = strings.TrimSuffix(string(b), "\n")
	}
	return p.find()
}

// find chooses the checkpoint if there is no choice.
func (p *predictFlags) find() error {
	if p.checkpoint != "" {
		return nil
	}
	var here []string
	for _, m := range learn.Models {
		if _, err := os.Stat(m + ".lucid"); err == nil {
			here = append(here, m+".lucid")
		}
	}
	switch len(here) {
	case 0:
		return &usageError{"lucid predict: there is no model here", "lucid train"}
	case 1:
		p.checkpoint = here[0]
		return nil
	}
	return &usageError{"lucid predict: there are " + strings.Join(here, " and "),
		"lucid predict --checkpoint " + here[0] + " <image.png, row or prompt>"}
}

func runPredict(c *command, args []string, out io.Writer) error {
	p := &predictFlags{}
	if err := p.parse(c, args, out); err != nil {
		return err
	}
	var err error
	failed := lucid.Try(func() {
		lucid.WithDevice(p.device, func() { err = p.predict(out) })
	})
	if failed != nil {
		return failed
	}
	return typed("predict", err)
}

// predict asks the model, on the device of the scope.
func (p *predictFlags) predict(out io.Writer) error {
	m, err := learn.Load(p.checkpoint)
	switch {
	case err != nil:
		return err
	case p.held > 0:
		return p.showHeld(m, out)
	case m.Config.Text():
		return p.write(m, out)
	case m.Regression():
		return p.estimate(m, out)
	}
	return p.classify(m, out)
}

// estimated is what --json prints for a regression.
type estimated struct {
	Value      float64 `json:"value"`
	Target     string  `json:"target,omitempty"` // name of the column
	Truth      string  `json:"truth,omitempty"`  // of a held out example
	Checkpoint string  `json:"checkpoint"`
}

// estimate predicts a number from a row of numbers.
func (p *predictFlags) estimate(m *learn.Predictor, out io.Writer) error {
	if isImage(p.input) {
		return &learn.Hint{What: "the model reads rows of numbers, not images", Try: "lucid predict 1,2,3"}
	}
	v, err := m.Number(p.input)
	if err != nil {
		return err
	}
	return p.showNumber(m, v, "", out)
}

// showNumber prints a prediction.
func (p *predictFlags) showNumber(m *learn.Predictor, v float64, truth string, out io.Writer) error {
	e := estimated{v, m.Spec.Target.Name, truth, p.checkpoint}
	if p.json {
		return json.NewEncoder(out).Encode(e)
	}
	if truth != "" {
		fmt.Fprintf(out, "it is %s; the model says:\n", truth)
	}
	if e.Target != "" {
		fmt.Fprintf(out, "%s ", e.Target)
	}
	_, err := fmt.Fprintf(out, "%.6g\n", v)
	return err
}

func (p *predictFlags) write(m *learn.Predictor, out io.Writer) error {
	text, err := m.Complete(p.input, p.length, p.temperature, p.seed)
	if err != nil {
		return err
	}
	if p.json {
		return json.NewEncoder(out).Encode(map[string]string{"prompt": p.input, "text": text, "checkpoint": p.checkpoint})
	}
	_, err = fmt.Fprintln(out, p.input+text)
	return err
}

// answer is what --json prints.
type answer struct {
	learn.Class
	Classes    []learn.Class `json:"classes"`
	Inverted   bool          `json:"inverted"`
	Truth      string        `json:"truth,omitempty"` // of a held out example
	Checkpoint string        `json:"checkpoint"`
}

func (p *predictFlags) classify(m *learn.Predictor, out io.Writer) (err error) {
	a := answer{Checkpoint: p.checkpoint}
	if isImage(p.input) {
		a.Classes, a.Inverted, err = m.Image(p.input)
	} else {
		a.Classes, err = m.Row(p.input)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return &learn.Hint{What: "there is no file " + p.input, Try: "lucid predict <image.png, row or prompt>"}
	}
	if err != nil {
		return err
	}
	if a.Inverted && !p.json {
		fmt.Fprintln(out, "the image was inverted: the model knows them the other way round")
	}
	return p.show(a, out)
}

// showHeld draws an example the model never saw, and says what it is and what the model says.
func (p *predictFlags) showHeld(m *learn.Predictor, out io.Writer) error {
	h, err := m.Held(p.held)
	if err != nil {
		return err
	}
	if h.Number != nil {
		return p.showNumber(m, *h.Number, h.Truth, out)
	}
	if !p.json {
		for _, row := range h.Pixels {
			for _, v := range row {
				fmt.Fprint(out, strings.Repeat(string([]rune(" ░░▒▒▓▓██")[v]), 2))
			}
			fmt.Fprintln(out)
		}
		fmt.Fprintf(out, "it is %s; the model says:\n", h.Truth)
	}
	return p.show(answer{Classes: h.Classes, Truth: h.Truth, Checkpoint: p.checkpoint}, out)
}

// show prints the most probable classes.
func (p *predictFlags) show(a answer, out io.Writer) error {
	a.Class = a.Classes[0]
	if p.json {
		return json.NewEncoder(out).Encode(a)
	}
	for i, c := range a.Classes[:min(3, len(a.Classes))] {
		mark := "   "
		if i == 0 {
			mark = "-> "
		}
		fmt.Fprintf(out, "%s%-12s %5.1f %%  %s\n", mark, c.Name, 100*c.Probability, strings.Repeat("█", int(c.Probability*30+0.5)))
	}
	return nil
}

// isImage reports whether the input names an image.
func isImage(s string) bool {
	return slices.Contains([]string{".png", ".jpg", ".jpeg"}, strings.ToLower(filepath.Ext(s)))
}
