package lucid

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// gradient holds the vjp and the jvp against finite differences, and against each other.
func (c *matrixCase) gradient() string {
	xs := c.place()
	if xs == nil {
		return ""
	}
	r := c.rng(2)
	us, vs := noise(r, c.over(xs)), noise(r, xs)
	_, gs := VJPN(c.over, xs, us)
	_, ts := JVPN(c.over, xs, vs)
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
	for i, u := range flatReal(us) {
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
	xs := c.place()
	if xs == nil {
		return ""
	}
	r := c.rng(3)
	us, vs := noise(r, c.over(xs)), noise(r, xs)
	grad := func(x []*Tensor) []*Tensor { _, g := VJPN(c.over, x, us); return g }
	push := func(x []*Tensor) []*Tensor { _, d := JVPN(c.over, x, vs); return d }
	n := len(xs)
	_, forRev := JVPN(grad, xs, vs)
	_, revRev := VJPN(func(in []*Tensor) []*Tensor { _, g := VJPN(c.over, in[:n], in[n:]); return g }, append(append([]*Tensor(nil), xs...), us...), vs)
	_, revFor := VJPN(push, xs, us)
	_, forFor := JVPN(push, xs, vs)
	if !finite(forRev...) {
		return "" // the second derivative is not there, though the first is
	}
	if bad := nearAll(revRev[:n], forRev, 1e-9); bad != "" {
		return "vjp of vjp, jvp of vjp: " + bad
	}
	if bad := nearAll(revRev[n:], push(xs), 1e-9); bad != "" {
		return "vjp of vjp by the cotangent, jvp: " + bad
	}
	if bad := nearAll(revFor, forRev, 1e-9); bad != "" {
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

// roll turns a tensor's elements round by k places: other values of the same kind.
func roll(x *Tensor, k int) *Tensor {
	if x == nil || x.NumElement() < 2 {
		return x
	}
	return x.Reshape(-1).Roll(k).Reshape(x.Shape()...).Eval()
}

// examples makes three variants of the inputs; those not mapped stay.
func (c *matrixCase) examples(in []*Tensor, mapped func(i int) bool) [][]*Tensor {
	ex := make([][]*Tensor, 3)
	for k := range ex {
		ex[k] = make([]*Tensor, len(in))
		for i, x := range in {
			ex[k][i] = x
			if mapped(i) && !matrixFixed[c.op] {
				ex[k][i] = roll(x, k)
			}
		}
		if Try(func() { evalAll(c.call(ex[k])) }) != nil {
			copy(ex[k], in)
		}
	}
	return ex
}

func evalAll(ts []*Tensor) {
	if err := Eval(ts...); err != nil {
		throw("eval", err)
	}
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
		Seed(7)
	}
	f()
}

func (c *matrixCase) vmapOver(axis int, mapped func(i int) bool) string {
	ex := c.examples(c.in, mapped)
	var args []*Tensor
	var axes, where []int
	for i, x := range c.in {
		if x == nil {
			continue
		}
		where = append(where, i)
		if !mapped(i) {
			args, axes = append(args, x), append(axes, NoAxis)
			continue
		}
		args, axes = append(args, Stack([]*Tensor{ex[0][i], ex[1][i], ex[2][i]}, axis)), append(axes, axis)
	}
	f := VMap(func(ts []*Tensor) []*Tensor {
		in := make([]*Tensor, len(c.in))
		for k, i := range where {
			in[i] = ts[k]
		}
		return c.call(in)
	}, VMapOptions{In: axes, Randomness: RandomSame})
	var got []*Tensor
	err := Try(func() { c.seeded(func() { got = f(args); evalAll(got) }) })
	if err != nil {
		return c.refusal(err)
	}
	for k := range ex {
		var want []*Tensor
		c.seeded(func() { want = c.call(ex[k]) })
		if bad := sameExample(got, want, k); bad != "" {
			return fmt.Sprintf("example %d: %s", k, bad)
		}
	}
	return ""
}

// refusal accepts a typed error of an op whose result's shape or Go value depends on data.
func (c *matrixCase) refusal(err error) string {
	if errors.Is(err, ErrTrace) && matrixReads[c.op] != "" {
		c.refused++
		return ""
	}
	return "error: " + err.Error()
}

// sameExample compares example k of the results.
func sameExample(got, want []*Tensor, k int) string {
	if len(got) != len(want) {
		return fmt.Sprintf("%d outputs, want %d", len(got), len(want))
	}
	for i := range got {
		if g := got[i].Shape(); len(g) == 0 || g[0] != 3 {
			return fmt.Sprintf("output %d has shape %v", i, g)
		}
		g := got[i].Select(0, k)
		if g.DType() != want[i].DType() || fmt.Sprint(g.Shape()) != fmt.Sprint(want[i].Shape()) {
			return fmt.Sprintf("output %d is %v of shape %v, want %v of shape %v", i, g.DType(), g.Shape(), want[i].DType(), want[i].Shape())
		}
		if bad := nearAll([]*Tensor{g}, []*Tensor{want[i]}, tolOf(want[i])); bad != "" {
			return fmt.Sprintf("output %d: %s", i, bad)
		}
	}
	return ""
}

// tolOf is the tolerance of results computed in another order.
func tolOf(t *Tensor) float64 {
	switch t.DType() {
	case Float64, Complex128:
		return 1e-10
	case Float32, Complex64:
		return 1e-5
	case Float16, BFloat16:
		return 1e-2
	}
	return 0
}

// vmapGrad holds VMap of the vjp and of the jvp, and the vjp of VMap, against loops.
func (c *matrixCase) vmapGrad() string {
	xs := c.place()
	if xs == nil {
		return ""
	}
	bad := ""
	if err := Try(func() { bad = c.vmapGradAt(xs) }); err != nil {
		return c.refusal(err)
	}
	return bad
}

func (c *matrixCase) vmapGradAt(xs []*Tensor) string {
	n := len(xs)
	r := c.rng(4)
	var exs, cots [][]*Tensor
	for k := range 3 {
		ex := make([]*Tensor, n)
		for i := range xs {
			ex[i] = xs[i]
			if !matrixFixed[c.op] {
				ex[i] = roll(xs[i], k)
			}
		}
		if Try(func() { evalAll(c.over(ex)) }) != nil {
			copy(ex, xs)
		}
		exs, cots = append(exs, ex), append(cots, noise(r, c.over(ex)))
	}
	stack := func(lists [][]*Tensor) (out []*Tensor) {
		for i := range lists[0] {
			out = append(out, Stack([]*Tensor{lists[0][i], lists[1][i], lists[2][i]}, 0))
		}
		return out
	}
	tans := [][]*Tensor{noise(r, xs), noise(r, xs), noise(r, xs)}
	grad := func(in []*Tensor) []*Tensor { _, g := VJPN(c.over, in[:n], in[n:]); return g }
	push := func(in []*Tensor) []*Tensor { _, d := JVPN(c.over, in[:n], in[n:]); return d }
	o := VMapOptions{Randomness: RandomSame}
	gs := VMap(grad, o)(append(stack(exs), stack(cots)...))
	ds := VMap(push, o)(append(stack(exs), stack(tans)...))
	_, outer := VJPN(VMap(c.over, o), stack(exs), stack(cots))
	_, outerPush := JVPN(VMap(c.over, o), stack(exs), stack(tans))
	for k := range 3 {
		want := grad(append(append([]*Tensor(nil), exs[k]...), cots[k]...))
		if bad := sameExample(gs, want, k); bad != "" {
			return fmt.Sprintf("vmap of vjp, example %d: %s", k, bad)
		}
		if bad := sameExample(outer, want, k); bad != "" {
			return fmt.Sprintf("vjp of vmap, example %d: %s", k, bad)
		}
		wantPush := push(append(append([]*Tensor(nil), exs[k]...), tans[k]...))
		if bad := sameExample(ds, wantPush, k); bad != "" {
			return fmt.Sprintf("vmap of jvp, example %d: %s", k, bad)
		}
		if bad := sameExample(outerPush, wantPush, k); bad != "" {
			return fmt.Sprintf("jvp of vmap, example %d: %s", k, bad)
		}
	}
	none := func(ts []*Tensor) (out []*Tensor) {
		for _, t := range ts {
			out = append(out, t.Narrow(0, 0, 0))
		}
		return out
	}
	in := none(stack(exs))
	_, outer = VJPN(VMap(c.over, o), in, none(stack(cots)))
	gs = VMap(grad, o)(append(in, none(stack(cots))...))
	for i := range in {
		if g, w := outer[i].Shape(), in[i].Shape(); !slices.Equal(g, w) || !slices.Equal(gs[i].Shape(), w) {
			return fmt.Sprintf("no examples: vjp of vmap has shape %v, vmap of vjp %v, want %v", g, gs[i].Shape(), w)
		}
	}
	evalAll(append(outer, gs...))
	return ""
}
