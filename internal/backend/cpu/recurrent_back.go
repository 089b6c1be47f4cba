package cpu

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
)

// layerBack goes back over the steps of a layer. A block of units first computes what the gates of the later step give to
// the state, then from the state's cotangent those of its own gates.
type layerBack[T floats] struct {
	*layerPlan[T]
	z, saved, start, dy, y, dmemory []T
	panels, projection              []T    // of the weights, by block of the state and of units
	dgates                          [2][]T // of a step and of the later one, in turn, as operands of the state's weight
	dstate                          []T    // of a step, where it is projected
	carry                           []T    // by block of units: of an LSTM's memory; of a GRU's state, the part that bypasses the gates
	pitch, stateStep                int    // of rows of dgates and of dstate
	dz, dh0, extra                  []T    // results: of gates, of the start; of a GRU's candidate or of states
}

func runBackward[T floats](c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	l := &layerBack[T]{layerPlan: planLayer[T](c, a, in[1])}
	x, err := operandsOf[T](c, in)
	if err != nil {
		return err
	}
	l.z, l.dy = x[0], x[len(x)-1]
	var proj []T
	if l.gates > 1 {
		l.saved, l.start, l.dy = x[2], x[3], x[4]
		rest := x[5:]
		if l.a.Cell == attr.CellGRU {
			l.y = rest[0]
		}
		if l.a.Project {
			proj, rest = rest[0], rest[1:]
		}
		if l.a.Memory {
			l.dmemory = rest[0]
		}
	}
	depth := l.gates * l.hidden
	l.pitch, l.stateStep = depth+16, l.state+16
	sizes := []int{l.stateUnits * l.width * depth, 2 * l.batch * l.pitch, 0, 0, 0}
	if l.gates > 1 {
		sizes[2] = l.batch * l.hidden
	}
	if proj != nil {
		sizes[3], sizes[4] = l.batch*l.stateStep, l.units*l.width*l.state
	}
	return withTemp(sizes[0]+sizes[1]+sizes[2]+sizes[3]+sizes[4], func(t []T) error {
		s := cutter[T](t)
		l.panels, l.dgates[0], l.dgates[1] = s.cut(sizes[0]), s.cut(sizes[1]/2), s.cut(sizes[1]/2)
		l.carry, l.dstate, l.projection = s.cut(sizes[2]), s.cut(sizes[3]), s.cut(sizes[4])
		clear(l.carry)
		if err := l.packRows(l.panels, x[1], depth, l.state); err != nil {
			return err
		}
		if proj != nil {
			if err := l.packRows(l.projection, proj, l.state, l.hidden); err != nil {
				return err
			}
		}
		return withResults(c, out, func(z [][]T) error {
			l.dz, l.dh0 = z[0], z[1]
			switch l.a.Cell {
			case attr.CellGRU:
				l.extra = z[2]
			case attr.CellLSTM:
				if l.a.Project {
					l.extra = z[3]
				}
			}
			if err := l.run(); err != nil {
				return err
			}
			for u := range l.units {
				if from, w := l.part(u, l.hidden); l.a.Cell == attr.CellLSTM {
					l.tiles.CopyRows(z[2][from:], l.hidden, l.carry[l.batch*from:], w, l.batch, w)
				}
			}
			return nil
		})
	})
}

