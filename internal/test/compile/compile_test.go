package compile

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

func TestCompileKeepsState(t *testing.T) {
	counter := lucid.Zeros()
	step := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { counter.Assign(counter.Add(1)); return x.Add(counter) })
	for i := 1; i <= 5; i++ {
		if got := step(lucid.Scalar(10)).Item(); got != 10+float64(i) {
			t.Fatalf("call %d: %v", i, got)
		}
	}
	if counter.Item() != 5 || fmt.Sprint(step(lucid.Zeros(4)).Shape()) != "[4]" {
		t.Error("state or new shape")
	}
	x := lucid.Explain(step)
	if x.Traces != 2 || !strings.Contains(x.String(), "shape went from") {
		t.Errorf("explain: %v", x)
	}
	if st := lucid.MemoryStats(lucid.CPU); st.Peak < 0 {
		t.Error(st)
	}
}

func TestCompileComposes(t *testing.T) {
	f := func(x *lucid.Tensor) *lucid.Tensor { return x.Sin().Mul(x) }
	x := lucid.Scalar(0.7)
	tensortest.Near(t, "compile of grad", lucid.Compile(lucid.Grad(f))(x).Item(), math.Sin(.7)+.7*math.Cos(.7))
	tensortest.Near(t, "grad of compile of grad", lucid.Grad(lucid.Compile(lucid.Grad(f)))(x).Item(), 2*math.Cos(.7)-.7*math.Sin(.7))
	xs := lucid.New([]float32{.1, .2, .3}, 3)
	tensortest.Same(t, "vmap of compile", lucid.VMap(lucid.Compile(f))(xs), f(xs))
	tensortest.Same(t, "compile of vmap", lucid.Compile(lucid.VMap(f))(xs), f(xs))
	// A captured tensor that varies outside.
	g := func(w *lucid.Tensor) *lucid.Tensor {
		return lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return x.Mul(w) })(lucid.Scalar(3))
	}
	tensortest.Near(t, "captured under grad", lucid.Grad(g)(x).Item(), 3)
	nested := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return lucid.Compile(f)(x).Add(lucid.Compile(f)(x)) })
	tensortest.Near(t, "nested", nested(x).Item(), 2*.7*math.Sin(.7))
}

// trainStep is plain gradient descent with momentum on a captured parameter.
func trainStep(w, m, x, y *lucid.Tensor) *lucid.Tensor {
	w.ZeroGrad()
	loss := x.MatMul(w).Sub(y).Square().Mean()
	loss.Backward()
	lucid.NoGrad(func() {
		m.Mul_(0.9).Add_(w.Grad())
		w.Sub_(m.Mul(0.01))
	})
	return loss
}

func TestCompiledTrainingEqualsEager(t *testing.T) {
	lucid.Seed(1)
	x, y := lucid.Randn(64, 8), lucid.Randn(64, 1)
	w0 := lucid.Randn(8, 1)
	first := x.MatMul(w0).Sub(y).Square().Mean().Item()
	run := func(compiled bool) (float64, *lucid.Tensor) {
		w, m := w0.Clone().RequiresGrad_(true), lucid.Zeros(8, 1)
		step := func(x, y *lucid.Tensor) *lucid.Tensor { return trainStep(w, m, x, y) }
		if compiled {
			step = lucid.Compile(step)
		}
		var last float64
		for range 20 {
			last = step(x, y).Item()
		}
		return last, w
	}
	a, wa := run(false)
	b, wb := run(true)
	if a != b || !tensortest.SameBits(wa.Detach(), wb.Detach()) {
		t.Errorf("loss %v and %v", a, b)
	}
	if a > first/2 {
		t.Errorf("did not learn: %v to %v", first, a)
	}
}

func TestCompiledStateIsDonated(t *testing.T) {
	w := lucid.Ones(64, 64)
	step := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { w.Add_(x); return w.Sum() })
	step(lucid.Ones(64, 64)).Item()
	before := lucid.MemoryStats(lucid.DefaultDevice()).Donated
	for range 10 {
		step(lucid.Ones(64, 64))
	}
	if got := lucid.MemoryStats(lucid.DefaultDevice()).Donated - before; got != 10 {
		t.Errorf("%d of 10 updates were in place", got)
	}
	if w.Sum().Item() != 64*64*12 {
		t.Errorf("sum %v", w.Sum().Item())
	}
	// A reader's view of the old value is never written over.
	held := w.Clone()
	old := held.Sum().Item()
	step(lucid.Ones(64, 64))
	step(lucid.Ones(64, 64))
	if held.Sum().Item() != old {
		t.Error("a clone changed")
	}
}

func TestCompileRandomMovesOn(t *testing.T) {
	f := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return x.Add(lucid.Rand(4)) })
	lucid.Seed(7)
	a, b := lucid.ToSlice[float32](f(lucid.Zeros(4))), lucid.ToSlice[float32](f(lucid.Zeros(4)))
	lucid.Seed(7)
	c, d := lucid.ToSlice[float32](lucid.Rand(4)), lucid.ToSlice[float32](lucid.Rand(4))
	if fmt.Sprint(a, b) != fmt.Sprint(c, d) || fmt.Sprint(a) == fmt.Sprint(b) {
		t.Errorf("%v %v, eagerly %v %v", a, b, c, d)
	}
}

