package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

const preface = `# Benchmarks

The same work in lucid and in other frameworks, on the same machine, with as many threads each, on random data, interleaved
A-B-A-B; results are compared before anything is timed. Written by ` + "`bench/run`" + ` after ` + "`bench/setup`" + `; the numbers are in
[latest.json](../bench/results/latest.json).

- **Ratio**: their time divided by ours, so above 1 lucid is faster: the median of the pairs, in brackets the range of the middle 80 %.
- **PyTorch**: eager with glibc told to keep its pages, eager by default, compiled; the best counts.
- **Of limit**: the fraction of what a probe measured on the machine in the same minute: multiply-adds in registers, reading memory,
  copying it, copying it with non-temporal stores.
- Training steps and the inference row are compiled in lucid and JAX; everything else in lucid is written eagerly.

`

const gpuPreface = `# Benchmarks on a GPU

The same work in lucid and in other frameworks, on the same GPU, on the same random data, interleaved A-B-A-B; results are
compared before anything is timed. Written by

    bench/run --device cuda --python python3 --page docs/benchmarks-cuda.md --results bench/results/cuda.json

- **Time**: one run among as many as take 20 ms, with one synchronisation at their end.
- **Ratio**: their time divided by ours, so above 1 lucid is faster: the median of the pairs, in brackets the range of the middle 80 %.
- TF32 is off everywhere. Training steps are compiled in lucid and JAX; PyTorch's optimizers are its fused ones.
- GPT-2 computes in bfloat16 with float32 parameters: by autocast in PyTorch, by casts of the parameters in lucid and JAX.
- Everything else in lucid is written eagerly, except the row that says otherwise. Peers that compile do so before the timing.
- **Memory**: what ` + "`nvidia-smi`" + ` shows of the process, context and libraries included.

Figures that are no row, and runs of the test suite: [bench/results/cuda.md](../bench/results/cuda.md).

`

// columns are the peers with a column of their own, and what it is called.
func (res *results) columns() (keys, names []string) {
	if res.Device != "" {
		return []string{"torch", "torch_compiled", "jax"}, []string{"PyTorch", "compiled", "JAX"}
	}
	return []string{"torch", "torch_default", "torch_compiled", "jax", "mlx"},
		[]string{"against PyTorch", "default allocator", "compiled", "JAX", "MLX"}
}

func (res *results) page() []byte {
	var b bytes.Buffer
	if res.Device != "" {
		b.WriteString(gpuPreface)
	} else {
		b.WriteString(preface)
	}
	b.WriteString(wrap(res.Conditions, "") + "\n")
	var m struct {
		Go, CPU string
		Threads int
	}
	var machine string
	if json.Unmarshal(res.Machine, &m) == nil {
		machine = fmt.Sprintf("Machine: %s; %d threads; %s.", m.CPU, m.Threads, m.Go)
	}
	for _, p := range res.Peers {
		if p.Version != "" {
			machine += fmt.Sprintf(" %s %s.", p.label(), p.Version)
		}
	}
	b.WriteString(wrap(machine, ""))
	keys, names := res.columns()
	fmt.Fprintf(&b, "\n| workload | lucid | of limit | best of PyTorch | goal | %s |\n|---|---|---|---|---|%s\n",
		strings.Join(names, " | "), strings.Repeat("---|", len(names)))
	for _, r := range res.Rows {
		r.lacks = r.Needs != "" && !slices.Contains(strings.Fields(m.CPU), r.Needs)
		b.WriteString(r.cells(keys))
	}
	notes(&b, res.Rows)
	return b.Bytes()
}

// listMarker is a word that would begin an item of a list, were it the first of a line.
var listMarker = regexp.MustCompile(`^(\d+[.)]|[-+*#]+)$`)

// wrap breaks a paragraph at spaces into lines of at most 140 columns; lines after the first begin with indent.
func wrap(text, indent string) string {
	const most = 140
	var words []string
	for i, word := range strings.Fields(text) {
		if i > 1 && listMarker.MatchString(word) {
			words[len(words)-1] += " " + word
		} else {
			words = append(words, word)
		}
	}
	var b strings.Builder
	column := 0
	for i, word := range words {
		switch n := utf8.RuneCountInString(word); {
		case i == 0:
			column = n
		case column+1+n > most:
			b.WriteString("\n" + indent)
			column = len(indent) + n
		default:
			b.WriteByte(' ')
			column += 1 + n
		}
		b.WriteString(word)
	}
	return b.String() + "\n"
}

func (p *peer) label() string {
	for _, q := range peers("", "", 0) {
		if q.Key == p.Key {
			return q.Name
		}
	}
	return p.Name
}

