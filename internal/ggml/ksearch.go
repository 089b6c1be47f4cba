package ggml

import (
	"encoding/binary"
	"math"
)

// Quantizers of the K formats. A group's scale is first searched for by itself: several steps around the plain one are
// tried, each gives levels, and the levels give the scale (and minimum) of least squared error in closed form. The scales
// are then rounded to integers under the block's own, and the levels chosen once more under what was stored.

// affineGroup finds scale and minimum (x ≈ scale*level - low, low ≥ 0) for levels 0…top.
func affineGroup(src []float32, top int) (scale, low float32) {
	lo, hi := bounds(src)
	lo = min(lo, 0) // a minimum is subtracted, never added
	if hi <= lo {
		return 0, -lo
	}
	bestErr := math.Inf(1)
	for try := -5; try <= 10; try++ {
		step := float64(hi-lo) / (float64(top) + 0.1*float64(try))
		s, m := fitAffine(src, float64(lo), step, top)
		e := 0.0
		for _, x := range src {
			l := clampLevel((float64(x)+m)/s, top)
			diff := s*l - m - float64(x)
			e += diff * diff
		}
		if e < bestErr {
			bestErr, scale, low = e, float32(s), float32(m)
		}
	}
	return scale, low
}

func clampLevel(v float64, top int) float64 {
	return min(max(math.RoundToEven(v), 0), float64(top))
}

// fitAffine chooses levels by step and returns the scale and minimum of least squares for them.
func fitAffine(src []float32, lo, step float64, top int) (scale, low float64) {
	var n, sl, sll, sx, slx float64
	for _, x := range src {
		l := clampLevel((float64(x)-lo)/step, top)
		n, sl, sll, sx, slx = n+1, sl+l, sll+l*l, sx+float64(x), slx+l*float64(x)
	}
	det := n*sll - sl*sl
	if det <= 0 {
		return step, -lo
	}
	scale = (n*slx - sl*sx) / det
	low = (scale*sl - sx) / n
	if low < 0 { // the best line through zero
		low, scale = 0, slx/sll
	}
	if !(scale > 0) {
		return step, -lo
	}
	return scale, low
}

// quantAffineK fills the scales of Q4_K and Q5_K and returns the levels.
func quantAffineK(dst []byte, src []float32, top int) (levels [superBlock]byte) {
	var scales, lows [8]float32
	var largest, lowest float32
	for j := range 8 {
		scales[j], lows[j] = affineGroup(src[j*32:j*32+32], top)
		largest, lowest = max(largest, scales[j]), max(lowest, lows[j])
	}
	putHalf(dst, largest/63)
	putHalf(dst[2:], lowest/63)
	d, dmin := half(dst), half(dst[2:])
	packed := dst[4:16]
	clear(packed)
	for j := range 8 {
		s := byte(clampLevel(float64(scales[j])*ratio(d), 63))
		m := byte(clampLevel(float64(lows[j])*ratio(dmin), 63))
		putScaleMin(packed, j, s, m)
		dl, ml := float64(d)*float64(s), float64(dmin)*float64(m)
		if dl == 0 {
			continue
		}
		for i, x := range src[j*32 : j*32+32] {
			levels[j*32+i] = byte(clampLevel((float64(x)+ml)/dl, top))
		}
	}
	return levels
}

// ratio is 1/d, or 0.
func ratio(d float32) float64 {
	if d == 0 {
		return 0
	}
	return 1 / float64(d)
}

func packNibbles(dst []byte, levels *[superBlock]byte) {
	for j := range 4 {
		for i := range 32 {
			dst[j*32+i] = levels[j*64+i]&15 | levels[j*64+32+i]<<4
		}
	}
}

func quantQ4K(dst []byte, src []float32) {
	levels := quantAffineK(dst, src, 15)
	packNibbles(dst[16:], &levels)
}

func quantQ5K(dst []byte, src []float32) {
	levels := quantAffineK(dst, src, 31)
	clear(dst[16:48])
	for k, l := range levels {
		dst[16+k%32] |= l >> 4 << (k / 32)
	}
	packNibbles(dst[48:], &levels)
}

// symmetricGroup finds the scale (x ≈ scale*level) for levels -top…top-1.
func symmetricGroup(src []float32, top int) float32 {
	peak := float64(extreme(src))
	if peak == 0 {
		return 0
	}
	best, bestScale := -1.0, 0.0
	for try := -9; try <= 9; try++ {
		inv := -(float64(top) + 0.1*float64(try)) / peak
		var lx, ll float64
		for _, x := range src {
			l := min(max(math.RoundToEven(inv*float64(x)), float64(-top)), float64(top-1))
			lx, ll = lx+l*float64(x), ll+l*l
		}
		// The error at the best scale lx/ll is the sum of squares less lx²/ll.
		if ll > 0 && lx*lx/ll > best {
			best, bestScale = lx*lx/ll, lx/ll
		}
	}
	return float32(bestScale)
}

func quantQ6K(dst []byte, src []float32) {
	var scales [16]float32
	for g := range 16 {
		scales[g] = symmetricGroup(src[g*16:g*16+16], 32)
	}
	clear(dst)
	putHalf(dst[208:], extreme(scales[:])/-128)
	d := half(dst[208:])
	for g := range 16 {
		s := int8(min(max(math.RoundToEven(float64(scales[g])*ratio(d)), -128), 127))
		dst[192+g] = byte(s)
		h, k, part := g/8, g%8/2, g%2*16
		dl := float64(d) * float64(s)
		for i, x := range src[g*16 : g*16+16] {
			l := 0.0
			if dl != 0 {
				l = min(max(math.RoundToEven(float64(x)/dl), -32), 31)
			}
			q := byte(int(l) + 32)
			dst[h*64+k%2*32+part+i] |= q & 15 << (k / 2 * 4)
			dst[128+h*32+part+i] |= q >> 4 << (k * 2)
		}
	}
}

// quantQ8K stores sums of sixteen quants after them, for dot products.
func quantQ8K(dst []byte, src []float32) {
	peak := extreme(src)
	clear(dst)
	if peak == 0 {
		return
	}
	inv := -127 / peak
	for i, x := range src {
		q := min(int(math.RoundToEven(float64(inv*x))), 127)
		dst[4+i] = byte(int8(q))
		at := dst[260+i/16*2:]
		binary.LittleEndian.PutUint16(at, binary.LittleEndian.Uint16(at)+uint16(int16(q)))
	}
	binary.LittleEndian.PutUint32(dst, math.Float32bits(1/inv))
}
