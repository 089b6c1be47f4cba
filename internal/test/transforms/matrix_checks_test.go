package transforms

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

// gradient holds the vjp and the jvp against finite differences, and against each other.
func (c *matrixCase) gradient() string {
	xs := c.smoothPoint()
	if xs == nil {
		return ""
	}
	r := c.rng(2)
	us, vs := noise(r, c.over(xs)), noise(r, xs)
	_, gs := lucid.VJPN(c.over, xs, us)
	_, ts := lucid.JVPN(c.over, xs, vs)
	gv, size1 := dotAll(gs, vs)
	ut, size2 := dotAll(us, ts)
	if !(math.Abs(gv-ut) <= 1e-10*(1+size1+size2)) {
		return fmt.Sprintf("<vjp(u), v> = %v but <u, jvp(v)> = %v", gv, ut)
	}
	d, doubt, size, smooth := fdSlope(c.over, xs, vs)
	if !smooth {
		return ""
	}
	if bad := nearSlope(ts, d, doubt, size); bad != "" {
		return "jvp: " + bad
	}
	sum, n := 0.0, 0.0
	for i, u := range tensortest.FlatReal(us) {
		sum += u * d[i]
		n += math.Abs(u*d[i]) + 1e6*doubt[i]
	}
	if !(math.Abs(gv-sum) <= 4e-6*(size+n)) {
		return fmt.Sprintf("vjp: %v, finite differences give %v", gv, sum)
	}
	c.smooth = true
	return ""
}

// second takes second derivatives in four ways, which must agree with each other and with finite differences.
func (c *matrixCase) second() string {
	xs := c.smoothPoint()
	if xs == nil {
		return ""
	}
	r := c.rng(3)
	us, vs := noise(r, c.over(xs)), noise(r, xs)
	grad := func(x []*lucid.Tensor) []*lucid.Tensor { _, g := lucid.VJPN(c.over, x, us); return g }
	push := func(x []*lucid.Tensor) []*lucid.Tensor { _, d := lucid.JVPN(c.over, x, vs); return d }
	n := len(xs)
	_, forRev := lucid.JVPN(grad, xs, vs)
	_, revRev := lucid.VJPN(func(in []*lucid.Tensor) []*lucid.Tensor { _, g := lucid.VJPN(c.over, in[:n], in[n:]); return g },
		append(append([]*lucid.Tensor(nil), xs...), us...), vs)
	_, revFor := lucid.VJPN(push, xs, us)
	_, forFor := lucid.JVPN(push, xs, vs)
	if !finite(forRev...) {
		return "" // the second derivative is not there, though the first is
	}
	if bad := tensortest.NearAll(revRev[:n], forRev, 1e-9); bad != "" {
		return "vjp of vjp, jvp of vjp: " + bad
	}
	if bad := tensortest.NearAll(revRev[n:], push(xs), 1e-9); bad != "" {
		return "vjp of vjp by the cotangent, jvp: " + bad
	}
	if bad := tensortest.NearAll(revFor, forRev, 1e-9); bad != "" {
		return "vjp of jvp, jvp of vjp: " + bad
	}
	a, s1 := dotAll(us, forFor)
	b, s2 := dotAll(vs, forRev)
	if !(math.Abs(a-b) <= 1e-9*(1+s1+s2)) {
		return fmt.Sprintf("jvp of jvp: %v, jvp of vjp: %v", a, b)
	}
	if d, doubt, size, smooth := fdSlope(grad, xs, vs); smooth {
		if bad := nearSlope(forRev, d, doubt, size); bad != "" {
			return "jvp of vjp: " + bad
		}
	}
	return ""
}

// roll shifts a tensor's elements by k positions: other values of the same kind.
func roll(x *lucid.Tensor, k int) *lucid.Tensor {
	if x == nil || x.NumElement() < 2 {
		return x
	}
	return x.Reshape(-1).Roll(k).Reshape(x.Shape()...).Eval()
}

