package exec

import (
	"sync"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/mem"
)

// run is one execution of a program: its buffers, and what it took and must give back.
type run struct {
	prog  *Program
	bufs  []*mem.Buffer
	owned []*mem.Buffer // to free at the end
	kept  []*mem.Buffer // results: to free if the run is given up
	// donates is the first step that writes over an input; from there on the run cannot be given up.
	donates int
	errs    []error // by buffer: why it has no value
	shown   bool    // devices were shown the launches ahead

	// What follows is space that runs use one after the other; ready says that operands are described and temporaries have
	// their places.
	ready bool
	whole bool           // all operands were used
	cuts  []mem.Buffer   // pieces of arenas
	small mem.Buffer     // an arena that is the run's own
	words []uint64       // its memory
	took  []int          // inputs claimed
	space []backend.View // operands of all steps
	left  []any          // what devices left for the next run, by step
	ctx   backend.Ctx
	at    int // the step that runs
	late  []lateCheck
}

// runs has space for programs that run once; a replay has its own, in which much can stay as it is.
var runs = sync.Pool{New: func() any { return new(run) }}

func newRun(p *Program) *run {
	r := p.space().Get().(*run)
	r.prog, r.donates = p, len(p.steps)
	if r.ready {
		return r
	}
	r.bufs, r.space = resize(r.bufs, len(p.bufs)), resize(r.space, p.operands)
	if p.checks || cap(r.cuts) < len(p.cuts) { // who computes on its own time may look at a piece after the run
		r.cuts = make([]mem.Buffer, len(p.cuts))
	}
	r.cuts = r.cuts[:len(p.cuts)]
	for i := p.numIn; i < len(p.bufs); i++ {
		r.bufs[i] = p.bufs[i].data
	}
	return r
}

func (p *Program) space() *sync.Pool {
	if p.runs != nil {
		return p.runs
	}
	return &runs
}

// release lets other runs have the space; the run is over, and nobody looks at it any more.
func (r *run) release() {
	p := r.prog
	r.ready = r.ready || r.whole && p.runs != nil && p.ownArena()
	switch {
	case r.ready:
		// Operands stay described, and temporaries where they are; what came from outside goes.
		for i := range r.space {
			r.space[i].Buf = nil
		}
		clear(r.bufs[:p.numIn])
		for _, i := range p.gets {
			r.bufs[i] = nil
		}
	case len(p.bufs) > 1<<12:
		return // not worth keeping
	default:
		clear(r.bufs)
		clear(r.space)
		for i := range r.cuts {
			r.cuts[i].Uncut()
		}
	}
	clear(r.owned)
	clear(r.kept)
	clear(r.late)
	r.owned, r.kept, r.took, r.late = r.owned[:0], r.kept[:0], r.took[:0], r.late[:0]
	r.prog, r.errs, r.shown, r.whole, r.ctx = nil, nil, false, false, backend.Ctx{}
	p.space().Put(r)
}

// free gives the memory of temporaries back, and that of results if there are none.
func (r *run) free(results bool) {
	for _, b := range r.owned {
		b.Free()
	}
	if results {
		for _, b := range r.kept {
			b.Free()
		}
	}
}

// reserve gets all memory the program needs before anything runs, from pool or, if that is nil, from the pool of each
// step's device. take claims an input's buffer for writing over, untake gives it back; if memory runs out, nothing has
// changed.
func (p *Program) reserve(pool *mem.Pool, in []*mem.Buffer, take func(input int) bool, untake func(input int)) (*run, error) {
	r := newRun(p)
	copy(r.bufs, in)
	if err := r.reserve(pool, take); err != nil {
		r.free(true)
		for _, i := range r.took {
			untake(i)
		}
		r.release()
		return nil, err
	}
	return r, nil
}

func (r *run) reserve(pool *mem.Pool, take func(input int) bool) error {
	p := r.prog
	if !r.ready {
		if err := r.reserveTemps(pool); err != nil {
			return err
		}
	}
	for _, i := range p.gets {
		b := &p.bufs[i]
		s := &p.steps[b.first]
		switch d := b.donor; {
		case int(d) >= p.numIn:
			r.bufs[i] = r.bufs[d]
			continue
		case d >= 0 && !r.bufs[d].ReadOnly && (s.dev.Host || r.bufs[d].Mem == nil) && take(int(d)):
			r.bufs[i] = r.bufs[d]
			r.bufs[d].WriteOver()
			r.took = append(r.took, int(d))
			r.donates = min(r.donates, int(b.first))
			s.dev.Pool.CountDonation()
			continue
		}
		m, err := poolOf(pool, s.dev).Get(s.op, b.size)
		if err != nil {
			return err
		}
		r.bufs[i] = m
		if b.stays {
			r.kept = append(r.kept, m)
		} else {
			r.owned = append(r.owned, m)
		}
	}
	return nil
}

// reserveTemps cuts the temporaries from their arenas.
func (r *run) reserveTemps(pool *mem.Pool) error {
	p := r.prog
	var own *mem.Buffer
	if p.ownArena() {
		own = r.ownMemory()
	} else {
		for _, a := range p.arenas {
			m, err := poolOf(pool, a.dev).Get("temporaries", a.size)
			if err != nil {
				return err
			}
			r.owned = append(r.owned, m)
		}
	}
	for k, i := range p.cuts {
		b, from := &p.bufs[i], own
		if from == nil {
			from = r.owned[b.arena]
		}
		from.Cut(&r.cuts[k], b.at, b.size)
		r.bufs[i] = &r.cuts[k]
	}
	return nil
}

// maxOwnArena is the size up to which a run's arena stays with it.
const maxOwnArena = 4 << 10

// ownArena reports whether temporaries lie in memory of the run's own.
func (p *Program) ownArena() bool {
	return !p.checks && (len(p.arenas) == 0 || len(p.arenas) == 1 && p.arenas[0].dev.Host && p.arenas[0].size <= maxOwnArena)
}

func (r *run) ownMemory() *mem.Buffer {
	if r.words == nil {
		r.words = make([]uint64, maxOwnArena/8)
	}
	r.small.Mem, r.small.Size = dtype.Bytes(r.words), maxOwnArena
	return &r.small
}

func poolOf(pool *mem.Pool, d *backend.Device) *mem.Pool {
	if pool == nil {
		return d.Pool
	}
	return pool
}
