package ggml

import "math"

// The microscaling formats store four-bit floats; the table holds twice their values, and the scales half.
var e2m1 = [16]float32{0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12}

// halfE8M0 is 2^(e-128), a power of two by its exponent alone.
func halfE8M0(e byte) float32 {
	if e < 2 {
		return math.Float32frombits(0x00200000 << e) // below the normal numbers
	}
	return math.Float32frombits(uint32(e-1) << 23)
}

func deqMXFP4(dst []float32, src []byte) {
	d := halfE8M0(src[0])
	for i, b := range src[1:17] {
		dst[i] = d * e2m1[b&15]
		dst[i+16] = d * e2m1[b>>4]
	}
}

// halfE4M3 is half of an unsigned eight-bit float with three bits of mantissa.
func halfE4M3(x byte) float32 {
	e, m := int(x>>3&15), float32(x&7)
	switch {
	case x == 0 || x == 0x7f:
		return 0
	case e == 0:
		return m * 0x1p-10
	}
	return (1 + m/8) * float32(math.Ldexp(1, e-8))
}

func deqNVFP4(dst []float32, src []byte) {
	for g := range 4 {
		d := halfE4M3(src[g])
		for i, b := range src[4+g*8 : 12+g*8] {
			dst[g*16+i] = d * e2m1[b&15]
			dst[g*16+i+8] = d * e2m1[b>>4]
		}
	}
}

// powers are those of three: a byte of TQ1_0 holds five base-3 digits as a fraction of 256.
var powers = [5]byte{1, 3, 9, 27, 81}

// digit returns base-3 digit n of b, less one.
func digit(b byte, n int) float32 {
	return float32(int(uint16(b*powers[n])*3>>8) - 1)
}

func deqTQ1(dst []float32, src []byte) {
	d := half(src[52:])
	at := 0
	for _, part := range [3]struct{ from, n, digits int }{{0, 32, 5}, {32, 16, 5}, {48, 4, 4}} {
		for n := range part.digits {
			for _, b := range src[part.from : part.from+part.n] {
				dst[at] = d * digit(b, n)
				at++
			}
		}
	}
}

func deqTQ2(dst []float32, src []byte) {
	d := half(src[64:])
	for g := range 8 {
		for i, b := range src[g/4*32 : g/4*32+32] {
			dst[g*32+i] = d * float32(int(b>>(g%4*2)&3)-1)
		}
	}
}

// ternary returns the scale and the values rounded to -1, 0 and 1, plus one.
func ternary(src []float32) (d float32, q [superBlock]byte) {
	d = float32(math.Abs(float64(extreme(src))))
	id := inverse(d)
	for i, x := range src {
		q[i] = byte(int8(math.Round(float64(x*id))) + 1)
	}
	return d, q
}

func quantTQ1(dst []byte, src []float32) {
	d, q := ternary(src)
	at := 0
	for _, part := range [3]struct{ from, n, digits int }{{0, 32, 5}, {32, 16, 5}, {48, 4, 4}} {
		var sums [32]uint16
		for n := range part.digits {
			for i := range part.n {
				sums[i] += uint16(q[at]) * uint16(powers[4-n])
				at++
			}
		}
		for i := range part.n {
			dst[part.from+i] = byte((uint32(sums[i])*256 + 242) / 243)
		}
	}
	putHalf(dst[52:], d)
}

func quantTQ2(dst []byte, src []float32) {
	d, q := ternary(src)
	clear(dst[:64])
	for g := range 8 {
		for i := range 32 {
			dst[g/4*32+i] |= q[g*32+i] << (g % 4 * 2)
		}
	}
	putHalf(dst[64:], d)
}
