package lapack

// division is a problem that is solved in two parts whose solutions are joined.
type division interface {
	size() int
	// split returns the parts, nil for a problem that is so small that it is solved as a whole.
	split() (first, second division)
	solve()
	// join joins the solutions of the parts: with all goroutines, or alone.
	join(alone bool)
}

const (
	wholePart   = 64  // parts up to this size are solved by one goroutine
	sharedJoint = 256 // joints beyond this size have all goroutines, even if there are several
)

// conquer solves a problem level by level: the parts of a level do not depend on each other.
func conquer(root division, each func(n int, f func(i int))) {
	levels := [][]division{{root}}
	for last := levels[0]; last[0].size() > wholePart; levels = append(levels, last) {
		var parts []division
		for _, p := range last {
			first, second := p.split()
			parts = append(parts, first, second)
		}
		last = parts
	}
	parts := levels[len(levels)-1]
	each(len(parts), func(i int) { conquerAlone(parts[i]) })
	for l := len(levels) - 2; l >= 0; l-- {
		parts := levels[l]
		if len(parts) > 1 && parts[0].size() <= sharedJoint {
			each(len(parts), func(i int) { parts[i].join(true) })
			continue
		}
		for _, p := range parts {
			p.join(false)
		}
	}
}

// conquerAlone is conquer with one goroutine.
func conquerAlone(p division) {
	first, second := p.split()
	if first == nil {
		p.solve()
		return
	}
	conquerAlone(first)
	conquerAlone(second)
	p.join(true)
}

// one is a solver for one goroutine of several, without scratch.
func (s *Solver[T]) one() *Solver[T] {
	if s.Loop == nil {
		return s
	}
	return &Solver[T]{Mul: s.Alone, Mul64: s.Alone64, Vectors: s.Vectors}
}
