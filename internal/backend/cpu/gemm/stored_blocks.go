package gemm

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/par"
)

// Products with stored panels of B (stored.go) and rows of A in place copy nothing, so their blocks are cut for other reasons than those
// of packed.go: a panel of B stays in the first cache while all rows of a block pass by, the next one is fetched from afar in the
// meantime, and what follows the product gets runs of columns that are as long as a block is wide.

const (
	storedRowBytes = 192 << 10 // of rows of A that stay in the second cache, for one chunk of k
	storedGroup    = 512       // most columns that are summed before the epilogue sees them
	storedWhole    = 48 << 20  // multiply-adds of a thread up to which it has one block: some 0.4 ms
	panelStays     = 24 << 10  // of a panel of B that stays in the first cache; larger ones pass by, and the rows of a tile stay
	panelBytes     = 32 << 10  // of the largest panels, see readsPanels
)

// readsPanels reports whether the blocks of this file compute the product. Panels of wide vectors are larger than the first cache: they
// pass by from the second one, where tiles that fetch have brought them; without such tiles the rows of A stay, as in packed.go.
func (p *problem[T]) readsPanels(e *engine[T]) bool {
	return p.panels != nil && !e.squares && (e.fetch != nil || e.cols()*e.maxChunk*sizeOf[T]() <= panelBytes) && p.a16 == nil &&
		p.acs == 1 && p.ccs == 1 && !p.setConflict(e)
}

// storedGrid cuts C into blocks: as few rows of them as stay near, as each reads all panels of its columns; then columns, as many for each
// thread. A block begins with panels that were not fetched and ends with an epilogue of shorter runs, so that a thread has one block of a
// product that takes a fraction of a millisecond, and several of a longer one, where a thread may be held up.
func (p *problem[T]) storedGrid(e *engine[T], threads int) grid {
	panels, most := ceilDiv(p.n, e.cols()), max(1, p.m/(4*e.rows))
	each := blocksPer
	if work(p.m, p.n, p.k) <= storedWhole*threads {
		each = 1
	}
	want := ceilDiv(min(each*threads, max(threads, work(p.m, p.n, p.k)/packedLeast)), threads) * threads
	rows := ceilDiv(p.m*e.chunk(p.k)*sizeOf[T](), storedRowBytes)
	rows = min(max(rows, ceilDiv(want, panels)), most)
	cols := max(ceilDiv(want, rows), ceilDiv(p.n, storedGroup))
	for more := cols; more < min(panels, cols+threads); more++ {
		if rows*more%threads == 0 { // threads end together
			cols = more
			break
		}
	}
	return grid{rows, min(cols, panels)}
}

// stored computes a block over all of k.
func (s *macroBlock[T]) stored(e *engine[T], p *problem[T], buf *buffer[T]) {
	if p.c == nil {
		s.crs = s.cols
		if s.cols != p.n || s.cols*sizeOf[T]()%1024 == 0 {
			s.crs += partPad
		}
		buf.out = grow(buf.out, s.rows*s.crs)
		s.c = buf.out
	}
	chunk, pace := e.chunk(p.k), par.NewPace()
	for s.pc = 0; s.pc < p.k; s.pc += chunk {
		s.kc, s.add = min(chunk, p.k-s.pc), s.pc > 0
		strip := e.cols()
		if strip*s.kc*sizeOf[T]() > panelStays && e.fetch == nil {
			strip *= e.stripPanels
		}
		for j := 0; j < s.cols; j += strip {
			s.strip(e, p, j, min(strip, s.cols-j))
			pace.Step()
		}
	}
	if p.ep == nil {
		return
	}
	const bytes = 16 << 10 // that an epilogue sees between two looks at the clock
	for i, each := 0, max(1, bytes/(s.cols*sizeOf[T]())); i < s.rows; i += each {
		p.ep(s.c[i*s.crs:], s.crs, s.row+i, s.col, min(each, s.rows-i), s.cols)
		pace.Step()
	}
}

// strip multiplies all rows with cols columns from column j of the block on, panel by panel of B for each few rows, and fetches the panels
// behind them, some lines for each tile.
func (s *macroBlock[T]) strip(e *engine[T], p *problem[T], j, cols int) {
	width := e.cols()
	tiles, panels := ceilDiv(s.rows, e.rows), ceilDiv(cols, width)
	at, size := s.pc*ceilDiv(p.n, width)*width+(s.col+j)*s.kc, panels*width*s.kc
	b, next := p.panels[at:at+size], p.panels[at+size:]
	soon := ahead[T]{panels: next[:min(size, len(next))]}
	soon.each = ceilDiv(len(soon.panels)*sizeOf[T](), tiles*panels)
	high, more := s.rows/tiles, s.rows%tiles // the first tiles have a row more
	for i, row := 0, 0; i < tiles; i++ {
		rows := high
		if i < more {
			rows++
		}
		a, c := p.a[(s.row+row)*p.ars+s.pc:], s.c[row*s.crs+j:]
		for q := 0; q < cols; q += width {
			n := min(width, cols-q)
			if e.fetch != nil && n == width {
				from, pace := soon.paced(s.kc)
				e.fetch[rows](s.kc, a, p.ars, 1, b[q*s.kc:], width, c[q:], s.crs, n, s.add, from, pace)
				continue
			}
			soon.burst()
			kernel := e.tiles[maxVectors][rows]
			if n < width {
				kernel = e.kernel(rows, n)
			}
			kernel(s.kc, a, p.ars, 1, b[q*s.kc:], width, c[q:], s.crs, n, s.add)
		}
		row += rows
	}
}

// ahead is what is left to fetch of the panels behind those at hand.
type ahead[T Float] struct {
	panels []T
	each   int // bytes for a tile
}

const cacheLine = 64

// burst fetches what there is for a tile at once.
func (x *ahead[T]) burst() {
	lines := ceilDiv(x.each, cacheLine) * cacheLine
	if elems := lines / sizeOf[T](); len(x.panels) > elems {
		simd.PrefetchRows(unsafe.Pointer(unsafe.SliceData(x.panels)), 0, 1, lines)
		x.panels = x.panels[elems:]
	}
}

// paced hands it to a tile of kc steps that fetches while it multiplies: a request for each few steps, all lines if those suffice.
func (x *ahead[T]) paced(kc int) (from unsafe.Pointer, pace int) {
	requests := max(1, kc/fetchSteps)
	from, pace = unsafe.Pointer(unsafe.SliceData(x.panels)), min(cacheLine, ceilDiv(x.each, requests))
	x.panels = x.panels[min(ceilDiv(pace*requests, sizeOf[T]()), len(x.panels)):]
	return from, pace
}
