package gemm

import "github.com/lucid-go/lucid/internal/par"

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
func (p *problem[T]) isRowVector(e *engine[T]) bool {
	switch {
	case e.gaxpy8 == nil && e.gaxpy4BF16 == nil,
		p.paired && (p.b16 == nil || e.gaxpy4BF16 == nil), // no kernel: rows of bfloat16 are no rows of pairs
		p.paired && p.m > 1, // pairs of rows of B would be made anew for each row of A
		p.b16 != nil && !p.paired && e.gaxpy8Half[p.half] == nil:
		return false
	}
	return p.m <= rowVecRows && p.bcs == 1 && p.ccs == 1 && work(1, p.n, p.k) >= rowVecWork && p.n >= 64
}

func rowVector[T Float](e *engine[T], p *problem[T], run Runner) {
	j := start(e, p)
	forEach(work(p.m, p.n, p.k), ceilDiv(p.n, p.rowCols()), run, j.rowFn)
	j.done()
}

// rowCols is the width of a block: smaller if the rows of B that are in the cache for
// the first row of A are used again for the others.
func (p *problem[T]) rowCols() int {
	if p.m > 1 {
		return rowVecCols / 2 * 4 / sizeOf[T]()
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
	kc := e.chunk(p.k)
	pace := par.NewPace()
	for pc := 0; pc < p.k; pc += kc {
		kc := min(kc, p.k-pc)
		for t := 0; t < kc; {
			if p.paired {
				t += j.gaxpyBF16(buf, from, n, pc, t, kc)
			} else {
				t += j.gaxpy(buf.out, from, n, pc, t, kc)
			}
			pace.Step()
		}
		for i := range p.m {
			addRow(p.c[i*p.crs+from:][:n], buf.out[i*n:], pc > 0 || p.mode == Accumulate)
		}
	}
	p.finish(0, from, p.m, n)
}

// gaxpy adds the next rows of B, from t on in the chunk at pc, to all rows of sums, and
// returns how many rows it took.
func (j *job[T]) gaxpy(sums []T, from, n, pc, t, kc int) int {
	e, p, step := j.e, &j.p, gaxpyRows
	f, half := e.gaxpy8, e.gaxpy8Half[p.half]
	if t+gaxpyRows > kc {
		f, half, step = e.gaxpy1, e.gaxpy1Half[p.half], 1
	}
	at := (pc+t)*p.brs + from
	for i := range p.m {
		x := p.a[i*p.ars+(pc+t)*p.acs:]
		if p.b16 != nil {
			half(n, sums[i*n:], x, p.acs, p.b16[at:], p.brs, t == 0)
		} else {
			f(n, sums[i*n:], x, p.acs, p.b[at:], p.brs, t == 0)
		}
	}
	return step
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
