package exec

import (
	"sync"
	"sync/atomic"

	"github.com/lucid-go/lucid/internal/scope"
)

// Stream runs evaluations one after the other on a goroutine of its own, which lives only while there is work.
type Stream struct {
	mu      sync.Mutex
	queue   []func()
	running bool
	idle    *sync.Cond
}

// defaultStream is where evaluations go that name no stream; nil: nowhere.
var defaultStream atomic.Pointer[Stream]

// SetDefaultStream changes it and returns the one before.
func SetDefaultStream(s *Stream) *Stream { return defaultStream.Swap(s) }

// DefaultStream returns it.
func DefaultStream() *Stream { return defaultStream.Load() }

// NewStream returns a stream without work.
func NewStream() *Stream {
	s := &Stream{}
	s.idle = sync.NewCond(&s.mu)
	return s
}

func (s *Stream) enqueue(work func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = append(s.queue, work)
	if !s.running {
		s.running = true
		if defaultStream.Load() != s {
			go s.drain()
			return
		}
		// What the work itself evaluates must not wait behind it.
		go scope.With(func(st *scope.State) { st.Stream = (*Stream)(nil) }, s.drain)
	}
}

func (s *Stream) drain() {
	for {
		s.mu.Lock()
		if len(s.queue) == 0 {
			s.queue, s.running = nil, false
			s.idle.Broadcast()
			s.mu.Unlock()
			return
		}
		work := s.queue[0]
		s.queue[0] = nil // work that is done holds its plan
		s.queue = s.queue[1:]
		s.mu.Unlock()
		work()
	}
}

// Synchronize waits until all work given to the stream so far is done.
func (s *Stream) Synchronize() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.running {
		s.idle.Wait()
	}
}

// inFlight counts the plans that run outside the lock.
var inFlight = newFlight()

type flightCount struct {
	mu    sync.Mutex
	less  *sync.Cond
	all   int
	async int // started by EvalAsync, on no stream
}

func newFlight() *flightCount {
	f := &flightCount{}
	f.less = sync.NewCond(&f.mu)
	return f
}

// enterAsync waits for the asynchronous plan before: a program that never reads anything builds its next step while
// the last one runs, but cannot run ahead of the machine, and finds its state settled, so that it is written in place.
func (f *flightCount) enterAsync() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.async > 0 {
		f.less.Wait()
	}
	f.async++
}

func (f *flightCount) leaveAsync() {
	f.mu.Lock()
	f.async--
	f.mu.Unlock()
	f.less.Broadcast()
}

func (f *flightCount) enter() {
	f.mu.Lock()
	f.all++
	f.mu.Unlock()
}

func (f *flightCount) leave() {
	f.mu.Lock()
	f.all--
	f.mu.Unlock()
	f.less.Broadcast()
}

// Synchronize waits until no evaluation runs.
func Synchronize() {
	inFlight.mu.Lock()
	defer inFlight.mu.Unlock()
	for inFlight.all > 0 {
		inFlight.less.Wait()
	}
}
