package profiler

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Row is what all launches of a group took together.
type Row struct {
	Name   string
	Shape  string // if the group has one
	DType  string // if the group has one
	Module string // if the group has one
	Device string // if the group has one
	Calls  int
	Time   time.Duration
	Bytes  int64 // of operands and results
	FLOPs  int64 // floating-point operations
	Delta  int64 // by how much they changed what is allocated
}

// A Grouping says which launches are one row, in addition to those of one name.
type Grouping uint8

// The groupings; add them up.
const (
	ByShape    Grouping = 1 << iota // of the same shape and dtype
	ByModule                        // of the same modules
	ByDevice                        // on the same device
	OnlyModule                      // of the same modules, whatever their name
)

// ByName adds up launches of the same name, the longest first.
func (r *Report) ByName() []Row { return r.KeyAverages(0) }

// KeyAverages adds up the launches of a group, the longest first.
func (r *Report) KeyAverages(by Grouping) []Row {
	at := map[Row]int{}
	var rows []Row
	for _, e := range r.Launches() {
		key := Row{Name: e.Name}
		if by&OnlyModule != 0 {
			key = Row{Module: e.Module}
		}
		if by&ByShape != 0 {
			key.Shape, key.DType = e.Shape, e.DType
		}
		if by&ByModule != 0 {
			key.Module = e.Module
		}
		if by&ByDevice != 0 {
			key.Device = e.Device
		}
		i, ok := at[key]
		if !ok {
			i = len(rows)
			at[key] = i
			rows = append(rows, key)
		}
		rows[i].Calls++
		rows[i].Time += e.Time
		rows[i].Bytes += e.Bytes
		rows[i].FLOPs += e.FLOPs
		rows[i].Delta += e.Delta
	}
	slices.SortStableFunc(rows, func(a, b Row) int { return cmp.Compare(b.Time, a.Time) })
	return rows
}

// String is the table of ByName: time, its share of the time in launches, calls, gigabytes and billions of operations a second.
func (r *Report) String() string { return r.Table(0) }

// Table is the table of KeyAverages.
func (r *Report) Table(by Grouping) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%12s %7s %7s %8s %9s  name\n", "time", "share", "calls", "GB/s", "GFLOP/s")
	busy := r.Busy()
	for _, row := range r.KeyAverages(by) {
		share, rate, work := 0.0, 0.0, 0.0
		if row.Time > 0 {
			share, rate = 100*float64(row.Time)/float64(busy), float64(row.Bytes)/float64(row.Time)
			work = float64(row.FLOPs) / float64(row.Time)
		}
		fmt.Fprintf(&b, "%12v %5.1f %% %7d %8.2f %9.2f  %s\n", row.Time.Round(100*time.Nanosecond), share, row.Calls, rate, work,
			row.label())
	}
	fmt.Fprintf(&b, "%d launches: %v of %v\n", len(r.Launches()), busy.Round(time.Microsecond), r.Wall.Round(time.Microsecond))
	return b.String()
}

// label is the row's group in words.
func (r Row) label() string {
	parts := []string{r.Name}
	if r.Name == "" {
		parts = nil
		if r.Module == "" {
			parts = []string{"(no module)"}
		}
	}
	for _, s := range []string{r.DType + r.Shape, r.Module, r.Device} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, "  ")
}

// MemoryPoint is what was allocated on a device at a moment.
type MemoryPoint struct {
	At        time.Duration // since the profile began
	Allocated int64         // bytes
	By        string        // name of the launch after which it was
}

// MemoryTimeline returns what was allocated on a device after each launch there, in the order in which they ended.
func (r *Report) MemoryTimeline(device fmt.Stringer) (points []MemoryPoint) {
	for _, e := range r.Launches() {
		if e.Device == device.String() {
			points = append(points, MemoryPoint{e.Start + e.Time, e.Allocated, e.Name})
		}
	}
	slices.SortStableFunc(points, func(a, b MemoryPoint) int { return cmp.Compare(a.At, b.At) })
	return points
}
