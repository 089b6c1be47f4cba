package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
)

// lucidRun runs a command line.
func lucidRun(args ...string) (status int, out, errs string) {
	var o, e strings.Builder
	status = start(args, &o, &e)
	return status, o.String(), e.String()
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{{"help"}, {"--help"}, {"-h"}} {
		status, out, errs := lucidRun(args...)
		if status != 0 || errs != "" {
			t.Errorf("%v: status %d, %q", args, status, errs)
		}
		for _, c := range commands {
			if !strings.Contains(out, "  "+c.name+" ") || !strings.Contains(out, c.short) {
				t.Errorf("%v does not tell of %s:\n%s", args, c.name, out)
			}
		}
	}
	for _, args := range [][]string{{"help", "ops"}, {"ops", "--help"}} {
		if status, out, _ := lucidRun(args...); status != 0 || !strings.Contains(out, "usage: lucid ops [--json]") ||
			!strings.Contains(out, "  --json\n") {
			t.Errorf("%v: status %d:\n%s", args, status, out)
		}
	}
}

// TestMistakes asks that every mistake says what to type.
func TestMistakes(t *testing.T) {
	for line, want := range map[string]string{
		"":                  "no command; want one of: ",
		"opps":              `there is no command "opps"; want one of: `,
		"ops --yaml":        "there is no flag --yaml; try: lucid ops --help",
		"ops add sub":       `unexpected argument "sub"; try: lucid ops [--json] [name]`,
		"ops no_such_op":    `there is no op "no_such_op"; try: lucid ops`,
		"ops matmull":       `there is no op "matmull"; perhaps matmul`,
		"trian":             "; try: lucid train",
		"doctor now":        `unexpected argument "now"; try: lucid doctor [--json]`,
		"version please":    `unexpected argument "please"; try: lucid version`,
		"help no_such_verb": `there is no command "no_such_verb"`,
	} {
		status, out, errs := lucidRun(strings.Fields(line)...)
		if status != 2 || out != "" || !strings.Contains(errs, want) || !strings.Contains(errs, "; try: lucid") {
			t.Errorf("lucid %s: status %d, printed %q and %q; want 2 and %q", line, status, out, errs, want)
		}
	}
}

