package gemm

import (
	"github.com/lucid-go/lucid/internal/cpuid"
	"github.com/lucid-go/lucid/internal/par"
)

// macroBlock is a rectangle of C and a chunk of k: what one block works on at a time.
type macroBlock[T Float] struct {
	row, rows int
	col, cols int
	pc, kc    int
	c         []T // the rectangle; the kernels write here
	crs       int
	add       bool // to C, rather than overwrite it

	pace  par.Pace
	calls int // of kernels, between two looks at the clock; negative: the macroBlock is too small to look
}

const (
	pacedWork  = 1 << 21 // multiply-adds from which a macroBlock lets others have the processor now and then
	pacedCalls = 8       // of kernels, each of which takes microseconds
)

// begin starts the clock of a macroBlock that is worked on for long.
func (s *macroBlock[T]) begin(k int) {
	if s.calls = -1; work(s.rows, s.cols, k) >= pacedWork {
		s.pace, s.calls = par.NewPace(), 0
	}
}

// step ends the call of a kernel.
func (s *macroBlock[T]) step() {
	if s.calls < 0 {
		return
	}
	if s.calls++; s.calls%pacedCalls == 0 {
		s.pace.Step()
	}
}

// inPlace multiplies with B in place; its rows must be contiguous.
func (s *macroBlock[T]) inPlace(e *engine[T], p *problem[T]) {
	b := p.b[s.pc*p.brs+s.col:]
	if s.rows <= 2*e.rows { // A is in the cache, B perhaps not: read it once
		for j := 0; j < s.cols; j += e.cols() {
			s.tiles(e, p, b[j:], p.brs, 0, s.rows, j, min(e.cols(), s.cols-j))
		}
		return
	}
	panels := ceilDiv(s.rows, p.tileRows(e))
	width := e.cols()
	for i := range panels {
		from, to := part(i, panels, s.rows)
		a := p.a[(s.row+from)*p.ars+s.pc*p.acs:]
		for j := 0; j < s.cols; j += width {
			n := min(width, s.cols-j)
			e.kernel(to-from, n)(s.kc, a, p.ars, p.acs, b[j:], p.brs, s.c[from*s.crs+j:], s.crs, n, s.add)
			s.step()
		}
	}
}

// panels copies a few panels of B at a time, then multiplies with them.
func (s *macroBlock[T]) panels(e *engine[T], p *problem[T], buf *buffer[T]) {
	width := e.cols()
	buf.panel = grow(buf.panel, min(e.stripPanels, ceilDiv(s.cols, width))*width*s.kc)
	for from := 0; from < s.cols; from += e.stripPanels * width {
		to := min(from+e.stripPanels*width, s.cols)
		packed := p.panelsB(e, buf.panel, s.pc, s.kc, s.col+from, to-from)
		for j := from; j < to; j += width {
			s.tiles(e, p, packed[(j-from)*s.kc:], width, 0, s.rows, j, min(width, to-j))
		}
	}
}

// dots multiplies with columns of B that are contiguous in k.
func (s *macroBlock[T]) dots(e *engine[T], p *problem[T]) {
	a := p.a[s.row*p.ars+s.pc*p.acs:]
	if p.b16 == nil {
		e.dot(s.rows, s.kc, a, p.ars, p.acs, p.b[s.pc+s.col*p.bcs:], p.bcs, s.c, s.crs, s.cols, s.add)
		s.step()
		return
	}
	for j := 0; j < s.cols; j += e.lanes {
		e.dotsHalf[p.half][s.rows](s.kc, a, p.ars, p.acs, p.b16[s.pc+(s.col+j)*p.bcs:], p.bcs, s.c[j:], s.crs,
			min(e.lanes, s.cols-j), s.add)
		s.step()
	}
}

// tiles multiplies rows of the macroBlock with cols columns of B, for the columns from j.
func (s *macroBlock[T]) tiles(e *engine[T], p *problem[T], b []T, brs, row, end, j, cols int) {
	panels := ceilDiv(end-row, p.tileRows(e))
	for i := range panels {
		from, to := part(i, panels, end-row)
		from, to = row+from, row+to
		a := p.a[(s.row+from)*p.ars+s.pc*p.acs:]
		e.kernel(to-from, cols)(s.kc, a, p.ars, p.acs, b, brs, s.c[from*s.crs+j:], s.crs, cols, s.add)
		s.step()
	}
}

// tileRows is how many rows of A in place a tile may have: equal columns of rows that
// are whole pages apart share a set of an L1 cache, which has eight ways or a few more. One way is left to B.
func (p *problem[T]) tileRows(e *engine[T]) int {
	if !e.squares && p.setConflict(e) {
		return min(e.rows, cpuid.L1Ways-1)
	}
	return e.rows
}

// setConflict reports whether rows of A are whole pages apart; half pages are too much for the many rows of square tiles.
func (p *problem[T]) setConflict(e *engine[T]) bool {
	page := 4096
	if e.squares {
		page /= 2
	}
	return p.acs == 1 && p.ars*sizeOf[T]()%page == 0
}
