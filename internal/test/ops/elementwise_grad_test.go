package ops

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
	F "github.com/lucid-go/lucid/nn/functional"
)

// gradCase is an op over fixed attributes as a function of tensors.
type gradCase struct {
	name string
	f    func([]*lucid.Tensor) []*lucid.Tensor
	x, v []*lucid.Tensor // point and direction
}

// gradPoint makes inputs where every elementwise op is smooth: within (0.3, 0.9), above 1 for acosh.
func gradPoint(r *rand.Rand, name string, d lucid.DType, n int) (x, v *lucid.Tensor) {
	p, q := make([]complex128, n), make([]complex128, n)
	for i := range p {
		p[i] = complex(0.3+0.6*r.Float64(), 0.2+0.5*r.Float64())
		if name == "acosh" || name == "special_zeta" {
			p[i] += 1
		}
		q[i] = complex(r.NormFloat64(), r.NormFloat64())
	}
	return lucid.New(p, n).To(d), lucid.New(q, n).To(d)
}

// inner is the real inner product of two lists of tensors.
func inner(a, b []*lucid.Tensor) float64 {
	s := 0.0
	for i := range a {
		x, y := lucid.ToSlice[complex128](a[i]), lucid.ToSlice[complex128](b[i])
		for k := range x {
			s += real(cmplx.Conj(x[k]) * y[k])
		}
	}
	return s
}

func stepped(x, v []*lucid.Tensor, h float64) []*lucid.Tensor {
	out := make([]*lucid.Tensor, len(x))
	for i := range x {
		out[i] = x[i].Add(v[i].Mul(h))
	}
	return out
}

// slope is the derivative along v of <u, f(x)>, by central differences of fourth order.
func slope(f func([]*lucid.Tensor) []*lucid.Tensor, x, v, u []*lucid.Tensor) float64 {
	const h = 1e-3
	d := func(h float64) float64 {
		return (inner(u, f(stepped(x, v, h))) - inner(u, f(stepped(x, v, -h)))) / (2 * h)
	}
	return (4*d(h/2) - d(h)) / 3
}

func slopesAgree(a, b float64) bool {
	d, m := a-b, max(a, -a, b, -b, 1)
	return max(d, -d) <= 2e-7*m
}

// check compares f's VJP and JVP with each other and with finite differences.
func (c gradCase) check(t *testing.T, what string, f func([]*lucid.Tensor) []*lucid.Tensor, u []*lucid.Tensor) {
	_, g := lucid.VJPN(f, c.x, u)
	_, d := lucid.JVPN(f, c.x, c.v)
	byVJP, byJVP, want := inner(g, c.v), inner(u, d), slope(f, c.x, c.v, u)
	if !slopesAgree(byVJP, want) || !slopesAgree(byJVP, want) {
		t.Errorf("%s %v %s: the derivative is %v by VJP, %v by JVP, %v by differences", c.name, c.x[0].DType(), what, byVJP, byJVP, want)
	}
}

// TestElementwiseGradients checks every differentiable elementwise op: VJP, JVP, both of the VJP again, and VMap.
func TestElementwiseGradients(t *testing.T) {
	ran := 0
	for _, name := range elementwiseOps(t) {
		s := tensortest.Schema(name)
		if name == "to" {
			continue // from and to dtypes: the golden files have all pairs
		}
		for _, d := range []lucid.DType{lucid.Float64, lucid.Complex128} {
			r := rand.New(rand.NewPCG(7, 7))
			c := gradCase{name: name}
			for _, p := range s.Params {
				if isOperand(p) {
					x, v := gradPoint(r, name, d, 6)
					c.x, c.v = append(c.x, x.Eval()), append(c.v, v.Eval())
				}
			}
			c.f = func(in []*lucid.Tensor) []*lucid.Tensor {
				out, err := lucid.Call(name, in, required(s))
				if err != nil {
					panic(err)
				}
				return out[:1]
			}
			var y []*lucid.Tensor
			if lucid.Try(func() { y = c.f(c.x) }) != nil || !y[0].DType().IsInexact() {
				continue
			}
			ran++
			_, u := gradPoint(r, "", y[0].DType(), y[0].NumElement())
			us := []*lucid.Tensor{u.Reshape(y[0].Shape()...).Eval()}
			c.check(t, "first order", c.f, us)
			grad := func(in []*lucid.Tensor) []*lucid.Tensor { _, g := lucid.VJPN(c.f, in, us); return g }
			var ws []*lucid.Tensor
			for _, x := range c.x {
				_, w := gradPoint(r, "", x.DType(), 6)
				ws = append(ws, w.Eval())
			}
			c.check(t, "second order", grad, ws)
			c.mapped(t, y[0])
		}
	}
	t.Logf("%d ops", ran)
}

