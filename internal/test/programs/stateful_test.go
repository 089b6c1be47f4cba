package programs

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

// stateful is a random function that reads and writes tensors of its own and those it is given: it is the same function for
// the same seed.
func stateful(seed uint64, own, in []*lucid.Tensor) *lucid.Tensor {
	rng := rand.New(rand.NewPCG(seed, 7))
	values := []*lucid.Tensor{}
	all := append(append([]*lucid.Tensor{}, own...), in...)
	pick := func() *lucid.Tensor {
		if k := rng.IntN(len(all) + len(values)); k < len(all) {
			return all[k]
		} else {
			return values[k-len(all)]
		}
	}
	for range 3 + rng.IntN(8) {
		x, y := pick(), pick()
		w := all[rng.IntN(len(all))]
		switch rng.IntN(14) {
		case 0:
			values = append(values, x.Add(y))
		case 1:
			values = append(values, x.Mul(y).Tanh())
		case 2:
			values = append(values, x.Clone())
		case 3:
			values = append(values, x.Transpose(0, 1))
		case 4:
			values = append(values, x.MatMul(y).Tanh())
		case 5:
			values = append(values, x.Sum(1).Reshape(8, 1).Add(y).Tanh())
		case 6:
			values = append(values, lucid.Narrow(x, 0, 2, 4).Sum(0).Add(y).Sin())
		case 7:
			w.Assign(x)
		case 8:
			w.Assign(x.Sub(y).Tanh())
		case 9:
			w.Mul_(0.5).Add_(x)
		case 10:
			w.Assign(x.Transpose(0, 1))
		case 11:
			w.SetAt(x.At(1), rng.IntN(8))
		case 12:
			w.Sub_(x.Softmax(1))
		case 13: // a leaf of its own
			l := x.Detach().RequiresGrad_(true)
			l.Mul(y.Detach()).Square().Sum().Backward()
			values = append(values, l.Grad().Tanh())
		}
	}
	if len(values) == 0 || rng.IntN(4) == 0 {
		return pick()
	}
	return values[len(values)-1].Add(pick())
}

// TestStatefulPrograms runs random functions compiled and as they are, call after call, with arguments that may be the same
// tensor or one of the function's own, and with readers that hold on to values from before.
func TestStatefulPrograms(t *testing.T) {
	n := 150
	if testutil.Long() {
		n = 5000
	}
	runStateful(t, n)
}

// runStateful runs n of them.
func runStateful(t *testing.T, n int) {
	for seed := range uint64(n) {
		rng := rand.New(rand.NewPCG(seed, 3))
		lucid.Seed(seed)
		var a, b []*lucid.Tensor // compiled, plain
		for range 5 {
			v := lucid.Randn(8, 8).Eval()
			if rng.IntN(4) == 0 {
				v = lucid.Zeros(8, 8)
			}
			a, b = append(a, v.Add(0)), append(b, v.Add(0))
		}
		f := lucid.Compile(func(x, y *lucid.Tensor) *lucid.Tensor { return stateful(seed, a[:3], []*lucid.Tensor{x, y}) },
			lucid.CompileOptions{Check: rng.IntN(5) == 0})
		var held, want []*lucid.Tensor
		for call := range 6 {
			i, j := 3, 4
			switch rng.IntN(6) {
			case 0:
				i = rng.IntN(5)
			case 1:
				j = i
			case 2:
				i, j = j, i
			}
			name := fmt.Sprintf("seed %d, call %d with %d and %d", seed, call, i, j)
			got := f(a[i], a[j])
			plain := stateful(seed, b[:3], []*lucid.Tensor{b[i], b[j]})
			tensortest.Same(t, name, got, plain)
			for k := range a {
				tensortest.Same(t, fmt.Sprintf("%s, tensor %d", name, k), a[k], b[k])
			}
			if rng.IntN(2) == 0 {
				k := rng.IntN(5)
				held, want = append(held, a[k].Clone(), got.Clone()), append(want, b[k].Clone().Add(0).Eval(), plain.Add(0).Eval())
			}
			for k := range held {
				tensortest.Same(t, name+", held", held[k], want[k])
			}
			if t.Failed() {
				return
			}
		}
	}
}
