package gemm

// isDirect reports whether the product runs on the operands where they lie: it is
// small, or an operand would be read so few times that copying it costs more than it
// saves.
func (p *problem[T]) isDirect(e *engine[T]) bool {
	return p.ccs != 1 || p.m <= 2*e.rows || p.n <= e.cols() || p.m*p.n*p.k <= directWork
}

// direct computes the product in one pass over blocks of C.
func direct[T Float](e *engine[T], p *problem[T], run Runner) {
	g := p.directGrid(e)
	work := p.m * p.n * p.k
	if run == nil || g.rows*g.cols == 1 || work <= serialWork {
		for i := range g.rows {
			for j := range g.cols {
				directPart(e, p, g, i, j)
			}
		}
		return
	}
	j := start(e, p)
	j.tile = g
	run(g.rows*g.cols, j.directFn)
	j.done()
}

// directGrid cuts C into blocks of about blockWork: first into columns, since each
// column of blocks reads its part of B for itself, then into rows.
func (p *problem[T]) directGrid(e *engine[T]) grid {
	blocks := ceilDiv(p.m*p.n*p.k, blockWork)
	cols := min(blocks, ceilDiv(p.n, e.cols()))
	rows := min(ceilDiv(blocks, cols), ceilDiv(p.m, 4*e.rows))
	return grid{rows, cols}
}

func (j *job[T]) directBlock(block int) {
	directPart(j.e, &j.p, j.tile, block/j.tile.cols, block%j.tile.cols)
}

// directPart computes block (bi, bj) of the grid, over all of k.
//
//go:noinline
func directPart[T Float](e *engine[T], p *problem[T], g grid, bi, bj int) {
	i0, i1 := part(bi, g.rows, p.m)
	j0, j1 := part(bj, g.cols, ceilDiv(p.n, e.cols()))
	j0, j1 = j0*e.cols(), min(j1*e.cols(), p.n)

	c, crs := p.c[i0*p.crs+j0*p.ccs:], p.crs
	var buf *buffer[T]
	if p.bcs != 1 || p.ccs != 1 {
		buf = e.bufs.Get().(*buffer[T])
		defer e.bufs.Put(buf)
	}
	if p.ccs != 1 { // the kernel writes rows: work on a copy
		crs = j1 - j0
		buf.out = grow(buf.out, (i1-i0)*crs)
		c = buf.out
		if p.mode == Accumulate {
			p.gatherC(c, i0, i1, j0, j1)
		}
	}
	kc := chunk(p.k)
	panels := ceilDiv(i1-i0, e.rows)
	for pc := 0; pc < p.k; pc += kc {
		kc := min(kc, p.k-pc)
		add := pc > 0 || p.mode == Accumulate
		for j := j0; j < j1; j += e.cols() {
			cols := min(e.cols(), j1-j)
			b, brs := p.b[pc*p.brs+j*p.bcs:], p.brs
			if p.bcs != 1 {
				buf.panel = grow(buf.panel, kc*e.cols())
				packPanel(e, buf.panel, b, p.brs, p.bcs, kc, cols)
				b, brs = buf.panel, e.cols()
			}
			for i := range panels {
				from, to := part(i, panels, i1-i0)
				a := p.a[(i0+from)*p.ars+pc*p.acs:]
				e.kernel(to-from, cols)(kc, a, p.ars, p.acs, b, brs, c[from*crs+j-j0:], crs, cols, add)
			}
		}
	}
	if p.ccs != 1 {
		p.scatterC(c, i0, i1, j0, j1)
	}
	p.finish(i0, j0, i1-i0, j1-j0)
}

// gatherC copies a part of C into rows of dst.
func (p *problem[T]) gatherC(dst []T, i0, i1, j0, j1 int) {
	for i := i0; i < i1; i++ {
		row := dst[(i-i0)*(j1-j0):][:j1-j0]
		for j := range row {
			row[j] = p.c[i*p.crs+(j0+j)*p.ccs]
		}
	}
}

// scatterC copies rows of src into a part of C.
func (p *problem[T]) scatterC(src []T, i0, i1, j0, j1 int) {
	for i := i0; i < i1; i++ {
		row := src[(i-i0)*(j1-j0):][:j1-j0]
		for j, v := range row {
			p.c[i*p.crs+(j0+j)*p.ccs] = v
		}
	}
}
