package exec

// sink orders the launches from the last to the first. Everything behind the current position is fixed: a launch whose readers are all
// behind it, and whose results are larger than the inputs it would keep live from there on, is scheduled at once; where there is none,
// the last launch of the first order that is left.
func (d *deps) sink() []int32 {
	n := len(d.made)
	s := &sinking{deps: d, order: make([]int32, n), left: n, scheduled: make([]bool, n), queued: make([]bool, n), gain: make([]int, n),
		open: make([]int32, n), live: make([]bool, len(d.size))}
	for k := range n {
		s.open[k] = int32(len(d.after.of(k)))
		for _, b := range d.reads.of(k) {
			s.gain[k] -= d.size[b]
		}
		for _, o := range d.p.steps[k].out {
			if len(d.readers.of(int(o.buf))) > 0 {
				s.gain[k] += d.size[o.buf]
			}
		}
	}
	for k := n - 1; k >= 0; k-- {
		s.consider(int32(k))
	}
	for k := n - 1; k >= 0; k-- {
		if !s.scheduled[k] {
			s.schedule(int32(k))
		}
		for len(s.stack) > 0 {
			top := s.stack[len(s.stack)-1]
			s.stack = s.stack[:len(s.stack)-1]
			s.queued[top] = false
			if !s.scheduled[top] && s.bytes+s.held(top) <= d.bound {
				s.schedule(top)
			}
		}
	}
	return s.order
}

// sinking is the state of such a walk.
type sinking struct {
	*deps
	order             []int32
	left              int // positions not filled yet
	scheduled, queued []bool
	gain              []int   // by launch: bytes it makes that are wanted, less those it would hold of its inputs
	open              []int32 // by launch: launches that must come behind it and are not placed
	live              []bool  // by buffer
	bytes             int     // of them
	stack             []int32
}

// consider notes a launch that may be scheduled at once.
func (s *sinking) consider(k int32) {
	if s.open[k] == 0 && !s.scheduled[k] && !s.queued[k] && s.gain[k] >= -s.small {
		s.queued[k] = true
		s.stack = append(s.stack, k)
	}
}

// held is what a launch adds to what is alive behind it while it runs.
func (s *sinking) held(k int32) (bytes int) {
	for _, b := range s.reads.of(int(k)) {
		if !s.live[b] {
			bytes += s.size[b]
		}
	}
	for _, o := range s.p.steps[k].out {
		if !s.live[o.buf] {
			bytes += s.size[o.buf]
		}
	}
	return bytes
}

func (s *sinking) schedule(k int32) {
	s.left--
	s.order[s.left], s.scheduled[k] = k, true
	for _, o := range s.p.steps[k].out {
		if s.live[o.buf] {
			s.live[o.buf] = false
			s.bytes -= s.size[o.buf]
		}
	}
	for _, b := range s.reads.of(int(k)) {
		if s.live[b] {
			continue
		}
		s.live[b] = true
		s.bytes += s.size[b]
		for _, r := range s.readers.of(int(b)) { // its other readers keep it live at no cost now
			s.gain[r] += s.size[b]
			s.consider(r)
		}
	}
	for _, m := range s.before.of(int(k)) {
		s.open[m]--
		s.consider(m)
	}
}
