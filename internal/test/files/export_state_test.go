package files

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/graph"
)

// trained is a model that draws random numbers, with the step that trains it.
type trained struct{ w, b, momentum, seen *lucid.Tensor }

func newTrained() *trained {
	return &trained{
		w:        lucid.New([]float32{0.5, -1, 2, 0.25, 1.5, -0.75}, 3, 2).RequiresGrad_(true),
		b:        lucid.Zeros(2).RequiresGrad_(true),
		momentum: lucid.Zeros(3, 2),
		seen:     lucid.Zeros(),
	}
}

// step returns the loss and leaves new parameters, momentum and a count.
func (m *trained) step(x, y *lucid.Tensor) *lucid.Tensor {
	keep := lucid.Rand(4, 3).Lt(0.8)
	loss := lucid.Where(keep, x, 0.0).MatMul(m.w).Add(m.b).Sub(y).Square().Mean()
	loss.Backward()
	lucid.NoGrad(func() {
		m.momentum.Assign(m.momentum.Mul(0.9).Add(m.w.Grad()))
		m.w.Assign(m.w.Sub(m.momentum.Mul(0.1)))
		m.b.Assign(m.b.Sub(m.b.Grad().Mul(0.1)))
		m.seen.Assign(m.seen.Add(4))
	})
	m.w.ZeroGrad()
	m.b.ZeroGrad()
	return loss.Detach()
}

// exporter returns an exporter of training and prediction. It writes to path, or to a folder of its own if that is empty.
func (m *trained) exporter(t testing.TB, path string) exporter {
	x := exporter{lucid.NewExporter(path), path}
	if path == "" {
		x = newExporter()
	}
	for name, p := range map[string]*lucid.Tensor{"w": m.w, "b": m.b, "momentum": m.momentum, "seen": m.seen} {
		x.Name(name, p)
	}
	a, b := trainingBatch(0)
	if err := x.AddNamed("train", m.step, a, b); err != nil {
		t.Fatal(err)
	}
	predict := func(x *lucid.Tensor) *lucid.Tensor { return x.MatMul(m.w).Add(m.b) }
	if err := x.AddNamed("predict", predict, a); err != nil {
		t.Fatal(err)
	}
	return x
}

func trainingBatch(k int) (x, y *lucid.Tensor) {
	x = lucid.Arange(12).To(lucid.Float32).Add(float32(k)).Sin().Reshape(4, 3).Eval()
	return x, x.Sum(1).Unsqueeze(1).Expand(4, 2).Cos().Contiguous().Eval()
}

