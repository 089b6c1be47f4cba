package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/cmd/lucid/internal/learn"
)

// trainFlags is the command line of train.
type trainFlags struct {
	learn.Config
	file      string
	resume    bool
	json      bool
	stopAfter int
	saveEvery int
	device    lucid.Device
	given     map[string]bool
}

func (t *trainFlags) parse(c *command, args []string, out io.Writer) error {
	f := c.flags()
	f.StringVar(&t.Model, "model", "", "what to train: cnn, mlp or gpt; default: mlp for a .csv file, gpt for a .txt file, else cnn")
	f.StringVar(&t.Data, "data", "",
		"a folder of MNIST files, a folder of images in a folder per class, a .csv file; for gpt a text; default: data of the program")
	f.StringVar(&t.Task, "task", "", "of a .csv file: classes, or regression to predict a number; default: as its target looks")
	f.StringVar(&t.Target, "target", "",
		"of a .csv file: the column to predict, its name or its number from 1; default: one named label, class or target, else the last")
	f.IntVar(&t.Epochs, "epochs", 0, "times to go through the data; 0: as many as it needs")
	f.IntVar(&t.Steps, "steps", 0, "steps to make, instead of epochs")
	f.IntVar(&t.Batch, "batch", 0, "examples a step sees; 0: 64, of a small set fewer, for gpt 8")
	f.Float64Var(&t.LR, "lr", 0, "learning rate; 0: 0.003")
	f.Uint64Var(&t.Seed, "seed", 1, "of all random numbers")
	f.IntVar(&t.Context, "context", 0, "gpt: bytes it sees; 0: 64")
	f.IntVar(&t.Width, "width", 0, "gpt: width of its layers; 0: 128")
	f.IntVar(&t.Depth, "depth", 0, "gpt: number of its layers; 0: 3")
	f.IntVar(&t.Heads, "heads", 0, "gpt: heads of its attention; 0: 4")
	f.StringVar(&t.file, "out", "", "the checkpoint, a .lucid file; the plots go next to it; default: <model>.lucid")
	f.BoolVar(&t.resume, "resume", false, "go on from the checkpoint, bit for bit")
	device := f.String("device", "cpu", deviceHelp)
	f.BoolVar(&t.json, "json", false, "print JSON: one object at the end")
	f.IntVar(&t.stopAfter, "stop-after", 0, "stop after so many steps as if interrupted; 0: do not")
	f.IntVar(&t.saveEvery, "save-every", 0, "steps between saves; 0: at every report")
	if err := c.parse(f, args, 0, out); err != nil {
		return err
	}
	var err error
	if t.device, err = parseDevice("train", *device); err != nil {
		return err
	}
	t.given = map[string]bool{}
	f.Visit(func(f *flag.Flag) { t.given[f.Name] = true })
	if !t.given["model"] {
		t.Model = modelFor(t.Data)
	}
	if t.file == "" {
		t.file = t.Model + ".lucid"
	}
	switch {
	case strings.ToLower(filepath.Ext(t.file)) != ".lucid":
		return &usageError{fmt.Sprintf("lucid train: --out is %q; want a name that ends in .lucid", t.file),
			"lucid train --out " + strings.TrimSuffix(t.file, filepath.Ext(t.file)) + ".lucid"}
	case !isFolder(filepath.Dir(t.file)):
		return &usageError{fmt.Sprintf("lucid train: there is no folder %s for --out", filepath.Dir(t.file)),
			"lucid train --out " + filepath.Base(t.file)}
	case isFolder(t.file):
		return &usageError{fmt.Sprintf("lucid train: %s for --out is a folder", t.file),
			"lucid train --out " + filepath.Join(t.file, t.Model+".lucid")}
	case !writable(filepath.Dir(t.file)):
		return &usageError{fmt.Sprintf("lucid train: nothing can be written to %s, where --out is to be", filepath.Dir(t.file)),
			"lucid train --out " + filepath.Join(os.TempDir(), filepath.Base(t.file))}
	case t.Epochs > 0 && t.Steps > 0:
		return &usageError{"lucid train: --epochs and --steps both say how long", fmt.Sprintf("lucid train --epochs %d", t.Epochs)}
	case t.stopAfter < 0 || t.saveEvery < 0:
		return &usageError{"lucid train: --stop-after and --save-every want positive numbers", "lucid train --help"}
	}
	return nil
}

// modelFor chooses a model by what its data is called: tables and texts are no images.
func modelFor(path string) string {
	switch filepath.Ext(strings.TrimSuffix(strings.ToLower(path), ".gz")) {
	case ".csv", ".tsv":
		return "mlp"
	case ".txt":
		return "gpt"
	}
	return "cnn"
}

// start makes the run, new or from its checkpoint.
func (t *trainFlags) start() (*learn.Trainer, error) {
	if !t.resume {
		return learn.New(t.Config)
	}
	for _, name := range []string{"data", "task", "target", "batch", "lr", "seed", "context", "width", "depth", "heads"} {
		if t.given[name] {
			return nil, &usageError{"lucid train: --" + name + " cannot change while a run goes on", "lucid train --resume --out " + t.file}
		}
	}
	run, err := learn.Resume(t.file, func(c *learn.Config) {
		if t.Epochs > 0 || t.Steps > 0 {
			c.Epochs, c.Steps = t.Epochs, t.Steps
		}
	})
	if err == nil && t.given["model"] && run.Config.Model != t.Model {
		return nil, &usageError{fmt.Sprintf("lucid train: %s is of a %s, not of a %s", t.file, run.Config.Model, t.Model),
			"lucid train --resume --out " + t.file}
	}
	return run, err
}

// again is the command line that goes on.
func (t *trainFlags) again() string {
	line := self() + " train --resume"
	if t.device != lucid.CPU {
		line += " --device " + t.device.String()
	}
	switch {
	case t.file != t.Model+".lucid":
		line += " --out " + t.file
	case t.Model != "cnn":
		line += " --model " + t.Model
	}
	return line
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// writable reports whether a file can be made in a folder: better to know before the work than after it.
func writable(dir string) bool {
	f, err := os.CreateTemp(dir, ".lucid-try-")
	if err != nil {
		return false
	}
	f.Close()
	return os.Remove(f.Name()) == nil
}

// self is what to type to run this program: under go run its own path is of no use to a person.
func self() string {
	path, err := os.Executable()
	if name := strings.TrimSuffix(filepath.Base(path), ".exe"); err == nil && name == "lucid" && strings.Contains(path, "go-build") {
		if gpuDoctor != nil {
			return "go run -tags gpu " + runnable()
		}
		return "go run " + runnable()
	}
	return "lucid"
}
