package exec

import "sync"

// Stream runs evaluations one after the other on a goroutine of its own, which lives only while there is work.
type Stream struct {
	mu      sync.Mutex
	queue   []func()
	running bool
	idle    *sync.Cond
}

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
		go s.drain()
	}
}

func (s *Stream) drain() {
	for {
		s.mu.Lock()
		if len(s.queue) == 0 {
			s.running = false
			s.idle.Broadcast()
			s.mu.Unlock()
			return
		}
		work := s.queue[0]
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

// inFlight counts plans that run outside the lock.
var inFlight sync.WaitGroup

// Synchronize waits until every evaluation started so far is done.
func Synchronize() { inFlight.Wait() }
