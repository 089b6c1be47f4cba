// Driver measures lucid against its peers, A-B-A-B, and writes docs/benchmarks.md and bench/results/latest.json.
// bench/run builds and starts it.
package main

//go:generate go test . -run TestPages$ -generate

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"
)

type driver struct {
	peers  []*peer // lucid first
	prober *peer   // another lucid, which measures the machine: what that takes is no part of a workload's memory
	pairs  int
	budget time.Duration // of one timing
	sag    float64
	// fastest takes the best run of each timing, for a machine that others use too; else its median.
	fastest bool
	seen    map[string][]float64 // by probe
	device  string               // of the workloads; "": the CPU
}

// results are the file of results; its rows are found by name, so that some can be measured again.
type results struct {
	Machine    json.RawMessage `json:"machine"`
	Conditions string          `json:"conditions"`
	Device     string          `json:"device,omitempty"` // "": the CPU
	Peers      []*peer         `json:"peers"`
	Rows       []*row          `json:"rows"`
}

func main() {
	lucid := flag.String("lucid", "lucid", "the program")
	python := flag.String("python", "bench/.venv/bin/python", "interpreter that bench/setup made")
	only := flag.String("run", "", "only workloads that match the regular expression; the others keep their last result")
	with := flag.String("peers", "torch,torch_default,torch_compiled,jax,mlx", "whom to measure against")
	pairs := flag.Int("pairs", 15, "timings of each kind")
	budget := flag.Duration("time", 100*time.Millisecond, "of one timing")
	sag := flag.Float64("sag", 0.85, "discard rounds in which a probe finds less than this part of what it usually found; 0: keep all")
	fastest := flag.Bool("fastest", false, "take the best run of each timing, not the median: for a machine that others use too")
	threads := flag.Int("threads", 2, "of each worker")
	heavy := flag.Bool("heavy", false, "also workloads that take gigabytes")
	conditions := flag.String("conditions", "Measured alone on the machine.", "said above the table")
	file := flag.String("results", "bench/results/latest.json", "where the numbers go")
	page := flag.String("page", "docs/benchmarks.md", "where the table goes")
	device := flag.String("device", "cpu", "cpu or cuda")
	flag.Parse()
	d := &driver{prober: &peer{Key: "lucid", Name: "lucid's probes", command: []string{*lucid, "bench", "--serve"}}, pairs: *pairs,
		budget: *budget, sag: *sag, fastest: *fastest, seen: map[string][]float64{}}
	all, clean := peers(*lucid, *python, *threads), func() {}
	if *device == "cuda" {
		env, remove, err := caches()
		if err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		all, clean, d.device = gpuPeers(*lucid, *python, env), remove, "cuda"
	}
	for i, p := range all {
		if i == 0 || slices.Contains(strings.Split(*with, ","), p.Key) {
			d.peers = append(d.peers, p)
		}
	}
	err := d.run(*lucid, *only, *heavy, *conditions, *file, *page)
	for _, p := range append(d.peers, d.prober) {
		p.stop()
	}
	clean()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func (d *driver) run(lucid, only string, heavy bool, conditions, file, page string) error {
	want, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	table, err := workloads(lucid, d.device)
	if err != nil {
		return err
	}
	var res results
	if old, err := os.ReadFile(file); err == nil {
		if err := json.Unmarshal(old, &res); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	if res.Machine, err = exec.Command(lucid, "doctor", "--json").Output(); err != nil {
		return fmt.Errorf("lucid doctor: %w", err)
	}
	res.Conditions, res.Device = conditions, d.device
	var chosen []workload
	for _, w := range table {
		if want.MatchString(w.Name) && (heavy || !w.Heavy) {
			chosen = append(chosen, w)
		}
	}
	if d.device != "" {
		if err := d.prepare(chosen); err != nil {
			return err
		}
	}
	// Processes are started before others hold the device and the machine's memory.
	slices.SortStableFunc(chosen, func(a, b workload) int { return number(b.Name == "start") - number(a.Name == "start") })
	begin := time.Now()
	for _, w := range chosen {
		r, err := d.measure(w)
		if err != nil {
			return err
		}
		fmt.Printf("%4.0f s  %s", time.Since(begin).Seconds(), r.line())
		res.put(r, d.peers, table)
		if err := res.write(file, page); err != nil {
			return err
		}
	}
	return nil
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// workloads asks lucid for its table.
func workloads(lucid, device string) (table []workload, err error) {
	args := []string{"bench", "--list", "--json"}
	if device != "" {
		args = append(args, "--device", device)
	}
	out, err := exec.Command(lucid, args...).Output()
	if err != nil {
		return nil, fmt.Errorf("lucid bench --list: %w", err)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var w workload
		if err := d.Decode(&w); err == io.EOF {
			return table, nil
		} else if err != nil {
			return nil, err
		}
		table = append(table, w)
	}
}

// put replaces the row of that name, keeping meetings with peers that were not asked this time, and the table's order.
func (res *results) put(r *row, asked []*peer, table []workload) {
	for _, p := range asked {
		res.Peers = append(slices.DeleteFunc(res.Peers, func(q *peer) bool { return q.Key == p.Key }), p)
	}
	at := func(name string) int { return slices.IndexFunc(table, func(w workload) bool { return w.Name == name }) }
	for _, o := range res.Rows {
		for _, m := range o.Meetings {
			if o.Name == r.Name && !slices.ContainsFunc(asked, func(p *peer) bool { return p.Key == m.Peer }) {
				r.Meetings = append(r.Meetings, m)
			}
		}
	}
	res.Rows = slices.DeleteFunc(res.Rows, func(o *row) bool { return o.Name == r.Name || at(o.Name) < 0 })
	res.Rows = append(res.Rows, r)
	slices.SortFunc(res.Rows, func(a, b *row) int { return at(a.Name) - at(b.Name) })
}

func (res *results) write(file, page string) error {
	b, err := json.MarshalIndent(res, "", " ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, append(b, '\n'), 0o666); err != nil {
		return err
	}
	return os.WriteFile(page, res.page(), 0o666)
}
