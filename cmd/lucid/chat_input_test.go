package main

import (
	"errors"
	"io"
	"strings"
	"testing"

	"golang.org/x/term"
)

// TestEditedInput types what a person does: lines, keys that bring earlier ones back or mend them, a paste of several lines.
func TestEditedInput(t *testing.T) {
	const up, left, paste, pasted = "\x1b[A", "\x1b[D", "\x1b[200~", "\x1b[201~"
	keys := "one\r" + "twoo\x7f\r" + up + up + "\r" + "ac" + left + "b\r" + paste + "x\ry\r" + pasted + "z\r" +
		"\"\"\"\rp\rq\r\"\"\"\r" + "\x04"
	raw := 0
	e := &editedInput{t: term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{strings.NewReader(keys), io.Discard}, "")}
	e.raw = func() (func(), error) {
		raw++
		return func() { raw-- }, nil
	}
	for _, want := range []string{"one", "two", "one", "abc", "x\ny\nz", "p\nq"} {
		if got, ok := nextMessage(e); !ok || got != want {
			t.Errorf("%q, %v; want %q", got, ok, want)
		}
	}
	if got, ok := nextMessage(e); ok || e.err() != nil {
		t.Errorf("behind Ctrl-D: %q, %v, %v", got, ok, e.err())
	}
	if raw != 0 {
		t.Errorf("the terminal was left raw %d times", raw)
	}
	broken := errors.New("no terminal")
	e.raw = func() (func(), error) { return nil, broken }
	if _, ok := nextMessage(e); ok || !errors.Is(e.err(), broken) {
		t.Errorf("a terminal that fails: %v", e.err())
	}
}
