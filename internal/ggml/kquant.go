package ggml

import "encoding/binary"

// The K formats: 256 elements with a float16 scale, cut into groups with small integer scales of their own.

func deqQ2K(dst []float32, src []byte) {
	scales, qs := src[:16], src[16:80]
	d, dmin := half(src[80:]), half(src[82:])
	for g := range 16 { // groups of 16; a run of 32 bytes holds eight of them, two bits each
		dl, ml := d*float32(scales[g]&15), dmin*float32(scales[g]>>4)
		run, shift := qs[g/8*32+g%2*16:], g%8/2*2
		for i := range 16 {
			dst[g*16+i] = float32(dl*float32(run[i]>>shift&3)) - ml
		}
	}
}

func deqQ3K(dst []float32, src []byte) {
	high, qs, packed, d := src[:32], src[32:96], src[96:108], half(src[108:])
	for g := range 16 {
		// Low four bits of scale g are in byte g%8, its high two bits in byte 8+g%4.
		scale := packed[g%8]>>(g/8*4)&15 | packed[8+g%4]>>(g/4*2)&3<<4
		dl := d * float32(int(scale)-32)
		run, shift := qs[g/8*32+g%2*16:], g%8/2*2
		mask := high[g%2*16:]
		for i := range 16 {
			q := int(run[i] >> shift & 3)
			if mask[i]>>(g/2)&1 == 0 { // a clear bit subtracts
				q -= 4
			}
			dst[g*16+i] = dl * float32(q)
		}
	}
}

// scaleMin unpacks the six-bit scale and minimum of group j of 8.
func scaleMin(packed []byte, j int) (scale, low byte) {
	if j < 4 {
		return packed[j] & 63, packed[j+4] & 63
	}
	return packed[j+4]&15 | packed[j-4]>>6<<4, packed[j+4]>>4 | packed[j]>>6<<4
}

func putScaleMin(packed []byte, j int, scale, low byte) {
	if j < 4 {
		packed[j] |= scale
		packed[j+4] |= low
		return
	}
	packed[j+4] |= scale&15 | low<<4
	packed[j-4] |= scale >> 4 << 6
	packed[j] |= low >> 4 << 6
}

func deqQ4K(dst []float32, src []byte) {
	d, dmin, packed, qs := half(src), half(src[2:]), src[4:16], src[16:144]
	for j := range 8 {
		scale, low := scaleMin(packed, j)
		dl, ml := d*float32(scale), dmin*float32(low)
		run, shift := qs[j/2*32:j/2*32+32], j%2*4
		out := dst[j*32 : j*32+32]
		for i, b := range run {
			out[i] = float32(dl*float32(b>>shift&15)) - ml
		}
	}
}

func deqQ5K(dst []float32, src []byte) {
	d, dmin, packed, high, qs := half(src), half(src[2:]), src[4:16], src[16:48], src[48:176]
	for j := range 8 {
		scale, low := scaleMin(packed, j)
		dl, ml := d*float32(scale), dmin*float32(low)
		run, shift := qs[j/2*32:j/2*32+32], j%2*4
		out := dst[j*32 : j*32+32]
		for i, b := range run {
			out[i] = float32(dl*float32(b>>shift&15|high[i]>>j&1<<4)) - ml
		}
	}
}

func deqQ6K(dst []float32, src []byte) {
	low, high, scales, d := src[:128], src[128:192], src[192:208], half(src[208:])
	for g := range 16 { // half h of the block, quarter k of the half, 16 of its 32 elements
		h, k, part := g/8, g%8/2, g%2*16
		dl := d * float32(int8(scales[g]))
		lo, hi := low[h*64+k%2*32+part:], high[h*32+part:]
		for i := range 16 {
			q := lo[i]>>(k/2*4)&15 | hi[i]>>(k*2)&3<<4
			dst[g*16+i] = dl * float32(int(q)-32)
		}
	}
}

func deqQ8K(dst []float32, src []byte) {
	d := float(src)
	for i, b := range src[4:260] {
		dst[i] = d * float32(int8(b))
	}
}

// fifteen levels, denser near zero.
var nonlinear = [16]float32{-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113}

func deqIQ4NL(dst []float32, src []byte) {
	d := half(src)
	for i, b := range src[2:18] {
		dst[i] = d * nonlinear[b&15]
		dst[i+16] = d * nonlinear[b>>4]
	}
}

func deqIQ4XS(dst []float32, src []byte) {
	d, high, low, qs := half(src), binary.LittleEndian.Uint16(src[2:]), src[4:8], src[8:136]
	for j := range 8 {
		scale := int(low[j/2]>>(j%2*4)&15|byte(high>>(2*j)&3)<<4) - 32
		dl := d * float32(scale)
		for i, b := range qs[j*16 : j*16+16] {
			dst[j*32+i] = dl * nonlinear[b&15]
			dst[j*32+i+16] = dl * nonlinear[b>>4]
		}
	}
}
