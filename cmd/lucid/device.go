package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/lucid-go/lucid"
)

// gpuDoctor describes the machine's GPUs. It is set in programs built with -tags gpu: package cuda opens libraries at run
// time, which makes a program depend on the system's dynamic linker, and the ordinary one runs anywhere.
var gpuDoctor func() (string, error)

// withGPU is what to type for a program that can use GPUs: in a copy of the source, or anywhere by the name of the program.
func withGPU(command string) string {
	if _, err := os.Stat(filepath.Join("cmd", "lucid", "main.go")); err == nil {
		return "go run -tags gpu ./cmd/lucid " + command
	}
	path, version := "github.com/lucid-go/lucid/cmd/lucid", "latest"
	if info, ok := debug.ReadBuildInfo(); ok && strings.HasPrefix(info.Main.Version, "v") {
		version = info.Main.Version
	}
	return "go run -tags gpu " + path + "@" + version + " " + command
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
		return lucid.Device{}, &usageError{"lucid " + command + ": this program was built without CUDA", withGPU(command + " --device " + s)}
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
