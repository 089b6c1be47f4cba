package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/lucid-go/lucid"
)

func init() {
	add(&command{name: "doctor", args: "[--json]", short: "say what this machine offers and what lucid uses of it", run: runDoctor})
}

func runDoctor(c *command, args []string, out io.Writer) error {
	f := c.flags()
	asJSON := f.Bool("json", false, "print JSON: one object")
	if err := c.parse(f, args, 0, out); err != nil {
		return err
	}
	d := lucid.Doctor()
	if *asJSON {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		return e.Encode(d)
	}
	if _, err := fmt.Fprint(out, d); err != nil {
		return err
	}
	return probe(out)
}

// probe computes something small, so that a machine on which nothing works says so here.
func probe(out io.Writer) error {
	var got float64
	if err := lucid.Try(func() { got = lucid.Ones(64, 64).MatMul(lucid.Ones(64, 64)).Exp().Log().Sum().Item() }); err != nil {
		return fmt.Errorf("a small computation failed: %w", err)
	}
	const want = 64 * 64 * 64
	if got < want*0.999 || got > want*1.001 {
		return fmt.Errorf("a small computation gave %v, want %v; run with LUCID_CPU=generic to see whether a kernel is wrong, and report it", got, float64(want))
	}
	_, err := fmt.Fprintln(out, "probe     a small computation came out right")
	return err
}
