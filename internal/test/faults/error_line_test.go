package faults

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
	F "github.com/lucid-go/lucid/nn/functional"
)

// line is the line it is called in.
func line() int {
	_, _, n, _ := runtime.Caller(1)
	return n
}

// TestErrorLines: a mistake panics while the line that made it is still running, so that the trace of the panic shows it,
// through whatever door it went; and the error names the op that was called.
func TestErrorLines(t *testing.T) {
	x, y, far := lucid.Ones(2, 3), lucid.Ones(4, 5), lucid.New([]int64{0, 9}, 2)
	leaf := lucid.Ones(2, 3).RequiresGrad_(true)
	compiled := lucid.Compile(func(a *lucid.Tensor) *lucid.Tensor { return a.ReLU() })
	for _, c := range []struct {
		door string
		line int
		op   string
		f    func()
	}{
		{"function", line(), "add", func() { lucid.Add(x, y) }},
		{"function with options", line(), "cross_entropy", func() { F.CrossEntropy(x, far, F.CrossEntropyOptions{LabelSmoothing: 2}) }},
		{"function over a list", line(), "cat", func() { lucid.Cat([]*lucid.Tensor{x, y}, 0) }},
		{"method", line(), "matmul", func() { x.MatMul(y) }},
		{"method with a Go value", line(), "add", func() { x.Add("one") }},
		{"creation", line(), "zeros", func() { lucid.Zeros(2, -1) }},
		{"creation from Go data", line(), "new", func() { lucid.New([]float32{1, 2, 3}, 2) }},
		{"creation by options", line(), "uniform", func() { lucid.With{DType: lucid.Int64}.Uniform(0, 1, 2) }},
		{"in place", line(), "add", func() { x.Add_(y) }},
		{"in place on a leaf", line(), "mul_", func() { leaf.Mul_(2) }},
		{"assign", line(), "assign", func() { x.Assign(y) }},
		{"at", line(), "at", func() { x.At(5) }},
		{"set at", line(), "set_at", func() { x.Clone().SetAt(y, 0) }},
		{"item", line(), "item", func() { x.Item() }},
		{"generic item", line(), "item", func() { lucid.ItemAs[float32](x) }},
		{"slice of what fails when computed", line(), "gather", func() { lucid.ToSlice[float32](x.Gather(1, far.Unsqueeze(1))) }},
		{"freed", line(), "read", func() { f := lucid.Ones(2); f.Free(); f.Item() }},
		{"item of what fails when computed", line(), "cross_entropy", func() { F.CrossEntropy(x, far).Item() }},
		{"backward", line(), "backward", func() { leaf.Mul(2).Backward() }},
		{"grad", line(), "add", func() { lucid.Grad(func(a *lucid.Tensor) *lucid.Tensor { return a.Add(y).Sum() })(x) }},
		{"grad of no number", line(), "grad", func() { lucid.Grad(func(a *lucid.Tensor) *lucid.Tensor { return a.Mul(2) })(x) }},
		{"grad of a closure over lines", line() + 2, "matmul", func() {
			lucid.Grad(func(a *lucid.Tensor) *lucid.Tensor {
				return a.MatMul(y).Sum()
			})(x)
		}},
		{"vmap", line(), "add", func() { lucid.VMap(func(a *lucid.Tensor) *lucid.Tensor { return a.Add(y) })(x) }},
		{"jvp", line(), "add", func() { lucid.JVP(func(a *lucid.Tensor) *lucid.Tensor { return a.Add(y) }, x, x) }},
		{"checkpoint", line(), "add", func() { lucid.Checkpoint(func(a *lucid.Tensor) *lucid.Tensor { return a.Add(y) })(x) }},
		{"compile", line(), "add", func() { lucid.Compile(func(a *lucid.Tensor) *lucid.Tensor { return a.Add(y) })(x) }},
		{"compile of a tree", line() + 1, "add", func() {
			lucid.Compile(func(a []*lucid.Tensor) *lucid.Tensor { return a[0].Add(y) })([]*lucid.Tensor{x})
		}},
		{"compiled call", line(), "relu", func() { compiled(nil) }},
		{"grad in vmap in compile", line() + 1, "add", func() {
			lucid.Compile(lucid.VMap(lucid.Grad(func(a *lucid.Tensor) *lucid.Tensor { return a.Add(y).Sum() })))(x)
		}},
		{"inside no grad", line(), "add", func() { lucid.NoGrad(func() { x.Add(y) }) }},
		{"call by name", line(), "add", func() { tensortest.Must(lucid.Call("add", []*lucid.Tensor{x, y}, nil)) }},
		{"nested try", line() + 4, "matmul", func() {
			if err := lucid.Try(func() { lucid.Add(x, y) }); !errors.Is(err, lucid.ErrShapeMismatch) {
				t.Errorf("inside: %v", err)
			}
			x.MatMul(y)
		}},
	} {
		lines, r := panicLines(c.f)
		e, ok := r.(*lucid.Error)
		switch {
		case !ok:
			t.Errorf("%s: panics with %v", c.door, r)
			continue
		case !lines[c.line]:
			t.Errorf("%s: the trace does not show line %d, only %v: %v", c.door, c.line, lines, e)
		}
		if name, _, _ := strings.Cut(strings.TrimPrefix(e.Error(), "lucid: "), ":"); name != c.op {
			t.Errorf("%s: names %q, want %q: %v", c.door, name, c.op, e)
		}
		// The same through Try.
		var got *lucid.Error
		if err := lucid.Try(c.f); !errors.As(err, &got) || got.Error() != e.Error() {
			t.Errorf("%s: Try gives %v, the panic was %v", c.door, err, e)
		}
	}
}

