package gemm

import "runtime"

// isDirect reports whether the product runs in one pass, reading A in place: it is
// small, or A or B would be used so few times that copying it costs more than it saves.
func (p *problem[T]) isDirect(e *engine[T]) bool {
	if p.a16 == nil && p.n <= 2*e.cols() {
		return true // half types must be copied in any case
	}
	if p.ccs != 1 || p.m <= 2*e.rows {
		return true
	}
	return !p.copiesA(e) && (work(p.m, p.n, p.k) <= directWork || p.isShallow(e) || p.fitsL2(e))
}

// copiesA reports whether rows of A that conflict in a cache set are copied though the product is small: there are enough of all three
// sizes to make up for it.
func (p *problem[T]) copiesA(e *engine[T]) bool {
	const depth, rows = 32, 64
	return !e.squares && p.a16 == nil && p.k >= depth && p.m >= rows && p.copiesConflicts(e, p.n) && p.setConflict(e)
}

// isShallow reports whether k is so short that tiles read both operands in place as fast as from panels, as in the gradient
// of a layer's weights over a small batch: a tile's part of A stays in L1, all of B in L2.
func (p *problem[T]) isShallow(e *engine[T]) bool {
	const depth, near, apart = 64, 256 << 10, 2048
	if p.k > depth || p.a16 != nil || p.needsPanels(e, p.m) || work(1, p.n, p.k)*sizeOf[T]() > near {
		return false
	}
	return p.acs == 1 && !p.setConflict(e) || p.ars == 1 && p.acs*sizeOf[T]()%apart != 0
}

// fitsL2 reports whether all of B stays in the second-level cache as stored: panels would be read no faster, and each block would
// have to make its own.
func (p *problem[T]) fitsL2(e *engine[T]) bool {
	const most, near = 64 << 20, 1 << 20 // multiply-adds; bytes
	return p.a16 == nil && !p.needsPanels(e, p.m) && work(1, p.n, p.k)*sizeOf[T]() <= near && work(p.m, p.n, p.k) <= most
}

// blocks computes the product block by block of C, packing both operands or reading A in place.
func blocks[T Float](e *engine[T], p *problem[T], pack bool, run Runner) {
	g := p.directGrid(e, threads(run))
	if pack {
		g = p.packedGrid(e, threads(run))
		if p.readsPanels(e) {
			g = p.storedGrid(e, threads(run))
		}
	}
	if run == nil || g.rows*g.cols == 1 || work(p.m, p.n, p.k) <= serialWork {
		for i := range g.rows {
			for j := range g.cols {
				blockPart(e, p, pack, g, i, j)
			}
		}
		return
	}
	j := start(e, p)
	j.tile, j.pack = g, pack
	run(g.rows*g.cols, j.blockFn)
	j.done()
}

// threads is how many blocks may run at the same time.
func threads(run Runner) int {
	if run == nil {
		return 1
	}
	return runtime.GOMAXPROCS(0)
}

const (
	thinDepth = 32 // k up to which copying B costs less than what an epilogue loses by pieces of rows
	thinRows  = 64 // rows of a block that copies it
)

// directGrid cuts C into blocks: first into columns, since each column of blocks reads its
// part of B for itself, but not so narrow that B is read in short runs; then into rows. All
// threads should have the same number of them.
func (p *problem[T]) directGrid(e *engine[T], threads int) grid {
	if threads == 1 {
		return grid{1, 1}
	}
	want := min(ceilDiv(work(p.m, p.n, p.k), blockWork), manyBlocks*threads)
	narrowest := 4 * e.cols()
	if p.needsPanels(e, p.m) && !p.dots(e, p.m) {
		narrowest = e.cols() // blocks below each other would copy the same part of B
	}
	cols := min(want, ceilDiv(p.n, narrowest))
	least := 2 * e.rows
	if p.ep != nil && p.m >= 4*e.rows*threads { // what follows wants rows that are not cut
		switch {
		case !p.needsPanels(e, p.m):
			cols = 1
		case p.k <= thinDepth: // as in an adapter: blocks copy all of B for themselves, and have rows enough to pay for it
			cols, least = 1, max(least, thinRows)
		}
	}
	rows := min(ceilDiv(want, cols), max(1, p.m/least))
	for r := rows; r > rows/2; r-- {
		if r*cols%threads == 0 {
			return grid{r, cols}
		}
	}
	return grid{rows, cols}
}

