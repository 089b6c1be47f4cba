// Package scope owns ambient state: what NoGrad, Autocast, WithDevice, Deterministic, Winograd, WithContext and an open
// trace say holds for one call in one goroutine, and nowhere else.
//
// Go has no goroutine-local storage, so states are stored in a table keyed by the goroutine's own pointer. With no
// scope open anywhere, asking costs one atomic load.
package scope

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/lucid-go/lucid/internal/dtype"
)

// State is what holds in a scope. A state is never changed after it is entered.
type State struct {
	NoGrad          bool            // do not record for Backward
	Stop            bool            // what is recorded has no gradient for transforms either
	Inference       bool            // NoGrad, and results may never join a tape
	Anomaly         bool            // name the op that first produces NaN
	Deterministic   bool            // the same bits from run to run
	Winograd        bool            // convolutions may lose accuracy for speed
	Autocast        dtype.DType     // Invalid: off
	Device          any             // *backend.Device for creation; nil: the default
	Stream          any             // exec stream; nil: the device's default
	Ctx             context.Context // nil: Background
	Trace           any             // *graph.Trace of an open compile
	Level           any             // *graph.Level of the innermost functional transform
	CheckpointLevel any             // *graph.Level that every node made here carries
	Arena           any             // collector of handles for Scope
	GuardCells      any             // collector of guard cells read by a trace
	Random          any             // how VMap treats the default generator; nil outside

	of uintptr // the goroutine that is in it
}

const shards = 32

var (
	open  atomic.Int64 // scopes open in all goroutines
	table [shards]struct {
		last atomic.Pointer[State] // of those in m, or nil: an op asks several times, and without the lock
		sync.Mutex
		m map[uintptr]*State
		_ [32]byte // keep shards on their own cache lines
	}
)

var none = &State{}

// Current returns the state of this goroutine; never nil.
func Current() *State {
	if open.Load() == 0 {
		return none
	}
	g, ok := known()
	if !ok {
		return none
	}
	return lookup(g)
}

func lookup(g uintptr) *State {
	s := &table[g>>8%shards]
	if st := s.last.Load(); st != nil && st.of == g {
		return st
	}
	s.Lock()
	st := s.m[g]
	s.Unlock()
	if st == nil {
		return none
	}
	s.last.Store(st) // no other goroutine enters or leaves states of this one
	return st
}

// under runs f in a state that no other goroutine is in.
func under(st *State, f func()) {
	g := goroutine()
	st.of = g
	defer set(g, st)()
	call(g, f)
}

// set enters a state and returns a function that goes back; the caller must defer it.
func set(g uintptr, st *State) (back func()) {
	s := &table[g>>8%shards]
	s.Lock()
	old := s.m[g]
	if s.m == nil {
		s.m = make(map[uintptr]*State)
	}
	s.m[g] = st
	s.last.Store(st)
	s.Unlock()
	open.Add(1)
	return func() {
		s.Lock()
		if old == nil {
			delete(s.m, g)
		} else {
			s.m[g] = old
		}
		s.last.Store(old)
		s.Unlock()
		open.Add(-1)
	}
}

// With runs f in a copy of the current state changed by mod.
func With(mod func(*State), f func()) {
	st := *Current()
	mod(&st)
	under(&st, f)
}

// Inherit returns f to be run in another goroutine under this one's state.
func Inherit(f func()) func() {
	st := Current()
	if st == none {
		return f
	}
	return func() {
		own := *st
		under(&own, f)
	}
}

// always says that the whole program is to be deterministic.
var always atomic.Bool

// SetDeterministic asks for the same bits from run to run in the whole program, and returns what was asked for before.
func SetDeterministic(on bool) (was bool) { return always.Swap(on) }

// IsDeterministic reports whether the same bits are asked for, in this scope or in the whole program.
func (s *State) IsDeterministic() bool { return s.Deterministic || always.Load() }

// Context returns the scope's context, or Background.
func (s *State) Context() context.Context {
	if s.Ctx == nil {
		return context.Background()
	}
	return s.Ctx
}
