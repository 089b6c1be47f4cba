package cuda

import (
	"sync"
	"time"
)

// kernelTimes adds up the times of launches, where the host synchronises after each (LUCID_CUDA_SYNC=1).
type kernelTimes struct {
	sync.Mutex
	spent map[string]Spent
}

// Spent is the time of the launches of one kernel.
type Spent struct {
	Launches    int
	Time, Least time.Duration // the total, and the shortest: the first launches load code and choose algorithms
}

func (s *shared) spent(what string, begin time.Time) {
	took := time.Since(begin)
	s.times.Lock()
	defer s.times.Unlock()
	if s.times.spent == nil {
		s.times.spent = map[string]Spent{}
	}
	t, known := s.times.spent[what]
	if !known || took < t.Least {
		t.Least = took
	}
	s.times.spent[what] = Spent{t.Launches + 1, t.Time + took, t.Least}
}

// Times returns the times of launches so far, by kernel; empty unless LUCID_CUDA_SYNC=1.
func (s *shared) Times() map[string]Spent {
	s.times.Lock()
	defer s.times.Unlock()
	m := map[string]Spent{}
	for k, v := range s.times.spent {
		m[k] = v
	}
	return m
}
