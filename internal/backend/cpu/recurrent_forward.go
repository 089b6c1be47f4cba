package cpu

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
)

// layerInputs are what the gates get from the inputs, if their product is part of the layer.
type layerInputs[T floats] struct {
	x, bias, panels []T // panels of the weight: by block of units, then by gate
	size, chunk     int // of an input; see gemm.Tiles.Chunk: sums are those of a product of all inputs at once
}

// layerForward goes through the steps of a layer.
type layerForward[T floats] struct {
	*layerPlan[T]
	gx, bias       []T
	inputs         layerInputs[T]
	panels         []T    // of the state's weight: by block of units, then by gate
	projection     []T    // panels of it, by block of the state
	states         [2][]T // before a step and behind it, in turn
	memory         []T    // an LSTM's, by block of units
	raw            []T    // the state before it is projected
	pitch, rawStep int    // of rows of states, and of raw
	y, extra, z    []T    // results; the last two may not be wanted
}

func runForward[T floats](c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	l := &layerForward[T]{layerPlan: planLayer[T](c, a, in[1])}
	if in[0].Numel() == 0 && out[0].Numel() == 0 {
		return nil
	}
	x, err := operandsOf[T](c, in)
	if err != nil {
		return err
	}
	h0, rest := x[2], x[3:]
	var c0, proj []T
	if l.a.Cell == attr.CellLSTM {
		c0, rest = rest[0], rest[1:]
	}
	if l.a.Biased {
		l.bias, rest = rest[0], rest[1:]
	}
	if l.a.Project {
		proj, rest = rest[0], rest[1:]
	}
	var wi []T
	if l.gx = x[0]; l.a.Input {
		size := in[0].Shape.Dim(1)
		l.inputs = layerInputs[T]{x: x[0], bias: rest[1], size: size, chunk: l.tiles.Chunk(size)}
		l.gx, wi = nil, rest[0]
	}
	// Rows of the same column must not fall into the same set of the cache.
	l.pitch, l.rawStep = l.state+16, l.hidden+16
	sizes := []int{l.units * l.gates * l.width * l.state, 2 * l.batch * l.pitch, 0, 0, 0, l.units * l.gates * l.width * l.inputs.size}
	if c0 != nil {
		sizes[2] = l.batch * l.hidden
	}
	if proj != nil {
		sizes[3], sizes[4] = l.batch*l.rawStep, l.stateUnits*l.width*l.hidden
	}
	return withTemp(sizes[0]+sizes[1]+sizes[2]+sizes[3]+sizes[4]+sizes[5], func(t []T) error {
		s := cutter[T](t)
		l.panels, l.states[0], l.states[1] = s.cut(sizes[0]), s.cut(sizes[1]/2), s.cut(sizes[1]/2)
		l.memory, l.raw, l.projection = s.cut(sizes[2]), s.cut(sizes[3]), s.cut(sizes[4])
		if err := l.packColumns(l.panels, x[1], l.gates, l.hidden, l.state); err != nil {
			return err
		}
		if l.inputs.panels = s.cut(sizes[5]); wi != nil {
			if err := l.packColumns(l.inputs.panels, wi, l.gates, l.hidden, l.inputs.size); err != nil {
				return err
			}
		}
		if proj != nil {
			if err := l.packColumns(l.projection, proj, 1, l.state, l.hidden); err != nil {
				return err
			}
		}
		for _, s := range l.states {
			l.tiles.CopyRows(s, l.pitch, h0, l.state, l.batch, l.state)
		}
		for u := range l.units {
			if from, w := l.part(u, l.hidden); c0 != nil {
				l.tiles.CopyRows(l.memory[l.batch*from:], w, c0[from:], l.hidden, l.batch, w)
			}
		}
		return withResults(c, out, func(z [][]T) error {
			l.y = z[0]
			if len(z) > 2 {
				l.extra, l.z = z[1], z[2]
			}
			if err := l.run(); err != nil || l.z != nil || c0 == nil {
				return err
			}
			for u := range l.units { // the last memories alone
				from, w := l.part(u, l.hidden)
				l.tiles.CopyRows(z[1][from:], l.hidden, l.memory[l.batch*from:], w, l.batch, w)
			}
			return nil
		})
	})
}

