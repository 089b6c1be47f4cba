package profiler

import (
	"cmp"
	"encoding/json"
	"io"
	"slices"
	"time"
)

// traceEvent is an event in the format of Chrome's traces, which Perfetto reads too.
type traceEvent struct {
	Name  string         `json:"name"`
	Phase string         `json:"ph"`
	Pid   int            `json:"pid"`
	Tid   int            `json:"tid"`
	At    float64        `json:"ts"` // microseconds
	For   float64        `json:"dur,omitempty"`
	Args  map[string]any `json:"args,omitempty"`
}

// laneSet gives events that overlap lanes of their own.
type laneSet struct{ free []time.Duration } // when each lane is free again

func (l *laneSet) take(from, to time.Duration) int {
	k := slices.IndexFunc(l.free, func(t time.Duration) bool { return t <= from })
	if k < 0 {
		k, l.free = len(l.free), append(l.free, 0)
	}
	l.free[k] = to
	return k
}

// tracer writes events by device: each is a process of the trace, with lanes as threads.
type tracer struct {
	events  []traceEvent
	devices []string
	lanes   map[string]*laneSet
}

// process returns the number of a device, and names it the first time.
func (t *tracer) process(device string) int {
	k := slices.Index(t.devices, device)
	if k >= 0 {
		return k + 1
	}
	t.devices = append(t.devices, device)
	t.lanes[device] = &laneSet{}
	pid := len(t.devices)
	t.events = append(t.events, traceEvent{Name: "process_name", Phase: "M", Pid: pid, Args: map[string]any{"name": device}},
		traceEvent{Name: "process_sort_index", Phase: "M", Pid: pid, Args: map[string]any{"sort_index": pid}})
	return pid
}

// add writes an event into a free lane of a device.
func (t *tracer) add(device, name string, from, long time.Duration, args map[string]any) {
	pid := t.process(device)
	lane := t.lanes[device].take(from, from+long)
	t.events = append(t.events, traceEvent{name, "X", pid, lane, us(from), us(long), args})
}

func us(d time.Duration) float64 { return float64(d) / 1e3 }

// hostDevice is the process of a trace in which launches on other devices show how long the host took.
const hostDevice = "cpu"

// WriteTrace writes the events as JSON that ui.perfetto.dev and chrome://tracing show. Every device is a process with lanes; launches that
// overlap are in lanes of their own. A launch on a GPU is in the GPU's lanes with its work, and in the CPU's with the time it took to
// launch. The ranges of RecordFunction are a process too, and the memory of a device is a counter.
func (r *Report) WriteTrace(w io.Writer) error {
	t := tracer{lanes: map[string]*laneSet{}, events: []traceEvent{}}
	events := slices.Clone(r.Events)
	// A range begins before what is inside it; of two that begin together the longer is outside.
	slices.SortStableFunc(events, func(a, b Event) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.Time, a.Time)) })
	for _, e := range events {
		if e.Range {
			t.add(rangeDevice, e.Name, e.Start, e.Time, nil)
			continue
		}
		args := map[string]any{"bytes": e.Bytes, "allocated": e.Allocated, "flops": e.FLOPs, "shape": e.Shape, "dtype": e.DType,
			"memory delta": e.Delta}
		if e.Module != "" {
			args["module"] = e.Module
		}
		if e.Device != hostDevice && e.Host > 0 {
			t.add(hostDevice, "launch "+e.Name, e.Start, e.Host, nil)
		}
		t.add(e.Device, e.Name, e.Start, e.Time, args)
		t.events = append(t.events, traceEvent{Name: "allocated", Phase: "C", Pid: t.process(e.Device), At: us(e.Start + e.Time),
			Args: map[string]any{"bytes": e.Allocated}})
	}
	return json.NewEncoder(w).Encode(map[string]any{"traceEvents": t.events, "displayTimeUnit": "ms"})
}
