package compile

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/compile"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/optim"
)

// TestSizesShareOnePlan: sizes are traced one by one, and have one plan but where a size is 1 or equals another one.
func TestSizesShareOnePlan(t *testing.T) {
	w := lucid.Randn(3, 16)
	f := func(x *lucid.Tensor) *lucid.Tensor { return x.MatMul(w).Tanh().Add(x.Mean()).Softmax(0) }
	c := lucid.Compile(f)
	for n := 2; n <= 200; n++ {
		x := lucid.Randn(n, 3)
		if !lucid.Equal(c(x), f(x)) {
			t.Fatalf("length %d differs", n)
		}
	}
	x := lucid.Explain(c)
	if x.Traces != 199 || x.Plans > 3 {
		t.Fatal(x)
	}
	c(lucid.Randn(1, 3))
	x = lucid.Explain(c)
	if x.Traces != 200 || !strings.Contains(x.Unshared[len(x.Unshared)-1], "sizes of 0 and 1") {
		t.Fatal(x.Unshared)
	}
}

// TestTrainingSharesAPlan: a step that writes parameters and optimizer state gives the same bits with a plan of other sizes.
func TestTrainingSharesAPlan(t *testing.T) {
	train := func(each bool) (losses []float64, plans int) {
		lucid.Seed(4)
		model := nn.NewSequential(nn.NewLinear(5, 33), nn.NewReLU(), nn.NewLayerNorm([]int{33}), nn.NewLinear(33, 2))
		opt := optim.NewAdam(nn.Parameters(model), optim.AdamOptions{LR: 0.01})
		step := func(x, y *lucid.Tensor) *lucid.Tensor {
			opt.ZeroGrad()
			l := F.MSELoss(model.Forward(x), y)
			l.Backward()
			opt.Step()
			return l
		}
		c := lucid.Compile(step)
		for k := range 12 {
			n := 6 + 7*k
			x, y := lucid.Randn(n, 5), lucid.Randn(n, 2)
			if each {
				c = lucid.Compile(step)
			}
			losses = append(losses, c(x, y).Item())
		}
		return losses, lucid.Explain(c).Plans
	}
	want, _ := train(true)
	got, plans := train(false)
	if fmt.Sprint(got) != fmt.Sprint(want) || plans > 4 {
		t.Fatalf("%d plans:\n%v\n%v", plans, got, want)
	}
}

// TestBranchesOnSizes: a branch on a size is taken anew for every size, and has a plan of its own.
func TestBranchesOnSizes(t *testing.T) {
	c := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor {
		if x.Size(0) > 10 {
			return x.Sum()
		}
		return lucid.Amax(x.Mul(float64(x.Size(0))))
	})
	for _, n := range []int{4, 20, 5, 30, 6, 21} {
		x := lucid.Ones(n)
		want := float64(n)
		if got := c(x).Item(); got != want {
			t.Fatalf("length %d: %v", n, got)
		}
	}
	if x := lucid.Explain(c); x.Plans != 2 || x.Traces != 6 {
		t.Fatal(x)
	}
}

// TestNearestPlanTellsWhy: of several plans the one that fits best says why there is another.
func TestNearestPlanTellsWhy(t *testing.T) {
	c := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return x.Exp().Sum() })
	x := lucid.Randn(3, 7).Eval()
	c(x)
	c(lucid.Randn(1, 7))
	c(x.Transpose(0, 1))
	why := lucid.Explain(c).Unshared
	if len(why) != 2 || !strings.Contains(why[0], "shape [1 7]") || !strings.Contains(why[1], "strides") {
		t.Fatal(why)
	}
}

// TestSizesHoldMemoryFlat: traces are dropped when they take more than they may, and a thousand sizes more take no more memory.
func TestSizesHoldMemoryFlat(t *testing.T) {
	w := lucid.Randn(8, 8)
	c := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor {
		for range 10 {
			x = x.MatMul(w).Tanh()
		}
		return x.Sum()
	}, lucid.CompileOptions{MaxCacheBytes: 1 << 20})
	heap := func(from, to int) uint64 {
		for n := from; n < to; n++ {
			c(lucid.Ones(n, 8)).Item()
		}
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap(2, 300)
	x := lucid.Explain(c)
	if len(x.Steps) > 250 || len(x.Steps) < 10 {
		t.Fatalf("%d traces are stored in 1 MiB", len(x.Steps))
	}
	if after := heap(300, 1300); after > before+(1<<20) {
		t.Fatalf("%d bytes after a thousand sizes more, %d before", after, before)
	}
}

// TestThrashWarns: a cache that is too small for the sizes that come again and again is told of once.
func TestThrashWarns(t *testing.T) {
	defer func(f func(string, ...any)) { compile.Warn = f }(compile.Warn)
	var said []string
	compile.Warn = func(msg string, args ...any) { said = append(said, fmt.Sprint(append([]any{msg}, args...)...)) }
	c := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return x.Add(1) }, lucid.CompileOptions{MaxCache: 2, Name: "step"})
	for range 10 {
		for n := range 4 {
			c(lucid.Ones(n + 2))
		}
	}
	if len(said) != 1 {
		t.Fatal(said)
	}
	for _, part := range []string{"step", "[", "MaxCacheBytes"} {
		if !strings.Contains(said[0], part) {
			t.Fatalf("%q does not name %q", said[0], part)
		}
	}
}

