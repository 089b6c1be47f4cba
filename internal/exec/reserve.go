package exec

import (
	"slices"
	"sync"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/shape"
)

// run is one execution of a program: its buffers, and what it took and must give back.
type run struct {
	prog    *Program
	pool    *sync.Pool // where its space goes
	bufs    []*mem.Buffer
	owned   []*mem.Buffer // to free at the end
	results []*mem.Buffer // results: to free if the run is given up
	// donates is the first step that writes over an input; behind it the run cannot be given up.
	donates     int
	errs        []error               // by buffer: why it has no value
	cause       error                 // the first of them
	broke       []int32               // buffers whose own launch failed
	skipped     []int                 // steps that did not run because of a failure before
	fresh       []*graph.InlineResult // by buffer: what it is part of
	precompiled bool                  // devices were given the launches to compile
	update      bool                  // of state that stays as it is if the run fails

	// What follows is space that runs use one after the other; ready says that operands are described and temporaries have
	// their memory.
	ready       bool
	whole       bool           // all operands were used
	sliceBufs   []mem.Buffer   // slices of arenas
	small       mem.Buffer     // an arena that is the run's own
	words       []uint64       // its memory
	took        []int          // inputs taken
	space       []backend.View // operands of all steps
	launchCache []any          // what devices cached for the next run, by step
	ctx         backend.Ctx
	at          int // the step that runs
	deferred    []deferredCheck
	bound       binding // the inputs of a replay
}

// runs has space for programs that run once; a replay has its own, in which much can stay as it is.
var runs = sync.Pool{New: func() any { return new(run) }}

func newRun(p *Program) *run {
	pool := &runs
	if p.runs != nil && p.runs.ran.Load() {
		pool = &p.runs.Pool
	}
	r := pool.Get().(*run)
	r.pool, r.prog, r.donates = pool, p, len(p.steps)
	if r.ready {
		return r
	}
	r.bufs, r.space = resize(r.bufs, len(p.bufs)), resize(r.space, p.operands)
	if p.checks || cap(r.sliceBufs) < len(p.slices) { // an asynchronous device may read a slice after the run
		r.sliceBufs = make([]mem.Buffer, len(p.slices))
	}
	r.sliceBufs = r.sliceBufs[:len(p.slices)]
	for i := p.numIn; i < len(p.bufs); i++ {
		r.bufs[i] = p.bufs[i].data
	}
	return r
}

// release lets other runs have the space; the run is over and is not used any more.
func (r *run) release() {
	p := r.prog
	if p.runs != nil && r.pool == &runs {
		p.runs.ran.Store(true)
	}
	r.ready = r.ready || r.whole && r.pool != &runs && p.ownArena()
	switch {
	case r.ready:
		// Operands stay described, and temporaries where they are; what came from outside goes.
		for i := range r.space {
			r.space[i].Buf = nil
		}
		Wipe(r.bufs[:p.numIn])
		for _, i := range p.allocated {
			r.bufs[i] = nil
		}
		if r.fresh != nil {
			for _, i := range p.allocated {
				r.fresh[i] = nil
			}
		}
	case len(p.bufs) > 1<<12:
		return // not worth keeping
	default:
		clear(r.bufs)
		clear(r.space)
		if clear(r.fresh); r.pool == &runs {
			r.fresh = nil // it is as long as this program needs
		}
		for i := range r.sliceBufs {
			r.sliceBufs[i].Clear()
		}
	}
	if len(r.deferred) > 0 {
		clear(r.deferred)
		r.deferred = r.deferred[:0]
	}
	r.owned, r.results, r.took = Wipe(r.owned), Wipe(r.results), r.took[:0]
	r.prog, r.errs, r.cause, r.broke, r.skipped, r.precompiled, r.whole = nil, nil, nil, nil, nil, false, false
	r.ctx.Context, r.ctx.DeferCheck, r.ctx.LaunchCache = nil, nil, nil
	r.update = false
	if r.bound.donors != nil {
		r.bound.drop()
	}
	r.pool.Put(r)
}

// Wipe empties a list. Most have a handful of entries, for which the call of clear costs more than the loop.
func Wipe[T any](list []*T) []*T {
	for i := 0; i < len(list); i++ { // a range would be such a call
		list[i] = nil
	}
	return list[:0]
}

// free gives the memory of temporaries back, and that of results if there are none.
func (r *run) free(results bool) {
	for _, b := range r.owned {
		b.Free()
	}
	if results {
		for _, b := range r.results {
			b.Free()
		}
	}
}

// reserve gets all memory the program needs before anything runs, from pool or, if that is nil, from the pool of each
// step's device. take reserves an input's buffer for writing over, untake gives it back; if memory runs out, nothing has
// changed.
func (p *Program) reserve(pool *mem.Pool, in []*mem.Buffer, take func(input int) bool, untake func(input int)) (*run, error) {
	r := newRun(p)
	copy(r.bufs, in)
	if err := r.reserveAll(pool, take, untake); err != nil {
		return nil, err
	}
	return r, nil
}

