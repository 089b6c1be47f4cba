// Package bench holds the named workloads of lucid bench: the same work, by the same names, that bench/peers does with
// other frameworks.
package bench

import (
	"math"
	"slices"
	"sort"
	"time"

	"github.com/lucid-go/lucid"
)

// A Workload is some work with a name. Flops and Bytes are what it has to do and to move at least, 0 where a rate
// would say nothing.
type Workload struct {
	Name  string  `json:"name"`
	About string  `json:"about"`
	Flops float64 `json:"flops,omitempty"`
	Bytes float64 `json:"bytes,omitempty"`
	Limit string  `json:"limit,omitempty"` // the probe its rate is a fraction of
	Goal  float64 `json:"goal,omitempty"`  // speed wanted against PyTorch's best
	Share float64 `json:"share,omitempty"` // part of the limit that is wanted
	// Within is the time of one run that is wanted, in seconds.
	Within float64 `json:"within,omitempty"`
	Needs  string  `json:"needs,omitempty"` // what a processor must have for the goal to count
	Tol    float64 `json:"tolerance"`       // most that results of two frameworks differ, against their root mean square
	Heavy  bool    `json:"heavy,omitempty"` // takes gigabytes; run only when named
	// Reason says why it falls short of what is wanted, for when it does.
	Reason string `json:"reason,omitempty"`
	make   func() job
}

// A job is a workload with its data made.
type job struct {
	run    func()                 // once, until the result stands in memory
	result func() []*lucid.Tensor // of the last run, or of steps it makes itself; called before anything is timed
	step   any                    // the compiled function that run calls, for Explain; nil: none
}

// Summary says enough of a result to compare it with another framework's.
type Summary struct {
	N       int       `json:"n"`
	Mean    float64   `json:"mean"`
	RMS     float64   `json:"rms"`
	Samples []float64 `json:"samples"` // evenly spread
}

// Timing is what one measurement found.
type Timing struct {
	Name    string    `json:"name"`
	Seconds float64   `json:"seconds"` // median of one run
	Best    float64   `json:"best"`
	Runs    int       `json:"runs"`
	Check   []Summary `json:"check,omitempty"`
	Error   string    `json:"error,omitempty"`
}

// Wait returns when all work that jobs asked for is done; nil where jobs wait themselves. It is set for devices that
// compute on their own time.
var Wait func()

var workloads []Workload

func add(w Workload) {
	if w.Tol == 0 {
		w.Tol = 1e-4
	}
	if w.Reason = gpuReasons[w.Name]; Wait == nil {
		w.Reason, w.Share = reasons[w.Name], shares[w.Name]
	}
	workloads = append(workloads, w)
}

// All lists the workloads in the order of the table.
func All() []Workload { return slices.Clone(workloads) }

// Bench times workloads; it keeps the data of the last one.
type Bench struct {
	name  string
	job   job
	batch int // runs between two looks at the clock
	check []Summary
	long  bool // the last timing found runs of more than longRun
}

// Time measures a workload for about the given time, and at least one run.
func (b *Bench) Time(name string, budget time.Duration) Timing {
	t := Timing{Name: name}
	if err := lucid.Try(func() { b.time(&t, budget) }); err != nil {
		t.Error = err.Error()
	}
	return t
}

func (b *Bench) time(t *Timing, budget time.Duration) {
	if b.name != t.Name {
		b.prepare(t.Name)
	}
	t.Check = b.check
	b.wake()
	wait()
	var each []float64
	for begin := time.Now(); len(each) < 1 || time.Since(begin) < budget; {
		start := time.Now()
		for range b.batch {
			b.job.run()
		}
		wait()
		each = append(each, time.Since(start).Seconds()/float64(b.batch))
	}
	sort.Float64s(each)
	t.Seconds, t.Best, t.Runs = each[len(each)/2], each[0], len(each)*b.batch
	b.long = t.Seconds > longRun.Seconds()
}

