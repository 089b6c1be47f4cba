package lucid

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestCompileKeepsState(t *testing.T) {
	counter := Zeros()
	step := Compile(func(x *Tensor) *Tensor { counter.Assign(counter.Add(1)); return x.Add(counter) })
	for i := 1; i <= 5; i++ {
		if got := step(Scalar(10)).Item(); got != 10+float64(i) {
			t.Fatalf("call %d: %v", i, got)
		}
	}
	if counter.Item() != 5 || fmt.Sprint(step(Zeros(4)).Shape()) != "[4]" {
		t.Error("state or new shape")
	}
	x := Explain(step)
	if x.Traces != 2 || !strings.Contains(x.String(), "shape went from") {
		t.Errorf("explain: %v", x)
	}
	if st := MemoryStats(CPU); st.Peak < 0 {
		t.Error(st)
	}
}

func TestCompileComposes(t *testing.T) {
	f := func(x *Tensor) *Tensor { return x.Sin().Mul(x) }
	x := Scalar(0.7)
	near(t, "compile of grad", Compile(Grad(f))(x).Item(), math.Sin(.7)+.7*math.Cos(.7))
	near(t, "grad of compile of grad", Grad(Compile(Grad(f)))(x).Item(), 2*math.Cos(.7)-.7*math.Sin(.7))
	xs := New([]float32{.1, .2, .3}, 3)
	same(t, "vmap of compile", VMap(Compile(f))(xs), f(xs))
	same(t, "compile of vmap", Compile(VMap(f))(xs), f(xs))
	// A captured tensor that varies outside.
	g := func(w *Tensor) *Tensor { return Compile(func(x *Tensor) *Tensor { return x.Mul(w) })(Scalar(3)) }
	near(t, "captured under grad", Grad(g)(x).Item(), 3)
	nested := Compile(func(x *Tensor) *Tensor { return Compile(f)(x).Add(Compile(f)(x)) })
	near(t, "nested", nested(x).Item(), 2*.7*math.Sin(.7))
}

// trainStep is plain gradient descent with momentum on a captured parameter.
func trainStep(w, m, x, y *Tensor) *Tensor {
	w.ZeroGrad()
	loss := x.MatMul(w).Sub(y).Square().Mean()
	loss.Backward()
	NoGrad(func() {
		m.Mul_(0.9).Add_(w.Grad())
		w.Sub_(m.Mul(0.01))
	})
	return loss
}

func TestCompiledTrainingEqualsEager(t *testing.T) {
	Seed(1)
	x, y := Randn(64, 8), Randn(64, 1)
	w0 := Randn(8, 1)
	first := x.MatMul(w0).Sub(y).Square().Mean().Item()
	run := func(compiled bool) (float64, *Tensor) {
		w, m := w0.Clone().RequiresGrad_(true), Zeros(8, 1)
		step := func(x, y *Tensor) *Tensor { return trainStep(w, m, x, y) }
		if compiled {
			step = Compile(step)
		}
		var last float64
		for range 20 {
			last = step(x, y).Item()
		}
		return last, w
	}
	a, wa := run(false)
	b, wb := run(true)
	if a != b || !sameBits(wa.Detach().array().Peek(), wb.Detach().array().Peek()) {
		t.Errorf("loss %v and %v", a, b)
	}
	if a > first/2 {
		t.Errorf("did not learn: %v to %v", first, a)
	}
}

func TestCompiledStateIsDonated(t *testing.T) {
	w := Ones(64, 64)
	step := Compile(func(x *Tensor) *Tensor { w.Add_(x); return w.Sum() })
	step(Ones(64, 64)).Item()
	before := MemoryStats(DefaultDevice()).Donated
	for range 10 {
		step(Ones(64, 64))
	}
	if got := MemoryStats(DefaultDevice()).Donated - before; got != 10 {
		t.Errorf("%d of 10 updates were in place", got)
	}
	if w.Sum().Item() != 64*64*12 {
		t.Errorf("sum %v", w.Sum().Item())
	}
	// A reader's view of the old value is never written over.
	held := w.Clone()
	old := held.Sum().Item()
	step(Ones(64, 64))
	step(Ones(64, 64))
	if held.Sum().Item() != old {
		t.Error("a clone changed")
	}
}

func TestCompileRandomMovesOn(t *testing.T) {
	f := Compile(func(x *Tensor) *Tensor { return x.Add(Rand(4)) })
	Seed(7)
	a, b := ToSlice[float32](f(Zeros(4))), ToSlice[float32](f(Zeros(4)))
	Seed(7)
	c, d := ToSlice[float32](Rand(4)), ToSlice[float32](Rand(4))
	if fmt.Sprint(a, b) != fmt.Sprint(c, d) || fmt.Sprint(a) == fmt.Sprint(b) {
		t.Errorf("%v %v, eagerly %v %v", a, b, c, d)
	}
}

func TestCompileRefusesEscapes(t *testing.T) {
	var kept *Tensor
	f := Compile(func(x *Tensor) *Tensor { kept = x.Add(1); return kept.Mul(2) })
	f(Ones(2))
	if err := Try(func() { kept.Add(1) }); !errors.Is(err, ErrTrace) {
		t.Errorf("use of an escaped value: %v", err)
	}
	g := Compile(func(x *Tensor) *Tensor {
		if x.Sum().Item() > 0 {
			return x
		}
		return x.Neg()
	})
	if err := Try(func() { g(Ones(2)) }); !errors.Is(err, ErrTrace) {
		t.Errorf("reading inside: %v", err)
	}
}

