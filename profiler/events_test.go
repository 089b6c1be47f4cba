package profiler_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/profiler"
)

// find returns the launch of a name.
func find(t *testing.T, r *profiler.Report, name string) profiler.Event {
	t.Helper()
	for _, e := range r.Launches() {
		if strings.Contains(e.Name, name) {
			return e
		}
	}
	t.Fatalf("no %s in %v", name, r)
	return profiler.Event{}
}

// TestEvent asks for what a launch computed: shape, dtype, bytes, floating-point operations and memory.
func TestEvent(t *testing.T) {
	x, w := lucid.Randn(64, 32).Eval(), lucid.Randn(32, 16).Eval()
	image, filter := lucid.Randn(2, 3, 10, 10).Eval(), lucid.Randn(8, 3, 3, 3).Eval()
	q := lucid.Randn(2, 4, 64, 16).Eval()
	for _, c := range []struct {
		name, shape string
		flops       int64
		f           func() *lucid.Tensor
	}{
		{"matmul", "[64 16]", 2 * 64 * 16 * 32, func() *lucid.Tensor { return x.MatMul(w) }},
		{"matmul", "[64 16]", 2*64*16*32 + 2*64*16, func() *lucid.Tensor { return x.MatMul(w).Add(1).Tanh() }},
		{"conv", "[2 8 8 8]", 2 * 2 * 8 * 8 * 8 * 27, func() *lucid.Tensor { return F.Conv2d(image, filter) }},
		{"exp", "[64 32]", 2 * 64 * 32, func() *lucid.Tensor { return x.Exp().Neg() }},
		{"cumsum", "[64 32]", 64 * 32, func() *lucid.Tensor { return x.CumSum(0) }},
		{"attention", "[2 4 64 16]", 2 * 2 * 4 * 64 * 64 * 32, func() *lucid.Tensor { return F.ScaledDotProductAttention(q, q, q) }},
	} {
		r := profiler.Profile(func() { c.f().Eval() })
		e := find(t, r, c.name)
		if e.Shape != c.shape || e.DType != "float32" || e.FLOPs != c.flops || e.Bytes <= 0 || r.FLOPs() < c.flops {
			t.Errorf("%s: %+v; want %s and %d operations", c.name, e, c.shape, c.flops)
		}
	}
	r := profiler.Profile(func() {
		y := lucid.Ones(1).Add(1).Eval() // the recorder has seen the memory
		z := x.Expand(64, 32).CumSum(0).Tile(4, 4).Eval()
		y.Free()
		z.Free()
	})
	most := int64(0)
	for _, e := range r.Launches() {
		most = max(most, e.Delta)
	}
	if most < 4*64*32*16 {
		t.Errorf("the largest change of memory is %d bytes", most)
	}
	points := r.MemoryTimeline(lucid.CPU)
	if len(points) != len(r.Launches()) {
		t.Fatalf("%d points", len(points))
	}
	for i, p := range points[1:] {
		if p.At < points[i].At || p.Allocated <= 0 || p.By == "" {
			t.Errorf("%+v after %+v", p, points[i])
		}
	}
}

// net is a module of a user.
type net struct {
	nn.Base
	First, Second *nn.Linear
}

func (m *net) Forward(x *lucid.Tensor) *lucid.Tensor {
	return m.Second.Forward(m.First.Forward(x).ReLU())
}

