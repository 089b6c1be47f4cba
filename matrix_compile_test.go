package lucid

import (
	"fmt"
	"math"
)

// equalBits compares every bit; NaNs are equal.
func equalBits(got, want []*Tensor) string {
	if len(got) != len(want) {
		return fmt.Sprintf("%d outputs, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i].DType() != want[i].DType() || fmt.Sprint(got[i].Shape()) != fmt.Sprint(want[i].Shape()) {
			return fmt.Sprintf("output %d is %v of shape %v, want %v of shape %v", i, got[i].DType(), got[i].Shape(), want[i].DType(), want[i].Shape())
		}
		if !got[i].DType().IsInexact() {
			g, w := ToSlice[int64](got[i]), ToSlice[int64](want[i])
			for k := range g {
				if g[k] != w[k] {
					return fmt.Sprintf("output %d: element %d is %v, want %v", i, k, g[k], w[k])
				}
			}
			continue
		}
		g, w := flatReal(got[i:i+1]), flatReal(want[i:i+1])
		for k := range g {
			if math.Float64bits(g[k]) != math.Float64bits(w[k]) && !(math.IsNaN(g[k]) && math.IsNaN(w[k])) {
				return fmt.Sprintf("output %d: number %d is %v, want %v", i, k, g[k], w[k])
			}
		}
	}
	return ""
}

// compile holds three calls of the compiled op, the last on other values, against eager ones, bit for bit.
func (c *matrixCase) compile() string {
	var where []int
	for i, x := range c.in {
		if x != nil {
			where = append(where, i)
		}
	}
	f := func(ts []*Tensor) []*Tensor {
		in := make([]*Tensor, len(c.in))
		for k, i := range where {
			in[i] = ts[k]
		}
		return c.call(in)
	}
	ex := c.examples(c.in, func(int) bool { return true })
	var calls [][]*Tensor
	for _, k := range []int{0, 0, 1} {
		var args []*Tensor
		for _, i := range where {
			args = append(args, ex[k][i])
		}
		calls = append(calls, args)
	}
	return c.compiled(f, calls)
}

// compiled holds calls of a compiled function against eager ones.
func (c *matrixCase) compiled(f func([]*Tensor) []*Tensor, calls [][]*Tensor) string {
	var want [][]*Tensor
	c.seeded(func() {
		for _, args := range calls {
			out := f(args)
			evalAll(out)
			want = append(want, out)
		}
	})
	bad := ""
	c.seeded(func() {
		g := Compile(f)
		for k, args := range calls {
			var got []*Tensor
			if err := Try(func() { got = g(args); evalAll(got) }); err != nil {
				bad = c.refusal(err)
				return
			}
			if bad = equalBits(got, want[k]); bad != "" {
				bad = fmt.Sprintf("call %d: %s", k+1, bad)
				return
			}
		}
		if x := Explain(g); len(x.Inlined) > 0 {
			bad = "runs uncompiled: " + x.Inlined[0]
		}
	})
	return bad
}

// compileGrad is compile for the vjp.
func (c *matrixCase) compileGrad() string {
	xs := c.place()
	if xs == nil {
		return ""
	}
	us := noise(c.rng(5), c.over(xs))
	args := append(append([]*Tensor(nil), xs...), us...)
	return c.compiled(func(in []*Tensor) []*Tensor {
		y, g := VJPN(c.over, in[:len(xs)], in[len(xs):])
		return append(y, g...)
	}, [][]*Tensor{args, args, args})
}

// checkpoint holds the gradient through Checkpoint against the plain one, bit for bit.
func (c *matrixCase) checkpoint() string {
	xs := c.place()
	if xs == nil {
		return ""
	}
	us := noise(c.rng(6), c.over(xs))
	y1, g1 := VJPN(c.over, xs, us)
	var y2, g2 []*Tensor
	if err := Try(func() { y2, g2 = VJPN(Checkpoint(c.over), xs, us) }); err != nil {
		return c.refusal(err)
	}
	if bad := equalBits(y2, y1); bad != "" {
		return "value: " + bad
	}
	return equalBits(g2, g1)
}
