package gemm

import "unsafe"

// Sizes that decide the order of summation. Changing one changes bits.
const (
	maxChunk   = 512 // a panel of A of this depth, 14 rows, fits an L1 cache of 32 KiB
	chunkAlign = 16  // so that only the last chunk has a ragged end
)

// chunk returns how many k are summed before the sum goes to C. The chunks of one k
// are equal but for the last: 600 is 304+296, not 512+88.
func (e *engine[T]) chunk(k int) int {
	n := (k + e.maxChunk - 1) / e.maxChunk
	each := (k + n - 1) / n
	return (each + chunkAlign - 1) / chunkAlign * chunkAlign
}

// part returns the bounds of piece i when n things are shared evenly among pieces.
func part(i, pieces, n int) (from, to int) {
	return i * n / pieces, (i + 1) * n / pieces
}

// sizeOf is the size of an element in bytes.
func sizeOf[T Float]() int { return int(unsafe.Sizeof(*new(T))) }

// work is the number of multiply-adds, or 1<<30 if there are more: it decides block
// sizes, and must not overflow.
func work(m, n, k int) int { return int(min(int64(m)*int64(n)*int64(k), 1<<30)) }

func ceilDiv(a, b int) int { return (a + b - 1) / b }

// Sizes that decide speed only.
const (
	stripPanels = 8         // see engine: for a second-level cache of 1 MiB
	partElems   = 128 << 10 // likewise
	skinnyCols  = 4         // so few columns: better seen as rows of the transposed product
	skinnyDepth = 128       // k from which a few more columns may be transposed
	directWork  = 8 << 20   // multiply-adds up to which packing both operands does not pay
	serialWork  = 1 << 17   // multiply-adds up to which a parallel loop does not pay
	blockWork   = 1 << 17   // multiply-adds in one block: at least two microseconds
	manyBlocks  = 16        // blocks for each thread, if they are that large
)

// prefersTranspose reports whether the transposed product is the better view: B would fill only a
// few lanes of a vector, while A has more columns to read vectors from. With more than a
// few columns it pays only if A can be read by dot kernels, and long enough.
func (p *problem[T]) prefersTranspose(e *engine[T]) bool {
	if p.n >= p.m || e.squares && p.b16 == nil && p.brs != 1 { // B would be no A that is contiguous in k
		return false
	}
	t := p.transposed()
	return p.n <= skinnyCols || p.k >= skinnyDepth && t.dots(e, t.m)
}

// transposed is the same product seen from the other side. The sum of each element
// has the same terms in the same order.
func (p *problem[T]) transposed() problem[T] {
	t := *p
	t.m, t.n = p.n, p.m
	t.a, t.ars, t.acs = p.b, p.bcs, p.brs
	t.b, t.brs, t.bcs = p.a, p.acs, p.ars
	t.panels = nil
	t.crs, t.ccs = p.ccs, p.crs
	t.a16, t.b16 = p.b16, p.a16
	t.astep, t.bstep = p.bstep, p.astep
	t.isTransposed = true
	return t
}

// finish is called for each part of this view of C that is complete: it calls the
// epilogue in the caller's view.
func (p *problem[T]) finish(row, col, rows, cols int) {
	if p.ep == nil {
		return
	}
	c, crs := p.c[row*p.crs+col*p.ccs:], p.crs
	if p.isTransposed {
		crs, row, col, rows, cols = p.ccs, col, row, cols, rows
	}
	p.ep(c, crs, row, col, rows, cols)
}

// forEach runs the blocks, in parallel if there is a runner and enough work.
func forEach(size, blocks int, run Runner, f func(block int)) {
	if run == nil || blocks == 1 || size <= serialWork {
		for i := range blocks {
			f(i)
		}
		return
	}
	run(blocks, f)
}
