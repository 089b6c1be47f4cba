package learn

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Models are the names New knows.
var Models = []string{"cnn", "mlp", "gpt"}

// Config is what a run is made of; it is stored in its checkpoint. Zeros stand for defaults.
type Config struct {
	Model   string  `json:"model"`
	Data    string  `json:"data,omitempty"` // a path; empty: the data of the program
	Epochs  int     `json:"epochs,omitempty"`
	Steps   int     `json:"steps,omitempty"` // instead of epochs
	Batch   int     `json:"batch"`
	LR      float64 `json:"lr"`
	Seed    uint64  `json:"seed"`
	Context int     `json:"context,omitempty"` // gpt: bytes it sees
	Width   int     `json:"width,omitempty"`   // gpt
	Depth   int     `json:"depth,omitempty"`   // gpt
	Heads   int     `json:"heads,omitempty"`   // gpt
	Task    string  `json:"task,omitempty"`    // of a table: classes or regression; empty: as its target looks
	Target  string  `json:"target,omitempty"`  // of a table: name, or number from 1, of the column to predict; empty: as ReadCSV does
}

// The values of Config.Task.
const (
	Classes    = "classes"
	Regression = "regression"
)

// Hint is an error with what to type instead.
type Hint struct{ What, Try string }

func (e *Hint) Error() string { return e.What }

func hint(try, format string, args ...any) error { return &Hint{fmt.Sprintf(format, args...), try} }

// Text reports whether the model reads text.
func (c Config) Text() bool { return c.Model == "gpt" }

// isTable reports whether a path names a table.
func isTable(path string) bool {
	ext := filepath.Ext(strings.TrimSuffix(strings.ToLower(path), ".gz"))
	return ext == ".csv" || ext == ".tsv"
}

// fill checks the configuration and puts the defaults in.
func (c Config) fill() (Config, error) {
	if !slices.Contains(Models, c.Model) {
		return c, hint("lucid train --model cnn", "there is no model %q; want one of: %s", c.Model, strings.Join(Models, ", "))
	}
	switch {
	case c.Task != "" && c.Task != Classes && c.Task != Regression:
		return c, hint("lucid train --task regression", "there is no task %q; want %s or %s", c.Task, Classes, Regression)
	case c.Task+c.Target != "" && !isTable(c.Data):
		return c, hint("lucid train --data <file.csv> --task regression", "--task and --target are for a CSV file")
	case c.Task == Regression && c.Model != "mlp":
		return c, hint("lucid train --model mlp --task regression", "a %s learns classes; a mlp learns numbers", c.Model)
	}
	for name, v := range map[string]int{"epochs": c.Epochs, "steps": c.Steps, "batch": c.Batch} {
		if v < 0 || v > 1<<30 {
			return c, hint("lucid train --help", "--%s is %d; want a positive number", name, v)
		}
	}
	if !(c.LR >= 0 && c.LR < 1e6) {
		return c, hint("lucid train --lr 0.001", "--lr is %v; want a positive number", c.LR)
	}
	if c.Data != "" {
		path, err := filepath.Abs(c.Data)
		if err != nil {
			return c, err
		}
		c.Data = path
	}
	set(&c.LR, 0.003)
	if !c.Text() {
		return c, c.checkSize()
	}
	set(&c.Batch, 8) // for the same text, more steps learn more than larger ones
	set(&c.Context, 64)
	set(&c.Width, 128)
	set(&c.Depth, 3)
	set(&c.Heads, 4)
	if c.Epochs == 0 {
		set(&c.Steps, 1200)
	}
	return c, c.checkSize()
}

// checkSize bounds what a checkpoint or a flag may ask for, before anything is allocated.
func (c Config) checkSize() error {
	for name, v := range map[string]int{"batch": c.Batch, "context": c.Context, "width": c.Width, "depth": c.Depth, "heads": c.Heads} {
		if v < 0 || v > 1<<16 {
			return hint("lucid train --help", "the %s is %d; want at most %d", name, v, 1<<16)
		}
	}
	if c.Text() && (c.Width%c.Heads != 0 || c.Width > 4096 || c.Depth > 256 || c.Context > 8192) {
		return hint("lucid train --model gpt",
			"a gpt %d wide, %d deep with %d heads over %d bytes; want heads that divide the width, at most 4096 × 256 over 8192",
			c.Width, c.Depth, c.Heads, c.Context)
	}
	return nil
}

func set[T int | float64](v *T, def T) {
	if *v == 0 {
		*v = def
	}
}