func (r *row) cells(keys []string) string {
	if r.Error != "" {
		return fmt.Sprintf("| %s | fails | | | | %s\n", r.About, strings.Repeat("|", len(keys)))
	}
	limit, best := "", ""
	if r.Fraction > 0 {
		limit = fmt.Sprintf("%.0f %% %s", 100*r.Fraction, strings.ReplaceAll(r.Limit, "_", " "))
	}
	if m := r.best(); m != nil {
		best = fmt.Sprintf("**%s**", m.Ratio)
	}
	cells := []string{r.About, short(r.Seconds.Median) + r.rate(), limit, best, r.goals()}
	for _, key := range keys {
		cell := ""
		if i := slices.IndexFunc(r.Meetings, func(m *meeting) bool { return m.Peer == key }); i >= 0 {
			switch m := r.Meetings[i]; {
			case m.Error != "":
				cell = "n/a"
			case m.Differ != "":
				cell = "differs"
			case m.Pairs > 0:
				cell = fmt.Sprintf("%s, %s", short(m.Seconds.Median), m.Ratio)
			}
		}
		cells = append(cells, cell)
	}
	return "| " + strings.Join(cells, " | ") + " |\n"
}

// goals is what is wanted of the row.
func (r *row) goals() string {
	var all []string
	if r.lacks {
		all = append(all, "n/a: no "+r.Needs)
	} else if r.Goal > 0 {
		all = append(all, fmt.Sprintf("%.3gx", r.Goal))
	}
	if r.Share > 0 {
		all = append(all, fmt.Sprintf("%.0f %%", 100*r.Share))
	}
	if r.Within > 0 {
		all = append(all, "≤ "+short(r.Within))
	}
	return strings.Join(all, ", ")
}

// lacking is what the row has and should have, of every goal that it misses.
func (r *row) lacking() (all []string) {
	if m := r.best(); m != nil && !r.lacks && m.Ratio.Median < r.Goal {
		all = append(all, fmt.Sprintf("%.3gx of %.3gx", m.Ratio.Median, r.Goal))
	}
	if r.Fraction > 0 && r.Fraction < r.Share {
		all = append(all, fmt.Sprintf("%.3g %% of %.3g %%", 100*r.Fraction, 100*r.Share))
	}
	if r.Seconds.Median > r.Within && r.Within > 0 {
		all = append(all, short(r.Seconds.Median)+" of "+short(r.Within))
	}
	return all
}

// best is the meeting with the way of PyTorch that does best against us.
func (r *row) best() (best *meeting) {
	for _, m := range r.Meetings {
		if strings.HasPrefix(m.Peer, "torch") && m.Pairs > 0 && (best == nil || m.Ratio.Median < best.Ratio.Median) {
			best = m
		}
	}
	return best
}

func (r *row) rate() string {
	switch {
	case r.Flops > 0:
		return fmt.Sprintf(", %.3g GFLOP/s", r.Flops/r.Seconds.Median/1e9)
	case r.Bytes > 0:
		return fmt.Sprintf(", %.3g GB/s", r.Bytes/r.Seconds.Median/1e9)
	}
	return ""
}

// line is the row on a terminal.
func (r *row) line() string {
	s := fmt.Sprintf("%-24s %-9s", r.Name, short(r.Seconds.Median))
	for _, m := range r.Meetings {
		s += fmt.Sprintf("  %s %s", m.Peer, m.Ratio)
		if what := m.Error + m.Differ; what != "" {
			s += " (" + what + ")"
		}
	}
	if r.Discarded > 0 {
		s += fmt.Sprintf("  %d rounds discarded", r.Discarded)
	}
	return s + r.Error + "\n"
}

func (b band) String() string { return fmt.Sprintf("%.2fx [%.2f–%.2f]", b.Median, b.Low, b.High) }

// short writes seconds with three digits.
func short(s float64) string {
	switch {
	case s <= 0:
		return "–"
	case s < 1e-6:
		return fmt.Sprintf("%.3g ns", s*1e9)
	case s < 1e-3:
		return fmt.Sprintf("%.3g µs", s*1e6)
	case s < 1:
		return fmt.Sprintf("%.3g ms", s*1e3)
	}
	return time.Duration(s * 1e9).Round(10 * time.Millisecond).String()
}

// notes says what the table cannot: why a goal is missed, memory, errors, differences, rounds thrown away.
func notes(b *bytes.Buffer, rows []*row) {
	b.WriteString("\n")
	var discarded []string
	note := func(format string, args ...any) { b.WriteString(wrap("- "+fmt.Sprintf(format, args...), "  ")) }
	for _, r := range rows {
		if r.Error != "" {
			note("%s: %s", r.Name, r.Error)
		}
		if lacking := r.lacking(); lacking != nil && r.Error == "" {
			note("%s falls short, %s: %s", r.Name, strings.Join(lacking, ", "), cmp.Or(r.Reason, "why is not known."))
		}
		for _, m := range r.Meetings {
			if what := m.Error + m.Differ; what != "" {
				note("%s, %s: %s", r.Name, m.Peer, what)
			}
			if m.Memory > 0 {
				part := 100 * float64(r.Memory) / float64(m.Memory)
				note("%s: peak memory %d MB, %.0f %% of the %d MB of %s", r.Name, r.Memory>>20, part, m.Memory>>20, m.Peer)
			}
		}
		if r.Discarded > 0 {
			discarded = append(discarded, fmt.Sprintf("%s %d", r.Name, r.Discarded))
		}
	}
	if discarded != nil {
		note("Rounds discarded because a probe was slow: %s.", strings.Join(discarded, ", "))
	}
}
