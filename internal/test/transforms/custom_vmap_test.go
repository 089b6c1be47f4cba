package transforms

import (
	"errors"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

// sinBy is sin with rules of its own and a VMap that counts its calls and is told apart by nothing but that.
func sinBy(calls *int) func(in ...*lucid.Tensor) []*lucid.Tensor {
	return lucid.Custom(lucid.CustomFunc{Name: "sin_by",
		Forward: func(in []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{in[0].Sin().Mul(in[1])} },
		VJP: func(in, _, cot []*lucid.Tensor) []*lucid.Tensor {
			return []*lucid.Tensor{cot[0].Mul(in[0].Cos()).Mul(in[1]), cot[0].Mul(in[0].Sin()).Sum()}
		},
		JVP: func(in, tan []*lucid.Tensor) []*lucid.Tensor {
			return []*lucid.Tensor{tan[0].Mul(in[0].Cos()).Mul(in[1]).Add(tan[1].Mul(in[0].Sin()))}
		},
		VMap: func(in []*lucid.Tensor, batched []bool, size int) []*lucid.Tensor {
			*calls++
			x, s := in[0], in[1]
			if !batched[0] {
				x = x.Unsqueeze(0).Expand(size, -1)
			}
			if batched[1] {
				s = s.Unsqueeze(1)
			}
			return []*lucid.Tensor{x.Sin().Mul(s)}
		}})
}

// TestCustomVMap: a rule for batches is used, nested and inside other transforms, and derivatives of it are the function's
// own rules.
func TestCustomVMap(t *testing.T) {
	calls := 0
	own := sinBy(&calls)
	f := func(x, s *lucid.Tensor) *lucid.Tensor { return own(x, s)[0] }
	plain := func(x, s *lucid.Tensor) *lucid.Tensor { return x.Sin().Mul(s) }
	d := lucid.With{DType: lucid.Float64}
	lucid.Seed(4)
	xs, ss := d.Randn(5, 3), d.Randn(5)
	loss := func(g func(x, s *lucid.Tensor) *lucid.Tensor) func(x, s *lucid.Tensor) *lucid.Tensor {
		return func(x, s *lucid.Tensor) *lucid.Tensor { return g(x, s).Square().Sum() }
	}
	for _, in := range [][]int{{0, 0}, {0, lucid.NoAxis}, {lucid.NoAxis, 0}} {
		a, b := xs, ss
		if in[0] == lucid.NoAxis {
			a = xs.At(0)
		}
		if in[1] == lucid.NoAxis {
			b = ss.At(1)
		}
		o := lucid.VMapOptions{In: in}
		calls = 0
		tensortest.Same(t, "value", lucid.VMap(f, o)(a, b), lucid.VMap(plain, o)(a, b))
		if calls != 1 {
			t.Errorf("axes %v: VMap was called %d times", in, calls)
		}
		tensortest.Same(t, "gradient of each", lucid.VMap(lucid.Grad(loss(f)), o)(a, b), lucid.VMap(lucid.Grad(loss(plain)), o)(a, b))
		whole := func(g func(x, s *lucid.Tensor) *lucid.Tensor) func(x, s *lucid.Tensor) *lucid.Tensor {
			return func(x, s *lucid.Tensor) *lucid.Tensor { return lucid.VMap(g, o)(x, s).Square().Sum() }
		}
		tensortest.Same(t, "gradient of the batch", lucid.Grad(whole(f))(a, b), lucid.Grad(whole(plain))(a, b))
		tensortest.Same(t, "by the other", lucid.Grad(whole(f), 1)(a, b), lucid.Grad(whole(plain), 1)(a, b))
		tensortest.Same(t, "compiled gradient of the batch", lucid.Compile(lucid.Grad(whole(f)))(a, b), lucid.Grad(whole(plain))(a, b))
		tensortest.Same(t, "compiled gradient of each", lucid.Compile(lucid.VMap(lucid.Grad(loss(f)), o))(a, b),
			lucid.VMap(lucid.Grad(loss(plain)), o)(a, b))
		_, got := lucid.JVP(func(x *lucid.Tensor) *lucid.Tensor { return lucid.VMap(f, o)(x, b) }, a, a.Mul(0.5))
		_, want := lucid.JVP(func(x *lucid.Tensor) *lucid.Tensor { return lucid.VMap(plain, o)(x, b) }, a, a.Mul(0.5))
		tensortest.Same(t, "tangent of the batch", got, want)
	}
	nested := lucid.VMapOptions{In: []int{0, lucid.NoAxis}}
	xxs := d.Randn(2, 5, 3)
	tensortest.Same(t, "nested", lucid.VMap(func(x, s *lucid.Tensor) *lucid.Tensor { return lucid.VMap(f)(x, s) }, nested)(xxs, ss),
		lucid.VMap(func(x, s *lucid.Tensor) *lucid.Tensor { return lucid.VMap(plain)(x, s) }, nested)(xxs, ss))
}

// TestCustomRefuses: what a rule gives is checked, and the error names the function, the rule and the shapes.
func TestCustomRefuses(t *testing.T) {
	x := lucid.New([]float64{1, 2, 3}, 3)
	id := func(in []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{in[0].Mul(1)} }
	bad := func(y *lucid.Tensor) func(in, out, cot []*lucid.Tensor) []*lucid.Tensor {
		return func(_, _, _ []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{y} }
	}
	for name, c := range map[string]struct {
		f    lucid.CustomFunc
		run  func(f func(*lucid.Tensor) *lucid.Tensor)
		want error
	}{
		"a cotangent of another shape": {lucid.CustomFunc{Forward: id, VJP: bad(lucid.Ones(2))},
			func(f func(*lucid.Tensor) *lucid.Tensor) { lucid.Grad(f)(x) }, lucid.ErrGradient},
		"no cotangents": {lucid.CustomFunc{Forward: id, VJP: func(_, _, _ []*lucid.Tensor) []*lucid.Tensor { return nil }},
			func(f func(*lucid.Tensor) *lucid.Tensor) { lucid.Grad(f)(x) }, lucid.ErrGradient},
		"two tangents": {lucid.CustomFunc{Forward: id, JVP: func(_, tan []*lucid.Tensor) []*lucid.Tensor { return append(tan, tan...) }},
			func(f func(*lucid.Tensor) *lucid.Tensor) { lucid.JVP(f, x, x) }, lucid.ErrGradient},
		"a tangent of another shape": {lucid.CustomFunc{Forward: id, JVP: func(_, _ []*lucid.Tensor) []*lucid.Tensor {
			return []*lucid.Tensor{lucid.Ones(4)}
		}},
			func(f func(*lucid.Tensor) *lucid.Tensor) { lucid.JVP(f, x, x) }, lucid.ErrGradient},
		"a batch without its axis": {lucid.CustomFunc{Forward: id, VMap: func(in []*lucid.Tensor, _ []bool, _ int) []*lucid.Tensor {
			return []*lucid.Tensor{in[0].Sum(0)}
		}},
			func(f func(*lucid.Tensor) *lucid.Tensor) { lucid.VMap(f)(lucid.Ones(2, 3)) }, lucid.ErrShapeMismatch},
		"no outputs": {lucid.CustomFunc{Forward: id, VMap: func(_ []*lucid.Tensor, _ []bool, _ int) []*lucid.Tensor { return nil }},
			func(f func(*lucid.Tensor) *lucid.Tensor) { lucid.VMap(f)(lucid.Ones(2, 3)) }, lucid.ErrValue},
		"nil as output": {lucid.CustomFunc{Forward: id, VMap: func(_ []*lucid.Tensor, _ []bool, _ int) []*lucid.Tensor {
			return []*lucid.Tensor{nil}
		}},
			func(f func(*lucid.Tensor) *lucid.Tensor) { lucid.VMap(f)(lucid.Ones(2, 3)) }, lucid.ErrShapeMismatch},
	} {
		c.f.Name = "mine"
		g := lucid.Custom(c.f)
		err := lucid.Try(func() { c.run(func(x *lucid.Tensor) *lucid.Tensor { return g(x)[0].Sum() }) })
		var e *lucid.Error
		if !errors.Is(err, c.want) || !errors.As(err, &e) || e.Op != "mine" {
			t.Errorf("%s: got %v", name, err)
		}
	}
	half := lucid.Custom(lucid.CustomFunc{Forward: id, VJP: func(_, _, cot []*lucid.Tensor) []*lucid.Tensor {
		return []*lucid.Tensor{cot[0].To(lucid.Float32)}
	}})
	if g := lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { return half(x)[0].Sum() })(x); g.DType() != lucid.Float64 {
		t.Errorf("a cotangent of another dtype gives %v", g.DType())
	}
}
