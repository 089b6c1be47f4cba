package gemm

import "math"

// half is an element type of 16 bits, given as bits.
type half uint8

const (
	bfloat16 half = iota
	float16
	halfTypes
)

// halfOperands are the operands of a product that are half types instead of T.
type halfOperands struct {
	half     half
	a16, b16 []uint16

	// A problem in pairs (bf16.go): k counts pairs, the strides along k go from pair to
	// pair, the steps from the first of a pair to its second.
	paired       bool
	k16          int // k in elements
	astep, bstep int
}

// HasBF16 reports whether this machine multiplies bfloat16 in pairs.
func HasBF16() bool { return engineBF16() != nil }

// BFloat16 is Float32 for factors in bfloat16, given as bits. Sums are float32. With
// AVX512_BF16 products are summed in pairs (bf16.go); elsewhere the factors are widened to
// float32, which is exact, and summed in the order of Float32.
func BFloat16(m, n, k int, a []uint16, ars, acs int, b []uint16, brs, bcs int,
	c []float32, crs int, mode Mode, ep Epilogue[float32], run Runner) {
	crs = checkC(m, n, k, len(a), ars, acs, len(b), brs, bcs, c, crs, mode, ep)
	p := problem[float32]{m: m, n: n, k: k, ars: ars, acs: acs, brs: brs, bcs: bcs,
		c: c, crs: crs, ccs: 1, mode: mode, ep: ep, halfOperands: halfOperands{a16: a, b16: b}}
	if e := engineBF16(); e != nil {
		p.pair()
		multiply(e, p, run)
		return
	}
	multiply(engine32(), p, run)
}

// HasBF16Rows reports whether this machine has BFloat16Rows.
func HasBF16Rows() bool { return enginePairRows() != nil }

// BFloat16Rows is A·Wᵀ for m rows of A, ars apart, and n of W, k contiguous bfloat16 each. It reads W where it is. Tiles of AMX have no
// kernel for one row, and round otherwise: here they are not used, and a row has the same bits whatever m is.
func BFloat16Rows(m, n, k int, a []uint16, ars int, w []uint16, c []float32, crs int, run Runner) {
	e, p := enginePairRows(), pairRows(m, n, k, a, ars, w, c, crs)
	if m > 0 && n > 0 && k > 0 && p.dots(e, m) {
		pairDots(e, &p, run)
		return
	}
	multiply(e, p, run)
}

// pairRows is the problem of BFloat16Rows.
func pairRows(m, n, k int, a []uint16, ars int, w []uint16, c []float32, crs int) problem[float32] {
	checkC(m, n, k, len(a), ars, 1, len(w), 1, k, c, crs, Overwrite, nil)
	p := problem[float32]{m: m, n: n, k: k, ars: ars, acs: 1, brs: 1, bcs: k, c: c, crs: crs, ccs: 1,
		halfOperands: halfOperands{a16: a, b16: w}}
	p.pair()
	return p
}

// pairDotsBytes is how many bytes of W are a block of work for a few rows: as it comes from memory, some microseconds.
const pairDotsBytes = 512 << 10

// pairDots reads W once, a few whole rows after the other.
func pairDots(e *engine[float32], p *problem[float32], run Runner) {
	strip := e.dotsWide[1].cols
	each := max(1, pairDotsBytes/(4*p.k*strip)) * strip
	forEach(work(p.m, p.n, p.k), ceilDiv(p.n, each), run, func(block int) {
		chunk := e.chunk(p.k)
		for j, end := block*each, min((block+1)*each, p.n); j < end; j += strip {
			for pc := 0; pc < p.k; pc += chunk {
				e.dot(p.m, min(chunk, p.k-pc), p.a[pc:], p.ars, 1, p.b[j*p.bcs+pc:], p.bcs, p.c[j:], p.crs, min(strip, end-j), pc > 0)
			}
		}
	})
}

// Float16 is Float32 for factors in IEEE half precision, given as bits. They are widened
// to float32, which is exact, while they are packed; sums are those of Float32.
func Float16(m, n, k int, a []uint16, ars, acs int, b []uint16, brs, bcs int,
	c []float32, crs int, mode Mode, ep Epilogue[float32], run Runner) {
	crs = checkC(m, n, k, len(a), ars, acs, len(b), brs, bcs, c, crs, mode, ep)
	p := problem[float32]{m: m, n: n, k: k, ars: ars, acs: acs, brs: brs, bcs: bcs,
		c: c, crs: crs, ccs: 1, mode: mode, ep: ep, halfOperands: halfOperands{half: float16, a16: a, b16: b}}
	multiply(engine32(), p, run)
}

// widenRows is how many rows of B are widened at a time: they stay in L1 until they are
// in their panels.
const widenRows = 16

