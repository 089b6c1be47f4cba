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

	// What follows is space that runs use one after the other.
	cuts  []mem.Buffer   // pieces of arenas
	small mem.Buffer     // an arena that is the run's own
	words []uint64       // its memory
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
	r.bufs = resize(r.bufs, len(p.bufs))
	if p.checks { // who computes on its own time may look at a piece after the run
		r.cuts = nil
	}
	if cap(r.cuts) < p.cuts {
		r.cuts = make([]mem.Buffer, p.cuts)
	}
	r.cuts = r.cuts[:p.cuts]
	return r
}

// release lets other runs have the space; the run is over, and nobody looks at it any more.
func (r *run) release() {
	if len(r.prog.bufs) > 1<<12 {
		return // not worth keeping
	}
	clear(r.bufs)
	clear(r.owned)
	clear(r.kept)
	clear(r.space)
	clear(r.late)
	for i := range r.cuts {
		r.cuts[i].Uncut()
	}
	*r = run{bufs: r.bufs[:0], owned: r.owned[:0], kept: r.kept[:0], cuts: r.cuts[:0], words: r.words, took: r.took[:0], space: r.space[:0], late: r.late[:0]}
	runs.Put(r)
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
	for i := p.numIn; i < len(p.bufs); i++ {
		r.bufs[i] = p.bufs[i].data
	}
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
	for _, a := range p.arenas {
		if a.size <= ownArena && a.dev.Host && len(p.arenas) == 1 && !p.checks {
			r.owned = append(r.owned, r.ownMemory())
			continue
		}
		m, err := poolOf(pool, a.dev).Get("temporaries", a.size)
		if err != nil {
			return err
		}
		r.owned = append(r.owned, m)
	}
	cut := 0
	for k := range p.steps {
		s := &p.steps[k]
		for _, o := range s.out {
			b := &p.bufs[o.buf]
			switch d := b.donor; {
			case b.arena >= 0:
				m := &r.cuts[cut]
				cut++
				r.owned[b.arena].Cut(m, b.at, b.size)
				r.bufs[o.buf] = m
				continue
			case int(d) >= p.numIn:
				r.bufs[o.buf] = r.bufs[d]
				continue
			case d >= 0 && !r.bufs[d].ReadOnly && (s.dev.Host || r.bufs[d].Mem == nil) && take(int(d)):
				r.bufs[o.buf] = r.bufs[d]
				r.took = append(r.took, int(d))
				r.donates = min(r.donates, k)
				s.dev.Pool.CountDonation()
				continue
			}
			m, err := poolOf(pool, s.dev).Get(s.op, b.size)
			if err != nil {
				return err
			}
			r.bufs[o.buf] = m
			if b.stays {
				r.kept = append(r.kept, m)
			} else {
				r.owned = append(r.owned, m)
			}
		}
	}
	return nil
}

// ownArena is the size up to which a run has an arena that stays with it.
const ownArena = 4 << 10

func (r *run) ownMemory() *mem.Buffer {
	if r.words == nil {
		r.words = make([]uint64, ownArena/8)
	}
	b := &r.small
	b.Mem, b.Size = dtype.Bytes(r.words), ownArena
	return b
}

func poolOf(pool *mem.Pool, d *backend.Device) *mem.Pool {
	if pool == nil {
		return d.Pool
	}
	return pool
}
