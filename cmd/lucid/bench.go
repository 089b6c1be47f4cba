package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime/pprof"
	"strconv"
	"strings"
	"time"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/cmd/lucid/internal/bench"
	"github.com/lucid-go/lucid/doctor"
)

func init() {
	add(&command{name: "bench", args: "[--run regexp] [--list] [--json] [--serve]",
		short: "time named workloads against what this machine allows", run: runBench})
}

// benchRow is one line of the report: a time, and what it means on this machine.
type benchRow struct {
	bench.Timing
	About    string        `json:"about"`
	Rate     float64       `json:"rate,omitempty"` // operations or bytes a second
	Unit     string        `json:"unit,omitempty"`
	Limit    string        `json:"limit,omitempty"`    // the probe
	Fraction float64       `json:"fraction,omitempty"` // of the probe
	Limits   doctor.Limits `json:"limits"`             // probes of the same minute
}

func runBench(c *command, args []string, out io.Writer) error {
	f := c.flags()
	pattern := f.String("run", "", "only workloads whose name matches the regular expression")
	list := f.Bool("list", false, "list the workloads")
	asJSON := f.Bool("json", false, "print JSON: one object a line")
	serve := f.Bool("serve", false, "read names of workloads, and milliseconds, line by line; answer each with a JSON object")
	first := f.Bool("first", false,
		"compute one small product and exit: process start to first result; with --run, time the first runs of each workload")
	memory := f.Bool("memory", false,
		"with --run, print what memory the compiled functions of the workloads plan, and what is alive at their peak")
	limit := f.Int64("limit", 0,
		"with --memory, bytes the device may give once the data is made: a workload that would need more is planned and not run; 0 "+
			"means no bound")
	profile := f.String("profile", "", "write a CPU profile of the workloads to this file")
	device := f.String("device", "cpu", "cpu or cuda; a GPU has workloads of its own size")
	budget := f.Duration("time", 300*time.Millisecond, "for each workload")
	if err := c.parse(f, args, 0, out); err != nil {
		return err
	}
	switch *device {
	case "cpu":
	case "cuda":
		if err := bench.UseCUDA(); err != nil {
			return err
		}
	default:
		return &usageError{fmt.Sprintf("lucid bench: unknown device %q", *device), "lucid bench --device cuda"}
	}
	want, err := regexp.Compile(*pattern)
	if err != nil {
		return &usageError{"lucid bench: " + err.Error(), "lucid bench --run '^sgemm'"}
	}
	switch {
	case *memory && *pattern != "":
		return memoryPlans(want, *limit, out)
	case *first && *pattern != "":
		return firstRuns(want, out)
	case *first:
		_, err := fmt.Fprintln(out, lucid.Ones(16, 16).MatMul(lucid.Ones(16, 16)).Sum().Item())
		return err
	case *serve:
		return serveBench(os.Stdin, out)
	}
	var some []bench.Workload
	for _, w := range bench.All() {
		if want.MatchString(w.Name) && (*list || *pattern != "" || !w.Heavy) {
			some = append(some, w)
		}
	}
	if len(some) == 0 {
		return &usageError{fmt.Sprintf("lucid bench: no workload matches %q", *pattern), "lucid bench --list"}
	}
	if *list {
		return listBench(some, *asJSON, out)
	}
	if *profile != "" {
		file, err := os.Create(*profile)
		if err != nil {
			return err
		}
		defer file.Close()
		if err := pprof.StartCPUProfile(file); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	return timeBench(some, *budget, *asJSON, out)
}

// firstRuns times the first runs of workloads, kernels still to be compiled among them.
func firstRuns(want *regexp.Regexp, out io.Writer) error {
	for _, w := range bench.All() {
		if !want.MatchString(w.Name) {
			continue
		}
		times, err := bench.First(w.Name, 5)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out, "%s: first runs took %v\n", w.Name, times); err != nil {
			return err
		}
	}
	for _, line := range bench.Kernels() {
		fmt.Fprintln(out, line)
	}
	return nil
}