// panicLines runs f, and lists the lines of this file that its panic passed through.
func panicLines(f func()) (lines map[int]bool, r any) {
	_, file, _, _ := runtime.Caller(0)
	lines = map[int]bool{}
	defer func() {
		r = recover()
		pcs := make([]uintptr, 512)
		frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
		for more := true; more; {
			var f runtime.Frame
			if f, more = frames.Next(); f.File == file && !strings.Contains(f.Function, "panicLines") {
				lines[f.Line] = true
			}
		}
	}()
	f()
	return lines, nil
}

// TestTargetOutOfRange: a class that is none is the fault of the loss, whatever it is computed with.
func TestTargetOutOfRange(t *testing.T) {
	x, w := lucid.Ones(2, 3), lucid.Ones(3)
	for _, bad := range []int64{3, -1, 1 << 40} {
		target := lucid.New([]int64{1, bad}, 2)
		for op, f := range map[string]func(x *lucid.Tensor) *lucid.Tensor{
			"cross_entropy": func(x *lucid.Tensor) *lucid.Tensor {
				return F.CrossEntropy(x, target, F.CrossEntropyOptions{Weight: w})
			},
			"nll_loss":          func(x *lucid.Tensor) *lucid.Tensor { return F.NLLLoss(x, target) },
			"multi_margin_loss": func(x *lucid.Tensor) *lucid.Tensor { return F.MultiMarginLoss(x, target) },
			"embedding":         func(x *lucid.Tensor) *lucid.Tensor { return F.Embedding(target, x.Reshape(3, 2)).Sum() },
		} {
			for how, g := range map[string]func(*lucid.Tensor) *lucid.Tensor{"plain": f, "gradient": lucid.Grad(f),
				"compiled": lucid.Compile(f)} {
				err := lucid.Try(func() { g(x).Sum().Item() })
				if !errors.Is(err, lucid.ErrIndex) || !strings.Contains(err.Error(), op+": ") ||
					!strings.Contains(err.Error(), fmt.Sprint(bad)) {
					t.Errorf("%s, %s: %v", op, how, err)
				}
			}
		}
	}
}