// widenPanels is packPanels for half types.
func widenPanels[T Float](e *engine[T], h half, dst []T, b []uint16, brs, bcs, kc, cols int) {
	buf := e.bufs.Get().(*buffer[T])
	defer e.bufs.Put(buf)
	width := e.cols()
	switch {
	case bcs == 1:
		buf.wide = grow(buf.wide, widenRows*cols)
		whole := cols / width
		for p := 0; p < kc; p += widenRows {
			rows := min(widenRows, kc-p)
			e.widen[h](buf.wide, cols, b[p*brs:], brs, rows, cols)
			if whole > 0 {
				e.strips(dst[p*width:], width, kc*width, buf.wide, cols, rows, whole, width)
			}
			if done := whole * width; done < cols {
				e.strips(dst[done*kc+p*width:], width, 0, buf.wide[done:], cols, rows, 1, cols-done)
			}
		}
	case brs == 1:
		buf.wide = grow(buf.wide, e.lanes*kc)
		for j := 0; j < cols; j += e.lanes {
			n := min(e.lanes, cols-j)
			e.widen[h](buf.wide, kc, b[j*bcs:], bcs, n, kc)
			e.packT(dst[j/width*width*kc+j%width:], width, buf.wide, kc, kc, n)
		}
	default:
		for j := 0; j < cols; j += width {
			for p := range kc {
				gatherHalf(h, dst[j*kc+p*width:][:min(width, cols-j)], b[p*brs+j*bcs:], bcs)
			}
		}
	}
}

// widenPanelA is packA for half types.
func (p *problem[T]) widenPanelA(e *engine[T], dst []T, rs int, o order, row, rows, pc, kc int) {
	src := p.a16[row*p.ars+pc*p.acs:]
	switch {
	case o == byCols:
		e.widen[p.half](dst, rows, src, p.acs, kc, rows)
	case p.acs == 1:
		e.widen[p.half](dst, rs, src, p.ars, rows, kc)
	default:
		for i := range rows {
			gatherHalf(p.half, dst[i*rs:][:kc], src[i*p.ars:], p.acs)
		}
	}
}

// copyA replaces a small A of half types by a copy in buf that kernels can read.
func (p *problem[T]) copyA(e *engine[T], buf *buffer[T]) {
	buf.wide = grow(buf.wide, p.m*p.k)
	if p.ars == 1 && p.acs != 1 && !e.squares {
		p.packLong(e, buf.wide, byCols)
		p.acs = p.m
	} else {
		p.packLong(e, buf.wide, byRows)
		p.ars, p.acs = p.k, 1
	}
	p.a, p.a16 = buf.wide, nil
}

// packLong packs all of A as one panel, in several calls, none of which takes long.
func (p *problem[T]) packLong(e *engine[T], dst []T, o order) {
	const most = 128 << 10 // elements: some tens of microseconds
	if o == byCols {
		step := max(1, most/max(1, p.m))
		for pc := 0; pc < p.k; pc += step {
			p.packA(e, dst[pc*p.m:], 0, o, 0, p.m, pc, min(step, p.k-pc))
		}
		return
	}
	step := max(1, most/max(1, p.k))
	for i := 0; i < p.m; i += step {
		for pc := 0; pc < p.k; pc += most {
			p.packA(e, dst[i*p.k+pc:], p.k, o, i, min(step, p.m-i), pc, min(most, p.k-pc))
		}
	}
}

// gatherHalf widens elements that are stride apart.
func gatherHalf[T Float](h half, dst []T, src []uint16, stride int) {
	for i := range dst {
		dst[i] = T(widenOne(h, src[i*stride]))
	}
}

func widenOne(h half, x uint16) float32 {
	if h == bfloat16 {
		return math.Float32frombits(uint32(x) << 16)
	}
	sign, exp, frac := uint32(x)>>15<<31, int(x>>10&31), uint32(x&0x3ff)
	switch {
	case exp == 31:
		if frac != 0 {
			frac |= 0x200 // a NaN becomes quiet
		}
		return math.Float32frombits(sign | 0xff<<23 | frac<<13)
	case exp == 0:
		f := float32(frac) * (1.0 / (1 << 24)) // subnormal: frac·2^-24, exact
		return math.Float32frombits(sign | math.Float32bits(f))
	}
	return math.Float32frombits(sign | uint32(exp+112)<<23 | frac<<13)
}

func widenGeneric(h half) func(dst []float32, drs int, src []uint16, srs, rows, cols int) {
	return func(dst []float32, drs int, src []uint16, srs, rows, cols int) {
		for i := range rows {
			gatherHalf(h, dst[i*drs:][:cols], src[i*srs:], 1)
		}
	}
}

// widenGenerics are the Go twins, by half.
var widenGenerics = [halfTypes]func(dst []float32, drs int, src []uint16, srs, rows, cols int){widenGeneric(bfloat16),
	widenGeneric(float16)}