// mapped checks that VMap over the elements is the op, with each input in turn mapped and all of them.
func (c gradCase) mapped(t *testing.T, want *lucid.Tensor) {
	if name := c.name; name == "view_as_real" || len(c.x) > 3 {
		return
	}
	pad := func(in []*lucid.Tensor) [3]*lucid.Tensor { // a fixed number of arguments for VMap
		var p [3]*lucid.Tensor
		for i := range p {
			p[i] = in[min(i, len(in)-1)]
		}
		return p
	}
	f := func(a, b, w *lucid.Tensor) *lucid.Tensor { return c.f([]*lucid.Tensor{a, b, w}[:len(c.x)])[0] }
	p := pad(c.x)
	if got := lucid.VMap(f)(p[0], p[1], p[2]); !lucid.AllClose(got, want) {
		t.Errorf("%s: VMap gives %v, want %v", c.name, got, want)
	}
	for i := range c.x {
		axes := []int{lucid.NoAxis, lucid.NoAxis, lucid.NoAxis}
		axes[i] = 0
		q := p
		for k := range q {
			if k != i {
				q[k] = (*lucid.Tensor)(door.Wrap(ops.Reshape(ops.SliceDim((*graph.Array)(p[k]).Peek(), 0, 0, 1, 1))))
			}
		}
		got := lucid.VMap(f, lucid.VMapOptions{In: axes})(q[0], q[1], q[2])
		if plain := f(q[0], q[1], q[2]); !lucid.AllClose(got, plain) {
			t.Errorf("%s: VMap over input %d gives %v, want %v", c.name, i, got, plain)
		}
	}
}

// TestLogaddexpFarApart differentiates twice where exp of the difference overflows: the second derivative is 0 there.
func TestLogaddexpFarApart(t *testing.T) {
	for _, f := range []func(x, y any) *lucid.Tensor{lucid.Logaddexp, lucid.Logaddexp2} {
		for _, d := range []lucid.DType{lucid.Float32, lucid.Float64} {
			sum := func(x *lucid.Tensor) *lucid.Tensor { return f(x, x.Neg()).Sum() }
			g := lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { return lucid.Grad(sum)(x).Sum() })
			tensortest.WantValues(t, "second derivative", g(lucid.New([]float64{1e4, -1e4, 1e30}, 3).To(d)), d, 0.0, 0, 0)
		}
	}
}

// TestELUFarBelow differentiates where exp(x) - 1 has lost what exp(x) is.
func TestELUFarBelow(t *testing.T) {
	x := []float64{-2, -10, -30, -80}
	for _, d := range []lucid.DType{lucid.Float32, lucid.Float64} {
		g := lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { return F.ELU(x).Sum() })(lucid.New(x, 4).To(d))
		for i, v := range lucid.ToSlice[float64](g) {
			if want := math.Exp(x[i]); math.Abs(v-want) > 1e-6*want {
				t.Errorf("%v: gradient at %v is %v, want %v", d, x[i], v, want)
			}
		}
	}
}

// TestSecondGradFarOut asks for second derivatives of functions that are flat at the largest numbers: 0, and no NaN of an overflow.
func TestSecondGradFarOut(t *testing.T) {
	far := lucid.New([]float32{3e38, 1e30, 1e15}, 3)
	for name, f := range map[string]func(x *lucid.Tensor) *lucid.Tensor{
		"atan": lucid.Atan, "acosh": lucid.Acosh, "asinh": lucid.Asinh, "erf": lucid.Erf,
		"atan2": func(x *lucid.Tensor) *lucid.Tensor { return lucid.Atan2(x, lucid.Ones(3)) },
	} {
		slope := lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { return f(x).Sum() })
		bend := lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { return slope(x).Sum() })
		for i, v := range lucid.ToSlice[float32](bend(far)) {
			if v != 0 {
				t.Errorf("%s''(%v) is %v, want 0", name, lucid.ToSlice[float32](far)[i], v)
			}
		}
	}
}
