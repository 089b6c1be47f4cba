package gemm

import "unsafe"

// Products of bytes. VPDPBUSD and AMX take four neighbours in k at a time and add the four products to an int32, so k is
// counted in groups of four: an element of a panel holds four bytes, the first in the lowest, and is passed on as a float32 that
// no caller computes with, as is a sum. Everything else is the product of float32 over a quarter of k.
//
// Sums are taken modulo 2³², and whether a byte has a sign changes them by multiples of 256 only. So the low byte of a
// sum is the element of C, for signed and unsigned bytes alike, exactly, and in any order.

// HasInt8 reports whether Int8 has kernels on this machine.
func HasInt8() bool { return engineInt8() != nil }

// Int8 computes the low bytes of C = A·B for bytes, signed or not: c gets int32 whose other bytes mean nothing. done is
// called for each finished part of C, like an Epilogue; it may be nil. There must be kernels: see HasInt8.
func Int8(m, n, k int, a []uint8, ars, acs int, b []uint8, brs, bcs int, c []int32, crs int,
	done func(row, col, rows, cols int), run Runner) {
	check(m, n, k, len(a), ars, acs, len(b), brs, bcs, len(c), crs)
	e := engineInt8()
	p := problem[float32]{m: m, n: n, k: ceilDiv(k, 4), crs: crs, ccs: 1}
	p.c = unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(c))), len(c))
	if done != nil {
		p.ep = func(_ []float32, _, row, col, rows, cols int) { done(row, col, rows, cols) }
	}
	if m > 0 && n > 0 && k > 0 {
		abuf, bbuf := e.bufs.Get().(*buffer[float32]), e.bufs.Get().(*buffer[float32])
		defer e.bufs.Put(abuf)
		defer e.bufs.Put(bbuf)
		p.a, p.ars, p.acs = packInt8(abuf, a, m, k, ars, acs, !e.squares, run)
		p.b, p.bcs, p.brs = packInt8(bbuf, b, n, k, bcs, brs, true, run)
	}
	multiply(e, p, run)
}

// packInt8 shows count vectors of length k as words, with the strides from vector to vector and along k: in place if
// they can be read so, else in buf. sideBySide allows vectors that are next to each other to stay so.
func packInt8(buf *buffer[float32], x []uint8, count, k, stride, step int, sideBySide bool, run Runner) (words []float32, ws, wstep int) {
	if step == 1 && k%4 == 0 && (stride%4 == 0 || count == 1) {
		return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(x))), len(x)/4), stride / 4, 1
	}
	depth := ceilDiv(k, 4)
	buf.wide = grow(buf.wide, count*depth)
	out := byteView(buf.wide)
	if stride == 1 && sideBySide {
		each := max(1, int8Block/count)
		forEach(count*k, ceilDiv(depth, each), run, func(block int) {
			for q := block * each; q < min((block+1)*each, depth); q++ {
				packInt8Rows(buf.wide[q*count:][:count], x[4*q*step:], step, min(4, k-4*q))
			}
		})
		return buf.wide, 1, count
	}
	each := max(1, int8Block/depth)
	forEach(count*k, ceilDiv(count, each), run, func(block int) {
		for i := block * each; i < min((block+1)*each, count); i++ {
			to := out[4*i*depth:][:4*depth]
			if step == 1 {
				copy(to, x[i*stride:][:k])
			} else {
				for p := range k {
					to[p] = x[i*stride+p*step]
				}
			}
			clear(to[k:])
		}
	})
	return buf.wide, depth, 1
}

// int8Block is how many words are made in one block: some tens of microseconds.
const int8Block = 32 << 10

// packInt8Rows makes words of up to four rows; those missing are zero.
func packInt8Rows(dst []float32, x []uint8, step, rows int) {
	words := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(dst))), len(dst))
	if rows < 4 {
		for j := range words {
			words[j] = 0
			for r := range rows {
				words[j] |= uint32(x[r*step+j]) << (8 * r)
			}
		}
		return
	}
	n := len(words)
	r0, r1, r2, r3 := x[:n], x[step:][:n], x[2*step:][:n], x[3*step:][:n]
	for j := range words {
		words[j] = uint32(r0[j]) | uint32(r1[j])<<8 | uint32(r2[j])<<16 | uint32(r3[j])<<24
	}
}

// byteView shows words as the bytes they are made of.
func byteView(x []float32) []uint8 {
	return unsafe.Slice((*uint8)(unsafe.Pointer(unsafe.SliceData(x))), 4*len(x))
}
