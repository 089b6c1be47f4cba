package main

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"time"
)

// workload is what lucid bench --list --json tells.
type workload struct {
	Name   string  `json:"name"`
	About  string  `json:"about"`
	Flops  float64 `json:"flops,omitempty"`
	Bytes  float64 `json:"bytes,omitempty"`
	Limit  string  `json:"limit,omitempty"`
	Goal   float64 `json:"goal,omitempty"`   // speed wanted against PyTorch's best
	Share  float64 `json:"share,omitempty"`  // part of the limit that is wanted
	Within float64 `json:"within,omitempty"` // seconds wanted
	Needs  string  `json:"needs,omitempty"`  // of the processor, for the goal to count
	Tol    float64 `json:"tolerance"`
	Heavy  bool    `json:"heavy,omitempty"`
	// Reason says why it falls short of what is wanted, for when it does.
	Reason string `json:"reason,omitempty"`
}

type summary struct {
	N       int       `json:"n"`
	Mean    float64   `json:"mean"`
	RMS     float64   `json:"rms"`
	Samples []float64 `json:"samples"`
}

type timing struct {
	Seconds float64   `json:"seconds"`
	Best    float64   `json:"best"`
	Check   []summary `json:"check"`
	Error   string    `json:"error"`
}

// A band is a median and the range of the middle 80 %.
type band struct {
	Median float64 `json:"median"`
	Low    float64 `json:"p10"`
	High   float64 `json:"p90"`
}

// A meeting is lucid and a peer at one workload.
type meeting struct {
	Peer    string `json:"peer"`
	Seconds band   `json:"seconds"` // the peer's
	Ratio   band   `json:"ratio"`   // of speeds: above 1 lucid is faster
	Pairs   int    `json:"pairs"`
	Memory  int64  `json:"memory,omitempty"`
	Differ  string `json:"differ,omitempty"` // how the results differ
	Error   string `json:"error,omitempty"`
	ours    []timing
	theirs  []timing
	Worst   float64 `json:"difference"` // largest, against the tolerance
}

// A row is a workload measured.
type row struct {
	workload
	Seconds   band               `json:"seconds"`
	Fraction  float64            `json:"fraction,omitempty"`
	Limits    map[string]float64 `json:"limits"` // medians
	Discarded int                `json:"discarded"`
	Memory    int64              `json:"memory,omitempty"`
	Meetings  []*meeting         `json:"meetings"`
	Error     string             `json:"error,omitempty"`

	lacks bool // the machine has not what the goal needs
}

// measure runs rounds of lucid, peer, lucid, peer, … until enough of them found the machine at its usual speed.
func (d *driver) measure(w workload) (*row, error) {
	r := &row{workload: w, Limits: map[string]float64{}}
	if w.Heavy {
		for _, p := range d.peers {
			p.stop()
		}
	}
	if err := d.startAll(); err != nil {
		return nil, err
	}
	for _, p := range d.peers[1:] {
		r.Meetings = append(r.Meetings, &meeting{Peer: p.Key})
	}
	if err := d.warm(r); err != nil || r.Error != "" {
		return r, err
	}
	probes, pairs := map[string][]float64{}, d.pairs
	if d.device != "" && w.Name == "start" { // a peer takes seconds for each
		pairs = min(pairs, 2)
	}
	for round, good := 0, 0; good < pairs && round < 3*pairs; round++ {
		limits := map[string]float64{}
		if d.device == "" { // the probes are the CPU's
			if err := d.probe(&limits); err != nil {
				return nil, err
			}
		}
		if d.sags(limits) {
			r.Discarded++
			time.Sleep(settleTime)
			continue
		}
		good++
		for k, v := range limits {
			probes[k] = append(probes[k], v)
		}
		if err := d.round(r); err != nil {
			return nil, err
		}
	}
	for k, v := range probes {
		r.Limits[k] = spread(v).Median
	}
	r.finish()
	for i, p := range d.peers {
		if i == 0 && w.Heavy {
			r.Memory = d.memory(p)
		} else if w.Heavy {
			r.Meetings[i-1].Memory = d.memory(p)
		}
	}
	return r, nil
}

// probe asks what the machine allows now.
func (d *driver) probe(limits *map[string]float64) error {
	d.prober.env = d.peers[0].env
	if err := d.prober.start(); err != nil {
		return fmt.Errorf("%s: %w", d.prober.Name, err)
	}
	return d.prober.ask("probe", limits)
}

// warmTime is how long a workload runs before it is timed. Where a host gives pages only when they are touched first, 2 MiB of new memory
// take some milliseconds, and lucid uses new memory until the collector finds the first dropped results, after 64 MiB.
const warmTime = 150 * time.Millisecond

