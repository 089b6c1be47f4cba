package gemm

import (
	"github.com/lucid-go/lucid/internal/cpuid"
	"github.com/lucid-go/lucid/internal/par"
)

// Sizes of packed.go. They decide speed only.
const (
	blocksPer = 4  // blocks for each thread, so that none waits long for another
	packPad   = 16 // see packA

	// columns of a block for which rows of A that are whole pages apart are copied, for tiles of few rows and of many
	copiedCols, copiedColsMany = 512, 64

	// multiply-adds in one block, unless threads would have none: 50 microseconds, next to which packing counts little
	packedLeast = 3 << 20

	groupPanels = 8    // of A that are packed together
	packedWork  = 8    // multiply-adds in the time in which half an element of B is packed
	segmentCost = 2048 // elements that could be packed while an epilogue begins with one more piece of a row
)

// strip is how many columns of B are packed at a time: as many as have the size of its stripPanels of the largest depth.
func (e *engine[T]) strip(kc, cols int) int {
	return min(cols, e.stripPanels*max(1, e.maxChunk/kc)*e.cols())
}

// packedGrid cuts C into blocks. Each packs its operands for itself, in memory that stays
// with the core: what another core has packed would have to come from its cache, which takes
// longer than packing again. So there are only as many blocks as there must be, of the shape
// that packs least and leaves no thread waiting; B costs more, since it goes to L2. What follows the product wants rows that are not cut.
func (p *problem[T]) packedGrid(e *engine[T], threads int) grid {
	panels, most := ceilDiv(p.n, e.cols()), max(1, p.m/(2*e.rows))
	want := ceilDiv(min(blocksPer*threads, max(threads, work(p.m, p.n, p.k)/packedLeast)), threads) * threads
	want = min(want, most*panels)
	if threads == 1 {
		want = 1
	}
	first := 1
	if p.c == nil {
		first = ceilDiv(p.m, p.partRows(e))
	}
	var best grid
	for rows, least := first, 0; rows <= max(first, min(want, most)); rows++ {
		g := grid{rows, min(ceilDiv(want, rows), panels)}
		cost := (2*g.rows*p.n + g.cols*p.m) * p.k
		if over := g.rows * g.cols % threads; over > 0 { // some threads wait while others do one block more
			cost += (threads - over) * (p.m * p.n / (g.rows * g.cols) * p.k / packedWork)
		}
		if p.ep != nil {
			cost += g.cols * p.m * segmentCost
		}
		if g.rows*g.cols >= want && (least == 0 || cost < least) {
			best, least = g, cost
		}
	}
	return best
}

// packed computes a chunk of the macroBlock: strips of B are packed one after the other, and panels
// of A, if they must be, with the first of them. A panel of A stays in L1 while those of the strip pass by.
func (s *macroBlock[T]) packed(e *engine[T], p *problem[T], buf *buffer[T], o order) {
	strip := e.strip(s.kc, s.cols)
	buf.panel = grow(buf.panel, ceilDiv(strip, e.cols())*e.cols()*s.kc)
	tile := e.rows
	if o == inPlace {
		tile = p.tileRows(e)
	}
	panels, each := ceilDiv(s.rows, tile), e.rows*(s.kc+packPad)
	high, group := ceilDiv(s.rows, panels), 1
	if o == byCols {
		panels, group = ceilDiv(s.rows, high), groupPanels
	}
	slots := ceilDiv(panels, group) * group
	if strip == s.cols {
		slots = group // no other strip will want them
	}
	if o != inPlace {
		buf.rows = grow(buf.rows, slots*each)
	}
	pace := par.NewPace() // a block may take milliseconds
	for at := 0; at < s.cols; at += strip {
		cols := min(strip, s.cols-at)
		b := p.panelsB(e, buf.panel, s.pc, s.kc, s.col+at, cols)
		for i := range panels {
			from, to := part(i, panels, s.rows)
			if o == byCols {
				from, to = i*high, min((i+1)*high, s.rows)
				if at == 0 && i%group == 0 {
					s.packGroup(e, p, buf.rows[i%slots*each:], each, high, from, min(group*high, s.rows-from))
				}
			}
			a, rs, cs := s.aPanel(e, p, buf.rows[min(i%slots*each, len(buf.rows)):], o, from, to-from, at == 0)
			if p.c == nil { // the sums of one panel and one strip are all there is
				s.panelRow(e, b, a, rs, cs, 0, to-from, 0, cols)
				p.ep(s.c, s.crs, s.row+from, s.col+at, to-from, cols)
				pace.Step()
				continue
			}
			s.panelRow(e, b, a, rs, cs, from, to-from, at, cols)
			if s.pc+s.kc == p.k { // a few rows: still in L1
				p.finish(s.row+from, s.col+at, to-from, cols)
			}
			pace.Step()
		}
	}
}