// examples makes three variants of the inputs; those not mapped stay.
func (c *matrixCase) examples(in []*lucid.Tensor, mapped func(i int) bool) [][]*lucid.Tensor {
	ex := make([][]*lucid.Tensor, 3)
	for k := range ex {
		ex[k] = make([]*lucid.Tensor, len(in))
		for i, x := range in {
			ex[k][i] = x
			if mapped(i) && !matrixFixed[c.op] {
				ex[k][i] = roll(x, k)
			}
		}
		if lucid.Try(func() { tensortest.EvalAll(c.call(ex[k])) }) != nil {
			copy(ex[k], in)
		}
	}
	return ex
}

// vmap holds VMap against a loop: all inputs mapped in front, all at the end, and each alone.
func (c *matrixCase) vmap() string {
	var some []int
	for i, x := range c.in {
		if x != nil {
			some = append(some, i)
		}
	}
	if len(some) == 0 {
		return ""
	}
	if bad := c.vmapOver(0, func(int) bool { return true }); bad != "" {
		return "axis 0: " + bad
	}
	if bad := c.vmapOver(-1, func(int) bool { return true }); bad != "" {
		return "last axis: " + bad
	}
	for _, i := range some {
		if len(some) == 1 {
			break
		}
		if bad := c.vmapOver(0, func(k int) bool { return k == i }); bad != "" {
			return fmt.Sprintf("input %d alone: %s", i, bad)
		}
	}
	return ""
}

func (c *matrixCase) seeded(f func()) {
	if matrixRandom[c.op] {
		lucid.Seed(7)
	}
	f()
}

func (c *matrixCase) vmapOver(axis int, mapped func(i int) bool) string {
	ex := c.examples(c.in, mapped)
	var args []*lucid.Tensor
	var axes, where []int
	for i, x := range c.in {
		if x == nil {
			continue
		}
		where = append(where, i)
		if !mapped(i) {
			args, axes = append(args, x), append(axes, lucid.NoAxis)
			continue
		}
		args, axes = append(args, lucid.Stack([]*lucid.Tensor{ex[0][i], ex[1][i], ex[2][i]}, axis)), append(axes, axis)
	}
	f := lucid.VMap(func(ts []*lucid.Tensor) []*lucid.Tensor {
		in := make([]*lucid.Tensor, len(c.in))
		for k, i := range where {
			in[i] = ts[k]
		}
		return c.call(in)
	}, lucid.VMapOptions{In: axes, Randomness: lucid.RandomSame})
	var got []*lucid.Tensor
	err := lucid.Try(func() { c.seeded(func() { got = f(args); tensortest.EvalAll(got) }) })
	if err != nil {
		return c.refusal(err)
	}
	for k := range ex {
		var want []*lucid.Tensor
		c.seeded(func() { want = c.call(ex[k]) })
		if bad := sameExample(got, want, k); bad != "" {
			return fmt.Sprintf("example %d: %s", k, bad)
		}
	}
	return ""
}

// refusal accepts a typed error of an op whose result's shape or Go value depends on data.
func (c *matrixCase) refusal(err error) string {
	if errors.Is(err, lucid.ErrTrace) && matrixReads[c.op] != "" {
		c.refused++
		return ""
	}
	return "error: " + err.Error()
}

// sameExample compares example k of the results.
func sameExample(got, want []*lucid.Tensor, k int) string {
	if len(got) != len(want) {
		return fmt.Sprintf("%d outputs, want %d", len(got), len(want))
	}
	for i := range got {
		if g := got[i].Shape(); len(g) == 0 || g[0] != 3 {
			return fmt.Sprintf("output %d has shape %v", i, g)
		}
		g := got[i].Select(0, k)
		if g.DType() != want[i].DType() || fmt.Sprint(g.Shape()) != fmt.Sprint(want[i].Shape()) {
			return fmt.Sprintf("output %d is %v of shape %v, want %v of shape %v", i, g.DType(), g.Shape(), want[i].DType(),
				want[i].Shape())
		}
		if bad := tensortest.NearAll([]*lucid.Tensor{g}, []*lucid.Tensor{want[i]}, tolOf(want[i])); bad != "" {
			return fmt.Sprintf("output %d: %s", i, bad)
		}
	}
	return ""
}

