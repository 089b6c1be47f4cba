package gemm

// Sizes of packed.go, in tiles of registers. They decide speed only.
const (
	tileRowPanels = 8    // most panels of A in a block: with the B of the block they stay in L2
	tileColPanels = 8    // most panels of B in a block
	tileBlocks    = 16   // blocks that there should be at least, for many cores
	maxPackRows   = 4096 // rows of A packed at a time
	maxPackCols   = 4096 // columns of B packed at a time
	packPad       = 16   // see packA
)

// packed computes the product chunk by chunk: pack a chunk of B and of A, then run the
// blocks of C over it. Both steps are parallel.
func packed[T Float](e *engine[T], p *problem[T], run Runner) {
	j := start(e, p)
	kc := chunk(p.k)
	if j.order = p.aOrder(); j.order != inPlace {
		j.apack = grow(j.apack, min(p.m, maxPackRows)*(kc+packPad))
	}
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
	j.tile = tileGrid(j.aPanels(), j.bPanels())
	size := work(j.mc, j.nc, j.kc)
	j.packA = j.tile.rows
	if j.order == inPlace {
		j.packA = 0
	}
	blocks := j.packA
	if j.ic == 0 {
		blocks += j.tile.cols // B too; it stays for the other rows
	}
	if blocks > 0 {
		forEach(size, blocks, run, j.packFn)
	}
	forEach(size, j.tile.rows*j.tile.cols, run, j.tileFn)
}

// tileGrid cuts C, measured in panels, into blocks that fill L2, or smaller ones if
// there would be only a few.
func tileGrid(aPanels, bPanels int) grid {
	rows, cols := tileRowPanels, tileColPanels
	for {
		g := grid{ceilDiv(aPanels, rows), ceilDiv(bPanels, cols)}
		if g.rows*g.cols >= tileBlocks || rows*cols <= 4 {
			return g
		}
		if rows >= cols {
			rows /= 2
		} else {
			cols /= 2
		}
	}
}

func (j *job[T]) aPanels() int { return ceilDiv(j.mc, j.e.rows) }
func (j *job[T]) bPanels() int { return ceilDiv(j.nc, j.e.cols()) }

// order is how A is read by the kernel.
type order uint8

const (
	inPlace order = iota // from where it lies
	byRows               // packed, rows contiguous in k
	byCols               // packed, each panel as columns of its rows
)

// aOrder picks the order that needs the least copying. In place is good if rows are
// contiguous in k, share pages, and those of a panel do not crowd into few sets of an
// L1 cache, which repeat each page.
func (p *problem[T]) aOrder() order {
	const page = 4096
	stride := p.ars * sizeOf[T]()
	switch {
	case p.a16 == nil && p.acs == 1 && stride < page && stride%(page/2) != 0:
		return inPlace
	case p.ars == 1 && p.acs != 1:
		return byCols
	}
	return byRows
}

// aPanel returns the panel of A that starts at row i, and its strides.
func (j *job[T]) aPanel(i, rows int) (a []T, rs, cs int) {
	switch p := &j.p; j.order {
	case inPlace:
		return p.a[(j.ic+i)*p.ars+j.pc:], p.ars, 1
	case byCols:
		return j.apack[i*j.kc:], 1, rows
	}
	rs = j.kc + packPad
	return j.apack[i*rs:], rs, 1
}

// packBlock packs one row of blocks of A, or one column of blocks of B.
//
//go:noinline
func (j *job[T]) packBlock(block int) {
	e, p := j.e, &j.p
	if block >= j.packA {
		from, to := part(block-j.packA, j.tile.cols, j.bPanels())
		col, end := from*e.cols(), min(to*e.cols(), j.nc)
		p.packB(e, j.bpack[col*j.kc:], j.pc, j.kc, j.jc+col, end-col)
		return
	}
	from, to := part(block, j.tile.rows, j.aPanels())
	for q := from; q < to; q++ {
		i0, i1 := part(q, j.aPanels(), j.mc)
		dst, rs, _ := j.aPanel(i0, i1-i0)
		p.packA(e, dst, rs, j.order, j.ic+i0, i1-i0, j.pc, j.kc)
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
	add, last := j.pc > 0 || p.mode == Accumulate, j.pc+j.kc == p.k
	c0, c1 := b0*e.cols(), min(b1*e.cols(), j.nc)
	for q := a0; q < a1; q++ {
		i0, i1 := part(q, j.aPanels(), j.mc)
		a, rs, cs := j.aPanel(i0, i1-i0)
		for r := b0; r < b1; r++ {
			col := r * e.cols()
			cols := min(e.cols(), j.nc-col)
			c := p.c[(j.ic+i0)*p.crs+j.jc+col:]
			e.kernel(i1-i0, cols)(j.kc, a, rs, cs, j.bpack[col*j.kc:], e.cols(), c, p.crs, cols, add)
		}
		if last { // a few rows: still in L1
			p.finish(j.ic+i0, j.jc+c0, i1-i0, c1-c0)
		}
	}
}
