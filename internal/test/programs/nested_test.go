package programs

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu"
	"github.com/lucid-go/lucid/internal/backend/fake"
	"github.com/lucid-go/lucid/internal/testutil"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

// vecFunc is a smooth function of a vector of any length that gives one of the same length.
type vecFunc func(x *lucid.Tensor) *lucid.Tensor

// nested makes such functions at random: of views, writes in place, reductions, products, and of transforms of functions
// made the same way. They are pure, so every way to run one must agree with every other.
type nested struct {
	r     *rand.Rand
	held  []*lucid.Tensor // tensors that functions close over, scalars
	index *lucid.Tensor
}

func (g *nested) pick(n int) int { return g.r.IntN(n) }

// make returns a function of some steps; depth bounds the transforms inside transforms.
func (g *nested) make(steps, depth int) (vecFunc, string) {
	var fs []func(v, u *lucid.Tensor) *lucid.Tensor
	name := ""
	for range steps {
		var f func(v, u *lucid.Tensor) *lucid.Tensor
		var s string
		if depth > 0 && g.pick(3) == 0 {
			var inner vecFunc
			if inner, s = g.transformed(depth - 1); inner != nil {
				f = func(v, _ *lucid.Tensor) *lucid.Tensor { return inner(v) }
			}
		} else {
			f, s = g.plain()
		}
		fs, name = append(fs, f), name+s+" "
	}
	return func(x *lucid.Tensor) *lucid.Tensor {
		v, u := x.Tanh(), x // values stay small
		for _, f := range fs {
			v, u = f(v, u).Tanh(), v
		}
		return v
	}, name
}

// plain is a step of two vectors, the last and the one before.
func (g *nested) plain() (func(v, u *lucid.Tensor) *lucid.Tensor, string) {
	c := g.held[g.pick(len(g.held))]
	k := 1 + g.pick(2)
	switch g.pick(18) {
	case 0:
		return func(v, u *lucid.Tensor) *lucid.Tensor { return v.Mul(u).Add(c) }, "mul"
	case 1:
		return func(v, u *lucid.Tensor) *lucid.Tensor { return v.Sin().Div(u.Square().Add(2)) }, "div"
	case 2:
		return func(v, u *lucid.Tensor) *lucid.Tensor { return v.Flip(0).Sub(u) }, "flip"
	case 3:
		return func(v, u *lucid.Tensor) *lucid.Tensor { return v.Roll(k).Mul(c) }, "roll"
	case 4:
		return func(v, u *lucid.Tensor) *lucid.Tensor { return v.CumSum(0).Mul(0.5) }, "cumsum"
	case 5:
		return func(v, u *lucid.Tensor) *lucid.Tensor { return v.Softmax(0).Mul(u) }, "softmax"
	case 6:
		return func(v, u *lucid.Tensor) *lucid.Tensor { return v.LogSumExp(0).Add(u) }, "logsumexp"
	case 7:
		return func(v, u *lucid.Tensor) *lucid.Tensor { return v.Unsqueeze(1).MatMul(u.Unsqueeze(0)).MatMul(v) }, "outer"
	case 8:
		return func(v, u *lucid.Tensor) *lucid.Tensor { w := v.Clone(); w.Mul_(u); w.Add_(c); return w }, "inplace"
	case 9:
		return func(v, u *lucid.Tensor) *lucid.Tensor { w := v.Mul(1); w.SetAt(u.At(0).Mul(2), 0); return w }, "setat"
	case 10:
		return func(v, u *lucid.Tensor) *lucid.Tensor {
			w := v.Mul(1)
			w.AddAt(u.At(lucid.Range{Start: 0, Stop: 2}), lucid.Range{Start: 0, Stop: 2})
			return w
		}, "addat"
	case 11:
		return func(v, u *lucid.Tensor) *lucid.Tensor {
			n := v.Size(0)
			return lucid.Cat([]*lucid.Tensor{v.At(lucid.Range{Start: 1, Stop: n}), u.At(lucid.Range{Start: 0, Stop: 1})}, 0)
		}, "cat"
	case 12:
		return func(v, u *lucid.Tensor) *lucid.Tensor { return v.Unsqueeze(0).Expand(3, -1).Mul(u).Sum(0) }, "expand"
	case 13:
		return func(v, u *lucid.Tensor) *lucid.Tensor { return lucid.Where(u.Gt(0.1), v, v.Mul(0.5)) }, "where"
	case 14:
		return func(v, u *lucid.Tensor) *lucid.Tensor { return v.At(g.index).Sum(0).Mul(u) }, "gather"
	case 15:
		return func(v, u *lucid.Tensor) *lucid.Tensor { return v.Sub(v.Mean()).Div(v.Var(0).Add(1).Sqrt()) }, "norm"
	case 16:
		return func(v, u *lucid.Tensor) *lucid.Tensor { return v.Add(lucid.StopGradient(u).Mul(c)) }, "stop"
	}
	return func(v, u *lucid.Tensor) *lucid.Tensor { return lucid.Depends(v, u).Mul(c) }, "depends"
}

