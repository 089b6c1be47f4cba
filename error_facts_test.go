package lucid_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/linalg"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/optim"
)

// line returns file.go:N for the line that many lines below the caller's.
func line(below int) string {
	_, _, n, _ := runtime.Caller(1)
	return fmt.Sprintf("error_facts_test.go:%d", n+below)
}

// words is a module of a user.
type words struct {
	nn.Base
	Table *nn.Embedding
}

func (m *words) Forward(x *lucid.Tensor) *lucid.Tensor { return m.Table.Forward(x) }

// TestErrorLine asks that errors that are found when values are computed name the line that recorded the op: alone, in an evaluation with
// others, compiled, and in a module.
func TestErrorLine(t *testing.T) {
	scores, bad := lucid.Zeros(2, 3), lucid.New([]int64{1, 7}, 2)
	singular := lucid.Zeros(2, 2)
	table := &words{Table: nn.NewEmbedding(5, 4)}
	for name, c := range map[string]struct {
		make   func() *lucid.Tensor
		at     string
		says   string
		kind   error
		value  int64
		size   int64
		module string
	}{
		"a target": {func() *lucid.Tensor { return F.CrossEntropy(scores, bad) }, line(0),
			"lucid: cross_entropy: target 7 is out of range for 3 classes (at ", lucid.ErrIndex, 7, 3, ""},
		"a target among other work": {func() *lucid.Tensor { return F.NLLLoss(scores.Add(1).Exp(), bad).Mul(2).Add(scores.Sum()) }, line(0),
			"lucid: nll_loss: target 7 is out of range for 3 classes (at ", lucid.ErrIndex, 7, 3, ""},
		"gather": {func() *lucid.Tensor { return scores.Gather(1, bad.Unsqueeze(1)) }, line(0),
			"lucid: gather: position 7 is out of range for size 3 (at ", lucid.ErrIndex, 7, 3, ""},
		"index_select": {func() *lucid.Tensor { return scores.IndexSelect(1, bad).Sum() }, line(0),
			"lucid: index_select: position 7 is out of range for size 3 (at ", lucid.ErrIndex, 7, 3, ""},
		"a matrix":      {func() *lucid.Tensor { return linalg.Inv(singular).Sum() }, line(0), "(at ", lucid.ErrSingular, 0, 0, ""},
		"a probability": {func() *lucid.Tensor { return lucid.Bernoulli(scores.Add(2)) }, line(0), "(at ", lucid.ErrValue, 0, 0, ""},
		"a module": {func() *lucid.Tensor { return table.Forward(bad) }, "",
			"lucid: embedding: position 7 is out of range for size 5, in Forward of words.Embedding (at ",
			lucid.ErrIndex, 7, 5, "words.Embedding"},
	} {
		for _, compiled := range []bool{false, true} {
			if c.at == "" {
				c.at = "error_facts_test.go:29" // where words calls its table
			}
			err := lucid.Try(func() {
				if !compiled {
					_ = lucid.ToSlice[float64](c.make())
					return
				}
				f := lucid.Compile(func(*lucid.Tensor) *lucid.Tensor { return c.make() })
				for range 2 {
					if got := lucid.Eval(f(scores)); got != nil {
						panic(got)
					}
				}
			})
			var e *lucid.Error
			if !errors.As(err, &e) || !errors.Is(err, c.kind) {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if !strings.Contains(err.Error(), c.says) || !strings.HasSuffix(err.Error(), "(at "+c.at+")") ||
				!strings.HasSuffix(e.At, "/"+c.at) {
				t.Errorf("%s, compiled %v: %v, at %s; want %s, at %s", name, compiled, err, e.At, c.says, c.at)
			}
			if e.Value != c.value || e.Size != c.size || e.ModuleTypes != c.module {
				t.Errorf("%s: value %d, size %d, modules %q", name, e.Value, e.Size, e.ModuleTypes)
			}
		}
	}
}

// TestErrorLines asks that two checks that look alike are both named, and that those of other sizes are not.
func TestErrorLines(t *testing.T) {
	scores, bad := lucid.Zeros(2, 3), lucid.New([]int64{1, 7}, 2)
	good := lucid.New([]int64{0, 1}, 2)
	a, first := F.CrossEntropy(scores, bad), line(0)
	b, second := F.CrossEntropy(scores, good), line(0)
	c := F.CrossEntropy(lucid.Zeros(2, 9), good)
	err := lucid.Eval(a.Add(b).Add(c))
	if err == nil || !strings.Contains(err.Error(), first) || !strings.Contains(err.Error(), second) ||
		strings.Count(err.Error(), ".go:") != 2 {
		t.Error(err)
	}
}

// TestStepError asks that the step after one with a bad target names target, classes, step and line.
func TestStepError(t *testing.T) {
	net := nn.NewLinear(2, 3)
	opt := optim.NewSGD(nn.Parameters(net), optim.SGDOptions{LR: 0.1})
	at := ""
	step := func(target int64) error {
		opt.ZeroGrad()
		loss, here := F.CrossEntropy(net.Forward(lucid.Ones(1, 2)), lucid.New([]int64{target}, 1)), line(0)
		at = here
		loss.Backward()
		return opt.TryStep()
	}
	if err := step(1); err != nil {
		t.Fatal(err)
	}
	err := errors.Join(step(7), step(1))
	var e *lucid.Error
	if !errors.As(err, &e) || e.Value != 7 || e.Size != 3 || !strings.HasSuffix(e.At, at) {
		t.Fatalf("%v, want at %s", err, at)
	}
	for _, want := range []string{"step 2 changed nothing", "target 7 is out of range for 3 classes", "(at " + at + ")"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nlacks %s", err, want)
		}
	}
	if strings.Count(err.Error(), at) != 1 {
		t.Errorf("the line is there more than once: %v", err)
	}
}