// reserveAll is reserve for a run that has its inputs; it is released if memory runs out.
func (r *run) reserveAll(pool *mem.Pool, take func(input int) bool, untake func(input int)) error {
	err := r.reserve(pool, take)
	if err != nil {
		r.free(true)
		for _, i := range r.took {
			untake(i)
		}
		r.release()
	}
	return err
}

func (r *run) reserve(pool *mem.Pool, take func(input int) bool) error {
	p := r.prog
	if !r.ready {
		if err := r.reserveTemps(pool); err != nil {
			return err
		}
	}
	for _, i := range p.allocated {
		b := &p.bufs[i]
		s := &p.steps[b.first]
		switch d := b.donor; {
		case int(d) >= p.numIn:
			r.bufs[i] = r.bufs[d]
			continue
		case d >= 0 && !r.bufs[d].ReadOnly && (s.dev.Host || r.bufs[d].Mem == nil) && take(int(d)):
			r.bufs[i] = r.bufs[d]
			r.bufs[d].BumpVersion()
			r.took = append(r.took, int(d))
			r.donates = min(r.donates, int(b.first))
			s.dev.Pool.CountDonation()
			continue
		}
		m := r.result(pool, i)
		if m == nil {
			var err error
			if m, err = poolOf(pool, s.dev).GetFor(mem.Owner{Op: s.op, Module: s.module}, b.size, nil); err != nil {
				return err
			}
		}
		r.bufs[i] = m
		if b.stays {
			r.results = append(r.results, m)
		} else {
			r.owned = append(r.owned, m)
		}
	}
	return nil
}

// result returns a buffer that comes with its node and handle; nil if it is no small result of a program that runs again.
func (r *run) result(pool *mem.Pool, i int32) *mem.Buffer {
	b := &r.prog.bufs[i]
	if pool != nil || !b.stays || r.prog.runs == nil {
		return nil
	}
	res := graph.NewInlineResult(r.prog.steps[b.first].dev.Pool, b.size)
	if res == nil {
		return nil
	}
	if r.fresh == nil {
		r.fresh = make([]*graph.InlineResult, len(r.prog.bufs))
	}
	r.fresh[i] = res
	return res.Buffer()
}

// output makes the node of an output.
func (r *run) output(o *Output, buf *mem.Buffer, lay *shape.Layout) *graph.Node {
	if r.fresh != nil {
		if i := r.prog.bufs[o.at.buf].root; r.fresh[i] != nil && r.fresh[i].Buffer() == buf {
			f := r.fresh[i]
			r.fresh[i] = nil
			return f.MakeNode(o.Spec, o.Dev, lay)
		}
	}
	return graph.NewStoredView(buf, o.Spec, o.Dev, lay)
}

// reserveTemps slices the temporaries from their arenas.
func (r *run) reserveTemps(pool *mem.Pool) error {
	p := r.prog
	var own *mem.Buffer
	if p.ownArena() {
		own = r.ownMemory()
	} else {
		for k, a := range p.arenas {
			m, err := r.getArena(poolOf(pool, a.dev), k, a.size)
			if err != nil {
				return err
			}
			r.owned = append(r.owned, m)
		}
	}
	for k, i := range p.slices {
		b, from := &p.bufs[i], own
		if from == nil {
			from = r.owned[b.arena]
		}
		from.SliceInto(&r.sliceBufs[k], b.offset, b.size)
		r.bufs[i] = &r.sliceBufs[k]
	}
	return nil
}

// getArena takes the memory of an arena, and says which ops use it if that is tracked.
func (r *run) getArena(pool *mem.Pool, k, size int) (*mem.Buffer, error) {
	if !pool.Tracking() {
		return pool.Get("temporaries", size)
	}
	return pool.GetFor(mem.Owner{Op: "temporaries"}, size, r.prog.arenaParts(k))
}

// arenaParts returns the bytes by op of the temporaries in an arena, at the launch with the most of them.
func (p *Program) arenaParts(arena int) (parts []mem.Part) {
	var of []int32
	change := make([]int, len(p.steps)+1)
	for _, i := range p.slices {
		b := &p.bufs[i]
		if int(b.arena) != arena || b.root != i { // those written over another one have its memory
			continue
		}
		of = append(of, i)
		change[b.first] += b.size
		change[b.end+1] -= b.size
	}
	at, now, most := int32(0), 0, 0
	for k, c := range change {
		if now += c; now > most {
			at, most = int32(k), now
		}
	}
	for _, i := range of {
		b := &p.bufs[i]
		if b.first > at || b.end < at {
			continue
		}
		by := mem.Owner{Op: p.steps[b.first].op, Module: p.steps[b.first].module}
		k := slices.IndexFunc(parts, func(q mem.Part) bool { return q.Owner == by })
		if k < 0 {
			k, parts = len(parts), append(parts, mem.Part{Owner: by})
		}
		parts[k].Bytes += int64(b.size)
	}
	return parts
}

// maxOwnArena is the size up to which a run's arena stays with it.
const maxOwnArena = 4 << 10

// ownArena reports whether the arena is memory that stays with the run.
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
