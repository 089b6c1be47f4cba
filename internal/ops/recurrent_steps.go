package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
)

// A recurrent layer and its gradient step by step, with other ops: what the ops mean, and how they are differentiated
// further. Half types are computed in float32, as by kernels.

// layerIn are the inputs of recurrent.
type layerIn struct {
	a                                    attr.Recurrent
	gx, x, w, h0, c0, bias, proj, wi, bi *Node // gx or x, wi and bi
}

func readLayer(a attr.Attr, in []*Node) layerIn {
	r := layerIn{a: a.(attr.Recurrent), gx: in[0], w: in[1], h0: in[2]}
	if r.a.Input {
		r.gx, r.x = nil, in[0]
	}
	in = in[3:]
	next := func(is bool) (x *Node) {
		if is {
			x, in = in[0], in[1:]
		}
		return x
	}
	r.c0 = next(r.a.Cell == attr.CellLSTM)
	r.bias = next(r.a.Biased)
	r.proj = next(r.a.Project)
	r.wi, r.bi = next(r.a.Input), next(r.a.Input)
	return r
}

// hidden is the size of the gates.
func (r layerIn) hidden() int { return r.w.Dim(0) / r.a.Cell.Gates() }

// gradIn are the inputs of recurrent_grad: stored gates, or states where there are none; the weight; memories, or a GRU's
// retained part; the memory, or the state, at the start; the states' cotangent; a projection; the memories' cotangent; a GRU's states.
type gradIn struct {
	a                                attr.Recurrent
	gates, w, c, c0, dy, proj, dc, y *Node
}

func readGrad(a attr.Attr, in []*Node) gradIn {
	r := gradIn{a: a.(attr.Recurrent), gates: in[0], w: in[1]}
	if r.a.Cell.Gates() == 1 {
		r.dy, r.y = in[2], in[0]
		return r
	}
	r.c, r.c0, r.dy = in[2], in[3], in[4]
	in = in[5:]
	if r.a.Cell == attr.CellGRU {
		r.y = in[0]
		return r
	}
	if r.a.Project {
		r.proj, in = in[0], in[1:]
	}
	if r.a.Memory {
		r.dc = in[0]
	}
	return r
}

// wide casts to the dtype that is computed in.
func wide(in []*Node) (out []*Node, d dtype.DType) {
	d = in[0].DType()
	for _, x := range in {
		out = append(out, Cast(x, statDType(d)))
	}
	return out, d
}

func narrowed(out []*Node, d dtype.DType) []*Node {
	for i, x := range out {
		out[i] = Cast(x, d)
	}
	return out
}

func rowsOf(x *Node, from, n int) *Node { return SliceDim(x, 0, from, n, 1) }

// putRows replaces the first rows of x.
func putRows(x, first *Node) *Node {
	if n := first.Dim(0); n < x.Dim(0) {
		return concat([]*Node{first, rowsOf(x, n, x.Dim(0)-n)}, 0)
	}
	return first
}

// inOrder joins what the steps gave.
func inOrder(steps []*Node) *Node { return concat(steps, 0) }

// before is, for the values of all steps and that at the start, the value before each step.
func before(a attr.Recurrent, start, all *Node) *Node {
	b, n := start.Dim(0), all.Dim(0)
	switch {
	case n == b:
		return start
	case a.Uniform() && a.Reverse:
		return concat([]*Node{rowsOf(all, b, n-b), start}, 0)
	case a.Uniform():
		return concat([]*Node{start, rowsOf(all, 0, n-b)}, 0)
	}
	last := make([]int, b) // where each sequence's latest value is
	for i := range last {
		last[i] = i
	}
	from, at := make([]int, n), a.Offsets()
	for _, t := range a.Order() {
		for i := range at[t+1] - at[t] {
			from[at[t]+i], last[i] = last[i], b+at[t]+i
		}
	}
	return take(concat([]*Node{start, all}, 0), tableInts(all, from), 0) // its positions are right by construction
}