func (l *layerBack[T]) run() error {
	var k, at, n, later int
	state := l.blocks(l.gates*l.hidden*l.state, func(u, lo, hi int) { l.block(k, at, n, later, u, lo, hi) })
	gates := l.blocks(l.state*l.hidden, func(u, lo, hi int) {
		from, w := l.part(u, l.hidden)
		_ = withTemp((hi-lo)*w, func(dh []T) error {
			clear(dh)
			l.product(hi-lo, w, l.state, l.dstate[lo*l.stateStep:], l.stateStep, l.projection[from*l.state:], dh, w)
			l.gatesOf(k, at, from, w, lo, hi, dh)
			return nil
		})
	})
	for k = len(l.order) - 1; k >= -1; k-- { // behind the first step is the start
		at, n = l.step(k)
		_, later = l.step(k + 1)
		err := state.run(l.stateUnits, max(n, later))
		if err == nil && l.a.Project {
			err = gates.run(l.units, n)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// block computes the cotangents of a block of the state, for rows lo to hi of the k-th step: of sequences that have it, which
// are n, and of those that began with the later one.
func (l *layerBack[T]) block(k, at, n, later, u, lo, hi int) {
	from, w := l.part(u, l.state)
	m := hi - lo
	came, go_ := min(max(later-lo, 0), m), min(max(n-lo, 0), m)
	if l.wholeRows() && lo == 0 {
		first, last := part(later, l.stateUnits, u)
		l.putRows(k+1, first, last)
	}
	_ = withTemp(m*w, func(dh []T) error {
		clear(dh)
		depth := l.gates * l.hidden
		for q := range l.gates {
			if !l.a.Project {
				l.ask(k, at, from, w, lo, lo+go_, q)
			}
			at := q * l.hidden
			l.product(came, w, l.hidden, l.dgates[(k+1)&1][lo*l.pitch+at:], l.pitch, l.panels[from*depth+at*l.width:], dh, w)
		}
		if l.a.Cell == attr.CellGRU {
			l.add(dh[:came*w], dh[:came*w], l.carry[l.batch*from+lo*w:][:came*w])
		}
		if go_ < came {
			l.tiles.CopyRows(l.dh0[(lo+go_)*l.state+from:], l.state, dh[go_*w:], w, came-go_, w)
		}
		if go_ == 0 {
			return nil
		}
		dh = dh[:go_*w]
		_ = withTemp(go_*w, func(dy []T) error {
			l.tiles.CopyRows(dy, w, l.dy[(at+lo)*l.state+from:], l.state, go_, w)
			l.add(dh, dh, dy)
			return nil
		})
		if l.a.Project {
			l.tiles.CopyRows(l.dstate[lo*l.stateStep+from:], l.stateStep, dh, w, go_, w)
			l.tiles.CopyRows(l.extra[(at+lo)*l.state+from:], l.state, dh, w, go_, w)
			return nil
		}
		l.gatesOf(k, at, from, w, lo, lo+go_, dh)
		return nil
	})
}

// wholeRows reports whether cotangents of gates go to the results a step later, in whole rows, from where the products read
// them anyway: blocks of few columns of rows a page apart are slow to write.
func (l *layerBack[T]) wholeRows() bool { return !l.a.Project && l.a.Cell != attr.CellGRU }

// putRows writes rows of the k-th step's cotangents.
func (l *layerBack[T]) putRows(k, lo, hi int) {
	at, _ := l.step(k)
	depth := l.gates * l.hidden
	for i := lo; i < hi; i++ {
		copy(l.dz[(at+i)*depth:][:depth], l.dgates[k&1][i*l.pitch:])
	}
}

// ask prefetches what the block needs of gate q when its products are done, and a share of the rest.
func (l *layerBack[T]) ask(k, at, from, w, lo, hi, q int) {
	m, row := hi-lo, l.gates*l.hidden
	if m == 0 {
		return
	}
	ahead(l.z[(at+lo)*row+q*l.hidden+from:], row, m, w)
	own(l.dgates[k&1][lo*l.pitch+q*l.hidden+from:], l.pitch, m, w)
	switch {
	case q == 0:
		ahead(l.dy[(at+lo)*l.state+from:], l.state, m, w)
	case q == 1:
		ahead(l.saved[(at+lo)*l.hidden+from:], l.hidden, m, w)
	case q == 2 && l.a.Cell == attr.CellGRU:
		own(l.extra[(at+lo)*l.hidden+from:], l.hidden, m, w)
	}
	if before, n := l.step(k - 1); q == min(2, l.gates-1) && n > lo && l.gates > 1 {
		all := l.saved
		if l.a.Cell == attr.CellGRU {
			all = l.y
		}
		ahead(all[(before+lo)*l.hidden+from:], l.hidden, min(hi, n)-lo, w)
	}
}

// before gathers a block of the values before the k-th step, from those of all steps or from the start.
func (l *layerBack[T]) before(dst []T, k, from, w, lo, hi int, all []T) {
	at, n := l.step(k - 1)
	has := min(max(n-lo, 0), hi-lo)
	if has > 0 {
		l.tiles.CopyRows(dst, w, all[(at+lo)*l.hidden+from:], l.hidden, has, w)
	}
	if lo+has < hi {
		l.tiles.CopyRows(dst[has*w:], w, l.start[(lo+has)*l.hidden+from:], l.hidden, hi-lo-has, w)
	}
}

// gatesOf computes the cotangents of a block's gates from that of its state.
func (l *layerBack[T]) gatesOf(k, at, from, w, lo, hi int, dh []T) {
	m := hi - lo
	n := m * w
	_ = withTemp((2*l.gates+4)*n, func(t []T) error {
		s := cutter[T](t)
		z, dz := s.cut(l.gates*n), s.cut(l.gates*n)
		for q := range l.gates {
			l.tiles.CopyRows(z[q*n:][:n], w, l.z[((at+lo)*l.gates+q)*l.hidden+from:], l.gates*l.hidden, m, w)
		}
		switch l.a.Cell {
		case attr.CellLSTM:
			c, c0, dc, tmp := s.cut(n), s.cut(n), l.carry[l.batch*from+lo*w:][:n], s.cut(n)
			l.tiles.CopyRows(c, w, l.saved[(at+lo)*l.hidden+from:], l.hidden, m, w)
			l.before(c0, k, from, w, lo, hi, l.saved)
			if l.dmemory != nil {
				l.tiles.CopyRows(tmp, w, l.dmemory[(at+lo)*l.hidden+from:], l.hidden, m, w)
				l.add(dc, dc, tmp)
			}
			l.lstm(dz, z, c, c0, dh, dc, tmp)
		case attr.CellGRU:
			q, h0, dq, bypass := s.cut(n), s.cut(n), s.cut(n), l.carry[l.batch*from+lo*w:][:n]
			l.tiles.CopyRows(q, w, l.saved[(at+lo)*l.hidden+from:], l.hidden, m, w)
			l.before(h0, k, from, w, lo, hi, l.y)
			l.gru(dz, z, q, h0, dh, dq, bypass)
			l.tiles.CopyRows(l.extra[(at+lo)*l.hidden+from:], l.hidden, dq, w, m, w)
			l.tiles.CopyRows(l.dgates[k&1][lo*l.pitch+2*l.hidden+from:], l.pitch, dq, w, m, w)
		case attr.CellReLU:
			for i, v := range z {
				dz[i] = 0
				if v > 0 {
					dz[i] = dh[i]
				}
			}
		default:
			l.mul(dz, z, z)
			l.mul(dz, dz, dh)
			l.sub(dz, dh, dz)
		}
		for q := range l.gates {
			if !l.wholeRows() {
				l.tiles.CopyRows(l.dz[((at+lo)*l.gates+q)*l.hidden+from:], l.gates*l.hidden, dz[q*n:], w, m, w)
			}
			if q < 2 || l.a.Cell != attr.CellGRU {
				l.tiles.CopyRows(l.dgates[k&1][lo*l.pitch+q*l.hidden+from:], l.pitch, dz[q*n:], w, m, w)
			}
		}
		return nil
	})
}

// slope multiplies d by the derivative of a sigmoid whose value is y: d·(y - y²).
func (l *layerBack[T]) slope(d, y, tmp []T) {
	l.mul(tmp, y, y)
	l.sub(tmp, y, tmp)
	l.mul(d, d, tmp)
}

// lstm gives the cotangents of gates; dc becomes that of the memory before.
func (l *layerBack[T]) lstm(dz, z, c, c0, dh, dc, tmp []T) {
	n := len(c)
	i, f, g, o := z[:n], z[n:2*n], z[2*n:3*n], z[3*n:]
	di, df, dg, do := dz[:n], dz[n:2*n], dz[2*n:3*n], dz[3*n:]
	l.tanh(c, c)
	l.mul(do, dh, c)
	l.slope(do, o, tmp)
	l.mul(dh, dh, o) // of tanh of the memory
	l.mul(tmp, c, c)
	l.mul(tmp, tmp, dh)
	l.sub(dh, dh, tmp)
	l.add(dc, dc, dh)
	l.mul(di, dc, g)
	l.slope(di, i, tmp)
	l.mul(df, dc, c0)
	l.slope(df, f, tmp)
	l.mul(dg, dc, i)
	l.mul(tmp, g, g)
	l.mul(tmp, tmp, dg)
	l.sub(dg, dg, tmp)
	l.mul(dc, dc, f)
}

// gru gives the cotangents of gates, of the state's part of the third, and what of the state's bypasses the gates. It
// uses h0 and q for its own ends.
func (l *layerBack[T]) gru(dz, z, q, h0, dh, dq, bypass []T) {
	n := len(q)
	r, u, v := z[:n], z[n:2*n], z[2*n:]
	dr, du, dv := dz[:n], dz[n:2*n], dz[2*n:]
	l.mul(bypass, dh, u)
	l.sub(du, h0, v)
	l.mul(du, du, dh)
	l.slope(du, u, h0)
	l.sub(dv, dh, bypass) // dh·(1 - u)
	l.mul(h0, v, v)
	l.mul(h0, h0, dv)
	l.sub(dv, dv, h0)
	l.mul(dr, dv, q)
	l.slope(dr, r, h0)
	l.mul(dq, dv, r)
}
