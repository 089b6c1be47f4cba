package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/lucid-go/lucid/cmd/lucid/internal/progress"
)

// chatInput reads the lines of a chat; false: there is none.
type chatInput interface {
	line(prompt string) (text string, ok bool)
	err() error
}

// newChatInput edits lines if a person types them, and reads them as they are if not.
func newChatInput(in io.Reader, out io.Writer) chatInput {
	f, ok := in.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) || !progress.Terminal(out) {
		s := bufio.NewScanner(in)
		s.Buffer(nil, maxRow)
		return &plainInput{s, out}
	}
	t := &editedInput{t: term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{f, out}, "")}
	t.raw = func() (func(), error) {
		old, err := term.MakeRaw(int(f.Fd()))
		if err != nil {
			return nil, err
		}
		if columns, rows, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 {
			t.t.SetSize(columns, rows) // an error is of writing, which ReadLine finds, too
		}
		return func() { term.Restore(int(f.Fd()), old) }, nil
	}
	return t
}

// plainInput reads a file or a pipe.
type plainInput struct {
	s   *bufio.Scanner
	out io.Writer
}

func (p *plainInput) line(prompt string) (string, bool) {
	fmt.Fprint(p.out, prompt)
	ok := p.s.Scan()
	return p.s.Text(), ok
}

func (p *plainInput) err() error { return p.s.Err() }

// editedInput reads a terminal: arrows move in the line and bring back earlier ones, and lines that were pasted together are one message.
type editedInput struct {
	t      *term.Terminal
	raw    func() (restore func(), err error) // gives the keys to the editor, and Ctrl-C back to the system
	failed error
}

func (e *editedInput) line(prompt string) (string, bool) {
	restore, err := e.raw()
	if err != nil {
		e.failed = err
		return "", false
	}
	defer restore()
	e.t.SetPrompt(prompt)
	e.t.SetBracketedPasteMode(true)
	defer e.t.SetBracketedPasteMode(false)
	var pasted []string
	for {
		text, err := e.t.ReadLine()
		switch {
		case errors.Is(err, term.ErrPasteIndicator):
			pasted = append(pasted, text)
			e.t.SetPrompt("")
		case errors.Is(err, io.EOF): // Ctrl-C or Ctrl-D
			return strings.Join(pasted, "\n"), len(pasted) > 0
		case err != nil:
			e.failed = err
			return "", false
		default:
			return strings.Join(append(pasted, text), "\n"), true
		}
	}
}

func (e *editedInput) err() error { return e.failed }