// ends is the last value of each sequence.
func ends(a attr.Recurrent, all *Node) *Node {
	b := a.Runs.At(0)
	switch {
	case a.Reverse:
		return rowsOf(all, 0, b)
	case a.Uniform():
		return rowsOf(all, all.Dim(0)-b, b)
	}
	last, at := make([]int, b), a.Offsets()
	for t := range a.Sizes() {
		for i := range at[t+1] - at[t] {
			last[i] = at[t] + i
		}
	}
	return take(all, tableInts(all, last), 0)
}

// recurrentSteps computes what recurrent does.
func recurrentSteps(a attr.Attr, in []*Node) []*Node {
	in, d := wide(in)
	r := readLayer(a, in)
	if r.x != nil {
		r.gx = Add(contract(r.x, swapLast(r.wi)), r.bi)
	}
	at := r.a.Offsets()
	var out [3][]*Node
	for i := range out {
		out[i] = make([]*Node, len(at)-1)
	}
	h, c := r.h0, r.c0
	for _, t := range r.a.Order() {
		n := at[t+1] - at[t]
		gx, hp := rowsOf(r.gx, at[t], n), rowsOf(h, 0, n)
		gh := contract(hp, swapLast(r.w))
		if r.bias != nil {
			gh = Add(gh, r.bias)
		}
		var next *Node
		switch r.a.Cell {
		case attr.CellLSTM:
			s := lstmStep(Add(gx, gh), rowsOf(c, 0, n))
			next = s.h
			if r.proj != nil {
				next = contract(next, swapLast(r.proj))
			}
			c = putRows(c, s.c)
			out[1][t], out[2][t] = s.c, concat([]*Node{s.i, s.f, s.g, s.o}, 1)
		case attr.CellGRU:
			s := gruStep(gx, gh, hp)
			next = s.h
			out[1][t], out[2][t] = s.q, concat([]*Node{s.r, s.z, s.n}, 1)
		case attr.CellReLU:
			next = Relu(Add(gx, gh))
		default:
			next = Tanh(Add(gx, gh))
		}
		h = putRows(h, next)
		out[0][t] = next
	}
	res := []*Node{inOrder(out[0])}
	switch {
	case r.a.Keep && r.a.Cell.Gates() > 1:
		res = append(res, inOrder(out[1]), inOrder(out[2]))
	case c != nil:
		res = append(res, c)
	}
	return narrowed(res, d)
}

// cutGates shows the gates apart.
func cutGates(x *Node, n int) []*Node {
	g, h := make([]*Node, n), x.Dim(-1)/n
	for q := range g {
		g[q] = SliceDim(x, x.Rank()-1, q*h, h, 1)
	}
	return g
}

// lstmStepped is a step of a long short-term memory: gates, memory, state before a projection.
type lstmStepped struct{ i, f, g, o, c, h *Node }

func lstmStep(gates, c *Node) (s lstmStepped) {
	p := cutGates(gates, 4)
	s.i, s.f, s.g, s.o = Sigmoid(p[0]), Sigmoid(p[1]), Tanh(p[2]), Sigmoid(p[3])
	s.c = Add(Mul(s.f, c), Mul(s.i, s.g))
	s.h = Mul(s.o, Tanh(s.c))
	return s
}

// gruStepped is a step of a gated recurrent unit; q is the state's part of the third gate.
type gruStepped struct{ r, z, n, q, h *Node }

func gruStep(gx, gh, h *Node) (s gruStepped) {
	x, y := cutGates(gx, 3), cutGates(gh, 3)
	s.r, s.z, s.q = Sigmoid(Add(x[0], y[0])), Sigmoid(Add(x[1], y[1])), y[2]
	s.n = Tanh(Add(x[2], Mul(s.r, s.q)))
	s.h = Add(s.n, Mul(s.z, Sub(h, s.n)))
	return s
}

// slope is the derivative of a sigmoid or a tanh by its value.
func sigmoidSlope(y *Node) *Node { return Mul(y, Sub(1, y)) }
func tanhSlope(y *Node) *Node    { return Sub(1, Mul(y, y)) }