func TestCompileCheckFindsFrozenValues(t *testing.T) {
	k := 1.0
	f := Compile(func(x *Tensor) *Tensor { return x.Mul(k) }, CompileOptions{Check: true})
	f(Ones(2))
	k = 2
	if err := Try(func() { f(Ones(2)) }); !errors.Is(err, ErrTrace) {
		t.Errorf("check did not notice: %v", err)
	}
}

func TestCompileTrees(t *testing.T) {
	type pair struct {
		A, B *Tensor
		K    float64
	}
	f := Compile(func(p pair, m map[string]*Tensor, xs []*Tensor) (pair, *Tensor, error) {
		if p.K < 0 {
			return pair{}, nil, errors.New("negative")
		}
		return pair{p.B, p.A.Mul(p.K), p.K}, m["x"].Add(xs[0]).Add(xs[1]), nil
	})
	for _, k := range []float64{2, 3, 2} {
		p, s, err := f(pair{Ones(2), Zeros(3), k}, map[string]*Tensor{"x": Ones(2)}, []*Tensor{Ones(2), Ones(2)})
		if err != nil || p.B.Sum().Item() != 2*k || s.Sum().Item() != 6 || p.K != k {
			t.Errorf("k=%v: %v %v %v", k, p, s, err)
		}
	}
	if _, _, err := f(pair{Ones(2), Zeros(3), -1}, map[string]*Tensor{"x": Ones(2)}, []*Tensor{Ones(2), Ones(2)}); err == nil {
		t.Error("the function's error was lost")
	}
}

func TestCompileConcurrent(t *testing.T) {
	w := Ones(16)
	read := Compile(func(x *Tensor) *Tensor { return x.Mul(w).Sum() })
	bump := Compile(func(x *Tensor) *Tensor { w.Add_(x); return w.Sum() })
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 50 {
				if g%2 == 0 {
					v := read(Ones(16)).Item()
					if math.Mod(v, 16) != 0 {
						t.Errorf("torn value %v", v)
						return
					}
				} else {
					bump(Ones(16))
				}
			}
		}()
	}
	wg.Wait()
	if got := w.Sum().Item(); got != 16*(1+200) {
		t.Errorf("final %v", got)
	}
}

// TestCompileFirstCallsConcurrent: the first calls come at once, while the state does not lie yet as it will after them. No
// update is lost, and nobody meets a value that another call has under way.
func TestCompileFirstCallsConcurrent(t *testing.T) {
	for range 300 {
		w, x := Ones(16), Ones(16).Eval()
		bump := Compile(func(x *Tensor) *Tensor { w.Add_(x); return w.Sum() })
		read := Compile(func(x *Tensor) *Tensor { return x.Mul(w).Sum() })
		var wg sync.WaitGroup
		gate := make(chan struct{})
		for g := range 12 {
			wg.Go(func() {
				<-gate
				if g%3 == 2 {
					if v := read(x).Item(); math.Mod(v, 16) != 0 {
						t.Errorf("torn value %v", v)
					}
					return
				}
				bump(x)
			})
		}
		close(gate)
		wg.Wait()
		if got := w.Sum().Item(); got != 16*9 {
			t.Fatalf("%v after 8 calls, want %d", got, 16*9)
		}
	}
}

// TestCompileTellsZerosApart compiles a function whose immediates are equal as numbers and differ in sign.
func TestCompileTellsZerosApart(t *testing.T) {
	f := func(x *Tensor) *Tensor { return x.Div(0.0).Atan().Mul(10).Add(x.Div(math.Copysign(0, -1)).Atan()) }
	same(t, "zeros", Compile(f)(Ones(2)), f(Ones(2)))
}

func TestCompiledFunctionsAreForgotten(t *testing.T) {
	count := func() (n int) {
		compiledFuncs.Range(func(_, _ any) bool { n++; return true })
		return n
	}
	before := count()
	for range 100 {
		Compile(func(x *Tensor) *Tensor { return x.Add(1) })(Ones(2))
	}
	for range 20 {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	if got := count(); got > before+10 {
		t.Errorf("%d functions are remembered, %d before", got, before)
	}
}

// A call that is cancelled before it wrote anything leaves its state as it was.
func TestCompileCancelled(t *testing.T) {
	w := Ones(4096)
	step := Compile(func(x *Tensor) *Tensor { w.Add_(x); return w.Sum() })
	x := Ones(4096).Eval()
	step(x)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	WithContext(ctx, func() {
		if err := Try(func() { step(x) }); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
	if got := w.Sum().Item(); got != 2*4096 {
		t.Errorf("the state is %v", got/4096)
	}
	if got := step(x).Item(); got != 3*4096 {
		t.Errorf("after the cancel: %v", got/4096)
	}
}

// TestCompiledTransformHasAName: messages about a function that a transform returned do not name the stub it runs by.
func TestCompiledTransformHasAName(t *testing.T) {
	var kept *Tensor
	f := Compile(VMap(func(in []*Tensor) *Tensor { kept = in[0].Add(1); return kept }))
	f([]*Tensor{Ones(2, 3)})
	err := Try(func() { kept.Sum().Item() })
	if err == nil || strings.Contains(err.Error(), "Stub") {
		t.Errorf("a value that was kept: %v", err)
	}
	g := Compile(VMap(func(in []*Tensor) *Tensor { return in[0].At(in[1]) }))
	if err := Try(func() { g([]*Tensor{Ones(2, 3), Ones(2)}) }); err == nil || strings.Contains(err.Error(), "Stub") {
		t.Errorf("a mistake inside: %v", err)
	}
}
