package cuda

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/profiler"
)

// TestAnomaly: a NaN in a gradient is an error that names the op, for the goroutine that asked; others go on.
func TestAnomaly(t *testing.T) {
	dev := gpu(t)
	other := lucid.Ones(1000).To(dev).Mul(3)
	x := lucid.Full([]int{4}, -1.0).To(dev).RequiresGrad_(true)
	var err error
	lucid.DetectAnomaly(func() { err = lucid.Try(func() { x.Sqrt().Mul(2).Sum().Backward() }) })
	if !errors.Is(err, lucid.ErrGradient) || !strings.Contains(err.Error(), "sqrt") {
		t.Errorf("a NaN in the gradient of sqrt: %v", err)
	}
	if got := other.Sum().Item(); got != 3000 {
		t.Errorf("what has nothing to do with it is %v, want 3000", got)
	}
	lucid.DetectAnomaly(func() { err = lucid.Try(func() { x.Add(2).Sqrt().Sum().Backward() }) })
	if err != nil || x.Grad().Sum().Item() != 2 {
		t.Errorf("without one: %v", err)
	}
}

// TestNotCaptured: a compiled function that cannot be captured says why, and computes the right result.
func TestNotCaptured(t *testing.T) {
	dev := gpu(t)
	x := lucid.Arange(8).To(lucid.Float32).To(dev).Eval()
	f := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return x.Mul(2).To(lucid.CPU).Add(1).To(dev).Sum() })
	for range 4 {
		if got := f(x).Item(); got != 64 {
			t.Errorf("over two devices: %v, want 64", got)
		}
	}
	for _, g := range lucid.Explain(f).Graphs {
		if strings.HasPrefix(g, "recorded") || len(g) < 10 {
			t.Errorf("the function is %q; want a reason why it is not recorded", g)
		}
	}
}

// TestProfiler: launches are listed by name, with their bytes and device time.
func TestProfiler(t *testing.T) {
	dev := gpu(t)
	x := lucid.Ones(8192, 8192).To(dev).Eval()
	x.MatMul(x).Softmax(-1).Sum().Item()
	r := profiler.Profile(func() { x.MatMul(x).Softmax(-1).Sum().Item() })
	names := map[string]bool{}
	for _, e := range r.Events {
		if e.Device == dev.String() {
			names[e.Name] = true
			if e.Later || e.Bytes <= 0 || e.Time <= 0 {
				t.Errorf("%+v", e)
			}
		}
	}
	if rows := r.ByName(); len(rows) == 0 || rows[0].Name != "matmul" || rows[0].Time < time.Millisecond {
		t.Errorf("a product of 8192³ in float32 takes longest: %+v", rows)
	}
	if len(names) == 0 || !strings.Contains(r.String(), "matmul") || r.Peak(dev) < 1<<20 {
		t.Errorf("seen: %v\n%v, %d bytes at most", names, r, r.Peak(dev))
	}
}
