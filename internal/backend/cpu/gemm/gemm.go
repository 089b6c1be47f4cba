package gemm

import "fmt"

// Float is an element type with its own kernels.
type Float interface{ float32 | float64 }

// Mode says what happens to the old contents of C.
type Mode uint8

const (
	Overwrite  Mode = iota // C = A·B; C is not read, so it may hold anything
	Accumulate             // C += A·B
)

// Runner calls f once for each block from 0 to blocks-1, in any order, perhaps on
// several goroutines at once, and returns when all calls have returned. A nil Runner
// is a plain loop.
type Runner func(blocks int, f func(block int))

// RunnerOf is a Runner of a parallel loop that may fail; the first error is stored in err and ends later loops.
func RunnerOf(loop func(n int, f func(i int)) error, err *error) Runner {
	return func(blocks int, f func(block int)) {
		if *err == nil {
			*err = loop(blocks, f)
		}
	}
}

// Epilogue is called once for each finished part of C, while it is in the cache:
// bias, activation and residual belong here. c[0] is element (row, col) of C and crs
// its row stride; the part has rows by cols elements. Calls may run at the same time
// on different parts. The parts cover C; how it is cut may depend on the number of threads.
type Epilogue[T Float] func(c []T, crs, row, col, rows, cols int)

// Float32 computes C = A·B or C += A·B:
//
//	for i < m, j < n: c[i*crs+j] (+)= Σ_p a[i*ars+p*acs] * b[p*brs+j*bcs]
//
// See the package comment for the order of the sum. C must not overlap A or B. It
// panics if a slice is too short or a stride is negative.
//
// c may be nil if there is an epilogue: sums then stay in scratch memory, and only the epilogue sees them (scratchc.go). The
// mode must be Overwrite.
func Float32(m, n, k int, a []float32, ars, acs int, b []float32, brs, bcs int,
	c []float32, crs int, mode Mode, ep Epilogue[float32], run Runner) {
	crs = checkC(m, n, k, len(a), ars, acs, len(b), brs, bcs, c, crs, mode, ep)
	e := engine32()
	if c == nil || !small(e, m, n, k, a, ars, acs, b, brs, bcs, c, crs, mode, ep) {
		multiply(e, problem[float32]{m, n, k, a, ars, acs, b, brs, bcs, nil, c, crs, 1, mode, ep, false, halfOperands{}}, run)
	}
}

// Float64 is Float32 for float64.
func Float64(m, n, k int, a []float64, ars, acs int, b []float64, brs, bcs int,
	c []float64, crs int, mode Mode, ep Epilogue[float64], run Runner) {
	crs = checkC(m, n, k, len(a), ars, acs, len(b), brs, bcs, c, crs, mode, ep)
	e := engine64()
	if c == nil || !small(e, m, n, k, a, ars, acs, b, brs, bcs, c, crs, mode, ep) {
		multiply(e, problem[float64]{m, n, k, a, ars, acs, b, brs, bcs, nil, c, crs, 1, mode, ep, false, halfOperands{}}, run)
	}
}

// problem is one product. ccs is the column stride of C: 1 unless the product was
// transposed (see transposed).
type problem[T Float] struct {
	m, n, k      int
	a            []T
	ars, acs     int
	b            []T
	brs, bcs     int
	panels       []T // of B, see stored.go; nil: none
	c            []T
	crs, ccs     int
	mode         Mode
	ep           Epilogue[T]
	isTransposed bool // this is the transpose of the caller's product
	halfOperands      // operands of 16 bits, if any
}

// checkC is check for a C that may be nil; it returns the row stride of C, of a scratch one then.
func checkC[T Float](m, n, k, alen, ars, acs, blen, brs, bcs int, c []T, crs int, mode Mode, ep Epilogue[T]) int {
	length := len(c)
	if c == nil {
		if m > 0 && n > 0 && (ep == nil || mode != Overwrite) { // a slice of nothing may be nil
			panic("gemm: without c there must be an epilogue that sees the sums, and nothing to add them to")
		}
		crs, length = n, m*n
	}
	check(m, n, k, alen, ars, acs, blen, brs, bcs, length, crs)
	return crs
}

// check panics if an element would be outside its slice: assembly does not look.
func check(m, n, k, alen, ars, acs, blen, brs, bcs, clen, crs int) {
	if m|n|k < 0 {
		panic(fmt.Sprintf("gemm: negative size: m %d, n %d, k %d", m, n, k))
	}
	if m > 0 && k > 0 && (ars|acs < 0 || (m-1)*ars+(k-1)*acs >= alen) {
		tooShort("a", alen, m, k, ars, acs)
	}
	if k > 0 && n > 0 && (brs|bcs < 0 || (k-1)*brs+(n-1)*bcs >= blen) {
		tooShort("b", blen, k, n, brs, bcs)
	}
	if m > 0 && n > 0 && (crs < 0 || (m-1)*crs+n > clen) {
		tooShort("c", clen, m, n, crs, 1)
	}
	if m > 1 && crs < n {
		panic(fmt.Sprintf("gemm: rows of c overlap: row stride %d, want at least %d", crs, n))
	}
}

// tooShort says what is wrong with an operand.
func tooShort(name string, length, rows, cols, rs, cs int) {
	if rs < 0 || cs < 0 {
		panic(fmt.Sprintf("gemm: negative stride of %s: %d, %d", name, rs, cs))
	}
	panic(fmt.Sprintf("gemm: %s is too short: length %d, want at least %d for %d by %d with strides %d, %d",
		name, length, (rows-1)*rs+(cols-1)*cs+1, rows, cols, rs, cs))
}

// multiply picks the path.
func multiply[T Float](e *engine[T], p problem[T], run Runner) {
	if p.m == 0 || p.n == 0 {
		return
	}
	if p.k == 0 {
		p.empty()
		return
	}
	if p.prefersTranspose(e) {
		p = p.transposed()
	}
	rows, inPlace := p.isRowVector(e), p.isDirect(e)
	if p.c == nil && (rows || p.isTransposed) { // a few rows: they go to memory before the epilogue sees them
		buf := e.bufs.Get().(*buffer[T])
		defer e.bufs.Put(buf)
		buf.whole = grow(buf.whole, p.m*p.n)
		p.c = buf.whole
	}
	if p.a16 != nil && (rows || inPlace) {
		buf := e.bufs.Get().(*buffer[T])
		defer e.bufs.Put(buf)
		p.copyA(e, buf)
	}
	if rows {
		rowVector(e, &p, run)
		return
	}
	blocks(e, &p, !inPlace, run)
}

// empty is the product over no k at all: zero.
func (p *problem[T]) empty() {
	if p.c == nil {
		for i := range p.m {
			p.ep(make([]T, p.n), p.n, i, 0, 1, p.n)
		}
		return
	}
	if p.mode == Overwrite {
		for i := range p.m {
			clear(p.c[i*p.crs : i*p.crs+p.n])
		}
	}
	p.finish(0, 0, p.m, p.n)
}
