package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/lucid-go/lucid/cmd/lucid/internal/progress"
	"github.com/lucid-go/lucid/llm"
)

func init() {
	add(&command{name: "quantize", args: "<model.gguf or folder> <out.gguf> [format]",
		short: "write a model in fewer bits; q4_k_m is a good mixture", run: runQuantize})
	add(&command{name: "convert", args: "<model.gguf or folder> <out.gguf or folder>",
		short: "write a model in another form: a folder as a .gguf file, or a .gguf file as a folder", run: runConvert})
}

func runQuantize(c *command, args []string, out io.Writer) error {
	f := c.flags()
	force := f.Bool("force", false, "write over a file that is there")
	if err := c.parse(f, args, 3, out); err != nil {
		return err
	}
	format := "q4_k_m"
	if f.NArg() == 3 {
		format = strings.ToLower(f.Arg(2))
	}
	if f.NArg() < 2 || !strings.HasSuffix(f.Arg(1), ".gguf") {
		return &usageError{"lucid quantize: want a model and a .gguf file to write", "lucid quantize model.gguf small.gguf q4_k_m"}
	}
	if !slices.Contains(llm.Formats(), format) {
		return &usageError{fmt.Sprintf("lucid quantize: there is no format %q; want one of %s", format, strings.Join(llm.Formats(), ", ")),
			"lucid quantize " + f.Arg(0) + " " + f.Arg(1) + " q4_k_m"}
	}
	return convertModel("quantize", f.Arg(0), f.Arg(1), format, *force, out)
}

func runConvert(c *command, args []string, out io.Writer) error {
	f := c.flags()
	force := f.Bool("force", false, "write over a file that is there")
	format := f.String("format", "", "of a .gguf file's matrices: "+strings.Join(llm.Formats(), ", ")+"; default: as they are")
	tokenizer := f.String("tokenizer", "", "a tokenizer.json for the folder, for a .gguf file that has none inside")
	if err := c.parse(f, args, 2, out); err != nil {
		return err
	}
	switch {
	case f.NArg() < 2:
		return &usageError{"lucid convert: want a model and where to write it", "lucid convert folder model.gguf"}
	case *format != "" && !slices.Contains(llm.Formats(), strings.ToLower(*format)):
		return &usageError{fmt.Sprintf("lucid convert: there is no format %q; want one of %s", *format, strings.Join(llm.Formats(), ", ")),
			"lucid convert " + f.Arg(0) + " " + f.Arg(1)}
	case strings.HasSuffix(f.Arg(1), ".gguf") && *tokenizer != "":
		return &usageError{"lucid convert: --tokenizer is for folders", "lucid convert " + f.Arg(0) + " " + f.Arg(1)}
	case strings.HasSuffix(f.Arg(1), ".gguf"):
		return convertModel("convert", f.Arg(0), f.Arg(1), *format, *force, out)
	case *format != "":
		return &usageError{"lucid convert: --format is for .gguf files", "lucid convert " + f.Arg(0) + " model.gguf --format " + *format}
	}
	return convertFolder(f.Arg(0), f.Arg(1), *tokenizer, out)
}

// convertModel writes a .gguf file, with a bar.
func convertModel(command, from, to, format string, force bool, out io.Writer) error {
	if _, err := os.Stat(to); err == nil && !force {
		return &usageError{"lucid " + command + ": " + to + " is there already; --force writes over it",
			"lucid " + command + " " + from + " another.gguf"}
	}
	var bar *progress.Bar
	ctx, stop := interruptible()
	defer stop()
	err := llm.Convert(ctx, from, to, llm.ConvertOptions{Format: format, Progress: func(done, total int) {
		if bar == nil {
			bar = progress.New(out, progress.Terminal(out), 0, total, "tensors")
		}
		bar.Step(1, "")
	}})
	if bar != nil {
		bar.Clear()
	}
	if err != nil {
		return endedBy(noModel(command, from, err))
	}
	info, err := llm.Describe(to)
	if err != nil {
		st, statErr := os.Stat(to) // of a family that is not known: converted all the same
		if statErr != nil {
			return statErr
		}
		fmt.Fprintf(out, "%s: %.1f MB\n", to, float64(st.Size())/1e6)
		return nil
	}
	bits := 8 * float64(info.Bytes) / float64(max(info.Parameters, 1))
	fmt.Fprintf(out, "%s: %.1f MB, %.2f bits a weight\n", to, float64(info.Bytes)/1e6, bits)
	return nil
}

// convertFolder writes a folder.
func convertFolder(from, to, tokenizer string, out io.Writer) error {
	if !strings.HasSuffix(from, ".gguf") {
		return &usageError{"lucid convert: a folder is written of a .gguf file", "lucid convert " + from + " model.gguf"}
	}
	if _, err := os.Stat(to); err == nil {
		return &usageError{"lucid convert: " + to + " is there already", "lucid convert " + from + " another-folder"}
	}
	ctx, stop := interruptible()
	defer stop()
	if err := llm.ConvertFolder(ctx, from, to, llm.FolderOptions{Tokenizer: tokenizer}); err != nil {
		return endedBy(noModel("convert", from, err))
	}
	fmt.Fprintf(out, "%s: a folder with config.json and model.safetensors\n", to)
	return nil
}
