package programs

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/backend/cpu"
	"github.com/lucid-go/lucid/internal/backend/fake"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/testutil"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

// Random programs over random sizes: a plan that was made for other sizes gives the bits that a plan of its own gives, and those of
// eager evaluation.

// fitted are the attributes of an op for the values it has now, whose sizes are not those it was made for.
func (o nodeOp) fitted(in []*lucid.Tensor) map[string]any {
	a := maps.Clone(o.attrs)
	size := func() int { return in[0].Size(a["dim"].(int)) }
	switch o.op {
	case "narrow":
		start := min(a["start"].(int), size()-1)
		a["start"], a["length"] = start, min(a["length"].(int), size()-start)
	case "select":
		a["index"] = min(a["index"].(int), size()-1)
	case "expand":
		a["size"] = append([]int{2}, in[0].Shape()...)
	case "remainder":
		a["other"] = 1
	}
	return a
}

// runFitted is run for inputs of other sizes.
func (g *randomGraph) runFitted(inputs []*lucid.Tensor) (outs []*lucid.Tensor) {
	vals := append([]*lucid.Tensor(nil), inputs...)
	for _, o := range g.ops {
		in := g.args(o, vals)
		out, err := lucid.Call(o.op, in, o.fitted(in))
		if err != nil {
			fault.Rethrow(o.op, err)
		}
		vals = append(vals, out[0])
	}
	for _, i := range g.outs {
		outs = append(outs, vals[i])
	}
	return outs
}

// resized makes inputs with other sizes, equal ones for equal ones.
func (g *randomGraph) resized(r *rand.Rand) (list []*lucid.Tensor) {
	to := map[int]int{1: 1}
	for _, x := range g.inputs {
		s := x.Shape()
		n := 1
		for i, d := range s {
			if to[d] == 0 {
				to[d] = 1 + r.IntN(12)
				if r.IntN(20) == 0 {
					to[d] = 60 + r.IntN(100)
				}
			}
			s[i] = to[d]
			n *= s[i]
		}
		v := make([]float64, n)
		for i := range v {
			v[i] = 4*r.Float64() - 2
		}
		list = append(list, lucid.New(v, s...).To(g.dtype).Eval())
	}
	return list
}

// withGradients are the results of a function and the gradients of their sum.
func withGradients(f func(in []*lucid.Tensor) []*lucid.Tensor) func(in []*lucid.Tensor) []*lucid.Tensor {
	loss := func(in []*lucid.Tensor) []*lucid.Tensor {
		var s *lucid.Tensor
		for _, o := range f(in) {
			if m := o.To(lucid.Float32).Tanh().Mean(); s == nil {
				s = m
			} else {
				s = s.Add(m)
			}
		}
		return []*lucid.Tensor{s}
	}
	return func(in []*lucid.Tensor) []*lucid.Tensor {
		_, g := lucid.VJPN(loss, in, []*lucid.Tensor{lucid.OnesLike(loss(in)[0])})
		return append(f(in), g...)
	}
}

func TestSizesShareAPlan(t *testing.T) {
	n := 150
	switch {
	case testutil.Long():
		n = 5000
	case testing.Short():
		n = 60
	}
	traces, plans, failed := 0, 0, 0
	for seed := uint64(1); seed <= uint64(n) && failed < 3; seed++ {
		g := newRandomGraph(seed)
		if g.limit > 10000 {
			continue // one row of the sizes below is enough
		}
		r := rand.New(rand.NewPCG(seed, 7))
		run := g.runFitted
		if seed%2 == 0 {
			run = withGradients(run)
		}
		compiled := lucid.Compile(run)
		for k := range 5 {
			in := g.resized(r)
			var want []*lucid.Tensor
			if lucid.Try(func() { want = run(in) }) != nil {
				continue // the op does not fit the sizes
			}
			tensortest.EvalAll(want)
			fresh := lucid.Compile(run)(in)
			for name, got := range map[string][]*lucid.Tensor{"shared": compiled(in), "replayed": compiled(in), "fresh": fresh} {
				if bad := tensortest.EqualBits(got, want); bad != "" {
					failed++
					t.Errorf("graph %d, sizes %d, %s: %s\n%v\n%v", seed, k, name, bad, shapesOf(in), g)
				}
			}
		}
		x := lucid.Explain(compiled)
		traces, plans = traces+x.Traces, plans+x.Plans
	}
	if t.Logf("%d traces, %d plans", traces, plans); 3*plans > 2*traces {
		t.Errorf("%d traces have %d plans: few are shared", traces, plans)
	}
}

