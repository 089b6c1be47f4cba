package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/doctor"
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
	d := diagnosis{Diagnosis: doctor.Examine(), GPU: examineGPU()}
	if *asJSON {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		return e.Encode(d)
	}
	if _, err := fmt.Fprintf(out, "%v%v", d.Diagnosis, d.GPU); err != nil {
		return err
	}
	return probe(out)
}

type diagnosis struct {
	doctor.Diagnosis
	GPU gpuDiagnosis `json:"gpu"`
}

// gpuDiagnosis is what is known of the machine's GPUs.
type gpuDiagnosis struct {
	Built   bool     `json:"built"`  // the program can use GPUs
	Usable  bool     `json:"usable"` // and there is one, with all its libraries
	Details []string `json:"details,omitempty"`
}

func examineGPU() (g gpuDiagnosis) {
	if gpuDoctor == nil {
		return g
	}
	text, err := gpuDoctor()
	return gpuDiagnosis{true, err == nil, strings.Split(strings.TrimSpace(text), "\n")}
}

// String is for people, a fact a line.
func (g gpuDiagnosis) String() string {
	if !g.Built {
		return "gpu       this program was built without CUDA; to see NVIDIA GPUs: " + withGPU("doctor") + "\n"
	}
	var b strings.Builder
	tried := 0
	for _, line := range g.Details {
		if strings.HasPrefix(line, "\t") {
			tried++
			continue
		}
		fmt.Fprintf(&b, "gpu       %s\n", strings.TrimSuffix(line, "; tried:"))
	}
	if tried > 0 {
		fmt.Fprintf(&b, "gpu       %d libraries were tried; --json lists them\n", tried)
	}
	return b.String()
}

// probe computes something small, so that a machine on which nothing works says so here.
func probe(out io.Writer) error {
	var got float64
	if err := lucid.Try(func() { got = lucid.Ones(64, 64).MatMul(lucid.Ones(64, 64)).Exp().Log().Sum().Item() }); err != nil {
		return fmt.Errorf("a small computation failed: %w", err)
	}
	const want = 64 * 64 * 64
	if got < want*0.999 || got > want*1.001 {
		return fmt.Errorf("a small computation gave %v, want %v; run with LUCID_CPU=generic to see whether a kernel is wrong, "+
			"and report it", got, float64(want))
	}
	_, err := fmt.Fprintln(out, "probe     a small computation came out right")
	return err
}
