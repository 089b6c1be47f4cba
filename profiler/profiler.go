// Package profiler tells where time goes: which ops ran, how often, how long, over how many bytes.
//
//	p := profiler.Profile(func() { step(x, y).Item() })
//	fmt.Print(p)                       // a table, the longest first
//	err := p.WriteTrace(file)          // for chrome://tracing or ui.perfetto.dev
//
// Ops are noted as they run, which is when values are asked for, not when they are written down: ops that were fused are
// one entry. Profile a step that ran before, or tracing and first allocations are in the picture.
package profiler

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/lucid-go/lucid"
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
}

// Row is what all launches of a name took together.
type Row struct {
	Name  string
	Calls int
	Time  time.Duration
	Bytes int64
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
	lucid.Synchronize()
	rec, ok := profile.Begin()
	if !ok {
		panic(lucid.Errorf(lucid.ErrValue, "profile", "another profile is being taken; take one after the other"))
	}
	defer rec.End() // also if f panics
	f()
	lucid.Synchronize()
	events, wall := rec.End()
	r := &Report{Wall: wall}
	for _, e := range events {
		r.Events = append(r.Events, Event(e))
	}
	slices.SortStableFunc(r.Events, func(a, b Event) int { return cmp.Compare(a.Start, b.Start) })
	return r
}

// Busy returns the time spent in launches. With several goroutines it may be more than Wall.
func (r *Report) Busy() (sum time.Duration) {
	for _, e := range r.Events {
		sum += e.Time
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

// ByName adds up launches of the same name, the longest first.
func (r *Report) ByName() []Row {
	at := map[string]int{}
	var rows []Row
	for _, e := range r.Events {
		i, ok := at[e.Name]
		if !ok {
			i = len(rows)
			at[e.Name] = i
			rows = append(rows, Row{Name: e.Name})
		}
		rows[i].Calls++
		rows[i].Time += e.Time
		rows[i].Bytes += e.Bytes
	}
	slices.SortStableFunc(rows, func(a, b Row) int { return cmp.Compare(b.Time, a.Time) })
	return rows
}

// String is the table of ByName: time, its share of the time in launches, calls, and gigabytes a second.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%12s %7s %7s %8s  name\n", "time", "share", "calls", "GB/s")
	busy := r.Busy()
	for _, row := range r.ByName() {
		share, rate := 0.0, 0.0
		if row.Time > 0 {
			share, rate = 100*float64(row.Time)/float64(busy), float64(row.Bytes)/float64(row.Time)
		}
		fmt.Fprintf(&b, "%12v %5.1f %% %7d %8.2f  %s\n", row.Time.Round(100*time.Nanosecond), share, row.Calls, rate, row.Name)
	}
	fmt.Fprintf(&b, "%d launches: %v of %v\n", len(r.Events), busy.Round(time.Microsecond), r.Wall.Round(time.Microsecond))
	return b.String()
}

// WriteTrace writes the events as JSON that chrome://tracing and ui.perfetto.dev show. Launches that overlap are in lanes
// of their own.
func (r *Report) WriteTrace(w io.Writer) error {
	type entry struct {
		Name  string         `json:"name"`
		Phase string         `json:"ph"`
		Pid   string         `json:"pid"`
		Tid   int            `json:"tid"`
		At    float64        `json:"ts"` // microseconds
		For   float64        `json:"dur"`
		Args  map[string]any `json:"args"`
	}
	out := struct {
		Events []entry `json:"traceEvents"`
	}{Events: []entry{}}
	free := map[string][]time.Duration{} // by device: when each lane is free again
	for _, e := range r.Events {
		lanes := free[e.Device]
		k := slices.IndexFunc(lanes, func(t time.Duration) bool { return t <= e.Start })
		if k < 0 {
			k = len(lanes)
			lanes = append(lanes, 0)
		}
		lanes[k] = e.Start + e.Time
		free[e.Device] = lanes
		out.Events = append(out.Events, entry{e.Name, "X", e.Device, k, float64(e.Start) / 1e3, float64(e.Time) / 1e3,
			map[string]any{"bytes": e.Bytes, "allocated": e.Allocated}})
	}
	return json.NewEncoder(w).Encode(out)
}
