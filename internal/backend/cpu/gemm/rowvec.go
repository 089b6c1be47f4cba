package gemm

// Rows of B are read gaxpyRows at a time over a block of rowBlockCols columns, so that
// the block of sums stays in L1 and memory is read in long runs.
const (
	rowBlockCols = 2048
	gaxpyRows    = 8
	rowVecWork   = 32 << 10 // elements of B from which streaming beats the register tile
	rowVecRows   = 2        // most rows of A
)

// isRowVector reports whether the product is a row vector (or two) times a matrix
// stored by rows, large enough that memory speed matters.
func (p *problem[T]) isRowVector() bool {
	return p.m <= rowVecRows && p.bcs == 1 && p.ccs == 1 && p.n*p.k >= rowVecWork && p.n >= 64
}

func rowVector[T Float](e *engine[T], p *problem[T], run Runner) {
	blocks := ceilDiv(p.n, rowBlockCols)
	j := start(e, p)
	forEach(p.m*p.n*p.k, blocks, run, j.rowFn)
	j.done()
}

// rowBlock computes rowBlockCols columns of C.
//
//go:noinline
func (j *job[T]) rowBlock(block int) {
	e, p := j.e, &j.p
	from := block * rowBlockCols
	n := min(rowBlockCols, p.n-from)
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
	p.finish(0, from, p.m, n)
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