func TestCompileRefusesEscapes(t *testing.T) {
	var escaped *lucid.Tensor
	f := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { escaped = x.Add(1); return escaped.Mul(2) })
	f(lucid.Ones(2))
	if err := lucid.Try(func() { escaped.Add(1) }); !errors.Is(err, lucid.ErrTrace) {
		t.Errorf("use of an escaped value: %v", err)
	}
	g := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor {
		if x.Sum().Item() > 0 {
			return x
		}
		return x.Neg()
	})
	if err := lucid.Try(func() { g(lucid.Ones(2)) }); !errors.Is(err, lucid.ErrTrace) {
		t.Errorf("reading inside: %v", err)
	}
}

func TestCompileCheckFindsFrozenValues(t *testing.T) {
	k := 1.0
	f := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return x.Mul(k) }, lucid.CompileOptions{Check: true})
	f(lucid.Ones(2))
	k = 2
	if err := lucid.Try(func() { f(lucid.Ones(2)) }); !errors.Is(err, lucid.ErrTrace) {
		t.Errorf("check did not notice: %v", err)
	}
}

func TestCompileTrees(t *testing.T) {
	type pair struct {
		A, B *lucid.Tensor
		K    float64
	}
	f := lucid.Compile(func(p pair, m map[string]*lucid.Tensor, xs []*lucid.Tensor) (pair, *lucid.Tensor, error) {
		if p.K < 0 {
			return pair{}, nil, errors.New("negative")
		}
		return pair{p.B, p.A.Mul(p.K), p.K}, m["x"].Add(xs[0]).Add(xs[1]), nil
	})
	for _, k := range []float64{2, 3, 2} {
		p, s, err := f(pair{lucid.Ones(2), lucid.Zeros(3), k}, map[string]*lucid.Tensor{"x": lucid.Ones(2)},
			[]*lucid.Tensor{lucid.Ones(2), lucid.Ones(2)})
		if err != nil || p.B.Sum().Item() != 2*k || s.Sum().Item() != 6 || p.K != k {
			t.Errorf("k=%v: %v %v %v", k, p, s, err)
		}
	}
	if _, _, err := f(pair{lucid.Ones(2), lucid.Zeros(3), -1}, map[string]*lucid.Tensor{"x": lucid.Ones(2)},
		[]*lucid.Tensor{lucid.Ones(2), lucid.Ones(2)}); err == nil {
		t.Error("the function's error was lost")
	}
}

func TestCompileConcurrent(t *testing.T) {
	w := lucid.Ones(16)
	read := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return x.Mul(w).Sum() })
	bump := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { w.Add_(x); return w.Sum() })
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 50 {
				if g%2 == 0 {
					v := read(lucid.Ones(16)).Item()
					if math.Mod(v, 16) != 0 {
						t.Errorf("torn value %v", v)
						return
					}
				} else {
					bump(lucid.Ones(16))
				}
			}
		}()
	}
	wg.Wait()
	if got := w.Sum().Item(); got != 16*(1+200) {
		t.Errorf("final %v", got)
	}
}

// TestCompileFirstCallsConcurrent: the first calls come at once, while the state is not laid out yet as it will be after them. No
// update is lost, and no call sees a value that another call has under way.
func TestCompileFirstCallsConcurrent(t *testing.T) {
	for range 300 {
		w, x := lucid.Ones(16), lucid.Ones(16).Eval()
		bump := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { w.Add_(x); return w.Sum() })
		read := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return x.Mul(w).Sum() })
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
	f := func(x *lucid.Tensor) *lucid.Tensor {
		return x.Div(0.0).Atan().Mul(10).Add(x.Div(math.Copysign(0, -1)).Atan())
	}
	tensortest.Same(t, "zeros", lucid.Compile(f)(lucid.Ones(2)), f(lucid.Ones(2)))
}

// A call that is cancelled before it wrote anything leaves its state as it was.
func TestCompileCancelled(t *testing.T) {
	w := lucid.Ones(4096)
	step := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { w.Add_(x); return w.Sum() })
	x := lucid.Ones(4096).Eval()
	step(x)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	lucid.WithContext(ctx, func() {
		if err := lucid.Try(func() { step(x) }); !errors.Is(err, context.Canceled) {
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
	var escaped *lucid.Tensor
	f := lucid.Compile(lucid.VMap(func(in []*lucid.Tensor) *lucid.Tensor { escaped = in[0].Add(1); return escaped }))
	f([]*lucid.Tensor{lucid.Ones(2, 3)})
	err := lucid.Try(func() { escaped.Sum().Item() })
	if err == nil || strings.Contains(err.Error(), "Stub") {
		t.Errorf("a value that was escaped: %v", err)
	}
	g := lucid.Compile(lucid.VMap(func(in []*lucid.Tensor) *lucid.Tensor { return in[0].At(in[1]) }))
	if err := lucid.Try(func() { g([]*lucid.Tensor{lucid.Ones(2, 3), lucid.Ones(2)}) }); err == nil ||
		strings.Contains(err.Error(), "Stub") {
		t.Errorf("a mistake inside: %v", err)
	}
}
