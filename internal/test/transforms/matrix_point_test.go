package transforms

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

// call runs the op; an error is a panic.
func (c *matrixCase) call(in []*lucid.Tensor) []*lucid.Tensor {
	out, err := lucid.Call(c.op, in, c.attrs)
	if err != nil {
		fault.Rethrow(c.op, err)
	}
	return out
}

// floats returns the inexact inputs.
func (c *matrixCase) floats() (xs []*lucid.Tensor) {
	for i, x := range c.in {
		if c.varies(i) {
			xs = append(xs, x)
		}
	}
	return xs
}

// varies reports whether the op has derivatives by input i.
func (c *matrixCase) varies(i int) bool {
	return c.in[i] != nil && c.in[i].DType().IsInexact()
}

// over is the op as a function of its inexact inputs, with its inexact outputs.
func (c *matrixCase) over(xs []*lucid.Tensor) (ys []*lucid.Tensor) {
	if matrixRandom[c.op] {
		lucid.Seed(7)
	}
	in := make([]*lucid.Tensor, len(c.in))
	k := 0
	for i, x := range c.in {
		in[i] = x
		if c.varies(i) {
			in[i] = xs[k]
			k++
		}
	}
	for _, y := range c.call(in) {
		if y.DType().IsInexact() {
			ys = append(ys, y)
		}
	}
	return ys
}

// noise makes tensors like ts with numbers between -1 and 1.
func noise(r *rand.Rand, ts []*lucid.Tensor) []*lucid.Tensor {
	out := make([]*lucid.Tensor, len(ts))
	for i, t := range ts {
		v := make([]complex128, t.NumElement())
		for k := range v {
			v[k] = complex(2*r.Float64()-1, 2*r.Float64()-1)
		}
		out[i] = fromNumbers(v, t)
	}
	return out
}

// fromNumbers makes a tensor of t's shape and dtype.
func fromNumbers(v []complex128, t *lucid.Tensor) *lucid.Tensor {
	if t.DType().IsComplex() {
		return lucid.New(v, t.Shape()...).To(t.DType())
	}
	f := make([]float64, len(v))
	for i := range v {
		f[i] = real(v[i])
	}
	return lucid.New(f, t.Shape()...).To(t.DType())
}

// along returns x + s·v.
func along(xs, vs []*lucid.Tensor, s float64) []*lucid.Tensor {
	out := make([]*lucid.Tensor, len(xs))
	for i, x := range xs {
		a, b := numbers(x), numbers(vs[i])
		for k := range a {
			a[k] += complex(s, 0) * b[k]
		}
		out[i] = fromNumbers(a, x)
	}
	return out
}

// dotAll is the sum of products of real and imaginary parts, and the sum of their sizes.
func dotAll(a, b []*lucid.Tensor) (sum, size float64) {
	for i := range a {
		x, y := numbers(a[i]), numbers(b[i])
		for k := range x {
			p, q := real(x[k])*real(y[k]), imag(x[k])*imag(y[k])
			sum += p + q
			size += math.Abs(p) + math.Abs(q)
		}
	}
	return sum, size
}

const fdStep = 1e-4

// fdSlope returns the derivative of f at xs along vs by finite differences, and whether f is smooth there: whether the
// slopes to both sides agree. The doubt is how far apart the steps' results are.
func fdSlope(f func([]*lucid.Tensor) []*lucid.Tensor, xs, vs []*lucid.Tensor) (d, doubt []float64, size float64, smooth bool) {
	at := func(s float64) []float64 { return tensortest.FlatReal(f(along(xs, vs, s*fdStep))) }
	m2, m1, z, p1, p2 := at(-2), at(-1), at(0), at(1), at(2)
	if len(m2) != len(z) || len(m1) != len(z) || len(p1) != len(z) || len(p2) != len(z) {
		return nil, nil, 0, false
	}
	d, doubt = make([]float64, len(z)), make([]float64, len(z))
	size, smooth = 1, true
	for i := range d {
		d[i] = (8*(p1[i]-m1[i]) - (p2[i] - m2[i])) / (12 * fdStep)
		left, right := (z[i]-m2[i])/(2*fdStep), (p2[i]-z[i])/(2*fdStep)
		if !(math.Abs(left-right) <= 2e-3*(1+math.Abs(left)+math.Abs(right))) {
			smooth = false
		}
		narrow, wide := (p1[i]-m1[i])/(2*fdStep), (p2[i]-m2[i])/(4*fdStep)
		doubt[i] = math.Abs(narrow - wide)
		if !(doubt[i] <= 2e-5*(1+math.Abs(narrow)+math.Abs(z[i]))) {
			smooth = false
		}
		size = max(size, math.Abs(z[i]), math.Abs(d[i]))
	}
	return d, doubt, size, smooth
}

// nearSlope compares with a derivative by finite differences.
func nearSlope(got []*lucid.Tensor, want, doubt []float64, size float64) string {
	for i, g := range tensortest.FlatReal(got) {
		if !(math.Abs(g-want[i]) <= 2e-6*size+2*doubt[i]) {
			return fmt.Sprintf("number %d is %v, finite differences give %v", i, g, want[i])
		}
	}
	return ""
}

// doubles reports whether all tensors are of double precision.
func doubles(ts []*lucid.Tensor) bool {
	for _, t := range ts {
		if t.DType() != lucid.Float64 && t.DType() != lucid.Complex128 {
			return false
		}
	}
	return true
}

// smoothPoint finds a point near the case's inputs where the op is smooth, nil if there is none.
func (c *matrixCase) smoothPoint() []*lucid.Tensor {
	if c.point != nil {
		return c.point
	}
	xs := c.floats()
	if len(xs) == 0 || !finite(xs...) {
		return nil
	}
	ys := c.over(xs)
	c.differentiable = len(ys) > 0 && doubles(ys)
	if !c.differentiable || !finite(ys...) {
		return nil
	}
	r := c.rng(1)
	for range 4 {
		if _, _, _, ok := fdSlope(c.over, xs, noise(r, xs)); ok {
			c.point = xs
			return xs
		}
		moved := make([]*lucid.Tensor, len(xs))
		for i, x := range c.floats() {
			v := numbers(x)
			for k := range v {
				v[k] *= complex(1+0.02*(2*r.Float64()-1), 0)
				v[k] += complex(0.004*(2*r.Float64()-1), 0.004*(2*r.Float64()-1))
			}
			moved[i] = fromNumbers(v, x)
		}
		xs = moved
	}
	return nil
}