// TestModules asks that launches know the modules that recorded them, eager and compiled inside a profile, and that rows can be grouped
// by module and by shape.
func TestModules(t *testing.T) {
	m := &net{First: nn.NewLinear(8, 16), Second: nn.NewLinear(16, 4)}
	x := lucid.Randn(32, 8).Eval()
	if err := lucid.Eval(nn.Parameters(m)...); err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]func(*lucid.Tensor) *lucid.Tensor{"eager": m.Forward, "compiled": lucid.Compile(m.Forward)} {
		r := profiler.Profile(func() {
			for range 2 {
				f(x).Eval()
			}
		})
		calls := 0
		for _, row := range r.KeyAverages(profiler.OnlyModule) {
			if row.Module == "net.Linear" {
				calls = row.Calls
			}
		}
		if calls < 4 {
			t.Errorf("%s: %d launches of net.Linear\n%s", name, calls, r.Table(profiler.ByModule|profiler.ByShape))
		}
		shapes := map[string]bool{}
		for _, row := range r.KeyAverages(profiler.ByShape | profiler.ByDevice) {
			shapes[row.Shape] = true
			if row.Device != "cpu" || row.DType != "float32" || row.Module != "" {
				t.Errorf("%+v", row)
			}
		}
		if !shapes["[32 16]"] || !shapes["[32 4]"] {
			t.Errorf("%s: shapes %v", name, shapes)
		}
		var b bytes.Buffer
		if err := r.WriteFlameGraph(&b); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"<title>net: ", "<title>Linear: ", "<title>all: ", "100.0 %"} {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s: %s is missing in\n%s", name, want, b.String())
			}
		}
		wellFormed(t, b.String())
	}
	stop := profiler.NameModules()
	f := lucid.Compile(m.Forward)
	f(x).Eval() // traced before the profile
	stop()
	if e := find(t, profiler.Profile(func() { f(x).Eval() }), "matmul"); e.Module != "net.Linear" {
		t.Errorf("module %q", e.Module)
	}
}

func wellFormed(t *testing.T, s string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(s))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%v in\n%.500s", err, s)
		}
	}
}

// TestRecordFunction asks for ranges, nested, in the report, the trace and the flame graph, and for nothing without a profile.
func TestRecordFunction(t *testing.T) {
	x := lucid.Randn(64, 64).Eval()
	ran := false
	profiler.RecordFunction("alone", func() { ran = true })
	r := profiler.Profile(func() {
		profiler.RecordFunction("step <1>", func() {
			profiler.RecordFunction("forward", func() { x.MatMul(x).Eval() })
		})
	})
	var ranges []string
	for _, e := range r.Events {
		if e.Range {
			ranges = append(ranges, e.Name)
		}
	}
	if !ran || fmt.Sprint(ranges) != "[step <1> forward]" || len(r.Launches()) != len(r.Events)-2 {
		t.Errorf("ranges %v of %v", ranges, r.Events)
	}
	var trace, picture bytes.Buffer
	if err := errors.Join(r.WriteTrace(&trace), r.WriteFlameGraph(&picture)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(trace.String(), `"name":"program"`) || !strings.Contains(trace.String(), `"forward"`) {
		t.Error(trace.String())
	}
	if s := picture.String(); !strings.Contains(s, "<title>step &lt;1&gt;: ") || !strings.Contains(s, "<title>forward: ") {
		t.Error(s)
	}
	wellFormed(t, picture.String())
}

// TestSteps asks which steps are profiled.
func TestSteps(t *testing.T) {
	x := lucid.Randn(8).Eval()
	var reports []string
	p := profiler.NewSteps(profiler.Schedule{SkipFirst: 1, Wait: 1, WarmUp: 1, Active: 2, Repeat: 2}, func(r *profiler.Report) {
		var names []string
		for _, e := range r.Events {
			if e.Range {
				names = append(names, e.Name)
			}
		}
		reports = append(reports, strings.Join(names, " "))
	})
	for i := range 12 {
		profiler.RecordFunction(fmt.Sprint(i), func() { x.Exp().Eval() })
		p.Step()
	}
	p.Stop()
	if fmt.Sprintf("%q", reports) != `["3 4" "7 8"]` {
		t.Errorf("%q", reports)
	}
	reports = nil
	p = profiler.NewSteps(profiler.Schedule{Active: 3}, func(r *profiler.Report) { reports = append(reports, fmt.Sprint(len(r.Events))) })
	for range 4 {
		x.Exp().Eval()
		p.Step()
	}
	p.Stop()
	p.Stop()
	if fmt.Sprint(reports) != "[3 1]" {
		t.Errorf("reports of %v launches", reports)
	}
	for _, s := range []profiler.Schedule{{}, {Active: 1, Wait: -1}} {
		if err := lucid.Try(func() { profiler.NewSteps(s, func(*profiler.Report) {}) }); !errors.Is(err, lucid.ErrValue) {
			t.Errorf("%+v: %v", s, err)
		}
	}
	if r := profiler.Profile(func() { x.Exp().Eval() }); len(r.Events) == 0 {
		t.Error("nothing was noted after a schedule")
	}
}
