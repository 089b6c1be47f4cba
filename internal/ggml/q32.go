package ggml

import (
	"encoding/binary"
	"math"
)

// The formats of 32 elements: a float16 scale, for the _1 types also a float16 minimum, and the quants. Four-bit quants of
// elements i and i+16 share a byte; the fifth bits follow each other in a word of 32.
//
// Products are converted to float32 before a sum: without it a compiler may fuse the two and round once.

func deqQ4_0(dst []float32, src []byte) {
	d := half(src)
	for i, b := range src[2:18] {
		dst[i] = d * float32(int(b&15)-8)
		dst[i+16] = d * float32(int(b>>4)-8)
	}
}

func deqQ4_1(dst []float32, src []byte) {
	d, m := half(src), half(src[2:])
	for i, b := range src[4:20] {
		dst[i] = float32(d*float32(b&15)) + m
		dst[i+16] = float32(d*float32(b>>4)) + m
	}
}

func deqQ5_0(dst []float32, src []byte) {
	d, high := half(src), binary.LittleEndian.Uint32(src[2:])
	for i, b := range src[6:22] {
		dst[i] = d * float32(int(b&15|byte(high>>i)<<4&16)-16)
		dst[i+16] = d * float32(int(b>>4|byte(high>>(i+16))<<4&16)-16)
	}
}

func deqQ5_1(dst []float32, src []byte) {
	d, m, high := half(src), half(src[2:]), binary.LittleEndian.Uint32(src[4:])
	for i, b := range src[8:24] {
		dst[i] = float32(d*float32(b&15|byte(high>>i)<<4&16)) + m
		dst[i+16] = float32(d*float32(b>>4|byte(high>>(i+16))<<4&16)) + m
	}
}

func deqQ8_0(dst []float32, src []byte) {
	d := half(src)
	for i, b := range src[2:34] {
		dst[i] = float32(int8(b)) * d
	}
}

// deqQ8_1: the second float16 is the scale times the sum of the quants, for dot products; the values do not need it.
func deqQ8_1(dst []float32, src []byte) {
	d := half(src)
	for i, b := range src[4:36] {
		dst[i] = float32(int8(b)) * d
	}
}

// inverse is 1/d, or 0 where d is 0: a block of zeros has quants of zero.
func inverse(d float32) float32 {
	if d == 0 {
		return 0
	}
	return 1 / d
}

// extreme returns the value of the largest magnitude, with its sign; the first of equals.
func extreme(src []float32) (v float32) {
	largest := float32(-1)
	for _, x := range src {
		if a := float32(math.Abs(float64(x))); a > largest {
			largest, v = a, x
		}
	}
	return v
}

func bounds(src []float32) (low, high float32) {
	low, high = src[0], src[0]
	for _, x := range src {
		low, high = min(low, x), max(high, x)
	}
	return low, high
}

// toLevel cuts a non-negative value to a whole number no larger than top. What is not a number is 0.
func toLevel(v float32, top int) byte {
	if !(v >= 1) {
		return 0
	}
	return byte(min(v, float32(top)))
}

// pack32 stores 32 quants: low four bits in the last 16 bytes of dst, and the fifth bits before them if wide.
func pack32(dst []byte, q *[32]byte, wide bool) {
	low := dst[len(dst)-16:]
	high := uint32(0)
	for i := range low {
		low[i] = q[i]&15 | q[i+16]<<4
	}
	if !wide {
		return
	}
	for i, v := range q {
		high |= uint32(v>>4) << i
	}
	binary.LittleEndian.PutUint32(dst[len(dst)-20:], high)
}

// quantSigned: the scale takes the value of the largest magnitude to the lowest level.
func quantSigned(dst []byte, src []float32, levels int, wide bool) {
	d := extreme(src) / float32(-levels)
	id := inverse(d)
	var q [32]byte
	for i, x := range src {
		q[i] = toLevel(float32(x*id)+(float32(levels)+0.5), 2*levels-1)
	}
	putHalf(dst, d)
	pack32(dst, &q, wide)
}

// quantAffine: the scale and minimum map the range of the values to all levels.
func quantAffine(dst []byte, src []float32, top int, wide bool) {
	low, high := bounds(src)
	d := (high - low) / float32(top)
	id := inverse(d)
	var q [32]byte
	for i, x := range src {
		q[i] = toLevel(float32((x-low)*id)+0.5, top)
	}
	putHalf(dst, d)
	putHalf(dst[2:], low)
	pack32(dst, &q, wide)
}

func quantQ4_0(dst []byte, src []float32) { quantSigned(dst, src, 8, false) }
func quantQ5_0(dst []byte, src []float32) { quantSigned(dst, src, 16, true) }
func quantQ4_1(dst []byte, src []float32) { quantAffine(dst, src, 15, false) }
func quantQ5_1(dst []byte, src []float32) { quantAffine(dst, src, 31, true) }

// quantBytes writes round(x/d) for d the largest magnitude over 127, and returns d and the sum of the quants.
func quantBytes(dst []byte, src []float32) (d float32, sum int) {
	d = float32(math.Abs(float64(extreme(src)))) / 127
	id := inverse(d)
	for i, x := range src {
		q := int8(math.Round(float64(x * id)))
		dst[i] = byte(q)
		sum += int(q)
	}
	return d, sum
}

func quantQ8_0(dst []byte, src []float32) {
	d, _ := quantBytes(dst[2:], src)
	putHalf(dst, d)
}

func quantQ8_1(dst []byte, src []float32) {
	d, sum := quantBytes(dst[4:], src)
	putHalf(dst, d)
	putHalf(dst[2:], d*float32(sum))
}
