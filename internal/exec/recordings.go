package exec

import (
	"slices"
	"sync"
)

// A recording holds memory of its device, so not every size of a shared plan has one: the first few that come again do, and one that
// was not used for long makes room for another. The other sizes are launched one by one.

const (
	maxRecordedSizes = 8  // of one plan
	longUnused       = 64 // runs of the plan after which a recording makes room
)

// recordings are those of the sizes of one plan.
type recordings struct {
	mu   sync.Mutex
	runs int
	list []*capture
}

// use notes a run of a size.
func (r *recordings) use(c *capture) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.runs++
	c.used = r.runs
}

// admit reports whether a size may be recorded; the recording of another one may go for it.
func (r *recordings) admit(c *capture) bool {
	if r == nil {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if slices.Contains(r.list, c) {
		return true
	}
	if len(r.list) >= maxRecordedSizes {
		old := slices.MinFunc(r.list, func(a, b *capture) int { return a.used - b.used })
		if r.runs-old.used < longUnused || !old.mu.TryLock() {
			return false
		}
		old.forget()
		old.mu.Unlock()
		r.list = slices.DeleteFunc(r.list, func(x *capture) bool { return x == old })
	}
	r.list = append(r.list, c)
	return true
}

// forget gives up the recording, which may be made again.
func (c *capture) forget() {
	if c.rec != nil {
		made := c.made
		c.drop()
		c.made, c.why = made-1, ""
	}
	c.last = nil
}

// Close gives up what the program holds on devices between runs; it can run again.
func (r *Replay) Close() {
	c := r.capture
	if c == nil || c.recordings == nil || !c.mu.TryLock() {
		return
	}
	defer c.mu.Unlock()
	c.forget()
	s := c.recordings
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = slices.DeleteFunc(s.list, func(x *capture) bool { return x == c })
}