// wakeTime is how long a workload runs before each timing on the CPU. After a pause the system may wake two threads on one processor, and
// one waits for the slice of the other: some milliseconds of the first runs. Runs of longRun hide that, and are not done twice.
const (
	wakeTime = 10 * time.Millisecond
	longRun  = 100 * time.Millisecond
)

func (b *Bench) wake() {
	if Wait != nil || b.long {
		return
	}
	for begin := time.Now(); time.Since(begin) < wakeTime; {
		b.job.run()
	}
}

// First makes the data of a workload and times its first runs one by one.
func First(name string, runs int) (times []time.Duration, err error) {
	err = lucid.Try(func() {
		job := find(name).make()
		wait()
		for range runs {
			start := time.Now()
			job.run()
			wait()
			times = append(times, time.Since(start).Round(10*time.Microsecond))
		}
	})
	return times, err
}

// Memory makes the data of a workload, runs it once and returns what its compiled function takes. Where limit is not 0, no
// run may have more bytes: then the function is planned only, and the data must fit.
func Memory(name string, limit int64) (plans []lucid.MemoryPlan, err error) {
	err = lucid.Try(func() {
		job := find(name).make()
		if job.step == nil {
			panic(lucid.Errorf(lucid.ErrValue, "bench", "%s has no compiled function", name))
		}
		wait()
		if limit > 0 {
			defer lucid.SetMemoryLimit(lucid.Device{}, lucid.SetMemoryLimit(lucid.Device{}, limit))
		}
		run := lucid.Try(job.run)
		if plans = lucid.Explain(job.step).Memory; len(plans) == 0 {
			panic(run)
		}
	})
	return plans, err
}

func find(name string) Workload {
	i := slices.IndexFunc(workloads, func(w Workload) bool { return w.Name == name })
	if i < 0 {
		panic(lucid.Errorf(lucid.ErrValue, "bench", "there is no workload %q", name))
	}
	return workloads[i]
}

// prepare makes the data, checks the result, runs a few times and finds how many runs take long enough for the clock.
func (b *Bench) prepare(name string) {
	*b = Bench{}
	job := find(name).make()
	var check []Summary
	for _, r := range job.result() {
		check = append(check, summarize(r))
	}
	for begin, i := time.Now(), 0; i < 8 && time.Since(begin) < time.Second; i++ {
		job.run() // until buffers come back from the collector
	}
	batch := 1
	enough := 50 * time.Microsecond
	if Wait != nil {
		enough = 20 * time.Millisecond // waiting costs too
	}
	for {
		start := time.Now()
		for range batch {
			job.run()
		}
		wait()
		if time.Since(start) > enough || batch > 1<<20 {
			break
		}
		batch *= 2
	}
	*b = Bench{name: name, job: job, batch: batch, check: check}
}

func wait() {
	if Wait != nil {
		Wait()
	}
}

// thin takes of a large result on a device some elements, enough to compare. The step is odd, so that data that repeats is
// not always sampled at the same positions.
func thin(x *lucid.Tensor) *lucid.Tensor {
	const enough = 1 << 22
	x = x.Reshape(-1)
	if n := x.Size(0); Wait != nil && n > enough {
		x = x.At(lucid.Range{Stop: n, Step: (n+enough-1)/enough | 1})
	}
	return x
}

func summarize(x *lucid.Tensor) Summary {
	v := lucid.ToSlice[float64](thin(x).To(lucid.Float64))
	s := Summary{N: len(v)}
	for _, e := range v {
		s.Mean += e
		s.RMS += e * e
	}
	n := float64(max(len(v), 1))
	s.Mean, s.RMS = s.Mean/n, math.Sqrt(s.RMS/n)
	for i := range min(8, len(v)) {
		s.Samples = append(s.Samples, v[i*len(v)/min(8, len(v))])
	}
	return s
}