func TestNearest(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "", 3}, {"train", "trian", 1}, {"kitten", "sitting", 3}, {"ab", "ba", 1}} {
		if got := distance(c.a, c.b); got != c.want || distance(c.b, c.a) != c.want {
			t.Errorf("%q to %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
	if got := nearest("soft", []string{"softmax", "log_softmax", "relu", "sort"}); len(got) != 3 || got[0] != "softmax" ||
		got[2] != "log_softmax" {
		t.Error(got)
	}
	if got := nearest("x", []string{"add", "exp"}); len(got) != 0 {
		t.Error(got)
	}
}

func TestOps(t *testing.T) {
	status, out, errs := lucidRun("ops", "--json")
	var rows []map[string]any
	if err := json.Unmarshal([]byte(out), &rows); err != nil || status != 0 || errs != "" {
		t.Fatalf("status %d, %v, %q", status, err, errs)
	}
	if len(rows) != len(lucid.Ops()) {
		t.Errorf("%d rows, want %d", len(rows), len(lucid.Ops()))
	}
	for _, r := range rows {
		for _, key := range []string{"name", "version", "kind", "amp", "deterministic", "vjp", "jvp", "vmap"} {
			if r[key] == nil || r[key] == "" {
				t.Errorf("%v has no %s", r["name"], key)
			}
		}
		if len(r) != 8 {
			t.Errorf("%v has %d keys", r["name"], len(r))
		}
	}
	status, out, _ = lucidRun("ops")
	if lines := strings.Count(out, "\n"); status != 0 || lines != len(rows)+1 {
		t.Errorf("status %d, %d lines for %d ops", status, lines, len(rows))
	}
	if _, out, _ = lucidRun("ops", "matmul"); strings.Count(out, "\n") != 2 || !strings.Contains(out, "contract") {
		t.Errorf("ops matmul printed:\n%s", out)
	}
}

func TestDoctorAndVersion(t *testing.T) {
	status, out, errs := lucidRun("doctor")
	if status != 0 || errs != "" || !strings.Contains(out, "threads") || !strings.Contains(out, "came out right") ||
		!strings.Contains(out, "\ngpu ") {
		t.Errorf("status %d, %q\n%s", status, errs, out)
	}
	status, out, _ = lucidRun("doctor", "--json")
	var d diagnosis
	if err := json.Unmarshal([]byte(out), &d); err != nil || status != 0 || d.Threads < 1 || d.GPU.Built != (gpuDoctor != nil) {
		t.Errorf("status %d, %v\n%s", status, err, out)
	}
	if status, out, _ = lucidRun("version"); status != 0 || !strings.HasPrefix(out, "lucid ") || strings.Count(out, "\n") != 1 {
		t.Errorf("status %d, %q", status, out)
	}
}

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space") }

// TestFlagsAnywhere asks that flags are read behind arguments too, and mistyped ones answered with those that are there.
func TestFlagsAnywhere(t *testing.T) {
	_, before, _ := lucidRun("ops", "--json", "matmul")
	if status, behind, errs := lucidRun("ops", "matmul", "--json"); status != 0 || behind != before || !strings.HasPrefix(before, "[") {
		t.Errorf("status %d, %s%s", status, behind, errs)
	}
	for line, want := range map[string]string{
		"train --epocs 3":  "lucid train: there is no flag --epocs; perhaps --epochs; try: lucid train --help\n",
		"ops -- --json":    "lucid ops: there is no op \"--json\"; try: lucid ops\n",
		"ops add --xyzzy":  "lucid ops: there is no flag --xyzzy; try: lucid ops --help\n",
		"ops add mul":      "lucid ops: unexpected argument \"mul\"; try: lucid ops [--json] [name]\n",
		"version --json":   "lucid version: there is no flag --json; try: lucid version --help\n",
		"ops --json=maybe": "lucid ops: invalid boolean value \"maybe\" for -json: parse error; try: lucid ops --help\n",
	} {
		if status, _, errs := lucidRun(strings.Fields(line)...); status != 2 || errs != want {
			t.Errorf("%s: status %d, %q; want %q", line, status, errs, want)
		}
	}
}

func TestOneLine(t *testing.T) {
	err := errors.New("lucid: cuda: no driver: lucid: dl: not found; tried:\n\ta: not there: at all\n\tb/a: no such file")
	if got := oneLine(err); got != "cuda: no driver: dl: not found; tried a, b/a" {
		t.Errorf("got %q", got)
	}
}

// TestFailures asks that a command that fails says its name, with status 1.
func TestFailures(t *testing.T) {
	saved := commands
	defer func() { commands = saved }()
	commands = nil
	add(&command{name: "fails", run: func(*command, []string, io.Writer) error { return io.ErrUnexpectedEOF }})
	if status, _, errs := lucidRun("fails"); status != 1 || errs != "lucid fails: unexpected EOF\n" {
		t.Errorf("status %d, %q", status, errs)
	}
	add(&command{name: "prints", run: func(_ *command, _ []string, out io.Writer) error { fmt.Fprintln(out, "x"); return nil }})
	var errs strings.Builder
	if status := start([]string{"prints"}, full{}, &errs); status != 1 ||
		errs.String() != "lucid prints: the output could not be written: no space\n" {
		t.Errorf("status %d, %q", status, errs.String())
	}
	defer func() {
		if recover() == nil {
			t.Error("two commands of one name were taken")
		}
	}()
	add(&command{name: "fails"})
}

// TestNegativeArguments checks that a row may begin with a negative number, and that the value of a flag may be one.
func TestNegativeArguments(t *testing.T) {
	for line, want := range map[string]string{
		"-5,3":                "-5,3",
		"--json -.5,3":        "-.5,3",
		"-1 --temperature -2": "-1",
		"-- -7":               "-7",
	} {
		c := &command{name: "predict"}
		f := c.flags()
		f.Bool("json", false, "")
		heat := f.Float64("temperature", 1, "")
		if err := c.parse(f, strings.Fields(line), 1, io.Discard); err != nil || f.Arg(0) != want {
			t.Errorf("%s: %q, %v; want %q", line, f.Args(), err, want)
		}
		if strings.Contains(line, "-2") && *heat != -2 {
			t.Errorf("%s: the flag is %v", line, *heat)
		}
	}
}

// TestWithGPU checks the advice for a program without CUDA: a path in the source only where the source is.
func TestWithGPU(t *testing.T) {
	t.Chdir(t.TempDir())
	if got := withGPU("doctor"); !strings.HasPrefix(got, "go run -tags gpu github.com/lucid-go/lucid/cmd/lucid@") ||
		!strings.HasSuffix(got, " doctor") {
		t.Errorf("outside the source: %q", got)
	}
	if gpuDoctor == nil {
		_, _, errs := lucidRun("train", "--device", "cuda:1")
		if !strings.Contains(errs, "built without CUDA; try: "+withGPU("train --device cuda:1")) {
			t.Errorf("outside the source, training on a GPU: %q", errs)
		}
	}
	if err := os.MkdirAll("cmd/lucid", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("cmd/lucid/main.go", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("go.mod", []byte("module "+modulePath+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := withGPU("doctor"); got != "go run -tags gpu ./cmd/lucid doctor" {
		t.Errorf("in the source: %q", got)
	}
}
