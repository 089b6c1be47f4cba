package compile

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu"
	"github.com/lucid-go/lucid/internal/backend/fake"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

// recordedStep is a compiled training step over state on a device, and its state.
func recordedStep(w *tensortest.Target) (step func(x, y *lucid.Tensor) *lucid.Tensor, p *lucid.Tensor) {
	p = w.Put(lucid.Full([]int{8}, 0.5)).Detach().RequiresGrad_(true)
	m := w.Put(lucid.Zeros(8))
	return lucid.Compile(func(x, y *lucid.Tensor) *lucid.Tensor {
		loss := x.Mul(p).Sub(y).Square().Mean()
		loss.Backward()
		lucid.NoGrad(func() {
			m.Mul_(0.9).Add_(p.Grad())
			p.Sub_(m.Mul(0.1))
			p.ZeroGrad()
		})
		return loss
	}), p
}

// TestRecorded runs a training step as a recording and launch by launch; the bits must be the same, wherever the
// arguments are, with state looked at in between, and after the recording was made void.
func TestRecorded(t *testing.T) {
	late, faults := fake.New(cpu.Device)
	plain, planted := fake.New(cpu.Device)
	planted.FailLaunch("record", fault.New(fault.NotImplemented, "record", "planted"))
	var losses [2][]float64
	var final [2][]float32
	for k, w := range []*tensortest.Target{{Dev: late}, {Dev: plain}} {
		step, p := recordedStep(w)
		x := w.Put(lucid.Arange(8).To(lucid.Float32)).Eval()
		var held *lucid.Tensor
		for i := range 40 {
			if i%3 == 1 { // elsewhere than last time
				x = w.Put(lucid.Arange(8).To(lucid.Float32).Add(float64(i % 4))).Eval()
			}
			y := w.Put(lucid.Full([]int{8}, float64(i%5))).Eval()
			loss := step(x, y)
			switch i {
			case 12:
				held = p.Detach() // this value must not change any more
				held.Eval()
			case 20:
				faults.VoidRecordings()
			case 25:
				lucid.NoGrad(func() { p.Assign(p.Detach().Mul(0.5)) }) // state that is elsewhere
			}
			if i%7 == 0 || i > 36 {
				losses[k] = append(losses[k], loss.Item())
			}
			if i == 30 {
				final[k] = append(final[k], lucid.ToSlice[float32](held)...)
			}
		}
		final[k] = append(final[k], lucid.ToSlice[float32](p)...)
		g := lucid.Explain(step).Graphs
		if want := []string{"recorded", "launched one by one: "}[k]; len(g) != 1 || !strings.HasPrefix(g[0], want) {
			t.Errorf("the step says %q", g)
		}
	}
	if faults.Replayed() < 25 {
		t.Errorf("the recording ran %d times of 40", faults.Replayed())
	}
	for i := range losses[0] {
		if losses[0][i] != losses[1][i] {
			t.Fatalf("loss %d is %v recorded, %v launched one by one", i, losses[0][i], losses[1][i])
		}
	}
	for i := range final[0] {
		if final[0][i] != final[1][i] {
			t.Fatalf("element %d of the state is %v recorded, %v launched one by one", i, final[0][i], final[1][i])
		}
	}
}