// TestUnusedTraces: traces of sizes that do not come again are dropped, those that are used stay, and sizes that do come again, however
// many, are traced no more than a few times.
func TestUnusedTraces(t *testing.T) {
	c := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return x.Add(1).Sum() })
	call := func(n int) {
		if got := c(lucid.Ones(n)).Item(); got != float64(2*n) {
			t.Fatalf("%d ones: %v", n, got)
		}
	}
	for n := 2; n < 600; n++ {
		call(n)
		if n%50 == 0 {
			call(5) // is used all the time, so nothing is dropped
		}
	}
	if x := lucid.Explain(c); len(x.Steps) != 598 || x.Traces != 598 {
		t.Fatalf("%d traces, %d are stored", x.Traces, len(x.Steps))
	}
	for n := 1000; n < 1300; n++ {
		call(n)
	}
	if x := lucid.Explain(c); len(x.Steps) > 30 {
		t.Fatalf("%d traces are stored after 300 sizes in a row that were new", len(x.Steps))
	}
	before := lucid.Explain(c).Traces
	call(5)
	if n := lucid.Explain(c).Traces; n != before {
		t.Error("a trace that was in use was dropped")
	}
	for range 3 {
		for n := 2000; n < 2400; n++ {
			call(n)
		}
	}
	before = lucid.Explain(c).Traces
	for n := 2000; n < 2400; n++ {
		call(n)
	}
	if n := lucid.Explain(c).Traces; n != before {
		t.Errorf("%d traces more in the fourth round of 400 sizes", n-before)
	}
	for n := 3000; n < 3000+2000; n++ { // each is used once more, at once, so all of them stay
		call(n)
		call(n)
	}
	if n := len(lucid.Explain(c).Steps); n < 2000 {
		t.Errorf("%d of 2000 traces that were in use are stored", n)
	}
}

// TestNilArguments: which tensors are nil is part of the key.
func TestNilArguments(t *testing.T) {
	add := lucid.Compile(func(x, y *lucid.Tensor) *lucid.Tensor {
		if y == nil {
			return x.Mul(2)
		}
		return x.Add(y)
	})
	x := lucid.New([]float32{1, 2}, 2)
	for range 2 {
		if got := lucid.ToSlice[float32](add(x, nil)); fmt.Sprint(got) != "[2 4]" {
			t.Fatal(got)
		}
		if got := lucid.ToSlice[float32](add(x, lucid.Ones(2))); fmt.Sprint(got) != "[2 3]" {
			t.Fatal(got)
		}
	}
	if n := lucid.Explain(add).Traces; n != 2 {
		t.Fatal(n)
	}
	one := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor {
		if x == nil {
			return lucid.Ones(3)
		}
		return x
	})
	if got := lucid.ToSlice[float32](one(nil)); fmt.Sprint(got) != "[1 1 1]" {
		t.Fatal(got)
	}
	many := lucid.Compile(func(xs []*lucid.Tensor) *lucid.Tensor { return xs[0].Add(float64(len(xs))) })
	if got := lucid.ToSlice[float32](many([]*lucid.Tensor{x, nil})); fmt.Sprint(got) != "[3 4]" {
		t.Fatal(got)
	}
}

// TestDisableCompile: the switch runs functions as they are.
func TestDisableCompile(t *testing.T) {
	calls := 0
	c := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { calls++; return x.Add(1) })
	x := lucid.Ones(2)
	c(x)
	c(x)
	lucid.DisableCompile()
	defer lucid.EnableCompile()
	c(x)
	c(x)
	if calls != 3 {
		t.Fatalf("the function ran %d times", calls)
	}
	lucid.EnableCompile()
	if c(x); calls != 3 {
		t.Fatalf("the function ran %d times", calls)
	}
}

// TestControlFlowSharesAPlan: a branch and a loop inside are bound to other sizes too, and so are the plans of their subgraphs.
func TestControlFlowSharesAPlan(t *testing.T) {
	w := lucid.Randn(4, 4).Mul(0.3).Eval()
	f := func(x *lucid.Tensor) *lucid.Tensor {
		h, all := lucid.Scan(func(h, x *lucid.Tensor) (*lucid.Tensor, *lucid.Tensor) {
			h = h.MatMul(w).Add(x).Tanh()
			return h, h.Softmax(-1)
		}, lucid.Zeros(x.Size(1), 4), x)
		return lucid.Cond(h.Sum().Gt(0), func(y *lucid.Tensor) *lucid.Tensor { return y.Mean(0) },
			func(y *lucid.Tensor) *lucid.Tensor { return y.Sum(0).Neg() }, all)
	}
	loss := func(x *lucid.Tensor) *lucid.Tensor { return f(x).Square().Sum() }
	value, slope := lucid.Compile(f), lucid.Compile(lucid.Grad(loss))
	for n := 3; n < 20; n++ {
		x := lucid.Randn(n, n+2, 4).Eval()
		if !lucid.Equal(value(x), f(x)) {
			t.Fatalf("length %d differs", n)
		}
		if !lucid.Equal(slope(x), lucid.Grad(loss)(x)) {
			t.Fatalf("gradient at length %d differs", n)
		}
	}
	for _, c := range []any{value, slope} {
		if x := lucid.Explain(c); x.Plans > 3 || x.Traces != 17 {
			t.Error(x)
		}
	}
}
