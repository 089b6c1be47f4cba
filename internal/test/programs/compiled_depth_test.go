package programs

import (
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/exec"
)

// TestCompiledDepth: long chains of elementwise ops are several programs on devices that compile them, with the same bits.
func TestCompiledDepth(t *testing.T) {
	defer func(d int32) { exec.MaxCompiledDepth, exec.BoundHostDepth = d, false }(exec.MaxCompiledDepth)
	program := func(seed uint64, x *lucid.Tensor) *lucid.Tensor {
		r := rand.New(rand.NewPCG(seed, 1))
		vals := []*lucid.Tensor{x, x.Mul(0.5)}
		for range 40 {
			a, b := vals[r.IntN(len(vals))], vals[max(0, len(vals)-1-r.IntN(3))]
			switch r.IntN(6) {
			case 0:
				vals = append(vals, a.Add(b))
			case 1:
				vals = append(vals, a.Mul(b).Tanh())
			case 2:
				vals = append(vals, b.Sub(a).Sin())
			case 3:
				vals = append(vals, b.Sub(b.Mean(1).Unsqueeze(1)))
			case 4:
				vals = append(vals, lucid.Maximum(a, b))
			default:
				vals = append(vals, b.MatMul(a.Transpose(0, 1)).Mul(0.1).MatMul(a))
			}
		}
		return vals[len(vals)-1].Add(vals[len(vals)/2])
	}
	lucid.Seed(1)
	x := lucid.Randn(4, 5)
	for seed := range uint64(100) {
		f := func(x *lucid.Tensor) *lucid.Tensor { return program(seed, x) }
		exec.BoundHostDepth = false
		want, wantGrad := lucid.ToSlice[float32](f(x)),
			lucid.ToSlice[float32](lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { return f(x).Sum() })(x))
		exec.BoundHostDepth, exec.MaxCompiledDepth = true, int32(1+seed%5)
		for name, got := range map[string][]float32{
			"eager": lucid.ToSlice[float32](f(x)), "compiled": lucid.ToSlice[float32](lucid.Compile(f)(x)),
		} {
			equalBits(t, seed, name, got, want)
		}
		equalBits(t, seed, "gradient", lucid.ToSlice[float32](lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { return f(x).Sum() })(x)),
			wantGrad)
	}
	exec.MaxCompiledDepth = 4
	chain := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor {
		for range 40 {
			x = x.Mul(1.5).Sub(1)
		}
		return x
	})
	before := exec.Count.Plans.Load()
	chain(lucid.Ones(3)).Sum().Item()
	if exec.Count.Plans.Load() == before {
		t.Error("nothing ran")
	}
	if n := lucid.Explain(chain).Steps[0]; n < 16 {
		t.Errorf("a chain of 80 ops is %d launches; want one for every five", n)
	}
}

func equalBits(t *testing.T, seed uint64, name string, got, want []float32) {
	t.Helper()
	for i := range want {
		if got[i] != want[i] && (got[i] == got[i] || want[i] == want[i]) {
			t.Fatalf("program %d, %s: element %d is %v, want %v", seed, name, i, got[i], want[i])
		}
	}
}