// panelRow multiplies one panel of A with the panels of a strip.
func (s *macroBlock[T]) panelRow(e *engine[T], b, a []T, rs, cs, row, rows, col, cols int) {
	width, j := e.cols(), 0
	if whole := cols / width; e.row != nil && whole > 0 {
		e.row(rows, s.kc, a, rs, b, whole, s.c[row*s.crs+col:], s.crs, s.add)
		j = whole * width
	}
	for ; j < cols; j += width {
		n := min(width, cols-j)
		e.kernel(rows, n)(s.kc, a, rs, cs, b[j*s.kc:], width, s.c[row*s.crs+col+j:], s.crs, n, s.add)
	}
}

// order is how A is read by the kernel.
type order uint8

const (
	inPlace order = iota // from in place
	byRows               // packed, rows contiguous in k
	byCols               // packed, each panel as columns of its rows
)

// copiesConflicts reports whether rows of A that conflict in a cache set are copied: if enough columns are multiplied with them. Eleven
// rows in twelve ways leave nothing to others that share the cache, least of all those of float64, which have twice the lines. The six
// of AVX2 in eight took up to twice the time, depending on where B was. Seven of AVX-512 in eight did not gain.
func (p *problem[T]) copiesConflicts(e *engine[T], cols int) bool {
	most := min(e.rows, cpuid.L1Ways-1)
	return e.squares || most > 7 && cols >= copiedColsMany || e.rows < 7 && cols >= copiedCols
}

// aOrder picks the order that needs the least copying: none if rows are contiguous in k and in sets of their own.
func (p *problem[T]) aOrder(e *engine[T], cols int) order {
	switch {
	case p.a16 == nil && p.acs == 1 && !(p.copiesConflicts(e, cols) && p.setConflict(e)):
		return inPlace
	case p.ars == 1 && p.acs != 1 && !e.squares:
		return byCols
	}
	return byRows
}

// packGroup packs panels of A whose rows are next to each other, each of height rows but the last: columns of k are read
// from end to end, since in pieces each would come from afar again for every panel.
func (s *macroBlock[T]) packGroup(e *engine[T], p *problem[T], dst []T, each, high, row, rows int) {
	if p.a16 == nil {
		src, whole := p.a[(s.row+row)*p.ars+s.pc*p.acs:], rows/high
		if whole > 0 {
			e.strips(dst, high, each, src, p.acs, s.kc, whole, high)
		}
		if done := whole * high; done < rows {
			e.strips(dst[whole*each:], rows-done, 0, src[done:], p.acs, s.kc, 1, rows-done)
		}
		return
	}
	for i := 0; i*high < rows; i++ {
		p.packA(e, dst[i*each:], 0, byCols, s.row+row+i*high, min(high, rows-i*high), s.pc, s.kc)
	}
}

// aPanel returns the panel of A that starts at row i of the macroBlock, and its strides. It is packed to
// dst if the order wants that, the first time.
func (s *macroBlock[T]) aPanel(e *engine[T], p *problem[T], dst []T, o order, i, rows int, first bool) (a []T, rs, cs int) {
	switch o {
	case inPlace:
		return p.a[(s.row+i)*p.ars+s.pc*p.acs:], p.ars, p.acs
	case byCols: // see packGroup
		return dst, 1, rows
	default:
		rs, cs = s.kc+packPad, 1
	}
	if first {
		p.packA(e, dst, rs, o, s.row+i, rows, s.pc, s.kc)
	}
	return dst, rs, cs
}
