package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/llm"
	"github.com/lucid-go/lucid/llm/tune"
	"github.com/lucid-go/lucid/nn"
)

func init() {
	add(&command{name: "fuse", args: "<model.gguf or folder> <adapter folder> <out.gguf or folder> [--format q8_0]",
		short: "put an adapter into the weights of a language model", run: runFuse})
}

func runFuse(c *command, args []string, out io.Writer) error {
	f := c.flags()
	format := f.String("format", "", "of a .gguf file: f32, f16, bf16, q8_0, q4_0, q4_k, …; default: f32")
	if err := c.parse(f, args, 3, out); err != nil {
		return err
	}
	if f.NArg() < 3 {
		return &usageError{"lucid fuse: want a model, an adapter and where to save", "lucid fuse model.gguf adapter tuned.gguf"}
	}
	from, to := f.Arg(0), f.Arg(2)
	single := strings.HasSuffix(to, ".gguf")
	if !single && *format != "" {
		return &usageError{"lucid fuse: --format is for .gguf files", "lucid fuse model.gguf adapter tuned.gguf --format q8_0"}
	}
	m, err := loadNamed(from, llm.LoadOptions{})
	if err != nil {
		return noModel("fuse", from, err)
	}
	a, err := tune.Load(m, f.Arg(1))
	if err != nil {
		return err
	}
	if err := a.Fuse(); err != nil {
		return err
	}
	if single {
		err = m.Save(to, llm.SaveOptions{Format: *format})
	} else {
		err = saveFolder(m, from, to)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d layers fused, saved to %s\n", len(a.Layers()), to)
	return nil
}

// saveFolder writes the weights as safetensors, with the other files of the folder the model came from.
func saveFolder(m *llm.Model, from, to string) error {
	c := m.Config()
	if st, err := os.Stat(from); err != nil || !st.IsDir() || c.Renamed() {
		return &usageError{"lucid fuse: a folder can be written of a model that came from one and whose weights have the names of Llama's",
			"lucid fuse model.gguf adapter tuned.gguf"}
	}
	if _, err := os.Stat(to); err == nil {
		return &usageError{"lucid fuse: " + to + " is there already", "lucid fuse model adapter another-folder"}
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	files, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range files {
		name := e.Name()
		ext := filepath.Ext(name)
		if !e.Type().IsRegular() || !slices.Contains([]string{".json", ".model", ".jinja", ".txt"}, ext) ||
			strings.HasSuffix(name, ".safetensors.index.json") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(from, name))
		if err := errors.Join(err, os.WriteFile(filepath.Join(to, name), data, 0o644)); err != nil {
			return err
		}
	}
	d := nn.StateDict(m.Module())
	d.SetMetadata("format", "pt")
	return lucid.Save(filepath.Join(to, "model.safetensors"), d)
}
