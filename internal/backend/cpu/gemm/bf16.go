package gemm

import "unsafe"

// Products of bfloat16 in pairs. VDPBF16PS takes two neighbours in k at a time, so that
// k is counted in pairs: an element of a panel holds two bfloat16, the first in its low
// half, and is passed on as a float32 that no code computes with. Everything else is
// the product of float32 over half of k: chunks, panels, tiles, paths.
//
// The sum of an element takes the pairs in order, chunk by chunk; how the two products
// of a pair are added is the processor's affair. All paths use the instruction, so here too
// a row of C has the same bits whatever m is. It takes subnormal factors as zero and
// flushes subnormal sums to zero; otherwise each pair adds at most two roundings, so that
// the result differs from the exact sum by at most (k + 2)·2⁻²⁴·Σ|a·b|, as that of the
// other engines does. An odd k ends in a pair with a zero.

// pair makes a problem of bfloat16 into one of pairs, seeing operands in place if
// their pairs are contiguous.
func (p *problem[T]) pair() {
	p.paired, p.k16 = true, p.k
	p.astep, p.bstep = p.acs, p.brs
	p.k = ceilDiv(p.k, 2)
	p.acs, p.brs = 2*p.acs, 2*p.brs
	if inPairs(p.k16, p.m, p.astep, p.ars) {
		p.a, p.a16 = asPairs[T](p.a16), nil
		p.ars, p.acs = p.ars/2, 1
	}
	if inPairs(p.k16, p.n, p.bstep, p.bcs) {
		p.b, p.b16 = asPairs[T](p.b16), nil
		p.bcs, p.brs = p.bcs/2, 1
	}
}

// inPairs reports whether count vectors of length k, stride apart, can be read as pairs.
func inPairs(k, count, step, stride int) bool {
	return k%2 == 0 && k > 0 && step == 1 && (stride%2 == 0 || count == 1)
}

// asPairs shows an operand as pairs. What is read through it is whole.
func asPairs[T Float](x []uint16) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(x))), len(x)/2)
}

// halfView shows pairs as the bfloat16 they are made of.
func halfView[T Float](x []T) []uint16 {
	return unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(x))), 2*len(x))
}

// putPair makes the pair of src[i] and src[i+step], or of src[i] and zero if there is no
// second one.
func putPair[T Float](dst *T, src []uint16, i, step int, second bool) {
	pair := (*[2]uint16)(unsafe.Pointer(dst))
	pair[0], pair[1] = src[i], 0
	if second {
		pair[1] = src[i+step]
	}
}

// wholePairs is how many of the kc pairs from pc on have two elements; the last may not.
func (h *halfOperands) wholePairs(pc, kc int) int { return min(kc, h.k16/2-pc) }

// pairPanels is packPanels for rows or columns of bfloat16 that are not pairs yet.
func (p *problem[T]) pairPanels(e *engine[T], dst []T, pc, kc, col, cols int) {
	width, whole := e.cols(), p.wholePairs(pc, kc)
	src := p.b16[pc*p.brs+col*p.bcs:]
	switch {
	case p.bcs == 1:
		p.zipPanels(e, dst, src, kc, whole, cols)
	case p.bstep == 1:
		p.transposePairs(e, dst, src, kc, whole, cols)
	default:
		for j := range cols {
			at := j/width*width*kc + j%width
			for q := range kc {
				putPair(&dst[at+q*width], src, q*p.brs+j*p.bcs, p.bstep, q < whole)
			}
		}
	}
}

// zipPanels makes panels of rows of B, two and two.
func (p *problem[T]) zipPanels(e *engine[T], dst []T, src []uint16, kc, whole, cols int) {
	width := e.cols()
	panels := cols / width
	done := panels * width
	if whole > 0 {
		if panels > 0 {
			e.zip(dst, width, kc*width, src, p.brs, p.bstep, whole, panels, width)
		}
		if done < cols {
			e.zip(dst[done*kc:], width, 0, src[done:], p.brs, p.bstep, whole, 1, cols-done)
		}
	}
	if whole < kc {
		for j := range cols {
			putPair(&dst[j/width*width*kc+whole*width+j%width], src, whole*p.brs+j, 0, false)
		}
	}
}