// memoryPlans prints the memory of workloads that are compiled functions.
func memoryPlans(want *regexp.Regexp, limit int64, out io.Writer) error {
	for _, w := range bench.All() {
		if !want.MatchString(w.Name) {
			continue
		}
		plans, err := bench.Memory(w.Name, limit)
		if err != nil {
			return err
		}
		for _, p := range plans {
			if _, err := fmt.Fprintf(out, "%s on %v\n", w.Name, p); err != nil {
				return err
			}
		}
	}
	return nil
}

func listBench(some []bench.Workload, asJSON bool, out io.Writer) error {
	for _, w := range some {
		var err error
		if asJSON {
			err = json.NewEncoder(out).Encode(w)
		} else {
			_, err = fmt.Fprintf(out, "%-24s %s\n", w.Name, w.About)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func timeBench(some []bench.Workload, budget time.Duration, asJSON bool, out io.Writer) error {
	var probe doctor.Prober
	var b bench.Bench
	if !asJSON {
		fmt.Fprintf(out, "%-24s %12s %16s  %s\n", "workload", "time", "rate", "of the machine's limit")
	}
	for _, w := range some {
		limits, err := probe.Measure()
		if err != nil {
			return err
		}
		row := judge(w, b.Time(w.Name, budget), limits)
		switch {
		case asJSON:
			row.Check = nil
			err = json.NewEncoder(out).Encode(row)
		case row.Error != "":
			_, err = fmt.Fprintf(out, "%-24s %s\n", w.Name, row.Error)
		default:
			_, err = fmt.Fprintln(out, row)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// judge compares a time with the machine's limits.
func judge(w bench.Workload, t bench.Timing, limits doctor.Limits) benchRow {
	row := benchRow{Timing: t, About: w.About, Limit: w.Limit, Limits: limits}
	if t.Seconds == 0 {
		return row
	}
	switch {
	case w.Flops > 0:
		row.Rate, row.Unit = w.Flops/t.Seconds, "GFLOP/s"
	case w.Bytes > 0:
		row.Rate, row.Unit = w.Bytes/t.Seconds, "GB/s"
	}
	most := map[string]float64{"fma32": limits.FMA32, "fma64": limits.FMA64, "bf16": limits.BF16, "read": limits.Read, "copy": limits.Copy,
		"stream_copy": limits.StreamCopy}[w.Limit]
	if most > 0 {
		row.Fraction = row.Rate / most
	}
	return row
}

func (r benchRow) String() string {
	s := fmt.Sprintf("%-24s %12s", r.Name, time.Duration(r.Seconds*1e9))
	if r.Rate > 0 {
		s += fmt.Sprintf(" %8.1f %-7s", r.Rate/1e9, r.Unit)
	}
	if r.Fraction > 0 {
		s += fmt.Sprintf("  %3.0f %% of %s", 100*r.Fraction, r.Limit)
	}
	return s
}

// serveBench is the worker of bench/driver: a line "name [milliseconds]" is answered by a timing, "probe" by limits.
func serveBench(in io.Reader, out io.Writer) error {
	var probe doctor.Prober
	var b bench.Bench
	e := json.NewEncoder(out)
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) == 0 {
			continue
		}
		var answer any
		if words[0] == "probe" {
			limits, err := probe.Measure()
			if err != nil {
				return err
			}
			answer = limits
		} else {
			ms := 100
			if len(words) > 1 {
				n, err := strconv.Atoi(words[1])
				if err != nil {
					return fmt.Errorf("line %q: want a workload and milliseconds", lines.Text())
				}
				ms = n
			}
			answer = b.Time(words[0], time.Duration(ms)*time.Millisecond)
		}
		if err := e.Encode(answer); err != nil {
			return err
		}
	}
	return lines.Err()
}