func (j *job[T]) block(block int) {
	blockPart(j.e, &j.p, j.pack, j.tile, block%j.tile.rows, block/j.tile.rows)
}

// blockPart computes block (bi, bj) of the grid, over all of k.
//
//go:noinline
func blockPart[T Float](e *engine[T], p *problem[T], pack bool, g grid, bi, bj int) {
	i0, i1 := part(bi, g.rows, p.m)
	j0, j1 := part(bj, g.cols, ceilDiv(p.n, e.cols()))
	j0, j1 = j0*e.cols(), min(j1*e.cols(), p.n)
	s := macroBlock[T]{row: i0, rows: i1 - i0, col: j0, cols: j1 - j0, crs: p.crs}
	if p.c != nil {
		s.c = p.c[i0*p.crs+j0*p.ccs:]
	}

	dots := !pack && p.dots(e, s.rows)
	panels := !dots && !pack && p.needsPanels(e, s.rows)
	var buf *buffer[T]
	if pack || panels || p.ccs != 1 || p.c == nil {
		buf = e.bufs.Get().(*buffer[T])
		defer e.bufs.Put(buf)
	}
	if pack && p.readsPanels(e) {
		s.stored(e, p, buf)
		return
	}
	if pack && p.c == nil {
		s.intoScratch(e, p, buf, p.aOrder(e, s.cols))
		return
	}
	if p.ccs != 1 || p.c == nil { // kernels write rows, or no caller wants the whole: work on a copy
		buf.out = grow(buf.out, s.rows*s.cols)
		s.c, s.crs = buf.out, s.cols
		if p.mode == Accumulate {
			p.gatherC(&s)
		}
	}
	if !pack { // what is packed looks at the clock by itself
		s.begin(p.k)
	}
	kc := e.chunk(p.k)
	for s.pc = 0; s.pc < p.k; s.pc += kc {
		s.kc = min(kc, p.k-s.pc)
		s.add = s.pc > 0 || p.mode == Accumulate
		switch {
		case pack:
			s.packed(e, p, buf, p.aOrder(e, s.cols))
		case dots:
			s.dots(e, p)
		case panels:
			s.panels(e, p, buf)
		default:
			s.inPlace(e, p)
		}
	}
	if p.ccs != 1 {
		p.scatterC(&s)
	}
	switch {
	case p.c == nil:
		p.ep(s.c, s.crs, i0, j0, s.rows, s.cols)
	case !pack:
		p.finish(i0, j0, s.rows, s.cols)
	}
}

// dots reports whether B is read by columns: there are too few rows of A to make up
// for copying it.
func (p *problem[T]) dots(e *engine[T], rows int) bool {
	most := len(e.dots) - 1
	switch {
	case p.b16 != nil && p.paired:
		return false
	case p.b16 != nil:
		most = len(e.dotsHalf[p.half]) - 1
	}
	return rows <= most && p.brs == 1 && p.bcs != 1
}

// needsPanels reports whether B is copied before use: kernels need its rows to be
// contiguous, and do not find it in the cache a second time if each row starts a new page.
func (p *problem[T]) needsPanels(e *engine[T], rows int) bool {
	const farApart, many = 2048, 64 // bytes, rows
	return e.squares || p.bcs != 1 || p.b16 != nil || rows > e.rows && p.k >= many && p.brs*sizeOf[T]() >= farApart
}

// gatherC copies a part of C into the rows of s.
func (p *problem[T]) gatherC(s *macroBlock[T]) {
	for i := range s.rows {
		row := s.c[i*s.crs:][:s.cols]
		at := (s.row+i)*p.crs + s.col*p.ccs
		for j := range row {
			row[j] = p.c[at+j*p.ccs]
		}
	}
}

// scatterC copies the rows of s to where they belong.
func (p *problem[T]) scatterC(s *macroBlock[T]) {
	for i := range s.rows {
		row := s.c[i*s.crs:][:s.cols]
		at := (s.row+i)*p.crs + s.col*p.ccs
		for j, v := range row {
			p.c[at+j*p.ccs] = v
		}
	}
}
