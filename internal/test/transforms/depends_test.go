package transforms

import (
	"fmt"
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/format"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

// noted returns x, and adds the name to the log when it is computed.
func noted(x *lucid.Tensor, name string, log *[]string) *lucid.Tensor {
	n := (*graph.Array)(x).Acquire()
	defer n.Unref()
	return (*lucid.Tensor)(door.Wrap(ops.Print(n, name, func(string) { *log = append(*log, name) },
		format.Options(lucid.GetPrintOptions()))))
}

// TestDepends: a value waits for others that it does not read, whatever evaluates it and through every transform.
func TestDepends(t *testing.T) {
	var log []string
	order := func(what string, f func(a, b *lucid.Tensor) *lucid.Tensor) {
		t.Helper()
		for _, first := range []bool{false, true} {
			log = nil
			a, b := lucid.Ones(3).Mul(2), lucid.Ones(3).Mul(3)
			g := func(a, b *lucid.Tensor) *lucid.Tensor {
				if first { // the order in which they are written down does not matter
					y := noted(b, "y", &log)
					return f(noted(a, "x", &log), y)
				}
				x := noted(a, "x", &log)
				return f(x, noted(b, "y", &log))
			}
			for _, run := range []func(a, b *lucid.Tensor) *lucid.Tensor{g, lucid.Compile(g)} {
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
	order("one", func(x, y *lucid.Tensor) *lucid.Tensor { return noted(x.Depends(y).Add(1), "after", &log) })
	order("two", func(x, y *lucid.Tensor) *lucid.Tensor {
		return noted(lucid.Depends(x, y, y.Exp()).Add(1), "after", &log)
	})
	order("a view of it", func(x, y *lucid.Tensor) *lucid.Tensor {
		return noted(lucid.Depends(x, y).Flip(0).Add(1), "after", &log)
	})

	x, y := lucid.New([]float64{1, 2, 3}, 3), lucid.New([]float64{5}, 1)
	f := func(x *lucid.Tensor) *lucid.Tensor { return lucid.Depends(x.Square(), x.Exp(), y).Sum() }
	for name, g := range map[string]*lucid.Tensor{"grad": lucid.Grad(f)(x), "compiled": lucid.Compile(lucid.Grad(f))(x),
		"checkpoint": lucid.Grad(lucid.Checkpoint(f))(x)} {
		tensortest.Same(t, name, g, x.Mul(2))
	}
	_, d := lucid.JVP(func(x *lucid.Tensor) *lucid.Tensor { return lucid.Depends(y, x) }, x, x)
	tensortest.Same(t, "a tangent of a dependency", d, lucid.Zeros(1).To(lucid.Float64))
	tensortest.Same(t, "only a dependency is mapped", lucid.VMap(func(x *lucid.Tensor) *lucid.Tensor { return lucid.Depends(y, x) })(x),
		y.Expand(3, 1))
	tensortest.Same(t, "mapped", lucid.VMap(func(a, b *lucid.Tensor) *lucid.Tensor { return lucid.Depends(a, b).Mul(2) },
		lucid.VMapOptions{In: []int{0, lucid.NoAxis}})(x, y), x.Mul(2))
	if lucid.Depends(x).Add(1).At(0).Item() != 2 {
		t.Error("without dependencies")
	}
	z := x.Mul(1).Eval()
	w := lucid.Depends(z, y)
	w.Add_(1)
	tensortest.Same(t, "what it waits with keeps its value", z, x)
	tensortest.Same(t, "and it has its own", w, x.Add(1))
	if err := lucid.Try(func() { lucid.Depends(x, nil) }); err == nil {
		t.Error("nil is taken")
	}
}
