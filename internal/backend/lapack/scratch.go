package lapack

import "sync"

// scratch is memory in chunks that stay where they are, so that what is taken and given back again and again is allocated once.
type scratch[T Number] struct {
	chunks [][]T
	mark
}

// mark is a position in scratch: everything before it is in use.
type mark struct{ chunk, used int }

// take returns scratch of n elements that hold anything. back gives it back.
func (s *scratch[T]) take(n int) []T {
	for ; s.chunk < len(s.chunks); s.chunk, s.used = s.chunk+1, 0 {
		if c := s.chunks[s.chunk]; s.used+n <= len(c) {
			x := c[s.used : s.used+n : s.used+n]
			s.used += (n + 15) &^ 15 // what follows begins with a whole vector
			return x
		}
	}
	most := 1024
	for _, c := range s.chunks {
		most = max(most, 2*len(c))
	}
	s.chunks = append(s.chunks, make([]T, max(n, most)))
	s.used = (n + 15) &^ 15
	return s.chunks[s.chunk][:n:n]
}

// zeros is take with zeros.
func (s *scratch[T]) zeros(n int) []T {
	x := s.take(n)
	clear(x)
	return x
}

// at is the mark of what is in use now.
func (s *scratch[T]) at() mark { return s.mark }

// back gives back what was taken since the mark.
func (s *scratch[T]) back(p mark) { s.mark = p }

// pools have the scratch of solvers that were released, by type. The garbage collector empties them.
var pools [4]sync.Pool

func poolOf[T Number]() *sync.Pool {
	var x T
	switch any(x).(type) {
	case float32:
		return &pools[0]
	case float64:
		return &pools[1]
	case complex64:
		return &pools[2]
	}
	return &pools[3]
}

// Reuse gives the solver scratch that another had. Release gives it on.
func (s *Solver[T]) Reuse() {
	if p, ok := poolOf[T]().Get().(*[][]T); ok {
		s.chunks = *p
	}
}

// Release ends the use of the solver: its scratch goes to others.
func (s *Solver[T]) Release() {
	if s.wide != nil {
		s.wide.Release()
		s.wide = nil
	}
	if s.wideC != nil {
		s.wideC.Release()
		s.wideC = nil
	}
	chunks := s.chunks
	s.scratch = scratch[T]{}
	if len(chunks) > 0 {
		poolOf[T]().Put(&chunks)
	}
}

// inFloat64 is a solver for the float64 parts of a problem, with the same products and loops. It has scratch of its own.
func (s *Solver[T]) inFloat64() *Solver[float64] {
	if s.wide == nil {
		s.wide = &Solver[float64]{Mul: s.Mul64, Mul64: s.Mul64, Loop: s.Loop, Alone: s.Alone64,
			Alone64: s.Alone64, Vectors: s.Vectors}
		s.wide.Reuse()
	}
	return s.wide
}

// inComplex128 is inFloat64 for complex numbers.
func (s *Solver[T]) inComplex128() *Solver[complex128] {
	if s.wideC == nil {
		s.wideC = &Solver[complex128]{Mul: s.MulC, Mul64: s.Mul64, Loop: s.Loop, Alone: s.AloneC, Alone64: s.Alone64, Vectors: s.Vectors}
		s.wideC.Reuse()
	}
	return s.wideC
}

// alone is a solver for one goroutine of a Loop, with scratch of its own. Release ends its use.
func (s *Solver[T]) alone() *Solver[T] {
	w := &Solver[T]{Mul: s.Alone, Mul64: s.Alone64, Vectors: s.Vectors}
	w.Reuse()
	return w
}

// share runs f for the parts of n columns or rows, width at most each, some at the same time.
func (s *Solver[T]) share(n, width int, f func(w *Solver[T], from, count int)) {
	s.Loop((n+width-1)/width, func(i int) {
		w := s.alone()
		defer w.Release()
		f(w, i*width, min(width, n-i*width))
	})
}
