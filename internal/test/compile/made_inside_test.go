package compile

import (
	"path/filepath"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

// TestMadeInside: a tensor that the function makes of numbers is the function's own. What it assigns to it in place is gone at the next
// call.
func TestMadeInside(t *testing.T) {
	x := lucid.Ones(2)
	for _, c := range []struct {
		name string
		f    func(x *lucid.Tensor) *lucid.Tensor
	}{
		{"added to", func(x *lucid.Tensor) *lucid.Tensor {
			y := lucid.New([]float32{1, 2}, 2)
			y.Add_(x)
			return y.Mul(1)
		}},
		{"read before and after", func(x *lucid.Tensor) *lucid.Tensor {
			y := lucid.New([]float32{1, 2}, 2)
			before := y.Mul(10)
			y.Mul_(x.Add(1))
			y.Add_(y)
			return y.Add(before)
		}},
		{"never read before", func(x *lucid.Tensor) *lucid.Tensor {
			y := lucid.New([]float32{1, 2}, 2)
			y.Copy_(x)
			return y.Add_(x).Clone()
		}},
		{"in a loop", func(x *lucid.Tensor) *lucid.Tensor {
			sum := lucid.New([]float32{1, 2}, 2)
			n := lucid.ForI(0, 3, func(i, n *lucid.Tensor) *lucid.Tensor {
				sum.Add_(x)
				return n.Add(1)
			}, lucid.Scalar(0.0))
			return sum.Mul(n)
		}},
		{"made in a loop", func(x *lucid.Tensor) *lucid.Tensor {
			_, ys := lucid.Scan(func(sum, in *lucid.Tensor) (next, out *lucid.Tensor) {
				y := lucid.New([]float32{1, 2}, 2)
				y.Add_(in)
				y.Add_(x)
				return sum.Add(y), y.Mul(sum)
			}, x, lucid.Ones(3, 2))
			return ys
		}},
		{"differentiated", lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor {
			y := lucid.New([]float32{1, 2}, 2)
			y.Mul_(x)
			return y.Square().Sum()
		})},
	} {
		want := c.f(x).Clone().Eval()
		if again := c.f(x); !tensortest.SameBits(again, want) {
			t.Fatalf("%s: eager calls give %v and %v", c.name, want, again)
		}
		f := lucid.Compile(c.f)
		for range 3 {
			if got := f(x); !tensortest.SameBits(got, want) {
				t.Errorf("%s: compiled %v, want %v", c.name, got, want)
			}
		}
		path := filepath.Join(t.TempDir(), "made.lucid")
		if err := lucid.Export(path, c.f, x); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		g, err := lucid.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if got, err := g.Call(x); err != nil || !tensortest.SameBits(got[0], want) {
				t.Errorf("%s: imported %v, %v, want %v", c.name, got, err, want)
			}
		}
	}
}
