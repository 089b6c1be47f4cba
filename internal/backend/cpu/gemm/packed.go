package gemm

// Sizes of packed.go, in tiles of registers. They decide speed only.
const (
	tileRowPanels = 8    // panels of A in a block: with the B of the block they stay in L2
	tileColPanels = 8    // panels of B in a block
	maxPackRows   = 4096 // rows of A packed at a time
	maxPackCols   = 4096 // columns of B packed at a time
	packPad       = 16   // see packRows
)

// packed computes the product chunk by chunk: pack a chunk of B and of A, then run the
// blocks of C over it. Both steps are parallel.
func packed[T Float](e *engine[T], p *problem[T], run Runner) {
	j := start(e, p)
	kc := chunk(p.k)
	j.apack = grow(j.apack, min(p.m, maxPackRows)*(kc+packPad))
	j.bpack = grow(j.bpack, ceilDiv(min(p.n, maxPackCols), e.cols())*e.cols()*kc)
	for j.jc = 0; j.jc < p.n; j.jc += maxPackCols {
		j.nc = min(maxPackCols, p.n-j.jc)
		for j.pc = 0; j.pc < p.k; j.pc += kc {
			j.kc = min(kc, p.k-j.pc)
			for j.ic = 0; j.ic < p.m; j.ic += maxPackRows {
				j.mc = min(maxPackRows, p.m-j.ic)
				j.macro(run)
			}
		}
	}
	j.done()
}

// macro packs and multiplies one chunk for mc rows and nc columns of C.
func (j *job[T]) macro(run Runner) {
	aPanels, bPanels := j.aPanels(), j.bPanels()
	j.tile = grid{ceilDiv(aPanels, tileRowPanels), ceilDiv(bPanels, tileColPanels)}
	work := j.mc * j.nc * j.kc
	blocks := j.tile.rows
	if j.ic == 0 {
		blocks += j.tile.cols // B too; it stays for the other rows
	}
	forEach(work, blocks, run, j.packFn)
	forEach(work, j.tile.rows*j.tile.cols, run, j.tileFn)
}

func (j *job[T]) aPanels() int { return ceilDiv(j.mc, j.e.rows) }
func (j *job[T]) bPanels() int { return ceilDiv(j.nc, j.e.cols()) }

// aLayout says where row i of the packed A starts, within a panel of rows rows.
func (j *job[T]) aLayout(i, rows int) (start, rs, cs int) {
	if j.byColumns() {
		return i * j.kc, 1, rows
	}
	rs = j.kc + packPad
	return i * rs, rs, 1
}

// byColumns reports whether A lies column by column and is packed so.
func (j *job[T]) byColumns() bool { return j.p.ars == 1 && j.p.acs != 1 }

// packBlock packs one row of blocks of A, or one column of blocks of B.
//
//go:noinline
func (j *job[T]) packBlock(block int) {
	e, p := j.e, &j.p
	if block >= j.tile.rows {
		from, to := part(block-j.tile.rows, j.tile.cols, j.bPanels())
		for q := from; q < to; q++ {
			col := q * e.cols()
			b := p.b[j.pc*p.brs+(j.jc+col)*p.bcs:]
			packPanel(e, j.bpack[col*j.kc:], b, p.brs, p.bcs, j.kc, min(e.cols(), j.nc-col))
		}
		return
	}
	from, to := part(block, j.tile.rows, j.aPanels())
	for q := from; q < to; q++ {
		i0, i1 := part(q, j.aPanels(), j.mc)
		a := p.a[(j.ic+i0)*p.ars+j.pc*p.acs:]
		start, rs, _ := j.aLayout(i0, i1-i0)
		if j.byColumns() {
			packCols(j.apack[start:], a, p.acs, i1-i0, j.kc)
		} else {
			packRows(j.apack[start:], rs, a, p.ars, p.acs, i1-i0, j.kc)
		}
	}
}

// tileBlock multiplies one block of C. A panel of A stays in L1 while the panels of B
// pass by.
//
//go:noinline
func (j *job[T]) tileBlock(block int) {
	e, p := j.e, &j.p
	a0, a1 := part(block/j.tile.cols, j.tile.rows, j.aPanels())
	b0, b1 := part(block%j.tile.cols, j.tile.cols, j.bPanels())
	add := j.pc > 0 || p.mode == Accumulate
	for q := a0; q < a1; q++ {
		i0, i1 := part(q, j.aPanels(), j.mc)
		start, rs, cs := j.aLayout(i0, i1-i0)
		a := j.apack[start:]
		for r := b0; r < b1; r++ {
			col := r * e.cols()
			cols := min(e.cols(), j.nc-col)
			c := p.c[(j.ic+i0)*p.crs+j.jc+col:]
			e.kernel(i1-i0, cols)(j.kc, a, rs, cs, j.bpack[col*j.kc:], e.cols(), c, p.crs, cols, add)
		}
	}
	if j.pc+j.kc == p.k {
		i0, _ := part(a0, j.aPanels(), j.mc)
		_, i1 := part(a1-1, j.aPanels(), j.mc)
		c0, c1 := b0*e.cols(), min(b1*e.cols(), j.nc)
		p.finish(j.ic+i0, j.jc+c0, i1-i0, c1-c0)
	}
}
