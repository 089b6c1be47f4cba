package programs

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/backend/cpu"
	"github.com/lucid-go/lucid/internal/exec"
	"github.com/lucid-go/lucid/internal/testutil"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

// rowProgram is a random function of two matrices that goes along their rows: reductions, what goes on with them, and several of both
// next to each other.
func rowProgram(r *rand.Rand) func(a, b *lucid.Tensor) []*lucid.Tensor {
	type op func(v []*lucid.Tensor) *lucid.Tensor
	last := lucid.ReduceOptions{Dim: []int{-1}, KeepDim: true}
	var list []op
	for i := range 4 + r.IntN(20) {
		n := i + 2
		// Mostly what was made lately, so that there are chains, and sometimes what was made long ago, so that they join.
		x, y := max(0, n-1-r.IntN(4)), r.IntN(n)
		list = append(list, []op{
			func(v []*lucid.Tensor) *lucid.Tensor { return v[x].Add(v[y]) },
			func(v []*lucid.Tensor) *lucid.Tensor { return v[x].Sub(v[y]) },
			func(v []*lucid.Tensor) *lucid.Tensor { return v[x].Mul(v[y]).Tanh() },
			func(v []*lucid.Tensor) *lucid.Tensor { return v[x].Div(v[y].Abs().Add(1.5)) },
			func(v []*lucid.Tensor) *lucid.Tensor { return v[x].Sin() },
			func(v []*lucid.Tensor) *lucid.Tensor { return v[x].Maximum(v[y]) },
			func(v []*lucid.Tensor) *lucid.Tensor { return lucid.Sum(v[x], last) },
			func(v []*lucid.Tensor) *lucid.Tensor { return lucid.Mean(v[x].Mul(v[y]), last) },
			func(v []*lucid.Tensor) *lucid.Tensor { return lucid.Amax(v[x], last) },
			func(v []*lucid.Tensor) *lucid.Tensor { return lucid.LogSumExp(v[x], last) },
			func(v []*lucid.Tensor) *lucid.Tensor { return v[x].Softmax(-1) },
			func(v []*lucid.Tensor) *lucid.Tensor { return v[x].Sub(lucid.Mean(v[x], last)) },
		}[r.IntN(12)])
	}
	var outs []int
	for range 1 + r.IntN(3) {
		outs = append(outs, 2+r.IntN(len(list)))
	}
	return func(a, b *lucid.Tensor) (out []*lucid.Tensor) {
		v := []*lucid.Tensor{a, b}
		for _, f := range list {
			v = append(v, f(v))
		}
		for _, i := range append(outs, len(v)-1) {
			out = append(out, v[i])
		}
		return out
	}
}

// TestRowPrograms: launches that go along the same rows become one, however small they are here, with the bits they have one by one;
// so do gradients, and gradients' derivatives, where many groups of launches interleave.
func TestRowPrograms(t *testing.T) {
	defer func(rows, from int) { exec.MinRowFusionElems, cpu.StreamFrom = rows, from }(exec.MinRowFusionElems, cpu.StreamFrom)
	cpu.StreamFrom = 64
	programs := 200
	switch {
	case testutil.Raced:
		programs = 20
	case testutil.Long():
		programs = 20000
	}
	for seed := range programs {
		r := rand.New(rand.NewPCG(uint64(seed), 5))
		d := []lucid.DType{lucid.Float32, lucid.Float64, lucid.BFloat16}[r.IntN(3)]
		rows, n := []int{1, 2, 3, 9, 40}[r.IntN(5)], []int{2, 3, 5, 16, 33}[r.IntN(5)]
		few := r.IntN(4) == 0
		put := func() *lucid.Tensor {
			v := make([]float64, rows*n)
			for i := range v {
				if v[i] = 4*r.Float64() - 2; few { // zeros of both signs, and ties
					v[i] = math.Copysign(math.Trunc(v[i]), v[i])
				}
			}
			return lucid.New(v, rows, n).To(d).Eval()
		}
		a, b, u := put(), put(), put()
		f := rowProgram(r)
		loss := func(in []*lucid.Tensor) *lucid.Tensor {
			s := lucid.Scalar(0).To(d)
			for _, o := range f(in[0], in[1]) {
				s = s.Add(o.Sin().Sum())
			}
			return s
		}
		all := func(in []*lucid.Tensor) []*lucid.Tensor {
			out := f(in[0], in[1])
			grads, slopes := lucid.JVPN(func(in []*lucid.Tensor) []*lucid.Tensor {
				_, g := lucid.VJPN(func(in []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{loss(in)} }, in,
					[]*lucid.Tensor{lucid.OnesLike(loss(in))})
				return g
			}, in[:2], []*lucid.Tensor{in[2], in[2]})
			return append(append(out, grads...), slopes...)
		}
		in := []*lucid.Tensor{a, b, u}
		exec.MinRowFusionElems = 1 << 40
		want := all(in)
		tensortest.EvalAll(want)
		exec.MinRowFusionElems = 1
		got := all(in)
		tensortest.EvalAll(got)
		compiled := lucid.Compile(all)
		compiled(in)
		for name, got := range map[string][]*lucid.Tensor{"at once": got, "compiled": compiled(in)} {
			if bad := tensortest.EqualBits(got, want); bad != "" {
				t.Fatalf("program %d over %v %v, %s: %s", seed, d, fmt.Sprint(rows, "×", n), name, bad)
			}
		}
	}
}
