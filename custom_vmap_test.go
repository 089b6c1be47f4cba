package lucid

import (
	"errors"
	"testing"
)

// sinBy is sin with rules of its own and a VMap that counts its calls and is told apart by nothing but that.
func sinBy(calls *int) func(in ...*Tensor) []*Tensor {
	return Custom(CustomFunc{Name: "sin_by",
		Forward: func(in []*Tensor) []*Tensor { return []*Tensor{in[0].Sin().Mul(in[1])} },
		VJP: func(in, _, cot []*Tensor) []*Tensor {
			return []*Tensor{cot[0].Mul(in[0].Cos()).Mul(in[1]), cot[0].Mul(in[0].Sin()).Sum()}
		},
		JVP: func(in, tan []*Tensor) []*Tensor {
			return []*Tensor{tan[0].Mul(in[0].Cos()).Mul(in[1]).Add(tan[1].Mul(in[0].Sin()))}
		},
		VMap: func(in []*Tensor, batched []bool, size int) []*Tensor {
			*calls++
			x, s := in[0], in[1]
			if !batched[0] {
				x = x.Unsqueeze(0).Expand(size, -1)
			}
			if batched[1] {
				s = s.Unsqueeze(1)
			}
			return []*Tensor{x.Sin().Mul(s)}
		}})
}

// TestCustomVMap: a rule for batches is used, nested and inside other transforms, and derivatives of it are the function's
// own rules.
func TestCustomVMap(t *testing.T) {
	calls := 0
	own := sinBy(&calls)
	f := func(x, s *Tensor) *Tensor { return own(x, s)[0] }
	plain := func(x, s *Tensor) *Tensor { return x.Sin().Mul(s) }
	d := With{DType: Float64}
	Seed(4)
	xs, ss := d.Randn(5, 3), d.Randn(5)
	loss := func(g func(x, s *Tensor) *Tensor) func(x, s *Tensor) *Tensor {
		return func(x, s *Tensor) *Tensor { return g(x, s).Square().Sum() }
	}
	for _, in := range [][]int{{0, 0}, {0, NoAxis}, {NoAxis, 0}} {
		a, b := xs, ss
		if in[0] == NoAxis {
			a = xs.At(0)
		}
		if in[1] == NoAxis {
			b = ss.At(1)
		}
		o := VMapOptions{In: in}
		calls = 0
		same(t, "value", VMap(f, o)(a, b), VMap(plain, o)(a, b))
		if calls != 1 {
			t.Errorf("axes %v: VMap was called %d times", in, calls)
		}
		same(t, "gradient of each", VMap(Grad(loss(f)), o)(a, b), VMap(Grad(loss(plain)), o)(a, b))
		whole := func(g func(x, s *Tensor) *Tensor) func(x, s *Tensor) *Tensor {
			return func(x, s *Tensor) *Tensor { return VMap(g, o)(x, s).Square().Sum() }
		}
		same(t, "gradient of the batch", Grad(whole(f))(a, b), Grad(whole(plain))(a, b))
		same(t, "by the other", Grad(whole(f), 1)(a, b), Grad(whole(plain), 1)(a, b))
		same(t, "compiled gradient of the batch", Compile(Grad(whole(f)))(a, b), Grad(whole(plain))(a, b))
		same(t, "compiled gradient of each", Compile(VMap(Grad(loss(f)), o))(a, b), VMap(Grad(loss(plain)), o)(a, b))
		_, got := JVP(func(x *Tensor) *Tensor { return VMap(f, o)(x, b) }, a, a.Mul(0.5))
		_, want := JVP(func(x *Tensor) *Tensor { return VMap(plain, o)(x, b) }, a, a.Mul(0.5))
		same(t, "tangent of the batch", got, want)
	}
	nested := VMapOptions{In: []int{0, NoAxis}}
	xxs := d.Randn(2, 5, 3)
	same(t, "nested", VMap(func(x, s *Tensor) *Tensor { return VMap(f)(x, s) }, nested)(xxs, ss),
		VMap(func(x, s *Tensor) *Tensor { return VMap(plain)(x, s) }, nested)(xxs, ss))
}

// TestCustomRefuses: what a rule gives is checked, and the complaint names the function, the rule and the shapes.
func TestCustomRefuses(t *testing.T) {
	x := New([]float64{1, 2, 3}, 3)
	id := func(in []*Tensor) []*Tensor { return []*Tensor{in[0].Mul(1)} }
	bad := func(y *Tensor) func(in, out, cot []*Tensor) []*Tensor {
		return func(_, _, _ []*Tensor) []*Tensor { return []*Tensor{y} }
	}
	for name, c := range map[string]struct {
		f    CustomFunc
		run  func(f func(*Tensor) *Tensor)
		want error
	}{
		"a cotangent of another shape": {CustomFunc{Forward: id, VJP: bad(Ones(2))}, func(f func(*Tensor) *Tensor) { Grad(f)(x) }, ErrGradient},
		"no cotangents": {CustomFunc{Forward: id, VJP: func(_, _, _ []*Tensor) []*Tensor { return nil }},
			func(f func(*Tensor) *Tensor) { Grad(f)(x) }, ErrGradient},
		"two tangents": {CustomFunc{Forward: id, JVP: func(_, tan []*Tensor) []*Tensor { return append(tan, tan...) }},
			func(f func(*Tensor) *Tensor) { JVP(f, x, x) }, ErrGradient},
		"a tangent of another shape": {CustomFunc{Forward: id, JVP: func(_, _ []*Tensor) []*Tensor { return []*Tensor{Ones(4)} }},
			func(f func(*Tensor) *Tensor) { JVP(f, x, x) }, ErrGradient},
		"a batch without its axis": {CustomFunc{Forward: id, VMap: func(in []*Tensor, _ []bool, _ int) []*Tensor { return []*Tensor{in[0].Sum(0)} }},
			func(f func(*Tensor) *Tensor) { VMap(f)(Ones(2, 3)) }, ErrShapeMismatch},
		"no outputs": {CustomFunc{Forward: id, VMap: func(_ []*Tensor, _ []bool, _ int) []*Tensor { return nil }},
			func(f func(*Tensor) *Tensor) { VMap(f)(Ones(2, 3)) }, ErrValue},
		"nil as output": {CustomFunc{Forward: id, VMap: func(_ []*Tensor, _ []bool, _ int) []*Tensor { return []*Tensor{nil} }},
			func(f func(*Tensor) *Tensor) { VMap(f)(Ones(2, 3)) }, ErrShapeMismatch},
	} {
		c.f.Name = "mine"
		g := Custom(c.f)
		err := Try(func() { c.run(func(x *Tensor) *Tensor { return g(x)[0].Sum() }) })
		var e *Error
		if !errors.Is(err, c.want) || !errors.As(err, &e) || e.Op != "mine" {
			t.Errorf("%s: got %v", name, err)
		}
	}
	half := Custom(CustomFunc{Forward: id, VJP: func(_, _, cot []*Tensor) []*Tensor { return []*Tensor{cot[0].To(Float32)} }})
	if g := Grad(func(x *Tensor) *Tensor { return half(x)[0].Sum() })(x); g.DType() != Float64 {
		t.Errorf("a cotangent of another dtype gives %v", g.DType())
	}
}