func shapesOf(in []*lucid.Tensor) (s string) {
	for _, x := range in {
		s += fmt.Sprint(x.Shape())
	}
	return s
}

// TestRowSizesShareAPlan does the same for programs along rows, whose launches fuse or not by their sizes.
func TestRowSizesShareAPlan(t *testing.T) {
	n := 60
	switch {
	case testutil.Long():
		n = 3000
	case testing.Short():
		n = 30
	}
	traces, plans := 0, 0
	for seed := range uint64(n) {
		r := rand.New(rand.NewPCG(seed, 6))
		f := rowProgram(r)
		run := withGradients(func(in []*lucid.Tensor) []*lucid.Tensor { return f(in[0], in[1]) })
		compiled := lucid.Compile(run)
		for range 6 {
			rows, long := []int{1, 2, 3, 9, 40, 200}[r.IntN(6)], []int{1, 2, 3, 5, 16, 33, 300}[r.IntN(7)]
			in := []*lucid.Tensor{lucid.Randn(rows, long), lucid.Randn(rows, long)}
			tensortest.EvalAll(in)
			want := run(in)
			tensortest.EvalAll(want)
			fresh := lucid.Compile(run)(in)
			for name, got := range map[string][]*lucid.Tensor{"shared": compiled(in), "fresh": fresh} {
				if bad := tensortest.EqualBits(got, want); bad != "" {
					t.Fatalf("program %d, %d rows of %d, %s: %s", seed, rows, long, name, bad)
				}
			}
		}
		x := lucid.Explain(compiled)
		traces, plans = traces+x.Traces, plans+x.Plans
	}
	t.Logf("%d traces, %d plans", traces, plans)
}

// TestSizesShareAPlanLate does so on a device that computes late, joins equal programs and records: a recording is made when sizes
// come a third time.
func TestSizesShareAPlanLate(t *testing.T) {
	n := 40
	if testutil.Long() {
		n = 2000
	}
	late, _ := fake.New(cpu.Device)
	w, ran := &tensortest.Target{Dev: late}, 0
	for seed := uint64(1); seed <= uint64(n); seed++ {
		g := newRandomGraph(seed)
		if g.limit > 10000 {
			continue
		}
		r := rand.New(rand.NewPCG(seed, 8))
		run := withGradients(g.runFitted)
		compiled := lucid.Compile(run)
		for k := range 3 {
			in := g.resized(r)
			var want []*lucid.Tensor
			if lucid.Try(func() { want = run(in) }) != nil {
				continue
			}
			tensortest.EvalAll(want)
			there := make([]*lucid.Tensor, len(in))
			for i, x := range in {
				there[i] = w.Put(x).Eval()
			}
			for round := range 4 {
				var got []*lucid.Tensor
				if err := lucid.Try(func() { got = compiled(there) }); err != nil {
					if !strings.Contains(err.Error(), "operands are on") { // it makes a tensor on the CPU
						t.Fatal(err)
					}
					break
				}
				for i := range got {
					got[i] = got[i].To(lucid.CPU)
				}
				if bad := tensortest.EqualBits(got, want); bad != "" {
					t.Fatalf("graph %d, sizes %d, call %d: %s\n%v\n%v", seed, k, round, bad, shapesOf(in), g)
				}
				ran++
			}
		}
	}
	if ran < 2*n {
		t.Errorf("%d calls of %d programs", ran, n)
	}
}
