package lucid

import (
	"fmt"
	"strings"

	"github.com/lucid-go/lucid/internal/compile"
	"github.com/lucid-go/lucid/internal/exec"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
)

// Explanation says what a compiled function did.
type Explanation struct {
	Name     string
	Traces   int          // made so far: runs of the Go function
	Reasons  []string     // why each was made
	Plans    int          // made so far: traces of the same structure and other sizes share one
	Unshared []string     // why each plan but the first was made
	Address  []string     // why modules among the arguments are known by their address, not by their structure
	Steps    []int        // launches of one run, by trace stored
	Inlined  []string     // why a trace could not be replayed
	Graphs   []string     // by trace stored: whether the device runs it as one recording, or why not; "" where none is made
	Memory   []MemoryPlan // by trace stored, and by device where it uses several: what a run takes
}

// MemoryPlan is the memory a run of a compiled function takes on one device, in bytes. In addition to Inputs, which are there anyway,
// it is Results and Temporaries.
type MemoryPlan struct {
	Trace       int // which trace, as in Steps
	Device      Device
	Inputs      int // arguments and captured tensors
	Results     int // new memory of what outlives the run; state written in place takes none
	Temporaries int // the block that holds everything else
	Peak        int // the most temporaries alive at once
	Step        int // the launch at which they are
	Alive       []PlannedValue
}

// PlannedValue is a temporary that is alive at the peak of a plan, or several that are written over each other.
type PlannedValue struct {
	Op          string // what makes it; a fused program is named by its ops
	Shape       []int
	DType       DType
	Bytes       int
	First, Last int // the launch that makes it, and the last one that uses it
}

// Explain tells what a function made by Compile did, why it re-traced, and what memory a run takes.
func Explain(f any) Explanation {
	c := compile.Find(f)
	if c == nil {
		fault.Throw(fault.Value, "explain", "%T was not made by Compile", f)
	}
	r := c.Report()
	x := Explanation{Name: r.Name, Traces: r.Traces, Reasons: r.Reasons, Plans: r.Plans, Unshared: r.Unshared, Address: r.Address}
	for _, t := range r.Stored {
		if t.Inlined != "" {
			x.Inlined = append(x.Inlined, t.Inlined)
			continue
		}
		for _, m := range t.Memory {
			x.Memory = append(x.Memory, memoryPlan(len(x.Steps), m))
		}
		x.Steps = append(x.Steps, t.Steps)
		x.Graphs = append(x.Graphs, t.Graph)
	}
	return x
}

func memoryPlan(trace int, m exec.Memory) MemoryPlan {
	p := MemoryPlan{Trace: trace, Device: Device{m.Device.Type, m.Device.Index}, Inputs: m.Inputs, Results: m.Results, Temporaries: m.Block,
		Peak: m.Peak, Step: m.Step}
	for _, a := range m.Live {
		p.Alive = append(p.Alive, PlannedValue{a.Op, a.Shape.Clone(), a.DType, a.Bytes, a.First, a.Last})
	}
	return p
}

// String is a readable summary.
func (x Explanation) String() string {
	s := fmt.Sprintf("%s: %d traces, %d plans", x.Name, x.Traces, x.Plans)
	for _, r := range x.Reasons {
		s += "\n  traced: " + r
	}
	for _, r := range x.Unshared {
		s += "\n  planned: " + r
	}
	for _, r := range x.Address {
		s += "\n  modules by address: " + r
	}
	for _, g := range x.Graphs {
		if g != "" {
			s += "\n  " + g
		}
	}
	for _, r := range x.Inlined {
		s += "\n  runs uncompiled: " + r
	}
	return s
}

// String is a table of what is alive at the peak, values of the same kind in one line.
func (m MemoryPlan) String() string {
	type kind struct{ op, shape string }
	count, bytes := map[kind]int{}, map[kind]int{}
	var order []kind
	for _, a := range m.Alive {
		k := kind{a.Op, fmt.Sprintf("%v%v", a.DType, a.Shape)}
		if count[k] == 0 {
			order = append(order, k)
		}
		count[k]++
		bytes[k] += a.Bytes
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%v: inputs %.1f MB, new results %.1f MB, temporaries %.1f MB; alive at launch %d: %.1f MB", m.Device, mega(m.Inputs),
		mega(m.Results), mega(m.Temporaries), m.Step, mega(m.Peak))
	const most = 40
	for i, k := range order {
		if i == most {
			fmt.Fprintf(&b, "\n  and %d smaller kinds", len(order)-most)
			break
		}
		fmt.Fprintf(&b, "\n  %10.2f MB  %4d × %s %s", mega(bytes[k]), count[k], k.op, k.shape)
	}
	return b.String()
}

func mega(n int) float64 { return float64(n) / 1e6 }

// Dump writes what is recorded behind the tensors and not computed yet as text, a line an op, operands first.
func Dump(tensors ...*Tensor) string {
	ns := acquireAll(tensors)
	defer releaseAll(ns)
	return graph.Dump(ns...)
}