// TestErrorFacts asks for the parts of errors that are found when an op is recorded, or memory runs out.
func TestErrorFacts(t *testing.T) {
	var e *lucid.Error
	here := ""
	err := lucid.Try(func() {
		here = line(1)
		lucid.Zeros(2, 3).MatMul(lucid.Zeros(4, 5))
	})
	if !errors.As(err, &e) || e.Expected != "a[-1] == b[-2]" || e.Got != "3 and 4" || !strings.HasSuffix(e.At, here) ||
		strings.Contains(err.Error(), "(at ") {
		t.Errorf("%v: expected %q, got %q, at %s; want at %s", err, e.Expected, e.Got, e.At, here)
	}
	err = lucid.Try(func() { lucid.Zeros(2).Gather(0, lucid.Zeros(2)) })
	if !errors.As(err, &e) || !errors.Is(err, lucid.ErrDType) || e.Expected == "" || !strings.Contains(e.Got, "float32") {
		t.Errorf("%v: expected %q, got %q", err, e.Expected, e.Got)
	}
	before := lucid.SetMemoryLimit(lucid.CPU, 1<<30)
	defer lucid.SetMemoryLimit(lucid.CPU, before)
	err = lucid.Eval(lucid.Zeros(1<<15, 1<<15).Exp().CumSum(0))
	if !errors.As(err, &e) || !errors.Is(err, lucid.ErrOutOfMemory) || e.Requested < 1<<30 || e.Peak < e.InUse {
		t.Errorf("%v: requested %d, in use %d, peak %d", err, e.Requested, e.InUse, e.Peak)
	}
}

func BenchmarkRecordEmbedding(b *testing.B) {
	w, x := lucid.Zeros(5, 4), lucid.New([]int64{1, 2}, 2)
	for b.Loop() {
		F.Embedding(x, w).Free()
	}
}

func BenchmarkRecordCrossEntropy(b *testing.B) {
	w, x := lucid.Zeros(2, 3), lucid.New([]int64{1, 2}, 2)
	for b.Loop() {
		F.CrossEntropy(w, x).Free()
	}
}

// TestErrorValues asks for what was wanted and what came as Go values, not as text alone.
func TestErrorValues(t *testing.T) {
	for name, c := range map[string]struct {
		f             func()
		expected, got []any
	}{
		"sizes":  {func() { lucid.Zeros(2, 3).MatMul(lucid.Zeros(4, 5)) }, []any{}, []any{3, 4}},
		"dtypes": {func() { lucid.SetDefaultDType(lucid.Int32) }, []any{}, []any{lucid.Int32}},
		"shapes": {func() { nn.Update(nn.NewLinear(2, 3), nn.NewLinear(4, 3)) },
			[]any{[]int{3, 2}}, []any{"weight", []int{3, 4}}},
	} {
		var e *lucid.Error
		if err := lucid.Try(c.f); !errors.As(err, &e) {
			t.Fatalf("%s: %v", name, err)
		}
		if fmt.Sprintf("%#v %#v", e.ExpectedValues, e.GotValues) != fmt.Sprintf("%#v %#v", c.expected, c.got) {
			t.Errorf("%s: %v: expected %#v, got %#v", name, e, e.ExpectedValues, e.GotValues)
		}
		if expected, got := e.Shapes(); name == "shapes" && (fmt.Sprint(expected) != "[3 2]" || fmt.Sprint(got) != "[3 4]") {
			t.Errorf("%v: expected %v, got %v", e, expected, got)
		}
	}
}

// TestMemoryErrorLine asks that an error of memory that ran out names the line that recorded the op: alone, among temporaries, compiled,
// and where a module did it.
func TestMemoryErrorLine(t *testing.T) {
	x := lucid.Rand(1024, 1024)
	if err := lucid.Eval(x); err != nil {
		t.Fatal(err)
	}
	net := nn.NewLinear(1024, 1024)
	if err := lucid.Eval(net.Weight, net.Bias); err != nil {
		t.Fatal(err)
	}
	const room = 9 << 20 // for x and the parameters, not for another matrix
	for name, c := range map[string]struct {
		make   func() *lucid.Tensor
		at     string
		module string
	}{
		"alone":          {func() *lucid.Tensor { return x.MatMul(x) }, line(0), ""},
		"of temporaries": {func() *lucid.Tensor { return x.MatMul(lucid.Cat([]*lucid.Tensor{x, x}, 0).T()).Softmax(1).Sum() }, line(0), ""},
		"in a module":    {func() *lucid.Tensor { return net.Forward(x) }, line(0), "Linear"},
	} {
		for _, compiled := range []bool{false, true} {
			f := func(*lucid.Tensor) *lucid.Tensor { return c.make() }
			if compiled {
				f = lucid.Compile(f)
			}
			was := lucid.SetMemoryLimit(lucid.CPU, room)
			err := lucid.Try(func() {
				if err := lucid.Eval(f(x)); err != nil {
					panic(err)
				}
			})
			lucid.SetMemoryLimit(lucid.CPU, was)
			var e *lucid.Error
			if !errors.As(err, &e) || !errors.Is(err, lucid.ErrOutOfMemory) {
				t.Errorf("%s, compiled %v: %v", name, compiled, err)
				continue
			}
			if !strings.HasSuffix(e.At, "/"+c.at) || e.ModuleTypes != c.module || e.Requested < 1<<20 {
				t.Errorf("%s, compiled %v: %v, at %q in %q, want %s in %q", name, compiled, err, e.At, e.ModuleTypes, c.at, c.module)
			}
			if err := lucid.Eval(f(x)); err != nil {
				t.Errorf("%s, compiled %v, with memory: %v", name, compiled, err)
			}
		}
	}
}
