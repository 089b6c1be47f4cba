package gemm

import "github.com/lucid-go/lucid/internal/par"

// A product whose sums no caller stores: one of half types is rounded part by part, and a gradient may be used up by an
// optimizer's update part by part; sums would only go to memory and come back. They stay in scratch memory that is in the
// cache: of one panel of A and one strip of B if k is one chunk (packed.go), else of a block's rows and one strip, to
// which chunk after chunk is added.

const (
	cachedPanels = 256 << 10 // most elements of A that stay packed from strip to strip
	partPad      = 16        // so that rows of sums do not fall into the same set of the cache
)

// partRows is the most rows of a block.
func (p *problem[T]) partRows(e *engine[T]) int {
	kc := e.chunk(p.k)
	if kc >= p.k {
		return p.m
	}
	return max(2*e.rows, e.partElems/e.strip(kc, p.n))
}

// intoScratch computes a block strip by strip, each over all of k.
func (s *macroBlock[T]) intoScratch(e *engine[T], p *problem[T], buf *buffer[T], o order) {
	kc := min(e.chunk(p.k), p.k)
	strip := e.strip(kc, s.cols)
	if s.crs = strip + partPad; strip == p.n && strip*sizeOf[T]()%1024 != 0 {
		s.crs = strip // whole rows, which the epilogue can take as one run
	}
	if kc == p.k {
		buf.out = grow(buf.out, e.rows*s.crs)
		s.kc, s.c = kc, buf.out
		s.packed(e, p, buf, o)
		return
	}
	tile := e.rows
	if o == inPlace {
		tile = p.tileRows(e)
	}
	panels, chunks, each := ceilDiv(s.rows, tile), ceilDiv(p.k, kc), e.rows*(kc+packPad)
	slots := panels * chunks // of A
	if slots*each > cachedPanels || strip >= s.cols {
		slots = 1
	}
	buf.out = grow(buf.out, s.rows*s.crs)
	buf.panel = grow(buf.panel, ceilDiv(strip, e.cols())*e.cols()*kc)
	if o != inPlace {
		buf.rows = grow(buf.rows, slots*each)
	}
	pace := par.NewPace()
	for at := 0; at < s.cols; at += strip {
		cols := min(strip, s.cols-at)
		for chunk := range chunks {
			s.pc = chunk * kc
			s.kc, s.add = min(kc, p.k-s.pc), chunk > 0
			b := p.panelsB(e, buf.panel, s.pc, s.kc, s.col+at, cols)
			for i := range panels {
				from, to := part(i, panels, s.rows)
				a, rs, cs := s.scratchPanelA(e, p, buf.rows[min((chunk*panels+i)%slots*each, len(buf.rows)):], o, from, to-from,
					at == 0 || slots == 1)
				s.c = buf.out[from*s.crs:]
				s.panelRow(e, b, a, rs, cs, 0, to-from, 0, cols)
				if chunk == chunks-1 {
					p.ep(s.c, s.crs, s.row+from, s.col+at, to-from, cols)
				}
				pace.Step()
			}
		}
	}
}

// scratchPanelA is aPanel; columns are packed panel by panel.
func (s *macroBlock[T]) scratchPanelA(e *engine[T], p *problem[T], dst []T, o order, i, rows int, first bool) (a []T, rs, cs int) {
	if o == byCols && first {
		p.packA(e, dst, 0, o, s.row+i, rows, s.pc, s.kc)
	}
	return s.aPanel(e, p, dst, o, i, rows, first)
}
