package cuda

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
)

// recurrentGrad runs the steps backwards: a kernel for the gates, and a matmul that gives the cotangent of the previous
// state.
func recurrentGrad(d *call, a attr.Attr, out, in []backend.View) error {
	l := d.newLayer(a, in[1])
	defer l.free()
	weights := []int{1}
	if l.a.Project {
		weights = append(weights, 5)
	}
	x, err := l.operands(in, weights...)
	if err != nil {
		return err
	}
	var saved, all, start, dc, extra *backend.View
	dy := &x[len(x)-1]
	if l.gates > 1 {
		saved, start, dy = &x[2], &x[3], &x[4]
		all = saved
	}
	switch {
	case l.a.Cell == attr.CellGRU:
		all, extra = &x[5], &out[2]
	case l.a.Memory:
		dc = &x[len(x)-1]
	}
	dh, err := l.widened(nil, l.batch, l.state)
	if err != nil {
		return err
	}
	dgates, err := l.space(l.batch, l.gates*l.hidden)
	if err != nil {
		return err
	}
	carry, err := l.widened(nil, l.batch, l.hidden)
	if err != nil {
		return err
	}
	ds := dh
	if l.a.Project {
		if ds, err = l.space(l.batch, l.hidden); err != nil {
			return err
		}
	}
	for k := len(l.order) - 1; k >= 0; k-- {
		at, n := l.step(k)
		before, has := l.step(k - 1)
		if l.a.Project {
			if err := l.put(n*l.state, address(dh), l.from(dy, at, l.state), 0, address(dh), l.from(&out[3], at, l.state)); err != nil {
				return err
			}
			if err := l.product(ds, dh, x[5], n, l.hidden, l.state, false); err != nil {
				return err
			}
		}
		var g args
		g.int(n, l.hidden, has)
		g.ptr(l.from(&x[0], at, l.gates*l.hidden), l.from(saved, at, l.hidden), l.from(all, before, l.hidden), l.from(start, 0, 0))
		if l.a.Project {
			g.ptr(0)
		} else {
			g.ptr(l.from(dy, at, l.state))
		}
		g.ptr(address(ds), l.from(dc, at, l.hidden), address(carry), address(dgates), l.from(&out[0], at, l.gates*l.hidden),
			l.from(extra, at, l.hidden))
		if err := l.launch("recurrent_grad", "BACKWARD", n*l.hidden, g); err != nil {
			return err
		}
		if err := l.product(dh, dgates, x[1], n, l.state, l.gates*l.hidden, false); err != nil {
			return err
		}
	}
	var past uintptr
	if l.a.Cell == attr.CellGRU {
		past = address(carry)
	}
	if err := l.put(l.batch*l.state, address(dh), 0, past, 0, address(out[1])); err != nil {
		return err
	}
	if l.a.Cell == attr.CellLSTM {
		return l.put(l.batch*l.hidden, address(carry), 0, 0, 0, address(out[2]))
	}
	return nil
}