// transposePairs makes panels of columns of B that are contiguous in k, but do not are in pairs.
func (p *problem[T]) transposePairs(e *engine[T], dst []T, src []uint16, kc, whole, cols int) {
	width := e.cols()
	buf := e.bufs.Get().(*buffer[T])
	defer e.bufs.Put(buf)
	buf.wide = grow(buf.wide, e.lanes*kc)
	for j := 0; j < cols; j += e.lanes {
		n := min(e.lanes, cols-j)
		for i := range n {
			copyPairs(buf.wide[i*kc:][:kc], src[(j+i)*p.bcs:], whole)
		}
		e.packT(dst[j/width*width*kc+j%width:], width, buf.wide, kc, kc, n)
	}
}

// copyPairs copies elements that are contiguous in k, the last of them perhaps half a pair.
func copyPairs[T Float](dst []T, src []uint16, whole int) {
	copy(halfView(dst[:whole]), src)
	if whole < len(dst) {
		putPair(&dst[whole], src, 2*whole, 0, false)
	}
}

// pairPanelA is packA for bfloat16 that are not pairs yet.
func (p *problem[T]) pairPanelA(e *engine[T], dst []T, rs int, o order, row, rows, pc, kc int) {
	src, whole := p.a16[row*p.ars+pc*p.acs:], p.wholePairs(pc, kc)
	if o == byCols {
		for i := 0; whole > 0 && i < rows; i += e.cols() {
			e.zip(dst[i:], rows, 0, src[i:], p.acs, p.astep, whole, 1, min(e.cols(), rows-i))
		}
		for i := 0; whole < kc && i < rows; i++ {
			putPair(&dst[whole*rows+i], src, whole*p.acs+i, 0, false)
		}
		return
	}
	if p.ars == 1 && p.astep != 1 && e.squares {
		p.transposePanelA(e, dst, rs, row, rows, pc, kc)
		return
	}
	for i := range rows {
		to, from := dst[i*rs:][:kc], src[i*p.ars:]
		if p.astep == 1 {
			copyPairs(to, from, whole)
			continue
		}
		for q := range to {
			putPair(&to[q], from, q*p.acs, p.astep, q < whole)
		}
	}
}

// transposePanelA packs A by rows in place by columns: pairs are made of columns, then transposed.
func (p *problem[T]) transposePanelA(e *engine[T], dst []T, rs, row, rows, pc, kc int) {
	buf := e.bufs.Get().(*buffer[T])
	defer e.bufs.Put(buf)
	square := e.lanes * e.lanes
	buf.wide = grow(buf.wide, e.lanes*rows+square)
	out := buf.wide[e.lanes*rows:]
	for q := 0; q < kc; q += e.lanes {
		n := min(e.lanes, kc-q)
		p.pairPanelA(e, buf.wide, 0, byCols, row, rows, pc+q, n)
		for i := 0; i < rows; i += e.lanes {
			count := min(e.lanes, rows-i)
			if n == e.lanes {
				e.packT(dst[i*rs+q:], rs, buf.wide[i:], rows, count, n)
				continue
			}
			// Transposed in scratch: what packT writes past its columns must not fall on the next row.
			e.packT(out, e.lanes, buf.wide[i:], rows, count, n)
			for r := range count {
				copy(dst[(i+r)*rs+q:][:n], out[r*e.lanes:])
			}
		}
	}
}

// gaxpyBF16 is gaxpy for pairs; B is in rows of bfloat16.
func (j *job[T]) gaxpyBF16(buf *buffer[T], from, n, pc, t, kc int) int {
	e, p := j.e, &j.p
	f, step := e.gaxpy4BF16, gaxpyBF16Rows
	whole := p.wholePairs(pc, kc)
	if t+step > whole {
		f, step = e.gaxpy1BF16, 1
	}
	b, brs, bstep := p.b16[(pc+t)*p.brs+from:], p.brs, p.bstep
	if t == whole { // the last row has no second one: give it zeros
		buf.wide = grow(buf.wide, n)
		last := halfView(buf.wide)[:2*n]
		copy(last[:n], b)
		clear(last[n:])
		b, bstep = last, n
	}
	for i := range p.m {
		f(n, buf.out[i*n:], p.a[i*p.ars+(pc+t)*p.acs:], p.acs, b, brs, bstep, t == 0)
	}
	return step
}

// gaxpyBF16Rows is how many pairs of rows of B are read side by side.
const gaxpyBF16Rows = 4
