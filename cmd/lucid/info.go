package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/lucid-go/lucid/llm"
)

func init() {
	add(&command{name: "info", args: "<model.gguf or folder> [--json]", short: "describe the files of a language model", run: runInfo})
}

func runInfo(c *command, args []string, out io.Writer) error {
	f := c.flags()
	asJSON := f.Bool("json", false, "print JSON: one object")
	if err := c.parse(f, args, 1, out); err != nil {
		return err
	}
	if f.NArg() == 0 {
		return &usageError{"lucid info: which model? give a .gguf file, or a folder with config.json", "lucid info model.gguf"}
	}
	path, from := named(f.Arg(0))
	info, err := llm.Describe(path, llm.LoadOptions{FS: from})
	if err != nil {
		return noModel("info", path, err)
	}
	if *asJSON {
		return json.NewEncoder(out).Encode(info)
	}
	config := info.Config
	var types []string
	for _, name := range slices.Sorted(maps.Keys(info.Types)) {
		types = append(types, fmt.Sprintf("%d %s", info.Types[name], name))
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	line := func(name, format string, args ...any) { fmt.Fprintf(w, "%s\t%s\n", name, fmt.Sprintf(format, args...)) }
	line("name", "%s", info.Name)
	line("format", "%s", info.Format)
	line("family", "%s", config.Family)
	line("parameters", "%.1f million, %.1f MB in the files", float64(info.Parameters)/1e6, float64(info.Bytes)/1e6)
	line("tensors", "%s", strings.Join(types, ", "))
	line("layers", "%d of width %d, MLP %d", config.Layers, config.Hidden, config.Intermediate)
	line("attention", "%d heads, %d for keys and values, of %d elements", config.Heads, config.KVHeads, config.HeadDim)
	if e := config.MoE; e != nil {
		line("experts", "%d of %d for each token, of width %d", e.PerToken, e.Experts, e.Size)
	}
	line("context", "%d tokens", config.Context)
	line("vocabulary", "%d tokens", config.Vocab)
	line("chat template", "%v", info.Chat)
	return w.Flush()
}