// warm has every worker make its data and reach its usual speed, and compares the results. A peer that cannot do the work is left out. On a
// GPU the peers do so side by side, where that does not fill the device: they have compiled before, and most of it is the host's work.
func (d *driver) warm(r *row) error {
	var ours timing
	long := max(d.budget, warmTime)
	if err := d.time(d.peers[0], r.Name, long, &ours); err != nil {
		return err
	}
	r.Error = ours.Error
	if r.Name == "start" { // there is nothing to compare
		return nil
	}
	theirs, errs := make([]timing, len(r.Meetings)), make([]error, len(r.Meetings))
	var wg sync.WaitGroup
	for i := range r.Meetings {
		ask := func() { errs[i] = d.time(d.peers[i+1], r.Name, long, &theirs[i]) }
		if d.device != "" && !r.Heavy {
			wg.Go(ask)
		} else {
			ask()
		}
	}
	wg.Wait()
	for i, m := range r.Meetings {
		t := theirs[i]
		if errs[i] != nil {
			return errs[i]
		}
		m.Error = t.Error
		if m.Error == "" {
			m.Worst = min(difference(ours.Check, t.Check), math.MaxFloat64) // JSON has no infinity
			if m.Worst > r.Tol {
				m.Differ = fmt.Sprintf("results differ by %.2g, more than %.2g", m.Worst, r.Tol)
			}
		}
	}
	return nil
}

func (d *driver) round(r *row) error {
	for i, m := range r.Meetings {
		if m.Error != "" {
			continue
		}
		var ours, theirs timing
		if err := d.time(d.peers[0], r.Name, d.budget, &ours); err != nil {
			return err
		}
		if err := d.time(d.peers[i+1], r.Name, d.budget, &theirs); err != nil {
			return err
		}
		m.ours, m.theirs = append(m.ours, ours), append(m.theirs, theirs)
	}
	if len(r.Meetings) == 0 {
		return fmt.Errorf("no peer to measure against")
	}
	return nil
}

// time asks a worker and waits until its threads have come to rest.
func (d *driver) time(p *peer, name string, budget time.Duration, t *timing) error {
	if err := p.ask(fmt.Sprintf("%s %d", name, budget.Milliseconds()), t); err != nil {
		return fmt.Errorf("%s at %s: %w", p.Name, name, err)
	}
	if d.fastest {
		t.Seconds = t.Best
	}
	settle(p.process.Process.Pid)
	return nil
}

// sags reports whether the machine is slower than it usually was; it remembers what it was. Not the best counts: one lucky
// moment would then throw away all that follow.
func (d *driver) sags(limits map[string]float64) bool {
	slow := false
	for _, k := range []string{"fma32", "stream_copy"} {
		d.seen[k] = append(d.seen[k], limits[k])
		slow = slow || limits[k] < d.sag*spread(d.seen[k]).Median
	}
	return slow
}

func (r *row) finish() {
	var all []float64
	for _, m := range r.Meetings {
		var ratios, theirs []float64
		for i := range m.ours {
			all = append(all, m.ours[i].Seconds)
			theirs = append(theirs, m.theirs[i].Seconds)
			ratios = append(ratios, m.theirs[i].Seconds/m.ours[i].Seconds)
		}
		m.Seconds, m.Ratio, m.Pairs = spread(theirs), spread(ratios), len(ratios)
	}
	r.Seconds = spread(all)
	if most := r.Limits[r.Limit]; most > 0 && r.Seconds.Median > 0 {
		r.Fraction = max(r.Flops, r.Bytes) / r.Seconds.Median / most
	}
}

func spread(v []float64) band {
	if len(v) == 0 {
		return band{}
	}
	v = slices.Sorted(slices.Values(v))
	at := func(q float64) float64 { return v[int(math.Round(q*float64(len(v)-1)))] }
	return band{at(0.5), at(0.1), at(0.9)}
}

// difference is the distance of two results relative to their root mean square; infinite if they cannot be compared.
func difference(a, b []summary) (most float64) {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	for i := range a {
		if a[i].N != b[i].N || len(a[i].Samples) != len(b[i].Samples) {
			return math.Inf(1)
		}
		scale := max(a[i].RMS, math.SmallestNonzeroFloat64)
		most = max(most, math.Abs(a[i].Mean-b[i].Mean)/scale, math.Abs(a[i].RMS-b[i].RMS)/scale)
		for j, s := range a[i].Samples {
			most = max(most, math.Abs(s-b[i].Samples[j])/scale)
		}
	}
	if math.IsNaN(most) {
		return math.Inf(1)
	}
	return most
}
