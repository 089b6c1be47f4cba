package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/lucid-go/lucid"
)

func init() {
	add(&command{name: "ops", args: "[--json] [name]", short: "list the ops, and which transforms each has", run: runOps})
}

// opRow is an op as the command prints it.
type opRow struct {
	Name          string `json:"name"`
	Version       int    `json:"version"`
	Kind          string `json:"kind"`
	AMP           string `json:"amp"`
	Deterministic bool   `json:"deterministic"`
	VJP           string `json:"vjp"`
	JVP           string `json:"jvp"`
	VMap          string `json:"vmap"`
}

func runOps(c *command, args []string, out io.Writer) error {
	f := c.flags()
	asJSON := f.Bool("json", false, "print JSON: a list of objects")
	if err := c.parse(f, args, 1, out); err != nil {
		return err
	}
	var rows []opRow
	var names []string
	for _, o := range lucid.Ops() {
		names = append(names, o.Name)
		if name := f.Arg(0); name == "" || name == o.Name || slices.Contains(o.Aliases, name) {
			rows = append(rows, opRow{o.Name, o.Version, o.Kind, o.AMP, o.Deterministic, o.VJP, o.JVP, o.VMap})
		}
	}
	if rows == nil {
		return &usageError{fmt.Sprintf("lucid ops: there is no op %q%s", f.Arg(0), perhaps(f.Arg(0), names)), "lucid ops"}
	}
	if *asJSON {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		return e.Encode(rows)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "name\tversion\tkind\tamp\tdeterministic\tvjp\tjvp\tvmap")
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\n", r.Name, r.Version, r.Kind, r.AMP, yes(r.Deterministic), short(r.VJP),
			short(r.JVP), short(r.VMap))
	}
	return w.Flush()
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// short keeps the columns narrow: the reason of a waiver is in --json.
func short(rule string) string {
	head, _, _ := strings.Cut(rule, ":")
	return head
}