// transformed is a transform of a function made at random.
func (g *nested) transformed(depth int) (vecFunc, string) {
	f, s := g.make(1+g.pick(3), depth)
	total := func(x *lucid.Tensor) *lucid.Tensor { return f(x).Mul(x).Sum() }
	switch g.pick(9) {
	case 0:
		return lucid.Checkpoint(func(x *lucid.Tensor) *lucid.Tensor { return f(x) }), "checkpoint(" + s + ")"
	case 1:
		return lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return f(x) }), "compile(" + s + ")"
	case 2:
		return lucid.Grad(total), "grad(" + s + ")"
	case 3:
		return func(x *lucid.Tensor) *lucid.Tensor { _, d := lucid.JVP(f, x, x.Mul(0.5)); return d }, "jvp(" + s + ")"
	case 4:
		return func(x *lucid.Tensor) *lucid.Tensor { y, d := lucid.VJP(f, x, x.Sin()); return y.Mul(d) }, "vjp(" + s + ")"
	case 5:
		return func(x *lucid.Tensor) *lucid.Tensor {
			return lucid.VMap(func(x *lucid.Tensor) *lucid.Tensor {
				return f(x)
			})(lucid.Stack([]*lucid.Tensor{x, x.Mul(0.5), x.Flip(0)}, 0)).Sum(0)
		}, "vmap(" + s + ")"
	case 6:
		return func(x *lucid.Tensor) *lucid.Tensor { // over columns, as rows of the result
			m := lucid.Stack([]*lucid.Tensor{x, x.Mul(2)}, 1)
			return lucid.VMap(func(x *lucid.Tensor) *lucid.Tensor { return f(x) },
				lucid.VMapOptions{In: []int{1}, Out: []int{0}})(m).Mean(0)
		}, "vmap1(" + s + ")"
	case 7:
		own := lucid.Custom(lucid.CustomFunc{Name: "cube",
			Forward: func(in []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{in[0].Mul(in[0]).Mul(in[0])} },
			VJP: func(in, _, cot []*lucid.Tensor) []*lucid.Tensor {
				return []*lucid.Tensor{cot[0].Mul(in[0].Square()).Mul(3)}
			},
			JVP: func(in, tan []*lucid.Tensor) []*lucid.Tensor {
				return []*lucid.Tensor{tan[0].Mul(in[0].Square()).Mul(3)}
			},
			VMap: func(in []*lucid.Tensor, _ []bool, _ int) []*lucid.Tensor {
				return []*lucid.Tensor{in[0].Mul(in[0]).Mul(in[0])}
			}})
		return func(x *lucid.Tensor) *lucid.Tensor { return f(own(x)[0]) }, "custom(" + s + ")"
	}
	return func(x *lucid.Tensor) *lucid.Tensor { return lucid.Grad(lucid.Checkpoint(total))(x).Mul(0.5) }, "gradcheckpoint(" + s + ")"
}

