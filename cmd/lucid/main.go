// Lucid is the framework's command line: it lists ops, examines the machine, and runs what else its subcommands offer.
//
//	go run ./cmd/lucid help
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
)

// A command is one subcommand. Each lives in a file of its own, which adds it from init.
type command struct {
	name  string
	args  string // what follows the name, as in "[--json]"
	short string // one line for the list
	// run parses its own flags and writes to out; a usageError says what to type instead.
	run func(c *command, args []string, out io.Writer) error
}

var commands []*command

// add registers a subcommand.
func add(c *command) {
	if find(c.name) != nil {
		panic("two commands are named " + c.name)
	}
	commands = append(commands, c)
	slices.SortFunc(commands, func(a, b *command) int { return strings.Compare(a.name, b.name) })
}

func find(name string) *command {
	for _, c := range commands {
		if c.name == name {
			return c
		}
	}
	return nil
}

// usageError is a mistake on the command line, with what to type.
type usageError struct{ what, try string }

func (e *usageError) Error() string { return e.what + "; try: " + e.try }

// flags returns a set of flags for the command, to be given to parse.
func (c *command) flags() *flag.FlagSet {
	f := flag.NewFlagSet(c.name, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	return f
}

// parse reads the flags and at most want arguments, before, between or behind them; what follows "--" is no flag.
func (c *command) parse(f *flag.FlagSet, args []string, want int, out io.Writer) error {
	var plain, behind []string
	if i := slices.Index(args, "--"); i >= 0 {
		args, behind = args[:i], args[i+1:]
	}
	args = slices.Clone(args)
	for i, a := range args {
		// no flag begins so: the blank keeps the flag package from taking it for one
		if isNumbers(a) && (i == 0 || !takesValue(f, args[i-1])) {
			args[i] = " " + a
		}
	}
	err := f.Parse(args)
	for err == nil && f.NArg() > 0 {
		plain = append(plain, strings.TrimPrefix(f.Arg(0), " "))
		err = f.Parse(f.Args()[1:])
	}
	if err == nil {
		err = f.Parse(slices.Concat([]string{"--"}, plain, behind))
	}
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprintf(out, "%s\n\nusage: lucid %s\n", c.short, strings.TrimSpace(c.name+" "+c.args))
		f.VisitAll(func(g *flag.Flag) { printFlag(out, g) })
		return err
	case err != nil:
		what := err.Error()
		if name, ok := strings.CutPrefix(what, "flag provided but not defined: -"); ok {
			var known []string
			f.VisitAll(func(g *flag.Flag) { known = append(known, g.Name) })
			what = "there is no flag --" + name + strings.ReplaceAll(strings.ReplaceAll(perhaps(name, known), "perhaps ",
				"perhaps --"), " or ", " or --")
		}
		return &usageError{"lucid " + c.name + ": " + what, "lucid " + c.name + " --help"}
	case f.NArg() > want:
		return &usageError{fmt.Sprintf("lucid %s: unexpected argument %q", c.name, f.Arg(want)),
			strings.TrimSpace("lucid " + c.name + " " + c.args)}
	}
	return nil
}

// takesValue reports whether an argument is a flag whose value is the next one.
func takesValue(f *flag.FlagSet, a string) bool {
	name := strings.TrimLeft(a, "-")
	g := f.Lookup(name)
	if name == a || g == nil {
		return false
	}
	b, ok := g.Value.(interface{ IsBoolFlag() bool })
	return !ok || !b.IsBoolFlag()
}

// isNumbers reports whether an argument is a negative number, or a row that begins with one.
func isNumbers(a string) bool {
	rest, minus := strings.CutPrefix(a, "-")
	rest = strings.TrimPrefix(rest, ".")
	return minus && rest != "" && rest[0] >= '0' && rest[0] <= '9'
}

// printFlag tells a flag as people type it, with two dashes.
func printFlag(out io.Writer, g *flag.Flag) {
	kind, usage := flag.UnquoteUsage(g)
	fmt.Fprintf(out, "  --%s\n    \t%s", strings.TrimSpace(g.Name+" "+kind), usage)
	switch g.DefValue {
	case "", "0", "false":
	default:
		fmt.Fprintf(out, " (default %s)", g.DefValue)
	}
	fmt.Fprintln(out)
}

func main() {
	if path, err := os.Executable(); err == nil {
		if line := handOver(os.Args[1:], path); line != nil {
			if status, ok := runElsewhere(line); ok {
				os.Exit(status)
			}
		}
	}
	os.Exit(start(os.Args[1:], os.Stdout, os.Stderr))
}

// errInterrupted ends the program as Ctrl-C does, after what had to be saved and said.
var errInterrupted = errors.New("interrupted")

// start runs a command line and returns the exit status: 0 done, 1 failed, 2 mistyped, 130 interrupted.
func start(args []string, out, errs io.Writer) int {
	checked := &errorWriter{out: out}
	err := dispatch(args, checked)
	if checked.err != nil && (err == nil || errors.Is(err, flag.ErrHelp)) {
		err = fmt.Errorf("the output could not be written: %w", checked.err)
	}
	var usage *usageError
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.As(err, &usage):
		fmt.Fprintln(errs, err)
		return 2
	case errors.Is(err, errInterrupted):
		return 130
	}
	fmt.Fprintln(errs, "lucid "+args[0]+": "+strings.TrimPrefix(err.Error(), "lucid: "))
	return 1
}

// errorWriter remembers the first error of a writer, so that commands may print without looking.
type errorWriter struct {
	out io.Writer
	err error
}

// Write writes on.
func (w *errorWriter) Write(b []byte) (int, error) {
	n, err := w.out.Write(b)
	if w.err == nil {
		w.err = err
	}
	return n, err
}

// Unwrap returns the writer, so that the question whether it is a terminal is asked of that one.
func (w *errorWriter) Unwrap() io.Writer { return w.out }

func dispatch(args []string, out io.Writer) error {
	if len(args) == 0 {
		return &usageError{"lucid: no command; want one of: " + names(), "lucid help"}
	}
	if slices.Contains([]string{"help", "-h", "--help", "-help"}, args[0]) {
		if len(args) == 1 {
			list(out)
			return nil
		}
		args = []string{args[1], "--help"}
	}
	c := find(args[0])
	if c == nil {
		try := "lucid help"
		if some := nearest(args[0], all()); len(some) > 0 {
			try = "lucid " + some[0]
		}
		return &usageError{fmt.Sprintf("lucid: there is no command %q; want one of: %s", args[0], names()), try}
	}
	return c.run(c, args[1:], out)
}

func all() []string {
	names := make([]string, len(commands))
	for i, c := range commands {
		names[i] = c.name
	}
	return names
}

func names() string { return strings.Join(all(), ", ") }

func list(out io.Writer) {
	fmt.Fprint(out, "usage: lucid <command> [flags]\n\n")
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, c := range commands {
		fmt.Fprintf(w, "  %s\t%s\n", c.name, c.short)
	}
	w.Flush()
	fmt.Fprint(out, "\nlucid <command> --help tells its flags.\n")
}
