package lucid_test

import (
	"errors"
	"testing"

	"github.com/lucid-go/lucid"
)

func TestVMapChunk(t *testing.T) {
	lucid.Seed(3)
	x, w, s := lucid.Randn(3, 7), lucid.Randn(3), lucid.Randn(7)
	seen := 0
	f := func(x, w, s *lucid.Tensor) (*lucid.Tensor, *lucid.Tensor) {
		seen++
		return x.Mul(w).Sum().Mul(s), x.Add(s)
	}
	o := lucid.VMapOptions{In: []int{1, lucid.NoAxis, 0}, Out: []int{0, 1}}
	want1, want2 := lucid.VMap(f, o)(x, w, s)
	for _, chunk := range []int{1, 2, 3, 7, 9} {
		o.Chunk = chunk
		seen = 0
		got1, got2 := lucid.VMap(f, o)(x, w, s)
		if !lucid.Equal(got1, want1) || !lucid.Equal(got2, want2) {
			t.Errorf("chunks of %d: %v %v; want %v %v", chunk, got1, got2, want1, want2)
		}
		if n := (7 + chunk - 1) / chunk; seen != n {
			t.Errorf("chunks of %d: f ran %d times; want %d", chunk, seen, n)
		}
	}
	g := lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor {
		return lucid.VMap(func(r *lucid.Tensor) *lucid.Tensor { return r.Square().Sum() }, lucid.VMapOptions{Chunk: 2})(x).Sum()
	})(x)
	if !lucid.AllClose(g, x.Mul(2)) {
		t.Error(g)
	}
	if err := lucid.Try(func() { lucid.VMap(f, lucid.VMapOptions{Chunk: -1}) }); !errors.Is(err, lucid.ErrValue) {
		t.Error(err)
	}
	bad := func() {
		lucid.VMap(func(a, b *lucid.Tensor) *lucid.Tensor { return a.Add(b) }, lucid.VMapOptions{Chunk: 2})(lucid.Ones(3), lucid.Ones(4))
	}
	if err := lucid.Try(bad); !errors.Is(err, lucid.ErrShapeMismatch) {
		t.Error(err)
	}
}

func TestWhereMethod(t *testing.T) {
	x := lucid.New([]float32{1, -2}, 2)
	if y := x.Where(x.Gt(0), 0); !lucid.Equal(y, lucid.New([]float32{1, 0}, 2)) {
		t.Error(y)
	}
}
