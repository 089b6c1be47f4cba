package exec

import (
	"sync"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/mem"
)

// run is one execution of a program: its buffers, and what it took and must give back.
type run struct {
	prog  *Program
	bufs  []*mem.Buffer
	owned []*mem.Buffer // temporaries to free at the end
	// donates is the first step that writes over an input; from there on the run cannot be given up.
	donates int
	errs    []error // by buffer: why it has no value
	shown   bool    // devices were shown the launches ahead

	// What follows is space that runs use one after the other.
	moved []bool         // by buffer: the memory went on to another one
	free  []freeBuf      // temporaries read for the last time
	took  []int          // inputs claimed
	space []backend.View // operands of all steps
	ctx   backend.Ctx
	at    int // the step that runs
	late  []lateCheck
}

var runs = sync.Pool{New: func() any { return new(run) }}

func newRun(p *Program) *run {
	r := runs.Get().(*run)
	r.prog, r.donates = p, len(p.steps)
	r.bufs, r.moved = resize(r.bufs, len(p.bufs)), resize(r.moved, len(p.bufs))
	return r
}

// release lets other runs have the space; the run is over, and nobody looks at it any more.
func (r *run) release() {
	if len(r.prog.bufs) > 1<<12 {
		return // not worth keeping
	}
	clear(r.bufs)
	clear(r.owned)
	clear(r.free[:cap(r.free)])
	clear(r.space)
	clear(r.late)
	*r = run{bufs: r.bufs[:0], owned: r.owned[:0], moved: r.moved[:0], free: r.free[:0], took: r.took[:0], space: r.space[:0], late: r.late[:0]}
	runs.Put(r)
}

// reserve gets all memory the program needs before anything runs. take claims an input's buffer for writing
// over, untake gives it back; if memory runs out, nothing has changed.
func (p *Program) reserve(in []*mem.Buffer, take func(input int) bool, untake func(input int)) (*run, error) {
	return p.reserveIn(nil, in, take, untake)
}

// reserveIn is reserve with another pool than that of each step's device.
func (p *Program) reserveIn(pool *mem.Pool, in []*mem.Buffer, take func(input int) bool, untake func(input int)) (*run, error) {
	r := newRun(p)
	copy(r.bufs, in)
	for i := p.numIn; i < len(p.bufs); i++ {
		r.bufs[i] = p.bufs[i].data
	}
	moved := r.moved
	fail := func(err error) (*run, error) {
		for _, b := range r.owned {
			b.Free()
		}
		for i, b := range r.bufs[p.numIn:] {
			if b != nil && p.bufs[p.numIn+i].keep && p.bufs[p.numIn+i].data == nil && p.bufs[p.numIn+i].donor < 0 {
				b.Free()
			}
		}
		for _, i := range r.took {
			untake(i)
		}
		r.release()
		return nil, err
	}
	for k := range p.steps {
		s := &p.steps[k]
		for _, o := range s.out {
			b := &p.bufs[o.buf]
			if d := b.donor; d >= 0 && !moved[d] {
				if int(d) >= p.numIn {
					r.bufs[o.buf], moved[d] = r.bufs[d], true
					if b.keep {
						r.disown(r.bufs[d])
					}
					continue
				}
				if !in[d].ReadOnly && (s.dev.Host || in[d].Mem == nil) && take(int(d)) {
					r.bufs[o.buf], moved[d] = in[d], true
					r.took = append(r.took, int(d))
					r.donates = min(r.donates, k)
					s.dev.Pool.CountDonation()
					continue
				}
			}
			m, err := getBuf(pool, s.dev, s.op, b.size, &r.free, b.keep)
			if err != nil {
				return fail(err)
			}
			r.bufs[o.buf] = m
			if !b.keep {
				r.own(m)
			}
		}
		// What was read for the last time can serve a later step.
		for _, o := range s.in {
			b := &p.bufs[o.buf]
			if int(o.buf) >= p.numIn && b.data == nil && !b.keep && b.last == int32(k) && !moved[o.buf] {
				moved[o.buf] = true
				r.free = append(r.free, freeBuf{b.dev, r.bufs[o.buf]})
			}
		}
		for _, o := range s.out {
			b := &p.bufs[o.buf]
			if !b.keep && b.last == int32(k) && !moved[o.buf] {
				moved[o.buf] = true
				r.free = append(r.free, freeBuf{b.dev, r.bufs[o.buf]})
			}
		}
	}
	return r, nil
}

func (r *run) own(m *mem.Buffer) {
	for _, b := range r.owned {
		if b == m {
			return
		}
	}
	r.owned = append(r.owned, m)
}

func (r *run) disown(m *mem.Buffer) {
	for i, b := range r.owned {
		if b == m {
			r.owned = append(r.owned[:i], r.owned[i+1:]...)
			return
		}
	}
}

// freeBuf is a temporary whose value was read for the last time.
type freeBuf struct {
	dev *backend.Device
	*mem.Buffer
}

// getBuf takes a free temporary of the very size on the device, or asks the pool. A buffer that is kept comes from the pool
// unless a temporary can be had; then it is no temporary any more.
func getBuf(pool *mem.Pool, d *backend.Device, op string, size int, free *[]freeBuf, keep bool) (*mem.Buffer, error) {
	if !keep {
		list := *free
		for i := len(list) - 1; i >= 0; i-- {
			if list[i].Size == size && list[i].dev == d {
				m := list[i].Buffer
				*free = append(list[:i], list[i+1:]...)
				return m, nil
			}
		}
	}
	if pool == nil {
		pool = d.Pool
	}
	return pool.Get(op, size)
}