// tolOf is the tolerance of results computed in another order.
func tolOf(t *lucid.Tensor) float64 {
	switch t.DType() {
	case lucid.Float64, lucid.Complex128:
		return 1e-10
	case lucid.Float32, lucid.Complex64:
		return 1e-5
	case lucid.Float16, lucid.BFloat16:
		return 1e-2
	}
	return 0
}

// vmapGrad holds VMap of the vjp and of the jvp, and the vjp of VMap, against loops.
func (c *matrixCase) vmapGrad() string {
	xs := c.smoothPoint()
	if xs == nil {
		return ""
	}
	bad := ""
	if err := lucid.Try(func() { bad = c.vmapGradAt(xs) }); err != nil {
		return c.refusal(err)
	}
	return bad
}

func (c *matrixCase) vmapGradAt(xs []*lucid.Tensor) string {
	n := len(xs)
	r := c.rng(4)
	var exs, cots [][]*lucid.Tensor
	for k := range 3 {
		ex := make([]*lucid.Tensor, n)
		for i := range xs {
			ex[i] = xs[i]
			if !matrixFixed[c.op] {
				ex[i] = roll(xs[i], k)
			}
		}
		if lucid.Try(func() { tensortest.EvalAll(c.over(ex)) }) != nil {
			copy(ex, xs)
		}
		exs, cots = append(exs, ex), append(cots, noise(r, c.over(ex)))
	}
	stack := func(lists [][]*lucid.Tensor) (out []*lucid.Tensor) {
		for i := range lists[0] {
			out = append(out, lucid.Stack([]*lucid.Tensor{lists[0][i], lists[1][i], lists[2][i]}, 0))
		}
		return out
	}
	tans := [][]*lucid.Tensor{noise(r, xs), noise(r, xs), noise(r, xs)}
	grad := func(in []*lucid.Tensor) []*lucid.Tensor { _, g := lucid.VJPN(c.over, in[:n], in[n:]); return g }
	push := func(in []*lucid.Tensor) []*lucid.Tensor { _, d := lucid.JVPN(c.over, in[:n], in[n:]); return d }
	o := lucid.VMapOptions{Randomness: lucid.RandomSame}
	gs := lucid.VMap(grad, o)(append(stack(exs), stack(cots)...))
	ds := lucid.VMap(push, o)(append(stack(exs), stack(tans)...))
	_, outer := lucid.VJPN(lucid.VMap(c.over, o), stack(exs), stack(cots))
	_, outerPush := lucid.JVPN(lucid.VMap(c.over, o), stack(exs), stack(tans))
	for k := range 3 {
		want := grad(append(append([]*lucid.Tensor(nil), exs[k]...), cots[k]...))
		if bad := sameExample(gs, want, k); bad != "" {
			return fmt.Sprintf("vmap of vjp, example %d: %s", k, bad)
		}
		if bad := sameExample(outer, want, k); bad != "" {
			return fmt.Sprintf("vjp of vmap, example %d: %s", k, bad)
		}
		wantPush := push(append(append([]*lucid.Tensor(nil), exs[k]...), tans[k]...))
		if bad := sameExample(ds, wantPush, k); bad != "" {
			return fmt.Sprintf("vmap of jvp, example %d: %s", k, bad)
		}
		if bad := sameExample(outerPush, wantPush, k); bad != "" {
			return fmt.Sprintf("jvp of vmap, example %d: %s", k, bad)
		}
	}
	none := func(ts []*lucid.Tensor) (out []*lucid.Tensor) {
		for _, t := range ts {
			out = append(out, t.Narrow(0, 0, 0))
		}
		return out
	}
	in := none(stack(exs))
	_, outer = lucid.VJPN(lucid.VMap(c.over, o), in, none(stack(cots)))
	gs = lucid.VMap(grad, o)(append(in, none(stack(cots))...))
	for i := range in {
		if g, w := outer[i].Shape(), in[i].Shape(); !slices.Equal(g, w) || !slices.Equal(gs[i].Shape(), w) {
			return fmt.Sprintf("no examples: vjp of vmap has shape %v, vmap of vjp %v, want %v", g, gs[i].Shape(), w)
		}
	}
	tensortest.EvalAll(append(outer, gs...))
	return ""
}
