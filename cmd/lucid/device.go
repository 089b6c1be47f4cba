package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/lucid-go/lucid"
)

// gpuDoctor describes the machine's GPUs. It is set in programs built with -tags gpu: package cuda opens libraries at run
// time, which makes a program depend on the system's dynamic linker, and the ordinary one runs anywhere.
var gpuDoctor func() (string, error)

// program is the name of this program's package and modulePath that of its module.
const modulePath, program = "github.com/lucid-go/lucid", "github.com/lucid-go/lucid/cmd/lucid"

// withGPU is what to type for a program that can use GPUs.
func withGPU(command string) string { return "go run -tags gpu " + runnable() + " " + command }

// runnable is what go run takes for this program from the current folder: its path in a copy of the source, its name in a module that
// has the source or needs it, and elsewhere its name with a version, which go run fetches.
func runnable() string {
	if _, err := os.Stat(filepath.Join("cmd", "lucid", "main.go")); err == nil && inModule(".") {
		return "./cmd/lucid"
	}
	if inModule(".") {
		return program
	}
	version := "latest"
	if info, ok := debug.ReadBuildInfo(); ok && strings.HasPrefix(info.Main.Version, "v") && !strings.Contains(info.Main.Version, "+") {
		version = info.Main.Version
	}
	return program + "@" + version
}

// maxGoMod bounds what is read of a go.mod file.
const maxGoMod = 1 << 20

// inModule reports whether a folder is in a module that is this one, or that requires it.
func inModule(dir string) bool {
	dir, err := filepath.Abs(dir)
	for err == nil {
		f, openErr := os.Open(filepath.Join(dir, "go.mod"))
		if openErr == nil {
			defer f.Close()
			text, readErr := io.ReadAll(io.LimitReader(f, maxGoMod))
			return readErr == nil && slices.Contains(strings.Fields(string(text)), modulePath)
		}
		up := filepath.Dir(dir)
		if up == dir {
			return false
		}
		dir = up
	}
	return false
}

// deviceHelp is what --device says of itself.
const deviceHelp = "where to compute: cpu, or cuda in a program built with -tags gpu; cuda:1 is the second GPU"

// parseDevice reads cpu, cuda or cuda:1 for a command.
func parseDevice(command, s string) (lucid.Device, error) {
	name, number, numbered := strings.Cut(s, ":")
	i, err := 0, error(nil)
	if numbered {
		i, err = strconv.Atoi(number)
	}
	switch {
	case s == "cpu":
		return lucid.CPU, nil
	case name != "cuda" || err != nil || i < 0:
		return lucid.Device{}, &usageError{fmt.Sprintf("lucid %s: there is no device %q; want cpu, cuda or cuda:<number>", command, s),
			"lucid " + command + " --device cpu"}
	case gpuDoctor == nil:
		return lucid.Device{}, &usageError{"lucid " + command + ": this program was built without CUDA",
			withGPU(command + " --device " + s)}
	}
	d := lucid.CUDA(i)
	if err := lucid.Try(func() { lucid.WithDevice(d, func() {}) }); err != nil {
		return d, &usageError{"lucid " + command + ": " + oneLine(err), withGPU("doctor")}
	}
	return d, nil
}

// oneLine is an error on one line: it lists the libraries that were tried without the reasons, which doctor prints, and drops the
// name in between.
func oneLine(err error) string {
	s, details, listed := strings.Cut(err.Error(), "; tried:\n")
	s = strings.ReplaceAll(strings.TrimPrefix(s, "lucid: "), ": lucid: ", ": ")
	if !listed {
		return s
	}
	var tried []string
	for line := range strings.Lines(details) {
		library, _, _ := strings.Cut(strings.TrimSpace(line), ": ")
		tried = append(tried, library)
	}
	return s + "; tried " + strings.Join(tried, ", ")
}
