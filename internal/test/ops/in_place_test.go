package ops

import (
	"errors"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
	F "github.com/lucid-go/lucid/nn/functional"
)

// TestInPlaceOnResults checks that in-place forms take every result that is a value of its own, however it was computed, and
// leave its operands alone.
func TestInPlaceOnResults(t *testing.T) {
	x, w := lucid.Arange(24.0).Reshape(2, 3, 4).Clone(), lucid.Arange(20.0).Reshape(5, 4).Clone()
	results := map[string]func() *lucid.Tensor{
		"linear":     func() *lucid.Tensor { return F.Linear(x, w) },
		"matmul":     func() *lucid.Tensor { return x.MatMul(w.T()) },
		"einsum":     func() *lucid.Tensor { return lucid.Einsum("abc,dc->adb", x, w) },
		"flip":       func() *lucid.Tensor { return x.Flip(1) },
		"repeat":     func() *lucid.Tensor { return x.Repeat(2, 1, 2) },
		"tile":       func() *lucid.Tensor { return x.Tile(2) },
		"roll":       func() *lucid.Tensor { return x.Roll(1, 2) },
		"sum":        func() *lucid.Tensor { return x.Sum(1) },
		"zeros like": func() *lucid.Tensor { return lucid.ZerosLike(x) },
		"contiguous": func() *lucid.Tensor { return x.Contiguous() },
		"transposed": func() *lucid.Tensor { return x.Transpose(0, 1).Contiguous() },
		"clone":      func() *lucid.Tensor { return x.Reshape(4, 6).Clone() },
		"pad":        func() *lucid.Tensor { return x.Pad([]int{-1, -1}) },
	}
	before := tensortest.Bits(x)
	for name, f := range results {
		for _, eval := range []bool{false, true} {
			y := f()
			want := y.Add(1)
			if eval {
				y.Eval()
			}
			if err := lucid.Try(func() { y.Add_(1) }); err != nil {
				t.Errorf("%s: %v", name, err)
			} else {
				tensortest.Same(t, name, y, want)
			}
		}
		if err := lucid.Try(func() { tensortest.Same(t, name+" in vmap", addedInVMap(f, x), f().Add(1)) }); err != nil {
			t.Errorf("%s in vmap: %v", name, err)
		}
	}
	if tensortest.Bits(x) != before {
		t.Error("an operand changed")
	}
}

// addedInVMap is the result of f with 1 added in place, inside a VMap over one example; f's operands come from outside.
func addedInVMap(f func() *lucid.Tensor, x *lucid.Tensor) *lucid.Tensor {
	return lucid.VMap(func(s *lucid.Tensor) *lucid.Tensor { return f().Add(s.Mul(0)).Add_(1) })(lucid.Zeros(1)).Squeeze(0)
}

// TestInPlaceZerosLikeInVMap writes into a value made like one of the examples.
func TestInPlaceZerosLikeInVMap(t *testing.T) {
	x := lucid.Arange(6.0).Reshape(2, 3)
	y := lucid.VMap(func(r *lucid.Tensor) *lucid.Tensor { return lucid.ZerosLike(r).Add_(r) })(x)
	tensortest.Same(t, "zeros like", y, x)
}

// TestInPlaceRefusesViews checks that a view is refused still: a program that writes to one wants to change what it shows.
func TestInPlaceRefusesViews(t *testing.T) {
	x := lucid.Arange(24.0).Reshape(2, 3, 4).Clone()
	for name, f := range map[string]func() *lucid.Tensor{
		"reshape": func() *lucid.Tensor { return x.Reshape(6, 4) },
		"at":      func() *lucid.Tensor { return x.At(0) },
		"select":  func() *lucid.Tensor { return x.Select(1, 0) },
		"t":       func() *lucid.Tensor { return x.Transpose(0, 1) },
		"expand":  func() *lucid.Tensor { return x.Expand(2, 2, 3, 4) },
		"split":   func() *lucid.Tensor { return x.Split(1, 1)[0] },
		"detach":  func() *lucid.Tensor { return x.Detach() },
		"called": func() *lucid.Tensor {
			return tensortest.Must(lucid.Call("narrow", []*lucid.Tensor{x}, map[string]any{"dim": 1, "start": 0, "length": 1}))[0]
		},
	} {
		if err := lucid.Try(func() { f().Add_(1) }); !errors.Is(err, lucid.ErrValue) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOpenRange: a range that names its start alone is refused, since its stop of 0 would make it empty without a word.
func TestOpenRange(t *testing.T) {
	x := lucid.Arange(10)
	for _, r := range []lucid.Range{{Start: 7}, {Step: 2}, {Start: 3, Step: 2}} {
		if err := lucid.Try(func() { x.At(r) }); !errors.Is(err, lucid.ErrValue) {
			t.Errorf("%+v: %v", r, err)
		}
	}
	if y := x.At(lucid.Range{Start: 7, Stop: lucid.End}); y.Size(0) != 3 {
		t.Error(y)
	}
}
