package einops_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/einops"
)

func TestPack(t *testing.T) {
	a, b, c := count(2, 3, 5), count(2, 5), count(2, 7, 2, 5)
	packed, shapes := einops.Pack([]*lucid.Tensor{a, b, c}, "i * k")
	same(t, "pack", packed, lucid.Cat([]*lucid.Tensor{a, b.Unsqueeze(1), c.Reshape(2, 14, 5)}, 1))
	if fmt.Sprint(shapes) != "[[3] [] [7 2]]" {
		t.Errorf("shapes %v", shapes)
	}
	back := einops.Unpack(packed, shapes, "i * k")
	for i, want := range []*lucid.Tensor{a, b, c} {
		same(t, fmt.Sprint("part ", i), back[i], want)
	}
	parts := einops.Unpack(packed, [][]int{{3}, {-1, 5}}, "i * k")
	same(t, "the rest", parts[1], packed.At(lucid.Colon, lucid.Range{Start: 3, Stop: 18}).Reshape(2, 3, 5, 5))
	one, shapes := einops.Pack([]*lucid.Tensor{count(4)}, "* x")
	same(t, "one", one, count(4).Reshape(1, 4))
	same(t, "and back", einops.Unpack(one, shapes, "* x")[0], count(4))

	grad := lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor {
		p, shapes := einops.Pack([]*lucid.Tensor{x, x.Sum(1)}, "b *")
		return einops.Unpack(p, shapes, "b *")[1].Mul(p.At(lucid.Colon, 0)).Sum()
	})
	got := grad(lucid.New([]float64{1, 2, 3, 4}, 2, 2))
	same(t, "gradient", got, lucid.New([]float64{4, 1, 10, 3}, 2, 2))
}

func TestPackRefuses(t *testing.T) {
	x := lucid.Zeros(2, 3)
	pack := func(pattern string, ts ...*lucid.Tensor) func() { return func() { einops.Pack(ts, pattern) } }
	unpack := func(pattern string, shapes ...[]int) func() { return func() { einops.Unpack(x, shapes, pattern) } }
	for name, c := range map[string]struct {
		f    func()
		kind error
	}{
		"no star":     {pack("a b", x), lucid.ErrValue},
		"two stars":   {pack("* a *", x), lucid.ErrValue},
		"a number":    {pack("1 *", x), lucid.ErrValue},
		"a name":      {pack("a a *", x), lucid.ErrValue},
		"no tensors":  {pack("*"), lucid.ErrValue},
		"nil":         {pack("*", x, nil), lucid.ErrValue},
		"too few":     {pack("a b c *", x), lucid.ErrShapeMismatch},
		"other sizes": {pack("a *", x, lucid.Zeros(3, 3)), lucid.ErrShapeMismatch},
		"too many":    {unpack("a *", []int{2}, []int{2}), lucid.ErrShapeMismatch},
		"no fit":      {unpack("a *", []int{2}, []int{-1, 2}), lucid.ErrShapeMismatch},
		"two open":    {unpack("a *", []int{-1}, []int{-1}), lucid.ErrValue},
		"negative":    {unpack("a *", []int{-2}), lucid.ErrValue},
		"huge":        {unpack("a *", []int{1 << 62, 4, -1}), lucid.ErrShapeMismatch},
		"rank":        {unpack("a b *", []int{3}), lucid.ErrShapeMismatch},
	} {
		if err := lucid.Try(c.f); !errors.Is(err, c.kind) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
