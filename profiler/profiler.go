// Package profiler tells where time goes: which ops ran, how often, how long, over how many bytes.
//
//	p := profiler.Profile(func() { step(x, y).Item() })
//	fmt.Print(p)                       // a table, the longest first
//	err := p.WriteTrace(file)          // for chrome://tracing or ui.perfetto.dev
//	err = p.WriteFlameGraph(file)      // an SVG: modules, and the ops in them
//
// Ops are noted as they run, which is when values are asked for, not when they are written down: ops that were fused are
// one entry. Profile a step that ran before, or tracing and first allocations are in the picture.
package profiler

import (
	"cmp"
	"slices"
	"time"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/profile"
)

// Event is one launch: an op, or several that were fused.
type Event struct {
	Name      string        // the op; a + between those of a fused program
	Device    string        // where it ran
	Start     time.Duration // since the profile began
	Time      time.Duration
	Bytes     int64 // of its operands and results
	Allocated int64 // on the device, when it ended
	Later     bool  // the device computes later and cannot be waited for: Time is what the launch took

	DType  string        // of the first result
	Shape  string        // of it, such as [64 10]
	FLOPs  int64         // floating-point operations: two for a product and its sum, one for other arithmetic on an element
	Delta  int64         // change of what is allocated on the device since the launch before; a plan takes its memory at its first launch
	Module string        // types of the modules that recorded the op, from the outermost, such as GPT.Block.Linear; see NameModules
	Host   time.Duration // of a device that computes on its own: how long the host took to launch it
	Range  bool          // a part of the program that RecordFunction names; no launch
}

// Report is what ran during a profile.
type Report struct {
	Events []Event       // in the order in which they began
	Wall   time.Duration // from begin to end
}

// Profile runs f and returns what was computed meanwhile, by any goroutine. It waits for evaluations that were started
// before, and for those that f starts. A GPU is waited for after every launch, so that times are those of its work, and nothing
// overlaps meanwhile; a recorded function is one launch. Two profiles at once are refused.
func Profile(f func()) *Report {
	r := begin()
	defer r.abandon() // if f panics
	f()
	return r.end()
}

// recording is a profile that is being taken.
type recording struct {
	rec  *profile.Recorder
	stop func() // of names of modules
}

func begin() *recording {
	lucid.Synchronize()
	rec, ok := profile.Begin()
	if !ok {
		panic(lucid.Errorf(lucid.ErrValue, "profile", "another profile is being taken; take one after the other"))
	}
	return &recording{rec, graph.LabelNodes()}
}

// abandon ends the recording without a report.
func (r *recording) abandon() {
	r.stop()
	r.rec.End()
}

func (r *recording) end() *Report {
	lucid.Synchronize()
	r.stop()
	events, wall := r.rec.End()
	p := &Report{Wall: wall}
	for _, e := range events {
		p.Events = append(p.Events, Event(e))
	}
	slices.SortStableFunc(p.Events, func(a, b Event) int { return cmp.Compare(a.Start, b.Start) })
	return p
}

// NameModules lets ops that are recorded from now on know the modules that record them, until the function it returns is called. A
// profile does that by itself; a compiled function is recorded when it is traced, so its launches have names if that happens inside a
// profile or after NameModules. Launches of named modules have the labels op and module in profiles of runtime/pprof. It costs some
// 200 ns an op.
func NameModules() (stop func()) { return graph.LabelNodes() }

// RecordFunction runs f and notes its time under a name, if a profile is being taken. Ranges may nest. Ops run when their values are
// asked for: a range has those that ran inside it, not those that were recorded there.
func RecordFunction(name string, f func()) {
	rec := profile.Active()
	if rec == nil {
		f()
		return
	}
	from := time.Now()
	defer func() { rec.Add(from, profile.Event{Name: name, Device: rangeDevice, Range: true}) }()
	f()
}

// rangeDevice is where ranges are in a trace.
const rangeDevice = "program"

// Launches returns the events that are launches, without the ranges of RecordFunction.
func (r *Report) Launches() []Event {
	return slices.DeleteFunc(slices.Clone(r.Events), func(e Event) bool { return e.Range })
}

// Busy returns the time spent in launches. With several goroutines it may be more than Wall.
func (r *Report) Busy() (sum time.Duration) {
	for _, e := range r.Launches() {
		sum += e.Time
	}
	return sum
}

// FLOPs returns the floating-point operations of all launches.
func (r *Report) FLOPs() (sum int64) {
	for _, e := range r.Launches() {
		sum += e.FLOPs
	}
	return sum
}

// Peak returns the most that was seen allocated on a device at the end of a launch.
func (r *Report) Peak(device lucid.Device) (most int64) {
	for _, e := range r.Events {
		if e.Device == device.String() {
			most = max(most, e.Allocated)
		}
	}
	return most
}