func (l *layerForward[T]) run() error {
	var k, at int
	gates := l.blocks(l.gates*l.hidden*(l.state+l.inputs.size), func(u, lo, hi int) { l.block(k, at, u, lo, hi) })
	project := l.blocks(l.state*l.hidden, func(u, lo, hi int) {
		from, w := l.part(u, l.state)
		_ = withTemp((hi-lo)*w, func(h []T) error {
			clear(h)
			l.product(hi-lo, w, l.hidden, l.raw[lo*l.rawStep:], l.rawStep, l.projection[from*l.hidden:], h, w)
			l.put(k, at, from, w, lo, hi, h)
			return nil
		})
	})
	for k = range l.order {
		var n int
		at, n = l.step(k)
		err := gates.run(l.units, n)
		if err == nil && l.a.Project {
			err = project.run(l.stateUnits, n)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// put writes a part of the state behind a step.
func (l *layerForward[T]) put(k, at, from, w, lo, hi int, h []T) {
	l.tiles.CopyRows(l.states[(k+1)%2][lo*l.pitch+from:], l.pitch, h, w, hi-lo, w)
	l.tiles.CopyRows(l.y[(at+lo)*l.state+from:], l.state, h, w, hi-lo, w)
}

// block computes a block of units for rows lo to hi of the k-th step, whose values begin at row at.
func (l *layerForward[T]) block(k, at, u, lo, hi int) {
	from, w := l.part(u, l.hidden)
	m := hi - lo
	n := m * w
	_ = withTemp((l.gates+2)*n, func(t []T) error {
		s := cutter[T](t)
		g, h, tmp := s.cut(l.gates*n), s.cut(n), s.cut(n)
		before := l.states[k%2][lo*l.pitch:]
		for q := range l.gates {
			z := g[q*n:][:n]
			if l.a.Cell == attr.CellGRU && q == 2 {
				clear(z) // the input's part comes later
			} else {
				l.fromInputs(z, at, from, w, lo, hi, q)
			}
			l.addBias(z, l.bias, from, w, q)
			l.ask(k, at, from, w, lo, hi, q+1)
			l.product(m, w, l.state, before, l.pitch, l.panels[(from*l.gates+q*l.width)*l.state:], z, w)
		}
		switch l.a.Cell {
		case attr.CellLSTM:
			c := l.memory[l.batch*from+lo*w:][:n]
			l.sigmoid(g[:2*n], g[:2*n])
			l.tanh(g[2*n:3*n], g[2*n:3*n])
			l.sigmoid(g[3*n:], g[3*n:])
			l.mul(c, c, g[n:2*n])
			l.mul(tmp, g[:n], g[2*n:3*n])
			l.add(c, c, tmp)
			l.tanh(tmp, c)
			l.mul(h, tmp, g[3*n:])
			l.keep(at, from, w, lo, hi, c, g)
		case attr.CellGRU:
			l.sigmoid(g[:2*n], g[:2*n])
			if l.extra != nil {
				l.tiles.CopyRows(l.extra[(at+lo)*l.hidden+from:], l.hidden, g[2*n:], w, m, w)
			}
			l.mul(g[2*n:], g[2*n:], g[:n])
			l.fromInputs(tmp, at, from, w, lo, hi, 2)
			l.add(g[2*n:], g[2*n:], tmp)
			l.tanh(g[2*n:], g[2*n:])
			l.tiles.CopyRows(h, w, before[from:], l.pitch, m, w)
			l.sub(h, h, g[2*n:])
			l.mul(h, h, g[n:2*n])
			l.add(h, h, g[2*n:])
			l.keep(at, from, w, lo, hi, nil, g)
		case attr.CellReLU:
			l.relu(h, g)
		default:
			l.tanh(h, g)
		}
		if l.a.Project {
			l.tiles.CopyRows(l.raw[lo*l.rawStep+from:], l.rawStep, h, w, m, w)
		} else {
			l.put(k, at, from, w, lo, hi, h)
		}
		return nil
	})
}

// fromInputs gives what gate q gets from the inputs.
func (l *layerForward[T]) fromInputs(z []T, at, from, w, lo, hi, q int) {
	p := &l.inputs
	switch {
	case !l.a.Input:
		l.tiles.CopyRows(z, w, l.gx[(at+lo)*l.gates*l.hidden+q*l.hidden+from:], l.gates*l.hidden, hi-lo, w)
		return
	case p.size == 0:
		clear(z)
	default:
		l.sums(hi-lo, w, p.size, p.chunk, p.x[(at+lo)*p.size:], p.size, p.panels[(from*l.gates+q*l.width)*p.size:], z, w, false)
	}
	l.addBias(z, p.bias, from, w, q)
}

// addBias adds that of gate q to rows, if there is one.
func (l *layerForward[T]) addBias(z, bias []T, from, w, q int) {
	if bias == nil {
		return
	}
	b := bias[q*l.hidden+from:][:w]
	for i := 0; i < len(z); i += w {
		l.add(z[i:][:w], z[i:][:w], b)
	}
}

// ask prefetches what the block needs when its products with gate q-1 are done: a little at a time, since a core has few
// line fill buffers.
func (l *layerForward[T]) ask(k, at, from, w, lo, hi, q int) {
	m, row := hi-lo, l.gates*l.hidden
	if q == 1 && !l.a.Project {
		own(l.states[(k+1)%2][lo*l.pitch+from:], l.pitch, m, w)
	}
	if q == min(2, l.gates) && !l.a.Project {
		own(l.y[(at+lo)*l.state+from:], l.state, m, w)
	}
	if q == 3 && l.extra != nil {
		own(l.extra[(at+lo)*l.hidden+from:], l.hidden, m, w)
	}
	if l.a.Input {
		return
	}
	if q < l.gates {
		ahead(l.gx[(at+lo)*row+q*l.hidden+from:], row, m, w)
	} else if at, n := l.step(k + 1); n > lo { // the first gate of the next step
		ahead(l.gx[(at+lo)*row+from:], row, min(hi, n)-lo, w)
	}
}

// keep writes memories and gates, if they are outputs.
func (l *layerForward[T]) keep(at, from, w, lo, hi int, c, g []T) {
	m := hi - lo
	if c != nil && l.extra != nil {
		l.tiles.CopyRows(l.extra[(at+lo)*l.hidden+from:], l.hidden, c, w, m, w)
	}
	if l.z == nil {
		return
	}
	for q := range l.gates {
		l.tiles.CopyRows(l.z[((at+lo)*l.gates+q)*l.hidden+from:], l.gates*l.hidden, g[q*m*w:], w, m, w)
	}
}
