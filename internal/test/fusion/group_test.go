package fusion

import (
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/backend/cpu"
	"github.com/lucid-go/lucid/internal/backend/fake"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
	F "github.com/lucid-go/lucid/nn/functional"
)

// block is a layer of a language model without attention: norm, three products, norm, a gated pair.
func block(w *tensortest.Target, compiled bool, rows ...int) (all [][]float32) {
	lucid.Seed(1)
	const n = 64
	put := func(shape ...int) *lucid.Tensor { return w.Put(lucid.Randn(shape...).Mul(0.3)).Eval() }
	scale, q, k, v := put(n), put(n, n), put(n/2, n), put(n/2, n)
	bias, up, gate, down := put(n/2), put(2*n, n), put(2*n, n), put(n, 2*n)
	eps := 1e-5
	norm := func(x *lucid.Tensor) *lucid.Tensor {
		return F.RMSNorm(x, []int{n}, F.RMSNormOptions{Weight: scale, Eps: &eps})
	}
	step := func(x *lucid.Tensor) []*lucid.Tensor {
		h := norm(x)
		a, b, c := F.Linear(h, q), F.Linear(h, k, F.LinearOptions{Bias: bias}), F.Linear(h, v)
		x = x.Add(a.Flip(1).Mul(lucid.Cat([]*lucid.Tensor{b.Cos(), c}, 1)))
		h = norm(x)
		return []*lucid.Tensor{x.Add(F.Linear(F.SiLU(F.Linear(h, gate)).Mul(F.Linear(h, up)), down)), c}
	}
	run := func(x *lucid.Tensor) []*lucid.Tensor { return step(x) }
	if compiled {
		run = lucid.Compile(step)
	}
	for _, r := range rows {
		for range 3 {
			out := run(put(r, n))
			if err := lucid.Eval(out...); err != nil {
				panic(err)
			}
			for _, x := range out {
				all = append(all, lucid.ToSlice[float32](x))
			}
		}
	}
	return all
}

// TestProductGroups: products of the same few rows are one launch with the norm before them and the program behind them; with many rows
// they are not. Values are those of launches one by one, whichever sizes came first.
func TestProductGroups(t *testing.T) {
	for _, rows := range [][]int{{1, 4}, {1, 300, 2}, {300, 1}} {
		for _, compiled := range []bool{false, true} {
			want := block(&tensortest.Target{Dev: cpu.Device}, compiled, rows...)
			dev, faults := fake.New(cpu.Device)
			got := block(&tensortest.Target{Dev: dev}, compiled, rows...)
			for i := range want {
				if !slices.Equal(want[i], got[i]) {
					t.Fatalf("rows %v, compiled %v: value %d is %.8v, want %.8v", rows, compiled, i, got[i][:4], want[i][:4])
				}
			}
			grouped := faults.Grouped()
			few := 0
			for _, r := range rows {
				if r <= 16 {
					few += 3
				}
			}
			if n := count(grouped, 4); n != few {
				t.Errorf("rows %v, compiled %v: groups of %v; want %d of a norm and three products", rows, compiled, grouped, few)
			}
			if n := count(grouped, 3); n != few {
				t.Errorf("rows %v, compiled %v: groups of %v; want %d of a norm and two products", rows, compiled, grouped, few)
			}
		}
	}
}

func count(list []int, x int) (n int) {
	for _, y := range list {
		if y == x {
			n++
		}
	}
	return n
}
