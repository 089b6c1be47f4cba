package lucid

import (
	"fmt"
	"slices"
	"testing"

	"github.com/lucid-go/lucid/internal/ops"
)

// noted returns x, and adds the name to the log when it is computed.
func noted(x *Tensor, name string, log *[]string) *Tensor {
	n := acquire(x)
	defer release(n)
	return wrap(ops.Print(n, name, func(string) { *log = append(*log, name) }, GetPrintOptions()))
}

// TestDepends: a value waits for others that it does not read, whoever evaluates it and through every transform.
func TestDepends(t *testing.T) {
	var log []string
	order := func(what string, f func(a, b *Tensor) *Tensor) {
		t.Helper()
		for _, first := range []bool{false, true} {
			log = nil
			a, b := Ones(3).Mul(2), Ones(3).Mul(3)
			g := func(a, b *Tensor) *Tensor {
				if first { // the order in which they are written down does not matter
					y := noted(b, "y", &log)
					return f(noted(a, "x", &log), y)
				}
				x := noted(a, "x", &log)
				return f(x, noted(b, "y", &log))
			}
			for _, run := range []func(a, b *Tensor) *Tensor{g, Compile(g)} {
				log = nil
				y := run(a, b).Eval()
				if got := fmt.Sprint(log); !slices.Contains(log, "y") || log[len(log)-1] != "after" {
					t.Errorf("%s: computed in the order %s", what, got)
				}
				if v := y.At(0).Item(); v != 3 {
					t.Errorf("%s: %v", what, v)
				}
			}
		}
	}
	order("one", func(x, y *Tensor) *Tensor { return noted(x.Depends(y).Add(1), "after", &log) })
	order("two", func(x, y *Tensor) *Tensor { return noted(Depends(x, y, y.Exp()).Add(1), "after", &log) })
	order("a view of it", func(x, y *Tensor) *Tensor { return noted(Depends(x, y).Flip(0).Add(1), "after", &log) })

	x, y := New([]float64{1, 2, 3}, 3), New([]float64{5}, 1)
	f := func(x *Tensor) *Tensor { return Depends(x.Square(), x.Exp(), y).Sum() }
	for name, g := range map[string]*Tensor{"grad": Grad(f)(x), "compiled": Compile(Grad(f))(x), "checkpoint": Grad(Checkpoint(f))(x)} {
		same(t, name, g, x.Mul(2))
	}
	_, d := JVP(func(x *Tensor) *Tensor { return Depends(y, x) }, x, x)
	same(t, "a tangent of a dependency", d, Zeros(1).To(Float64))
	same(t, "only a dependency is mapped", VMap(func(x *Tensor) *Tensor { return Depends(y, x) })(x), y.Expand(3, 1))
	same(t, "mapped", VMap(func(a, b *Tensor) *Tensor { return Depends(a, b).Mul(2) }, VMapOptions{In: []int{0, NoAxis}})(x, y), x.Mul(2))
	if Depends(x).Add(1).At(0).Item() != 2 {
		t.Error("without dependencies")
	}
	z := x.Mul(1).Eval()
	w := Depends(z, y)
	w.Add_(1)
	same(t, "what it waits with keeps its value", z, x)
	same(t, "and it has its own", w, x.Add(1))
	if err := Try(func() { Depends(x, nil) }); err == nil {
		t.Error("nil is taken")
	}
}