// TestRecordedDeviceError: a position out of range in a recorded run reaches who reads that run's results, however late,
// and no one else.
func TestRecordedDeviceError(t *testing.T) {
	late, faults := fake.New(cpu.Device)
	w := &tensortest.Target{Dev: late}
	table := w.Put(lucid.Arange(10).To(lucid.Float32)).Eval()
	sum := w.Put(lucid.Zeros(2)).Eval()
	f := lucid.Compile(func(i *lucid.Tensor) (*lucid.Tensor, *lucid.Tensor) {
		v := table.At(i)
		return v.Mul(2), i.Add(1)
	})
	count := lucid.Compile(func(v *lucid.Tensor) *lucid.Tensor { sum.Add_(v); return sum.Sum() })
	at := func(a, b int64) *lucid.Tensor { return w.Put(lucid.New([]int64{a, b}, 2)).Eval() }
	for range 4 {
		v, _ := f(at(1, 2))
		count(v)
	}
	before := faults.Replayed()
	bad, fine := f(at(3, 99))
	total := count(bad) // asked for before anybody knows: inherits the failure
	good, _ := f(at(3, 4))
	if faults.Replayed() != before+3 {
		t.Fatalf("%d of 3 runs were recorded: %v %v", faults.Replayed()-before, lucid.Explain(f), lucid.Explain(count))
	}
	if got := good.Sum().Item(); got != 14 {
		t.Errorf("a later run gives %v, want 14", got)
	}
	if got := fine.Sum().Item(); got != 104 {
		t.Errorf("a result that does not depend on the value gives %v, want 104", got)
	}
	for _, x := range []*lucid.Tensor{bad, total, sum} {
		if err := lucid.Try(func() { x.Sum().Item() }); !errors.Is(err, lucid.ErrIndex) {
			t.Errorf("a reader of the bad run: %v", err)
		}
	}
	sum.Assign(w.Put(lucid.Zeros(2)))
	if got := count(good).Item(); got != 14 {
		t.Errorf("state made anew gives %v, want 14", got)
	}
}

// TestUnrecorded: what cannot be recorded says why and works.
func TestUnrecorded(t *testing.T) {
	late, _ := fake.New(cpu.Device)
	w := &tensortest.Target{Dev: late}
	x := w.Put(lucid.Arange(4).To(lucid.Float32)).Eval()
	there := func(x *lucid.Tensor) *lucid.Tensor { return w.Put(x) }
	const two = "launched one by one: it runs on more than one device: "
	for _, c := range []struct {
		name, want string
		f          func(x *lucid.Tensor) *lucid.Tensor
	}{
		{"on the host", "", func(x *lucid.Tensor) *lucid.Tensor { return x.To(lucid.CPU).Add(1) }},
		{"first there, then on the host", two, func(x *lucid.Tensor) *lucid.Tensor { return x.Mul(1).Neg().To(lucid.CPU).Neg().Add(1) }},
		{"first on the host", two, func(x *lucid.Tensor) *lucid.Tensor { return there(x.To(lucid.CPU).Add(3)).Sub(2) }},
	} {
		f := lucid.Compile(c.f)
		for range 4 {
			if got := f(x).Sum().Item(); got != 10 {
				t.Fatalf("%s: %v, want 10", c.name, got)
			}
		}
		if g := lucid.Explain(f).Graphs; len(g) != 1 || !(g[0] == c.want || c.want == two && strings.HasPrefix(g[0], two)) {
			t.Errorf("%s: %q, want %q", c.name, g, c.want)
		}
	}
}

// TestUnrecordedResults: a function whose results take longer to copy than its launches is not recorded; with more launches, or with
// state, it is.
func TestUnrecordedResults(t *testing.T) {
	late, _ := fake.New(cpu.Device)
	w := &tensortest.Target{Dev: late}
	x := w.Put(lucid.Ones(3<<20, 1)).Eval()
	sum := w.Put(lucid.Zeros(1)).Eval()
	for _, c := range []struct {
		name, want string
		f          func(x *lucid.Tensor) *lucid.Tensor
	}{
		{"one launch", "launched one by one: lucid: record: its results, 12582912 bytes, take longer to copy than its launches, 1",
			func(x *lucid.Tensor) *lucid.Tensor { return x.Add(1) }},
		{"a small result", "recorded: ", func(x *lucid.Tensor) *lucid.Tensor { return x.Add(1).Sum() }},
		{"two launches", "recorded: ", func(x *lucid.Tensor) *lucid.Tensor { return x.Sub(x.Sum()).Add(1 + 3<<20) }},
		{"state", "recorded: ", func(x *lucid.Tensor) *lucid.Tensor { return x.Add(sum.Mul_(2).Add(1)) }},
	} {
		f := lucid.Compile(c.f)
		for range 4 {
			if got := f(x).Min().Item(); got < 2 {
				t.Fatalf("%s: %v", c.name, got)
			}
		}
		if g := lucid.Explain(f).Graphs; len(g) != 1 || !strings.HasPrefix(g[0], c.want) {
			t.Errorf("%s: %q, want %q", c.name, g, c.want)
		}
	}
}

