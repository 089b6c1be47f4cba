package main

import (
	"slices"
	"testing"
)

// TestHandOver: under go run, a command about a GPU is run by a program built with CUDA; others are not, and no program that was installed
// is.
func TestHandOver(t *testing.T) {
	const run, installed = "go-build1/b001/exe/lucid", "bin/lucid"
	for _, c := range []struct {
		args []string
		path string
		want bool
	}{
		{[]string{"train", "--device", "cuda"}, run, true},
		{[]string{"bench", "-device=cuda:1", "--list"}, run, true},
		{[]string{"train", "--device", "cuda"}, installed, false},
		{[]string{"train", "--device", "cpu"}, run, false},
		{[]string{"train", "--data", "cuda"}, run, false},
		{[]string{"predict", "--device"}, run, false},
		{nil, run, false},
	} {
		line := handOver(c.args, c.path)
		if gpuDoctor != nil {
			c.want = false
		}
		if (line != nil) != c.want {
			t.Errorf("%q of %s: %q", c.args, c.path, line)
		}
		if line != nil && (!slices.Equal(line[:4], []string{"go", "run", "-tags", "gpu"}) || !slices.Equal(line[5:], c.args)) {
			t.Errorf("%q becomes %q", c.args, line)
		}
	}
	if status, ok := runElsewhere([]string{"no such program"}); ok {
		t.Errorf("a program that is not there ended with %d", status)
	}
}
