package cpu

import (
	"sync"
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
)

// chainMost is how many elements chain code takes at a time, at most. There is no prefetching: it
// was measured to cost more than it gains.
const chainMost = 128

// readyCode is the chain code of a program, part by part, with the operands of one goroutine.
type readyCode struct {
	steps []simd.Step
	ends  []int // of the parts, in steps
	tiles []tileStep
}

// tileStep is a step whose operand has another address in every tile.
type tileStep struct{ step, reg int }

var readyCodes = sync.Pool{New: func() any { return new(readyCode) }}

// chained reports whether this run uses chain code.
func (r *runState) chained() bool { return r.width > 0 }

// ready makes the chain code of all parts; scalars are in place.
func (r *runState) ready(w *workspace) {
	w.code = readyCodes.Get().(*readyCode)
	c := w.code
	c.steps, c.ends, c.tiles = c.steps[:0], c.ends[:0], c.tiles[:0]
	locals := unsafe.Add(w.base, r.tile*r.unit)
	for _, p := range r.p.parts {
		if p.chain == nil {
			c.ends = append(c.ends, len(c.steps))
			continue
		}
		for _, s := range p.chain.steps {
			op, lane := s.op, p.chain.lane
			switch {
			case s.local >= 0:
				c.steps = append(c.steps, simd.ChainStep(op, lane, unsafe.Add(locals, s.local*4*chainMost), false))
				continue
			case s.reg < 0:
				c.steps = append(c.steps, simd.ChainStep(op, lane, nil, false))
				continue
			case s.reg < len(r.in) && r.in[s.reg].repeated():
				if op < simd.ChainLoadBool { // one copy will do
					op += simd.ChainOne
				}
				c.steps = append(c.steps, simd.ChainStep(op, lane, unsafe.Add(w.base, r.in[s.reg].slot*r.unit), false))
				continue
			case op == simd.ChainStore && r.streamsOut(s.reg):
				op = simd.ChainStream
			}
			c.tiles = append(c.tiles, tileStep{len(c.steps), s.reg})
			c.steps = append(c.steps, simd.ChainStep(op, lane, nil, true))
		}
		c.ends = append(c.ends, len(c.steps))
	}
}

// streamsOut reports whether an output has non-temporal stores.
func (r *runState) streamsOut(reg int) bool {
	for i := range r.out {
		if r.out[i].reg == reg {
			return r.out[i].stream
		}
	}
	return false
}

// partsOf runs the program on a tile of n elements, whose registers are at reg.
func (r *runState) partsOf(w *workspace, reg []unsafe.Pointer, n int) {
	full := n &^ (r.width - 1)
	c := w.code
	for _, t := range c.tiles {
		c.steps[t.step].At = uintptr(reg[t.reg])
	}
	at := 0
	for i := range r.p.parts {
		p := &r.p.parts[i]
		if p.chain == nil {
			r.plain(reg, p.from, p.to, 0, n)
			continue
		}
		if full > 0 {
			simd.RunChain(c.steps[at:c.ends[i]], p.chain.lane, full)
		}
		at = c.ends[i]
		if full < n {
			r.plain(reg, p.from, p.to, full, n)
		}
	}
}

// plain runs instructions from to to one after the other, on elements lo to hi of a tile.
func (r *runState) plain(reg []unsafe.Pointer, from, to, lo, hi int) {
	for k := from; k < to; k++ {
		c := &r.p.code[k]
		var y, w unsafe.Pointer
		x := r.at(reg, c.src[0], lo)
		if s := c.src[1]; s >= 0 {
			y = r.at(reg, s, lo)
		}
		if s := c.src[2]; s >= 0 {
			w = r.at(reg, s, lo)
		}
		c.f(hi-lo, r.at(reg, c.dst, lo), x, y, w, c.a)
	}
}

// repeated reports whether an operand is one value in every tile, of which scratch has some copies.
func (o *operand) repeated() bool { return o.scalar || o.steady }

// value is the address of the value that an operand of runs of equal elements has at an element.
func (o *operand) value(at int) unsafe.Pointer {
	run, off := at/o.flat, 0
	for d := len(o.dims) - 2; d > 0; d-- {
		off += run % o.dims[d] * o.strides[d]
		run /= o.dims[d]
	}
	if len(o.dims) > 1 {
		off += run * o.strides[0]
	}
	return unsafe.Add(o.base, off*o.size)
}

// at is the address of element i of a register's tile; a scalar is repeated from the start on.
func (r *runState) at(reg []unsafe.Pointer, s, i int) unsafe.Pointer {
	if i == 0 || s < len(r.in) && r.in[s].repeated() {
		return reg[s]
	}
	return unsafe.Add(reg[s], i*r.p.size[s])
}
