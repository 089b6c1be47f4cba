package conv

import "github.com/lucid-go/lucid/internal/par"

// stripPlan is how the ways that multiply by the input as stored see a phase: the output in strips some rows high, and
// the input a strip reads copied to scratch with its padding, one channel after the other. There the row of a channel
// and a tap begins at an offset and runs on through all output rows of the strip.
type stripPlan[T number] struct {
	j             *job[T]
	high, wide    axis
	rows, cols    int // outputs of a strip
	strips        int // of an image plane, below each other
	across        int // and side by side
	height, pitch int // of a part of the scratch: rows, and their distance
}

// newStrips makes strips whose rows have at most so many outputs.
func (j *job[T]) newStrips(most int) stripPlan[T] {
	p := &j.phase
	s := stripPlan[T]{j: j, high: newAxis(p[1].first, p[1].stride, p[1].step, p[1].taps),
		wide: newAxis(p[2].first, p[2].stride, p[2].step, p[2].taps)}
	s.across = ceil(p[2].outs, most)
	s.cols = ceil(p[2].outs, s.across)
	if s.across == 1 {
		s.wide.share(p[2].outs, j.size[2])
	}
	s.pitch = s.cols + s.wide.extra - s.wide.shared
	return s
}

// leastBlocks is how many blocks a phase should have at least, where cutting it leaves the order of sums as it is: enough to keep
// every thread busy to the end, unless they would be small.
func (j *job[T]) leastBlocks() int {
	work := j.images * j.groups * j.kernels * j.channels * j.phase.taps() * j.phase.outs()
	return max(directLeast, min(8*par.Threads(), work/leastWork))
}

// cut makes strips of about so many rows, fewer if there are too few strips; units is what each strip comes in.
func (s *stripPlan[T]) cut(rows, units int) {
	outs, least := s.j.phase[1].outs, s.j.leastBlocks()
	s.rows = min(max(1, rows), outs)
	for s.rows > 1 && units*ceil(outs, s.rows) < least {
		s.rows = ceil(s.rows, 2)
	}
	s.strips = ceil(outs, s.rows)
	s.rows = ceil(outs, s.strips)
	s.height = s.rows + s.high.extra
}

// plane is where a part is in the scratch; u0 counts channels and the taps of the first dimension together.
func (s *stripPlan[T]) plane(u0, high, wide int) int {
	return ((u0*s.high.parts()+high)*s.wide.parts() + wide) * (s.height*s.pitch + s.wide.shared)
}

// offsets lists where the rows of the taps of one channel begin.
func (s *stripPlan[T]) offsets() (off []int) {
	p := &s.j.phase
	for k := range p.taps() {
		u2, u1, u0 := k%p[2].taps, k/p[2].taps%p[1].taps, k/(p[2].taps*p[1].taps)
		off = append(off, s.plane(u0, s.high.part[u1], s.wide.part[u2])+s.high.shift[u1]*s.pitch+s.wide.shift[u2])
	}
	return off
}

// strip is a part of the output: channels o0 to o1 of a group, and rows from t1 and columns from t2 on.
type strip struct{ image, group, o0, o1, t0, t1, t2, rows, cols int }

// offset is where row r of a strip begins in its channel.
func (s *stripPlan[T]) offset(u *strip, r int) int {
	p := &s.j.phase
	return ((p[0].out+u.t0*p[0].outStep)*s.j.outSize[1]+p[1].out+(u.t1+r)*p[1].outStep)*s.j.outSize[2] + p[2].out + u.t2*p[2].outStep
}

// fill copies what a strip reads of some channels, with zeros for what is outside.
func (s *stripPlan[T]) fill(x []T, base, channels int, u *strip) {
	j, p := s.j, &s.j.phase
	next := s.plane(p[0].taps, 0, 0) // of the next channel
	for u0 := range p[0].taps {
		i0 := p[0].first + u.t0*p[0].stride + u0*p[0].step
		for h := range s.high.parts() {
			for w := range s.wide.parts() {
				j.copyWindow(x[s.plane(u0, h, w):], next, base, channels, &inputWindow{
					i0:   i0,
					high: s.high.at(h, u.t1), highStep: s.high.stride, rows: u.rows + s.high.extra,
					wide: s.wide.at(w, u.t2), wideStep: s.wide.stride, pitch: s.pitch, tail: s.wide.shared})
			}
		}
	}
}
