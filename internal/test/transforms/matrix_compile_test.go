package transforms

import (
	"fmt"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

// compile holds three calls of the compiled op, the last on other values, against eager ones, bit for bit.
func (c *matrixCase) compile() string {
	var where []int
	for i, x := range c.in {
		if x != nil {
			where = append(where, i)
		}
	}
	f := func(ts []*lucid.Tensor) []*lucid.Tensor {
		in := make([]*lucid.Tensor, len(c.in))
		for k, i := range where {
			in[i] = ts[k]
		}
		return c.call(in)
	}
	ex := c.examples(c.in, func(int) bool { return true })
	var calls [][]*lucid.Tensor
	for _, k := range []int{0, 0, 1} {
		var args []*lucid.Tensor
		for _, i := range where {
			args = append(args, ex[k][i])
		}
		calls = append(calls, args)
	}
	return c.compiled(f, calls)
}

// compiled holds calls of a compiled function against eager ones.
func (c *matrixCase) compiled(f func([]*lucid.Tensor) []*lucid.Tensor, calls [][]*lucid.Tensor) string {
	var want [][]*lucid.Tensor
	c.seeded(func() {
		for _, args := range calls {
			out := f(args)
			tensortest.EvalAll(out)
			want = append(want, out)
		}
	})
	bad := ""
	c.seeded(func() {
		g := lucid.Compile(f)
		for k, args := range calls {
			var got []*lucid.Tensor
			if err := lucid.Try(func() { got = g(args); tensortest.EvalAll(got) }); err != nil {
				bad = c.refusal(err)
				return
			}
			if bad = tensortest.EqualBits(got, want[k]); bad != "" {
				bad = fmt.Sprintf("call %d: %s", k+1, bad)
				return
			}
		}
		if x := lucid.Explain(g); len(x.Inlined) > 0 {
			bad = "runs uncompiled: " + x.Inlined[0]
		}
	})
	return bad
}

// compileGrad is compile for the vjp.
func (c *matrixCase) compileGrad() string {
	xs := c.smoothPoint()
	if xs == nil {
		return ""
	}
	us := noise(c.rng(5), c.over(xs))
	args := append(append([]*lucid.Tensor(nil), xs...), us...)
	return c.compiled(func(in []*lucid.Tensor) []*lucid.Tensor {
		y, g := lucid.VJPN(c.over, in[:len(xs)], in[len(xs):])
		return append(y, g...)
	}, [][]*lucid.Tensor{args, args, args})
}

// checkpoint holds the gradient through Checkpoint against the plain one, bit for bit.
func (c *matrixCase) checkpoint() string {
	xs := c.smoothPoint()
	if xs == nil {
		return ""
	}
	us := noise(c.rng(6), c.over(xs))
	y1, g1 := lucid.VJPN(c.over, xs, us)
	var y2, g2 []*lucid.Tensor
	if err := lucid.Try(func() { y2, g2 = lucid.VJPN(lucid.Checkpoint(c.over), xs, us) }); err != nil {
		return c.refusal(err)
	}
	if bad := tensortest.EqualBits(y2, y1); bad != "" {
		return "value: " + bad
	}
	return tensortest.EqualBits(g2, g1)
}
