package gemm

import "math"

// halves are the operands of a product that are bfloat16 instead of T.
type halves struct {
	a16, b16 []uint16
	c16      []uint16 // receives C rounded, part by part
	c16rs    int
}

// BFloat16 is Float32 for factors in bfloat16, given as bits. They are widened to
// float32, which is exact, while they are packed; sums are float32 in the same order
// as those of Float32.
func BFloat16(m, n, k int, a []uint16, ars, acs int, b []uint16, brs, bcs int,
	c []float32, crs int, mode Mode, ep Epilogue[float32], run Runner) {
	check(m, n, k, len(a), ars, acs, len(b), brs, bcs, len(c), crs)
	p := problem[float32]{m: m, n: n, k: k, ars: ars, acs: acs, brs: brs, bcs: bcs,
		c: c, crs: crs, ccs: 1, mode: mode, ep: ep, halves: halves{a16: a, b16: b}}
	multiply(engine32(), p, run)
}

// BFloat16To16 is BFloat16 with C in bfloat16 too. Sums are rounded once, at the end
// and after the epilogue, which sees float32.
func BFloat16To16(m, n, k int, a []uint16, ars, acs int, b []uint16, brs, bcs int,
	c []uint16, crs int, mode Mode, ep Epilogue[float32], run Runner) {
	check(m, n, k, len(a), ars, acs, len(b), brs, bcs, len(c), crs)
	if m == 0 || n == 0 {
		return
	}
	e := engine32()
	buf := e.bufs.Get().(*buffer[float32])
	defer e.bufs.Put(buf)
	buf.wide = grow(buf.wide, m*n)
	if mode == Accumulate {
		widenLong(e, buf.wide, n, c, crs, m, n)
	}
	p := problem[float32]{m: m, n: n, k: k, ars: ars, acs: acs, brs: brs, bcs: bcs,
		c: buf.wide, crs: n, ccs: 1, mode: mode, ep: ep, halves: halves{a, b, c, crs}}
	multiply(e, p, run)
}

// widenRows is how many rows of B are widened at a time: they stay in L1 until they are
// in their panels.
const widenRows = 16

// widenPanels is packPanels for bfloat16.
func widenPanels[T Float](e *engine[T], dst []T, b []uint16, brs, bcs, kc, cols int) {
	buf := e.bufs.Get().(*buffer[T])
	defer e.bufs.Put(buf)
	width := e.cols()
	switch {
	case bcs == 1:
		buf.wide = grow(buf.wide, widenRows*cols)
		whole := cols / width
		for p := 0; p < kc; p += widenRows {
			rows := min(widenRows, kc-p)
			e.widen(buf.wide, cols, b[p*brs:], brs, rows, cols)
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
			e.widen(buf.wide, kc, b[j*bcs:], bcs, n, kc)
			e.packT(dst[j/width*width*kc+j%width:], width, buf.wide, kc, kc, n)
		}
	default:
		for j := 0; j < cols; j += width {
			for p := range kc {
				gatherHalf(dst[j*kc+p*width:][:min(width, cols-j)], b[p*brs+j*bcs:], bcs)
			}
		}
	}
}

// widenA replaces a small A in bfloat16 by a copy in buf.
func (p *problem[T]) widenA(e *engine[T], buf *buffer[T]) {
	buf.wide = grow(buf.wide, p.m*p.k)
	switch {
	case p.acs == 1:
		widenLong(e, buf.wide, p.k, p.a16, p.ars, p.m, p.k)
		p.ars = p.k
	case p.ars == 1:
		widenLong(e, buf.wide, p.m, p.a16, p.acs, p.k, p.m)
		p.acs = p.m
	default:
		for i := range p.m {
			gatherHalf(buf.wide[i*p.k:][:p.k], p.a16[i*p.ars:], p.acs)
		}
		p.ars, p.acs = p.k, 1
	}
	p.a, p.a16 = buf.wide, nil
}

// widenLong is widen in several calls, none of which takes long.
func widenLong[T Float](e *engine[T], dst []T, drs int, src []uint16, srs, rows, cols int) {
	const most = 128 << 10 // elements: some tens of microseconds
	step := max(1, most/max(1, cols))
	for i := 0; i < rows; i += step {
		for j := 0; j < cols; j += most {
			e.widen(dst[i*drs+j:], drs, src[i*srs+j:], srs, min(step, rows-i), min(most, cols-j))
		}
	}
}

// gatherHalf widens elements that are stride apart.
func gatherHalf[T Float](dst []T, src []uint16, stride int) {
	for i := range dst {
		dst[i] = T(math.Float32frombits(uint32(src[i*stride]) << 16))
	}
}

func widenGeneric(dst []float32, drs int, src []uint16, srs, rows, cols int) {
	for i := range rows {
		gatherHalf(dst[i*drs:][:cols], src[i*srs:], 1)
	}
}

func narrowGeneric(dst []uint16, src []float32) {
	for i := range dst {
		b := math.Float32bits(src[i])
		if b&0x7fffffff > 0x7f800000 {
			dst[i] = uint16(b>>16 | 0x40) // a NaN stays one
			continue
		}
		dst[i] = uint16((b + 0x7fff + b>>16&1) >> 16)
	}
}
