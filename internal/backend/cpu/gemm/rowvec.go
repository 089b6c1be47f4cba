package gemm

// Rows of B are read gaxpyRows at a time over a block of columns, so that the block of
// sums stays in L1 and memory is read in long runs.
const (
	rowVecCols = 2048 // columns of a block
	gaxpyRows  = 8
	rowVecWork = 32 << 10 // elements of B from which streaming beats the register tile
	rowVecRows = 4        // most rows of A
)

// isRowVector reports whether the product is a row vector (or a few) times a matrix
// stored by rows, large enough that memory speed matters.
func (p *problem[T]) isRowVector() bool {
	return p.b16 == nil && p.m <= rowVecRows && p.bcs == 1 && p.ccs == 1 && p.n*p.k >= rowVecWork && p.n >= 64
}

func rowVector[T Float](e *engine[T], p *problem[T], run Runner) {
	j := start(e, p)
	forEach(p.m*p.n*p.k, ceilDiv(p.n, p.rowCols()), run, j.rowFn)
	j.done()
}

// rowCols is the width of a block: smaller if the rows of B that are in the cache for
// the first row of A are used again for the others.
func (p *problem[T]) rowCols() int {
	if p.m > 1 {
		return rowVecCols / 2
	}
	return rowVecCols
}

// rowBlock computes one block of columns of C.
//
//go:noinline
func (j *job[T]) rowBlock(block int) {
	e, p := j.e, &j.p
	from := block * p.rowCols()
	n := min(p.rowCols(), p.n-from)
	buf := e.bufs.Get().(*buffer[T])
	defer e.bufs.Put(buf)
	buf.out = grow(buf.out, p.m*n)
	kc := chunk(p.k)
	for pc := 0; pc < p.k; pc += kc {
		kc := min(kc, p.k-pc)
		for t := 0; t < kc; {
			f, step := e.gaxpy8, gaxpyRows
			if t+gaxpyRows > kc {
				f, step = e.gaxpy1, 1
			}
			for i := range p.m {
				f(n, buf.out[i*n:], p.a[i*p.ars+(pc+t)*p.acs:], p.acs, p.b[(pc+t)*p.brs+from:], p.brs, t == 0)
			}
			t += step
		}
		for i := range p.m {
			addRow(p.c[i*p.crs+from:][:n], buf.out[i*n:], pc > 0 || p.mode == Accumulate)
		}
	}
	p.finish(e, 0, from, p.m, n)
}

// addRow is c = s, or c += s.
func addRow[T Float](c, s []T, add bool) {
	s = s[:len(c)]
	if !add {
		copy(c, s)
		return
	}
	for j, v := range s {
		c[j] += v
	}
}
