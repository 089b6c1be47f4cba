package transforms

import (
	"errors"
	"testing"

	"github.com/lucid-go/lucid"
)

// pair is an affine map h → A·h + B; two of them in a row are one.
type pair struct{ A, B *lucid.Tensor }

func compose(f, g pair) pair { return pair{g.A.Mul(f.A), g.A.Mul(f.B).Add(g.B)} }

func TestAssociativeScan(t *testing.T) {
	close := func(what string, n int, got, want *lucid.Tensor) {
		t.Helper()
		if !lucid.AllClose(got, want, lucid.CloseOptions{ATol: new(1e-9)}) {
			t.Errorf("%s of %d: %v, want %v", what, n, got, want)
		}
	}
	add := func(a, b *lucid.Tensor) *lucid.Tensor { return a.Add(b) }
	for _, n := range []int{1, 2, 3, 4, 5, 7, 8, 17, 64} {
		x := lucid.Randn(n, 3).To(lucid.Float64)
		close("sums", n, lucid.AssociativeScan(add, x), lucid.CumSum(x, 0))
		close("sums from the end", n, lucid.AssociativeScan(add, x, lucid.AssociativeScanOptions{Reverse: true}),
			lucid.CumSum(x.Flip(0), 0).Flip(0))

		a := lucid.Rand(n, 3).To(lucid.Float64)
		_, want := lucid.Scan(func(h *lucid.Tensor, p pair) (*lucid.Tensor, *lucid.Tensor) {
			h = p.A.Mul(h).Add(p.B)
			return h, h
		}, lucid.Zeros(3).To(lucid.Float64), pair{a, x})
		recurrence := func(p pair) *lucid.Tensor { return lucid.AssociativeScan(compose, p).B }
		close("recurrence", n, recurrence(pair{a, x}), want)
		close("compiled", n, lucid.Compile(recurrence)(pair{a, x}), want)

		m := lucid.Randn(n, 2, 2).To(lucid.Float64) // products of matrices do not commute
		products := lucid.AssociativeScan(func(a, b *lucid.Tensor) *lucid.Tensor { return a.MatMul(b) }, m)
		last := m.At(0)
		for i := 1; i < n; i++ {
			last = last.MatMul(m.At(i))
		}
		close("product", n, products.At(-1), last)
		back := lucid.AssociativeScan(func(a, b *lucid.Tensor) *lucid.Tensor { return a.MatMul(b) }, m,
			lucid.AssociativeScanOptions{Reverse: true})
		close("product from the end", n, back.At(0), last)

		grad := lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { return recurrence(pair{a, x}).Sum() })
		byScan := lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor {
			_, hs := lucid.Scan(func(h *lucid.Tensor, p pair) (*lucid.Tensor, *lucid.Tensor) {
				h = p.A.Mul(h).Add(p.B)
				return h, h
			}, lucid.Zeros(3).To(lucid.Float64), pair{a, x})
			return hs.Sum()
		})
		close("gradient", n, grad(x), byScan(x))
	}
	if got := lucid.AssociativeScan(add, lucid.Zeros(0, 3)); got.Size(0) != 0 {
		t.Errorf("nothing: %v", got.Shape())
	}
	for name, f := range map[string]func(){
		"0-d":     func() { lucid.AssociativeScan(add, lucid.Scalar(1.0)) },
		"unequal": func() { lucid.AssociativeScan(compose, pair{lucid.Zeros(2), lucid.Zeros(3)}) },
	} {
		if err := lucid.Try(f); !errors.Is(err, lucid.ErrShapeMismatch) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