// recurrentGradSteps computes what recurrent_grad does.
func recurrentGradSteps(a attr.Attr, in []*Node) []*Node {
	in, d := wide(in)
	r := readGrad(a, in)
	at, order := r.a.Offsets(), r.a.Order()
	b, w := r.a.Runs.At(0), r.w
	dh := BroadcastTo(constLike(w, 0), b, w.Dim(1))
	var dc, c0 *Node
	if r.c != nil {
		dc = BroadcastTo(constLike(w, 0), b, r.c.Dim(1))
		all := r.c
		if r.a.Cell == attr.CellGRU {
			all = r.y
		}
		c0 = before(r.a, r.c0, all)
	}
	dgx, extra := make([]*Node, len(order)), make([]*Node, len(order))
	for k := len(order) - 1; k >= 0; k-- {
		t := order[k]
		n := at[t+1] - at[t]
		of := func(x *Node) *Node { return rowsOf(x, at[t], n) }
		g := Add(rowsOf(dh, 0, n), of(r.dy))
		back, carry := (*Node)(nil), (*Node)(nil) // what goes through the weight, and past it
		switch r.a.Cell {
		case attr.CellLSTM:
			extra[t] = g
			if r.proj != nil {
				g = contract(g, r.proj)
			}
			m := rowsOf(dc, 0, n)
			if r.dc != nil {
				m = Add(m, of(r.dc))
			}
			dgx[t], m = lstmBack(of(r.gates), of(r.c), of(c0), g, m)
			dc = putRows(dc, m)
			back = dgx[t]
		case attr.CellGRU:
			dgx[t], extra[t], carry = gruBack(of(r.gates), of(r.c), of(c0), g)
			back = concat([]*Node{SliceDim(dgx[t], 1, 0, 2*w.Dim(1), 1), extra[t]}, 1)
		case attr.CellReLU:
			dgx[t] = Where(Gt(of(r.y), constLike(w, 0)), g, constLike(w, 0))
			back = dgx[t]
		default:
			dgx[t] = Mul(g, tanhSlope(of(r.y)))
			back = dgx[t]
		}
		dh = putRows(dh, addMaybe(contract(back, w), carry))
	}
	res := []*Node{inOrder(dgx), dh}
	switch {
	case r.a.Cell == attr.CellGRU:
		res = append(res, inOrder(extra))
	case r.a.Cell == attr.CellLSTM:
		res = append(res, dc)
		if r.proj != nil {
			res = append(res, inOrder(extra))
		}
	}
	return narrowed(res, d)
}

// lstmBack gives the cotangents of a step's gates and of the memory before it.
func lstmBack(gates, c, c0, dh, dc *Node) (dgates, dc0 *Node) {
	p, tc := cutGates(gates, 4), Tanh(c)
	i, f, g, o := p[0], p[1], p[2], p[3]
	dc = Add(dc, Mul(Mul(dh, o), tanhSlope(tc)))
	return concat([]*Node{Mul(Mul(dc, g), sigmoidSlope(i)), Mul(Mul(dc, c0), sigmoidSlope(f)), Mul(Mul(dc, i), tanhSlope(g)),
		Mul(Mul(dh, tc), sigmoidSlope(o))}, 1), Mul(dc, f)
}

// gruBack gives the cotangents of a step's gates, of the state's part of the third, and what of the state's goes past the gates.
func gruBack(gates, q, h0, dh *Node) (dgates, dq, past *Node) {
	p := cutGates(gates, 3)
	r, z, n := p[0], p[1], p[2]
	dn := Mul(Mul(dh, Sub(1, z)), tanhSlope(n))
	dz := Mul(Mul(dh, Sub(h0, n)), sigmoidSlope(z))
	dr := Mul(Mul(dn, q), sigmoidSlope(r))
	return concat([]*Node{dr, dz, dn}, 1), Mul(dn, r), Mul(dh, z)
}
