package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/cmd/lucid/internal/learn"
	"github.com/lucid-go/lucid/llm"
	"github.com/lucid-go/lucid/llm/tiny"
)

// gptCheckpoint is what lucid train --model gpt leaves.
const gptCheckpoint = "gpt.lucid"

// builtinPrompt is what the models that come without a chat go on from if nothing else is said.
const builtinPrompt = "The "

// named returns the path of a model and where it is looked up: the name of the model in the program is one, unless a file has it.
func named(path string) (string, fs.FS) {
	if _, err := os.Stat(path); path == tiny.Name && err != nil {
		return tiny.Path, tiny.FS
	}
	return path, nil
}

// loadNamed loads a model of the machine, or the one in the program.
func loadNamed(path string, o llm.LoadOptions) (*llm.Model, error) {
	path, o.FS = named(path)
	return llm.Load(path, o)
}

// choose takes the model for a command line that names none, and says where others belong.
func (r *runFlags) choose(out io.Writer) {
	r.path, r.chat = tiny.Name, true
	which := "the small one that comes with lucid writes: it has read Newton's Opticks, and nothing else"
	if _, err := os.Stat(gptCheckpoint); err == nil {
		r.path, which = gptCheckpoint, "the one that lucid train left in "+gptCheckpoint+" writes"
	}
	if !r.quiet {
		fmt.Fprintf(out, "no model is named, so %s.\nFor another put a .gguf file, or a folder as Hugging Face has them, anywhere on "+
			"this machine, and name it:\n  lucid run path/to/model.gguf \"Once upon a time\"\n\n", which)
	}
}

// alone prepares the model of the program, and checkpoints, which do not chat and are too small for their most probable byte. A
// prompt of the program is shown.
func (r *runFlags) alone(out io.Writer) {
	if r.chat {
		r.prompt, r.chat = builtinPrompt, false
		fmt.Fprint(out, r.prompt)
	}
	if !r.given["temperature"] {
		r.o.Temperature = 0.8
	}
}

// checkpointFlags are the flags of run that models of lucid train have a meaning for.
var checkpointFlags = []string{"max-tokens", "temperature", "seed", "quiet", "raw", "device"}

// runCheckpoint lets a model of lucid train write.
func (r *runFlags) runCheckpoint(ctx context.Context, out io.Writer) error {
	for name := range r.given {
		if !slices.Contains(checkpointFlags, name) {
			return &usageError{fmt.Sprintf("lucid run: --%s does not apply to %s, which lucid train made; want %s", name, r.path,
				"--"+strings.Join(checkpointFlags, ", --")), "lucid run " + r.path + ` "The "`}
		}
	}
	m, err := learn.Load(r.path)
	if err != nil {
		return typed("run", err)
	}
	if !m.Config.Text() {
		return &usageError{"lucid run: " + r.path + " is a model of images or numbers; it does not write",
			"lucid predict --checkpoint " + r.path + " --held 1"}
	}
	r.alone(out)
	n, most, begun, last := 0, r.o.MaxTokens, time.Now(), ""
	if most == 0 {
		most = defaultTokens
	}
	lucid.WithDevice(r.load.Device, func() {
		err = m.Write(r.prompt, most, r.o.Temperature, r.o.Seed, func(text string) bool {
			n, last = n+len(text), text
			fmt.Fprint(out, text)
			return ctx.Err() == nil
		})
	})
	if last != "\n" {
		fmt.Fprintln(out)
	}
	if err == nil && !r.quiet {
		fmt.Fprintf(out, "[text: %d bytes, %.1f bytes/s]\n", n, float64(n)/time.Since(begun).Seconds())
	}
	if ctx.Err() != nil {
		return errInterrupted
	}
	return err
}
