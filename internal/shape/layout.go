package shape

import "slices"

// Layout is how a shape is stored in a buffer: strides and offset in elements. A nil *Layout means row-major from 0.
type Layout struct {
	Strides []int
	Offset  int
}

// withRoom is a layout and room for its strides: both are allocated at once.
type withRoom struct {
	Layout
	strides [4]int
}

// newLayout makes a layout of so many dimensions.
func newLayout(rank, offset int) *Layout {
	if rank > len(withRoom{}.strides) {
		return &Layout{make([]int, rank), offset}
	}
	r := &withRoom{Layout: Layout{Offset: offset}}
	r.Strides = r.strides[:rank:rank]
	return &r.Layout
}

// Contiguous returns the row-major layout of s.
func Contiguous(s *Shape) *Layout {
	l := newLayout(s.Rank(), 0)
	s.stridesInto(l.Strides)
	return l
}

// SameStrides reports whether both have the same strides, wherever they begin. nil stands for row-major order.
func (l *Layout) SameStrides(m *Layout) bool {
	return l == m || l != nil && m != nil && slices.Equal(l.Strides, m.Strides)
}

// Extent returns how many elements the layout reaches back from its first one, and how many it spans from there on.
func (l *Layout) Extent(s *Shape) (back, end int) {
	if l == nil || s.Numel() == 0 {
		return 0, s.Numel()
	}
	end = 1
	for i, d := range s.dims {
		if n := (d - 1) * l.Strides[i]; n >= 0 {
			end += n
		} else {
			back -= n
		}
	}
	return back, end
}

// IsContiguous reports whether the layout walks s in row-major order without gaps; sizes of 1 do not matter.
func (l *Layout) IsContiguous(s *Shape) bool {
	if l == nil {
		return true
	}
	n := 1
	for i := len(s.dims) - 1; i >= 0; i-- {
		if s.dims[i] == 1 {
			continue
		}
		if s.dims[i] == 0 {
			return true
		}
		if l.Strides[i] != n {
			return false
		}
		n *= s.dims[i]
	}
	return true
}

// Permute returns the layout with dimensions in the given order.
func (l *Layout) Permute(order []int) *Layout {
	to := newLayout(len(order), l.Offset)
	for i, o := range order {
		to.Strides[i] = l.Strides[o]
	}
	return to
}

// BroadcastTo returns the layout that shows shape from with shape to, repeated dimensions having stride 0.
func (l *Layout) BroadcastTo(from, to *Shape) *Layout {
	shown := newLayout(to.Rank(), l.Offset)
	off := to.Rank() - from.Rank()
	for i, d := range from.dims {
		if d != 1 {
			shown.Strides[off+i] = l.Strides[i]
		}
	}
	return shown
}

// Slice returns the layout of x[start:...:step] along every dimension.
func (l *Layout) Slice(start, step []int) *Layout {
	to := newLayout(len(start), l.Offset)
	for i := range start {
		to.Strides[i] = l.Strides[i] * step[i]
		to.Offset += l.Strides[i] * start[i]
	}
	return to
}

// Reshape returns the layout that shows the same elements with shape to, or nil if no strides can.
func (l *Layout) Reshape(from, to *Shape) *Layout {
	if from.numel == 0 || to.numel == 0 {
		return Contiguous(to)
	}
	shown := newLayout(to.Rank(), l.Offset)
	st := shown.Strides
	// Walk both shapes from the end, matching runs of source dimensions that are mergeable.
	ti := to.Rank() - 1
	fi := from.Rank() - 1
	for fi >= 0 {
		if from.dims[fi] == 1 {
			fi--
			continue
		}
		size, stride := from.dims[fi], l.Strides[fi]
		for fi > 0 && (from.dims[fi-1] == 1 || l.Strides[fi-1] == stride*size) {
			fi--
			size *= from.dims[fi]
		}
		fi--
		rest := stride
		for size > 1 {
			if ti < 0 || size%to.dims[ti] != 0 {
				return nil
			}
			st[ti] = rest
			rest *= to.dims[ti]
			size /= to.dims[ti]
			ti--
		}
	}
	return shown
}

// Collapse merges dimensions that all layouts walk alike, and drops sizes of 1. It returns the sizes and, per layout, the strides.
// It is what makes kernels see as few dimensions as the memory allows.
func Collapse(s *Shape, layouts ...[]int) (dims []int, strides [][]int) {
	rank := s.Rank()
	strides = make([][]int, len(layouts))
	room := make([]int, rank*(1+len(layouts))) // for all lists at once
	dims = room[:0:rank]
	for j := range strides {
		strides[j] = room[(1+j)*rank : (1+j)*rank : (2+j)*rank]
	}
	for i, d := range s.dims {
		if d == 1 {
			continue
		}
		n := len(dims)
		merge := n > 0
		for j := range layouts {
			if merge && strides[j][n-1] != layouts[j][i]*d {
				merge = false
			}
		}
		if merge {
			dims[n-1] *= d
			for j := range layouts {
				strides[j][n-1] = layouts[j][i]
			}
			continue
		}
		dims = append(dims, d)
		for j := range layouts {
			strides[j] = append(strides[j], layouts[j][i])
		}
	}
	return dims, strides
}
