package gemm

// slab is a rectangle of C and a chunk of k: what one block works on at a time.
type slab[T Float] struct {
	row, rows int
	col, cols int
	pc, kc    int
	c         []T // the rectangle; the kernels write here
	crs       int
	add       bool // to C, rather than overwrite it
}

// inPlace multiplies with B where it lies; its rows must be contiguous.
func (s *slab[T]) inPlace(e *engine[T], p *problem[T]) {
	for j := 0; j < s.cols; j += e.cols() {
		s.tiles(e, p, p.b[s.pc*p.brs+s.col+j:], p.brs, j, min(e.cols(), s.cols-j))
	}
}

// panels copies a few panels of B at a time, then multiplies with them.
func (s *slab[T]) panels(e *engine[T], p *problem[T], buf *buffer[T]) {
	width := e.cols()
	buf.panel = grow(buf.panel, min(stripPanels, ceilDiv(s.cols, width))*width*s.kc)
	for from := 0; from < s.cols; from += stripPanels * width {
		to := min(from+stripPanels*width, s.cols)
		p.packB(e, buf.panel, s.pc, s.kc, s.col+from, to-from)
		for j := from; j < to; j += width {
			s.tiles(e, p, buf.panel[(j-from)*s.kc:], width, j, min(width, to-j))
		}
	}
}

// dots multiplies with columns of B that are contiguous in k.
func (s *slab[T]) dots(e *engine[T], p *problem[T]) {
	a := p.a[s.row*p.ars+s.pc*p.acs:]
	for j := 0; j < s.cols; j += e.lanes {
		at, c, cols := s.pc+(s.col+j)*p.bcs, s.c[j:], min(e.lanes, s.cols-j)
		if p.b16 != nil {
			e.dotsHalf[s.rows](s.kc, a, p.ars, p.acs, p.b16[at:], p.bcs, c, s.crs, cols, s.add)
		} else {
			e.dots[s.rows](s.kc, a, p.ars, p.acs, p.b[at:], p.bcs, c, s.crs, cols, s.add)
		}
	}
}

// tiles multiplies all rows of the slab with cols columns of B, for the columns from j.
func (s *slab[T]) tiles(e *engine[T], p *problem[T], b []T, brs, j, cols int) {
	panels := ceilDiv(s.rows, e.rows)
	for i := range panels {
		from, to := part(i, panels, s.rows)
		a := p.a[(s.row+from)*p.ars+s.pc*p.acs:]
		e.kernel(to-from, cols)(s.kc, a, p.ars, p.acs, b, brs, s.c[from*s.crs+j:], s.crs, cols, s.add)
	}
}
