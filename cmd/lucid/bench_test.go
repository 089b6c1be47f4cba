package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/lucid-go/lucid/cmd/lucid/internal/bench"
)

func TestBench(t *testing.T) {
	status, out, errs := lucidRun("bench", "--run", "^add16|^sgemm_64$", "--time", "1ms", "--json")
	if status != 0 || errs != "" || strings.Count(out, "\n") != 3 {
		t.Fatalf("status %d, %q\n%s", status, errs, out)
	}
	for line := range strings.Lines(out) {
		var row benchRow
		if err := json.Unmarshal([]byte(line), &row); err != nil || row.Seconds <= 0 || row.Runs < 1 || row.Error != "" ||
			row.Limits.FMA32 <= 0 || row.Limits.StreamCopy <= 0 {
			t.Errorf("%v: %s", err, line)
		}
	}
	if status, out, _ = lucidRun("bench", "--run", "sgemm_64", "--time", "1ms"); status != 0 || !strings.Contains(out, "GFLOP/s") ||
		!strings.Contains(out, "% of fma32") {
		t.Errorf("status %d\n%s", status, out)
	}
	if status, out, _ = lucidRun("bench", "--list"); status != 0 || strings.Count(out, "\n") != len(bench.All()) ||
		!strings.Contains(out, "gpt2_train") {
		t.Errorf("status %d\n%s", status, out)
	}
	for line, want := range map[string]string{"bench --run (": "missing closing", "bench --run nothing": "no workload matches"} {
		if status, _, errs := lucidRun(strings.Fields(line)...); status != 2 || !strings.Contains(errs, want) {
			t.Errorf("%s: status %d, %q", line, status, errs)
		}
	}
}

// TestServe talks to the worker as the driver does.
func TestServe(t *testing.T) {
	var out strings.Builder
	if err := serveBench(strings.NewReader("add16_evaluated 1\n\nno_such_work\nprobe\n"), &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 3 {
		t.Fatalf("answers: %q", lines)
	}
	var a, b bench.Timing
	if err := json.Unmarshal([]byte(lines[0]), &a); err != nil || a.Seconds <= 0 || len(a.Check) != 1 ||
		a.Check[0].N != 16 || a.Check[0].RMS == 0 {
		t.Errorf("%v: %s", err, lines[0])
	}
	if err := json.Unmarshal([]byte(lines[1]), &b); err != nil || !strings.Contains(b.Error, "no workload") {
		t.Errorf("%v: %s", err, lines[1])
	}
	if !strings.Contains(lines[2], `"stream_copy":`) {
		t.Error(lines[2])
	}
	if err := serveBench(strings.NewReader("add16_evaluated soon\n"), &out); err == nil {
		t.Error("a line without milliseconds was taken")
	}
}
