package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/llm"
)

// Source is a model that is loaded when it is asked for.
type Source struct {
	Load  func() (*llm.Model, error)
	Bytes int64 // what the weights will take, as far as that is known; a loaded model is counted by its own weights
	Pin   bool  // once loaded, it stays
}

// residency says which models are loaded. They take at most a number of bytes; the one that was not used for the longest time makes
// room, if it is not in use.
type residency struct {
	o      llm.BatcherOptions
	most   int64 // bytes of weights; 0: no limit
	mu     sync.Mutex
	list   map[string]*served
	clock  int64
	closed bool
	idle   sync.Cond // a model is not in use any more, or a load ended
}

// served is a model with its batcher. Fields below the line are guarded by the residency.
type served struct {
	name   string
	source Source

	m       *llm.Model
	b       *llm.Batcher
	bytes   int64
	users   int
	used    int64         // clock of the last use
	loading chan struct{} // closed when a load ends; nil: none is under way
	err     error         // of the last load
	loads   int64
	after   bool // the load begins with freeing what others left
}

func newResidency(o llm.BatcherOptions, most int64) *residency {
	r := &residency{o: o, most: most, list: map[string]*served{}}
	r.idle.L = &r.mu
	return r
}

// errNoRoom is that models in use leave no room for another.
type errNoRoom struct{ need, most int64 }

func (e *errNoRoom) Error() string {
	return fmt.Sprintf("serve: the weights need %d bytes of %d, and the models that have them are in use", e.need, e.most)
}

// acquire returns a model that stays until release is called. It loads it, or waits for the load under way.
func (r *residency) acquire(ctx context.Context, name string) (s *served, release func(), err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s = r.list[name]
	for s.m == nil {
		if r.closed {
			return nil, nil, llm.ErrClosed
		}
		if s.loading == nil {
			if err := r.room(s); err != nil {
				return nil, nil, err
			}
			s.loading = make(chan struct{})
			go r.load(s)
		}
		wait := s.loading
		r.mu.Unlock()
		select {
		case <-wait:
			r.mu.Lock()
		case <-ctx.Done():
			r.mu.Lock()
			return nil, nil, ctx.Err()
		}
		if s.m == nil && s.err != nil { // one load for all who waited; the next request tries again
			return nil, nil, s.err
		}
	}
	r.clock++
	s.users, s.used = s.users+1, r.clock
	return s, sync.OnceFunc(func() { r.release(s) }), nil
}

func (r *residency) release(s *served) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s.users--
	r.idle.Broadcast()
}

// room evicts models until one that is not loaded fits.
func (r *residency) room(s *served) error {
	if r.most == 0 {
		return nil
	}
	need := max(s.bytes, s.source.Bytes)
	if need > r.most {
		return fault.New(fault.OutOfMemory, op, "the weights of %q take %d bytes; the server has %d for all models", s.name, need, r.most)
	}
	dropped, ok := r.evict(s, r.most-need)
	if !ok {
		return &errNoRoom{need, r.most}
	}
	s.after = dropped
	return nil
}

// total is what loaded models take, and what those that are being loaded will.
func (r *residency) total() (n int64) {
	for _, s := range r.list {
		switch {
		case s.m != nil:
			n += s.bytes
		case s.loading != nil:
			n += max(s.bytes, s.source.Bytes)
		}
	}
	return n
}

// evict drops models that are not in use, but not the one that is served next, until all that are left take at most some bytes. Those that
// were not used for the longest time go first. If that would not be enough, none goes in vain; ok is false then.
func (r *residency) evict(next *served, most int64) (dropped, ok bool) {
	var list []*served
	for _, s := range r.list {
		if s.m != nil && s.users == 0 && !s.source.Pin && s != next {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b *served) int { return cmp.Or(cmp.Compare(a.used, b.used), cmp.Compare(a.name, b.name)) })
	left, n := r.total(), 0
	for left > most && n < len(list) {
		left -= list[n].bytes
		n++
	}
	if ok = left <= most; !ok && (next.m == nil || !next.source.Pin) {
		return false, false
	}
	for _, s := range list[:n] {
		r.drop(s)
	}
	return n > 0, ok
}

// drop lets go of a model that is not in use. Its memory is free when collect has run.
func (r *residency) drop(s *served) {
	s.b.Close()
	s.m, s.b = nil, nil
}

// collect frees the weights of models that were dropped, and what loading took, now and not when the collector finds the time.
func collect() {
	debug.FreeOSMemory()
	lucid.ClearCache()
}

// load loads a model, for all who wait for it: it goes on if the first of them leaves.
func (r *residency) load(s *served) {
	var m *llm.Model
	var b *llm.Batcher
	var err error
	caught := lucid.Try(func() {
		if s.after {
			collect()
		}
		if m, err = s.source.Load(); err == nil {
			b, err = m.NewBatcher(r.o)
		}
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	if err = cmp.Or(caught, err); err == nil && r.closed {
		err = llm.ErrClosed
	}
	if err == nil {
		s.m, s.b, s.bytes = m, b, m.Bytes()
		s.loads++
		// A model may be larger than its files were: others make room behind it.
		if r.most > 0 {
			if _, fits := r.evict(s, r.most); !fits && !s.source.Pin {
				err = &errNoRoom{s.bytes, r.most}
				r.drop(s)
			}
		}
	}
	s.err = err
	collect() // what loading took
	close(s.loading)
	s.loading = nil
	r.idle.Broadcast()
}

// each calls f with the models that are loaded, in order of their names. None is dropped meanwhile.
func (r *residency) each(f func(s *served)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range slices.SortedFunc(maps.Values(r.list), func(a, b *served) int { return cmp.Compare(a.name, b.name) }) {
		if s.m != nil {
			f(s)
		}
	}
}

// close ends the texts of all models. Those that the server loaded are freed when no request uses them.
func (r *residency) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for _, s := range r.list {
		for s.loading != nil {
			r.idle.Wait()
		}
		if s.b == nil {
			continue
		}
		s.b.Close()
		if s.source.Load == nil {
			continue
		}
		for s.users > 0 {
			r.idle.Wait()
		}
		s.m, s.b = nil, nil
	}
}

// failureOfLoad says what an error of a load is to a client. Paths and the like are for the log alone.
func (s *Server) failureOfLoad(name string, err error) *failure {
	if room := (*errNoRoom)(nil); errors.As(err, &room) {
		f := fail(http.StatusServiceUnavailable, "there is no room for the model %.100q while others are in use; try again later", name).
			coded("no_room")
		f.retry = 5
		return f
	}
	if f := failureOf(err); f.status != http.StatusInternalServerError && f.status != http.StatusBadRequest {
		return f
	}
	s.o.Logger.Error("the model was not loaded", "model", name, "error", err.Error())
	return fail(http.StatusInternalServerError, "the model %.100q cannot be loaded; the log of the server says why", name).
		coded("model_not_loaded")
}