// TestDeviceSettingsAreGuarded: a function is traced anew when its device is set otherwise, and finds its first trace when
// it is set back. A function on another device is not.
func TestDeviceSettingsAreGuarded(t *testing.T) {
	late, faults := fake.New(cpu.Device)
	w := &tensortest.Target{Dev: late}
	f := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return x.Exp().Sum() })
	g := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return x.Exp().Sum() })
	x, y := w.Put(lucid.Ones(4)).Eval(), lucid.Ones(4).Eval()
	for _, v := range []int64{0, 1, 0, 1} {
		faults.Set(v)
		tensortest.Near(t, "on the device", f(x).Item(), 4*math.E)
		tensortest.Near(t, "another step", g(y).Item(), 4*math.E)
	}
	if e := lucid.Explain(f); e.Traces != 2 || !strings.Contains(e.Reasons[1], "setting of device") {
		t.Errorf("%v", e)
	}
	if e := lucid.Explain(g); e.Traces != 1 {
		t.Errorf("%v", e)
	}
}

// TestRecordedSizes: sizes of one plan have a bounded number of recordings; the others are launched one by one, with the same bits.
func TestRecordedSizes(t *testing.T) {
	late, faults := fake.New(cpu.Device)
	w := &tensortest.Target{Dev: late}
	weight := lucid.Randn(3, 4)
	f := func(x, w *lucid.Tensor) *lucid.Tensor { return x.MatMul(w).Tanh().Softmax(0) }
	c := lucid.Compile(f)
	there := w.Put(weight).Eval()
	run := func(n int) {
		x := lucid.Randn(n, 3).Eval()
		got := c(w.Put(x).Eval(), there).To(lucid.CPU)
		if want := lucid.Compile(f)(x, weight); !lucid.Equal(got, want) {
			t.Fatalf("size %d differs", n)
		}
	}
	for range 5 {
		for n := 20; n < 40; n++ {
			run(n)
		}
	}
	recorded := func() (n int) {
		for _, g := range lucid.Explain(c).Graphs {
			if strings.HasPrefix(g, "recorded") {
				n++
			}
		}
		return n
	}
	if n := recorded(); n != 8 || faults.Replayed() == 0 {
		t.Fatalf("%d sizes of 20 are recorded, which ran %d times", n, faults.Replayed())
	}
	for range 100 { // another size comes much more often than those
		run(50)
	}
	x := lucid.Explain(c)
	if n := recorded(); n != 8 || !strings.HasPrefix(x.Graphs[0], "recorded") || x.Plans != 1 {
		t.Fatalf("%d sizes are recorded, the last one is %q, %d plans", n, x.Graphs[0], x.Plans)
	}
}

// TestRecordedArguments: an argument that the function assigns is written in place, also if the first run could not do so because its
// memory is the caller's.
func TestRecordedArguments(t *testing.T) {
	late, _ := fake.New(cpu.Device)
	late.Type = "late"
	backend.Register(late.Type, func(int) (*backend.Device, error) { return late, nil })
	w := lucid.With{Device: lucid.Device{Type: late.Type}}
	step := lucid.Compile(func(x, total *lucid.Tensor) *lucid.Tensor {
		total.Assign(total.Add(x))
		return total.Sum()
	})
	total := w.New(make([]float32, 64), 64)
	for i := range 6 {
		if got, want := step(w.Full([]int{64}, float64(i)).Eval(), total).Item(), float64(32*i*(i+1)); got != want {
			t.Fatalf("call %d gives %v, want %v", i, got, want)
		}
	}
	if g := lucid.Explain(step).Graphs; len(g) != 1 || !strings.Contains(g[0], " 1 inputs copied in, 1 results copied out") {
		t.Errorf("the step says %q", g)
	}
}
