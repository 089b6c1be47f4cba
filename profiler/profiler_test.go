package profiler_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/profiler"
)

func TestProfile(t *testing.T) {
	lucid.Seed(1)
	x, w := lucid.Randn(64, 32).Eval(), lucid.Randn(32, 16).Eval()
	f := func(x *lucid.Tensor) *lucid.Tensor { return x.MatMul(w).Add(1).Tanh().Softmax(-1) }
	for name, g := range map[string]func(*lucid.Tensor) *lucid.Tensor{"eager": f, "compiled": lucid.Compile(f)} {
		g(x).Eval()
		r := profiler.Profile(func() {
			for range 3 {
				g(x).Eval()
			}
		})
		rows := r.ByName()
		calls, all := 0, ""
		for i, row := range rows {
			calls += row.Calls
			all += row.Name + " "
			if row.Calls%3 != 0 || row.Time <= 0 || row.Bytes <= 0 || i > 0 && row.Time > rows[i-1].Time {
				t.Errorf("%s: row %+v", name, row)
			}
		}
		if calls != len(r.Events) || r.Busy() > r.Wall || r.Peak(lucid.CPU) < int64(x.NBytes()) {
			t.Errorf("%s: %d calls of %d, busy %v of %v, peak %d", name, calls, len(r.Events), r.Busy(), r.Wall, r.Peak(lucid.CPU))
		}
		for _, op := range []string{"matmul", "tanh"} {
			if !strings.Contains(all, op) {
				t.Errorf("%s: no %s in %s", name, op, all)
			}
		}
		if s := r.String(); !strings.Contains(s, rows[0].Name) || !strings.Contains(s, "launches") {
			t.Errorf("table:\n%s", s)
		}
	}
	before := len(profiler.Profile(func() {}).Events)
	f(x).Eval() // without a profile
	if after := len(profiler.Profile(func() {}).Events); before != 0 || after != 0 {
		t.Errorf("%d and %d events of nothing", before, after)
	}
}

func TestWriteTrace(t *testing.T) {
	x := lucid.Ones(1000).Eval()
	r := profiler.Profile(func() {
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for range 10 {
					x.Exp().Sum().Item()
				}
			})
		}
		wg.Wait()
	})
	var b bytes.Buffer
	if err := r.WriteTrace(&b); err != nil {
		t.Fatal(err)
	}
	var got struct {
		TraceEvents []struct {
			Name, Ph string
			Pid, Tid int
			Ts, Dur  float64
			Args     map[string]any
		}
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil || len(r.Events) < 40 {
		t.Fatalf("%d events, %v", len(r.Events), err)
	}
	end, launches, counters, named := map[int]float64{}, 0, 0, ""
	for _, e := range got.TraceEvents {
		switch e.Ph {
		case "M":
			if e.Name == "process_name" {
				named += fmt.Sprint(e.Args["name"])
			}
		case "C":
			counters++
		case "X":
			if launches++; e.Ts < end[e.Tid]-1e-3 || e.Args["shape"] == nil || e.Args["dtype"] != "float32" {
				t.Fatalf("%+v; its lane is busy until %v", e, end[e.Tid])
			}
			end[e.Tid] = e.Ts + e.Dur
		}
	}
	if launches != len(r.Events) || counters != launches || named != "cpu" {
		t.Errorf("%d launches and %d counters for %d events on %s", launches, counters, len(r.Events), named)
	}
}

// TestTraceLanes asks that a launch on a GPU is in a lane of the GPU with its work and in one of the CPU with the time to launch it, and
// that launches that overlap on a device have lanes of their own.
func TestTraceLanes(t *testing.T) {
	ms := time.Millisecond
	r := &profiler.Report{Wall: 20 * ms, Events: []profiler.Event{
		{Name: "exp", Device: "cpu", Start: 0, Time: 5 * ms},
		{Name: "matmul", Device: "cuda:0", Start: 1 * ms, Time: 10 * ms, Host: 2 * ms, Allocated: 7, Module: "net.Linear"},
		{Name: "sum", Device: "cuda:0", Start: 4 * ms, Time: 3 * ms, Host: 1 * ms},
		{Name: "step", Device: "program", Start: 0, Time: 20 * ms, Range: true},
	}}
	var b bytes.Buffer
	if err := r.WriteTrace(&b); err != nil {
		t.Fatal(err)
	}
	var got struct {
		TraceEvents []struct {
			Name, Ph string
			Pid, Tid int
			Ts, Dur  float64
			Args     map[string]any
		}
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	devices, lanes := map[int]string{}, map[string]string{}
	for _, e := range got.TraceEvents {
		if e.Name == "process_name" {
			devices[e.Pid] = fmt.Sprint(e.Args["name"])
		}
	}
	for _, e := range got.TraceEvents {
		if e.Ph == "X" {
			lanes[e.Name] = fmt.Sprint(devices[e.Pid], " ", e.Tid, " ", e.Ts, " ", e.Dur)
		}
	}
	want := map[string]string{"step": "program 0 0 20000", "exp": "cpu 0 0 5000", "launch matmul": "cpu 1 1000 2000",
		"launch sum": "cpu 1 4000 1000", "matmul": "cuda:0 0 1000 10000", "sum": "cuda:0 1 4000 3000"}
	if !maps.Equal(lanes, want) {
		t.Errorf("%v, want %v", lanes, want)
	}
}

func TestProfileRefusals(t *testing.T) {
	err := lucid.Try(func() { profiler.Profile(func() { profiler.Profile(func() {}) }) })
	if !errors.Is(err, lucid.ErrValue) {
		t.Errorf("nested: %v", err)
	}
	// A panic inside ends the profile.
	func() {
		defer func() { recover() }()
		profiler.Profile(func() { panic("user") })
	}()
	if r := profiler.Profile(func() { lucid.Ones(3).Exp().Eval() }); len(r.Events) == 0 {
		t.Error("nothing was noted after a panic")
	}
}