// agree compares every way to run a function and its derivatives.
func (g *nested) agree(f vecFunc, dev *backend.Device, report func(what, how string)) {
	const n = 5
	put := func(t *lucid.Tensor) *lucid.Tensor { return (&tensortest.Target{Dev: dev}).Put(t) }
	vals := func() []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = 2*g.r.Float64() - 1
		}
		return v
	}
	x, c := put(lucid.New(vals(), n)), put(lucid.New(vals(), n))
	is := func(what string, got, want *lucid.Tensor, bits bool) {
		tol := testutil.Tolerance{Rel: 1e-9, Abs: 1e-9}
		if bits {
			if !tensortest.SameBits(got, want) {
				report(what, fmt.Sprintf("bits of %v, want %v", got, want))
			}
		} else if d := tensortest.Differ(got, want, tol); d != "" {
			report(what, d)
		}
	}
	loss := func(x *lucid.Tensor) *lucid.Tensor { return f(x).Mul(c).Sum() }
	plain := func(x *lucid.Tensor) *lucid.Tensor { return f(x) }
	y, d := f(x), lucid.Grad(loss)(x)
	is("compiled", lucid.Compile(plain)(x), y, true)
	is("checkpoint", lucid.Checkpoint(plain)(x), y, true)
	cg := lucid.Compile(lucid.Grad(loss))
	is("compiled gradient", cg(x), d, true)
	is("called again", cg(x), d, true)
	is("gradient of compiled", lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { return lucid.Compile(plain)(x).Mul(c).Sum() })(x), d, false)
	is("gradient of checkpoint", lucid.Grad(lucid.Checkpoint(loss))(x), d, false)

	leaf := put(x.Clone().Detach()).RequiresGrad_(true)
	seen := 0
	leaf.RegisterHook(func(g *lucid.Tensor) *lucid.Tensor { seen++; return g })
	loss(leaf).Backward()
	is("backward", leaf.Grad(), d, false)
	if seen != 1 {
		report("hook", fmt.Sprintf("ran %d times", seen))
	}
	step := lucid.Compile(func(k *lucid.Tensor) *lucid.Tensor { // Backward inside, with the leaf as state
		leaf.ZeroGrad()
		l := loss(leaf).Mul(k)
		l.Backward()
		return l
	})
	step(put(lucid.Scalar(1.0).To(lucid.Float64)))
	is("compiled backward", leaf.Grad(), d, false)

	v := put(lucid.New(vals(), n))
	_, dy := lucid.JVP(f, x, v)
	is("jvp against vjp", dy.Mul(c).Sum(), d.Mul(v).Sum(), false)
	_, hv := lucid.JVP(lucid.Grad(loss), x, v)
	_, vh := lucid.VJP(lucid.Grad(loss), x, v)
	is("hessian product", hv, vh, false)
	is("compiled hessian product", lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor {
		_, h := lucid.JVP(lucid.Grad(loss), x, v)
		return h
	})(x), hv, true)

	rows := []*lucid.Tensor{x, put(lucid.New(vals(), n)), put(lucid.New(vals(), n))}
	xs := lucid.Stack(rows, 0)
	each := func(f vecFunc) *lucid.Tensor {
		var out []*lucid.Tensor
		for _, r := range rows {
			out = append(out, f(r))
		}
		return lucid.Stack(out, 0)
	}
	is("vmap", lucid.VMap(plain)(xs), each(f), false)
	is("compiled vmap", lucid.Compile(lucid.VMap(plain))(xs), lucid.VMap(plain)(xs), true)
	is("vmap of grad", lucid.VMap(lucid.Grad(loss))(xs), each(lucid.Grad(loss)), false)
	is("vmap of compiled grad", lucid.VMap(lucid.Compile(lucid.Grad(loss)))(xs), each(lucid.Grad(loss)), false)
	is("grad of vmap", lucid.Grad(func(xs *lucid.Tensor) *lucid.Tensor { return lucid.VMap(loss)(xs).Sum() })(xs),
		each(lucid.Grad(loss)), false)
	is("vmap over columns", lucid.VMap(plain, lucid.VMapOptions{In: []int{1}, Out: []int{1}})(xs.Permute(1, 0)),
		each(f).Permute(1, 0), false)
}

// TestNestedPrograms runs random functions made of transforms of transforms in every way there is, on the CPU and on a
// device that computes late, in several goroutines.
func TestNestedPrograms(t *testing.T) {
	n := 160
	if testing.Short() {
		n = 24
	}
	if testutil.Long() {
		n = 1000
	}
	runNested(t, n)
}

// runNested runs n of them.
func runNested(t *testing.T, n int) {
	late, _ := fake.New(cpu.Device)
	var wg sync.WaitGroup
	for w := range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for seed := w; seed < n && !t.Failed(); seed += 3 {
				dev := cpu.Device
				if seed%4 == 3 {
					dev = late
				}
				g := &nested{r: rand.New(rand.NewPCG(uint64(seed), 77))}
				for range 3 {
					g.held = append(g.held, (&tensortest.Target{Dev: dev}).Put(lucid.New([]float64{g.r.Float64() + 0.5}, 1)))
				}
				g.index = (&tensortest.Target{Dev: dev}).Put(lucid.New([]int64{0, 0, 1}, 3))
				f, name := g.make(3+g.pick(4), 2)
				if err := lucid.Try(func() {
					g.agree(f, dev, func(what, how string) { t.Errorf("seed %d, %s, on %v\n%s: %s", seed, name, dev, what, how) })
				}); err != nil {
					t.Errorf("seed %d, %s, on %v: %v", seed, name, dev, err)
				}
			}
		}()
	}
	wg.Wait()
}

// TestConcurrentRecordings: recordings take scratch memory in turn, so one that is made while another runs must not
// write to what it gives back. Freed memory is poisoned here.
func TestConcurrentRecordings(t *testing.T) {
	t.Setenv("LUCID_DEBUG", "poison")
	late, faults := fake.New(cpu.Device)
	rounds := 40
	if testing.Short() {
		rounds = 10
	}
	var wg sync.WaitGroup
	for range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			w := &tensortest.Target{Dev: late}
			for range rounds {
				x, at := w.Put(lucid.New([]float64{1, 2, 3, 4, 5}, 5)), w.Put(lucid.New([]int64{0, 0, 1}, 3))
				loss := func(x *lucid.Tensor) *lucid.Tensor {
					y := x.Sin().CumSum(0).At(at).Sum(0).Mul(x.Flip(0))
					return y.Softmax(0).Mul(x.CumSum(0)).Sum()
				}
				want := lucid.Grad(loss)(x).Eval()
				step := lucid.Compile(lucid.Grad(loss))
				for k := range 5 {
					got := step(x)
					if err := lucid.Eval(got); err != nil || !tensortest.SameBits(got, want) {
						t.Errorf("call %d: %v, %v; want %v", k, got, err, want)
						return
					}
				}
			}
		}()
	}
	wg.Wait()
	if faults.Replayed() == 0 {
		t.Error("nothing was recorded")
	}
}
