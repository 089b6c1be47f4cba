package main

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
)

// An ordinary program stays a static binary, which cannot open NVIDIA's libraries. Who types go run ./cmd/lucid … --device cuda has
// Go and the source at hand: then the same command is run by a program that go run builds with CUDA.

// handOver is the command line of that program; nil where this one will do, or cannot be built anew.
func handOver(args []string, executable string) []string {
	if gpuDoctor != nil || !strings.Contains(executable, "go-build") || !asksForGPU(args) {
		return nil
	}
	return slices.Concat([]string{"go", "run", "-tags", "gpu", runnable()}, args)
}

// asksForGPU reports whether a command is about a GPU: --device cuda says so, and doctor is asked on a machine that has one.
func asksForGPU(args []string) bool {
	if slices.Equal(args, []string{"doctor"}) || slices.Equal(args, []string{"doctor", "--json"}) {
		there, err := filepath.Glob("/dev/nvidia*")
		return err == nil && len(there) > 0
	}
	for i, a := range args {
		name, value, joined := strings.Cut(strings.TrimLeft(a, "-"), "=")
		if !joined && i+1 < len(args) {
			value = args[i+1]
		}
		if strings.HasPrefix(a, "-") && name == "device" && strings.HasPrefix(value, "cuda") {
			return true
		}
	}
	return false
}

// runElsewhere runs a command line in place of this program and returns its exit status; ok is false if it could not be started.
func runElsewhere(line []string) (status int, ok bool) {
	c := exec.Command(line[0], line[1:]...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	signal.Ignore(os.Interrupt) // that program has it too, and ends as it likes
	err := c.Run()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return failed.ExitCode(), true
	}
	signal.Reset(os.Interrupt)
	return 0, err == nil
}