func reread(t testing.TB, x exporter) *lucid.Function {
	t.Helper()
	b, err := x.bytes()
	if err != nil {
		t.Fatal(err)
	}
	f, err := parseFunction(b)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func named(t testing.TB, f *lucid.Function, name string) *lucid.Function {
	t.Helper()
	part, err := f.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	return part
}

// TestExportState trains a model from a file next to the one it was made of, bit for bit: losses, parameters, state, random
// numbers. Tracing itself changes nothing.
func TestExportState(t *testing.T) {
	lucid.Seed(11)
	m := newTrained()
	f := reread(t, m.exporter(t, ""))
	train, predict := named(t, f, "train"), named(t, f, "predict")
	if got := train.Signatures()[0].Writes; len(got) != 5 || !slices.Contains(got, "generator") || !slices.Contains(got, "momentum") {
		t.Errorf("writes %v", got)
	}
	if w := predict.Signatures()[0].Writes; w != nil {
		t.Errorf("predict writes %v", w)
	}
	lucid.Seed(11)
	for k := range 6 {
		x, y := trainingBatch(k)
		want := m.step(x, y)
		got, err := train.Call(x, y)
		if err != nil {
			t.Fatal(err)
		}
		sameValue(t, fmt.Sprint("loss ", k), got[0], want)
		for name, p := range map[string]*lucid.Tensor{"w": m.w, "b": m.b, "momentum": m.momentum, "seen": m.seen,
			"generator": lucid.GetRNGState()} {
			sameValue(t, fmt.Sprint(name, " ", k), f.State().Get(name), p.Detach())
		}
		p, err := predict.Call(x)
		if err != nil {
			t.Fatal(err)
		}
		sameValue(t, "prediction", p[0], x.MatMul(m.w).Add(m.b).Detach())
	}
	// Another function of the same file has a state of its own.
	g := reread(t, newTrained().exporter(t, ""))
	if n := g.State().Get("seen").Item(); n != 0 {
		t.Errorf("seen %v", n)
	}
	// What is assigned is what the next call reads.
	f.State().Get("seen").Assign(lucid.Scalar(float32(100)))
	x, y := trainingBatch(0)
	if _, err := train.Call(x, y); err != nil || f.State().Get("seen").Item() != 104 {
		t.Error(err, f.State().Get("seen"))
	}
}

// TestExportStateInPlace: from the second call on, state is written over.
func TestExportStateInPlace(t *testing.T) {
	big := lucid.Ones(1 << 16)
	f, _, err := throughFile(func(x *lucid.Tensor) *lucid.Tensor { big.Assign(big.Mul(0.5).Add(x)); return x.Sum() }, lucid.Ones(1<<16))
	if err != nil {
		t.Fatal(err)
	}
	x := lucid.Ones(1 << 16).Contiguous().Eval()
	call := func() {
		if _, err := f.Call(x); err != nil {
			t.Fatal(err)
		}
	}
	call()
	call()
	before := lucid.MemoryStats(lucid.CPU)
	for range 5 {
		call()
	}
	if after := lucid.MemoryStats(lucid.CPU); after.Donated-before.Donated < 5 {
		t.Errorf("%d results of 5 written over their input", after.Donated-before.Donated)
	}
	if got := f.Weights()[0].Max().Item(); got < 1.9 || got > 2 {
		t.Errorf("%v after 7 calls", got)
	}
}

// TestExportGradients: gradients that stay are state.
func TestExportGradients(t *testing.T) {
	x := lucid.New([]float32{1, 2}, 2)
	w := lucid.New([]float32{3, 5}, 2).RequiresGrad_(true)
	left := func(x *lucid.Tensor) *lucid.Tensor {
		w.ZeroGrad()
		l := w.Mul(x).Sum()
		l.Backward()
		return l.Detach()
	}
	e := newExporter()
	e.Name("w", w)
	if err := e.Add(left, x); err != nil {
		t.Fatal(err)
	}
	f := reread(t, e)
	g := f.State().Get("w.grad")
	if g == nil || g.Sum().Item() != 0 {
		t.Fatalf("state %v", f.State().Names())
	}
	for range 2 {
		if _, err := f.Call(x); err != nil || f.State().Get("w.grad").Sum().Item() != 3 {
			t.Error(err, f.State().Get("w.grad"))
		}
	}
	// Without a gradient before and with one behind, a second call would be another function.
	adds := func(x *lucid.Tensor) *lucid.Tensor { l := w.Mul(x).Sum(); l.Backward(); return l.Detach() }
	if _, _, err := throughFile(adds, x); !errors.Is(err, lucid.ErrNotImplemented) || !strings.Contains(err.Error(), "clear gradients") {
		t.Error(err)
	}
	adds(x)
	e = newExporter()
	e.Name("w", w)
	if err := e.Add(adds, x); err != nil {
		t.Fatal(err)
	}
	f = reread(t, e)
	for k := range 3 {
		if _, err := f.Call(x); err != nil || f.State().Get("w.grad").Sum().Item() != float64(3*(k+2)) {
			t.Error(k, err, f.State().Get("w.grad"))
		}
	}
	if got := w.Grad().Sum().Item(); got != 3 {
		t.Errorf("the tensor itself has gradient %v", got)
	}
}

func TestExportStateRefuses(t *testing.T) {
	x, s := lucid.Ones(2), lucid.Ones(2)
	for what, c := range map[string]struct {
		f    any
		kind error
		text string
	}{
		"argument": {func(x *lucid.Tensor) *lucid.Tensor { rebound(x, lucid.Ones(3)); return x },
			lucid.ErrNotImplemented, "argument tensor 0"},
		"shape": {func(x *lucid.Tensor) *lucid.Tensor { rebound(s, lucid.Ones(3)); return x }, lucid.ErrNotImplemented, "stay as it is"},
		"leaf": {func(x *lucid.Tensor) *lucid.Tensor {
			p := s.Clone().RequiresGrad_(true)
			p.Mul(x).Sum().Backward()
			rebound(s, p)
			return x
		}, lucid.ErrNotImplemented, "require one"},
	} {
		if _, _, err := throughFile(c.f, x); !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v", what, err)
		}
	}
	e := newExporter()
	add := func(x *lucid.Tensor) *lucid.Tensor { s.Assign(s.Add(x)); return x }
	if err := e.AddNamed("a", add, x); err != nil {
		t.Fatal(err)
	}
	s.Assign(lucid.Zeros(2))
	if err := e.AddNamed("b", add, x); !errors.Is(err, lucid.ErrValue) {
		t.Error(err)
	}
	e = newExporter()
	e.Name("n", s)
	e.Name("n", x)
	if err := e.Add(func(y *lucid.Tensor) *lucid.Tensor { return y.Add(s).Add(x) }, lucid.Ones(2)); err != nil {
		t.Fatal(err)
	}
	if _, err := e.bytes(); !errors.Is(err, lucid.ErrValue) {
		t.Error(err)
	}
}

