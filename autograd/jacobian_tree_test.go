package autograd_test

import (
	"errors"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/autograd"
)

type pair struct {
	A    *lucid.Tensor
	More map[string]*lucid.Tensor
	Ids  *lucid.Tensor // integers: no derivative
}

func newPair() pair {
	return pair{A: lucid.New([]float64{1, 2}, 2), More: map[string]*lucid.Tensor{"b": lucid.New([]float64{3, 4, 5, 6, 7, 8}, 2, 3)},
		Ids: lucid.New([]int64{2, 0}, 2)}
}

// f is A·B with some columns.
func (p pair) f() *lucid.Tensor { return p.A.MatMul(p.More["b"].IndexSelect(1, p.Ids)) }

func TestJacobianTree(t *testing.T) {
	p := newPair()
	for _, o := range []autograd.JacobianOptions{{}, {Forward: true}, {Chunk: 1}, {Forward: true, Chunk: 2}} {
		j := autograd.JacobianTree(pair.f, o)(p)
		if want := lucid.New([]float64{5, 8, 3, 6}, 2, 2); !lucid.Equal(j.A, want) {
			t.Errorf("%+v: by A %v; want %v", o, j.A, want)
		}
		want := lucid.Zeros(2, 2, 3).To(lucid.Float64)
		for k := range 2 {
			want.SetAt(float64(k+1), 0, k, 2)
			want.SetAt(float64(k+1), 1, k, 0)
		}
		if !lucid.Equal(j.More["b"], want) || j.Ids != nil {
			t.Errorf("%+v: by B %v; want %v", o, j.More["b"], want)
		}
	}
	js := autograd.JacobianTrees(func(p pair) map[string]*lucid.Tensor {
		return map[string]*lucid.Tensor{"sum": p.A.Sum(), "y": p.f()}
	})(p)
	if len(js) != 2 || !lucid.Equal(js["sum"].A, lucid.Ones(2).To(lucid.Float64)) || js["y"].A.Size(0) != 2 {
		t.Errorf("%v", js)
	}
}

func TestHessianTree(t *testing.T) {
	p := newPair()
	f := func(p pair) *lucid.Tensor { return p.f().Square().Sum() }
	h := autograd.HessianTree(f)(p)
	if len(h) != 2 {
		t.Fatalf("%d rows", len(h))
	}
	b := p.More["b"].IndexSelect(1, p.Ids)
	if want := b.MatMul(b.Permute(1, 0)).Mul(2); !lucid.AllClose(h["a"].A, want) {
		t.Errorf("by A and A %v; want %v", h["a"].A, want)
	}
	if ab, ba := h["a"].More["b"], h["more.b"].A; !lucid.AllClose(ab, ba.Permute(2, 0, 1)) || ab.Abs().Sum().Item() == 0 {
		t.Errorf("by A and B %v, by B and A %v", ab, ba)
	}
	err := lucid.Try(func() { autograd.HessianTree(func(p []*lucid.Tensor) *lucid.Tensor { return lucid.Ones(1) })(nil) })
	if !errors.Is(err, lucid.ErrGradient) {
		t.Error(err)
	}
}
