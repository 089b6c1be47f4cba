package cpu

import (
	"slices"
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/bufpool"
	"github.com/lucid-go/lucid/internal/shape"
)

// stack is a batch of matrices in its own memory: rows and columns have non-negative strides, leading dimensions any that
// stay in the slice.
type stack[T any] struct {
	x          []T
	rows, cols int
	rs, cs     int
	lead       []int // leading sizes
	step       []int // and their strides
	free       func()
}

// flat is a view as a slice with non-negative strides.
type flat[T any] struct {
	x       []T
	strides []int
	free    func()
}

// flatOf shows a view in a slice from its first element on. A view with a negative stride is copied first.
func flatOf[T any](c *backend.Ctx, v backend.View) (flat[T], error) {
	switch {
	case v.Numel() == 0:
		return flat[T]{strides: v.Strides()}, nil
	case !slices.ContainsFunc(v.Strides(), func(s int) bool { return s < 0 }):
		return flat[T]{x: backend.Whole[T](v), strides: v.Strides()}, nil
	}
	l := compactOf(v)
	x, free := borrow[T](l.count)
	err := l.blocks(c, func(from, n int) { gatherTile(unsafe.Pointer(&x[from]), &l.src, from, n) })
	return flat[T]{x, l.fresh, free}, err
}

// stackOf shows a view as a stack.
func stackOf[T any](c *backend.Ctx, v backend.View) (stack[T], error) {
	f, err := flatOf[T](c, v)
	return newStack(f.x, v.Shape, f.strides, f.free), err
}

func newStack[T any](x []T, s *shape.Shape, strides []int, free func()) stack[T] {
	r := s.Rank()
	return stack[T]{x: x, rows: s.Dim(r - 2), cols: s.Dim(r - 1), rs: strides[r-2], cs: strides[r-1],
		lead: s.Dims()[:r-2], step: strides[:r-2], free: free}
}

func (s *stack[T]) done() {
	if s.free != nil {
		s.free()
	}
}

// at returns matrix i, counting in row-major order.
func (s *stack[T]) at(i int) []T {
	if len(s.x) == 0 {
		return nil
	}
	off := 0
	for d := len(s.lead) - 1; d >= 0; d-- {
		off += i % s.lead[d] * s.step[d]
		i /= s.lead[d]
	}
	return s.x[off:]
}

// repeated reports whether all matrices are one.
func (s *stack[T]) repeated() bool {
	for d, n := range s.lead {
		if n > 1 && s.step[d] != 0 {
			return false
		}
	}
	return true
}

// mergeRows makes one tall matrix of the stack, if the rows follow each other evenly.
func (s *stack[T]) mergeRows() bool {
	rows, rs := s.rows, s.rs
	for d := len(s.lead) - 1; d >= 0; d-- {
		switch {
		case s.lead[d] == 1:
			continue
		case rows == 1:
			rs = s.step[d]
		case s.step[d] != rows*rs:
			return false
		}
		rows *= s.lead[d]
	}
	s.rows, s.rs, s.lead, s.step = rows, rs, nil, nil
	return rs >= 0
}

// compact says how to copy a view's elements once each, in the order of their memory, and where they are then.
type compact struct {
	src   operand
	count int
	fresh []int // strides of the copy
}

// compactOf leaves out repetitions: dimensions with stride 0 keep it.
func compactOf(v backend.View) compact {
	dims, strides := v.Shape.Dims(), v.Strides()
	order := make([]int, len(dims))
	for i := range order {
		order[i] = i
	}
	size := func(i int) int {
		if strides[i] < 0 {
			return -strides[i]
		}
		return strides[i]
	}
	slices.SortStableFunc(order, func(i, j int) int { return size(j) - size(i) })
	l := compact{count: 1, fresh: make([]int, len(dims))}
	l.src = operand{size: v.DType.Size(), base: unsafe.Add(v.Base(), v.Offset()*v.DType.Size())}
	for k := len(order) - 1; k >= 0; k-- {
		i := order[k]
		if strides[i] == 0 || dims[i] == 1 {
			continue
		}
		l.fresh[i] = l.count
		l.count *= dims[i]
		l.src.dims, l.src.strides = append(l.src.dims, dims[i]), append(l.src.strides, strides[i])
	}
	slices.Reverse(l.src.dims)
	slices.Reverse(l.src.strides)
	if len(l.src.dims) == 0 {
		l.src.dims, l.src.strides = []int{1}, []int{0}
	}
	return l
}

// blocks cuts the elements of the copy into runs, in parallel.
func (l *compact) blocks(c *backend.Ctx, f func(from, n int)) error {
	return forRuns(c, l.count, f)
}

// forRuns cuts n elements into runs, in parallel.
func forRuns(c *backend.Ctx, n int, f func(from, n int)) error {
	if n <= blockElems {
		f(0, n)
		return nil
	}
	return c.For((n+blockElems-1)/blockElems, func(block int) {
		from := block * blockElems
		f(from, min(blockElems, n-from))
	})
}

// borrow returns scratch for n elements, contents unknown, and how to give it back.
func borrow[T any](n int) ([]T, func()) { return bufpool.Borrow[T](n) }