// rebound makes a handle show another tensor, as Assign does not: of another shape, or a leaf.
func rebound(t, to *lucid.Tensor) { (*graph.Array)(t).Rebind((*graph.Array)(to).Peek()) }

// TestExportStateConcurrent: calls that write come one after the other, those that read see whole states.
func TestExportStateConcurrent(t *testing.T) {
	a, b := lucid.Zeros(64), lucid.Zeros(64)
	e := newExporter()
	e.Name("a", a)
	if err := e.AddNamed("step", func(x *lucid.Tensor) *lucid.Tensor { a.Assign(a.Add(x)); b.Assign(b.Add(x)); return a.Sum() },
		lucid.Ones(64)); err != nil {
		t.Fatal(err)
	}
	if err := e.AddNamed("look", func(x *lucid.Tensor) *lucid.Tensor { return a.Sub(b).Abs().Sum().Add(x) },
		lucid.Scalar(float32(0))); err != nil {
		t.Fatal(err)
	}
	f := reread(t, e)
	step, look := named(t, f, "step"), named(t, f, "look")
	var wg sync.WaitGroup
	const workers, calls = 6, 40
	for k := range workers {
		wg.Go(func() {
			x, zero := lucid.Ones(64), lucid.Scalar(float32(0))
			for range calls {
				if k%2 == 0 {
					if _, err := step.Call(x); err != nil {
						t.Error(err)
					}
				} else if out, err := look.Call(zero); err != nil || out[0].Item() != 0 {
					t.Error(out, err)
				}
			}
		})
	}
	wg.Wait()
	if got := f.State().Get("a").At(0).Item(); got != workers/2*calls {
		t.Errorf("%v after %d calls", got, workers/2*calls)
	}
}

// TestExportStateTransformed: under transforms the state goes on as in plain calls, and no gradient passes through it.
func TestExportStateTransformed(t *testing.T) {
	run := lucid.Ones(2)
	f, _, err := throughFile(func(x *lucid.Tensor) *lucid.Tensor { run.Assign(run.Mul(0.5).Add(x)); return x.Mul(run).Sum() },
		lucid.Ones(2))
	if err != nil {
		t.Fatal(err)
	}
	one := func(x *lucid.Tensor) *lucid.Tensor {
		out, err := f.Call(x)
		if err != nil {
			panic(err)
		}
		return out[0]
	}
	x := lucid.New([]float32{1, 2}, 2)
	state := func(want ...float32) {
		t.Helper()
		sameValue(t, "state", f.Weights()[0], lucid.New(want, len(want)))
	}
	sameValue(t, "gradient", lucid.Grad(one)(x), lucid.New([]float32{2.5, 4.5}, 2)) // x·(run/2 + x): run/2 + 2x
	state(1.5, 2.5)
	c := lucid.Compile(one)
	sameValue(t, "compiled", c(x), lucid.Scalar(float32(1*1.75+2*3.25)))
	state(1.75, 3.25)
	c(x)
	state(1.875, 3.625)
	if err := lucid.Try(func() { lucid.VMap(one)(lucid.Ones(3, 2)) }); !errors.Is(err, lucid.ErrTrace) {
		t.Error(err)
	}
	state(1.875, 3.625)
	l := one(x.Clone().RequiresGrad_(true))
	l.Backward()
	state(1.9375, 3.8125)
	if f.Weights()[0].RequiresGrad() {
		t.Error("the state requires a gradient")
	}
}

var goldenStateFile = filepath.Join("testdata", "v2.lucid")

// TestExportedStateFile reads a file of version 2, which must load for ever, and trains from it.
func TestExportedStateFile(t *testing.T) {
	if _, err := os.Stat(goldenStateFile); err != nil && os.Getenv("LUCID_WRITE_EXPORT") != "" {
		lucid.Seed(5)
		if err := newTrained().exporter(t, goldenStateFile).Close(); err != nil {
			t.Fatal(err)
		}
	}
	f, err := lucid.Import(goldenStateFile)
	if err != nil {
		t.Fatal(err)
	}
	train, m := named(t, f, "train"), newTrained()
	lucid.Seed(5)
	for k := range 3 {
		x, y := trainingBatch(k)
		got, err := train.Call(x, y)
		if err != nil {
			t.Fatal(err)
		}
		sameValue(t, "loss", got[0], m.step(x, y))
	}
	sameValue(t, "w", f.State().Get("w"), m.w.Detach())
}
